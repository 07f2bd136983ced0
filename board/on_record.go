package board

import (
	"context"
	"errors"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
	"blackboard/board/text"
)

// RecordPolicy records the policy of the run. It reports whether that changes it: the same text
// again is not recorded. It returns fault.Invalid if it replaces one without a reason.
func (b *Board) RecordPolicy(ctx context.Context, worker string, p NewPolicy) (changed bool, err error) {
	if err := p.Check(); err != nil {
		return false, err
	}
	err = b.write(ctx, worker, func(w *writer) error {
		had, err := recordedPolicy(w.tx)
		if err != nil || had != nil && had.SHA256 == PolicyHash(p.Text) {
			return err
		}
		if had != nil && strings.TrimSpace(p.Reason) == "" {
			return invalid("the run has a policy on record, and replacing it needs a reason", "",
				fault.Give("reason", "", "give {}: it stays on record"))
		}
		changed = true
		return w.recordPolicy(p)
	})
	return changed, err
}

func (w *writer) recordPolicy(p NewPolicy) error {
	return w.event(record.VerbPolicy, record.PolicyEventID, record.PolicyPayload{NewPolicy: p, SHA256: PolicyHash(p.Text)})
}

// RecordedPolicy is the policy the run has on record, nil if it began without one.
func (b *Board) RecordedPolicy(ctx context.Context) (*record.RecordedPolicy, error) {
	return readValue(ctx, b, recordedPolicy)
}

func recordedPolicy(tx *store.Tx) (*record.RecordedPolicy, error) {
	events, err := selectEvents(tx, `WHERE id = ? AND verb = ? ORDER BY seq DESC LIMIT 1`, record.PolicyEventID,
		record.VerbPolicy)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	return events[0].Policy()
}

const (
	maxCheckedReports = 20  // the first that one record names
	maxReportName     = 200 // bytes
)

// RecordCheck puts the verdict of a check on record, unless the run has the same for these
// reports, or cannot be written. It is only for those that check: looking writes nothing.
func (b *Board) RecordCheck(ctx context.Context, worker string, c ReportCheck) error {
	c.Reports = slices.Clone(c.Reports[:min(len(c.Reports), maxCheckedReports)])
	for i := range c.Reports {
		name := &c.Reports[i]
		maskText(ctx, "the name of the report", name)
		*name = text.ClipBytes(text.Plain(text.UTF8(*name)), maxReportName)
	}
	var all []record.CheckRecord
	if len(c.Reports) == 0 {
		return invalid("a check of no report is not recorded", "")
	}
	if err := b.read(ctx, func(tx *store.Tx) (err error) {
		if all, err = checks(tx); err != nil {
			return err
		}
		return tx.QueryRow(`SELECT coalesce((SELECT id FROM entries WHERE seq <= ? ORDER BY id DESC LIMIT 1), 0)`,
			c.JudgedAt).Scan(&c.Entries)
	}); err != nil || slices.ContainsFunc(all, func(o record.CheckRecord) bool { return o.Is(&c) }) {
		return err
	}
	err := b.write(ctx, worker, func(w *writer) error { return w.event(record.VerbCheck, record.CheckEventID, c) })
	if errors.Is(err, fault.ReadOnly) {
		return nil // the check needs no record
	}
	return err
}

// checks returns the last check of each report, the latest first.
func checks(tx *store.Tx) ([]record.CheckRecord, error) {
	all, err := decodeAll(tx, (*Event).Checked, `WHERE id = ? AND verb = ? ORDER BY seq DESC LIMIT ?`, record.CheckEventID,
		record.VerbCheck, record.MaxCheckEvents)
	return record.LastChecks(all), err
}
