// # How fast it is
//
// On two cores of a shared virtual machine (x86-64, Linux, Go 1.26), with 10,000 items in each of the workspace, the account and a channel; medians, and the 99th percentile in brackets:
//
//	put, durable when it returns, its embedding given                    0.4 to 0.6 ms (6 to 8)
//	read a tier by words and meaning; by relevance alone                 2.2 to 4.3 ms (12 to 19); 7 to 14 ms (15 to 18)
//	orient: named entries and four tiers                                 45 to 50 ms (67 to 150)
//	consolidate 10,000 items; again; its plan, with contradictions       1.8 to 2.6 s; 55 to 80 ms; 4.4 s
//
// A simulated year of 50,005 items in 41 scopes, read as things are (few of them most of the time), has 3,644 passes over a scope and leaves 51 MB: 25,542 items live, 22,200 archived since a
// scope of 800 was full, 62 promoted; what is not there has expired (2,124) or is said by another (139). 200 rounds of SIGKILL, 108 within a pass and 50 within an undo, lose none of 87,620 items, and 200 in scrubs leave each
// whole or gone.
// 50,000 items are exported in 0.9 s and imported in 5 s; a scrub of 10,000 takes half a second.
//
// Eight weeks of 266 items, in testdata/history.jsonl, labelled before they were tried, before and after passes were made so, with a model and without:
//
//	items that one pass lost, of them critical                           34, 4 to 6; none
//	facts that kept several wordings of one statement, of ten            2 to 9; none
//	contradictions that are listed as such, of 20                        none; 19 to 20
//	items promoted, of them only shown                                   76 to 88, 72 to 82; 12, 1
//
//	go test -run '^$' -bench . ./kb/memory
//	BOARD_LONG=1 BOARD_KILL_ROUNDS=200 go test ./kb/memory -run 'Year|Killed' -v
package memory
