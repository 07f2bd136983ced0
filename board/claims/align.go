package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"blackboard/board/claims/parse"
)

// Verdict is what evidence says about a claim or a detail.
type Verdict uint8

const (
	Unsupported Verdict = iota // not enough information
	Unsure                     // something near it, too little to decide
	Supported
	Refuted
	InSource // only a source has it, no entry
)

// A Match is what evidence has for one detail of a claim.
type Match struct {
	Detail *parse.Detail
	With   *parse.Detail // of the evidence; nil: none can be compared
	From   *parse.Claim  // that has it
	Rel    parse.Relation
	Alike  float64 // how much both are of one thing
}

// A Comparison is what a window of the evidence has for a claim, detail by detail.
type Comparison struct {
	Window
	Matches []Match
	Reasons []string     // why the window refutes the claim
	Back    float64      // the share of the words of one of its claims that the claim has
	of      *parse.Claim // the claim
}

// Compare matches the details of a claim with those of a window, and says why the window refutes the claim.
func (ev *Evidence) Compare(c *parse.Claim, w Window) Comparison {
	out := ev.lay(c, w)
	out.Reasons = slices.Concat(ev.swapped(out.Matches), ev.renamed(c, out.Matches),
		ev.opposites(c, w, out.Matches))
	return out
}

// lay matches the details of a claim with those of a window, without reasons.
func (ev *Evidence) lay(c *parse.Claim, w Window) Comparison {
	out := Comparison{Window: w, Matches: ev.assign(c, w), of: c}
	for _, e := range w.Claims {
		all, both := ev.shared(e, c)
		out.Back = max(out.Back, both/all)
	}
	return out
}

// candidate is a pair of figures that may be matched.
type candidate struct {
	at     int
	agrees bool
	rank   float64
	m      Match
}

// rankBonus is added to the likeness of two figures. Of those that agree, equal ones come first; of those that differ,
// the same digits with another unit, rate, bound or sign.
var rankBonus = map[parse.Relation]float64{parse.Same: .3, parse.Coarser: .1, parse.Bare: -.2, parse.OtherUnit: .5,
	parse.OtherCurrency: .5, parse.OtherRate: .5, parse.OtherBound: .5, parse.OtherSign: .5}

// assign returns a match for each detail of a claim, in their order. A figure gets at most one of the window, and none
// is given twice: first those that agree, the closest subject first, then those that differ.
func (ev *Evidence) assign(c *parse.Claim, w Window) []Match {
	out, theirs := make([]Match, len(c.Details)), parse.IndexFigures(parse.MaxWeighed, w.Claims...)
	var pairs []candidate
	for i := range c.Details {
		d := &c.Details[i]
		if out[i].Detail = d; !d.IsFigure() { // a name may be said more than once, and in parts
			out[i] = ev.named(d, w, theirs)
			continue
		}
		for _, near := range theirs.Comparable(d) {
			x := near.Detail
			rel := d.Relate(x)
			if rel == parse.Incomparable || d.Denied && !x.Denied { // 200, not 250
				continue
			}
			s := ev.alike(d, x)
			p := candidate{i, rel.Agrees() || rel == parse.Coarser, s + rankBonus[rel], Match{d, x, near.Claim, rel, s}}
			if !sameWay(d, x) {
				p.rank -= .5
			}
			if x.Q != nil && x.Q.Word && x.Q.About { // almost one in five stands beside the figure itself
				p.rank -= .5
			}
			pairs = append(pairs, p)
		}
	}
	slices.SortStableFunc(pairs, func(a, b candidate) int {
		if a.agrees != b.agrees {
			return map[bool]int{true: -1, false: 1}[a.agrees]
		}
		return cmp.Compare(b.rank, a.rank)
	})
	taken := map[*parse.Detail]bool{}
	for _, p := range pairs {
		if out[p.at].With == nil && !taken[p.m.With] {
			out[p.at], taken[p.m.With] = p.m, true
		}
	}
	for _, p := range pairs { // what a claim says twice may stand once in the evidence
		if o := &out[p.at]; p.agrees && !o.Rel.Agrees() && o.Rel != parse.Coarser {
			*o = p.m
		}
	}
	return out
}

// named returns where a window has a name or identifier with all of its words. With is nil if only the text or a
// heading has it; From, too, if nothing has.
func (ev *Evidence) named(d *parse.Detail, w Window, theirs *parse.FigureIndex) Match {
	best := Match{Detail: d}
	for _, p := range theirs.NamedLike(d) {
		if d.Relate(p.Detail) != parse.Same {
			continue
		}
		if s := ev.alike(d, p.Detail); best.With == nil || s > best.Alike {
			best = Match{d, p.Detail, p.Claim, parse.Same, s}
		}
	}
	for i := 0; i < min(len(w.Claims), parse.MaxPairwise) && best.With == nil; i++ {
		if e := w.Claims[i]; hasName(e, d) {
			best.Rel, best.From = parse.Same, e
		}
	}
	return best
}

// hasName reports whether a claim has all words of a name, in itself or the headings above it, or an identifier, in
// itself, perhaps as the end of a path.
func hasName(c *parse.Claim, d *parse.Detail) bool {
	if d.Kind == parse.Name {
		return !slices.ContainsFunc(d.Words, func(w string) bool {
			s := parse.Stem(w)
			return !c.Stems[s] && !c.Context[s] && !parse.Stopwords.Has(w)
		})
	}
	id := strings.Trim(d.Words[0], ".")
	for k := range c.Details {
		if x := &c.Details[k]; x.Kind == parse.Identifier && (x.Words[0] == id ||
			strings.HasSuffix(x.Words[0], "/"+id) || strings.HasSuffix(id, "/"+x.Words[0])) {
			return true
		}
	}
	return len(id) > 2 && strings.Contains(strings.ToLower(c.Text), id) ||
		slices.ContainsFunc(c.Cells, func(x parse.Cell) bool {
			return slices.Contains(strings.Fields(strings.ToLower(x.Header)), id)
		})
}

// hasAnyWord reports whether a claim, or a heading above it, has a word of a name.
func hasAnyWord(c *parse.Claim, d *parse.Detail) bool {
	return slices.ContainsFunc(d.Words, func(w string) bool {
		s := parse.Stem(w)
		return c.Stems[s] || c.Context[s]
	})
}

// swapped returns a reason for each two details of a claim that have each other's place in the evidence.
func (ev *Evidence) swapped(m []Match) (reasons []string) {
	for i, a := range m {
		for _, b := range m[i+1 : min(len(m), i+1+parse.MaxPairwise)] {
			if exchangeable(&a, &b) && (reversed(&a, &b) || !paired(&a, &b) &&
				(a.Detail.IsFigure() && ev.exchanged(&a, &b) || !ev.isLong() && crossed(&a, &b))) {
				reasons = append(reasons, fmt.Sprintf("%s and %s stand the other way round",
					a.Detail.Text, b.Detail.Text))
			}
		}
	}
	return reasons
}

func exchangeable(a, b *Match) bool {
	return a.With != nil && b.With != nil && a.With != b.With && a.Rel.Agrees() && b.Rel.Agrees() &&
		a.Detail.Kind == b.Detail.Kind &&
		(a.Detail.Q == nil || a.Detail.Q.Dim == b.Detail.Q.Dim && a.Detail.Q.Ref == b.Detail.Q.Ref) &&
		!a.Detail.Relate(b.Detail).Agrees() && !(together(a.Detail, b.Detail) && !together(a.With, b.With))
}

// paired reports whether two numbers belong together: "1,312 of 48,900", or rates of two periods, 348 a year and 29 a
// month. The words around them tell them apart only by chance.
func paired(a, b *Match) bool {
	if !a.Detail.IsFigure() || a.Detail.Q == nil || b.Detail.Q == nil {
		return false
	}
	own := func(m *Match) bool { return m.Detail.Q.Per == m.With.Q.Per }
	return a.Detail.Q.Per != b.Detail.Q.Per && (own(a) && own(b) || samePeriods(a.Detail.Q, b.Detail.Q)) ||
		b.Detail.FirstToken-a.Detail.FirstToken == 2 && a.From == b.From
}

// samePeriods reports whether two rates may be the same one for two periods: one is 12 times the other (months in a
// year), 7 times, 52 times and the like, within 1 %.
func samePeriods(a, b *parse.Quantity) bool {
	many := max(a.Value, b.Value) / min(a.Value, b.Value)
	return slices.ContainsFunc([]float64{4, 7, 12, 24, 52, 60, 365}, func(n float64) bool {
		return math.Abs(many-n) < .01*n
	})
}

// together reports whether two details stand beside each other, as in twelve of the forty:
// the words around them belong to both.
func together(a, b *parse.Detail) bool { return abs(a.FirstToken-b.FirstToken) <= 3 }

// reversed reports whether a change goes the other way: from 74 to 91, from 91 to 74.
func reversed(a, b *Match) bool {
	from := func(d *parse.Detail) bool { return d.Topic.Closeness(parse.FromMark) > 0 }
	to := func(d *parse.Detail) bool { return d.Topic.Closeness(parse.ToMark) > 0 && !from(d) }
	ahead := func(x, y *Match) bool {
		return from(x.Detail) && to(y.Detail) && to(x.With) && from(y.With)
	}
	return ahead(a, b) || ahead(b, a)
}

// exchanged reports whether the words beside two details are exchanged: in the claim one is
// nearer to the first and in the evidence to the second, another one the other way round,
// and few stay.
func (ev *Evidence) exchanged(a, b *Match) bool {
	if x, y := label(a.Detail.Topic), label(b.Detail.Topic); x != y && (x != "" && x == label(a.With.Topic) ||
		y != "" && y == label(b.With.Topic)) {
		return false // the dock EUR 14,500, the paint EUR 9,000, in all EUR 61,500
	}
	seen := map[string]bool{}
	for _, w := range slices.Concat(a.Detail.Words, b.Detail.Words) {
		seen[w], seen[parse.Stem(w)] = true, true
	}
	var stay, move float64
	var moved [2]bool
	for _, t := range []parse.Topic{a.Detail.Topic, b.Detail.Topic} {
		for _, n := range t {
			if seen[n.Stem] || n.Stem[0] == '@' || ofSums(n.Stem) {
				continue
			}
			seen[n.Stem] = true
			c := lean(a.Detail.Topic.Closeness(n.Stem), b.Detail.Topic.Closeness(n.Stem))
			e := lean(a.With.Topic.Closeness(n.Stem), b.With.Topic.Closeness(n.Stem))
			if math.Abs(c) < leans || math.Abs(e) < leans {
				continue
			}
			if x := ev.weight(n.Stem) * min(math.Abs(c), math.Abs(e)); c*e > 0 {
				stay += x
			} else {
				move += x
				moved[0], moved[1] = moved[0] || c > 0, moved[1] || c < 0
			}
		}
	}
	return moved[0] && moved[1] && move > 1.5*stay
}

// ofSums reports whether a stem is that of a word that stands beside what is added up, and parts no two figures.
func ofSums(stem string) bool {
	switch stem {
	case "togeth", "altogeth", "total", "both", "plu", "ever": // together, altogether, plus, all
		return true
	}
	return false
}

// crossed reports whether two words stand with two details in the claim, and the other way
// round in a statement of the evidence: placebo with 16.6 %, the drug with 20.5 %.
func crossed(a, b *Match) bool {
	if a.Detail.Kind == parse.Name || a.From != b.From {
		return false
	}
	var stay, move float64
	seen := slices.Concat(a.Detail.Topic, b.Detail.Topic)
	for i, u := range seen {
		for _, v := range seen[i+1:] {
			if u.Stem == v.Stem || u.Stem[0] == '@' || v.Stem[0] == '@' || beside(a, b, u.Stem) ||
				beside(a, b, v.Stem) {
				continue
			}
			c, e := apart(a.Detail, b.Detail, u.Stem, v.Stem), apart(a.With, b.With, u.Stem, v.Stem)
			if x := min(math.Abs(c), math.Abs(e)); c*e > 0 {
				stay += x
			} else {
				move += x
			}
		}
	}
	return move >= tellsApart && move > 2*stay
}

// beside reports whether a word stands on one side of two details, in the claim and in the
// evidence: it belongs to both.
func beside(a, b *Match, word string) bool {
	side := a.Detail.Topic.Side(word)
	return side != 0 && side == b.Detail.Topic.Side(word) && side == a.With.Topic.Side(word) &&
		side == b.With.Topic.Side(word)
}

// tellsApart is the preference (see apart) from which on words tell two details apart.
const tellsApart = .5

// apart is how much nearer u is to the first of two details and v to the second, below 0 if
// it is the other way round, and 0 if the two words do not part them.
func apart(d, other *parse.Detail, u, v string) float64 {
	x := d.Topic.Closeness(u) - other.Topic.Closeness(u)
	y := other.Topic.Closeness(v) - d.Topic.Closeness(v)
	if x*y <= 0 || math.Abs(x) < .1 || math.Abs(y) < .1 {
		return 0
	}
	return x + y
}

// label returns the nearest word that stands before a detail, "" if none does.
func label(t parse.Topic) (stem string) {
	most := 0.0
	for _, n := range t {
		if t.Side(n.Stem) == parse.Leading && n.Stem[0] != '@' && n.Closeness > most {
			stem, most = n.Stem, n.Closeness
		}
	}
	return stem
}

// leans is the least preference of a word for one of two details.
const leans = .2

// lean is how much more a word is of the first of two details, from -1 to 1.
func lean(a, b float64) float64 {
	if a+b == 0 {
		return 0
	}
	return (a - b) / (a + b)
}

// reachOfName is how many tokens a name may stand from its figure.
const reachOfName = 12

// renamed returns why a figure that both have stands with another name in the evidence: one reason at most.
func (ev *Evidence) renamed(c *parse.Claim, matches []Match) []string {
	for i, m := range matches {
		if d := m.Detail; m.With == nil || !m.Rel.Agrees() || m.Rel == parse.Bare || !d.IsFigure() ||
			d.T != nil && !specific(d) || d.Q != nil && d.Q.Word {
			continue
		}
		for _, n := range matches[max(0, i-reachOfName):min(len(matches), i+reachOfName+1)] {
			if x := ev.inPlaceOf(c, &m, &n); x != nil {
				return []string{fmt.Sprintf("%s, not %s, stands with %s", x.Text, n.Detail.Text,
					m.Detail.Text)}
			}
		}
	}
	return nil
}

// titled reports whether a title stands before a name.
func titled(d *parse.Detail) bool {
	return slices.ContainsFunc(d.Topic, func(n parse.TopicStem) bool {
		return n.Closeness == 1 && titleStems()[n.Stem]
	})
}

// mayTitle reports whether a statement has a title that may stand before a name.
func mayTitle(c *parse.Claim) bool {
	return !c.Later || c.Unstemmed || c.Cells != nil || slices.ContainsFunc(c.Words, func(w parse.Word) bool {
		return titleStems()[w.Stem]
	})
}

var titleStems = parse.StemSet("mr mrs ms dr prof professor councillor")

// agreesBut reports whether a statement that is no row has all details of a claim but d, two figures at least. Weak
// ones do not count.
func agreesBut(c, e *parse.Claim, d *parse.Detail) bool {
	n := 0
	for k := range c.Details {
		o := &c.Details[k]
		if o == d || o.Weak {
			continue
		}
		if o.IsFigure() {
			if n++; !e.HasFigure(o) {
				return false
			}
		} else if !slices.ContainsFunc(e.Details, func(x parse.Detail) bool { return o.Relate(&x).Agrees() }) &&
			!hasName(e, o) {
			return false
		}
	}
	return n > 1 && e.Cells == nil
}

// inPlaceOf returns the name that the evidence has in the place of one that it lacks, nil if there is none.
func (ev *Evidence) inPlaceOf(c *parse.Claim, m, n *Match) *parse.Detail {
	d := n.Detail
	if n.Rel == parse.Same || d.IsFigure() || d.Initial ||
		d.Kind == parse.Identifier && !strings.ContainsFunc(d.Text, unicode.IsLetter) ||
		d.Kind == parse.Name && (d.Weak || hasAnyWord(m.From, d)) ||
		abs(d.FirstToken-m.Detail.FirstToken) > reachOfName {
		return nil
	}
	k, _ := slices.BinarySearchFunc(m.From.Details, m.With.FirstToken-reachOfName, func(x parse.Detail, at int) int {
		return x.FirstToken - at
	})
	for ; k < len(m.From.Details) && m.From.Details[k].FirstToken <= m.With.FirstToken+reachOfName; k++ {
		x := &m.From.Details[k]
		if x.Kind == d.Kind && !x.Initial && !hasName(c, x) &&
			!(x.Kind == parse.Name && (hasAnyWord(c, x) || x.Weak)) &&
			(ev.alike(d, x) >= .3 || titled(d) && titled(x) || !ev.isLong() && !ev.Part && agreesBut(c, m.From, d)) {
			return x
		}
	}
	return nil
}

// abs returns a number without its sign.
func abs(n int) int { return max(n, -n) }
