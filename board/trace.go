package board

import (
	"context"
	"fmt"

	"blackboard/board/documents"
	"blackboard/board/store"
	"blackboard/board/trace"
)

// Trace says what supports the facts of the reports: entries that are not superseded,
// signals with the reasons why they were waived, the goal, and sources, which may be nil.
// It reads the board in one transaction.
func (b *Board) Trace(
	ctx context.Context,
	sources trace.Sources,
	reports ...*documents.Document,
) (trace.Result, error) {
	if len(reports) == 0 {
		return trace.Result{}, noReport()
	}
	var r trace.Result
	err := b.Moment(ctx, func(m *Moment) (err error) {
		r, err = m.Trace(sources, reports...)
		return err
	})
	return r, err
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
	var kind, text, ref string
	var confidence *float64
	entry := func() error {
		head := EntryID(id) + " " + kind
		if confidence != nil {
			head += fmt.Sprintf(" %.2f", *confidence)
		}
		return read(trace.Record{ID: EntryID(id), Text: head + text, Ref: ref})
	}
	if err := tx.Each([]any{&id, &kind, &confidence, &text, &ref}, entry,
		`SELECT id, type, confidence, ', ' || worker || `+gap+` || content || `+gap+` || evidence || `+gap+` || source_doc, source_ref
			FROM entries WHERE status <> 'superseded' ORDER BY id`); err != nil {
		return err
	}
	return tx.Each([]any{&id, &text},
		func() error { return read(trace.Record{ID: SignalID(id), Text: text}) },
		`SELECT id, 's' || id || `+gap+` || content || `+gap+` || reason FROM signals ORDER BY id`)
}
