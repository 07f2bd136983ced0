package board

import (
	"context"
	"fmt"
	"slices"
	"time"

	"blackboard/board/fault"
	"blackboard/board/store"
)

// Status of an expected worker.
const (
	WorkerExpected = "expected" // the gate waits for it
	WorkerDone     = "done"     // it has said that it is through
	WorkerDropped  = "dropped"  // somebody decided, with a reason, not to wait for it
)

// Expected is a worker that the run waits for, with its status.
type Expected struct {
	Worker string    `json:"worker"`
	Seq    int64     `json:"seq"`    // the event that named it first
	Status string    `json:"status"` // expected, done or dropped
	At     time.Time `json:"at"`     // since when it is so
	By     string    `json:"by"`     // who said so
	Reason string    `json:"reason"` // why it was dropped; of one that is done, its note
}

// becomes is the status that an event gives a worker, whose name is the event's id; ""
// for other events.
func becomes(verb string) string {
	switch verb {
	case verbExpect:
		return WorkerExpected
	case verbDone:
		return WorkerDone
	case verbDrop:
		return WorkerDropped
	}
	return ""
}

// Expect makes the gate wait for workers, by name. A worker that is already known keeps
// its status, so a script may repeat the call; with again, it is expected anew. Expect
// returns all known workers, oldest first.
func (b *Board) Expect(ctx context.Context, worker string, names []string, again bool) ([]Expected,
	error) {
	return b.setExpected(ctx, worker, names, func(w *writer, name string, is *Expected) error {
		if is != nil && (!again || is.Status == WorkerExpected) {
			return nil
		}
		return w.event(verbExpect, name, reasonPayload{})
	})
}

// Done marks workers as done; without names, the worker itself. A worker that is not
// expected yet is marked as done too, as it may be faster than the lead. It stays done,
// whatever it posts later.
func (b *Board) Done(ctx context.Context, worker string, names ...string) ([]Expected, error) {
	return b.DoneWithNote(ctx, worker, "", names...)
}

// DoneWithNote is Done with a note for the record, such as what was left open. A note on a worker
// that is done replaces the one before.
func (b *Board) DoneWithNote(ctx context.Context, worker, note string, names ...string) ([]Expected, error) {
	if len(names) == 0 {
		names = []string{worker}
	}
	maskText(ctx, theNote, &note)
	if err := checkText("the note", note, MaxField, false); err != nil {
		return nil, err
	}
	return b.setExpected(ctx, worker, names, func(w *writer, name string, is *Expected) error {
		if is != nil && is.Status == WorkerDone && (note == "" || note == is.Reason) {
			return nil
		}
		return w.event(verbDone, name, reasonPayload{note})
	})
}

// Drop makes the gate no longer wait for a worker. The reason stays on record.
func (b *Board) Drop(ctx context.Context, worker, name, reason string) ([]Expected, error) {
	if err := needReason(ctx, &reason, "dropping a worker", forReaders); err != nil {
		return nil, err
	}
	return b.setExpected(ctx, worker, []string{name},
		func(w *writer, name string, is *Expected) error {
			list := fault.Do("worker.list", "{} lists the workers that are expected")
			switch {
			case is == nil:
				return notFound("no one expects "+clip(name, 60), "", list)
			case is.Status == WorkerDone:
				return conflict(clip(name, 60)+" is done: there is nothing to drop", "", list)
			case is.Status == WorkerDropped:
				return nil
			}
			return w.event(verbDrop, name, reasonPayload{reason})
		})
}

// setExpected runs set for each of some workers, with what is known of it, and returns
// all.
func (b *Board) setExpected(ctx context.Context, worker string, names []string,
	set func(w *writer, name string, is *Expected) error) (all []Expected, err error) {
	if len(names) == 0 {
		return nil, invalid("no worker is named", "name those that the run waits for")
	}
	if len(names) > MaxBatch {
		return nil, invalid(fmt.Sprintf("%d workers are named; at most %d are allowed at once",
			len(names), MaxBatch), "name them in several calls")
	}
	for _, name := range names {
		if err := checkWorker(name); err != nil {
			return nil, err
		}
	}
	err = b.write(ctx, worker, func(w *writer) (err error) {
		known, err := expected(w.tx)
		if err != nil {
			return err
		}
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				continue
			}
			var is *Expected
			if at := slices.IndexFunc(known,
				func(e Expected) bool { return e.Worker == name }); at >= 0 {
				is = &known[at]
			}
			if err := set(w, name, is); err != nil {
				return err
			}
		}
		all, err = expected(w.tx)
		return err
	})
	return all, err
}

// expected returns the workers that the run waits or has waited for, as they came to be.
func expected(tx *store.Tx) ([]Expected, error) {
	if there, err := tx.HasTable("expected"); err != nil || !there {
		return []Expected{}, err
	}
	return store.All(tx, func(e *Expected) []any {
		return []any{&e.Worker, &e.Seq, &e.Status, store.Time(&e.At), &e.By, &e.Reason}
	}, `SELECT worker, seq, status, changed, changed_by, reason FROM expected ORDER BY seq`)
}

// awaited names those for whom the gate waits: whom the run expects, and whom the policy
// expects and nobody has spoken of on the board.
func awaited(p Policy, all []Expected) (names []string) {
	known := map[string]bool{}
	for _, e := range all {
		known[e.Worker] = true
		if e.Status == WorkerExpected {
			names = append(names, e.Worker)
		}
	}
	for _, name := range p.Expect {
		if !known[name] {
			known[name], names = true, append(names, name)
		}
	}
	return names
}

// expected decodes an event about a worker that is expected.
func (e *Event) expected() (Expected, error) {
	p, err := decode[reasonPayload](e)
	if err == nil {
		err = checkWorker(e.ID)
	}
	return Expected{e.ID, e.Seq, becomes(e.Verb), e.At, e.Actor, p.Reason}, err
}

func (r *replayer) expectation(e Event) error {
	x, err := e.expected()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(r.Expected, func(x Expected) bool { return x.Worker == e.ID })
	if at < 0 {
		r.Expected = append(r.Expected, x)
		return nil
	}
	x.Seq = r.Expected[at].Seq
	r.Expected[at] = x
	return nil
}
