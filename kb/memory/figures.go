// # How fast it is
//
// On two cores of a shared virtual machine (x86-64, Linux, Go 1.26), with 10,000 items in each of the workspace, the account and a channel; medians, and the 99th percentile in brackets:
//
//	put, durable when it returns, its embedding given                    0.4 to 0.6 ms (6 to 8)
//	read a tier by words and meaning; by relevance alone                 2.2 to 4.3 ms (12 to 19); 7 to 14 ms (15 to 18)
//	orient: named entries and four tiers                                 11 to 14 ms (30 to 33)
//	consolidate 10,000 items, 384 numbers to an embedding; again         1.8 to 2.6 s; 55 to 80 ms
//
// A simulated year of 50,005 items in 41 scopes, read as things are (few of them most of the time), takes 49 to 63 s with its 1,586 passes and leaves 33 MB: 11,407 items live, 30,716 were pruned,
// 5,344 promoted. 200 rounds of SIGKILL in passes lose none of 52,000 items, and 200 in scrubs leave each whole or gone. 50,000 items are exported in 0.9 s and imported in 5 s; a scrub of 10,000
// takes half a second.
//
//	go test -run '^$' -bench . ./kb/memory
//	BOARD_LONG=1 BOARD_KILL_ROUNDS=200 go test ./kb/memory -run 'Year|Killed' -v
package memory
