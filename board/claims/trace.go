package claims

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"blackboard/board/claims/parse"
)

// This file says how the statements of a report stand to the entries of a board.

// A Standing is what evidence says about a statement of a report.
type Standing struct {
	*parse.Claim
	Verbatim string   // the source that has it word for word, "" for none
	Details  []Judged // its figures, names and identifiers
	Against  string   // why a source says the opposite, "" if none does
	By       string   // that source
	Unsaid   string   // why no source says anything like it, "" if one may
}

// A Judged is what evidence says about one detail of a statement.
type Judged struct {
	*parse.Detail
	Verdict Verdict
	Other   parse.Relation // of what refutes it
	Source  string
	With    string // what the source has
	Label   bool   // it is a name, as in block 6, and the source has it
}

// shortestVerbatim is from how many bytes on a text that is found is no accident.
const shortestVerbatim = 20

// tracedAtOnce is how many statements are judged one after the other.
const tracedAtOnce = 64

// Trace judges the statements of a report, on all processors.
func (ev *Evidence) Trace(report []*parse.Claim) []Standing {
	out := make([]Standing, len(report))
	workers := []*Evidence{ev}
	for len(workers) < min(runtime.GOMAXPROCS(0), 1+len(report)/tracedAtOnce) {
		workers = append(workers, ev.clone())
	}
	var running sync.WaitGroup
	var taken atomic.Int64
	for _, own := range workers {
		running.Go(func() {
			for to := 0; to < len(report); {
				to = int(taken.Add(tracedAtOnce))
				own.trace(report, out, to-tracedAtOnce, min(to, len(report)))
			}
		})
	}
	running.Wait()
	return out
}

// clone returns the same evidence with its own room for what is made at first use.
func (ev *Evidence) clone() *Evidence {
	own := *ev
	own.Claims, own.totals, own.looked, own.names = make([]*parse.Claim, len(ev.Claims)), nil, nil, nil
	for i, c := range ev.Claims {
		own.Claims[i] = c.Clone()
	}
	return &own
}

func (ev *Evidence) trace(report []*parse.Claim, out []Standing, from, to int) {
	for i := from; i < to; i++ {
		c := report[i]
		s := Standing{Claim: c, Verbatim: ev.verbatim(c)}
		near := ev.about(c)
		var before *parse.Claim
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
}

// verbatim returns the source that has a statement word for word, "" if none has it, or it is a row or short.
func (ev *Evidence) verbatim(c *parse.Claim) string {
	text := parse.Flatten(c.Text).Text
	if len(text) < shortestVerbatim || c.Cells != nil {
		return ""
	}
	var rarest []int32
	for s := range c.Stems {
		if at := ev.stems[s]; rarest == nil || len(at) < len(rarest) {
			if rarest = at; len(at) == 0 {
				return ""
			}
		}
	}
	for _, i := range rarest[:min(len(rarest), mostBeside)] {
		if e := ev.Claims[i]; strings.Contains(parse.Flatten(e.Text).Text, text) {
			return strings.TrimSuffix(e.Source, parse.Quoted)
		}
	}
	return ""
}

// Claims that are looked at for a statement: of one stem, and of all.
const mostBeside, mostOfStem = 24, 40

// about returns the claims that share rare stems with one.
func (ev *Evidence) about(c *parse.Claim) (all []*parse.Claim) {
	stems := slices.Collect(maps.Keys(c.Stems))
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
	slices.SortFunc(all, func(a, b *parse.Claim) int { return a.Place - b.Place })
	return all
}

// having returns the claims that may have a figure: all if they are few, else those that are
// near.
func (ev *Evidence) having(d *parse.Detail, near []*parse.Claim) (all []*parse.Claim) {
	seen := map[int32]bool{}
	for _, k := range d.Asks() {
		at := ev.values[k]
		if len(at) > mostOfStem {
			at = nil
			for _, e := range near {
				at = append(at, int32(e.Place))
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
func (ev *Evidence) withName(d *parse.Detail) *parse.Claim {
	for _, w := range d.Words {
		for _, s := range parse.Stems(w) {
			at := ev.stems[s]
			for _, i := range at[:min(len(at), mostOfStem)] {
				if hasName(ev.Claims[i], d) {
					return ev.Claims[i]
				}
			}
		}
	}
	return nil
}

// weighDetail says what evidence has for one detail.
func (ev *Evidence) weighDetail(s *scale, d *parse.Detail, near []*parse.Claim) Judged {
	j := Judged{Detail: d}
	if !d.IsFigure() {
		if e := ev.withName(d); e != nil {
			j.Verdict, j.Source = Supported, strings.TrimSuffix(e.Source, parse.Quoted)
		}
		return j
	}
	if e := ev.labelled(d); e != nil {
		j.Verdict, j.Source, j.Label = Supported, strings.TrimSuffix(e.Source, parse.Quoted), true
		return j
	}
	w := s.weigh(d, ev.having(d, near), nil)
	best, other := &w.Best, &w.Other
	plain := best.With != nil && best.Rel != parse.Bare
	switch {
	case refutes(best, other):
		j.Verdict, j.Other, j.Source, j.With = Refuted, other.Rel, other.From.Source, other.With.Text
	case plain && best.Alike >= least(d):
		j.Verdict, j.Source, j.With = Supported, best.From.Source, best.With.Text
	case best.With != nil:
		j.Verdict = Unsure
	}
	j.Source = strings.TrimSuffix(j.Source, parse.Quoted)
	return j
}

// labelled returns a claim that numbers a noun as a detail does: block 6.
func (ev *Evidence) labelled(d *parse.Detail) *parse.Claim {
	if d.Q == nil || d.Q.Label == "" {
		return nil
	}
	at := ev.stems[d.Q.Label]
	for _, i := range at[:min(len(at), mostBeside)] {
		for _, x := range figuresOf(ev.Claims[i]) {
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
	if other.With == nil || other.Alike < sameThing(other.Detail) || other.Rel == parse.OtherBound ||
		other.Detail.Q != nil && (other.Detail.Q.About || // worked out, perhaps
			other.Detail.Q.Dim == "points" || other.With.Q.Dim == "points") {
		return false
	}
	return best.With == nil || other.Alike > 1.05*best.Alike ||
		best.Rel == parse.Bare && (other.From.Source == best.From.Source || other.Alike > .8*best.Alike)
}

// sameThing is how much two figures are of one thing so that one refutes the other. Three digits
// are hardly those of two things.
func sameThing(d *parse.Detail) float64 {
	if d.Q != nil && d.Q.Digits() >= 3 {
		return .15
	}
	return .3
}

// least is how much a figure must be of one thing with what supports it: the less, the more
// it says itself.
func least(d *parse.Detail) float64 {
	switch {
	case d.Weak:
		return .3
	case d.T != nil && (d.T.Clock >= 0 || d.T.Days() <= 1), d.Q != nil && d.Q.Digits() >= 3:
		return .15
	}
	return .3
}

// refutes returns the nearest entries' reason against a statement. Of two that are as near,
// one that agrees with it is enough.
func (ev *Evidence) refutes(c *parse.Claim, nearest []*parse.Claim) (source, why string) {
	type near struct {
		e     *parse.Claim
		cover float64
	}
	var all []near
	for _, e := range nearest {
		if strings.HasSuffix(e.Source, parse.Quoted) || strings.HasSuffix(c.Text, "?") {
			continue
		}
		if sharedStems(c, e)+min(2, len(c.CommonFigures(e))) < fewestShared {
			continue
		}
		mine, both := ev.shared(c, e)
		theirs := ev.total(e)
		if cover := both / mine; cover >= .5 || cover >= .3 && both/theirs >= .6 {
			all = append(all, near{e, cover})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(b.cover, a.cover) })
	for _, n := range all[:min(len(all), 3)] {
		w := Window{Source: n.e.Source, Claims: []*parse.Claim{n.e}}
		matches := ev.assign(c, w)
		reasons := slices.Concat(turned(matches), ev.renamed(c, matches),
			disagrees(c, w.Claims, n.e.Text), otherBound(matches))
		if deniesAlone(c, w.Claims) || c.Denials == nil && n.e.Denials == nil {
			for _, o := range ev.opposing(c, w, matches) {
				if o.like >= sameClause && !(TurnsOnDenial(o.why) && mayDenyToo(c, n.e)) {
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

// mayDenyToo reports whether two statements of which one denies something may say the same all the same: the other one
// is negative by what its words mean, or they say within which bound something may be.
func mayDenyToo(c, e *parse.Claim) bool {
	if countOutright(c) > 0 {
		c, e = e, c
	}
	return saysNo(c, e) || hasOther(c.Tokens(), notYet, e.Tokens()) || setsLimit(c) || setsLimit(e)
}

// fewestShared is how many words a statement has at least in common with what refutes it.
const fewestShared = 3

func sharedStems(c, e *parse.Claim) (n int) {
	for s := range c.Stems {
		if e.Stems[s] {
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
		for k := i + 1; k < min(len(m), i+1+parse.MaxPairwise); k++ {
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
		if m.With != nil && m.Rel == parse.OtherBound && m.Alike >= .3 {
			reasons = append(reasons, fmt.Sprintf("%s: %s, %s", m.Rel, m.Detail.Text, m.With.Text))
		}
	}
	return reasons
}

func agreedFigure(m Match) bool {
	return m.With != nil && m.Detail.Kind == parse.Number && !m.Detail.Weak && m.Rel.Agrees()
}

func (j *Judged) String() string {
	return fmt.Sprintf("%s: %s has %s", j.Other, j.Source, j.With)
}

// What follows finds sentences of a report that tell what no evidence tells. It knows English only.

var (
	reasonWords = parse.NewSet("because owing caused")
	// ofReport are words with which a report speaks of itself and of what it compares; supposes are
	// those with which it proposes or supposes.
	ofReport = parse.TableSet("report")
	supposes = parse.NewSet(`should would could cannot can may might must shall will if whether whoever anyone
		nobody let`)
)

// unsaid returns why no evidence says anything like a statement: it tells an event, or gives a
// reason, most of whose words stand nowhere. What a report says of itself, proposes or supposes, and
// statements with figures, which are judged by these, are left out.
func (ev *Evidence) unsaid(c *parse.Claim) string {
	t := c.Tokens()
	if !c.English || c.Cells != nil || !strings.HasSuffix(c.Text, ".") ||
		slices.ContainsFunc(t, func(x parse.Token) bool {
			return x.Kind == parse.NumberToken || x.Kind == parse.StampToken || ofReport.Has(x.Low)
		}) {
		return ""
	}
	at := slices.IndexFunc(t, func(x parse.Token) bool { return reasonWords.Has(x.Low) })
	if all, unknown := ev.newWords(t[at+1:]); at >= 0 && all > 2 && 4*unknown >= 3*all {
		return "no finding gives this reason"
	}
	if ev.ofAll(t) {
		return "no finding says it of all"
	}
	all, unknown := ev.newWords(t)
	if all < 3 || 3*unknown < 2*all || slices.ContainsFunc(t,
		func(x parse.Token) bool { return supposes.Has(x.Low) }) ||
		t[0].Low == "that" || slices.ContainsFunc(c.Details, func(d parse.Detail) bool {
		return d.IsFigure() && !d.Weak
	}) {
		return ""
	}
	return "no finding says anything like it"
}

// ofAll reports whether a sentence begins with what it says of all of something, and no evidence
// about that speaks of all, or of none.
func (ev *Evidence) ofAll(t parse.Tokens) bool {
	at := slices.IndexFunc(t[:min(len(t), 3)], func(x parse.Token) bool { return x.Low == "every" || x.Low == "all" })
	if at < 0 || t.At(at+1).Low == "of" || !states(t) {
		return false
	}
	for k := at + 1; k < min(len(t), at+4); k++ {
		if t[k].Kind != parse.WordToken || !parse.IsContentWord(t[k].Low) {
			continue
		}
		for _, i := range ev.stems[parse.Stem(t[k].Low)] {
			if slices.ContainsFunc(parse.Tokenize(ev.Claims[i].Text), func(x parse.Token) bool {
				return universals.Has(x.Low) || parse.Negators.Has(x.Low) || x.Low == "any" || x.Low == "only" ||
					x.Low == "both"
			}) {
				return false
			}
		}
		return len(ev.stems[parse.Stem(t[k].Low)]) > 0
	}
	return false
}

// states reports whether a sentence has a verb, and supposes nothing.
func states(t parse.Tokens) bool {
	return slices.ContainsFunc(t, func(x parse.Token) bool { return verbs.Has(x.Low) && !supposes.Has(x.Low) }) &&
		!slices.ContainsFunc(t, func(x parse.Token) bool { return supposes.Has(x.Low) })
}

// newWords counts the different words of a text that say something, and those that stand nowhere.
func (ev *Evidence) newWords(t parse.Tokens) (all, unknown int) {
	seen := map[string]bool{}
	for i := range t {
		if x := &t[i]; x.Kind == parse.WordToken && parse.IsContentWord(x.Low) && parse.SmallNumbers[x.Low] == 0 &&
			!seen[parse.Stem(x.Low)] {
			s := parse.Stem(x.Low)
			seen[s] = true
			if all++; len(ev.stems[s]) == 0 {
				unknown++
			}
		}
	}
	return all, unknown
}
