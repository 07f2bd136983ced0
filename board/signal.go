package board

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
	"blackboard/board/text"
)

const DefaultLease = 15 * time.Minute // unless the claim says otherwise

type Raised struct {
	Signal   Signal `json:"signal"`
	Existing bool   `json:"existing"` // the key was used before; this is the signal of that time
}

func (b *Board) Signal(ctx context.Context, worker string, r Raise) (Raised, error) {
	maskText(ctx, "the question", &r.Content)
	if err := r.Prepare(); err != nil {
		return Raised{}, err
	}
	if _, err := b.reader(); err != nil && r.Origin != "" {
		return Raised{}, notFound(fmt.Sprintf("there is no entry %s: run %s has no entries yet",
			r.Origin, b.run), "post the entry first, or leave the origin out")
	}
	var out Raised
	err := b.write(ctx, worker, func(w *writer) error {
		if r.Key != "" {
			old, err := signalByKey(w.tx, r.Key)
			if err != nil {
				return err
			}
			if old != nil {
				differs := ""
				switch {
				case old.Content != r.Content:
					differs = "another content"
				case old.Priority != r.Priority:
					differs = "the priority " + old.Priority
				case old.To != r.To:
					differs = "another addressee"
				case r.Origin != "" && old.Origin != r.Origin:
					differs = "another origin"
				}
				if differs != "" {
					return conflict(fmt.Sprintf("the key %q was used for %s, with %s",
						clip(r.Key, 60), old.ID, differs), "use a new key")
				}
				out = Raised{*old, true}
				return nil
			}
		}
		if r.Origin != "" {
			if err := w.checkTarget(Supports, r.Origin, 0); err != nil {
				return fault.Prefix("origin: ", err)
			}
		}
		id, err := nextID(w.tx, "signals")
		if err != nil {
			return err
		}
		if err := w.event(record.VerbSignal, SignalID(id), record.SignalPayload{Raise: r}); err != nil {
			return err
		}
		s, err := getSignal(w.tx, id)
		if err == nil {
			out.Signal = *s
		}
		return err
	})
	return out, err
}

// change runs fn on one signal and returns the signal afterwards.
func (b *Board) change(ctx context.Context, worker, id string,
	fn func(w *writer, s *Signal, n int64) error) (Signal, error) {
	n, err := ParseSignalID(id)
	if err != nil {
		return Signal{}, err
	}
	var out Signal
	err = b.write(ctx, worker, func(w *writer) error {
		s, err := getSignal(w.tx, n)
		if err != nil {
			return err
		}
		if err := fn(w, s, n); err != nil {
			return err
		}
		if s, err = getSignal(w.tx, n); err == nil {
			out = *s
		}
		return err
	})
	return out, err
}

func notOpen(s *Signal) error {
	reopen := fault.Do("signal.reopen", "{} opens it again", "signal", s.ID)
	switch s.Status {
	case Addressed:
		return conflict(fmt.Sprintf("%s is answered already, by %s", s.ID, s.AddressedBy), "",
			fault.Do("signal.show", "{} tells how", "signal", s.ID), reopen)
	default:
		return conflict(fmt.Sprintf("%s was waived by %s: %s", s.ID, s.ClosedBy,
			Line(s.Reason, 120)), "", reopen)
	}
}

type Claimed struct {
	Signal
	Since *time.Time // when the claim that this one extends was made; nil if nobody held the signal
}

// Claim gives an open signal to a worker until the lease ends. The holder may claim it
// again to extend the lease.
//
// Errors: fault.Conflict if the signal is closed, or if another worker, or another
// session of this worker (SetSession), holds it.
func (b *Board) Claim(ctx context.Context, worker, id string, lease time.Duration) (Claimed,
	error) {
	if err := checkLease(lease); err != nil {
		return Claimed{}, err
	}
	var since *time.Time
	s, err := b.change(ctx, worker, id, func(w *writer, s *Signal, n int64) error {
		since = nil
		if s.Status != SignalOpen {
			return notOpen(s)
		}
		if !s.ClaimedAt(w.tx.Now) {
			return w.claim(n, b.session, lease)
		}
		if s.ClaimedBy != worker {
			return conflict(fmt.Sprintf("%s is claimed by %s until %s", s.ID, s.ClaimedBy,
				s.LeaseUntil.Format(time.RFC3339)),
				"", fault.Do("signal.claim",
					"{} without an id takes the most urgent question that is free"))
		}
		session, at, err := w.holder(s.ID)
		if err != nil {
			return err
		}
		if !sameSession(session, b.session) {
			return otherSession(s)
		}
		since = at
		return w.claim(n, cmp.Or(session, b.session), lease)
	})
	return Claimed{s, since}, err
}

// holder is the session ("" if none) and the time (nil if not logged) of a signal's last claim.
func (w *writer) holder(id string) (session string, at *time.Time, err error) {
	var payload string
	err = w.tx.QueryRow(`SELECT payload, at FROM events WHERE id = ? AND verb = ? ORDER BY seq DESC LIMIT 1`, id, record.VerbClaim).Scan(&payload, store.MaybeTime(&at))
	if store.IsNoRows(err) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	var p record.ClaimPayload
	if err := json.Unmarshal([]byte(payload), &p); err != nil {
		return "", nil, store.Fault(fault.Corrupt, "",
			"has a claim of "+id+" whose payload cannot be read", err)
	}
	return p.Session, at, nil
}

// sameSession: two sessions may be the same. A caller without one, as a command, may be any.
func sameSession(a, b string) bool { return a == "" || b == "" || a == b }

func otherSession(s *Signal) error {
	return conflict(fmt.Sprintf("%s is claimed by %s until %s, in another session that uses "+
		"this name", s.ID, s.ClaimedBy, s.LeaseUntil.Format(time.RFC3339)),
		"use a worker's name of your own, or wait for the lease to run out")
}

// ClaimNext gives a worker the most urgent open signal that no one holds and that is for
// anybody, for the worker or for one of the tags; of equals one that is for the worker or a
// tag first, then the oldest. It skips signals below minPriority; "" takes any. It returns
// fault.Conflict if there is none.
func (b *Board) ClaimNext(ctx context.Context, worker, minPriority string, tags []string,
	lease time.Duration) (Signal, error) {
	if err := checkLease(lease); err != nil {
		return Signal{}, err
	}
	rank := len(Priorities)
	if minPriority != "" {
		var err error
		if rank, err = PriorityRank(minPriority); err != nil {
			return Signal{}, err
		}
	}
	var out Signal
	err := b.write(ctx, worker, func(w *writer) error {
		var id int64
		from, to := record.LeaseBounds(w.tx.Now)
		mine, args := forThem(append(slices.Clone(tags), w.actor, ""), rank, from, to)
		err := w.tx.QueryRow(freeSignals("id", mine)+` ORDER BY priority, addressee = '', id LIMIT 1`, args...).Scan(&id)
		if store.IsNoRows(err) {
			return w.noneFree(rank, "NOT "+mine, args)
		}
		if err != nil {
			return err
		}
		if err := w.claim(id, b.session, lease); err != nil {
			return err
		}
		s, err := getSignal(w.tx, id)
		if err == nil {
			out = *s
		}
		return err
	})
	return out, err
}

// freeSignals selects a column of open signals that nobody holds, for some addressee.
func freeSignals(column, addressee string) string {
	return `SELECT ` + column + ` FROM signals WHERE status = 'open' AND priority <= ?
		AND (claimed_by = '' OR lease_until NOT BETWEEN ? AND ?) AND ` + addressee
}

// forThem is the condition that a signal's addressee is one of names, and args with them.
func forThem(names []string, args ...any) (string, []any) {
	for _, n := range names {
		args = append(args, n)
	}
	return `addressee IN (?` + strings.Repeat(", ?", len(names)-1) + `)`, args
}

// noneFree is the error where no signal is free to claim. A worker that was started again
// may have forgotten what it holds itself, so that is named.
func (w *writer) noneFree(rank int, theirs string, args []any) error {
	from, to := record.LeaseBounds(w.tx.Now)
	held, err := store.Column[int64](w.tx, `SELECT id FROM signals WHERE status = 'open'
		AND priority <= ? AND claimed_by = ? AND lease_until BETWEEN ? AND ? ORDER BY priority, id`,
		rank, w.actor, from, to)
	if err != nil {
		return err
	}
	if len(held) > 0 {
		id := SignalID(held[0])
		return conflict(fmt.Sprintf("no open question is free to claim; %s is claimed by %s already",
			id, w.actor), "", fault.Do("signal.extend", "to go on with it: {}", "signal", id))
	}
	others, err := store.Column[string](w.tx, freeSignals("addressee", theirs)+` ORDER BY addressee`, args...)
	if err != nil {
		return err
	}
	none := "no open question is free to claim"
	if len(others) > 0 {
		none += fmt.Sprintf("; %d are for others: %s", len(others), text.Few(slices.Compact(others), 5))
	}
	return conflict(none, "",
		fault.Do("signal.list", "{} shows who holds what", "status", SignalOpen))
}

func checkLease(d time.Duration) error {
	if d < record.MinLease || d > record.MaxLease {
		return invalid(fmt.Sprintf("a lease of %s is not between %s and %s", d, record.MinLease, record.MaxLease),
			"claim again to extend a lease")
	}
	return nil
}

func (w *writer) claim(id int64, session string, lease time.Duration) error {
	until := w.tx.Now.Add(lease).Truncate(time.Millisecond)
	return w.event(record.VerbClaim, SignalID(id), record.ClaimPayload{LeaseUntil: until, Session: session})
}

// Release gives a claimed signal back. Only the holder may do so, in the session of the
// claim, unless force is set or the lease has ended.
func (b *Board) Release(ctx context.Context, worker, id string, force bool) (Signal, error) {
	return b.change(ctx, worker, id, func(w *writer, s *Signal, n int64) error {
		if s.ClaimedBy == "" {
			return conflict(s.ID+" is not claimed", "nothing to do",
				fault.Do("signal.show", "{} shows how it is", "signal", s.ID))
		}
		if s.ClaimedAt(w.tx.Now) && !force {
			if s.ClaimedBy != worker {
				return conflict(fmt.Sprintf("%s is claimed by %s, not by %s", s.ID, s.ClaimedBy,
					worker), "wait for the lease to run out",
					fault.Give("force", "", "or remove it with {}"))
			}
			if session, _, err := w.holder(s.ID); err != nil {
				return err
			} else if !sameSession(session, b.session) {
				return otherSession(s)
			}
		}
		return w.event(record.VerbRelease, s.ID, record.ByPayload{})
	})
}

// Address answers an open signal with an existing entry: it adds the link from the entry.
func (b *Board) Address(ctx context.Context, worker, signal, entry string) (Signal, error) {
	src, err := ParseEntryID(entry)
	if err != nil {
		return Signal{}, err
	}
	return b.change(ctx, worker, signal, func(w *writer, s *Signal, _ int64) error {
		if s.Status != SignalOpen {
			return notOpen(s)
		}
		e, err := getEntry(w.tx, src)
		if err != nil {
			return err
		}
		return w.addLink(src, Addresses, s.ID, e, "")
	})
}

// PostAddressing answers an open signal with a new entry, by default an analysis. An answer to a critical
// or high signal must surface, as one of which p says so, unless mustSurface is not nil and false.
func (b *Board) PostAddressing(ctx context.Context, worker, signal string, p Post, mustSurface *bool) (Posted,
	Signal, error) {
	n, err := ParseSignalID(signal)
	if err != nil {
		return Posted{}, Signal{}, err
	}
	p.Type = cmp.Or(p.Type, Analysis)
	p.Addresses = append([]string{signal}, p.Addresses...)
	posts, out := []Post{p}, make([]Posted, 1)
	maskPosts(ctx, posts)
	if err := prepareBatch(worker, posts); err != nil {
		return Posted{}, Signal{}, err
	}
	// answering a question must not create a run
	if _, err := b.reader(); err != nil {
		return Posted{}, Signal{}, err
	}
	var sig Signal
	err = b.write(ctx, worker, func(w *writer) error {
		s, err := getSignal(w.tx, n)
		if err != nil {
			return err
		}
		if s.Status != SignalOpen {
			// A retry under the same key finds its own answer; others get the error.
			if old, err := entryByKey(w.tx, p.Key); p.Key == "" || err != nil || old == nil ||
				old.ID != s.AddressedBy {
				return notOpen(s)
			}
		}
		posts[0].MustSurface = posts[0].MustSurface || s.Gates()
		if mustSurface != nil {
			posts[0].MustSurface = *mustSurface
		}
		if err := w.postAll(posts, out, nil); err != nil {
			return err
		}
		if s, err = getSignal(w.tx, n); err != nil {
			return err
		}
		if s.Status == SignalOpen { // the key found an answer of before the signal was reopened
			return conflict(fmt.Sprintf("the key %q is that of %s, which answered %s before it "+
				"was reopened", clip(p.Key, 60), out[0].Entry.ID, s.ID),
				"", fault.Do("signal.address", "if it still is the answer: {}", "signal", s.ID,
					"entry", out[0].Entry.ID), fault.Step{Text: "use a new key for another answer"})
		}
		sig = *s
		return nil
	})
	return out[0], sig, err
}

// Waive closes an open signal unanswered. The reason is required, and on record with the worker.
func (b *Board) Waive(ctx context.Context, worker, id, reason string) (Signal, error) {
	if err := needReason(ctx, &reason, "waiving", forReaders); err != nil {
		return Signal{}, err
	}
	return b.change(ctx, worker, id, func(w *writer, s *Signal, n int64) error {
		if s.Status != SignalOpen {
			return notOpen(s)
		}
		return w.event(record.VerbWaive, s.ID, record.WaivePayload{Reason: reason})
	})
}

// Reopen opens an addressed or waived signal; the answer's link and the log stay. A signal
// also reopens when an entry that does not address it supersedes its answer; see supersede.
func (b *Board) Reopen(ctx context.Context, worker, id, note string) (Signal, error) {
	maskText(ctx, theNote, &note)
	if err := record.CheckText("the note", note, MaxField, false); err != nil {
		return Signal{}, err
	}
	return b.change(ctx, worker, id, func(w *writer, s *Signal, n int64) error {
		if s.Status == SignalOpen {
			return conflict(s.ID+" is open already", "nothing to do",
				fault.Do("signal.show", "{} shows how it is", "signal", s.ID))
		}
		return w.event(record.VerbReopen, s.ID, record.ByPayload{Note: note})
	})
}
