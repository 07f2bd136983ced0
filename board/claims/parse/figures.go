package parse

import (
	"cmp"
	"math"
	"slices"
)

// This file finds the figures of a long text that are worth comparing with one. Of a short one all are: an entry of
// many pages would be compared figure by figure with each other, and once more with those beside each.

// MaxPairwise is how many figures of a claim are compared each with each, and found by an index from there on;
// MaxWeighed is the same for the figures of several claims.
const MaxPairwise, MaxWeighed = 64, 256

// mostOfSubject and mostOfValue are how many figures are compared for one word that they are about, and for a value.
const mostOfSubject, mostOfValue = 16, 24

// PlacedFigure is a figure in its claim.
type PlacedFigure struct {
	Claim  *Claim
	Detail *Detail
}

// A FigureIndex finds figures by what they may agree with, and by what they are about.
type FigureIndex struct {
	all      []PlacedFigure
	others   []PlacedFigure            // names and identifiers
	names    map[string][]PlacedFigure // by one of their words; nil: they are few
	has, ask map[FigureKey][]int32     // by what they are found by, and by what they look for; nil: they are few
	about    map[subject][]int32       // the closest first
}

// A subject is a stem that figures of one dimension are about.
type subject struct{ dim, stem string }

func (d *Detail) subject(stem string) subject {
	if d.Q == nil {
		return subject{"date", stem}
	}
	return subject{d.Q.Dim, stem}
}

// IndexFigures indexes the figures of some claims if they are more than most.
func IndexFigures(most int, claims ...*Claim) *FigureIndex {
	x := &FigureIndex{}
	for _, c := range claims {
		for k := range c.Details {
			if d := &c.Details[k]; d.IsFigure() {
				x.all = append(x.all, PlacedFigure{c, d})
			} else {
				x.others = append(x.others, PlacedFigure{c, d})
			}
		}
	}
	if len(x.others) > most {
		x.names = map[string][]PlacedFigure{}
		for _, p := range x.others {
			for _, w := range p.Detail.Words {
				x.names[w] = append(x.names[w], p)
			}
		}
	}
	if len(x.all) <= most {
		return x
	}
	for _, c := range claims {
		c.ReadWhole()
	}
	x.has, x.ask, x.about = map[FigureKey][]int32{}, map[FigureKey][]int32{}, map[subject][]int32{}
	add := func(to map[FigureKey][]int32, k FigureKey, i int) {
		if at := to[k]; len(at) == 0 || at[len(at)-1] != int32(i) {
			to[k] = append(at, int32(i))
		}
	}
	for i, p := range x.all {
		for _, k := range p.Detail.Keys(nil) {
			add(x.has, k, i)
		}
		for _, k := range p.Detail.Asks() {
			add(x.ask, k, i)
		}
		for _, n := range p.Detail.Topic {
			x.about[p.Detail.subject(n.Stem)] = append(x.about[p.Detail.subject(n.Stem)], int32(i))
		}
	}
	for _, of := range []map[FigureKey][]int32{x.has, x.ask} {
		for _, at := range of {
			slices.SortStableFunc(at, func(a, b int32) int {
				return cmp.Compare(x.all[a].Detail.measure(), x.all[b].Detail.measure())
			})
		}
	}
	for s, at := range x.about {
		slices.SortStableFunc(at, func(a, b int32) int {
			return cmp.Compare(x.all[b].Detail.Topic.Closeness(s.stem), x.all[a].Detail.Topic.Closeness(s.stem))
		})
	}
	return x
}

// IndexMany indexes the figures of claims if they are so many that no one may be compared with all, else it is nil.
func IndexMany(claims []*Claim) *FigureIndex {
	if x := IndexFigures(MaxWeighed, claims...); x.has != nil {
		return x
	}
	return nil
}

// IndexedFigures has the figures of a claim.
func (c *Claim) IndexedFigures() *FigureIndex {
	if c.FigureIndex == nil {
		c.FigureIndex = IndexFigures(MaxPairwise, c)
	}
	return c.FigureIndex
}

// found returns the figures of some postings, in their order.
func (x *FigureIndex) found(at []int32) []PlacedFigure {
	slices.Sort(at)
	at = slices.Compact(at)
	out := make([]PlacedFigure, len(at))
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
func (x *FigureIndex) gather(d *Detail, from map[FigureKey][]int32, keys []FigureKey) (at []int32) {
	for _, k := range keys {
		of := from[k]
		if len(of) > mostOfValue {
			i, _ := slices.BinarySearchFunc(of, d.measure(), func(i int32, v float64) int {
				return cmp.Compare(x.all[i].Detail.measure(), v)
			})
			i = min(max(0, i-mostOfValue/2), len(of)-mostOfValue)
			of = of[i : i+mostOfValue]
		}
		at = append(at, of...)
	}
	return at
}

// NamedLike returns the names and identifiers that may have all words of one.
func (x *FigureIndex) NamedLike(d *Detail) []PlacedFigure {
	if x.names == nil {
		return x.others
	}
	of := x.names[d.Words[0]]
	for _, w := range d.Words[1:] {
		if at := x.names[w]; len(at) < len(of) {
			of = at
		}
	}
	return of[:min(len(of), MaxPairwise)]
}

// agreeing returns the figures with which one may agree.
func (x *FigureIndex) agreeing(d *Detail) []PlacedFigure {
	if x.has == nil {
		return x.all
	}
	return x.found(x.gather(d, x.has, d.Asks()))
}

// AgreeingWith returns the figures that may agree with one.
func (x *FigureIndex) AgreeingWith(d *Detail) []PlacedFigure {
	if x.has == nil {
		return x.all
	}
	return x.found(x.gather(d, x.ask, d.Keys(nil)))
}

// Comparable returns the figures with which one may agree, and those of its kind that are most about the same: by the
// rarest of its words, those that stand closest to it.
func (x *FigureIndex) Comparable(d *Detail) []PlacedFigure {
	if x.has == nil {
		return x.all
	}
	at := x.gather(d, x.has, d.Asks())
	postings := make([][]int32, 0, len(d.Topic))
	for _, n := range d.Topic {
		if at := x.about[d.subject(n.Stem)]; len(at) > 0 {
			postings = append(postings, at)
		}
	}
	slices.SortStableFunc(postings, func(a, b []int32) int { return len(a) - len(b) })
	for _, of := range postings[:min(len(postings), MaxPairwise/mostOfSubject)] {
		at = append(at, of[:min(len(of), mostOfSubject)]...)
	}
	return x.found(at)
}

// HasFigure reports whether a claim has a figure with which one agrees.
func (c *Claim) HasFigure(d *Detail) bool {
	return slices.ContainsFunc(c.IndexedFigures().agreeing(d),
		func(p PlacedFigure) bool { return d.Relate(p.Detail).Agrees() })
}

// A FigureKey is shared by figures that may be equal: a kind and a coarse value.
type FigureKey struct {
	kind byte
	n    int32
}

// Compare orders keys.
func (k FigureKey) Compare(o FigureKey) int { return cmp.Or(int(k.kind)-int(o.kind), int(k.n-o.n)) }

// coarse is the magnitude of a number and its first two digits.
func coarse(v float64) int32 {
	if v = math.Abs(v); v == 0 {
		return 0
	}
	e := math.Floor(math.Log10(v) + 1e-12)
	return int32(e+40)*100 + int32(v/math.Pow(10, e-1)+1e-9)
}

// Keys are what a figure is found by, added to others.
func (d *Detail) Keys(all []FigureKey) []FigureKey {
	switch {
	case d.Q != nil:
		days := 0.0
		if d.Q.Dim == "months" {
			days = d.Q.Value * month
		}
		for _, v := range []float64{d.Q.Number, d.Q.Value, d.Q.Other, days} {
			if v != 0 || d.Q.Number == 0 {
				all = append(all, FigureKey{'n', coarse(v)})
			}
		}
	case d.T != nil:
		if d.T.Clock >= 0 {
			utc, _ := d.T.utc()
			all = append(all, FigureKey{'t', int32(d.T.Clock / 60)}, FigureKey{'t', int32(utc / 60)})
			if d.T.Zone == nil { // at any whole hour from another one
				all = append(all, FigureKey{'h', int32(d.T.Clock % 3600 / 60)})
			}
		}
		switch {
		case !d.T.Dated:
		case d.T.AnyMonth:
			all = append(all, FigureKey{'o', int32(d.T.From.Day())})
		default:
			if d.T.Days() == 1 {
				all = append(all, FigureKey{'d', int32(d.T.From.Day())})
			}
			all = append(all, FigureKey{'m', int32(d.T.From.Month())},
				FigureKey{'y', int32(d.T.From.Year())})
		}
	}
	return all
}

// Asks are the keys of figures that may agree with one.
func (d *Detail) Asks() (all []FigureKey) {
	if d.Q != nil && d.Q.Digits() < 2 { // 0.7 of 0.68
		v := math.Abs(d.Q.Value)
		half := min(d.Q.Step()/2, .1*v)
		for n := coarse(v - half); n <= coarse(v+half) && v > half; n++ {
			all = append(all, FigureKey{'n', n})
		}
	}
	keys := d.Keys(nil)
	for i, k := range keys {
		if slices.Contains(keys[:i], k) {
			continue
		}
		switch {
		case k.kind == 'y' && d.T.Days() <= 92: // its month says more
		case k.kind == 'd': // only of days without a month
			all = append(all, FigureKey{'o', k.n})
		case k.kind == 'o':
			all = append(all, k, FigureKey{'d', k.n})
		default:
			all = append(all, k)
		}
		if k.kind == 'n' && k.n > 0 || k.kind == 't' {
			all = append(all, FigureKey{k.kind, k.n - 1}, FigureKey{k.kind, k.n + 1})
			if k.n%100 == 10 {
				all = append(all, FigureKey{k.kind, k.n - 11}) // 99 is below 100
			}
		}
	}
	return all
}

// CommonFigures returns up to four figures of a claim that another one has, too.
func (c *Claim) CommonFigures(e *Claim) (common []*Detail) {
	mine, theirs := c.IndexedFigures(), e.IndexedFigures()
	note := func(o *Detail, has bool) {
		if has && len(common) < 4 && !o.Weak && !o.Level && !slices.Contains(common, o) {
			common = append(common, o)
		}
	}
	if len(theirs.all) < len(mine.all) { // from the side of the few
		for _, x := range theirs.all {
			for _, o := range mine.AgreeingWith(x.Detail) {
				note(o.Detail, o.Detail.Relate(x.Detail) == Same)
			}
		}
		return common
	}
	for _, o := range mine.all {
		note(o.Detail, slices.ContainsFunc(theirs.agreeing(o.Detail),
			func(x PlacedFigure) bool { return o.Detail.Relate(x.Detail) == Same }))
	}
	return common
}
