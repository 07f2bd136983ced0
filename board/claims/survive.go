package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"blackboard/board/claims/parse"
)

// A Survival is what a report has of a finding.
type Survival struct {
	Verdict  Verdict
	Verbatim bool
	Reasons  []string        // why the report refutes it
	Lacks    []*parse.Detail // figures that the report does not have there
	Differs  []*parse.Detail // figures in whose place the report has others
	Window   *Window         // the nearest one; nil if nothing is near
	Claim    *parse.Claim    // the finding as it was read
	has      count
	strong   bool    // it has the very digits, with another unit or sign
	often    bool    // it says that it is done more often or more rarely
	form     bool    // it has a figure with another unit, rate, bound, currency or sign
	denied   bool    // a sentence says the opposite
	sure     bool    // by what is hardly ever said of something else
	placed   bool    // figures or names stand with something else
	back     float64 // the share of the words of one of its statements that the finding has
	odds     float64 // how surely the window speaks of the finding
}

// Carries reports whether the nearest window says a finding in other words than it does. A
// part of its words must be there, by another count.
//
// Words alone carry nothing, but the names of all that a finding speaks of in one statement,
// and its figures do: all of them, or at least half of its numbers in a place that is nearer.
// The rest is details that a report may drop.
func (s *Survival) Carries(words float64) bool {
	if s.Verdict != Supported && s.Verdict != Unsure || s.Window.Cover < .3 && words < .3 {
		return false
	}
	n, cover := &s.has, s.Window.Cover
	if words < .6 && float64(len(s.Claim.Stems))*(1-n.plain[0]) > mostLacking+.5 {
		return false
	}
	near, all := cover+s.back, n.figures > 0 && n.agree == n.figures
	switch {
	case all && (n.exact > 0 || words >= .4):
		return near >= .6
	case s.Verdict == Unsure:
		return false
	case n.numbers > 0:
		return 2*n.counted >= n.numbers && near >= 1.15 ||
			n.counted == n.numbers && near >= .9
	case n.figures > 0:
		return all && near >= .9
	}
	return n.names > 1 && n.named == n.names && s.back >= .7 && cover >= .5
}

// mostLacking is how many words a place in other words may lack.
const mostLacking = 5

// Even gives all words the same weight, so that what a text says does not depend on its length. It changes ev, and
// returns it.
func (ev *Evidence) Even() *Evidence {
	ev.rare, ev.totals = func(string) float64 { return 1 }, nil
	return ev
}

// Survive compares a finding with what a report says word for word, or in one of the windows
// that are nearest to it. What stands word for word is there, if no other section says otherwise.
func (ev *Evidence) Survive(claim *parse.Claim, item string) Survival {
	var said *parse.Claim
	denied := ""
	if ev.knows(claim) {
		if said, denied = ev.Says(item); said != nil && denied == "" {
			if s := ev.best(claim, said); s.Denies() && !ev.isLong() && !ev.Part {
				s.Reasons = append(s.Reasons, WordForWord)
				return s
			}
			return Survival{Verdict: Supported, Verbatim: true, Claim: claim,
				Window: &Window{Source: said.Source, Claims: []*parse.Claim{said}, Cover: 1}}
		}
	}
	best := ev.best(claim, nil)
	if best.Verdict != Refuted && !ev.isLong() && best.Window != nil && best.Window.Cover >= .5 {
		ev.refuteParts(claim, &best)
	}
	if said != nil && (best.Verdict != Supported || slices.Contains(best.Window.Claims, said)) && len(best.Reasons) == 0 {
		best.Verdict, best.Window = Refuted, &Window{Source: said.Source, Claims: []*parse.Claim{said}, Cover: 1}
		best.Reasons = []string{fmt.Sprintf("the report has it beside “%s”", denied)}
	}
	return best
}

// best is what the window says that decides on a claim. If the claim stands word for word somewhere, as in an appendix,
// other sections are asked alone: what is said beside it belongs to it.
func (ev *Evidence) best(claim, said *parse.Claim) Survival {
	best := Survival{Claim: claim, odds: -100, Lacks: figuresOf(claim)}
	for _, w := range ev.Nearest(claim, nearWindows) {
		if said != nil && slices.Equal(w.Claims[0].Heads, said.Heads) {
			continue
		}
		if s := ev.judge(claim, ev.lay(claim, w)); s.better(&best) {
			best = s
		}
	}
	return best
}

const nearWindows = 5

// Denies reports whether a place refutes a finding that stands word for word in another one. In a long text there is
// always one that seems to.
func (s *Survival) Denies() bool { return s.Verdict == Refuted && s.Window.Cover >= .5 }

// WordForWord is the reason that goes with those of a refutation elsewhere.
const WordForWord = "it stands word for word in another place"

// knows reports whether the evidence has all words of a claim, wherever they are.
func (ev *Evidence) knows(c *parse.Claim) bool {
	for s := range c.Stems {
		if len(ev.stems[s]) == 0 {
			return false
		}
	}
	return true
}

// better reports whether a window decides rather than another one. Of two that speak of a
// finding, one that says it outweighs one that has something else.
func (s *Survival) better(o *Survival) bool {
	if o.Window == nil {
		return true
	}
	if s.strong != o.strong {
		return s.strong
	}
	if s.placed && o.Verdict == Supported && s.has.agree > o.has.agree {
		return true // more of it stands here, in other places
	}
	if o.placed && s.Verdict == Supported && o.has.agree > s.has.agree {
		return false
	}
	if s.denied && o.Verdict == Supported && o.isTable() {
		return true // figures in a table do not say how they are meant
	}
	if o.denied && s.Verdict == Supported && s.isTable() {
		return false
	}
	if s.outtells(o) || o.outtells(s) {
		return s.Verdict == Refuted
	}
	if a, b := s.Verdict.decides(), o.Verdict.decides(); a != b &&
		!(s.Verdict == Refuted && o.odds > s.odds+2) && !(o.Verdict == Refuted && s.odds > o.odds+2) {
		return a > b
	}
	return s.odds > o.odds
}

// outtells reports whether a window that refutes a finding has most of its words, and one that supports it few: a row
// of a table, or a sentence about something else; beside a denial one that has half at most, as a heading.
func (s *Survival) outtells(o *Survival) bool {
	return s.Verdict == Refuted && o.Verdict == Supported &&
		(len(s.Differs) > 0 || s.placed || s.denied && o.Window.Cover <= .5) &&
		s.Window.Cover >= .6 && s.back >= .4 &&
		s.Window.Cover >= o.Window.Cover+.2
}

// isTable reports whether a window is rows of a table.
func (s *Survival) isTable() bool { return s.Window.Claims[0].Cells != nil }

// decides orders verdicts on windows.
func (v Verdict) decides() int {
	return map[Verdict]int{Supported: 3, Refuted: 2, Unsure: 1}[v]
}

// judge decides whether a window says a claim.
func (ev *Evidence) judge(c *parse.Claim, cmp Comparison) Survival {
	s := Survival{Window: &cmp.Window, Claim: c, back: cmp.Back}
	s.has.plain = cmp.plain(c)
	often := cmp.howOften()
	for i := range cmp.Matches {
		d := cmp.Matches[i].Detail
		if cmp.limits(d) || often.agrees && often.has(d) {
			s.has.figures++
			s.has.agree++
			continue
		}
		s.take(ev, ev.dayOf(c, cmp.Matches[i]), &cmp)
	}
	if often.against != "" {
		s.Reasons, s.often = append(s.Reasons, often.against), true
	}
	s.odds = cmp.odds(&s.has)
	if !ev.isLong() || cmp.Cover >= .6 && cmp.Back >= .4 { // the words of any claim meet by chance
		s.refute(ev, &cmp)
	}
	if s.Verdict != Refuted {
		s.Lacks, s.Differs, s.Reasons = append(s.Lacks, s.Differs...), nil, nil
		s.strong = false
		s.weigh(&cmp)
	}
	return s
}

// dayOf returns a match of a day with a year or a month as one with the other day that stands there, if
// there is one that no figure of the claim is: the list of 2024 has it as closed on 8 November, the claim
// on the 18th.
func (ev *Evidence) dayOf(c *parse.Claim, m Match) Match {
	isDay := func(d *parse.Detail) bool { return d.T != nil && d.T.Dated && d.T.Days() <= 1 && !d.T.AnyYear }
	if m.Rel != parse.Coarser || !isDay(m.Detail) {
		return m
	}
	for k := range m.From.Details {
		x := &m.From.Details[k]
		if isDay(x) && m.Detail.Relate(x) == parse.OtherValue && !slices.ContainsFunc(c.Details, func(d parse.Detail) bool {
			return isDay(&d) && d.Relate(x).Agrees()
		}) {
			m.With, m.Rel, m.Alike = x, parse.OtherValue, ev.alike(m.Detail, x)
			return m
		}
	}
	return m
}

// refute decides whether a window says something else than a claim: by a figure, by what
// stands with a figure, or by words.
func (s *Survival) refute(ev *Evidence, cmp *Comparison) {
	n, cover, back := s.has.agree, cmp.Cover, cmp.Back
	var said, opposite []string
	if cover >= .5 || n > 0 && cover >= .35 && back >= .3 || n > 1 {
		said = slices.Concat(ev.swapped(cmp.Matches), ev.renamed(s.Claim, cmp.Matches))
		if why := crosswise(s.Claim, cmp.Claims, parse.JoinClaims(cmp.Claims, "")); why != "" {
			said = append(said, why)
		}
		for _, differs := range []func(*parse.Claim, *Window) string{ev.doneByOther, ev.otherVoice} {
			if why := differs(s.Claim, &cmp.Window); why != "" {
				said = append(said, why)
			}
		}
	}
	plain := cmp.plainly(ev)
	s.sure = len(plain) > 0 || len(said) > 0 && (cmp.inOne(ev, s.Claim) || cover >= .6 && back >= .5)
	said = slices.Concat(said, plain)
	if n > 0 && cover >= .35 && back >= .25 || n > 2 || n > 1 && back >= .5 ||
		s.has.figures == 0 && cover >= .55 && cover+back >= .95 || cover >= .85 && back >= .7 {
		opposite = ev.saysOpposite(s.Claim, cmp)
	}
	if s.often {
		s.sure = true
	} else if len(s.Differs) == 0 || cover < .35 && (n == 0 || cover < .25) {
		if s.Reasons = nil; len(said)+len(opposite) == 0 {
			return
		}
	} else {
		s.sure = s.sure || s.form || cover >= .5 && (len(s.Lacks) == 0 || back >= .7)
	}
	s.Verdict = Refuted
	s.denied, s.placed = len(said)+len(opposite) > 0 && !s.isTable(), len(said) > 0
	s.sure = s.sure || slices.ContainsFunc(opposite, isFirm) ||
		!ev.Part && !ev.isLong() && back >= .45 && slices.ContainsFunc(opposite, TurnsOnDenial) &&
			countOutright(s.Claim)%2 == 1 && !contrasts(s.Claim) &&
			!slices.ContainsFunc(cmp.Claims, func(e *parse.Claim) bool { return mayDeny(e) })
	s.Reasons = slices.Concat(s.Reasons, said, opposite)
}

// contrasts reports whether a claim denies something only beside what it says: by the valve, not by the pump.
func contrasts(c *parse.Claim) bool {
	t := c.Tokens()
	for i := range t {
		if before := t.At(i - 1); t[i].Low == "not" &&
			(before.Text == "," || before.Low == "and" || before.Low == "but") {
			return true
		}
	}
	return false
}

// inOne reports whether one statement of a window has the figures or names that stand otherwise.
func (cmp *Comparison) inOne(ev *Evidence, c *parse.Claim) bool {
	return slices.ContainsFunc(cmp.Claims, func(e *parse.Claim) bool {
		of := slices.DeleteFunc(slices.Clone(cmp.Matches), func(m Match) bool { return m.From != e && m.With != nil })
		return len(ev.swapped(of))+len(ev.renamed(c, of)) > 0
	})
}

// isFirm reports whether a reason is a bound, or two different words that are opposites: it is false for a word that
// one side denies, and for the same word in another order.
func isFirm(why string) bool {
	one, other, against := strings.Cut(why, "” against “")
	return !strings.HasPrefix(why, "“") || against && strings.Trim(one, "“") != strings.TrimSuffix(other, "”")
}

// Sure reports whether a finding is refuted by what has been right in nine of ten reports that nobody
// had read: another unit, bound or opposite, what stands the other way round, or another figure where
// all others agree. Whoever reads the passage decides the rest.
func (s *Survival) Sure() bool { return s.sure }

// statesNear reports whether a figure stands elsewhere in the evidence, in a statement that has another word of the
// claim.
func (ev *Evidence) statesNear(c *parse.Claim, d *parse.Detail) bool {
	return slices.ContainsFunc(ev.withFigure(c, d), func(e *parse.Claim) bool {
		return sharedStems(c, e) > 0 && slices.ContainsFunc(e.Details, func(x parse.Detail) bool {
			return d.Relate(&x) == parse.Same
		})
	})
}

// limits reports whether a figure is a limit that a window states by a middle and a distance:
// 24.5 of 25 ± 0.5.
func (cmp *Comparison) limits(d *parse.Detail) bool {
	if d.Kind != parse.Number || d.Q.Whole {
		return false
	}
	for _, e := range cmp.Claims {
		for i := range e.Details {
			for j := range e.Details {
				x, y := &e.Details[i], &e.Details[j]
				if i != j && x.Kind == parse.Number && y.Kind == parse.Number && x.Q.Dim == d.Q.Dim &&
					y.Q.Dim == d.Q.Dim && y.Q.Value < .2*x.Q.Value &&
					(parse.IsNear(x.Q.Value-y.Q.Value, d.Q.Value) || parse.IsNear(x.Q.Value+y.Q.Value, d.Q.Value)) {
					return true
				}
			}
		}
	}
	return false
}

// Speaks reports whether the nearest window has a figure of a finding, or two words: one stands
// in any short text.
func (s *Survival) Speaks() bool {
	return s.has.agree > 0 || s.has.plain[0]*float64(len(s.Claim.Stems)) > 1.5
}

// Likely reports whether the nearest window is more likely one that says a finding.
func (s *Survival) Likely() bool { return s.odds >= likely }

const likely = 2

// Rivals reports whether the nearest window has another figure, which nothing of the claim
// agrees with, of the kind of one that it lacks.
func (s *Survival) Rivals() bool {
	if s.Window == nil {
		return false
	}
	var theirs []*parse.Detail
	for _, e := range s.Window.Claims {
		theirs = append(theirs, figuresOf(e)...)
	}
	mine := figuresOf(s.Claim)
	agree := func(d, x *parse.Detail) bool { r := d.Relate(x); return r.Agrees() || r == parse.Coarser }
	return slices.ContainsFunc(mine, func(d *parse.Detail) bool {
		return !slices.ContainsFunc(theirs, func(x *parse.Detail) bool { return agree(d, x) }) &&
			slices.ContainsFunc(theirs, func(x *parse.Detail) bool {
				return d.Relate(x) >= parse.OtherValue && (d.Q == nil || d.Q.Dim != "" || s.has.agree > 2) &&
					!slices.ContainsFunc(mine, func(o *parse.Detail) bool { return agree(o, x) })
			})
	})
}

// weigh sets the verdict by a window that refutes nothing; it stays Unsupported if the window has too little.
func (s *Survival) weigh(cmp *Comparison) {
	n := &s.has
	switch {
	case n.chance(len(s.Claim.Stems), cmp.Cover, cmp.Back) && !s.Claim.SharesCondition(cmp.Claims):
	case s.odds >= surely && (n.agree > 0 || n.figures == 0):
		s.Verdict = Supported
	case s.odds >= hardly, n.agree > 0 && s.odds >= rather, s.Claim.SharesCondition(cmp.Claims):
		s.Verdict = Unsure
	}
}

// take counts what a window has of one detail.
func (s *Survival) take(ev *Evidence, m Match, cmp *Comparison) {
	d, n := m.Detail, &s.has
	switch {
	case !d.IsFigure():
		n.names++
		if m.Rel == parse.Same {
			n.named++
		}
		return
	case d.Weak || d.T != nil && d.T.Days() > 300 && m.Rel.Agrees():
		return
	}
	n.figures++
	if d.Kind == parse.Number && !d.Q.Ref {
		n.numbers++
	}
	switch {
	case m.Rel == parse.Bare && d.Q.Whole && d.Q.Number < 10:
		s.Lacks = append(s.Lacks, d) // the 6 of six hours stands in any table
	case m.Rel.Agrees() || m.Rel == parse.Coarser:
		n.agree++
		if d.Kind == parse.Number && !d.Q.Ref && (m.Rel != parse.Bare || d.Q.Half < .5) {
			n.counted++
		}
		if specific(d) {
			n.exact++
		}
	case cmp.differs(m) && !(m.Rel == parse.OtherValue && specific(d) && cmp.figuresIn(nil) == 0 &&
		ev.statesNear(s.Claim, d)):
		s.Differs = append(s.Differs, d)
		s.form = s.form || m.Rel > parse.OtherValue
		s.strong = s.strong || m.Rel > parse.OtherValue && specific(d) && cmp.Cover >= .3
		why := fmt.Sprintf("the finding says %s, the report %s", d.Text, m.With.Text)
		if m.Rel > parse.OtherValue {
			why = m.Rel.String() + ": " + why
		}
		s.Reasons = append(s.Reasons, why)
	default:
		s.Lacks = append(s.Lacks, d)
	}
}

// figuresIn counts the figures of a claim that a statement of a window has; nil means all.
func (cmp *Comparison) figuresIn(e *parse.Claim) (n int) {
	for _, m := range cmp.Matches {
		if m.With != nil && m.Rel.Agrees() && m.Detail.IsFigure() && (e == nil || m.From == e) {
			n++
		}
	}
	return n
}

// differs reports whether a window has another figure in the place of one of a claim.
func (cmp *Comparison) differs(m Match) bool {
	return m.With != nil && !m.With.Level && !(m.Rel == parse.OtherBound && cmp.sameBound(m.From)) &&
		!(m.Detail.T != nil && m.Detail.T.Dated && cmp.tellsWhen(m.From)) &&
		m.Alike >= cmp.enough(m) && !m.Detail.Denied && !m.With.Denied &&
		sameWay(m.Detail, m.With) && !cmp.worksOut(m) && !labels(m.Detail, m.With) && !cmp.isLimit(m) &&
		(isDifference(m.With, m.From.Tokens()) == isDifference(m.Detail, cmp.of.Tokens())) &&
		!(m.Rel == parse.OtherUnit && !strings.ContainsFunc(m.With.Text, writesUnit))
}

// sameBound reports whether a statement has a condition of the claim in other words: at most five, more
// than five cannot.
func (cmp *Comparison) sameBound(e *parse.Claim) bool {
	same, _ := cmp.of.CompareConditions(e)
	return same
}

// tellsWhen reports whether a window gives a day by another one, in a statement that has as much of the
// claim as one has.
func (cmp *Comparison) tellsWhen(one *parse.Claim) bool {
	return tellWhen(slices.DeleteFunc(slices.Clone(cmp.Claims), func(e *parse.Claim) bool {
		return sharedStems(cmp.of, e) < sharedStems(cmp.of, one) && cmp.figuresIn(e) <= cmp.figuresIn(one)
	}))
}

// tellWhen reports whether some statements give a day by another one.
func tellWhen(all []*parse.Claim) bool {
	return slices.ContainsFunc(all, func(e *parse.Claim) bool { return e.Tokens().TellsWhen() })
}

// ToldByOthers reports whether the nearest window lacks days alone, and gives some by others: the reader has to count.
func (s *Survival) ToldByOthers() bool {
	none := func(d *parse.Detail) bool { return d.T == nil || !d.T.Dated }
	return s.Window != nil && len(s.Lacks) > 0 && !slices.ContainsFunc(s.Lacks, none) &&
		!slices.ContainsFunc(s.Differs, none) && tellWhen(s.Window.Claims)
}

// isLimit reports whether a window says within which bound a value may be, and a claim what it is, or the other way
// round: at most 2.5 is allowed, it was 1.6.
func (cmp *Comparison) isLimit(m Match) bool {
	d, x := m.Detail.Q, m.With.Q
	return m.Rel == parse.OtherValue && d != nil && x != nil && (d.Bound == 0) != (x.Bound == 0) &&
		hasAnyOf(m.From.Tokens(), parse.Modals) != hasAnyOf(cmp.of.Tokens(), parse.Modals)
}

// isDifference reports whether a figure says how much more or less something is than something else: 63 errors fewer.
func isDifference(d *parse.Detail, t parse.Tokens) bool {
	for k := d.FirstToken + 1; k < min(d.FirstToken+5, len(t)) && t[k].Kind != parse.MarkToken; k++ {
		if compared.Has(t[k].Low) && t.At(k+1).Low != "and" && t.At(k-1).Low != "or" {
			return true
		}
	}
	return false
}

var compared = parse.NewSet("more fewer less higher lower longer shorter later earlier larger smaller")

// worksOut reports whether the figure of a claim is the sum or the difference of the one that a
// window has in its place and of one that both have: 112 ppm, 88 under the stop value of 200.
func (cmp *Comparison) worksOut(m Match) bool {
	d, x := m.Detail.Q, m.With.Q
	return d != nil && slices.ContainsFunc(cmp.Matches, func(o Match) bool {
		return o.With != nil && o.Rel.Agrees() && o.With.Q != nil && countsAs(d, x) && countsAs(x, o.With.Q) &&
			!together(m.With, o.With) &&
			(parse.IsNear(d.Value, o.With.Q.Value+x.Value) || parse.IsNear(d.Value, math.Abs(o.With.Q.Value-x.Value)))
	})
}

// labels reports whether one of two figures counts something and the other one names something,
// 14 boxes and channel 12.
func labels(d, x *parse.Detail) bool {
	of := func(d *parse.Detail) bool { return d.Q != nil && (len(d.Q.Noun) > 0 || d.Q.Dim != "") }
	return d.Named && of(x) || x.Named && of(d)
}

// writesUnit reports whether a character of a figure may be of its unit: one that it has from
// a header may be another column's.
func writesUnit(r rune) bool { return unicode.IsLetter(r) || strings.ContainsRune("%°€$£", r) }

// A count says what a window has of a claim.
type count struct {
	figures, agree, exact int
	numbers, counted      int        // figures that are no dates or references; those that agree
	names, named          int        // names and identifiers; those that are there
	plain                 [3]float64 // shares of its stems, in the window, in one statement, and their number
}

func (cmp *Comparison) plain(c *parse.Claim) (n [3]float64) {
	all := map[string]bool{}
	for _, e := range cmp.Claims {
		one := 0.0
		for s := range c.Stems {
			if e.Stems[s] {
				one++
				all[s] = true
			}
		}
		n[1] = max(n[1], one)
	}
	of := float64(max(1, len(c.Stems)))
	return [3]float64{float64(len(all)) / of, n[1] / of, min(float64(len(all)), 6) / 6}
}

// chance reports whether a window may have what it has of a claim by chance: few of its words, of a claim without
// figures, or the few words of a question.
func (n *count) chance(stems int, cover, back float64) bool {
	switch {
	case n.figures == 0 && (n.plain[0] < .2 || n.plain[0] < .4 && cover < .3):
		return true
	case stems <= 4 && n.agree == 0:
		return back < .3
	}
	return false
}

// From these odds on a window surely says a claim, or hardly speaks of it, or rather does, if it has a figure. The
// weights come from a logistic regression on the labelled sets (testdata/survival and reviews), whose items are there
// or missing; those that the report contradicts are not among them.
const surely, hardly, rather = 1, .1, -.5

// odds is how surely a window speaks of a claim.
func (cmp *Comparison) odds(n *count) float64 {
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
// things, nor are those that are left where all others agree.
func (cmp *Comparison) enough(m Match) float64 {
	n, agreed := 0, map[*parse.Detail]bool{} // more than two are many
	for i := 0; i < len(cmp.Matches) && n <= 2; i++ {
		o := &cmp.Matches[i]
		if o.With != nil && o.Rel.Agrees() && o.From == m.From && m.From.Cells == nil && o.Rel != parse.Bare {
			agreed[o.With] = true
		} else if m.Detail.Relate(o.Detail) != parse.Incomparable {
			n++
		}
	}
	for _, e := range cmp.Claims {
		for k := 0; k < len(e.Details) && n <= 2; k++ {
			if x := &e.Details[k]; !agreed[x] && m.Detail.Relate(x) != parse.Incomparable {
				n++
			}
		}
	}
	q := m.Detail.Q
	switch {
	case m.Rel == parse.OtherValue && cmp.Cover >= .35 && n <= 2 && (q == nil || q.Per == m.With.Q.Per):
		return .2
	case m.Rel == parse.OtherBound && cmp.Cover >= .5 && cmp.figuresIn(nil) > 0,
		(m.Rel == parse.OtherUnit || m.Rel == parse.OtherRate) && cmp.Cover >= .5 && cmp.Back >= .4 &&
			q != nil && q.Number == m.With.Q.Number,
		m.Rel > parse.OtherValue && (cmp.Cover >= .4 && q != nil && q.Digits() >= 3 ||
			cmp.Cover >= .35 && cmp.figuresIn(m.From) >= 2):
		return 0
	}
	return m.Rel.MinLikeness()
}

// specific reports whether a figure has so many digits that it hardly stands somewhere by
// accident.
func specific(d *parse.Detail) bool {
	if d.T != nil {
		return d.T.Clock >= 0 || d.T.Days() <= 1
	}
	return d.Q.Digits() >= 3
}
