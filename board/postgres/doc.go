// Package postgres keeps the boards of any number of runs, and a knowledge base, in one
// PostgreSQL database, version 14 or newer, for processes on many machines. It is the
// only importer of github.com/jackc/pgx, of which it uses the connections, through a
// driver for database/sql of its own (wire.go): pgx's has the types of all of PostgreSQL,
// which are 3 MB of the program.
//
// # Tables
//
// A schema, board unless the URL says otherwise, has for each table of package board's
// files a table all_NAME, with the number of the run first in each key, and a view NAME
// of the rows of one run: that of the setting board.run, which each transaction sets for
// itself. So the statements of package board are the same on both engines, name no run,
// and cannot see another's rows; and many runs are no more tables than one. Triggers keep
// the counts. Text has the collation C: it sorts by its bytes, as in SQLite.
//
// # Transactions
//
//   - A transaction begins, is set up and takes its lock in one round trip, and commits and notifies in another: five for a post, in all. Who reads
//     does not wait for the end, and may ask ahead (store.Tx.Ahead): what is known to be asked is sent at once, or with the beginning. Nothing
//     lasts longer than a transaction, neither settings nor prepared statements: a pooler may give the connection to somebody else after each.
//   - Writers of one run queue for the lock of its row in runs; those of different runs share nothing.
//   - A commit waits for the disk (synchronous_commit is at least on), and for the standbys that the server is told to wait for.
//   - Each writing transaction has a random token, which its events keep. If the connection dies while it commits, the next one takes the run's
//     write lock, which the lost one has left by then, and looks for the token: so it is known whether it was committed, and it is run again only if
//     it was not.
//   - Times are those of the server's clock, so leases run out at one time for all machines.
//
// # Rights
//
// Roles prints the SQL of three roles. A reader may read; each write begins with the lock
// of a row of runs, which he may not take. A worker writes to the views, and to the
// counts, as triggers run with his rights. What is deleted for good, and what migrates,
// is the owner's.
//
// # The knowledge base
//
// A schema has one, in tables with the names and columns of package kb's file, but for the
// events, which are kb_events, and the sidecars, which there are none of. Its writers queue
// for the one row of the table kb, and each leaves its token in kb_writes for an hour. A
// write whose connection is lost before it commits is not run again: the caller is told.
// A search whose words are in memory asks for the state of the index and then for its hits:
// two round trips (TestSearchRoundTrips).
//
// # Faults
//
// A link that drops what is sent and tells nobody ends after 15 s. Reading then fails, a
// write is tried again for as long as it would wait for its lock, 30 s, and looks for its
// token if it was committing: under the run's lock, so that what it finds is with the standby
// too. TestHistoriesDatabase of cmd/board breaks all of these (testdata/pgtest/README.md).
package postgres
