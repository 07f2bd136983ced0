package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"blackboard/board/claims/parse"
	"blackboard/board/text"
)

// This file says how likely two findings contradict each other, and in what.

// Features of a pair of findings, which speak for a contradiction or against it. They are the places of a vector.
const (
	fSubject  = iota // how much both are about one thing
	fWeight          // of what both have
	fRare            // the rarest word that both have
	fValue           // the subjects of two figures that differ
	fForm            // of two with another unit, rate, bound, currency or sign
	fOpposite        // clauses that say the opposite
	fDenied          // one alone denies something outright
	fNegative        // or by another word: unsatisfied, skipped
	fFocus           // and the other speaks of it
	fAll             // one alone speaks of all, or of none
	fNames           // each names something that the other does not
	fSources         // they are of two sources
	fSame            // they are of one source
	fTold            // one alone says who told it
	fBothTold
	fAgreed // figures that both have
	fMarks  // one alone is a plan, a condition, a part, of another time
	fPeriod // figures of two years, quarters, months
	fNumber // site 4 and site 5, INV-7 and INV-8
	features
)

// A vector has what speaks for a contradiction, and against it.
type vector [features]float64

// logit is how likely it is: the more, the likelier. The weights are those of a ranking by
// logistic regression over labelled findings, in which pairs that contradict each other are
// set against the others of their board.
func (v *vector) logit() float64 {
	return v.bare() + 2.75*(v[fSources]-v[fSame]) + 2*v[fTold] + 2.8*v[fBothTold]
}

// bare is logit without who says it.
func (v *vector) bare() float64 {
	return 2.65*math.Log(.05+v[fSubject]) + 1.35*math.Log(.05+min(v[fWeight], 3)) + 2*v[fRare] -
		.8*(v[fDenied]+v[fNegative])*truth(v[fOpposite] == 0) - 1.15*v[fMarks] - 5.4*v[fPeriod] -
		4.4*v[fNumber]
}

// even is the logit of a pair that may be a contradiction or not.
const even = 2.3

// score is a logit from 0 to 1. It is rounded, since sums over a map differ in their last
// digit from time to time.
func (v *vector) score() float64 {
	return math.Round(1e6/(1+math.Exp(even-v.logit()))) / 1e6
}

// likely reports whether both are about one thing and differ plainly, and neither is of
// another kind, time or thing.
func (v *vector) likely() bool {
	return v[fSubject] >= .5 && v.bare() >= 1.6 && v[fMarks]+v[fPeriod]+v[fNumber]+v[fNames] == 0 &&
		max(v[fValue], v[fForm], v[fOpposite]-.15) >= .3
}

// A difference is what two findings do not have in common.
type difference struct {
	kind   string
	why    []string // the surest first
	sure   []float64
	of     []*Match // two figures, else nil
	vector vector
}

// Kinds of what differs in a pair.
const (
	KindFigure   = "figure"
	KindDate     = "date"
	KindNegation = "negation"
	KindOrder    = "order"
)

func (x *difference) add(kind, why string, sure float64, of *Match) {
	at := 0
	for at < len(x.sure) && x.sure[at] >= sure {
		at++
	}
	if at == mostReasons || slices.Contains(x.why, why) {
		return
	}
	if at == 0 || sure == x.sure[0] && kind < x.kind { // the same either way round
		x.kind = kind
	}
	x.why, x.sure = slices.Insert(x.why, at, why), slices.Insert(x.sure, at, sure)
	x.of = slices.Insert(x.of, at, of)
	if len(x.why) > mostReasons {
		x.why, x.sure, x.of = x.why[:mostReasons], x.sure[:mostReasons], x.of[:mostReasons]
	}
}

// mostReasons is how many reasons are kept, the surest.
const mostReasons = 64

// differ compares two findings. It is the same either way round but for the order of what
// it says, a's side first.
func (ev *Evidence) differ(a, b *finding) (x difference) {
	v := &x.vector
	mine, both := ev.shared(a.Claim, b.Claim)
	theirs, _ := ev.shared(b.Claim, a.Claim)
	v[fSubject] = subjectOf(mine, theirs, both)
	v[fWeight] = both
	for s := range a.Stems {
		if b.Stems[s] {
			v[fRare] = max(v[fRare], ev.weight(s))
		}
	}
	ev.differingFigures(a, b, &x)
	ev.differingClauses(a.Claim, b.Claim, &x)
	v[fDenied] = apartBy(countOutright(a.Claim) > 0, countOutright(b.Claim) > 0)
	if v[fDenied] == 0 {
		v[fNegative] = apartBy(len(a.Denials) > 0, len(b.Denials) > 0)
	}
	v[fFocus] = (v[fDenied] + v[fNegative]) * truth(deniesOf(a.Claim, b.Claim) || deniesOf(b.Claim, a.Claim))
	v[fAll], v[fTold] = apartBy(a.all, b.all), apartBy(a.told, b.told)
	v[fBothTold] = truth(a.told && b.told)
	v[fNames] = truth(a.lacksName(b.Claim) && b.lacksName(a.Claim))
	v[fMarks] = float64(len(a.marksApart(b, x.kind)))
	v[fPeriod] = truth(x.kind == KindFigure && a.otherPeriod(b) ||
		x.kind == KindDate && a.spans() && b.spans())
	v[fNumber] = truth(a.otherNumber(b) || a.otherIdentity(b))
	if a.source != "" && b.source != "" {
		same := a.sameSource(b)
		v[fSame], v[fSources] = truth(same), truth(!same)
	}
	if len(x.why) == 0 && v[fDenied]+v[fNegative] > 0 {
		x.add(KindNegation, denialOf(a, b), 0, nil)
	}
	return x
}

// subjectOf is how much of their words two texts share, by weight.
func subjectOf(mine, theirs, both float64) float64 {
	return both / math.Sqrt(min(mine, theirs)*(mine+theirs-both))
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func apartBy(a, b bool) float64 { return truth(a != b) }

// deniesOf reports whether a claim denies a word of another one.
func deniesOf(a, b *parse.Claim) bool {
	return slices.ContainsFunc(a.Denials, func(d parse.Denial) bool {
		return slices.ContainsFunc(d.Focus, func(s string) bool { return b.Stems[s] })
	})
}

// denialOf says what one of two findings alone denies.
func denialOf(a, b *finding) string {
	if len(a.Denials) == 0 || countOutright(a.Claim) == 0 && countOutright(b.Claim) > 0 {
		a = b
	}
	d := a.Denials[0]
	for i := range a.Words {
		if len(d.Focus) > 0 && a.Words[i].Stem == d.Focus[0] {
			return fmt.Sprintf("only one of them denies: “%s … %s”", d.Word, a.Words[i].Low)
		}
	}
	return fmt.Sprintf("only one of them denies: “%s”", d.Word)
}

// differingFigures adds to x the figures of one subject with two values, and counts those that both have.
func (ev *Evidence) differingFigures(a, b *finding, x *difference) {
	v := &x.vector
	figures, named := measures(a.Claim) && measures(b.Claim), map[string]bool{}
	nameStemsTo(a.Claim, named)
	nameStemsTo(b.Claim, named)
	for _, p := range [][2]*finding{{a, b}, {b, a}} {
		s := ev.scale(p[0].Claim, nil)
		for k := range p[0].Details {
			d := &p[0].Details[k]
			if !d.IsFigure() || figures && period(d) { // the periods are when they did
				continue
			}
			w := s.weigh(d, []*parse.Claim{p[1].Claim}, nil)
			if w.Best.With != nil && w.Best.Rel != parse.Bare {
				v[fAgreed] += truth(!d.Weak && p[0] == a)
				continue
			}
			for _, m := range []*Match{&w.Rival, &w.Other} {
				if m.With == nil || p[0].HasFigure(m.With) || labels(m.Detail, m.With) {
					continue
				}
				sure := math.Sqrt(ev.attribute(m.Detail, m.With, named) *
					ev.attribute(m.With, m.Detail, named))
				at := fForm
				if m.Rel == parse.OtherValue || m.Rel == parse.Coarser {
					at = fValue
				}
				if v[at] = max(v[at], sure); sure >= leastAlike {
					x.add(kindOf(d), ev.sayFigures(a, b, m, p[0] == b), sure, m)
				}
			}
		}
	}
	v[fAgreed] = min(v[fAgreed], 2)
}

// attribute is how much two figures are of one thing by what they measure: names say whose
// it is, not what.
func (ev *Evidence) attribute(d, e *parse.Detail, named map[string]bool) float64 {
	all, both := 0.0, 0.0
	for _, n := range d.Topic {
		if named[n.Stem] || n.Stem[0] == '@' {
			continue
		}
		x := n.Closeness * ev.weight(n.Stem)
		if all += x; e.Topic.Closeness(n.Stem) > 0 {
			both += x * min(1, .5+.5*e.Topic.Closeness(n.Stem)/n.Closeness)
		}
	}
	if all == 0 { // of nothing but what is named
		return ev.alike(d, e)
	}
	return both / all
}

// nameStemsTo adds the stems of the names of a claim.
func nameStemsTo(c *parse.Claim, set map[string]bool) {
	for k := range c.Details {
		if d := &c.Details[k]; d.Kind == parse.Name && !d.Initial {
			for _, w := range d.Words {
				set[parse.Stem(w)] = true
			}
		}
	}
}

// measures reports whether a claim has a figure that is no date.
func measures(c *parse.Claim) bool {
	return slices.ContainsFunc(c.Details, func(d parse.Detail) bool { return d.Q != nil && !d.Weak && !d.Named })
}

// period reports whether a detail is a month, a quarter, a year.
func period(d *parse.Detail) bool {
	return d.T != nil && d.T.Dated && d.T.Clock < 0 && d.T.Days() >= 28
}

// leastAlike is how much two figures are of one thing from which on they are shown.
const leastAlike = .05

func kindOf(d *parse.Detail) string {
	if d.Kind == parse.Date {
		return KindDate
	}
	return KindFigure
}

// sayFigures says which figures differ, and of what: 12 % and 15 %: churn, customers.
func (ev *Evidence) sayFigures(a, b *finding, m *Match, turned bool) string {
	one, other := m.Detail, m.With
	if turned {
		one, other = other, one
	}
	out := shown(a.Claim, one) + " and " + shown(b.Claim, other)
	if m.Rel != parse.OtherValue && m.Rel != parse.Coarser {
		out += " (" + m.Rel.String() + ")"
	}
	var both []parse.TopicStem
	for _, n := range one.Topic {
		if n.Stem[0] != '@' && other.Topic.Closeness(n.Stem) > 0 && !countsStem(one, n.Stem) {
			by := n.Closeness * other.Topic.Closeness(n.Stem) * ev.weight(n.Stem)
			both = append(both, parse.TopicStem{Stem: n.Stem, Closeness: by})
		}
	}
	slices.SortStableFunc(both, func(a, b parse.TopicStem) int {
		return int(math.Copysign(1, b.Closeness-a.Closeness)) * int(truth(a.Closeness != b.Closeness))
	})
	var words []string
	for _, n := range both[:min(3, len(both))] {
		words = append(words, wordOf(a.Claim, n.Stem))
	}
	if len(words) > 0 {
		out += ": " + strings.Join(words, " ")
	}
	return out
}

// shown is a figure with what it counts: 98 sites.
func shown(c *parse.Claim, d *parse.Detail) string {
	text := oneLine(d.Text)
	if d.Q != nil && d.Q.Dim == "" && len(d.Q.Noun) > 0 && !d.Q.Ref {
		text += " " + wordOf(c, d.Q.Noun[0])
	}
	return text
}

// countsStem reports whether a figure is a number of what a stem names.
func countsStem(d *parse.Detail, s string) bool {
	return d.Q != nil && d.Q.Dim == "" && len(d.Q.Noun) > 0 && d.Q.Noun[0] == s
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// wordOf returns a word of the claim that has a stem, or the stem if there is none.
func wordOf(c *parse.Claim, s string) string {
	for i := range c.Words {
		if c.Words[i].Stem == s {
			return c.Words[i].Low
		}
	}
	return s
}

// differingClauses adds to x clauses that say the opposite.
func (ev *Evidence) differingClauses(a, b *parse.Claim, x *difference) {
	half := 1.0
	if len(a.Denials) > 0 && len(b.Denials) > 0 {
		half = .5 // both deny something
	}
	var said opposition // the least sure of all that each side finds against the other: the same either way round
	for _, p := range [][2]*parse.Claim{{a, b}, {b, a}} {
		w := Window{Claims: []*parse.Claim{p[1]}}
		for _, o := range ev.opposing(p[0], w, ev.assign(p[0], w)) {
			o.like *= half
			x.vector[fOpposite] = max(x.vector[fOpposite], o.like)
			if said.why == "" || o.like < said.like {
				said = o
			}
		}
	}
	if said.why != "" {
		x.add(kindOfWords(said.why), said.why, said.like, nil)
	}
}

// kindOfWords returns KindOrder for a reason with before or after, else KindNegation.
func kindOfWords(why string) string {
	if strings.Contains(why, "“before” ") || strings.Contains(why, "“after” ") {
		return KindOrder
	}
	return KindNegation
}

// A finding is an entry that is compared with others.
type finding struct {
	*parse.Claim
	source    string
	told, all bool
	marks     map[string]bool
	numbered  map[string][]string
	periods   []*parse.Instant
}

// telling are the words with which a text says who said something.
var telling = parse.NewSet(`say says said claim claims claimed state states stated holds believes believe
	according per tells told report reports reported assert asserts deny denies confirm confirms
	admit admits argue argues insist insists thinks maintains writes puts speak speaks promise
	promises lists counts shows`)

// wholes are the words behind "three of" with which a part is meant.
var wholes = parse.NewSet("the its their these those our all")

// total are the words that leave nothing open.
var total = parse.NewSet("all every none nobody no any only each always never neither entire whole")

func newFinding(content, source string) *finding {
	f := &finding{Claim: parse.ExtractText(content, ""), source: source, marks: map[string]bool{},
		numbered: map[string][]string{}}
	t := parse.Tokenize(content)
	for i := range t {
		low := t[i].Low
		f.told, f.all = f.told || telling.Has(low), f.all || total.Has(low)
		if m := markOf()[low]; m != "" && (low != "used" || t.At(i+1).Low == "to") {
			f.marks[m] = true
		}
		if t[i].Low == "of" && t.At(i-1).Kind == parse.NumberToken ||
			t[i].Low == "of" && parse.SmallNumbers[t.At(i-1).Low] != 0 {
			f.marks["part"] = f.marks["part"] || wholes.Has(t.At(i+1).Low)
		}
		if kind := t.NumberedThing(i); kind != "" {
			n := t.At(i + 1).Low
			if n == "#" {
				n = t.At(i + 2).Low
			}
			f.numbered[kind] = append(f.numbered[kind], n)
		}
	}
	for k := range f.Details {
		d := &f.Details[k]
		if period(d) {
			f.periods = append(f.periods, d.T)
		}
		if d.Kind == parse.Identifier { // what tells one of many alike from the others
			f.Stems[identity+d.Words[0]] = true
		}
	}
	f.IndexedFigures() // now, since findings are compared by several at once
	return f
}

// lacksName reports whether a finding names something that another one does not.
func (f *finding) lacksName(o *parse.Claim) bool {
	return slices.ContainsFunc(f.Details, func(d parse.Detail) bool {
		return !d.IsFigure() && !d.Initial && !hasName(o, &d)
	})
}

func (f *finding) sameSource(o *finding) bool {
	for one := range strings.SplitSeq(f.source, ";") {
		for other := range strings.SplitSeq(o.source, ";") {
			if strings.TrimSpace(one) == strings.TrimSpace(other) {
				return true
			}
		}
	}
	return false
}

var reLabel = text.NewRegexp(`^[^.:\n]{1,60}:`)

// labels reports whether one of two findings is the field of a form, and nothing says that
// both forms are of one thing.
func (f *finding) labels(o *finding) bool {
	one, other := len(reLabel.FindString(f.Text)), len(reLabel.FindString(o.Text))
	if f.source == "" || o.source == "" || f.sameSource(o) || one+other == 0 {
		return false
	}
	return !slices.ContainsFunc(f.Details, func(d parse.Detail) bool {
		return d.At >= one && !d.IsFigure() && !d.Initial && hasName(o.Claim, &d)
	})
}

// otherPeriod reports whether both are about periods, and none of one is in one of the other.
func (f *finding) otherPeriod(o *finding) bool {
	if len(f.periods) == 0 || len(o.periods) == 0 {
		return false
	}
	return !slices.ContainsFunc(f.periods, func(p *parse.Instant) bool {
		return slices.ContainsFunc(o.periods, func(q *parse.Instant) bool {
			return p.Compare(q).Agrees() || q.Compare(p).Agrees()
		})
	})
}

// spans reports whether a finding has more than one day: from when to when something was, not when it was said that it
// was.
func (f *finding) spans() bool {
	t, days := parse.Tokenize(f.Text), 0
	that := slices.IndexFunc(t, func(x parse.Token) bool { return x.Low == "that" })
	for k := range f.Details {
		if in := f.Details[k].T; in != nil && in.Dated && in.Days() == 1 && f.Details[k].FirstToken > that {
			days++
		}
	}
	return days > 1
}

// otherNumber reports whether both name things of one kind, with other numbers.
func (f *finding) otherNumber(o *finding) bool {
	for kind, mine := range f.numbered {
		theirs := o.numbered[kind]
		if len(theirs) > 0 && !slices.ContainsFunc(mine, func(n string) bool {
			return slices.Contains(theirs, n)
		}) {
			return true
		}
	}
	return false
}

// identity is the first byte of a stem that is an identifier.
const identity = "="

// otherIdentity reports whether both have identifiers, and not one in common.
func (f *finding) otherIdentity(o *finding) bool {
	var mine, theirs bool
	for s := range f.Stems {
		if strings.HasPrefix(s, identity) {
			if mine = true; o.Stems[s] {
				return false
			}
		}
	}
	for s := range o.Stems {
		theirs = theirs || strings.HasPrefix(s, identity)
	}
	return mine && theirs
}

// markOf leads from a word to the kind of statement that it makes: of two statements of
// which one alone is of a kind, both may hold.
var markOf = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, g := range parse.TableLines("marks") {
		for _, w := range g[1:] {
			m[w] = g[0]
		}
	}
	return m
})

// marksApart returns the kinds of statement that one of two findings alone is of.
func (f *finding) marksApart(o *finding, kind string) (out []string) {
	for m := range f.marks {
		if !o.marks[m] && counts(m, kind) {
			out = append(out, m)
		}
	}
	for m := range o.marks {
		if !f.marks[m] && counts(m, kind) {
			out = append(out, m)
		}
	}
	return out
}

// counts reports whether a kind of statement matters for what differs: the end of something
// for dates, a part for figures.
func counts(mark, kind string) bool {
	switch mark {
	case "ought":
		return kind != KindFigure
	case "part", "whole", "bound":
		return kind == KindFigure
	case "earlier", "later":
		return kind != KindDate && kind != KindOrder
	case "end", "renew", "look":
		return kind == KindDate
	}
	return true
}
