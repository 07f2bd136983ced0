package board

import (
	"context"
	"slices"

	"blackboard/board/documents"
	"blackboard/board/store"
	"blackboard/board/survival"
	"blackboard/board/trace"
	"blackboard/board/verify"
)

// Moment is a board at one event, for questions that belong together.
type Moment struct {
	Seq int64 // the event

	ctx context.Context
	b   *Board
	tx  *store.Tx
}

// Moment calls ask with the board in one transaction. The moment ends when ask returns.
func (b *Board) Moment(ctx context.Context, ask func(*Moment) error) error {
	return b.read(ctx, func(tx *store.Tx) error {
		seq, err := tx.LastSeq()
		if err != nil {
			return err
		}
		return ask(&Moment{Seq: seq, ctx: ctx, b: b, tx: tx})
	})
}

// askMoment returns the answer to a question that is asked alone.
func askMoment[T any](ctx context.Context, b *Board, ask func(*Moment) (T, error)) (v T, err error) {
	err = b.Moment(ctx, func(m *Moment) (err error) {
		v, err = ask(m)
		return err
	})
	return v, err
}

// Gate is Board.Gate at this moment. Verdicts on entries count even if not on the board.
func (m *Moment) Gate(p Policy, unwritten ...*verify.Result) (Verdict, error) {
	if err := p.Check(); err != nil {
		return Verdict{}, err
	}
	return m.b.gate(m.ctx, m.tx, p, unwritten...)
}

// Conflicts is Board.Conflicts at this moment.
func (m *Moment) Conflicts(q ConflictQuery) (Conflicts, error) {
	if err := q.check(); err != nil {
		return Conflicts{}, err
	}
	in, err := loadConflicts(m.tx, q.Types)
	if err != nil {
		return Conflicts{}, err
	}
	out := Conflicts{Run: m.b.run, Seq: m.Seq}
	return out, out.find(m.ctx, in, q)
}

// Survival is Board.Survival at this moment.
func (m *Moment) Survival(reports ...*documents.Document) (survival.Result, error) {
	all, err := items(m.tx)
	if err != nil {
		return survival.Result{}, err
	}
	var readErr error
	s := survival.CheckAmong(func() (others []string) {
		others, readErr = store.Column[string](m.tx, `SELECT content FROM entries WHERE must_surface = 0 AND status <> 'superseded'`)
		return others
	}, all, reports...)
	if s.Run, s.Seq = m.b.run, m.Seq; readErr != nil {
		return s, readErr
	}
	if s.Dropped, err = droppedItems(m.tx); err != nil {
		return s, err
	}
	if s.UnmarkedAnswers, err = store.Column[string](m.tx, `SELECT 'e' || e.id FROM entries e
		WHERE e.must_surface = 0 AND e.status <> 'superseded' AND e.id IN (
			SELECT addressed_by FROM signals WHERE status = 'addressed' AND priority <= ?)
		ORDER BY e.id`, slices.Index(Priorities, "high")); err != nil {
		return s, err
	}
	empty, err := store.One[bool](m.tx, `SELECT NOT EXISTS (SELECT 1 FROM entries)`)
	if err != nil {
		return s, err
	}
	s.Demand(empty, 0)
	return s, m.accept(&s)
}

// Trace is Board.Trace at this moment.
func (m *Moment) Trace(
	sources trace.Sources, reports ...*documents.Document,
) (trace.Result, error) {
	r, err := trace.Check(func(read func(trace.Record) error) error {
		return traceRecords(m.tx, read)
	}, sources, withoutCodes(reports)...)
	r.Run, r.Seq = m.b.run, m.Seq
	return r, err
}

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
		if e.Type == Contradiction || len(e.Contradicts) > 0 {
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
	return readValue(ctx, b, items)
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
	return askMoment(ctx, b, func(m *Moment) (survival.Result, error) {
		return m.Survival(reports...)
	})
}

func noReport() error {
	return invalid("no report is given", "name the final artifact, or - for standard input")
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

// Trace is what supports the reports' facts, read in one transaction: entries not superseded,
// signals' reasons for waiving, the goal, and sources, perhaps nil.
func (b *Board) Trace(
	ctx context.Context,
	sources trace.Sources,
	reports ...*documents.Document,
) (trace.Result, error) {
	if len(reports) == 0 {
		return trace.Result{}, noReport()
	}
	return askMoment(ctx, b, func(m *Moment) (trace.Result, error) {
		return m.Trace(sources, reports...)
	})
}

// gap is an empty line, in SQL.
const gap = "'\n\n'"

// traceRecords reads what can support a fact, one record at a time. A record begins with
// the id and what the digest puts before it, since reports cite entries.
func traceRecords(tx *store.Tx, read func(trace.Record) error) error {
	var goal, run string
	if err := tx.QueryRow(`SELECT goal, name FROM run`).Scan(&goal, &run); err != nil {
		return err
	}
	if err := read(trace.Record{ID: "goal", Text: goal + "\n" + run}); err != nil {
		return err
	}
	var id int64
	var kind, text, ref, doc string
	var confidence *float64
	var several []Cited
	entry := func() error {
		cites := [][2]string{{doc, ref}}
		for i := 1; i < len(several); i++ {
			text += "\n\n" + several[i].Evidence + "\n\n" + several[i].SourceDoc
			cites = append(cites, [2]string{several[i].SourceDoc, several[i].SourceRef})
		}
		several = nil
		return read(trace.Record{ID: EntryID(id), Text: EntryID(id) + " " + kind + text, Ref: ref, Cites: cites,
			Confidence: confidence})
	}
	if err := tx.Each([]any{&id, &kind, &confidence, &text, &ref, &doc,
		store.JSON(&several, "an entry e%d whose sources", &id)}, entry,
		`SELECT id, type, confidence, ', ' || worker || `+gap+` || content || `+gap+` || evidence || `+gap+` || source_doc, source_ref, source_doc, sources
			FROM entries WHERE status <> 'superseded' ORDER BY id`); err != nil {
		return err
	}
	return tx.Each([]any{&id, &text},
		func() error { return read(trace.Record{ID: SignalID(id), Text: text}) },
		`SELECT id, 's' || id || `+gap+` || content || `+gap+` || reason FROM signals ORDER BY id`)
}
