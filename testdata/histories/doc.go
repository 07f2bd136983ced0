// Package histories runs many callers against the four stores through what users use, records
// every call with its answer and times, and judges the record: nothing that was acknowledged may
// be lost, doubled, changed or invented.
//
// [Run] starts `board mcp` servers over stdio with overlapping calls, commands that are a process
// each, a daemon that serves MCP over HTTP, and TUIs that watch. They post, link, supersede,
// claim, answer, waive and reopen; set variables with and without compare-and-set; remember, edit
// and retire capsules, by hand too; put, update and forget memories; write chunks and states.
// Around them processes are killed, stopped for seconds and opened anew; runs are removed and made
// again; files are exported, checked and folded; the disk is full for a while, and the schema
// newer.
//
// [Judge] holds the record against the files that are left:
//
//   - every acknowledged write is there exactly once, as it was sent, and nothing is there that nobody sent;
//   - ids are unique, dense, and in the order of events; a call that began after another was answered has the
//     later id;
//   - variables, claims and states are linearizable (github.com/anishathalye/porcupine), and so are the
//     revisions of capsules and memories under compare-and-set;
//   - the event log replays to the tables, every file passes SQLite's integrity check, and every sidecar parses;
//   - no answer is an error of SQLite, and every call is answered.
//
// With [Config.Database] the boards are in a database, which is killed, cut off and replaced
// meanwhile, and in the end copied to files.
//
// A history that fails is kept with its files. [Shrink] looks for a smaller one, and the report
// has the command that judges the kept one again and the one that repeats the run.
//
//	go run ./testdata/histories/check -time 2m              # a longer run; -help lists the settings
//	BOARD_HISTORIES=10m go test ./cmd/board -run Histories   # the same as a test, of the program under test
//
// # That it catches something
//
// Measured on two cores, against a build in which opening a file opens and closes the live
// database to see whether it can be written to: the defect that this package was made for. Two
// servers with four overlapping calls each, on the board alone, no faults, 15 s: 2,801
// acknowledged writes, 2 lost, 2 ids given twice, 35 answers "disk I/O error". The same with two
// commands beside them, on all four stores, 60 s: 4,503 acknowledged, 18 lost, 9 ids given twice,
// 2,394 errors, 11 unsound files. It fails in each run, the first time within eight seconds.
// Repeat it with the -program flag of check and a build of the commit before "Nothing but SQLite
// opens a database file".
package histories
