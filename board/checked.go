package board

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/store"
	txt "blackboard/board/text"
)

// checkID is the id of the events that record a check. The log is indexed by it.
const checkID = "check"

// What is read of checks at most, and what a record of one has.
const (
	maxCheckEvents    = 200 // the latest of a run
	maxChecks         = 8   // of reports that were checked last
	maxCheckedReports = 20  // the first that one record names
	maxReportName     = 200 // bytes
	maxCheckRecord    = 64 << 10
)

// ReportCheck is the verdict of a check of one report, or of several together, without their
// contents.
type ReportCheck struct {
	// Reports are their paths below the directory of the project; of many the first 20.
	Reports []string      `json:"reports"`
	SHA256  string        `json:"sha256"` // of their texts
	Dir     string        `json:"dir"`    // tells that directory from others without naming it
	Passed  bool          `json:"passed"` // every step passed, the gate too
	Steps   []CheckedStep `json:"steps"`  // those that the policy has

	JudgedAt int64 `json:"judged_at"` // the event up to which the run was judged
	Entries  int64 `json:"entries"`   // how many the run had then
}

// CheckedStep is the verdict on one step of a check.
type CheckedStep struct {
	Name    string `json:"name"`
	Passed  bool   `json:"passed"`
	Skipped bool   `json:"skipped"` // nothing was checked
	Wrong   int    `json:"wrong"`   // what it found to be wrong or missing
	Unsure  int    `json:"unsure"`  // what it could not decide
}

// CheckRecord is the verdict of a check that the run has on record.
type CheckRecord struct {
	Seq    int64     `json:"seq"` // the event
	At     time.Time `json:"at"`
	Worker string    `json:"worker"` // who checked
	ReportCheck
}

// RecordCheck puts the verdict of a check on record, unless the run has the same for these
// reports, or cannot be written. It is only for those that check: looking writes nothing.
func (b *Board) RecordCheck(ctx context.Context, worker string, c ReportCheck) error {
	c.Reports = slices.Clone(c.Reports[:min(len(c.Reports), maxCheckedReports)])
	for i := range c.Reports {
		name := &c.Reports[i]
		maskText(ctx, "the name of the report", name)
		*name = txt.ClipBytes(txt.Plain(txt.UTF8(*name)), maxReportName)
	}
	var all []CheckRecord
	if len(c.Reports) == 0 {
		return invalid("a check of no report is not recorded", "")
	}
	if err := b.read(ctx, func(tx *store.Tx) (err error) {
		if all, err = checks(tx); err != nil {
			return err
		}
		return tx.QueryRow(`SELECT coalesce((SELECT id FROM entries WHERE seq <= ? ORDER BY id DESC LIMIT 1), 0)`,
			c.JudgedAt).Scan(&c.Entries)
	}); err != nil || slices.ContainsFunc(all, func(o CheckRecord) bool { return o.is(&c) }) {
		return err
	}
	err := b.write(ctx, worker, func(w *writer) error { return w.event(verbCheck, checkID, c) })
	if errors.Is(err, fault.ReadOnly) {
		return nil // the check needs no record
	}
	return err
}

// is reports whether a verdict says what one on record does. Another entry makes it another
// verdict: it says that the reports were checked since. Another directory does not: a service
// checks each time in a new one.
func (c *ReportCheck) is(o *ReportCheck) bool {
	return slices.Equal(c.Reports, o.Reports) && c.SHA256 == o.SHA256 && c.Passed == o.Passed &&
		slices.Equal(c.Steps, o.Steps) && c.Entries == o.Entries
}

// checked decodes the event of a check.
func (e *Event) checked() (CheckRecord, error) {
	c := CheckRecord{Seq: e.Seq, At: e.At, Worker: e.Actor}
	if err := json.Unmarshal(e.Payload, &c.ReportCheck); err != nil {
		return c, err
	}
	if len(e.Payload) > maxCheckRecord || len(c.Reports) == 0 {
		return c, errors.New("it is no record of a check, or too long")
	}
	return c, nil
}

// checks returns the last check of each report, the latest first.
func checks(tx *store.Tx) ([]CheckRecord, error) {
	all, err := decodeAll(tx, (*Event).checked, `WHERE id = ? AND verb = ? ORDER BY seq DESC LIMIT ?`, checkID,
		verbCheck, maxCheckEvents)
	return lastChecks(all), err
}

// lastChecks returns of checks, the latest first, those that are the last of one of their
// reports.
func lastChecks(all []CheckRecord) []CheckRecord {
	last, seen := []CheckRecord{}, map[string]bool{}
	for _, c := range all[:min(len(all), maxCheckEvents)] {
		isLast := false
		for _, name := range c.Reports {
			isLast, seen[name] = isLast || !seen[name], true
		}
		if isLast && len(last) < maxChecks {
			last = append(last, c)
		}
	}
	return last
}

// Failed returns the steps that failed. The gate is not among them: it is about the run, not
// about a report, and says for itself that it is closed.
func (c *ReportCheck) Failed() (failed []CheckedStep) {
	for _, s := range c.Steps {
		if !s.Passed && s.Name != "gate" {
			failed = append(failed, s)
		}
	}
	return failed
}

// Names are the reports, as many as a line has room for.
func (c *ReportCheck) Names() string { return few(c.Reports, 3) }

// Describe is the verdict in a few words, with the steps that failed and what they found.
func (c *ReportCheck) Describe() string {
	if c.Passed {
		return c.Names() + " passed"
	}
	var steps []string
	for _, s := range c.Failed() {
		steps = append(steps, strings.TrimSuffix(fmt.Sprintf("%s %d", s.Name, s.Wrong), " 0"))
	}
	if len(steps) == 0 {
		return c.Names() + " passed, but the gate was closed"
	}
	return c.Names() + " FAILED: " + strings.Join(steps, ", ")
}

// Since says how many entries were posted after a check; "" for none.
func (s *State) Since(c CheckRecord) string {
	if n := s.Entries.Total - c.Entries; n > 0 {
		return txt.Count(n, "entry", "entries") + " since"
	}
	return ""
}
