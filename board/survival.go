package board

import (
	"context"

	"blackboard/board/sqlite"
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

// items lists what a board obliges its artifact to carry: must-surface entries and contradictions that are not superseded,
// then open and waived signals by urgency.
func items(tx *sqlite.Tx) ([]Item, error) {
	entries, err := selectEntries(tx, `FROM entries e WHERE e.must_surface = 1 AND e.status <> 'superseded' ORDER BY e.id`)
	if err != nil {
		return nil, err
	}
	out := []Item{}
	for _, e := range entries {
		why := WhyMustSurface
		if e.Type == Contradiction {
			why = WhyContradiction
		}
		out = append(out, Item{ID: e.ID, Why: why, Type: e.Type, Worker: e.Worker, Content: e.Content})
	}
	signals, err := selectSignals(tx, `FROM signals s WHERE s.status IN ('open', 'waived') ORDER BY s.priority, s.id`)
	if err != nil {
		return nil, err
	}
	for _, s := range signals {
		why := WhyOpen
		if s.Status == Waived {
			why = WhyWaived
		}
		out = append(out, Item{ID: s.ID, Why: why, Priority: s.Priority, Worker: s.Worker, Content: s.Content, Reason: s.Reason})
	}
	return out, nil
}

// Items returns what the board obliges its final artifact to carry, in the order in which Survival lists it.
func (b *Board) Items(ctx context.Context) ([]Item, error) {
	var out []Item
	err := b.read(ctx, func(tx *sqlite.Tx) (err error) {
		out, err = items(tx)
		return err
	})
	return out, err
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

// Survival is the answer to whether the artifact carries what the run found. Passing is necessary, not sufficient:
// words and numbers were compared, not meaning.
type Survival struct {
	Run     string       `json:"run"`
	Seq     int64        `json:"seq"`     // the event up to which the board was looked at
	Reports []string     `json:"reports"` // their names
	Passed  bool         `json:"passed"`  // nothing is missing
	Checked int          `json:"checked"` // items
	Missing int          `json:"missing"` // of them
	Items   []ItemResult `json:"items"`
	// Semantic says how meaning was compared; null if it was not.
	Semantic *SemanticCheck `json:"semantic"`
}

// SemanticCheck is how meaning was compared.
type SemanticCheck struct {
	Model     string  `json:"model"`
	MinCosine float64 `json:"min_cosine"` // from which an item counts as present
}

// count sums the items up.
func (s *Survival) count() {
	s.Checked, s.Missing = len(s.Items), 0
	for i := range s.Items {
		if !s.Items[i].Present {
			s.Missing++
		}
	}
	s.Passed = s.Missing == 0
}

// Survival says whether everything that the board obliges its artifact to carry is in one or other of the reports. It is read in one
// transaction, so the answer belongs to one moment of the board; see CheckSurvival for what counts as being there.
func (b *Board) Survival(ctx context.Context, reports ...*Report) (Survival, error) {
	if len(reports) == 0 {
		return Survival{}, invalid("no report is given", "name the final artifact, or - for standard input")
	}
	s := Survival{Run: b.run, Reports: []string{}}
	var list []Item
	err := b.read(ctx, func(tx *sqlite.Tx) (err error) {
		if s.Seq, err = lastSeq(tx); err != nil {
			return err
		}
		list, err = items(tx)
		return err
	})
	if err != nil {
		return Survival{}, err
	}
	for _, r := range reports {
		s.Reports = append(s.Reports, r.Name)
	}
	s.Items = CheckSurvival(list, reports)
	s.count()
	return s, nil
}
