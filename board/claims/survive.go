package claims

import (
	"fmt"
	"slices"
	"strings"
)

// A Survival is the verdict on whether a report says a finding.
type Survival struct {
	Verdict  Verdict
	Verbatim bool
	Reasons  []string  // why the report refutes it
	Lacks    []*Detail // figures that the report does not have there
	Differs  []*Detail // figures in whose place the report has others
	Window   *Window   // the nearest one; nil if nothing is near
	Claim    *Claim    // the finding as it was read
	strong   bool      // it has the very digits, with another unit or sign
	denied   bool      // a sentence says the opposite
	odds     float64   // how surely the window speaks of the finding
}

// Survive reports whether a report still says a finding: word for word, or in one of its
// nearest windows.
func (ev *Evidence) Survive(item string) Survival {
	claim := ExtractText(strings.TrimSpace(item), "")
	if c := ev.Says(item); c != nil {
		return Survival{Verdict: Supported, Verbatim: true, Claim: claim,
			Window: &Window{Source: c.Source, Claims: []*Claim{c}, Cover: 1}}
	}
	best := Survival{Claim: claim, odds: -100, Lacks: claim.figures()}
	for _, w := range ev.Nearest(claim, nearWindows) {
		s := ev.judge(claim, ev.Compare(claim, w))
		if s.Better(&best) {
			best = s
		}
	}
	return best
}

const nearWindows = 5

// Better reports whether a window decides rather than another one. Of two that speak of a
// finding, one that says it outweighs one that has something else.
func (s *Survival) Better(o *Survival) bool {
	if o.Window == nil {
		return true
	}
	if s.strong != o.strong {
		return s.strong
	}
	if s.denied && o.Verdict == Supported && o.table() {
		return true // figures in a table do not say how they are meant
	}
	if o.denied && s.Verdict == Supported && s.table() {
		return false
	}
	if a, b := s.Verdict.decides(), o.Verdict.decides(); a != b &&
		!(s.Verdict == Refuted && o.odds > s.odds+2) && !(o.Verdict == Refuted && s.odds > o.odds+2) {
		return a > b
	}
	return s.odds > o.odds
}

// table reports whether a window is rows of a table.
func (s *Survival) table() bool { return s.Window.Claims[0].Cells != nil }

// decides orders verdicts on windows.
func (v Verdict) decides() int {
	return map[Verdict]int{Supported: 3, Refuted: 2, Unsure: 1}[v]
}

// judge decides whether a window says a claim.
func (ev *Evidence) judge(c *Claim, cmp Comparison) Survival {
	s := Survival{Window: &cmp.Window, Claim: c}
	n := count{plain: cmp.plain(c)}
	for _, m := range cmp.Matches {
		if d := m.Detail; d.figure() && !d.Weak && !(d.T != nil && d.T.days() > 300 && m.Rel.Agrees()) {
			n.figures++
			switch {
			case m.Rel.Agrees() || m.Rel == Coarser:
				n.agree++
				if d.specific() {
					n.exact++
				}
			case cmp.differs(m):
				s.Differs = append(s.Differs, d)
				s.strong = s.strong || m.Rel > OtherValue && d.specific() && cmp.Cover >= .3
				s.Reasons = append(s.Reasons, fmt.Sprintf("%s: the finding says %s, the report %s",
					m.Rel, d.Text, m.With.Text))
			default:
				s.Lacks = append(s.Lacks, d)
			}
		}
	}
	for _, e := range cmp.Claims {
		all, both := ev.shared(c, e)
		theirs, _ := ev.shared(e, c)
		if both/all < .6 {
			continue
		}
		if ev.disowned(c.Text, e) {
			cmp.Reasons = append(cmp.Reasons, "the report calls it false")
		}
		if why := ev.inTurn(c, e); why != "" && both/theirs >= .7 {
			cmp.Reasons = append(cmp.Reasons, why)
		}
	}
	for _, m := range cmp.Matches {
		if x := cmp.alikeID(m); x != "" {
			s.Differs = append(s.Differs, m.Detail)
			s.Reasons = append(s.Reasons, fmt.Sprintf("the finding says %s, the report %s",
				m.Detail.Text, x))
		}
	}
	s.Reasons = append(s.Reasons, cmp.Reasons...)
	s.odds = cmp.odds(n)
	switch {
	case ev.long() && (cmp.Cover < .6 || cmp.Back < .4) && s.weak(n, &cmp):
	case len(s.Differs) > 0 && (cmp.Cover >= .35 || n.agree > 0 && cmp.Cover >= .25),
		len(cmp.Reasons) > 0 && (cmp.Cover >= .5 || n.agree > 0 && cmp.Cover >= .25 || n.agree > 1):
		s.Verdict = Refuted
		s.denied = len(cmp.Reasons) > 0 && !s.table()
	case n.chance(len(c.stems), len(ev.Claims), cmp.Cover, cmp.Back):
	case s.odds >= surely && (n.agree > 0 || n.figures == 0):
		s.Verdict = Supported
	case s.odds >= hardly:
		s.Verdict = Unsure
	}
	s.strong = s.strong && s.Verdict == Refuted
	return s
}

// weak decides on a window of a long text that has little of a claim: it refutes nothing.
func (s *Survival) weak(n count, cmp *Comparison) bool {
	s.Reasons, s.Differs, s.strong = nil, nil, false
	switch {
	case n.chance(len(s.Claim.stems), longReport, cmp.Cover, cmp.Back):
	case s.odds >= surely && (n.agree > 0 || n.figures == 0):
		s.Verdict = Supported
	case s.odds >= hardly:
		s.Verdict = Unsure
	}
	return true
}

// differs reports whether a window has another figure in the place of one of a claim.
func (cmp *Comparison) differs(m Match) bool {
	return m.With != nil && m.Alike >= cmp.enough(m) && !m.Detail.Denied && !m.With.Denied &&
		m.Detail.sameWay(m.With)
}

// A count says what a window has of a claim.
type count struct {
	figures, agree, exact int
	plain                 [3]float64 // shares of its stems, in the window, in one statement, and their number
}

func (cmp *Comparison) plain(c *Claim) (n [3]float64) {
	all := map[string]bool{}
	for _, e := range cmp.Claims {
		one := 0.0
		for s := range c.stems {
			if e.stems[s] {
				one++
				all[s] = true
			}
		}
		n[1] = max(n[1], one)
	}
	of := float64(max(1, len(c.stems)))
	return [3]float64{float64(len(all)) / of, n[1] / of, min(float64(len(all)), 6) / 6}
}

// long reports whether the evidence is a long text.
func (ev *Evidence) long() bool { return len(ev.Claims) >= longReport }

// longReport is the number of statements from which on the words of any item meet somewhere
// by chance.
const longReport = 80

// chance reports whether a window of a long report has so little of a claim that it may be
// by chance: half of its words without a telling figure, or the few words of a question.
func (n *count) chance(stems, statements int, cover, back float64) bool {
	switch {
	case n.figures == 0 && (n.plain[0] < .2 || n.plain[0] < .4 && cover < .3):
		return true
	case stems <= 4 && n.agree == 0:
		return back < .3
	case statements < longReport:
		return false
	case n.figures > 0 && n.agree == 0, back < .1:
		return true
	case n.exact > 0 && n.figures < 2*n.agree:
		return n.plain[0] < .2
	}
	return n.plain[0] < .55
}

// From these odds on a window surely says a claim, or hardly speaks of it. The weights come
// from a logistic regression on the labelled sets (testdata/survival and reviews), whose
// items are there or missing; those that the report contradicts are not among them.
const surely, hardly = 1, .1

// odds is how surely a window speaks of a claim.
func (cmp *Comparison) odds(n count) float64 {
	o := -3.06 + 1.6*cmp.Cover + 1.9*cmp.Back + 1.2*max(0, cmp.Cover-.5) +
		1.7*n.plain[0] + 1.05*n.plain[1] + .1*n.plain[2]
	if n.figures == 0 {
		return o + 2.3 - 3.45*cmp.Cover
	}
	o += 1.05*float64(n.agree)/float64(n.figures) + 2.4*float64(min(n.agree, 3))/3 +
		2.15*float64(min(n.exact, 2))/2
	if n.agree == 0 {
		o -= 1.05
	}
	return o
}

// enough returns how much two details must be of one thing so that they contradict. The
// only figure of its kind in the claim and the only one in the window are hardly of two
// things, nor are figures that differ in a digit.
func (cmp *Comparison) enough(m Match) float64 {
	n := 0
	for _, o := range cmp.Matches {
		if m.Detail.relation(o.Detail) != Incomparable {
			n++
		}
	}
	for _, e := range cmp.Claims {
		for k := range e.Details {
			if m.Detail.relation(&e.Details[k]) != Incomparable {
				n++
			}
		}
	}
	q := m.Detail.Q
	switch {
	case m.Rel == OtherValue && cmp.Cover >= .35 && n <= 2 && (q == nil || q.Per == m.With.Q.Per):
		return .2
	case m.Rel > OtherValue && cmp.Cover >= .4 && q != nil && q.significant() >= 3:
		return 0
	case m.Rel == OtherValue && cmp.Cover >= .35 && misprinted(m.Detail, m.With):
		return .2
	}
	return m.Rel.least()
}

// alikeID returns the identifier of a window that is written nearly as one that it lacks.
func (cmp *Comparison) alikeID(m Match) string {
	d := m.Detail
	if d.Kind != Identifier || m.Rel == Same || len(d.Text) < 6 {
		return ""
	}
	for _, e := range cmp.Claims {
		for k := range e.Details {
			x := &e.Details[k]
			if x.Kind == Identifier && len(x.Text) == len(d.Text) && differ(x.Words[0], d.Words[0]) == 1 &&
				!cmp.has(x) {
				return x.Text
			}
		}
	}
	return ""
}

// has reports whether the claim has an identifier of the window.
func (cmp *Comparison) has(x *Detail) bool {
	return slices.ContainsFunc(cmp.Matches, func(m Match) bool { return m.Detail.relation(x) == Same })
}

// differ counts the bytes in which two texts of one length differ.
func differ(a, b string) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// misprinted reports whether two numbers of three digits or more are written alike: two
// digits exchanged, or one that differs.
func misprinted(a, b *Detail) bool {
	if a.Q == nil || b.Q == nil || a.Q.Dim != b.Q.Dim {
		return false
	}
	x, y := a.Q.digits(), b.Q.digits()
	if len(x) != len(y) || len(x) < 3 || x == y {
		return false
	}
	var at []int
	for i := range x {
		if x[i] != y[i] {
			at = append(at, i)
		}
	}
	return len(at) == 1 || len(at) == 2 && x[at[0]] == y[at[1]] && x[at[1]] == y[at[0]]
}

// Missing returns the words of a claim that others do not have, as they are written.
func (c *Claim) Missing(others []*Claim) []string {
	missing := []string{}
	seen := map[string]bool{}
	for i := range c.Words {
		w := &c.Words[i]
		if empty[w.low] || seen[w.stem] {
			continue
		}
		seen[w.stem] = true
		if !slices.ContainsFunc(others, func(e *Claim) bool { return e.stems[w.stem] || e.context[w.stem] }) {
			missing = append(missing, w.low)
		}
	}
	return missing
}

// Knows reports whether all words of a claim stand somewhere in the evidence.
func (ev *Evidence) Knows(c *Claim) bool {
	for s := range c.stems {
		if len(ev.stems[s]) == 0 {
			return false
		}
	}
	return len(c.stems) > 0
}

// Place is where a word of a text stands, in bytes.
type Place struct{ From, To int }

// Common returns the words and figures of a text that a claim has, too.
func Common(claim, text string) (places []Place) {
	c, t := ExtractText(claim, ""), lex(text)
	e := &Claim{Statement: &Statement{Text: text}, stems: map[string]bool{}, English: t.english()}
	e.take(text, t, nil, 0)
	inFigure := func(x *token) bool {
		return slices.ContainsFunc(e.Details, func(d Detail) bool {
			return d.figure() && x.at >= d.At && x.at < d.At+len(d.Text)
		})
	}
	has := func(x *Detail) bool {
		return slices.ContainsFunc(c.Details, func(d Detail) bool { return d.relation(x).Agrees() })
	}
	for i := range t {
		x := &t[i]
		if x.kind == wordToken && says(x.low) && !inFigure(x) && c.stems[stem(x.low)] {
			places = append(places, Place{x.at, x.end()})
		}
	}
	for k := range e.Details {
		if d := &e.Details[k]; d.Kind != Name && has(d) {
			written := strings.TrimPrefix(d.Text, "-")
			if at := strings.Index(text[d.At:], written); at >= 0 && written != "" {
				places = append(places, Place{d.At + at, d.At + at + len(written)})
			}
		}
	}
	slices.SortFunc(places, func(a, b Place) int { return a.From - b.From })
	return places
}

// Agrees reports whether a window has all figures of a claim, contradicts nothing, and if
// that is asked, denies something if the claim does.
func (ev *Evidence) Agrees(c *Claim, w Window, denials bool) bool {
	cmp := ev.Compare(c, w)
	if len(cmp.Reasons) > 0 {
		return false
	}
	for _, m := range cmp.Matches {
		if m.Detail.figure() && !m.Rel.Agrees() {
			return false
		}
	}
	n := 0
	for _, e := range w.Claims {
		n += len(e.denials)
	}
	return !denials || n%2 == len(c.denials)%2
}
