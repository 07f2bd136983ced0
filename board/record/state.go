package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	txt "blackboard/board/text"
)

// State is the summary of a board. Its cost does not depend on the number of entries. It
// grows with the workers and the variables.
type State struct {
	Run       string       `json:"run"`
	Goal      string       `json:"goal"`
	Created   time.Time    `json:"created"`
	Updated   time.Time    `json:"updated"` // of the newest event
	Seq       int64        `json:"seq"`     // of the newest event
	Entries   EntryCounts  `json:"entries"`
	Signals   SignalCounts `json:"signals"`
	Links     CountsByName `json:"links"`   // by kind
	Workers   []Worker     `json:"workers"` // the most recent first
	Variables []Variable   `json:"variables"`
	Expected  []Expected   `json:"expected"` // workers that the run waits or has waited for
	// Retrievals is how often workers were given something of the knowledge base.
	Retrievals int64 `json:"retrievals"`
	// Receipts is how many commands and edits hooks saw.
	Receipts int64 `json:"receipts"`
	// Checks are the last checks of reports, the latest first.
	Checks []CheckRecord `json:"checks"`
}

type CountsByName map[string]int64

func (c CountsByName) Total() (n int64) {
	for _, v := range c {
		n += v
	}
	return n
}

type EntryCounts struct {
	Total       int64        `json:"total"`
	ByType      CountsByName `json:"by_type"`      // entries by type, superseded ones too
	ByStatus    CountsByName `json:"by_status"`    // all entries by status
	MustSurface int64        `json:"must_surface"` // entries that the report must carry, none superseded
}

type SignalCounts struct {
	Total     int64        `json:"total"`
	Open      CountsByName `json:"open"`      // open signals by priority
	Addressed CountsByName `json:"addressed"` // addressed signals by priority
	Waived    CountsByName `json:"waived"`    // waived signals by priority
}

func (c *SignalCounts) Of(status string) CountsByName {
	switch status {
	case SignalOpen:
		return c.Open
	case Addressed:
		return c.Addressed
	default:
		return c.Waived
	}
}

type Worker struct {
	Name    string    `json:"name"`
	Entries int64     `json:"entries"` // posted
	Events  int64     `json:"events"`  // caused
	Last    time.Time `json:"last"`    // of the last one
}

// NewState returns the summary of an empty board.
func NewState() State {
	st := State{Workers: []Worker{}, Variables: []Variable{}, Expected: []Expected{},
		Checks: []CheckRecord{}, Links: CountsByName{}}
	st.Entries = EntryCounts{ByType: CountsByName{}, ByStatus: CountsByName{}}
	st.Signals = SignalCounts{Open: CountsByName{}, Addressed: CountsByName{},
		Waived: CountsByName{}}
	return st
}

// ListWorkers returns the workers, who wrote last first.
func ListWorkers(byName map[string]*Worker) []Worker {
	all := []Worker{}
	for _, w := range byName {
		all = append(all, *w)
	}
	slices.SortFunc(all, func(a, b Worker) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(b.Events, a.Events),
			strings.Compare(a.Name, b.Name))
	})
	return all
}

// State summarises the snapshot as Board.State does.
func (s *Snapshot) State() State {
	st := NewState()
	st.Run, st.Goal, st.Created, st.Updated, st.Seq, st.Variables = s.Run, s.Goal, s.Created, s.At,
		s.Seq, s.Variables
	st.Expected, st.Retrievals = s.Expected, int64(len(s.Retrievals))
	st.Checks = append(st.Checks, s.Checks...)
	st.Receipts, st.Workers = int64(len(s.Receipts)), append(st.Workers, s.Workers...)
	for _, e := range s.Entries {
		st.Entries.Total++
		st.Entries.ByType[e.Type]++
		st.Entries.ByStatus[e.Status]++
		if e.MustSurface && e.Status != Superseded {
			st.Entries.MustSurface++
		}
		for _, k := range LinkKinds {
			if n := len(e.Of(k)); n > 0 {
				st.Links[k] += int64(n)
			}
		}
	}
	for _, sig := range s.Signals {
		st.Signals.Total++
		st.Signals.Of(sig.Status)[sig.Priority]++
	}
	return st
}

// What a run has spent, by convention: variables with a JSON number; one worker's with a dot and
// its name added: tokens.reader-1.
const (
	TokensVariable = "tokens"
	BudgetVariable = "token_budget"
	CostVariable   = "cost" // in whatever is paid
)

// Spent is what a run or a worker has spent; nil if not known.
type Spent struct{ Tokens, Budget, Cost *float64 }

// Spent is what a worker or, with "", the run has spent: by its own word, or its workers' sum.
func (s *State) Spent(worker string) (all Spent) {
	var sum Spent
	for _, v := range s.Variables {
		var n float64
		if json.Unmarshal(v.Value, &n) != nil || n < 0 {
			continue
		}
		name, of, _ := strings.Cut(v.Key, ".")
		into := map[string][2]**float64{
			TokensVariable: {&all.Tokens, &sum.Tokens},
			BudgetVariable: {&all.Budget, nil},
			CostVariable:   {&all.Cost, &sum.Cost},
		}[name]
		switch {
		case into[0] == nil:
		case of == worker:
			*into[0] = &n
		case worker == "" && into[1] != nil:
			if *into[1] == nil {
				*into[1] = new(float64)
			}
			**into[1] += n
		}
	}
	if all.Tokens == nil {
		all.Tokens = sum.Tokens
	}
	if all.Cost == nil {
		all.Cost = sum.Cost
	}
	return all
}

// Describe says it in a few words; "" if nothing is known.
func (s Spent) Describe() string {
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	var parts []string
	switch {
	case s.Tokens != nil && s.Budget != nil:
		parts = append(parts, number(*s.Tokens)+" of "+number(*s.Budget)+" tokens")
	case s.Tokens != nil:
		parts = append(parts, number(*s.Tokens)+" tokens")
	}
	if s.Cost != nil {
		parts = append(parts, "cost "+number(*s.Cost))
	}
	return strings.Join(parts, ", ")
}

// LastWord is when an expected worker last did anything, or else got its status.
func (s *State) LastWord(e *Expected) time.Time {
	for i := range s.Workers {
		if w := &s.Workers[i]; w.Name == e.Worker && w.Last.After(e.At) {
			return w.Last
		}
	}
	return e.At
}

// CheckEventID is the id of the events that record a check. The log is indexed by it.
const CheckEventID = "check"

// What is read of checks at most, and what a record of one has.
const (
	MaxCheckEvents = 200 // the latest of a run
	maxChecks      = 8   // of reports that were checked last
	maxCheckRecord = 64 << 10
)

// ReportCheck is the verdict on a report, or on several together, without contents.
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

// Is reports whether a verdict says what one on record does. Another entry makes it another,
// checked since; another directory, as a service has each time, does not.
func (c *ReportCheck) Is(o *ReportCheck) bool {
	return slices.Equal(c.Reports, o.Reports) && c.SHA256 == o.SHA256 && c.Passed == o.Passed &&
		slices.Equal(c.Steps, o.Steps) && c.Entries == o.Entries
}

func (e *Event) Checked() (CheckRecord, error) {
	c := CheckRecord{Seq: e.Seq, At: e.At, Worker: e.Actor}
	if err := json.Unmarshal(e.Payload, &c.ReportCheck); err != nil {
		return c, err
	}
	if len(e.Payload) > maxCheckRecord || len(c.Reports) == 0 {
		return c, errors.New("it is no record of a check, or too long")
	}
	return c, nil
}

// LastChecks returns the checks that are the last of one of their reports: at most 8 of the first
// MaxCheckEvents. all has the latest first.
func LastChecks(all []CheckRecord) []CheckRecord {
	last, seen := []CheckRecord{}, map[string]bool{}
	for _, c := range all[:min(len(all), MaxCheckEvents)] {
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

// ReportNames names three reports, and how many more: a.md, b.md, c.md and 2 more.
func (c *ReportCheck) ReportNames() string { return txt.Few(c.Reports, 3) }

// Describe is the verdict in a few words, with the steps that failed and what they found.
func (c *ReportCheck) Describe() string {
	if c.Passed {
		return c.ReportNames() + " passed"
	}
	var steps []string
	for _, s := range c.Failed() {
		steps = append(steps, strings.TrimSuffix(fmt.Sprintf("%s %d", s.Name, s.Wrong), " 0"))
	}
	if len(steps) == 0 {
		return c.ReportNames() + " passed, but the gate was closed"
	}
	return c.ReportNames() + " FAILED: " + strings.Join(steps, ", ")
}

// DescribeNewEntries says how many entries were posted after a check; "" for none.
func (s *State) DescribeNewEntries(c CheckRecord) string {
	if n := s.Entries.Total - c.Entries; n > 0 {
		return txt.Count(n, "entry", "entries") + " since"
	}
	return ""
}
