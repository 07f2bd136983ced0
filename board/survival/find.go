package survival

import (
	"math"
	"slices"
	"strings"

	"blackboard/board/claims"
	"blackboard/board/claims/parse"
	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/words"
)

const (
	leastCoverage = .6  // share of an item's words that a passage must have
	passageRunes  = 300 // of the passage that a result shows
)

// An index is a report as package claims reads it.
type index struct {
	long     bool                // the reports are, together
	report   *documents.Document // without handles
	claims   *claims.Evidence
	refuting map[int]bool // of claims, once it was asked; see refute.go
}

func newIndex(r *documents.Document) *index {
	return &index{report: claims.WithoutHandles(r), claims: claims.NewEvidence(claims.ExtractCiting(r)).Even(),
		refuting: map[int]bool{}}
}

// A pattern is what a report must have for an item to be present.
type pattern struct {
	*claims.Pattern
	claim   *parse.Claim
	content string
	asks    bool // it is a question: nothing contradicts it
}

func newPattern(content string) *pattern {
	claim := parse.ExtractText(strings.TrimSpace(content), "")
	return &pattern{Pattern: claims.PatternOf(claim), claim: claim, content: content}
}

// finding says how well a report carries a pattern.
type finding struct {
	claims.Carried
	pattern *pattern
	index   *index
	cause   string // "": present

	said    *claims.Survival // if the claims of the report decided
	reasons []string         // why they contradict the item
	lacks   []string         // its figures that are not there
	unsure  bool             // a passage speaks of it, and too little of it is there to decide
	near    claims.Survival  // what the nearest claims say
	cited   bool             // a statement that cites the item contradicts it
}

func (f finding) better(g finding) bool {
	if (f.cause == "") != (g.cause == "") {
		return f.cause == ""
	}
	if f.unsure != g.unsure {
		return f.unsure == (f.cause != MissContradicted && g.cause != MissContradicted)
	}
	if (f.cause == MissContradicted) != (g.cause == MissContradicted) {
		return f.cause == MissContradicted
	}
	return f.coverage() > g.coverage()
}

func (f finding) coverage() float64 {
	if len(f.pattern.Wants) == 0 {
		if f.cause == "" {
			return 1
		}
		return 0
	}
	return f.Share
}

func (f finding) result(item Item) ItemResult {
	r := ItemResult{Item: item, Cause: f.cause, MissingTokens: []string{},
		MissingNumbers: []string{}}
	r.Unsure, r.Present = f.unsure, r.Cause == ""
	r.Present = r.Present || f.unsure && f.near.Verdict != claims.Refuted &&
		r.Cause != MissContradicted && !f.near.Rivals() &&
		(r.Cause != MissNumber && !f.scattered() || f.near.Likely())
	r.Coverage = math.Round(f.coverage()*1000) / 1000
	for i, w := range f.pattern.Wants {
		switch {
		case f.Have != nil && f.Have[i]:
		case w.Number:
			r.MissingNumbers = append(r.MissingNumbers, w.Text)
		default:
			r.MissingTokens = append(r.MissingTokens, w.Text)
		}
	}
	if f.said != nil {
		f.tell(&r)
	} else if f.unsure && f.near.Window != nil {
		r.Passage = f.index.passage(f.near.Window.Claims)
	} else if f.index != nil && f.First >= 0 && (f.cause != MissAbsent || f.Share >= nearShare) {
		r.Passage = f.index.passage(f.index.claims.Claims[f.Shown.First : f.Shown.Last+1])
	}
	return r
}

// tell writes into r what the claims of a report say: coverage, passage, reasons, and what is missing or left out.
func (f *finding) tell(r *ItemResult) {
	r.Coverage = max(r.Coverage, math.Round(f.said.Window.Cover*1000)/1000)
	r.Passage, r.MissingNumbers, r.Reasons = f.index.passage(f.said.Window.Claims), []string{}, f.reasons
	switch {
	case f.said.Verbatim:
		r.Coverage, r.MissingTokens = 1, []string{}
	case r.Present:
		r.Lacks = f.lacks
	default:
		r.MissingNumbers = append(r.MissingNumbers, f.lacks...)
	}
}

// nearShare is the share of an item's words that a passage must have to be shown as near.
const nearShare = .1

// find looks for the pattern in one report.
func (p *pattern) find(x *index) finding {
	f := finding{Carried: x.claims.Carry(p.Pattern), pattern: p, index: x, cause: MissAbsent}
	if len(p.Wants) == 0 {
		if at := lineWith(x.report, words.FoldText(p.content)); at >= 0 {
			f.cause = ""
			f.show(max(0, slices.IndexFunc(x.claims.Claims,
				func(c *parse.Claim) bool { return c.End >= x.report.Line(at) })))
		}
		return f
	}
	switch {
	case f.Full:
		f.cause = ""
		if i := p.calledFalse(x); i >= 0 {
			f.cause = MissContradicted
			f.show(i)
		}
	case f.Together && p.Numbers > 0:
		if f.cause = MissNumber; f.follows() {
			f.cause = ""
		}
	case f.Anywhere:
		f.cause = MissScattered
	}
	return f
}

// show makes one claim of the report the passage, if it has any.
func (f *finding) show(i int) {
	if i < len(f.index.claims.Claims) {
		f.Span = claims.Span{First: i, Last: i, From: i, To: i}
		f.Shown = f.Span
	}
}

// passage describes claims that follow one another.
func (x *index) passage(all []*parse.Claim) *Passage {
	text := textOf(all)
	return &Passage{Report: x.report.Name, Line: all[0].Line, Where: x.report.Where(all[0].At),
		Text: fault.Clip(text, passageRunes), whole: text}
}

// textOf is what claims say, on one line.
func textOf(all []*parse.Claim) string {
	var texts []string
	for _, c := range all {
		texts = append(texts, c.Text)
	}
	return strings.Join(strings.Fields(strings.Join(texts, " ")), " ")
}

// lineWith returns where the line begins that has a folded text, or -1.
func lineWith(d *documents.Document, exact string) int {
	for start, line := range d.Lines() {
		if exact != "" && strings.Contains(words.FoldText(line), exact) {
			return start
		}
	}
	return -1
}

// Carried returns the places where a text has the words and figures of an item, by the rules of Check.
func Carried(content, text string) []claims.Place { return claims.Places(content, text) }
