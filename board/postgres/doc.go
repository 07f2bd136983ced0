// Package postgres keeps the boards of any number of runs in one PostgreSQL database, version 14 or newer, for processes on many machines. It is
// the only importer of github.com/jackc/pgx.
//
// # Tables
//
// A schema, board unless the URL says otherwise, has for each table of package board's files a table all_NAME, with the number of the run first
// in each key, and a view NAME of the rows of one run: that of the setting board.run, which each transaction sets for itself. So the statements
// of package board are the same on both engines, name no run, and cannot see another's rows; and many runs are no more tables than one.
// Triggers keep the counts. Text has the collation C: it sorts by its bytes, as in SQLite.
//
// # Transactions
//
//   - A transaction begins, is set up and takes its turn in one round trip, and commits and notifies in another. Nothing lasts longer than a
//     transaction, neither settings nor prepared statements: a pooler may give the connection to somebody else after each.
//   - Writers of one run queue for the lock of its row in runs; those of different runs share nothing.
//   - A commit waits for the disk (synchronous_commit is at least on), and for the standbys that the server is told to wait for.
//   - Each writing transaction has a random token, which its events keep. If the connection dies while it commits, the next one takes the run's
//     turn, which the lost one has left by then, and looks for the token: so it is known whether it was committed, and it is run again only if
//     it was not.
//   - Times are those of the server's clock, so leases run out at one time for all machines.
//
// # Live
//
// A writer notifies a channel with the number of its run. A process that watches listens on one connection of its own. It is notified from another one
// first: while nothing is heard, as behind a pooler, and every two seconds otherwise, watchers ask for the number of the last event.
//
// # Rights
//
// Roles prints the SQL of three roles. A reader may read; each write begins with the lock of a row of runs, which he may not take. A worker writes
// to the views, and to the counts, as triggers run with his rights. What is deleted for good, and what migrates, is the owner's.
//
// # Full text
//
// The words of a run are in an index in memory, SQLite's, which a search brings up to date by the entries that are new: hits and their order
// are those of a file. The first search of a process reads all entries of the run.
package postgres
