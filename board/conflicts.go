package board

import (
	"context"
	"fmt"

	"blackboard/board/conflicts"
	"blackboard/board/store"
)

// ConflictQuery selects the entries to compare.
type ConflictQuery struct {
	Types []string // of entries; none: all but contradictions, which tell of a conflict themselves
	Max   int      // pairs that are returned; 0: as many as conflicts.MaxPairs
}

// Conflict is a pair of active entries that may contradict each other, and that no one
// has linked or settled.
type Conflict struct {
	conflicts.Pair
	Signal string `json:"signal"` // the open signal that asks about it, "" for none
}

// Conflicts is the answer to a ConflictQuery.
type Conflicts struct {
	Run      string     `json:"run"`
	Seq      int64      `json:"seq"`      // the event up to which the board was compared
	Compared int        `json:"compared"` // entries
	Total    int        `json:"total"`    // of pairs, also of those that are not listed
	Pairs    []Conflict `json:"pairs"`    // the best first
}

// conflictInput is what a comparison depends on.
type conflictInput struct {
	items   []conflicts.Item
	settled map[[2]string]bool   // pairs that are left out, the older entry first
	signals map[[2]string]string // the open signals of pairs
}

// conflictKey is the key of the signal that asks about a pair; the older entry comes
// first. The pair is settled when that signal is addressed or waived, and a conflict
// again when it is reopened.
func conflictKey(a, b string) string { return "conflict:" + a + ":" + b }

// Conflicts compares the active entries of the board. It leaves out pairs with a
// contradicts or supersedes link, settled pairs, and pairs whose signal was addressed or
// waived. Package conflicts says what is compared, and how.
func (b *Board) Conflicts(ctx context.Context, q ConflictQuery) (Conflicts, error) {
	if err := q.check(); err != nil {
		return Conflicts{}, err
	}
	out := Conflicts{Run: b.run}
	var in conflictInput
	err := b.Moment(ctx, func(m *Moment) (err error) {
		out.Seq = m.Seq
		in, err = loadConflicts(m.tx, q.Types)
		return err
	})
	if err != nil {
		return Conflicts{}, err
	}
	return out, out.find(ctx, in, q.Max)
}

func (q *ConflictQuery) check() error {
	if err := checkAll("type", q.Types, EntryTypes); err != nil {
		return err
	}
	if q.Max < 0 {
		return invalid(fmt.Sprintf("%d is not a number of pairs", q.Max),
			"give 1 or more, or 0 for all")
	}
	return nil
}

// find compares the items.
func (c *Conflicts) find(ctx context.Context, in conflictInput, limit int) error {
	skip := func(older, newer *conflicts.Item) bool {
		return in.settled[[2]string{older.ID,
			newer.ID}]
	}
	found, err := conflicts.Check(ctx, in.items, conflicts.Options{Max: limit, Skip: skip})
	c.Compared, c.Total, c.Pairs = found.Compared, found.Total, []Conflict{}
	for _, p := range found.Pairs {
		c.Pairs = append(c.Pairs, Conflict{p, in.signals[[2]string{p.A.ID, p.B.ID}]})
	}
	return err
}

// loadConflicts reads what a comparison needs. Of each content it reads only the part
// that is compared.
func loadConflicts(tx *store.Tx, types []string) (conflictInput, error) {
	in := conflictInput{settled: map[[2]string]bool{}, signals: map[[2]string]string{}}
	where, args := []string{"e.status = 'active'"}, []any{conflicts.MaxContent}
	if len(types) == 0 {
		where = append(where, "e.type <> 'contradiction'")
	} else {
		addIn(&where, &args, "e.type", types)
	}
	var item conflicts.Item
	var id, dst int64
	if err := tx.Each([]any{&id, &item.Type, &item.Worker, &item.Source, &item.Content},
		func() error {
			item.ID = EntryID(id)
			in.items = append(in.items, item)
			return nil
		}, `SELECT e.id, e.type, e.worker, e.source_doc, substr(e.content, 1, CAST(? AS INTEGER)) FROM entries e`+
			whereClause(where)+` ORDER BY e.id`, args...); err != nil {
		return in, err
	}
	if err := tx.Each([]any{&id, &dst}, func() error {
		in.settled[[2]string{EntryID(min(id, dst)), EntryID(max(id, dst))}] = true
		return nil
	}, `SELECT src, dst FROM links WHERE kind IN ('contradicts', 'supersedes')`); err != nil {
		return in, err
	}
	all, err := settlements(tx)
	if err != nil {
		return in, err
	}
	for _, s := range all {
		in.settled[[2]string{s.A, s.B}] = true
	}
	signals, err := selectSignals(tx,
		`FROM signals s WHERE s.key >= 'conflict:' AND s.key < 'conflict;'`)
	if err != nil {
		return in, err
	}
	in.addSignals(signals)
	return in, nil
}

// addSignals records the signals that ask about pairs.
func (in *conflictInput) addSignals(signals []Signal) {
	for _, s := range signals {
		var x, y int64
		if n, _ := fmt.Sscanf(s.Key, "conflict:e%d:e%d", &x, &y); n != 2 {
			continue
		}
		pair := [2]string{EntryID(x), EntryID(y)}
		if s.Status == SignalOpen {
			in.signals[pair] = s.ID
		} else {
			in.settled[pair] = true
		}
	}
}

// conflictInput is loadConflicts for a snapshot.
func (s *Snapshot) conflictInput() conflictInput {
	in := conflictInput{settled: map[[2]string]bool{}, signals: map[[2]string]string{}}
	for _, e := range s.Entries {
		for _, kind := range []string{Contradicts, Supersedes} {
			for _, to := range e.Of(kind) {
				if x, y, err := orderedPair(e.ID, to); err == nil {
					in.settled[[2]string{EntryID(x), EntryID(y)}] = true
				}
			}
		}
		if e.Status == Active && e.Type != Contradiction {
			in.items = append(in.items, conflicts.Item{ID: e.ID, Type: e.Type, Worker: e.Worker,
				Source: e.SourceDoc, Content: e.Content})
		}
	}
	for _, p := range s.Settled {
		in.settled[[2]string{p.A, p.B}] = true
	}
	in.addSignals(s.Signals)
	return in
}

// RaiseConflicts raises a signal for each pair that has none, in one transaction, and
// records it in the pairs. It returns the new signals. A pair whose signal was closed in
// the meantime is settled and gets no other one.
func (b *Board) RaiseConflicts(
	ctx context.Context, worker string, c *Conflicts, priority string,
) ([]Signal, error) {
	raised := []Signal{}
	if _, err := PriorityRank(priority); err != nil {
		return raised, err
	}
	err := b.write(ctx, worker, func(w *writer) error {
		raised = raised[:0]
		for i := range c.Pairs {
			p := &c.Pairs[i]
			r := Raise{Content: p.Question(), Priority: priority, Origin: p.B.ID,
				Key: conflictKey(p.A.ID, p.B.ID)}
			s, err := signalByKey(w.tx, r.Key)
			if err != nil {
				return err
			}
			if s == nil {
				id, err := nextID(w.tx, "signals")
				if err != nil {
					return err
				}
				if err := w.insertSignal(r, id, "", nil); err != nil {
					return err
				}
				if s, err = getSignal(w.tx, id); err != nil {
					return err
				}
				raised = append(raised, *s)
			}
			if s.Status == SignalOpen {
				p.Signal = s.ID
			}
		}
		return nil
	})
	return raised, err
}

// Question asks which of the two holds.
func (c *Conflict) Question() string {
	return fmt.Sprintf("%s and %s may contradict each other (%s). Which holds? %s: %s %s: %s",
		c.A.ID, c.B.ID, c.Why[0], c.A.ID, Line(c.A.Content, 300), c.B.ID, Line(c.B.Content, 300))
}
