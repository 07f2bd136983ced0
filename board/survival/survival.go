// Package survival checks whether reports carry what a run must not lose. It compares
// items with the reports by words and numbers ([Check]), then by meaning if there is a
// model ([Result.AddMeaning]). It knows no database; package board says which items a
// run has.
//
// # How good it is
//
// On nine reviews by authors who did not know the code, read while it was written, the
// precision and recall of "missing" are 1 and 0.92, and no item of their corrected
// reports is called missing; of 63 sentences changed to contradict an item 35 are named.
// On 80 items of the group "blind" (testdata/survival), precision and recall are 0.62 and
// 0.53, and on 60 items of two real runs 0.76 and 0.76. What it misses most are swapped
// roles (who does what to whom), and topics that share all words with an item.
// `go test ./board/survival -run 'Labels|Sets|Pairs' -v` repeats the figures. The real runs
// are in BOARD_SHARED; without them that test is skipped.
//
// Semantic survival accepts a statement above a minimum cosine if it has the item's
// numbers and denies what the item denies. Choose the minimum cosine for your model on
// items that you have read.
package survival

import (
	"fmt"

	"blackboard/board/claims"
	"blackboard/board/documents"
)

// Reasons why an item must be in the report.
const (
	WhyMustSurface   = "must-surface"  // an entry with --must-surface
	WhyContradiction = "contradiction" // an entry of that type
	WhyOpen          = "open signal"   // an open question
	WhyWaived        = "waived signal" // a waived question
)

// Item is a statement that the report must carry.
type Item struct {
	ID       string `json:"id"`       // e12 or s3
	Why      string `json:"why"`      // must-surface, contradiction, open signal or waived signal
	Type     string `json:"type"`     // of an entry
	Priority string `json:"priority"` // of a signal
	Worker   string `json:"worker"`
	Content  string `json:"content"`
	Reason   string `json:"reason"` // why a signal was waived
}

// Reasons why an item is missing.
const (
	MissAbsent = "absent"         // no passage has enough of its words
	MissNumber = "number differs" // a passage has the words, but not every number
	// a passage has the words, and says the opposite with them or calls it false
	MissContradicted = "contradicted"
	MissScattered    = "scattered" // the words are spread over the report
)

// Passage is a place in a report.
type Passage struct {
	Report string `json:"report"` // its name
	// from 1, of the text as it was read (a docx paragraph is a line)
	Line int `json:"line"`
	// the place in the document: "line 12", "page 3", "Totals!B7"
	Where string `json:"where"`
	Text  string `json:"text"` // at most 300 characters of it, on one line
}

// ItemResult says whether an item survived, and where.
type ItemResult struct {
	Item
	Present bool `json:"present"` // whether a report carries it
	// absent, number differs, contradicted or scattered; "" if present
	Cause string `json:"cause"`
	// share of the item's words that the passage has (of its numbers if it has no words),
	// 0..1
	Coverage      float64  `json:"coverage"`
	MissingTokens []string `json:"missing_tokens"` // the words it does not have
	// numbers of the item that the passage does not have
	MissingNumbers []string `json:"missing_numbers"`
	Passage        *Passage `json:"passage"` // the nearest one; null if nothing is near
	// to the nearest passage by meaning, -1..1; null if only words were compared
	Cosine    *float64 `json:"cosine"`
	ByMeaning bool     `json:"by_meaning"` // it is present by meaning, not by its words
	// what the nearest passage says about it: supported, unsure (no failure), refuted or
	// unsupported
	Verdict string   `json:"verdict"`
	Reasons []string `json:"reasons"` // why the passage refutes it
}

// Result says whether the reports carry what the run found. A pass is necessary, not
// sufficient: words and numbers were compared, not meaning.
type Result struct {
	Run     string   `json:"run"`
	Seq     int64    `json:"seq"`     // the last event that was read
	Reports []string `json:"reports"` // their names
	// Skipped are the files of the directories and patterns given that were not read.
	// The caller of Check sets them.
	Skipped []documents.Skipped `json:"skipped,omitempty"`
	// nothing is missing, and there was enough to look for
	Passed  bool         `json:"passed"`
	Checked int          `json:"checked"` // items
	Missing int          `json:"missing"` // of them
	Items   []ItemResult `json:"items"`
	// Empty means that the run has no entries.
	Empty bool `json:"empty"`
	// MinItems is the minimum number of items.
	MinItems int `json:"min_items"`
	// Warning says that there were no items, or too few; "" if there were enough.
	Warning string `json:"warning"`
	// Dropped are superseded entries that had to surface, and whose successors need not.
	Dropped []Dropped `json:"dropped"`
	// UnmarkedAnswers are the entries that answer a critical or high question and need
	// not surface: they were not looked for. The caller of Check sets them.
	UnmarkedAnswers []string `json:"unmarked_answers,omitempty"`
	// Semantic describes the comparison by meaning; null if there was none.
	Semantic *Semantic `json:"semantic"`
}

// Dropped is a superseded must-surface entry whose successor need not surface, with the
// reason.
type Dropped struct {
	ID      string `json:"id"`
	By      string `json:"by"`     // the entry that supersedes it
	Worker  string `json:"worker"` // who dropped the duty
	Reason  string `json:"reason"` // why the duty was dropped
	Content string `json:"content"`
}

// Demand sets the number of entries and the minimum number of items. Without entries,
// or with fewer items, the result does not pass.
func (r *Result) Demand(empty bool, minItems int) {
	r.Empty, r.MinItems = empty, minItems
	r.count()
}

// Semantic describes a comparison by meaning.
type Semantic struct {
	Model     string  `json:"model"`      // the embedding model that compared
	MinCosine float64 `json:"min_cosine"` // from which an item counts as present
}

// Check looks for each item in the reports, and returns the results in the order of the
// items.
//
// An item that stands in a report word for word is present, unless it is cut out of a
// denial there, or called false. Otherwise the statements that are nearest to it are
// compared with it: their words, and the figures, one to one by what they are about
// (package claims). It is missing if no passage speaks of it, or if one contradicts it:
// with another number, unit, currency, rate, bound or sign, with figures that are
// exchanged, with a denial or the opposite of a word. What is not sure counts as present,
// and its verdict says so. In long reports, where the words of any item meet by chance,
// more of them must stand together.
func Check(items []Item, reports ...*documents.Document) Result {
	r := Result{Reports: make([]string, len(reports)), Dropped: []Dropped{},
		Items: make([]ItemResult, len(items))}
	all := make([]report, len(reports))
	for i, d := range reports {
		r.Reports[i], all[i] = d.Name, newReport(d)
	}
	for i, item := range items {
		r.Items[i] = ItemResult{Item: item, Cause: MissAbsent, MissingTokens: []string{},
			MissingNumbers: []string{}, Reasons: []string{}, Verdict: claims.Unsupported.String()}
		var best claims.Survival
		for k := range all {
			if out, s := all[k].judge(item); k == 0 || s.Better(&best) {
				r.Items[i], best = out, s
			}
		}
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
		r.Warning = "the run has no entries, so a report has nothing to carry"
	case r.Checked < r.MinItems:
		r.Warning = fmt.Sprintf("%d %s had to surface; the minimum is %d", r.Checked,
			map[bool]string{true: "item", false: "items"}[r.Checked == 1], r.MinItems)
	case r.Checked == 0:
		r.Warning = "nothing on the board must surface: no entry is marked, and no signal is " +
			"open or waived"
	}
	r.Passed = r.Missing == 0 && !r.Empty && r.Checked >= r.MinItems
}
