package board

import (
	"context"
	"errors"

	"blackboard/board/fault"
	"blackboard/board/store"
)

// Check verifies the file. SQLite checks its own integrity; derived tables must agree
// with the rows; and the event log must rebuild exactly what the tables hold, without a
// gap in events, entries or signals. It returns nil for a sound board.
func (b *Board) Check(ctx context.Context) error {
	db, err := b.reader()
	if err != nil {
		return err
	}
	if err := db.Check(ctx); err != nil {
		return err
	}
	return b.read(ctx, func(tx *store.Tx) error {
		last, err := lastSeq(tx)
		if err != nil {
			return err
		}
		want, err := replay(tx, last)
		if errors.Is(err, fault.Invalid) {
			return b.logNotWhole(err)
		}
		if err != nil {
			return err
		}
		return b.agrees(tx, want)
	})
}

func (b *Board) logNotWhole(err error) error {
	return store.Fault(fault.Corrupt, b.path, "has an incomplete event log: "+err.Error(),
		nil)
}

// agrees compares the tables with what the event log rebuilds.
func (b *Board) agrees(tx *store.Tx, want *Snapshot) error {
	have, err := loadSnapshot(tx)
	if err != nil {
		return err
	}
	if diff := want.diff(have); diff != "" {
		return store.Fault(fault.Corrupt, b.path, "does not agree with its own event log: "+diff,
			nil)
	}
	// derived tables last: a fault in the rows says more
	if err := checkCounts(tx, b.path); err != nil {
		return err
	}
	return tx.Hold(invariants...)
}

// invariants hold for the tables that are derived from entries, in addition to
// checkCounts.
var invariants = []store.Invariant{
	{Breaks: `SELECT count(*) FROM (SELECT e.id, t.value FROM entries e, json_each(e.tags) t EXCEPT SELECT entry, tag FROM entry_tags) AS lost`, Say: "does not find %d tags of entries"},
	{Breaks: `SELECT count(*) FROM (SELECT entry, tag FROM entry_tags EXCEPT SELECT e.id, t.value FROM entries e, json_each(e.tags) t) AS odd`, Say: "finds %d tags that entries do not have"},
}
