package board

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

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
		last, err := tx.LastSeq()
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

// diff names the first difference between two snapshots; "" if they are equal.
func (s *Snapshot) diff(o *Snapshot) string {
	switch {
	case s.Run != o.Run || s.Goal != o.Goal || s.Seq != o.Seq || !s.Created.Equal(o.Created):
		return "the run's own data differ"
	case len(s.Entries) != len(o.Entries):
		return fmt.Sprintf("%d entries, not %d%s", len(o.Entries), len(s.Entries),
			absent(s.Entries, o.Entries, func(e *Entry) string { return e.ID }))
	case len(s.Signals) != len(o.Signals):
		return fmt.Sprintf("%d signals, not %d%s", len(o.Signals), len(s.Signals),
			absent(s.Signals, o.Signals, func(g *Signal) string { return g.ID }))
	case len(s.Variables) != len(o.Variables):
		return fmt.Sprintf("%d variables, not %d", len(o.Variables), len(s.Variables))
	case !reflect.DeepEqual(s.Expected, o.Expected):
		return "the workers that are expected differ"
	case !reflect.DeepEqual(s.Dropped, o.Dropped):
		return "the duties that were dropped differ"
	case len(s.Settled) != len(o.Settled):
		return fmt.Sprintf("%d settled pairs, not %d", len(o.Settled), len(s.Settled))
	}
	if len(s.Sources) != len(o.Sources) {
		return fmt.Sprintf("%d sources, not %d", len(o.Sources), len(s.Sources))
	}
	for i := range s.Sources {
		if s.Sources[i] != o.Sources[i] {
			return fmt.Sprintf("the source %q differs", s.Sources[i].Name)
		}
	}
	for i := range s.Entries {
		if !reflect.DeepEqual(s.Entries[i], o.Entries[i]) {
			return s.Entries[i].ID + " differs"
		}
	}
	for i := range s.Signals {
		if !reflect.DeepEqual(s.Signals[i], o.Signals[i]) {
			return s.Signals[i].ID + " differs"
		}
	}
	for i := range s.Variables {
		if !reflect.DeepEqual(s.Variables[i], o.Variables[i]) {
			return fmt.Sprintf("the variable %q differs", s.Variables[i].Key)
		}
	}
	for i := range s.Settled {
		if !reflect.DeepEqual(s.Settled[i], o.Settled[i]) {
			return fmt.Sprintf("the settlement of %s and %s differs", s.Settled[i].A,
				s.Settled[i].B)
		}
	}
	return ""
}

// absent names the first few members that only one of two lists has.
func absent[T any](want, have []T, id func(*T) string) string {
	const few = 5
	ids := map[string]int{}
	for i := range want {
		ids[id(&want[i])]++
	}
	for i := range have {
		ids[id(&have[i])]--
	}
	var missing, extra []string
	for i := range want {
		if name := id(&want[i]); ids[name] > 0 {
			missing = append(missing, name)
		}
	}
	for i := range have {
		if name := id(&have[i]); ids[name] < 0 {
			extra = append(extra, name)
		}
	}
	say := ""
	for _, l := range []struct {
		what string
		ids  []string
	}{{"without", missing}, {"and besides", extra}} {
		if n := len(l.ids); n > few {
			say += fmt.Sprintf(", %s %s and %d more", l.what, strings.Join(l.ids[:few], ", "),
				n-few)
		} else if n > 0 {
			say += fmt.Sprintf(", %s %s", l.what, strings.Join(l.ids, ", "))
		}
	}
	return say
}
