// # How fast it is
//
// On two cores of a shared virtual machine (x86-64, Linux, Go 1.26, local disk where an
// fsync takes well under a millisecond). The disk decides about posts; the ratios should
// hold. Medians, and the 99th percentile in brackets:
//
//	`board post` as a whole process, durable when it returns (`true` takes 0.5 ms here)     13 ms (19)
//	`board gate`, `board query` as whole processes                                          9 ms (14), 10 ms (13)
//	post in process, board of 1,000 entries; of 100,000                                     0.9 ms (2.5); 0.9 ms (2.5)
//	at 100,000 entries and 10,000 signals, 40 of them open:
//	  gate                                                                                  0.7 ms (1.2)
//	  state summary                                                                         0.5 ms (0.7)
//	  query, 50 hits: type + worker                                                         1.1 ms (2.6)
//	    three words                                                                         2.9 ms (5.3)
//	    a word of every entry + type + worker                                               6.8 ms (9.6)
//	    type + tag + must-surface                                                           4.5 ms (7.0)
//	  query --contains what is in no entry, which reads them all; in most                   0.2 s; 1 ms
//	an event is with a watcher after its commit                                             9 ms (10)
//	`board survival` as a whole process: 354 items, a Word report of 170,000 characters     0.12 s
//
// Two queries read everything and show it at 100,000 entries: OrderBest for a word that
// is in every entry (0.15 s), and a rare Contains (0.2 s). An index of parts was measured
// against it, on a busy machine: at 400 entries it saved 0.1 to 0.5 ms, at 3,000 up to 12
// ms, where a process takes 10; frequent parts were slower with it, and a post took three
// to four times as long apart from the disk. FTS5's trigrams took 0.1 KB for an entry and
// 10 to 40 times as long for a frequent part.
//
// 16 processes posting 200 entries each to one new board: 3,200 entries, all distinct, no
// error, in 3 s; as 3,200 separate `board post` processes, 21 s. 200 rounds of writers
// killed with SIGKILL: every acknowledged post there, every file sound.
//
//	go test -run '^$' -bench . ./board ./cmd/board
//	BOARD_KILL_ROUNDS=200 go test ./board -run 'ManyProcesses|KilledWriters' -v
package board
