package claims

import (
	"cmp"
	"math"
	"slices"
)

// This file finds the figures of a long text that are worth comparing with one. Of a short one all are: an entry of
// many pages would be compared figure by figure with each other, and once more with those beside each.

// mostEach is how many figures of a claim are compared each with each, and found by an index from there on;
// mostWeighed is the same for the figures of several claims.
const mostEach, mostWeighed = 64, 256

// mostOfSubject and mostOfValue are how many figures are compared for one word that they are about, and for a value.
const mostOfSubject, mostOfValue = 16, 24

// placed is a figure in its claim.
type placed struct {
	in *Claim
	d  *Detail
}

// A figureIndex finds figures by what they may agree with, and by what they are about.
type figureIndex struct {
	all      []placed
	others   []placed             // names and identifiers
	names    map[string][]placed  // by one of their words; nil: they are few
	has, ask map[valueKey][]int32 // by what they are found by, and by what they look for; nil: they are few
	about    map[subject][]int32  // the closest first
}

// A subject is a stem that figures of one dimension are about.
type subject struct{ dim, stem string }

func (d *Detail) subject(stem string) subject {
	if d.Q == nil {
		return subject{"date", stem}
	}
	return subject{d.Q.Dim, stem}
}

// indexFigures indexes the figures of some claims if they are more than most.
func indexFigures(most int, claims ...*Claim) *figureIndex {
	x := &figureIndex{}
	for _, c := range claims {
		for k := range c.Details {
			if d := &c.Details[k]; d.isFigure() {
				x.all = append(x.all, placed{c, d})
			} else {
				x.others = append(x.others, placed{c, d})
			}
		}
	}
	if len(x.others) > most {
		x.names = map[string][]placed{}
		for _, p := range x.others {
			for _, w := range p.d.Words {
				x.names[w] = append(x.names[w], p)
			}
		}
	}
	if len(x.all) <= most {
		return x
	}
	for _, c := range claims {
		c.whole()
	}
	x.has, x.ask, x.about = map[valueKey][]int32{}, map[valueKey][]int32{}, map[subject][]int32{}
	add := func(to map[valueKey][]int32, k valueKey, i int) {
		if at := to[k]; len(at) == 0 || at[len(at)-1] != int32(i) {
			to[k] = append(at, int32(i))
		}
	}
	for i, p := range x.all {
		for _, k := range p.d.keys(nil) {
			add(x.has, k, i)
		}
		for _, k := range p.d.asks() {
			add(x.ask, k, i)
		}
		for _, n := range p.d.about {
			x.about[p.d.subject(n.stem)] = append(x.about[p.d.subject(n.stem)], int32(i))
		}
	}
	for _, of := range []map[valueKey][]int32{x.has, x.ask} {
		for _, at := range of {
			slices.SortStableFunc(at, func(a, b int32) int {
				return cmp.Compare(x.all[a].d.measure(), x.all[b].d.measure())
			})
		}
	}
	for s, at := range x.about {
		slices.SortStableFunc(at, func(a, b int32) int {
			return cmp.Compare(x.all[b].d.about.of(s.stem), x.all[a].d.about.of(s.stem))
		})
	}
	return x
}

// many indexes the figures of claims if they are so many that no one may be compared with all, else it is nil.
func many(claims []*Claim) *figureIndex {
	if x := indexFigures(mostWeighed, claims...); x.has != nil {
		return x
	}
	return nil
}

// indexed has the figures of a claim.
func (c *Claim) indexed() *figureIndex {
	if c.index == nil {
		c.index = indexFigures(mostEach, c)
	}
	return c.index
}

// found returns the figures of some postings, in their order.
func (x *figureIndex) found(at []int32) []placed {
	slices.Sort(at)
	at = slices.Compact(at)
	out := make([]placed, len(at))
	for i, k := range at {
		out[i] = x.all[k]
	}
	return out
}

// measure is what the figures of one key are ordered by.
func (d *Detail) measure() float64 {
	if d.Q != nil {
		return d.Q.Value
	}
	return float64(d.T.From.Unix()) + float64(d.T.Clock)
}

// gather returns the figures that have one of some keys, of many those whose values are the nearest.
func (x *figureIndex) gather(d *Detail, from map[valueKey][]int32, keys []valueKey) (at []int32) {
	for _, k := range keys {
		of := from[k]
		if len(of) > mostOfValue {
			i, _ := slices.BinarySearchFunc(of, d.measure(), func(i int32, v float64) int {
				return cmp.Compare(x.all[i].d.measure(), v)
			})
			i = min(max(0, i-mostOfValue/2), len(of)-mostOfValue)
			of = of[i : i+mostOfValue]
		}
		at = append(at, of...)
	}
	return at
}

// named returns the names and identifiers that may have all words of one.
func (x *figureIndex) named(d *Detail) []placed {
	if x.names == nil {
		return x.others
	}
	of := x.names[d.Words[0]]
	for _, w := range d.Words[1:] {
		if at := x.names[w]; len(at) < len(of) {
			of = at
		}
	}
	return of[:min(len(of), mostEach)]
}

// agreeing returns the figures with which one may agree.
func (x *figureIndex) agreeing(d *Detail) []placed {
	if x.has == nil {
		return x.all
	}
	return x.found(x.gather(d, x.has, d.asks()))
}

// agreeingWith returns the figures that may agree with one.
func (x *figureIndex) agreeingWith(d *Detail) []placed {
	if x.has == nil {
		return x.all
	}
	return x.found(x.gather(d, x.ask, d.keys(nil)))
}

// comparable returns the figures with which one may agree, and those of its kind that are most about the same: by the
// rarest of its words, those that stand closest to it.
func (x *figureIndex) comparable(d *Detail) []placed {
	if x.has == nil {
		return x.all
	}
	at := x.gather(d, x.has, d.asks())
	postings := make([][]int32, 0, len(d.about))
	for _, n := range d.about {
		if at := x.about[d.subject(n.stem)]; len(at) > 0 {
			postings = append(postings, at)
		}
	}
	slices.SortStableFunc(postings, func(a, b []int32) int { return len(a) - len(b) })
	for _, of := range postings[:min(len(postings), mostEach/mostOfSubject)] {
		at = append(at, of[:min(len(of), mostOfSubject)]...)
	}
	return x.found(at)
}

// hasFigure reports whether a claim has a figure with which one agrees.
func (c *Claim) hasFigure(d *Detail) bool {
	return slices.ContainsFunc(c.indexed().agreeing(d), func(p placed) bool { return d.relation(p.d).Agrees() })
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
		days := 0.0
		if d.Q.Dim == "months" {
			days = d.Q.Value * month
		}
		for _, v := range []float64{d.Q.Number, d.Q.Value, d.Q.Other, days} {
			if v != 0 || d.Q.Number == 0 {
				all = append(all, valueKey{'n', coarse(v)})
			}
		}
	case d.T != nil:
		if d.T.Clock >= 0 {
			utc, _ := d.T.utc()
			all = append(all, valueKey{'t', int32(d.T.Clock / 60)}, valueKey{'t', int32(utc / 60)})
			if d.T.Zone == nil { // at any whole hour from another one
				all = append(all, valueKey{'h', int32(d.T.Clock % 3600 / 60)})
			}
		}
		switch {
		case !d.T.Dated:
		case d.T.AnyMonth:
			all = append(all, valueKey{'o', int32(d.T.From.Day())})
		default:
			if d.T.days() == 1 {
				all = append(all, valueKey{'d', int32(d.T.From.Day())})
			}
			all = append(all, valueKey{'m', int32(d.T.From.Month())},
				valueKey{'y', int32(d.T.From.Year())})
		}
	}
	return all
}

// asks are the keys of figures that may agree with one.
func (d *Detail) asks() (all []valueKey) {
	if d.Q != nil && d.Q.significant() < 2 { // 0.7 of 0.68
		v := math.Abs(d.Q.Value)
		half := min(d.Q.Step()/2, .1*v)
		for n := coarse(v - half); n <= coarse(v+half) && v > half; n++ {
			all = append(all, valueKey{'n', n})
		}
	}
	keys := d.keys(nil)
	for i, k := range keys {
		if slices.Contains(keys[:i], k) {
			continue
		}
		switch {
		case k.kind == 'y' && d.T.days() <= 92: // its month says more
		case k.kind == 'd': // only of days without a month
			all = append(all, valueKey{'o', k.n})
		case k.kind == 'o':
			all = append(all, k, valueKey{'d', k.n})
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

// commonFigures returns up to four figures of a claim that another one has, too.
func (c *Claim) commonFigures(e *Claim) (common []*Detail) {
	mine, theirs := c.indexed(), e.indexed()
	note := func(o *Detail, has bool) {
		if has && len(common) < 4 && !o.Weak && !o.Level && !slices.Contains(common, o) {
			common = append(common, o)
		}
	}
	if len(theirs.all) < len(mine.all) { // from the side of the few
		for _, x := range theirs.all {
			for _, o := range mine.agreeingWith(x.d) {
				note(o.d, o.d.relation(x.d) == Same)
			}
		}
		return common
	}
	for _, o := range mine.all {
		note(o.d, slices.ContainsFunc(theirs.agreeing(o.d), func(x placed) bool { return o.d.relation(x.d) == Same }))
	}
	return common
}
