package survival

import (
	"math"
	"slices"
	"strings"

	"blackboard/board/claims"
	"blackboard/board/documents"
	"blackboard/board/fault"
)

const passageRunes = 300 // of the passage that a result shows

// report is a report with the claims in it.
type report struct {
	doc *documents.Document
	ev  *claims.Evidence
}

func newReport(d *documents.Document) report {
	return report{d, claims.NewEvidence(claims.ExtractDocument(d))}
}

// judge says whether a report carries an item.
func (r *report) judge(item Item) (out ItemResult, s claims.Survival) {
	s = r.ev.Survive(item.Content)
	out = ItemResult{Item: item, Reasons: append([]string{}, s.Reasons...)}
	out.Present = s.Verdict == claims.Supported || s.Verdict == claims.Unsure
	out.Verdict = s.Verdict.String()
	var has []*claims.Claim
	if s.Window != nil {
		has = s.Window.Claims
		out.Passage = r.passage(s.Window)
		out.Coverage = math.Round(s.Window.Cover*1000) / 1000
	}
	if s.Verbatim {
		out.Coverage = 1
	}
	out.MissingTokens = s.Claim.Missing(has)
	out.MissingNumbers = []string{}
	for _, d := range slices.Concat(s.Differs, s.Lacks) {
		out.MissingNumbers = append(out.MissingNumbers, d.Text)
	}
	switch {
	case out.Present:
	case s.Verdict == claims.Refuted && len(s.Differs) > 0:
		out.Cause = MissNumber
	case s.Verdict == claims.Refuted:
		out.Cause = MissContradicted
	case len(s.Lacks) > 0 && out.Coverage >= .5:
		out.Cause = MissNumber
	case r.ev.Knows(s.Claim):
		out.Cause = MissScattered
	default:
		out.Cause = MissAbsent
	}
	return out, s
}

// passage describes a window.
func (r *report) passage(w *claims.Window) *Passage {
	first, last := w.Claims[0], w.Claims[len(w.Claims)-1]
	var texts []string
	for _, c := range w.Claims {
		texts = append(texts, c.Text)
	}
	text := strings.Join(strings.Fields(strings.Join(texts, " ")), " ")
	if first == last && len(first.Cells) > 1 { // as its reader sees the row
		text = strings.Join(strings.Fields(first.Text), " ")
	}
	return &Passage{Report: r.doc.Name, Line: first.Line, Where: r.doc.Where(first.At),
		Text: fault.Clip(text, passageRunes)}
}

// Place is where a word of a text stands, in bytes.
type Place = claims.Place

// Carried returns the words of a text that an item has, too, as the check compares them.
func Carried(content, text string) []Place { return claims.Common(content, text) }
