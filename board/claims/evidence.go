package claims

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Evidence is what claims are checked against: the statements of documents or entries, in
// order, with an index of their stems and figures.
type Evidence struct {
	Claims []*Claim
	Common func(low string) bool // knows words that are no names; may be nil
	stems  map[string][]int32    // the claims that have a stem
	values map[valueKey][]int32  // the claims that have a figure
	lower  map[string]bool       // words that stand in lower case somewhere
	said   flat                  // all that is said, made at first use
	starts []int                 // of each claim in what is said
}

// NewEvidence indexes claims.
func NewEvidence(all []*Claim) *Evidence {
	ev := &Evidence{Claims: all, stems: map[string][]int32{}, values: map[valueKey][]int32{},
		lower: map[string]bool{}}
	for i, c := range all {
		c.number = i
		for s := range c.stems {
			ev.stems[s] = append(ev.stems[s], int32(i))
		}
		for _, w := range c.Words {
			if !w.capital {
				ev.lower[w.low] = true
			}
		}
		var keys []valueKey
		for k := range c.Details {
			keys = c.Details[k].keys(keys)
		}
		slices.SortFunc(keys, valueKey.compare)
		for _, k := range slices.Compact(keys) {
			ev.values[k] = append(ev.values[k], int32(i))
		}
	}
	return ev
}

// A valueKey is shared by figures that may be equal: a kind and a coarse value.
type valueKey struct {
	kind byte
	n    int32
}

func (k valueKey) compare(o valueKey) int { return cmp.Or(int(k.kind)-int(o.kind), int(k.n-o.n)) }

// coarse is the magnitude of a number and its first two digits.
func coarse(v float64) int32 {
	if v = math.Abs(v); v == 0 {
		return 0
	}
	e := math.Floor(math.Log10(v) + 1e-12)
	return int32(e+40)*100 + int32(v/math.Pow(10, e-1)+1e-9)
}

// keys adds what a figure is found by.
func (d *Detail) keys(all []valueKey) []valueKey {
	switch {
	case d.Q != nil:
		for _, v := range []float64{d.Q.Number, d.Q.Value, d.Q.Other} {
			if v != 0 || d.Q.Number == 0 {
				all = append(all, valueKey{'n', coarse(v)})
			}
		}
	case d.T != nil:
		if d.T.Clock >= 0 {
			utc, _ := d.T.utc()
			all = append(all, valueKey{'t', int32(d.T.Clock / 60)}, valueKey{'t', int32(utc / 60)})
		}
		if d.T.Dated {
			all = append(all, valueKey{'m', int32(d.T.From.Month())},
				valueKey{'y', int32(d.T.From.Year())})
		}
	}
	return all
}

// asks are the keys of figures that may agree with one.
func (d *Detail) asks() (all []valueKey) {
	for _, k := range d.keys(nil) {
		switch {
		case k.kind == 'y' && d.T.days() <= 92: // its month says more
		default:
			all = append(all, k)
		}
		if k.kind == 'n' && k.n > 0 || k.kind == 't' {
			all = append(all, valueKey{k.kind, k.n - 1}, valueKey{k.kind, k.n + 1})
			if k.n%100 == 10 {
				all = append(all, valueKey{k.kind, k.n - 11}) // 99 is below 100
			}
		}
	}
	return all
}

// weight is how much a stem says: a rare one says more.
func (ev *Evidence) weight(s string) float64 {
	return math.Log(1 + float64(len(ev.Claims)+2)/float64(len(ev.stems[s])+1))
}

// shared returns the weight of a claim's stems, and of those that another one has.
func (ev *Evidence) shared(c, e *Claim) (all, both float64) {
	for s := range c.stems {
		w := ev.weight(s)
		all += w
		if e.stems[s] {
			both += w
		}
	}
	return max(all, .01), both
}

// overlap is how many words two claims have in common, by weight, as a share of the
// shorter one. Words of headings count half.
func (ev *Evidence) overlap(c, e *Claim) float64 {
	if c == nil {
		return 0
	}
	mine, both := ev.shared(c, e)
	theirs, _ := ev.shared(e, c)
	for s := range c.stems {
		if !e.stems[s] && e.context[s] {
			both += .5 * ev.weight(s)
		}
	}
	for s := range c.context {
		if e.stems[s] && !c.stems[s] {
			both += .5 * ev.weight(s)
		}
	}
	return min(1, both/min(mine, theirs))
}

// alike is how much two details are of one thing, from 0 to 1: the share of what the
// first one is about.
func (ev *Evidence) alike(d, e *Detail) float64 {
	all, both := 0.0, 0.0
	for _, n := range d.about {
		x := n.by * ev.weight(n.stem)
		if n.stem[0] == '@' {
			x = 2 * n.by
		}
		if n.stem == toMark { // rose to 91, is 91
			continue
		}
		all += x
		if b := e.about.of(n.stem); b > 0 {
			both += x * min(1, .5+.5*b/n.by)
		}
	}
	return both / max(all, .01)
}

// A Window is one to three neighbouring claims of one source.
type Window struct {
	Source string
	Claims []*Claim
	Score  float64 // how near it is to the claim
	Cover  float64 // the share of the claim's words that it has, by weight
}

// Bounds of a search for windows.
const (
	widest     = 3    // claims in a window
	wordiest   = 40   // stems in a window of several claims: words of many are about many things
	candidates = 60   // claims around which windows are tried
	common     = 4000 // claims from which on a stem or figure leads nowhere
)

// seeds are the claims that have most of a claim's words and figures.
func (ev *Evidence) seeds(c *Claim, figures []*Detail, n int) []int32 {
	score := map[int32]float64{}
	for s := range c.stems {
		if at := ev.stems[s]; len(at) <= common {
			w := ev.weight(s)
			for _, i := range at {
				score[i] += w
			}
		}
	}
	for _, d := range figures {
		seen := map[int32]bool{}
		for _, k := range d.asks() {
			if at := ev.values[k]; len(at) <= common {
				for _, i := range at {
					if !seen[i] {
						seen[i] = true
						score[i] += 1.5
					}
				}
			}
		}
	}
	best := make([]int32, 0, len(score))
	for i := range score {
		best = append(best, i)
	}
	// A long statement has many words by its length alone.
	by := func(i int32) float64 {
		return score[i] / math.Sqrt(float64(8+len(ev.Claims[i].stems)))
	}
	slices.SortFunc(best, func(a, b int32) int {
		return cmp.Or(cmp.Compare(by(b), by(a)), cmp.Compare(a, b))
	})
	return best[:min(n, len(best))]
}

func (c *Claim) figures() (all []*Detail) {
	for k := range c.Details {
		if c.Details[k].figure() {
			all = append(all, &c.Details[k])
		}
	}
	return all
}

// Nearest returns the n windows that are nearest to a claim, the best first. They do not
// overlap.
func (ev *Evidence) Nearest(c *Claim, n int) (out []Window) {
	a := asked{weights: map[string]float64{}, total: .01, figures: c.figures(), details: len(c.Details)}
	for s := range c.stems {
		w := ev.weight(s)
		if c.context[s] {
			w *= .6
		}
		a.weights[s] = w
		a.total += w
	}
	var all []Window
	tried := map[int]bool{}
	for _, seed := range ev.seeds(c, a.figures, candidates) {
		for i := max(0, int(seed)-widest+1); i <= int(seed); i++ {
			if !tried[i] {
				tried[i] = true
				all = ev.windows(i, &a, all)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y Window) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(len(x.Claims), len(y.Claims)),
			cmp.Compare(x.Claims[0].number, y.Claims[0].number))
	})
	taken := map[*Claim]bool{}
	for _, w := range all {
		if slices.ContainsFunc(w.Claims, func(e *Claim) bool { return taken[e] }) {
			continue
		}
		for _, e := range w.Claims {
			taken[e] = true
		}
		if out = append(out, w); len(out) == n {
			break
		}
	}
	return out
}

// asked is what windows are searched for.
type asked struct {
	weights map[string]float64
	total   float64
	figures []*Detail
	details int
}

// windows adds the windows that begin at a claim and have something of what is asked in
// each of their claims.
func (ev *Evidence) windows(i int, a *asked, all []Window) []Window {
	has, agreed := map[string]float64{}, map[*Detail]bool{}
	size := 0
	for k := i; k < len(ev.Claims) && k < i+widest && ev.Claims[k].Source == ev.Claims[i].Source; k++ {
		e := ev.Claims[k]
		size += len(e.stems)
		if k > i && (size > wordiest || !slices.Equal(e.Heads, ev.Claims[i].Heads)) {
			break
		}
		if !a.meet(e, has, agreed) {
			break
		}
		covered := 0.0
		for _, w := range has {
			covered += w
		}
		w := Window{Source: e.Source, Claims: ev.Claims[i : k+1], Cover: min(1, covered/a.total)}
		w.Score = w.Cover - .04*float64(k-i) + .35*float64(len(agreed))/float64(max(2, a.details))
		all = append(all, w)
	}
	return all
}

// meet adds what a claim has of what is asked, and reports whether it has anything new.
func (a *asked) meet(e *Claim, has map[string]float64, agreed map[*Detail]bool) (fresh bool) {
	for s, w := range a.weights {
		if e.stems[s] && has[s] < w {
			has[s], fresh = w, true
		} else if e.context[s] && has[s] == 0 {
			has[s] = .4 * w
		}
	}
	for _, d := range a.figures {
		if agreed[d] {
			continue
		}
		for k := range e.Details {
			if d.relation(&e.Details[k]).Agrees() {
				agreed[d], fresh = true, true
				break
			}
		}
	}
	return fresh
}

// withFigure returns the claims that may have a figure. Of very many, only those that share
// a word with the claim.
func (ev *Evidence) withFigure(c *Claim, d *Detail) (all []*Claim) {
	seen := map[int32]bool{}
	for _, k := range d.asks() {
		at := ev.values[k]
		for _, i := range at {
			e := ev.Claims[i]
			if !seen[i] && (len(at) < 300 || sharesStem(c, e)) {
				seen[i] = true
				all = append(all, e)
			}
		}
	}
	slices.SortFunc(all, func(a, b *Claim) int { return a.number - b.number })
	return all
}

func sharesStem(c, e *Claim) bool {
	for s := range c.stems {
		if e.stems[s] {
			return true
		}
	}
	return false
}

// bonus is for claims that have other figures of a claim, too.
var bonus = [...]float64{0, .25, .35, .45}

// common counts the figures of a claim that another one has, too, without one of them.
func (c *Claim) commonFigures(e *Claim, without *Detail) (n int) {
	for k := range c.Details {
		o := &c.Details[k]
		if o.first == without.first || !o.figure() || o.Weak || o.Level {
			continue
		}
		if slices.ContainsFunc(e.Details, func(x Detail) bool { return o.relation(&x) == Same }) {
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

func (m *Match) better(d, x *Detail, e *Claim, rel Relation, score float64) {
	if m.With == nil || score > m.Alike {
		*m = Match{d, x, e, rel, score}
	}
}

// weigh looks through claims for a figure, each time with how much the place is of the
// same thing. before is the sentence before the claim, or nil.
func (ev *Evidence) weigh(c, before *Claim, d *Detail, claims []*Claim) (w Weighing) {
	for _, e := range claims {
		for k := range e.around {
			if x := &e.around[k]; w.Best.With == nil && d.relation(x).Agrees() {
				w.Best = Match{d, x, e, Rounded, .3}
			}
		}
		over := -1.0
		for k := range e.Details {
			x := &e.Details[k]
			rel := d.relation(x)
			if rel == Incomparable {
				continue
			}
			if over < 0 {
				over = .9*max(ev.overlap(c, e), .6*ev.overlap(before, e)) +
					bonus[min(3, c.commonFigures(e, d))]
			}
			w.take(c, d, x, e, rel, max(ev.alike(d, x), min(1, over)))
		}
	}
	return w
}

func (w *Weighing) take(c *Claim, d, x *Detail, e *Claim, rel Relation, s float64) {
	switch {
	case rel == Same:
		w.Best.better(d, x, e, rel, 1.1*s)
	case rel == Rounded:
		w.Best.better(d, x, e, rel, s)
	case rel == Bare, rel == Coarser && d.Q != nil && d.Q.About:
		w.Best.better(d, x, e, rel, .8*s)
	case rel == OtherValue || rel == Coarser:
		if c.rivals(d, x) {
			w.Rival.better(d, x, e, rel, s)
		}
	default:
		w.Other.better(d, x, e, rel, s)
	}
}

// rivals reports whether a figure may stand in the place of one of a claim: it is not
// another figure of the claim, and is meant in the same way.
func (c *Claim) rivals(d, x *Detail) bool {
	for k := range c.Details {
		if o := &c.Details[k]; o.first != d.first && o.relation(x).Agrees() {
			return false
		}
	}
	return (d.T == nil || d.T.asLong(x.T)) && d.sameWay(x)
}

// sameWay reports whether two figures are both the beginning of a change, or its amount,
// or neither.
func (d *Detail) sameWay(x *Detail) bool {
	return (d.about.of(fromMark) > 0) == (x.about.of(fromMark) > 0) &&
		(d.about.of(byMark) > 0) == (x.about.of(byMark) > 0)
}

// isName reports whether a word at the beginning of a sentence is a name: no text has it
// in lower case, and it is no common word.
func (ev *Evidence) isName(d *Detail, report *Evidence) bool {
	w := d.Words[0]
	switch {
	case ev.lower[w] || report.lower[w]:
		return false
	case len(ev.stems[stem(w)]) > 0:
		return true
	case ev.Common != nil && ev.Common(w):
		return false
	}
	return !slices.ContainsFunc(wordEndings, func(e string) bool { return strings.HasSuffix(w, e) })
}

var wordEndings = strings.Fields("ing ed ly tion tions ment ments ness ity ies ers als ives able")
