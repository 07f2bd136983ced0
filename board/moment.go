package board

import (
	"context"

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
		seq, err := lastSeq(tx)
		if err != nil {
			return err
		}
		return ask(&Moment{Seq: seq, ctx: ctx, b: b, tx: tx})
	})
}

// Gate is Board.Gate at this moment. Verdicts on entries count even if they were not
// written to the board.
func (m *Moment) Gate(p Policy, unwritten ...*verify.Result) (Verdict, error) {
	if err := p.Check(); err != nil {
		return Verdict{}, err
	}
	return gate(m.ctx, m.tx, p, unwritten...)
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
	return out, out.find(m.ctx, in, q.Max)
}

// Survival is Board.Survival at this moment.
func (m *Moment) Survival(reports ...*documents.Document) (survival.Result, error) {
	in, err := m.survivalInput()
	if err != nil {
		return survival.Result{}, err
	}
	return in.check(reports), nil
}

// Trace is Board.Trace at this moment.
func (m *Moment) Trace(
	sources trace.Sources, reports ...*documents.Document,
) (trace.Result, error) {
	r, err := trace.Check(func(read func(trace.Record) error) error {
		return traceRecords(m.tx, read)
	}, sources, reports...)
	r.Run, r.Seq = m.b.run, m.Seq
	return r, err
}
