package claims

import (
	"math"
	"slices"

	"blackboard/board/claims/parse"
)

// Evidence is what claims are checked against: the statements of documents or entries, in
// order, with an index of their stems and figures.
type Evidence struct {
	Claims []*parse.Claim
	Common func(low string) bool       // knows words that are no names; may be nil
	stems  map[string][]int32          // the claims that have a stem
	values map[parse.FigureKey][]int32 // the claims that have a figure
	lower  map[string]bool             // words that stand in lower case somewhere, made at first use
	rare   func(stem string) float64   // the weight of a stem; nil: computed from Claims
	logs   []float64                   // the weights of stems that so many claims have
	looked *passages                   // made at first use
	said   parse.FlatText              // all that is said, made at first use
	starts []int                       // of each claim in what is said
	names  map[string]bool             // words of names of several words, made at first use
	totals []float64                   // of each claim the weight of its stems, when it was asked for; else 0
	Part   bool                        // of a long text: it has more documents
}

// NewEvidence indexes claims.
func NewEvidence(all []*parse.Claim) *Evidence {
	ev := &Evidence{Claims: all, values: map[parse.FigureKey][]int32{}}
	for n := range min(len(all)+1, LongText) {
		ev.logs = append(ev.logs, ev.rarity(n))
	}
	stems := map[string]*[]int32{}
	for i, c := range all {
		c.Place = i
		for s := range c.Stems {
			at := stems[s]
			if at == nil {
				at = new([]int32)
				stems[s] = at
			}
			*at = append(*at, int32(i))
		}
		var keys []parse.FigureKey
		for k := range c.Details {
			keys = c.Details[k].Keys(keys)
		}
		slices.SortFunc(keys, parse.FigureKey.Compare)
		for _, k := range slices.Compact(keys) {
			ev.values[k] = append(ev.values[k], int32(i))
		}
	}
	ev.stems = make(map[string][]int32, len(stems))
	for s, at := range stems {
		ev.stems[s] = *at
	}
	return ev
}

// inLower reports whether a word stands in lower case somewhere.
func (ev *Evidence) inLower(low string) bool {
	if ev.lower == nil {
		ev.lower = map[string]bool{}
		for _, c := range ev.Claims {
			for k := range c.Words {
				if w := &c.Words[k]; !w.Capital && !ev.lower[w.Low] {
					ev.lower[w.Low] = true
				}
			}
		}
	}
	return ev.lower[low]
}

// rarity is the weight of a stem that n claims have. It has so few digits that the sum of some is exact, in whatever
// order they come out of a map: else two runs could differ.
func (ev *Evidence) rarity(n int) float64 {
	return math.Round(math.Log(1+float64(len(ev.Claims)+2)/float64(n+1))*(1<<32)) / (1 << 32)
}

// weight is how much a stem says: a rare one says more.
func (ev *Evidence) weight(s string) float64 {
	if ev.rare != nil {
		return ev.rare(s)
	}
	if n := len(ev.stems[s]); n < len(ev.logs) {
		return ev.logs[n]
	}
	return ev.rarity(len(ev.stems[s]))
}

// shared returns the weight of a claim's stems, and of those that another one has.
func (ev *Evidence) shared(c, e *parse.Claim) (all, both float64) {
	for s := range c.Stems {
		w := ev.weight(s)
		all += w
		if e.Stems[s] {
			both += w
		}
	}
	return max(all, .01), both
}

// total returns the weight of a claim's stems.
func (ev *Evidence) total(c *parse.Claim) float64 { return ev.lesser(math.Inf(1), c) }

// manyStems is how many stems a claim has of which a few tell that it weighs more than another one.
const manyStems = 64

// lesser returns the weight of a claim's stems, or that of others if it is less.
func (ev *Evidence) lesser(others float64, c *parse.Claim) float64 {
	known := new(float64)
	if i := c.Place; i < len(ev.Claims) && ev.Claims[i] == c {
		if ev.totals == nil {
			ev.totals = make([]float64, len(ev.Claims))
		}
		known = &ev.totals[i]
	}
	if *known == 0 {
		all := 0.0
		for s := range c.Stems {
			if all += ev.weight(s); all >= others && len(c.Stems) > manyStems {
				return others
			}
		}
		*known = max(all, .01)
	}
	return min(others, *known)
}

// overlap is how many words two claims have in common, by weight, as a share of the
// shorter one: the first one's weight is given. Words of headings count half.
func (ev *Evidence) overlap(c, e *parse.Claim, mine float64) float64 {
	if c == nil {
		return 0
	}
	both := 0.0
	for s := range c.Stems {
		if e.Stems[s] {
			both += ev.weight(s)
		} else if e.Context[s] {
			both += .5 * ev.weight(s)
		}
	}
	for s := range c.Context {
		if e.Stems[s] && !c.Stems[s] {
			both += .5 * ev.weight(s)
		}
	}
	if both == 0 {
		return 0
	}
	return min(1, both/ev.lesser(mine, e))
}

// alike is how much two details are of one thing, from 0 to 1: the share of what the
// first one is about.
func (ev *Evidence) alike(d, e *parse.Detail) float64 {
	all, both := 0.0, 0.0
	for _, n := range d.Topic {
		x := n.Closeness * ev.weight(n.Stem)
		if n.Stem[0] == '@' {
			x = 2 * n.Closeness
		}
		if n.Stem == parse.ToMark { // rose to 91, is 91
			continue
		}
		all += x
		if b := e.Topic.Closeness(n.Stem); b > 0 {
			both += x * min(1, .5+.5*b/n.Closeness)
		}
	}
	return both / max(all, .01)
}

// A Window is one to three neighbouring claims of one source.
type Window struct {
	Source string
	Claims []*parse.Claim
	Score  float64 // how near it is to the claim
	Cover  float64 // the share of the claim's words that it has, by weight

	figures int // of the claim that it has
}

// withFigure returns the claims that may have a figure. Of very many, only those that share
// a word with the claim.
func (ev *Evidence) withFigure(c *parse.Claim, d *parse.Detail) (all []*parse.Claim) {
	seen := map[int32]bool{}
	for _, k := range d.Asks() {
		at := ev.values[k]
		for _, i := range at {
			e := ev.Claims[i]
			if !seen[i] && (len(at) < 300 || sharesStem(c, e)) {
				seen[i] = true
				all = append(all, e)
			}
		}
	}
	slices.SortFunc(all, func(a, b *parse.Claim) int { return a.Place - b.Place })
	return all
}

func sharesStem(c, e *parse.Claim) bool {
	for s := range c.Stems {
		if e.Stems[s] {
			return true
		}
	}
	return false
}

// bonus is for claims that have other figures of a claim, too, by their number.
var bonus = [...]float64{0, .25, .35, .45}

// without counts figures but for one.
func without(figures []*parse.Detail, d *parse.Detail) (n int) {
	for _, o := range figures {
		if o.FirstToken != d.FirstToken {
			n++
		}
	}
	return n
}

// A Weighing is what evidence has for a figure of a claim.
type Weighing struct {
	Best  Match // agrees
	Rival Match // another value of the same subject
	Other Match // another unit, currency, rate, bound or sign
}

func (m *Match) better(d, x *parse.Detail, e *parse.Claim, rel parse.Relation, score float64) {
	if m.With == nil || score > m.Alike {
		*m = Match{d, x, e, rel, score}
	}
}

// A scale weighs the figures of a claim against other claims.
type scale struct {
	*Evidence
	c, before *parse.Claim // the claim, and the sentence before it or nil
	total     [2]float64   // the weights of their stems
	met       map[*parse.Claim]*likeness
	agreed    map[*parse.Detail][]*parse.Detail // up to two figures of the claim that agree with one
}

// A likeness is how much a claim has in common with the one that is weighed.
type likeness struct {
	over   float64
	common []*parse.Detail // see commonFigures
}

func (ev *Evidence) scale(c, before *parse.Claim) *scale {
	total := [2]float64{ev.total(c)}
	if before != nil {
		total[1] = ev.total(before)
	}
	return &scale{ev, c, before, total, map[*parse.Claim]*likeness{}, map[*parse.Detail][]*parse.Detail{}}
}

func (s *scale) meet(e *parse.Claim) *likeness {
	m := s.met[e]
	if m == nil {
		over := max(s.overlap(s.c, e, s.total[0]), .6*s.overlap(s.before, e, s.total[1]))
		m = &likeness{.9 * over, s.c.CommonFigures(e)}
		s.met[e] = m
	}
	return m
}

// weigh returns what some claims have for a figure: the best that agrees, that differs, and that has another unit.
// Those count most that are about the same thing. figures has those of all, or is nil.
func (s *scale) weigh(d *parse.Detail, claims []*parse.Claim, figures *parse.FigureIndex) (w Weighing) {
	for _, e := range claims {
		for k := range e.ContextDates {
			if x := &e.ContextDates[k]; w.Best.With == nil && d.Relate(x).Agrees() {
				w.Best = Match{d, x, e, parse.Rounded, .3}
			}
		}
		if figures == nil {
			s.weighAll(d, e.IndexedFigures(), &w)
		}
	}
	if figures != nil {
		s.weighAll(d, figures, &w)
	}
	return w
}

func (s *scale) weighAll(d *parse.Detail, figures *parse.FigureIndex, w *Weighing) {
	for _, p := range figures.Comparable(d) {
		rel := d.Relate(p.Detail)
		if rel == parse.Incomparable || p.Detail.Denied && !d.Denied {
			continue
		}
		m := s.meet(p.Claim)
		over := min(1, m.over+bonus[min(3, without(m.common, d))])
		if p.Claim.Later && (p.Claim.Unstemmed || p.Claim.Cells != nil ||
			slices.ContainsFunc(d.Topic, func(n parse.TopicStem) bool { return p.Claim.Stems[n.Stem] })) {
			p.Claim.ReadWhole()
		}
		w.take(s, d, p.Detail, p.Claim, rel, max(s.alike(d, p.Detail), over))
	}
}

func (w *Weighing) take(on *scale, d, x *parse.Detail, e *parse.Claim, rel parse.Relation, s float64) {
	switch {
	case rel == parse.Same:
		w.Best.better(d, x, e, rel, 1.1*s)
	case rel == parse.Rounded:
		w.Best.better(d, x, e, rel, s)
	case rel == parse.Bare, rel == parse.Coarser && d.Q != nil && d.Q.About:
		w.Best.better(d, x, e, rel, .8*s)
	case rel == parse.OtherValue || rel == parse.Coarser:
		if (w.Rival.With == nil || s > w.Rival.Alike) && on.rivals(d, x) {
			w.Rival.better(d, x, e, rel, s)
		}
	default:
		w.Other.better(d, x, e, rel, s)
	}
}

// rivals reports whether a figure may stand in the place of one of a claim: it is not
// another figure of the claim, and is meant in the same way.
func (s *scale) rivals(d, x *parse.Detail) bool {
	agreed, known := s.agreed[x]
	if !known {
		for _, o := range s.c.IndexedFigures().AgreeingWith(x) {
			if len(agreed) < 2 && o.Detail.Relate(x).Agrees() {
				agreed = append(agreed, o.Detail)
			}
		}
		s.agreed[x] = agreed
	}
	return without(agreed, d) == 0 && (d.T == nil || d.T.IsAsExact(x.T)) && sameWay(d, x)
}

// sameWay reports whether two figures are both the beginning of a change, or its amount,
// or neither.
func sameWay(d, x *parse.Detail) bool {
	return (d.Topic.Closeness(parse.FromMark) > 0) == (x.Topic.Closeness(parse.FromMark) > 0) &&
		(d.Topic.Closeness(parse.ByMark) > 0) == (x.Topic.Closeness(parse.ByMark) > 0)
}

// isLong reports whether the evidence is a long text.
func (ev *Evidence) isLong() bool { return len(ev.Claims) >= LongText }

// LongText is the number of statements from which on the words of any claim meet somewhere by
// chance.
const LongText = 80
