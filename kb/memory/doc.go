// Package memory is what agents remember of their work: items in four tiers, named
// entries, journals and core memories, and conversations with their working notes.
//
// A Store is the memory as one caller sees it: the account's file and that of one
// workspace. An agent's private items, journal, core memories and working notes are
// visible to that agent only, and tiers that were not granted do not exist for the
// caller. A read names its tiers; they do not inherit from each other.
//
// # Tiers
//
//	conversation   one exchange; ordered by time; until it is archived
//	channel        a topic that conversations of a workspace share; fades fastest
//	workspace      a project
//	account        a person, in all projects; fades slowest
//
// An item's relevance is its importance × rate^hours since the last access × (1 + ln(1
// + accesses)); see Rates. It orders reads and is no reason to remove an item.
//
// # Consolidation
//
// A pass over a scope forgets items that have expired or that another item repeats word
// for word (clash.Said). It archives short-term items of less importance than
// ArchiveUnder that nobody has read for a year: reads leave them out unless they ask
// for archived items, and Restore brings them back. Items that PromoteSessions sessions
// asked for become long-term; being shown is not being asked for. Contradictions are
// listed for a person, or for an agent that rewrites them. Each pass and each rewrite
// records its steps, without content, and Undo reverses it as a whole.
//
// # Files
//
// memory/account.sqlite3 has the account tier, and memory/workspaces/NAME-HASH.sqlite3
// the other three tiers of one workspace. Each file stores its owner and is refused in
// another's place.
//
//	items                  remembered and forgotten items, with rule and replacement
//	revisions              earlier versions of items and named entries
//	named                  entries with names, by the author: always loaded first
//	notes                  journals and core memories
//	channels, conversations, scratch
//	events                 every change, without content; append-only
//	asked                  which sessions asked for an item
//	consolidated           how far consolidation has come
//	passes, pass_steps     steps of consolidation, for Undo
//	memory_index_*         search index with embeddings (package kb/index), derived
//
// A change is one transaction with its event. Forgetting keeps the item but hides it
// from reads; only a scrub deletes.
//
// # The files of this package, in reading order
//
//	item.go events.go                            what an item is, the log
//	store.go                                     opening, files, rows, grants, errors
//	put.go change.go                             storing, updating, forgetting, restoring;
//	                                             put.go also refuses secrets
//	read.go relevance.go                         reading, scores; what counts as asked for
//	list.go                                      listing, revisions, statistics
//	orient.go                                    the document for a turn
//	places.go conversation.go                    channels, workspaces, conversations
//	named.go own.go                              named entries; an agent's journal, core
//	                                             memories and working notes
//	consolidate.go consolidate_plan.go
//	consolidate_apply.go undo.go                 passes
//	rewrite_groups.go rewrite.go                 several items become one
//	scrub.go scrub_file.go                       deleting for good
//	records.go export.go                         what is exported
//	document.go import.go import_check.go
//	import_lists.go                              what of it is read, refused and stored
//	upkeep.go                                    checks, repairs, embeddings
//
// Package orient lays out the document for a turn.
//
// # How fast it is
//
// On two cores of a shared virtual machine (x86-64, Linux, Go 1.26), with 10,000 items
// in each of the workspace, the account and a channel: medians, with the 99th
// percentile in brackets.
//
//	put, durable on return, its embedding given        0.4 to 0.6 ms (6 to 8)
//	read a tier by words and meaning                   2.2 to 4.3 ms (12 to 19)
//	read a tier by relevance only                      7 to 14 ms (15 to 18)
//	orient: named entries and four tiers               45 to 50 ms (67 to 150)
//	consolidate 10,000 items                           1.8 to 2.6 s
//	  again                                            55 to 80 ms
//	  its plan, with contradictions                    4.4 s
//
// A simulated year of 50,005 items in 41 scopes, with few items read most of the time,
// has 3,644 passes and leaves 51 MB. 25,542 items are active, 22,200 are archived since
// a scope of 800 was full, 62 are promoted, 2,124 have expired and 139 were
// repetitions. 200 rounds of SIGKILL, 108 within a pass and 50 within an undo, lose
// none of 87,620 items, and 200 in scrubs leave each scrub done or not begun. 50,000
// items are exported in 0.9 s and imported in 5 s; a scrub of 10,000 takes half a
// second.
//
// testdata/history.jsonl has eight weeks with 266 items, labelled before they were
// tried. Before and after the rules of passes were changed, with a model and without:
//
//	items that one pass lost, of them critical             34, 4 to 6; none
//	facts that kept several wordings of one statement      2 to 9 of ten; none
//	contradictions that are listed as such, of 20          none; 19 to 20
//	items promoted, of them only shown                     76 to 88, 72 to 82; 12, 1
//
//	go test -run '^$' -bench . ./kb/memory
//	BOARD_LONG=1 BOARD_KILL_ROUNDS=200 go test ./kb/memory -run 'Year|Killed' -v
package memory
