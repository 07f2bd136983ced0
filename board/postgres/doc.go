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
//   - A transaction begins, is set up and takes its turn in one round trip, and commits and notifies in another: five for a post, in all. Who reads
//     does not wait for the end, and may ask ahead (store.Tx.Ahead): what is known to be asked is sent at once, or with the beginning. Nothing
//     lasts longer than a transaction, neither settings nor prepared statements: a pooler may give the connection to somebody else after each.
//   - Writers of one run queue for the lock of its row in runs; those of different runs share nothing.
//   - A commit waits for the disk (synchronous_commit is at least on), and for the standbys that the server is told to wait for.
//   - Each writing transaction has a random token, which its events keep. If the connection dies while it commits, the next one takes the run's
//     turn, which the lost one has left by then, and looks for the token: so it is known whether it was committed, and it is run again only if
//     it was not.
//   - Times are those of the server's clock, so leases run out at one time for all machines.
//
// # Live
//
// A writer notifies a channel with the number of its run. A process that watches listens
// on one connection of its own. It is notified from another one first: while nothing is
// heard, as behind a pooler, and every two seconds otherwise, watchers ask for the number
// of the last event.
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
// A schema has one, in tables with the names and columns of package kb's file, but for
// the events, which are kb_events, and the sidecars, which there are none of. Its writers
// queue for the one row of the table kb. Not all of its writes leave events, so each
// leaves its token in kb_writes, for an hour. A write whose connection is lost before it
// commits is not run again: the caller is told. The index is that of package kb/index,
// with its own bytes in its own tables. A search whose words are in memory presumes that
// nothing has changed, and asks at once for the generation and for the hits that follow:
// one round trip. If the generation has moved, it searches again and asks for what is new
// and for the hits: three. A cold one asks three times for words (the segments and the
// tail, the blocks with the ids, the hits) and four times with vectors (the codes come
// with the blocks; then the vectors of all candidates, of both lanes); words that nobody
// has used add two, for all of them (TestSearchRoundTrips). Before it, a process has
// connected and asked once, for the versions of the schema and of the index.
//
// # Full text
//
// The words of a run are in an index in memory, SQLite's, which a search brings up to
// date by the entries that are new: hits and their order are those of a file. The first
// search of a process reads all entries of the run.
//
// # Faults
//
// A link that drops what is sent and tells nobody: the connection ends after 15 s, as the
// system acknowledges nothing (TCP_USER_TIMEOUT, keepalive); what begins a transaction or
// is a question by itself has that limit too, for where a pooler is there and the server
// is not. Reading then fails, a write is tried anew for as long as it would wait for its
// turn, 30 s, and looks for its token if it was committing. No one hangs (TestSilence).
//
// TestHistoriesDatabase of cmd/board judges what servers, commands and a TUI were told
// while things break; once each, in full, on two cores:
//
//	the server killed with all its processes, 100 times    801 writes acknowledged    0 lost, 0 twice, linearizable
//	connections cut, 100 times                             613                        0, 0
//	three networks: 50 cables cut, 50 kills                682                        0, 0
//	PgBouncer in transaction mode, 100 kills               668                        0, 0
//	a synchronous standby promoted, 5 times                 96                        0, 0
//
// Who looks for the token of a write takes the run's turn, and commits that: so what it
// finds is with the standby too before it is acknowledged.
//
// # What it costs
//
// Measured with PostgreSQL 15 on two cores that others used as well, so most of it in
// proportions to pgbench, which does the least that a post can be (lock the run, insert
// the rows, whose triggers count, notify, commit), in turn with the boards
// (BenchmarkPost):
//
//   - A post of one client takes 0.9 to 2.0 times as long. With 64 clients on 16 runs there are 2.7 to 3.9 times as many a second, as one that
//     notifies within its transaction keeps all others of the database from committing; 1.3 to 1.8 times those of a pgbench that notifies after it.
//     That was 700 to 1,000 posts a second.
//   - An event is with a watcher of another process, 1 ms away, 14 ms after its commit (median; the 99th of 100: 27 ms) (BenchmarkWatch).
//   - The gate of a run of 100,000 entries takes 2.7 ms, the state 1 ms, twenty entries by type and worker 7 ms (BenchmarkRead100K).
//   - A search of 100,000 capsules by who has the words in memory takes 1.2 times as long as in a file on the machine of the server, and over a link
//     the way there and back more, once: 1.7 ms in a file, 2.1, and 4.1 over a link of 1 ms by
//     words, 2.5, 3.0 and 4.9 with vectors. A process that has just begun, with the connection,
//     reads 0.5 MB by words and 5.8 with vectors: 24 to 28 ms and 50 to 62 (medians; the best of
//     30 in 19 and 40). Connecting takes 4 of these, and connecting and reading the codes alone,
//     4.8 MB, 20 to 27. With thirty times too much to do, it was 70 to 81, 164 to 212, and 68 to
//     112 for the codes alone (BenchmarkEngines of package kb). A model that is not loaded comes
//     on top, as with a file: the whole command takes 38 ms and, with potion-base-2M, 110, and
//     from a file 27 and 81; 187 and 123 with vectors where it mostly waited for a core.
//   - An entry has a row in entries and one in events, and one for each tag and link: 850 bytes with all indexes, for a finding of a line (a
//     million in 100 runs; a third of them verified). A post writes 1.5 kB of WAL. A run of a few entries has 3.6 kB of counts.
//   - Copying a run of 10,000 entries takes 0.4 s of the client's and 0.6 s of the server's processor, and a few hundred round trips; one statement
//     a row took twice that, and 21,000.
//   - 5,000 runs are 57 relations in the catalogue, as one is. board runs asks each of them, some 20 questions, eight runs at a time: 11 s on a
//     machine with twenty times too much to do. Who knows the name of a run pays for none of the others.
//
// # Further than that
//
// A run of 10 million entries takes 8.5 GB, and 15 GB of WAL on its way. Writers of one
// run queue: a turn is five round trips and one flush of the disk, so 1 ms beside the
// server and some 7 ms from a host that is 1 ms away; 10 million posts take 3 hours or
// 20, one after the other; batches are one turn. Posting, gate, state, pages of entries
// and watching stay as fast: all have an index, and counts are kept (TestPlans reads the
// server's plans). What breaks first is what reads a run as a whole: the first search for
// words in a process, board check, export, copy and replay hold the log, about 1 kB an
// entry, in memory. A run of that size is read by type, worker, tag and page.
//
// A team of 10,000 agents that post once a minute writes 170 posts a second: 250 kB of
// WAL and 140 kB of tables a second, 12 GB a day on disk. Two cores do that; dropping
// runs that are through is what keeps it small. Connections break first: a process has
// one while it asks, and one more while it watches, and PostgreSQL has a process for
// each. PgBouncer in transaction mode takes the first kind; some dozen connections to the
// server do. It swallows notifications, and then each watcher asks 20 times a second. So
// watchers go past the pooler, or share the stream of a daemon for each host (GET
// /v1/events). Each post wakes all who listen to a schema, 170 times a second: so teams
// have schemas of their own.
//
// Partitions: each key begins with the run, so PARTITION BY HASH (run) changes no
// statement. It is worth it from some hundred GB on, for vacuum and backup. Old runs are
// copied to files and dropped before that.
//
// Read replicas: reading writes nothing, so a hot standby answers all that a reader may
// ask. It does not LISTEN (watchers ask), and it is behind: a gate that CI trusts is
// asked of the primary, or the server has synchronous_commit = remote_apply, which is
// left as it is.
//
// # Other engines with this protocol
//
// What is used of PostgreSQL: READ COMMITTED with a row lock (FOR NO KEY UPDATE),
// REPEATABLE READ to read, settings of a transaction (set_config), views that take
// inserts, triggers and functions in PL/pgSQL, the collation C, json_array_elements, one
// advisory lock (init), LISTEN and NOTIFY where they are. Not used: SERIALIZABLE,
// extensions, full-text search, prepared statements with names, temporary tables,
// sequences for ids. 40001 is tried again.
//
//   - YugabyteDB is PostgreSQL's own query layer over its storage, with triggers, and has FOR NO KEY UPDATE and, since 2025.2.3, LISTEN and NOTIFY
//     (docs.yugabyte.com: explicit-locking, cmd_listen_notify). Nothing here speaks against it; it was not tried.
//   - CockroachDB has no LISTEN and NOTIFY, which it lists among what is missing as events, and had no triggers up to 24.2 (cockroachlabs.com/docs:
//     postgresql-compatibility of 24.2 and 25.1). Watchers would ask; migration 0001 needs its views and functions first, so it is not supported.
//   - With either, the row of the run lives on one node: writers of one run are no faster, and each round trip may wait for a majority.
package postgres
