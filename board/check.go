package board

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
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
	case !reflect.DeepEqual(s.Expected, o.Expected):
		return "the workers that are expected differ"
	case !reflect.DeepEqual(s.Dropped, o.Dropped):
		return "the duties that were dropped differ"
	}
	return cmp.Or(
		differs("sources", s.Sources, o.Sources, func(x *Source) string {
			return fmt.Sprintf("the source %q", x.Name)
		}),
		differs("entries", s.Entries, o.Entries, func(e *Entry) string { return e.ID }),
		differs("signals", s.Signals, o.Signals, func(g *Signal) string { return g.ID }),
		differs("variables", s.Variables, o.Variables, func(v *Variable) string {
			return fmt.Sprintf("the variable %q", v.Key)
		}),
		differs("settled pairs", s.Settled, o.Settled, func(p *Settlement) string {
			return fmt.Sprintf("the settlement of %s and %s", p.A, p.B)
		}))
}

// differs names the first member that differs, or those that only one of two lists has.
func differs[T any](what string, want, have []T, name func(*T) string) string {
	if len(want) != len(have) {
		names := func(all []T) (out []string) {
			for i := range all {
				out = append(out, name(&all[i]))
			}
			return out
		}
		missing, extra := names(want), names(have)
		say := fmt.Sprintf("%d %s, not %d", len(have), what, len(want))
		if only := without(missing, extra); len(only) > 0 {
			say += ", without " + few(only, 5)
		}
		if only := without(extra, missing); len(only) > 0 {
			say += ", and besides " + few(only, 5)
		}
		return say
	}
	for i := range want {
		if !reflect.DeepEqual(want[i], have[i]) {
			return name(&want[i]) + " differs"
		}
	}
	return ""
}

// without are the members of a list that another has not.
func without(all, others []string) (only []string) {
	has := map[string]bool{}
	for _, s := range others {
		has[s] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return has[s] })
}

// few names the first of many.
func few(ids []string, most int) string {
	if more := len(ids) - most; more > 0 {
		return strings.Join(ids[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(ids, ", ")
}
