package claims

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"blackboard/board/claims/parse"
	"blackboard/board/documents"
	"blackboard/board/text"
)

// reHandles matches how a report cites entries: e12.7kq anywhere, and ids in brackets, one or several.
var (
	reHandles = text.NewRegexp(`\((?:see |see also |cf\. )?(?:` + handles + `)\)|` + handles)
	reHandle  = text.NewRegexp(`e[1-9][0-9]*`)
)

const (
	handle  = `e[1-9][0-9]*(?:\.[0-9][a-z][a-z0-9])?`
	handles = `\[` + handle + `(?:[,; ]+` + handle + `)*\]|\be[1-9][0-9]*\.[0-9][a-z][a-z0-9]\b`
)

// WithoutHandles returns a copy of a report with blanks for its handles: they are no word of a sentence.
func WithoutHandles(d *documents.Document) *documents.Document {
	return d.Blanked(func(text string) (all [][2]int) {
		for _, m := range reHandles.FindAllStringIndex(text, -1) {
			all = append(all, [2]int(m))
		}
		return all
	})
}

// ExtractCiting reads the statements of a report without its handles, which it notes as what they cite: a handle
// belongs to the statement that it stands in or behind, or before at the beginning of a line.
func ExtractCiting(d *documents.Document) []*parse.Claim {
	report := WithoutHandles(d)
	text, all, begins := report.Text(), parse.ExtractDocument(report), []int{}
	for _, c := range all { // with its first word, not with marks around a handle
		begins = append(begins, c.At+max(0, strings.IndexFunc(text[c.At:], unicode.IsLetter)))
	}
	for _, at := range reHandles.FindAllStringIndex(d.Text(), -1) {
		line := d.Line(at[0])
		i, _ := slices.BinarySearch(begins, at[0])
		if i > 0 && line <= all[i-1].End {
			i--
		}
		if i < len(all) && all[i].Line <= line {
			all[i].Cites = append(all[i].Cites, reHandle.FindAllString(d.Text()[at[0]:at[1]], -1)...)
		}
	}
	return all
}

// SurviveCited compares a finding with the statements that cite it, if there are any: they speak of it, however few of
// its words they have, so what they deny is denied, another figure stands in its place, and details may be left out.
func (ev *Evidence) SurviveCited(id string, claim *parse.Claim, item string) (s Survival, cited bool) {
	var all []*parse.Claim
	for _, c := range ev.Claims {
		if slices.Contains(c.Cites, id) {
			one := *c // which numbers it anew
			one.FigureIndex = nil
			all = append(all, &one)
		}
	}
	if all == nil {
		return s, false
	}
	ev = NewEvidence(all).Even()
	s = ev.Survive(claim, item)
	if s.Window == nil {
		s = ev.judge(claim, ev.lay(claim, Window{Source: ev.Claims[0].Source, Claims: ev.Claims[:1]}))
	}
	cmp, foreign := ev.lay(claim, *s.Window), s.Window.Claims[0].English != claim.English
	for _, m := range cmp.Matches { // words of another language do not tell what a figure is of
		if foreign && m.With != nil && m.Detail.IsFigure() && m.Rel >= parse.OtherValue {
			s.Reasons = append(s.Reasons, fmt.Sprintf("the finding says %s, the report %s", m.Detail.Text, m.With.Text))
		}
	}
	if cmp.Cover >= .5 && cmp.Back >= .5 && s.Verdict != Refuted && !s.Verbatim {
		s.Reasons = append(s.Reasons, affirmed(claim, cmp.Claims)...)
	}
	switch {
	case len(s.Reasons) > 0:
		s.Verdict, s.sure = Refuted, true
	case s.Verdict == Unsure && cmp.Cover >= .5 && cmp.Back >= .8:
		s.Verdict = Supported
	case s.Verdict == Unsupported && (foreign || cmp.Cover > 0 || s.has.agree > 0):
		s.Verdict = Unsure
	}
	return s, true
}

// affirmed returns the words of a claim that it denies, and statements have in clauses that deny nothing alone: another
// denial beside them, "delivered, no delay", is none of theirs.
func affirmed(c *parse.Claim, by []*parse.Claim) (why []string) {
	for _, d := range c.Denials {
		said, denied := "", false
		for _, e := range by {
			for _, w := range e.Words {
				if slices.Contains(d.Focus, w.Stem) {
					said, denied = w.Low, denied || !e.English ||
						slices.ContainsFunc(e.Denials, func(d parse.Denial) bool { return d.Clause == w.Clause }) ||
						slices.ContainsFunc(e.Words,
							func(o parse.Word) bool { return o.Clause == w.Clause && negatives()[parse.Root(o.Low)] })
				}
			}
		}
		if said != "" && !denied {
			why = append(why, "“"+said+deniedOnceSuffix)
		}
	}
	return why
}
