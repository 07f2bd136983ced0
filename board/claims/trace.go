package claims

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// This file says how the statements of a report stand to the entries of a board.

// A Standing is what evidence says about a statement of a report.
type Standing struct {
	*Claim
	Verbatim string   // the source that has it word for word, "" for none
	Details  []Judged // its figures, names and identifiers
	Against  string   // why a source says the opposite, "" if none does
	By       string   // that source
	Unsaid   string   // why no source says anything like it, "" if one may
}

// A Judged is what evidence says about one detail of a statement.
type Judged struct {
	*Detail
	Verdict Verdict
	Other   Relation // of what refutes it
	Source  string
	With    string // what the source has
	Label   bool   // it is a name, as in block 6, and the source has it
}

// shortestVerbatim is from how many bytes on a text that is found is no accident.
const shortestVerbatim = 20

// Trace judges the statements of a report.
func (ev *Evidence) Trace(report []*Claim) []Standing {
	out := make([]Standing, len(report))
	for i, c := range report {
		s := Standing{Claim: c, Verbatim: ev.verbatim(c)}
		near := ev.about(c)
		var before *Claim
		if i > 0 && report[i-1].Block == c.Block {
			before = report[i-1]
		}
		on := ev.scale(c, before)
		for k := range c.Details {
			s.Details = append(s.Details, ev.weighDetail(on, &c.Details[k], near))
		}
		if s.Verbatim == "" {
			if s.By, s.Against = ev.refutes(c, near); s.Against == "" {
				s.Unsaid = ev.unsaid(c)
			}
		}
		out[i] = s
	}
	return out
}

// verbatim returns the source that has a statement word for word, "" if none has it, or it is a row or short.
func (ev *Evidence) verbatim(c *Claim) string {
	text := flatten(c.Text).s
	if len(text) < shortestVerbatim || c.Cells != nil {
		return ""
	}
	var rarest []int32
	for s := range c.stems {
		if at := ev.stems[s]; rarest == nil || len(at) < len(rarest) {
			if rarest = at; len(at) == 0 {
				return ""
			}
		}
	}
	for _, i := range rarest[:min(len(rarest), mostBeside)] {
		if e := ev.Claims[i]; strings.Contains(flatten(e.Text).s, text) {
			return strings.TrimSuffix(e.Source, Quoted)
		}
	}
	return ""
}

// Claims that are looked at for a statement: of one stem, and of all.
const mostBeside, mostOfStem = 24, 40

// about returns the claims that share rare stems with one.
func (ev *Evidence) about(c *Claim) (all []*Claim) {
	stems := slices.Collect(maps.Keys(c.stems))
	slices.SortFunc(stems, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(ev.stems[a]), len(ev.stems[b])), cmp.Compare(a, b))
	})
	seen := map[int32]bool{}
	for _, s := range stems {
		at := ev.stems[s]
		if len(at) > mostOfStem && len(all) > 0 || len(all) >= mostBeside {
			break
		}
		for _, i := range at[:min(len(at), mostOfStem)] {
			if !seen[i] {
				seen[i], all = true, append(all, ev.Claims[i])
			}
		}
	}
	slices.SortFunc(all, func(a, b *Claim) int { return a.number - b.number })
	return all
}

// having returns the claims that may have a figure: all if they are few, else those that are
// near.
func (ev *Evidence) having(d *Detail, near []*Claim) (all []*Claim) {
	seen := map[int32]bool{}
	for _, k := range d.asks() {
		at := ev.values[k]
		if len(at) > mostOfStem {
			at = nil
			for _, e := range near {
				at = append(at, int32(e.number))
			}
		}
		for _, i := range at {
			if !seen[i] {
				seen[i], all = true, append(all, ev.Claims[i])
			}
		}
	}
	return all
}

// withName returns a claim that has a name or an identifier, nil if none is found.
func (ev *Evidence) withName(d *Detail) *Claim {
	for _, w := range d.Words {
		for _, s := range stemsOf(w) {
			at := ev.stems[s]
			for _, i := range at[:min(len(at), mostOfStem)] {
				if ev.Claims[i].hasName(d) {
					return ev.Claims[i]
				}
			}
		}
	}
	return nil
}

// weighDetail says what evidence has for one detail.
func (ev *Evidence) weighDetail(s *scale, d *Detail, near []*Claim) Judged {
	j := Judged{Detail: d}
	if !d.isFigure() {
		if e := ev.withName(d); e != nil {
			j.Verdict, j.Source = Supported, strings.TrimSuffix(e.Source, Quoted)
		}
		return j
	}
	if e := ev.labelled(d); e != nil {
		j.Verdict, j.Source, j.Label = Supported, strings.TrimSuffix(e.Source, Quoted), true
		return j
	}
	w := s.weigh(d, ev.having(d, near), nil)
	best, other := &w.Best, &w.Other
	plain := best.With != nil && best.Rel != Bare
	switch {
	case refutes(best, other):
		j.Verdict, j.Other, j.Source, j.With = Refuted, other.Rel, other.From.Source, other.With.Text
	case plain && best.Alike >= d.least():
		j.Verdict, j.Source, j.With = Supported, best.From.Source, best.With.Text
	case best.With != nil:
		j.Verdict = Unsure
	}
	j.Source = strings.TrimSuffix(j.Source, Quoted)
	return j
}

// labelled returns a claim that numbers a noun as a detail does: block 6.
func (ev *Evidence) labelled(d *Detail) *Claim {
	if d.Q == nil || d.Q.Label == "" {
		return nil
	}
	at := ev.stems[d.Q.Label]
	for _, i := range at[:min(len(at), mostBeside)] {
		for _, x := range ev.Claims[i].figures() {
			if x.Q != nil && x.Q.Label == d.Q.Label && x.Q.Number == d.Q.Number {
				return ev.Claims[i]
			}
		}
	}
	return nil
}

// refutes reports whether evidence has the same digits of the same thing with another unit,
// currency, rate, bound or sign, and nowhere as they are.
func refutes(best, other *Match) bool {
	if other.With == nil || other.Alike < other.Detail.sameThing() || other.Rel == OtherBound ||
		other.Detail.Q != nil && (other.Detail.Q.About || // worked out, perhaps
			other.Detail.Q.Dim == "points" || other.With.Q.Dim == "points") {
		return false
	}
	return best.With == nil || other.Alike > 1.05*best.Alike ||
		best.Rel == Bare && (other.From.Source == best.From.Source || other.Alike > .8*best.Alike)
}

// sameThing is how much two figures are of one thing so that one refutes the other. Three digits
// are hardly those of two things.
func (d *Detail) sameThing() float64 {
	if d.Q != nil && d.Q.significant() >= 3 {
		return .15
	}
	return .3
}

// least is how much a figure must be of one thing with what supports it: the less, the more
// it says itself.
func (d *Detail) least() float64 {
	switch {
	case d.Weak:
		return .3
	case d.T != nil && (d.T.Clock >= 0 || d.T.days() <= 1), d.Q != nil && d.Q.significant() >= 3:
		return .15
	}
	return .3
}

// refutes returns the nearest entries' reason against a statement. Of two that are as near,
// one that agrees with it is enough.
func (ev *Evidence) refutes(c *Claim, nearest []*Claim) (source, why string) {
	type near struct {
		e     *Claim
		cover float64
	}
	var all []near
	for _, e := range nearest {
		if strings.HasSuffix(e.Source, Quoted) || strings.HasSuffix(c.Text, "?") {
			continue
		}
		if sharedStems(c, e)+min(2, len(c.commonFigures(e))) < fewestShared {
			continue
		}
		mine, both := ev.shared(c, e)
		theirs, _ := ev.shared(e, c)
		if cover := both / mine; cover >= .5 || cover >= .3 && both/theirs >= .6 {
			all = append(all, near{e, cover})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(b.cover, a.cover) })
	for _, n := range all[:min(len(all), 3)] {
		w := Window{Source: n.e.Source, Claims: []*Claim{n.e}}
		matches := ev.assign(c, w)
		reasons := slices.Concat(turned(matches), ev.renamed(c, matches),
			c.disagrees(w.Claims, n.e.Text), otherBound(matches))
		if c.deniesAlone(w.Claims) || c.denials == nil && n.e.denials == nil {
			for _, o := range ev.opposing(c, w, matches) {
				if o.like >= sameClause {
					reasons = append(reasons, o.why)
				}
			}
		}
		switch {
		case len(reasons) == 0 && (n.cover >= .8 || slices.ContainsFunc(matches, agreedFigure)):
			return "", "" // what one says, another may dispute
		case len(reasons) > 0 && why == "":
			source, why = n.e.Source, reasons[0]
		}
	}
	return source, why
}

// fewestShared is how many words a statement has at least in common with what refutes it.
const fewestShared = 3

func sharedStems(c, e *Claim) (n int) {
	for s := range c.stems {
		if e.stems[s] {
			n++
		}
	}
	return n
}

// sameClause is how much two clauses have in common of which one refutes the other.
const sameClause = .67

// turned says which change goes the other way.
func turned(m []Match) (reasons []string) {
	for i := range m {
		for k := i + 1; k < min(len(m), i+1+mostEach); k++ {
			if a, b := &m[i], &m[k]; exchangeable(a, b) && reversed(a, b) {
				reasons = append(reasons, fmt.Sprintf("%s and %s stand the other way round",
					a.Detail.Text, b.Detail.Text))
			}
		}
	}
	return reasons
}

// otherBound says which figure has the opposite bound.
func otherBound(matches []Match) (reasons []string) {
	for _, m := range matches {
		if m.With != nil && m.Rel == OtherBound && m.Alike >= .3 {
			reasons = append(reasons, fmt.Sprintf("%s: %s, %s", m.Rel, m.Detail.Text, m.With.Text))
		}
	}
	return reasons
}

func agreedFigure(m Match) bool {
	return m.With != nil && m.Detail.Kind == Number && !m.Detail.Weak && m.Rel.Agrees()
}

func (j *Judged) String() string {
	return fmt.Sprintf("%s: %s has %s", j.Other, j.Source, j.With)
}

// What follows finds sentences of a report that tell what no evidence tells. It knows English only.

var (
	reasonWords = set("because owing caused")
	// ofReport are words with which a report speaks of itself and of what it compares; supposes are
	// those with which it proposes or supposes.
	ofReport = setOf("report")
	supposes = set(`should would could cannot can may might must shall will if whether whoever anyone
		nobody let`)
	tells = set("was were had been")
)

// unsaid returns why no evidence says anything like a statement: it tells an event, or gives a
// reason, most of whose words stand nowhere. What a report says of itself, proposes or supposes, and
// statements with figures, which are judged by these, are left out.
func (ev *Evidence) unsaid(c *Claim) string {
	t := c.tokens()
	if !c.English || c.Cells != nil || !strings.HasSuffix(c.Text, ".") || slices.ContainsFunc(t, func(x token) bool {
		return x.kind == numberToken || x.kind == stampToken || ofReport.has(x.low)
	}) {
		return ""
	}
	at := slices.IndexFunc(t, func(x token) bool { return reasonWords.has(x.low) })
	if all, unknown := ev.newWords(t[at+1:]); at >= 0 && all > 2 && 4*unknown >= 3*all {
		return "no finding gives this reason"
	}
	if ev.ofAll(t) {
		return "no finding says it of all"
	}
	all, unknown := ev.newWords(t)
	if all < 2 || 3*unknown < 2*all || slices.ContainsFunc(t, func(x token) bool { return supposes.has(x.low) }) ||
		t[0].low == "that" || !t.tells() || slices.ContainsFunc(c.Details, func(d Detail) bool {
		return d.isFigure() && !d.Weak
	}) {
		return ""
	}
	return "no finding says anything like it"
}

// ofAll reports whether a sentence begins with what it says of all of something, and no evidence
// about that speaks of all, or of none.
func (ev *Evidence) ofAll(t tokens) bool {
	at := slices.IndexFunc(t[:min(len(t), 3)], func(x token) bool { return x.low == "every" || x.low == "all" })
	if at < 0 || t.at(at+1).low == "of" || !t.states() {
		return false
	}
	for k := at + 1; k < min(len(t), at+4); k++ {
		if t[k].kind != wordToken || !says(t[k].low) {
			continue
		}
		for _, i := range ev.stems[stem(t[k].low)] {
			if slices.ContainsFunc(lex(ev.Claims[i].Text), func(x token) bool {
				return universals.has(x.low) || negators.has(x.low) || x.low == "any" || x.low == "only" || x.low == "both"
			}) {
				return false
			}
		}
		return len(ev.stems[stem(t[k].low)]) > 0
	}
	return false
}

// states reports whether a sentence has a verb, and supposes nothing.
func (t tokens) states() bool {
	return slices.ContainsFunc(t, func(x token) bool { return verbs.has(x.low) && !supposes.has(x.low) }) &&
		!slices.ContainsFunc(t, func(x token) bool { return supposes.has(x.low) })
}

// tells reports whether a sentence tells of what was, or what is to be.
func (t tokens) tells() bool {
	for i := range t {
		if tells.has(t[i].low) || t[i].low == "has" && t.at(i+1).low == "since" ||
			beForms.has(t[i].low) && t.at(i+1).low == "to" {
			return true
		}
	}
	return false
}

// newWords counts the different words of a text that say something, and those that stand nowhere.
func (ev *Evidence) newWords(t tokens) (all, unknown int) {
	seen := map[string]bool{}
	for i := range t {
		if x := &t[i]; x.kind == wordToken && says(x.low) && ones[x.low] == 0 && !seen[stem(x.low)] {
			s := stem(x.low)
			seen[s] = true
			if all++; len(ev.stems[s]) == 0 {
				unknown++
			}
		}
	}
	return all, unknown
}
