package board

import (
	"context"
	"fmt"
	"slices"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
)

// Expect makes the gate wait for workers, by name, and returns all, oldest first. A known one
// keeps its status, for scripts that repeat it; with again, it is expected anew.
func (b *Board) Expect(ctx context.Context, worker string, names []string, again bool) ([]Expected,
	error) {
	return b.setExpected(ctx, worker, names, func(w *writer, name string, is *Expected) error {
		if is != nil && (!again || is.Status == WorkerExpected) {
			return nil
		}
		return w.event(record.VerbExpect, name, record.ReasonPayload{})
	})
}

// Done marks workers (without names, the worker itself) as done, also if not expected yet: it may
// be faster than the lead. It stays so, whatever it posts.
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
	if err := record.CheckText("the note", note, MaxField, false); err != nil {
		return nil, err
	}
	return b.setExpected(ctx, worker, names, func(w *writer, name string, is *Expected) error {
		if is != nil && is.Status == WorkerDone && (note == "" || note == is.Reason) {
			return nil
		}
		return w.event(record.VerbDone, name, record.ReasonPayload{Reason: note})
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
			return w.event(record.VerbDrop, name, record.ReasonPayload{Reason: reason})
		})
}

// setExpected runs set for each worker, with what is known of it, and returns all.
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
		if err := record.CheckWorker(name); err != nil {
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

// Expected returns the workers that the run waits for or has waited for, in the order in which it first did.
func (b *Board) Expected(ctx context.Context) ([]Expected, error) { return readValue(ctx, b, expected) }

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
