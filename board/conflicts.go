package board

import (
	"context"
	"fmt"
	"slices"

	"blackboard/board/claims"
	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
)

type ConflictQuery struct {
	Types []string // of entries; none: all but contradictions, which tell of a conflict themselves
	Max   int      // pairs that are returned; 0: as many as claims.MaxPairs
	// Likely leaves out pairs that are proposed only because nothing better is there.
	Likely bool
}

// Conflict is a pair of active entries that may contradict each other, neither linked nor settled.
type Conflict struct {
	claims.Pair
	Signal string `json:"signal"` // the open signal that asks about it, "" for none
}

type Conflicts struct {
	Run      string     `json:"run"`
	Seq      int64      `json:"seq"`      // the event up to which the board was compared
	Compared int        `json:"compared"` // entries
	Looked   int        `json:"looked"`   // pairs that share rare words
	Total    int        `json:"total"`    // of likely pairs, also of those that are not listed
	Pairs    []Conflict `json:"pairs"`    // the best first
}

type conflictInput struct {
	items   claims.Items
	numbers []int64             // of the items' entries
	settled map[[2]int64]bool   // pairs that are left out, the older entry first
	signals map[[2]int64]string // the open signals of pairs
}

func newConflictInput() conflictInput {
	return conflictInput{settled: map[[2]int64]bool{}, signals: map[[2]int64]string{}}
}

func (in *conflictInput) settle(x, y int64) { in.settled[[2]int64{min(x, y), max(x, y)}] = true }

// conflictKey is the key of the signal about a pair, older entry first. The pair is settled while
// that is addressed or waived, a conflict again when reopened.
func conflictKey(a, b string) string { return "conflict:" + a + ":" + b }

// Conflicts compares the active entries of the board. It leaves out pairs with a
// contradicts or supersedes link, settled pairs, and pairs whose signal was addressed or
// waived. It ranks what package claims proposes, and counts what is likely.
func (b *Board) Conflicts(ctx context.Context, q ConflictQuery) (Conflicts, error) {
	return askMoment(ctx, b, func(m *Moment) (Conflicts, error) { return m.Conflicts(q) })
}

func (q *ConflictQuery) check() error {
	if err := record.CheckAll("type", q.Types, EntryTypes); err != nil {
		return err
	}
	if q.Max < 0 {
		return invalid(fmt.Sprintf("%d is not a number of pairs", q.Max),
			"give 1 or more, or 0 for all")
	}
	return nil
}

func (c *Conflicts) find(ctx context.Context, in conflictInput, q ConflictQuery) error {
	skip := func(older, newer int) bool {
		return in.settled[[2]int64{in.numbers[older], in.numbers[newer]}]
	}
	found, err := claims.Conflicts(ctx, in.items, claims.Options{Max: q.Max,
		Likely: q.Likely, Skip: skip})
	c.Compared, c.Looked, c.Total, c.Pairs = found.Compared, found.Looked, found.Total, []Conflict{}
	for _, p := range found.Pairs {
		x, y, _ := record.OrderedPair(p.A.ID, p.B.ID)
		c.Pairs = append(c.Pairs, Conflict{p, in.signals[[2]int64{x, y}]})
	}
	return err
}

// storedItems are the board's entries, with only the content that is compared.
type storedItems struct {
	tx      *store.Tx
	numbers []int64
}

// Each calls read with each item, a few at a time, so that no query is left open.
func (s storedItems) Each(read func(claims.Item) error) error {
	for some := range slices.Chunk(s.numbers, 1000) {
		if err := s.each(some, read); err != nil {
			return err
		}
	}
	return nil
}

// Load returns the items at some places, by id.
func (s storedItems) Load(places []int32) ([]claims.Item, error) {
	numbers := make([]int64, len(places))
	for i, at := range places {
		numbers[i] = s.numbers[at]
	}
	out := make([]claims.Item, 0, len(places))
	err := s.each(numbers, func(it claims.Item) error {
		out = append(out, it)
		return nil
	})
	if err == nil && len(out) != len(places) {
		err = store.Fault(fault.Corrupt, "", "has lost entries while they were compared", nil)
	}
	return out, err
}

func (s storedItems) each(numbers []int64, read func(claims.Item) error) error {
	var item claims.Item
	var id int64
	return s.tx.Each([]any{&id, &item.Type, &item.Worker, &item.Source, &item.Content},
		func() error {
			item.ID = EntryID(id)
			return read(item)
		}, `SELECT e.id, e.type, e.worker, e.source_doc, substr(e.content, 1, CAST(? AS INTEGER)) FROM entries e
			WHERE e.id IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) ORDER BY e.id`,
		claims.MaxContent, store.List(numbers))
}

// loadConflicts reads what a comparison needs; contents only in the transaction that compares.
func loadConflicts(tx *store.Tx, types []string) (conflictInput, error) {
	in := newConflictInput()
	where, args := []string{"e.status = 'active'"}, []any{}
	if len(types) == 0 {
		where = append(where, "e.type <> 'contradiction'")
	} else {
		addIn(&where, &args, "e.type", types)
	}
	var err error
	if in.numbers, err = store.Column[int64](tx, `SELECT e.id FROM entries e`+
		whereClause(where)+` ORDER BY e.id`, args...); err != nil {
		return in, err
	}
	in.items = storedItems{tx, in.numbers}
	var id, dst int64
	if err := tx.Each([]any{&id, &dst}, func() error {
		in.settle(id, dst)
		return nil
	}, `SELECT src, dst FROM links WHERE kind IN ('contradicts', 'supersedes')`); err != nil {
		return in, err
	}
	all, err := settlements(tx)
	if err != nil {
		return in, err
	}
	in.addSettled(all)
	signals, err := selectSignals(tx,
		`FROM signals s WHERE s.key >= 'conflict:' AND s.key < 'conflict;'`)
	if err != nil {
		return in, err
	}
	in.addSignals(signals)
	return in, nil
}

func (in *conflictInput) addSettled(all []Settlement) {
	for _, s := range all {
		if x, y, err := record.OrderedPair(s.A, s.B); err == nil {
			in.settle(x, y)
		}
	}
}

func (in *conflictInput) addSignals(signals []Signal) {
	for _, s := range signals {
		var x, y int64
		if n, _ := fmt.Sscanf(s.Key, "conflict:e%d:e%d", &x, &y); n != 2 {
			continue
		}
		if s.Status == SignalOpen {
			in.signals[[2]int64{x, y}] = s.ID
		} else {
			in.settled[[2]int64{x, y}] = true
		}
	}
}

// conflictsOf is loadConflicts for a snapshot.
func conflictsOf(s *Snapshot) conflictInput {
	in := newConflictInput()
	var items claims.List
	for _, e := range s.Entries {
		x, _ := ParseEntryID(e.ID)
		for _, kind := range []string{Contradicts, Supersedes} {
			for _, to := range e.Of(kind) {
				if y, err := ParseEntryID(to); err == nil {
					in.settle(x, y)
				}
			}
		}
		if e.Status == Active && e.Type != Contradiction {
			in.numbers = append(in.numbers, x)
			items = append(items, claims.Item{ID: e.ID, Type: e.Type, Worker: e.Worker,
				Source: e.SourceDoc, Content: e.Content})
		}
	}
	in.items = items
	in.addSettled(s.Settled)
	in.addSignals(s.Signals)
	return in
}

// RaiseConflicts raises, records and returns a signal for each likely pair that has none, in one
// transaction. A pair whose signal was closed meanwhile is settled.
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
			if !p.Likely {
				continue
			}
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
				if err := w.event(record.VerbSignal, SignalID(id), record.SignalPayload{Raise: r}); err != nil {
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

// Settle records why two entries do not contradict each other: both hold, or the
// difference does not matter. The reason is required and stays on record with the worker.
// If one of them is wrong, supersede it instead. A dispute that a link between them began ends.
//
// Errors: fault.NotFound for an entry that does not exist; fault.Conflict if the pair is
// settled already, or one supersedes the other.
func (b *Board) Settle(ctx context.Context, worker, one, other, reason string) (Settlement, error) {
	x, y, err := record.OrderedPair(one, other)
	if err != nil {
		return Settlement{}, err
	}
	if err := needReason(ctx, &reason, "settling",
		"why both entries hold, or why the difference does not matter"); err != nil {
		return Settlement{}, err
	}
	if _, err := b.reader(); err != nil { // a run is not created by settling what it does not have
		return Settlement{}, err
	}
	var out Settlement
	err = b.write(ctx, worker, func(w *writer) error {
		for _, pair := range [][2]int64{{x, y}, {y, x}} {
			e, err := getEntry(w.tx, pair[0])
			if err != nil {
				return err
			}
			if to := EntryID(pair[1]); slices.Contains(e.Supersedes, to) {
				return conflict(fmt.Sprintf("%s supersedes %s: there is nothing to settle", e.ID, to),
					"", fault.Do("entry.show", "{} shows both", "id", e.ID))
			}
		}
		if err := w.checkNotSettled(x, y, "nothing is left to do"); err != nil {
			return err
		}
		if err := w.event(record.VerbReconcile, EntryID(x),
			record.ReconcilePayload{With: EntryID(y), Reason: reason}); err != nil {
			return err
		}
		out = Settlement{A: EntryID(x), B: EntryID(y), Reason: reason, Worker: worker, At: fromMillis(w.at), Seq: w.seq}
		for _, pair := range [][2]int64{{x, y}, {y, x}} {
			if err := w.endDispute(pair[0], record.ByPayload{By: EntryID(pair[1])}); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// endDispute reactivates a disputed entry if all that contradicts it is superseded or settled.
func (w *writer) endDispute(id int64, by record.ByPayload) error {
	var ends bool
	err := w.tx.QueryRow(`SELECT d.status = 'disputed' AND NOT EXISTS (SELECT 1 FROM links o JOIN entries e ON e.id = o.src
		WHERE o.dst = ? AND o.kind = 'contradicts' AND e.status <> 'superseded' AND NOT EXISTS (
			SELECT 1 FROM settlements s
			WHERE s.a = o.src AND s.b = o.dst OR s.a = o.dst AND s.b = o.src))
		FROM entries d WHERE d.id = ?`, id, id).Scan(&ends)
	if err != nil || !ends {
		return err
	}
	return w.event(record.VerbSettle, EntryID(id), by)
}

// checkNotSettled returns fault.Conflict if the pair was settled; x is the older entry.
func (w *writer) checkNotSettled(x, y int64, try string) error {
	all, err := settlements(w.tx)
	for _, s := range all {
		if s.A == EntryID(x) && s.B == EntryID(y) {
			return conflict(fmt.Sprintf("%s and %s were settled by %s: %s", s.A, s.B, s.Worker,
				Line(s.Reason, 120)), try)
		}
	}
	return err
}

// settlements are the settlements, oldest first; none in a file not migrated.
func settlements(tx *store.Tx) ([]Settlement, error) {
	all := []Settlement{}
	if there, err := tx.HasTable("settlements"); err != nil || !there {
		return all, err
	}
	var a, b int64
	var s Settlement
	err := tx.Each([]any{&a, &b, &s.Seq, store.Time(&s.At), &s.Worker, &s.Reason}, func() error {
		s.A, s.B = EntryID(a), EntryID(b)
		all = append(all, s)
		return nil
	}, `SELECT a, b, seq, at, worker, reason FROM settlements ORDER BY seq`)
	return all, err
}
