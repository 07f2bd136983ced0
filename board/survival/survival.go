// Package survival says whether reports carry what a run must not lose. It compares items
// with them: by their words and numbers ([Check]), then by meaning where there is a model
// ([Result.AddMeaning]). It knows no database; which items a run has, package board says.
//
// A report is lines (package documents), which become an index of units (index.go). An item
// becomes a pattern of wants (pattern.go), and the passage that answers to most of them
// is looked for (find.go).
//
// # How good it is
//
// Held against 60 items of two real runs, labelled by reading before the heuristic
// existed (testdata/survival), "missing" has a precision of 0.82 and a recall of 0.86
// (on the half that nothing was tuned on: 0.73 and 1.00; on the other: 1.00 and 0.70).
// Plain containment over the whole file finds 2 of the 21 missing ones. The false alarms
// are free paraphrases; the misses are short questions of common words, and a claim
// whose opposite is in the report. `go test ./board/survival -run Labels -v` repeats the
// figures where the runs are (BOARD_SHARED names the folder that holds data/irys;
// without it the test is skipped).
//
// Semantic survival takes a passage above a least cosine that has the item's numbers.
// The default of 0.9 is strict on purpose. With the small static model potion-base-2M
// the four false alarms reach .67 to .80, and truly missing items up to .86, so that
// model settles nothing here; choose the least cosine for your model on items that you
// have read.
package survival

import (
	"fmt"

	"blackboard/board/documents"
)

// Why an item must be found in the artifact.
const (
	WhyMustSurface   = "must-surface"  // an entry that was posted so
	WhyContradiction = "contradiction" // an entry of that type
	WhyOpen          = "open signal"   // a question that nobody has answered
	WhyWaived        = "waived signal" // a question that somebody decided to leave open
)

// Item is something that the final artifact must carry.
type Item struct {
	ID       string `json:"id"`       // e12 or s3
	Why      string `json:"why"`      // one of the Why… values
	Type     string `json:"type"`     // of an entry
	Priority string `json:"priority"` // of a signal
	Worker   string `json:"worker"`
	Content  string `json:"content"`
	Reason   string `json:"reason"` // why a signal was waived
}

// Why an item counts as missing.
const (
	MissAbsent    = "absent"         // its words are not there
	MissNumber    = "number differs" // a passage has the words, but not every number
	MissScattered = "scattered"      // the words are there, but in no one passage
)

// Passage is a place in a report.
type Passage struct {
	Report string `json:"report"` // its name
	Line   int    `json:"line"`   // from 1, of the text as it was read (a docx paragraph is a line)
	Where  string `json:"where"`  // as documents.Document.Where says it: "line 12", "page 3", "Totals!B7"
	Text   string `json:"text"`   // at most 300 characters of it, on one line
}

// ItemResult says whether one item survived, and where.
type ItemResult struct {
	Item
	Present        bool     `json:"present"`
	Cause          string   `json:"cause"`           // one of the Miss… values, or "" if present
	Coverage       float64  `json:"coverage"`        // share of the item's words that the passage has (of its numbers if it has no words), 0..1
	MissingTokens  []string `json:"missing_tokens"`  // the words it does not have
	MissingNumbers []string `json:"missing_numbers"` // numbers of the item that the passage does not have
	Passage        *Passage `json:"passage"`         // the nearest one; null if nothing is near
	Cosine         *float64 `json:"cosine"`          // to the nearest passage by meaning, -1..1; null if only words were compared
	ByMeaning      bool     `json:"by_meaning"`      // it is present by meaning, not by its words
}

// Result says whether the reports carry what the run found. Passing is necessary, not sufficient: words and
// numbers were compared, not meaning.
type Result struct {
	Run     string   `json:"run"`
	Seq     int64    `json:"seq"`     // the event up to which the board was looked at
	Reports []string `json:"reports"` // their names
	// Skipped are the files of the directories and patterns given that were not read. The caller
	// of Check sets them.
	Skipped []documents.Skipped `json:"skipped,omitempty"`
	Passed  bool                `json:"passed"`  // nothing is missing, and there was enough to look for
	Checked int                 `json:"checked"` // items
	Missing int                 `json:"missing"` // of them
	Items   []ItemResult        `json:"items"`
	// Empty says that the run has no entry: nothing was found that a report could carry.
	Empty bool `json:"empty"`
	// MinItems is how many items there must be.
	MinItems int `json:"min_items"`
	// Warning says that there was nothing, or too little, to look for; "" if there was enough.
	Warning string `json:"warning"`
	// Dropped are superseded entries that had to surface, and whose successors need not.
	Dropped []Dropped `json:"dropped"`
	// Semantic says how meaning was compared; null if it was not.
	Semantic *Semantic `json:"semantic"`
}

// Dropped is a superseded entry that had to surface. What supersedes it need not, for a reason.
type Dropped struct {
	ID      string `json:"id"`
	By      string `json:"by"`     // the entry that supersedes it
	Worker  string `json:"worker"` // who dropped the duty
	Reason  string `json:"reason"`
	Content string `json:"content"`
}

// Demand says whether the run has entries, and how many items it must have. Without entries, or
// with fewer items, the result is not passed.
func (r *Result) Demand(empty bool, minItems int) {
	r.Empty, r.MinItems = empty, minItems
	r.count()
}

// Semantic is how meaning was compared.
type Semantic struct {
	Model     string  `json:"model"`
	MinCosine float64 `json:"min_cosine"` // from which an item counts as present
}

// Check looks for each item in the reports, and returns the results in the order of the
// items.
//
// An item is reduced to its significant tokens: words of four letters or more that are
// not function words, acronyms, pairs of Chinese, Japanese or Korean characters,
// numbers, dates and identifiers. It is present if one passage of one report, a few
// sentences or neighbouring lines with the headings above them, has at least 60 % of the
// words (three tokens at least, or all if there are fewer), and every number of the item
// stands in that passage or next to it. Words are compared by their stems, numbers by
// their value; the words of a name count as one. Of a waived signal the question must be
// there; the reason alone ("expired", "out of scope") could be about anything.
//
// It is monotone: text appended to a report as a new paragraph, or a further report,
// never makes a present item missing. It compares words and not meaning, so a present
// item may still be contradicted; a missing one may have been said in other words.
func Check(items []Item, reports ...*documents.Document) Result {
	r := Result{Reports: make([]string, len(reports)), Dropped: []Dropped{}, Items: make([]ItemResult, len(items))}
	indexes := make([]*index, len(reports))
	for i, report := range reports {
		r.Reports[i], indexes[i] = report.Name, newIndex(report)
	}
	var work hits
	for i, item := range items {
		best := finding{pattern: newPattern(item.Content), cause: MissAbsent, first: -1}
		for _, x := range indexes {
			if f := best.pattern.find(x, &work); best.index == nil || f.better(best) {
				best = f
			}
		}
		r.Items[i] = best.result(item)
	}
	r.count()
	return r
}

// count sums the items up.
func (r *Result) count() {
	r.Checked, r.Missing = len(r.Items), 0
	for i := range r.Items {
		if !r.Items[i].Present {
			r.Missing++
		}
	}
	r.Warning = ""
	switch {
	case r.Empty:
		r.Warning = "the run has no entries: nothing was found that a report could carry"
	case r.Checked < r.MinItems:
		r.Warning = fmt.Sprintf("%d %s had to surface; at least %d was asked for", r.Checked, map[bool]string{true: "item", false: "items"}[r.Checked == 1], r.MinItems)
	case r.Checked == 0:
		r.Warning = "nothing on the board had to surface: no entry must, and no signal is open or waived"
	}
	r.Passed = r.Missing == 0 && !r.Empty && r.Checked >= r.MinItems
}
