package verify

import (
	"cmp"
	"slices"
	"strings"

	"blackboard/board/claims"
)

// Result says which findings are in their sources. A pass is necessary, not sufficient:
// nobody has checked that the source is right and that the finding follows from it.
type Result struct {
	Run string `json:"run"`
	Seq int64  `json:"seq"` // the last event that was read
	// Passed means that something was checked, nothing is doubted and no source has
	// changed.
	Passed    bool `json:"passed"`
	Checked   int  `json:"checked"`   // findings that were checked
	Doubted   int  `json:"doubted"`   // findings that do not stand in their source
	Accepted  int  `json:"accepted"`  // findings whose doubt somebody accepted, in no other count but checked
	Unchecked int  `json:"unchecked"` // findings without a source that could be read, or with nothing to check
	// Unsourced are findings that name no source and quote nothing; they are in no other count.
	Unsourced int `json:"unsourced"`
	// Concluded are the findings that are not doubted, and whose figures neither their quote
	// nor their source has: they may conclude them.
	Concluded []string `json:"concluded"`
	// Unsure are the findings that their quote may deny; they are not doubted.
	Unsure []string `json:"unsure"`
	// OtherLanguage counts the findings that are not in English, or whose quotes are not.
	OtherLanguage int            `json:"other_language"`
	Sources       []SourceResult `json:"sources"`  // that were read, by name
	Items         []ItemResult   `json:"items"`    // in the order of the entries
	Recorded      int            `json:"recorded"` // new verdicts that were written
	// NotRecorded says why new verdicts were not written: this user can only read. "":
	// they were.
	NotRecorded string `json:"not_recorded"`

	nothingToCheck int // of Unchecked, the findings that have nothing to check
}

// SourceResult is a source that was read.
type SourceResult struct {
	Name       string `json:"name"`
	File       string `json:"file"`       // "" if the text on the board was read
	SHA256     string `json:"sha256"`     // of what was read
	Registered bool   `json:"registered"` // whether the run has registered it
	Changed    bool   `json:"changed"`    // it is another file than was registered
	Findings   int    `json:"findings"`   // findings that name it
	Doubted    int    `json:"doubted"`    // of them
}

// ItemResult is the result of one finding.
type ItemResult struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Worker      string `json:"worker"`
	Content     string `json:"content"`
	MustSurface bool   `json:"must_surface"`
	Doubted     bool   `json:"doubted"` // whether the verdict is a doubt that nobody accepted
	Part               // its source, or of several the one that decides
	// Parts are its sources, if it has several.
	Parts []Part `json:"parts,omitempty"`
	Doubt string `json:"doubt"` // its id; "" for none
	// Accepted says who accepted the doubt; null: nobody.
	Accepted *claims.Acceptance `json:"accepted"`
	// Earlier is the verdict that the board had, if the finding was not checked now.
	Earlier   string   `json:"earlier"`
	Addresses []string `json:"addresses"` // the signals that it answers
}

// item returns the result of a finding by what each of its sources has, and which decides.
func (f *Finding) item(parts []Part) (i ItemResult, decides int) {
	i = ItemResult{
		ID:          f.ID,
		Type:        f.Type,
		Worker:      f.Worker,
		Content:     f.Content,
		MustSurface: f.MustSurface,
		Part:        parts[0],
		Addresses:   append([]string{}, f.Addresses...),
	}
	if len(parts) > 1 {
		var note string
		decides, note = Together(parts)
		i.Part, i.Parts = parts[decides], parts
		i.Note = note
	}
	i.Doubted = Doubted(i.Verdict)
	return i, decides
}

// Each are its sources, be it one or several.
func (i *ItemResult) Each() []Part {
	if len(i.Parts) > 0 {
		return i.Parts
	}
	return []Part{i.Part}
}

// count adds the result of a finding to the totals, whether or not the items list it.
func (r *Result) count(item *ItemResult) {
	if item.Verdict == NothingToCheck {
		r.nothingToCheck++
	}
	if item.Doubted {
		r.Doubted++
	}
	if item.Accepted != nil {
		r.Accepted++
	} else if item.Verdict == Unsure {
		r.Unsure = append(r.Unsure, item.ID)
	}
	if slices.ContainsFunc(item.Each(), func(p Part) bool { return p.OtherLanguage }) {
		r.OtherLanguage++
	}
	if !item.Doubted && item.Accepted == nil && len(item.Missing) > 0 {
		r.Concluded = append(r.Concluded, item.ID)
	}
	if Judged(item.Verdict) {
		r.Checked++
	} else {
		r.Unchecked++
	}
}

// judge decides whether the result passes, by its totals and its sources.
func (r *Result) judge() {
	slices.SortFunc(r.Concluded, CompareIDs)
	r.Concluded = append([]string{}, r.Concluded...)
	slices.SortFunc(r.Unsure, CompareIDs)
	r.Unsure = append([]string{}, r.Unsure...)
	r.Passed = r.Doubted == 0 && r.Checked > 0
	for _, s := range r.Sources {
		r.Passed = r.Passed && !s.Changed
	}
}

// CompareIDs orders the ids of entries: e9 before e10.
func CompareIDs(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }

// limit puts the items in the order of the entries, and keeps at most so many of them; 0
// keeps all.
func (r *Result) limit(most int) {
	slices.SortFunc(r.Items, func(a, b ItemResult) int { return CompareIDs(a.ID, b.ID) })
	if most > 0 && len(r.Items) > most {
		clear(r.Items[most:])
		r.Items = r.Items[:most]
	}
}

// Reasons why nothing was checked.
const (
	NoneNamesSource = "no entry names a source"
	NoSourceFound   = "no source file was found"
	NoneCheckable   = "no finding that names a source has a quote, a number, a date or a name"
)

// NothingChecked says why nothing was checked.
func (r *Result) NothingChecked() string {
	switch {
	case r.Unchecked > 0 && r.nothingToCheck == r.Unchecked:
		return NoneCheckable
	case r.Unchecked > 0:
		return NoSourceFound
	}
	return NoneNamesSource
}

// Within reports whether the result passes with at most this many doubted findings, and
// this many whose figures are concluded; nil: any number. A changed source never passes.
func (r *Result) Within(doubted int, concluded *int) bool {
	if concluded != nil && len(r.Concluded) > *concluded {
		return false
	}
	changed := slices.ContainsFunc(r.Sources, func(s SourceResult) bool { return s.Changed })
	return r.Passed || r.Doubted > 0 && r.Doubted <= doubted && !changed
}
