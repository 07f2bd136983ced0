// Package board is a run's blackboard: typed entries with provenance, open questions (signals),
// run variables, and an append-only log of everything that happened. Each run is one SQLite file
// that any number of processes can open. No daemon is needed.
//
// # From the outside
//
//	b, err := board.OpenOrCreate(ctx, dir, "audit-7") // the first write creates the run
//	p, err := b.Post(ctx, "reader-1", board.Post{Content: "tokens never expire",
//		SourceDoc: "auth.go", MustSurface: true})
//	s, err := b.Signal(ctx, "reader-1", board.Raise{Content: "who rotates the keys?",
//		Priority: "high"})
//	w, err := b.Expect(ctx, "lead", []string{"reader-1"}, false) // the gate waits for its Done
//	v, err := b.Gate(ctx, board.Policy{}) // closed while a critical or high signal is open
//	r, err := documents.Open("report.md")
//	x, err := b.Survival(ctx, r)   // does the report carry what must surface?
//	y, err := b.Trace(ctx, nil, r) // does it state what no one found?
//
// Package check does all of these at once, under a policy file. Questions asked within
// [Board.Moment] are answered for the same event.
//
//   - Read: [Board.State], [Board.Query], [Board.Signals], [Board.Entry], [Board.Snapshot].
//   - Wait: [Board.Watch], [Board.WaitGate], [WaitRun].
//   - The past: [Board.Events], [Board.Replay]; [Board.At] and [Board.Timeline] for moving
//     around in time.
//   - In and out: [Board.Export], [Import], package report.
//   - A damaged file: [ReadDamaged], [Rebuild], [SalvageTo].
//
// Errors match a kind of package fault, and name the next step as an operation.
//
// # Tables
//
//	run             one row: name, goal, creation
//	entries         findings; the content never changes, the status does
//	entry_tags      tag → entry
//	links           entry → entry (supports, contradicts, supersedes),
//	                entry → signal (addresses)
//	signals         questions, and what became of them
//	variables       key → JSON value with a version
//	expected        workers that the gate waits for, with their status
//	dropped_duties  superseded entries that had to surface and whose successors need not
//	settlements     pairs of entries that only seem to contradict each other, with the reason
//	sources         files that the run reads: name, SHA-256 and size; a kept text is in the log
//	verifications   entry → the last verdict on whether it stands in its source
//	events          the log: one row for each change, in the transaction of the change
//	counts, entries_fts   derived by triggers: running counts, full text
//
// # Invariants
//
//   - A run exists if and only if its log has a first event. Reading never creates one.
//   - Only SQLite opens a run's file. Closing another descriptor of the file would drop the
//     process's locks, and with them acknowledged writes. A program that uses this package must
//     not open the file while a board is open; to copy it, use [Board.Export].
//   - Every change is one IMMEDIATE transaction: all ids are checked, rows and events are
//     written, or nothing is. When a call returns, the change is on disk (synchronous=FULL).
//   - The log alone rebuilds the tables at any event ([Board.Replay]), and [Board.Check] verifies
//     that. If a change affects another thing, that is an event of its own (a post that
//     contradicts e3 is "post e9", "dispute e3"). So a change of the rules never changes the past.
//   - Nothing is deleted, so ids are never reused: e1, e2, … and s1, s2, … in the order of events.
//   - A contradicts link disputes an active target. The dispute ends when no entry contradicts
//     the target any more, superseded ones aside.
//   - A supersedes link retires its target, and has no cycles. The successor of a must-surface
//     entry must surface too, unless that duty is dropped with a reason.
//   - An addresses link closes an open signal. The signal opens again if the answer is superseded
//     by an entry that does not address it.
//   - An import of another program's board applies none of these effects: the file has the
//     statuses.
//   - The gate of a run is closed while nothing was posted or raised. A run without entries does
//     not pass survival.
//   - Two entries are a conflict ([Board.Conflicts]) until a link or a settlement ([Board.Settle])
//     says otherwise, or the signal about them is closed. Conflicts are not stored: entries are
//     compared each time.
//   - A claim on a signal has a lease. After the lease, anyone may claim the signal. A claim
//     belongs to its worker, and to one session if the caller has one. Waiving needs a reason.
//   - What a worker was given of the knowledge base is in the log only ([Board.Retrieved],
//     [Board.Retrievals], [UsageOf]). The gate does not depend on it.
//   - Gate, survival and trace are pure functions of the board ([Policy], [survival.Check],
//     [trace.Check]).
//   - A verdict on an entry belongs to one version of a file. It is stale once the registered
//     source has another SHA-256.
//
// Package sqlite keeps runs in files, package postgres on a server; package foreign reads boards
// of other programs.
package board
