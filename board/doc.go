// Package board is a run's blackboard: typed entries with provenance, open questions (signals), run variables, and an append-only log of
// everything that happened. One SQLite file per run, opened by any number of processes; no daemon is needed for any of it.
//
// # From the outside
//
//	b, err := board.OpenOrCreate(ctx, dir, "audit-7")   // the first write makes the run
//	p, err := b.Post(ctx, "reader-1", board.Post{Content: "tokens never expire", SourceDoc: "auth.go", MustSurface: true})
//	s, err := b.Signal(ctx, "reader-1", board.Raise{Content: "who rotates the keys?", Priority: "high"})
//	w, err := b.Expect(ctx, "lead", []string{"reader-1"}, false) // the gate waits until it is done: b.Done(ctx, "reader-1")
//	v, err := b.Gate(ctx, board.Policy{})               // v.Open is false while a critical or high signal is open
//	r, err := documents.Open("report.md")
//	x, err := b.Survival(ctx, r)                        // does the report carry what must surface?
//	y, err := b.Trace(ctx, nil, r)                      // does it state what nobody found?
//
// Package check does all of these at once, under a policy file. What is asked within [Board.Moment] belongs to one event.
//
// Reading: [Board.State], [Board.Query], [Board.Signals], [Board.Entry], [Board.Snapshot]. Live: [Board.Watch], [Board.WaitGate], [WaitRun].
// The past: [Board.Events], [Board.Replay]. In and out: [Board.Export], [Import], [Snapshot.Digest], [Snapshot.HTML].
// A damaged file: [ReadDamaged], [Rebuild], [SalvageTo].
// Errors match a kind of package fault, and name the next step as an operation.
//
// # Tables
//
//	run        one row: name, goal, creation
//	entries    findings; the content never changes, the status does
//	entry_tags tag → entry
//	links      entry → entry (supports, contradicts, supersedes) or entry → signal (addresses)
//	signals    open questions and what became of them
//	variables  key → JSON value with a version
//	expected   workers that the gate waits for, and what became of each
//	dropped_duties  superseded entries that had to surface, and whose successors need not
//	settlements  pairs of entries that seem to contradict each other and do not, with the reason
//	sources    the files that the run reads, by name, with their SHA-256; their text, if kept, is in the log alone
//	verifications  entry → the last verdict on whether it stands in its source
//	events     the log: one row per changed thing, in the same transaction as the change
//	counts, entries_fts   derived, kept by triggers: running counts, full text
//
// # Invariants
//
//   - A run exists if and only if its log has a first event. Nothing that only looks makes one.
//   - Nothing but SQLite opens a run's file: closing any other descriptor of it drops the process's locks, and acknowledged work with them.
//     A program that uses this package must not open the file itself while a board is open; to copy it, [Board.Export] it.
//   - Every change is one IMMEDIATE transaction: all ids checked, rows and events written, or nothing. A call that returned is on disk
//     (synchronous=FULL).
//   - The log alone rebuilds the tables, at any event ([Board.Replay]); [Board.Check] verifies that it does. What one change does to another
//     thing is an event of its own (a post that contradicts e3 is "post e9", "dispute e3"), so the rules of today never change the past.
//   - Nothing is deleted, so ids are never reused: e1, e2, … and s1, s2, … in the order of their events.
//   - A contradicts link disputes an active target; the dispute ends when no standing entry contradicts it any more. A supersedes link retires
//     its target; supersedes has no cycles. An addresses link closes an open signal, which opens again when the answer is superseded by
//     what does not address it. What supersedes a must-surface entry must surface too, unless that is dropped with a reason. An import
//     of another program's board does neither: its data say what its statuses are.
//   - A run on which nothing was posted or raised has a closed gate, and one without entries does not survive.
//   - Two entries are a conflict ([Board.Conflicts]) until a link or a settlement ([Board.Settle]) says otherwise, or the signal that asks
//     about them is addressed or waived. Nothing of it is stored but that: what conflicts is compared anew each time.
//   - A signal is claimed under a lease; a lease that ran out holds nobody back. A claim is its worker's, and that of one session if the
//     caller has one. Waiving needs a reason.
//   - What of the knowledge base was given to whom is in the log alone, as events of the verb retrieval ([Board.Retrieved], [Board.Retrievals], [UsageOf]).
//     No table has it, and no gate asks for it.
//   - The gate, survival and trace are pure functions of what is on the board ([Policy], [survival.Check], [trace.Check]).
//   - A verdict on an entry belongs to one file: it is stale once the source that is registered has another SHA-256.
package board
