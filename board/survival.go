package board

import (
	"context"
	"slices"

	"blackboard/board/documents"
	"blackboard/board/store"
	"blackboard/board/survival"
)

// items lists what the report must carry: must-surface entries and contradictions that
// are not superseded, then open and waived signals by urgency.
func items(tx *store.Tx) ([]survival.Item, error) {
	entries, err := selectEntries(tx,
		`FROM entries e WHERE e.must_surface = 1 AND e.status <> 'superseded' ORDER BY e.id`)
	if err != nil {
		return nil, err
	}
	out := []survival.Item{}
	for _, e := range entries {
		why := survival.WhyMustSurface
		if e.Type == Contradiction {
			why = survival.WhyContradiction
		}
		out = append(out, survival.Item{ID: e.ID, Why: why, Type: e.Type, Worker: e.Worker,
			Content: e.Content})
	}
	signals, err := selectSignals(tx,
		`FROM signals s WHERE s.status IN ('open', 'waived') ORDER BY s.priority, s.id`)
	if err != nil {
		return nil, err
	}
	for _, s := range signals {
		why := survival.WhyOpen
		if s.Status == Waived {
			why = survival.WhyWaived
		}
		out = append(out, survival.Item{ID: s.ID, Why: why, Priority: s.Priority, Worker: s.Worker,
			Content: s.Content, Reason: s.Reason})
	}
	return out, nil
}

// Items returns what the report must carry, in the order in which Survival lists it.
func (b *Board) Items(ctx context.Context) ([]survival.Item, error) {
	var out []survival.Item
	err := b.read(ctx, func(tx *store.Tx) (err error) {
		out, err = items(tx)
		return err
	})
	return out, err
}

// Survival says whether everything that must be carried is in one of the reports. It
// reads the board in one transaction. Package survival says when an item counts as
// present. A run without entries does not pass; survival.Result.Demand asks for more
// items.
func (b *Board) Survival(ctx context.Context, reports ...*documents.Document) (survival.Result,
	error) {
	if len(reports) == 0 {
		return survival.Result{}, noReport()
	}
	var in survivalInput
	err := b.Moment(ctx, func(m *Moment) (err error) {
		in, err = m.survivalInput()
		return err
	})
	if err != nil {
		return survival.Result{}, err
	}
	return in.check(reports), nil
}

func noReport() error {
	return invalid("no report is given", "name the final artifact, or - for standard input")
}

// survivalInput is what a survival needs of a board.
type survivalInput struct {
	run     string
	seq     int64
	empty   bool // without an entry
	items   []survival.Item
	dropped []survival.Dropped
	answers []string // to blocking questions, that need not surface
}

func (m *Moment) survivalInput() (in survivalInput, err error) {
	in.run, in.seq = m.b.run, m.Seq
	if err = m.tx.QueryRow(`SELECT NOT EXISTS (SELECT 1 FROM entries)`).Scan(&in.empty); err != nil {
		return in, err
	}
	if in.dropped, err = droppedItems(m.tx); err != nil {
		return in, err
	}
	in.answers, err = store.Column[string](m.tx, `SELECT 'e' || e.id FROM entries e
		WHERE e.must_surface = 0 AND e.status <> 'superseded' AND e.id IN (
			SELECT addressed_by FROM signals WHERE status = 'addressed' AND priority <= ?)
		ORDER BY e.id`, slices.Index(Priorities, "high"))
	if err != nil {
		return in, err
	}
	in.items, err = items(m.tx)
	return in, err
}

func (in *survivalInput) check(reports []*documents.Document) survival.Result {
	s := survival.Check(in.items, reports...)
	s.Run, s.Seq, s.Dropped, s.UnmarkedAnswers = in.run, in.seq, in.dropped, in.answers
	s.Demand(in.empty, 0)
	return s
}

// droppedItems are the items whose duty to surface was dropped.
func droppedItems(tx *store.Tx) ([]survival.Dropped, error) {
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
		out = append(out, survival.Dropped{ID: d.ID, By: d.By, Worker: d.Worker, Reason: d.Reason,
			Content: e.Content})
	}
	return out, err
}
