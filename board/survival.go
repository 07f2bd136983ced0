package board

import (
	"context"

	"blackboard/board/documents"
	"blackboard/board/sqlite"
	"blackboard/board/survival"
)

// items lists what a board obliges its artifact to carry: must-surface entries and contradictions that are not superseded,
// then open and waived signals by urgency.
func items(tx *sqlite.Tx) ([]survival.Item, error) {
	entries, err := selectEntries(tx, `FROM entries e WHERE e.must_surface = 1 AND e.status <> 'superseded' ORDER BY e.id`)
	if err != nil {
		return nil, err
	}
	out := []survival.Item{}
	for _, e := range entries {
		why := survival.WhyMustSurface
		if e.Type == Contradiction {
			why = survival.WhyContradiction
		}
		out = append(out, survival.Item{ID: e.ID, Why: why, Type: e.Type, Worker: e.Worker, Content: e.Content})
	}
	signals, err := selectSignals(tx, `FROM signals s WHERE s.status IN ('open', 'waived') ORDER BY s.priority, s.id`)
	if err != nil {
		return nil, err
	}
	for _, s := range signals {
		why := survival.WhyOpen
		if s.Status == Waived {
			why = survival.WhyWaived
		}
		out = append(out, survival.Item{ID: s.ID, Why: why, Priority: s.Priority, Worker: s.Worker, Content: s.Content, Reason: s.Reason})
	}
	return out, nil
}

// Items returns what the board obliges its final artifact to carry, in the order in which Survival lists it.
func (b *Board) Items(ctx context.Context) ([]survival.Item, error) {
	var out []survival.Item
	err := b.read(ctx, func(tx *sqlite.Tx) (err error) {
		out, err = items(tx)
		return err
	})
	return out, err
}

// Survival says whether everything that the board obliges its artifact to carry is in one or other of the reports. It is read in one
// transaction, so the answer belongs to one moment of the board; see survival.Check for what counts as being there. A run without entries
// does not pass; survival.Result.Demand asks for more items.
func (b *Board) Survival(ctx context.Context, reports ...*documents.Document) (survival.Result, error) {
	if len(reports) == 0 {
		return survival.Result{}, invalid("no report is given", "name the final artifact, or - for standard input")
	}
	var list []survival.Item
	var dropped []survival.Dropped
	var seq int64
	var empty bool
	err := b.read(ctx, func(tx *sqlite.Tx) (err error) {
		if seq, err = lastSeq(tx); err != nil {
			return err
		}
		if err := tx.QueryRow(`SELECT NOT EXISTS (SELECT 1 FROM entries)`).Scan(&empty); err != nil {
			return err
		}
		if dropped, err = droppedItems(tx); err != nil {
			return err
		}
		list, err = items(tx)
		return err
	})
	if err != nil {
		return survival.Result{}, err
	}
	s := survival.Check(list, reports...)
	s.Run, s.Seq, s.Dropped = b.run, seq, dropped
	s.Demand(empty, 0)
	return s, nil
}

// droppedItems are what the artifact would have to carry, had nobody dropped that.
func droppedItems(tx *sqlite.Tx) ([]survival.Dropped, error) {
	all, err := droppedDuties(tx)
	out := []survival.Dropped{}
	for _, d := range all {
		n, err := ParseEntryID(d.ID)
		if err != nil {
			return nil, err
		}
		e, err := getEntry(tx, n)
		if err != nil {
			return nil, err
		}
		out = append(out, survival.Dropped{ID: d.ID, By: d.By, Worker: d.Worker, Reason: d.Reason, Content: e.Content})
	}
	return out, err
}
