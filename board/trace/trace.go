package trace

import (
	"fmt"
	"slices"
	"strings"

	"blackboard/board/documents"
)

// Kinds of facts.
const (
	KindMoney      = "money"
	KindPercent    = "percent"
	KindNumber     = "number" // a count, a measure, a range, a number without a unit
	KindDate       = "date"   // also a year
	KindTime       = "time"
	KindIdentifier = "identifier" // a path, a version, a code, an address
	KindName       = "name"       // of a product, a company, a person, a place
	KindQuote      = "quote"
	KindStatement  = "statement" // a sentence that an entry says the opposite of, or none says
)

// Verdicts on a fact.
const (
	Supported   = "supported"   // entries support it
	Derived     = "derived"     // it follows from figures of entries or of the passage
	Source      = "source"      // a source has it, and no entry
	Unsupported = "unsupported" // nothing supports it
)

// Causes are more exact than the verdict.
const (
	Rounded    = "rounded"        // supported: by a more exact figure
	Elsewhere  = "attributed"     // unsupported: the board has it of something else
	OtherUnit  = "unit differs"   // unsupported: the board has the number with another unit
	OtherValue = "number differs" // unsupported: the board has another figure of the same thing
	Opposite   = "contradicted"   // unsupported: an entry says the opposite
	Absent     = "absent"         // unsupported: the board has nothing like it
)

// Record is a text of a board that may support facts: an entry with its evidence and
// the name of its source, a signal, the goal.
type Record struct {
	ID   string // e12, s3, goal
	Text string // paragraphs
	Ref  string // where it stands in its source: its numbers count no thing
	// the documents that it cites, each with the place in it
	Cites [][2]string
	// how sure its author is, or nil: it supports figures of sentences that speak of it
	Confidence *float64
}

// Records calls read with each record of a board and stops at its first error. It is
// called twice and must give the same records in the same order.
type Records func(read func(Record) error) error

// Sources calls read with each document and stops at its first error.
type Sources func(read func(*documents.Document) error) error

// Place is a line of a source.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"` // at most 200 characters of it
}

// Fact is a number, a date or a name that a report states.
type Fact struct {
	Report  string   `json:"report"`
	Line    int      `json:"line"`    // from 1, of the report
	Text    string   `json:"text"`    // as the report has it
	Kind    string   `json:"kind"`    // one of the kinds of facts
	Verdict string   `json:"verdict"` // supported, derived, source or unsupported
	Cause   string   `json:"cause"`   // one of the causes, or ""
	Entries []string `json:"entries"` // that support it, or are nearest; five at most
	Source  *Place   `json:"source"`  // that supports it, where no entry does
	// Unsure means that it is unsupported, and may well be right: a policy does not count it.
	Unsure  bool     `json:"unsure"`
	Why     string   `json:"why"`     // for people: how it follows, what differs; or ""
	From    []string `json:"from"`    // the figures from which it follows, as they are written
	Passage int      `json:"passage"` // which of the result's passages states it, from 0
}

// causes say for people why a fact is unsupported.
var causes = map[string]string{
	Elsewhere:  "of something else on the board",
	OtherUnit:  "with another unit",
	OtherValue: "another figure",
	Opposite:   "contradicted",
	Absent:     "absent",
}

// Describe says on one line what supports the fact, or why nothing does.
func (f *Fact) Describe() string {
	why := causes[f.Cause]
	if f.Cause == OtherUnit && f.Why != "" { // which says so itself
		why = ""
	}
	if f.Unsure {
		why = strings.TrimSuffix("unsure, "+why, ", ")
	}
	switch {
	case f.Verdict == Source && f.Source != nil:
		return strings.TrimSuffix(fmt.Sprintf("only in %s:%d; %s", f.Source.File, f.Source.Line, f.Why), "; ")
	case f.Verdict == Derived && len(f.From) > 0:
		return fmt.Sprintf("%s: %s (%s)", f.Verdict, f.Why, strings.Join(f.From, ", "))
	case f.Verdict != Unsupported && f.Why != "":
		return f.Verdict + ": " + f.Why
	case f.Verdict != Unsupported:
		return f.Verdict
	case f.Why != "":
		return strings.TrimPrefix(why+": "+f.Why, ": ")
	case len(f.Entries) > 0:
		return why + "; nearest is " + f.Entries[0]
	}
	return why
}

// Passage is a sentence, a heading or a row of a report that states facts.
type Passage struct {
	Report  string   `json:"report"`
	Line    int      `json:"line"`
	Text    string   `json:"text"`    // at most 300 characters of it
	Facts   int      `json:"facts"`   // number of facts in it
	Missing int      `json:"missing"` // facts that nothing supports
	Entries []string `json:"entries"` // that support its facts, the one with the most facts first
}

// Result has the support of each fact of the reports.
type Result struct {
	Run         string   `json:"run"`
	Seq         int64    `json:"seq"`         // the event up to which the board was read
	Reports     []string `json:"reports"`     // their names
	Sources     int      `json:"sources"`     // files that were read
	Passed      bool     `json:"passed"`      // nothing is unsupported
	Checked     int      `json:"checked"`     // facts
	Supported   int      `json:"supported"`   // facts that an entry states
	Derived     int      `json:"derived"`     // facts that follow from entries by calculation
	SourceOnly  int      `json:"source_only"` // facts that only a source states
	Unsupported int      `json:"unsupported"` // facts that nothing states
	Unsure      int      `json:"unsure"`      // of them: those that may well be right
	// sentences that tell what no finding says; a warning that is in no other count
	Unsaid int `json:"unsaid"`
	// of the facts that are not unsupported; 1 without facts
	Share float64 `json:"share"`

	Facts    []Fact    `json:"facts"`    // the worst first
	Passages []Passage `json:"passages"` // in the reports' order
}

// Check looks for the reports' facts in the records of a board. Facts that no record
// supports are looked for in sources, which may be nil.
func Check(board Records, sources Sources, reports ...*documents.Document) (Result, error) {
	t := newTracer()
	names := make([]string, len(reports))
	for i, r := range reports {
		names[i] = r.Name
		t.readReport(r)
	}
	if err := t.readBoard(board); err != nil {
		return Result{}, err
	}
	t.judge()
	if err := t.readNearest(board); err != nil {
		return Result{}, err
	}
	t.conclude()
	if sources != nil &&
		slices.ContainsFunc(t.facts,
			func(f fact) bool { return f.verdict.Verdict == Unsupported }) {
		if err := t.readSources(sources); err != nil {
			return Result{}, err
		}
	}
	r := t.result()
	r.Reports, r.Sources = names, t.sources
	return r, nil
}
