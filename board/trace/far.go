package trace

import (
	"maps"
	"math"
	"slices"

	"blackboard/board/claims/parse"
)

// This file looks for what a figure follows from further away in its report: in the
// other rows of its table, in passages about the same thing, and in what the board says
// for one of what the report counts.

// columnOfTable returns the supported figures of the other rows in the column of a
// figure.
func (d *deriver) columnOfTable(i int) (out []amount) {
	f := &d.facts[i]
	u, column := &d.units[f.unit], d.columnOf(f)
	for k := max(0, i-200); k < min(len(d.facts), i+200); k++ {
		g := &d.facts[k]
		if d.units[g.unit].report == u.report && d.units[g.unit].Block == u.Block && g.unit != f.unit && g.isAmount() &&
			g.verdict.Verdict != Unsupported && g.amount.dim == f.amount.dim &&
			d.columnOf(g) == column {
			out = append(out, g.amount)
		}
	}
	return out
}

// ofColumn says that a figure of a table is the sum or the difference of two others of
// its column.
func (d *deriver) ofColumn(i int) string {
	f := &d.facts[i]
	if d.units[f.unit].row < 1 || f.amount.digits < 2 {
		return ""
	}
	pool := d.columnOfTable(i)
	pool = pool[:min(len(pool), maxOperands)]
	for k := range pool {
		for n := range pool[:k] {
			x, y := pool[k].value, pool[n].value
			if f.amount.near(x+y) || f.amount.near(math.Abs(x-y)) {
				return "a sum or a difference in its column"
			}
		}
	}
	return ""
}

// shareOfColumn says that a percentage of a table is the share that another figure of
// its row is of one in that figure's column, or of all of them.
func (d *deriver) shareOfColumn(i int) string {
	f := &d.facts[i]
	if d.units[f.unit].row < 1 || f.amount.dim != "%" {
		return ""
	}
	for k := max(0, i-10); k < min(len(d.facts), i+10); k++ {
		g := &d.facts[k]
		if g.unit != f.unit || k == i || !g.isAmount() || g.amount.dim == "%" ||
			g.verdict.Verdict == Unsupported {
			continue
		}
		all := g.amount.value
		for _, x := range d.columnOfTable(k) {
			if all += x.value; x.value > g.amount.value &&
				f.amount.near(100*g.amount.value/x.value) {
				return "a share of its column"
			}
		}
		if all > g.amount.value && f.amount.near(100*g.amount.value/all) {
			return "a share of its column"
		}
	}
	return ""
}

// Limits of what is looked for far away.
const (
	rareUnits = 4 // passages that may share a word
	rareDocs  = 2 // records that may
)

// unitsOf returns the passages of the reports that have a word.
func (d *deriver) unitsOf(id int32) []int {
	if d.places == nil {
		d.places = map[int32][]int{}
		for u := range d.units {
			for _, id := range d.units[u].own {
				if p := d.places[id]; len(p) == 0 || p[len(p)-1] != u {
					d.places[id] = append(p, u)
				}
			}
		}
	}
	return d.places[id]
}

// fromPassage reports whether a figure follows from two figures of another passage that
// is about the same thing: it has a word that few passages have.
func (d *deriver) fromPassage(i int) bool {
	f := &d.facts[i]
	own, _ := d.supportedIn(f.unit)
	for _, id := range f.near {
		units := d.unitsOf(id)
		if len(units) > rareUnits {
			continue
		}
		for _, u := range units {
			if u == f.unit || d.units[u].report != d.units[f.unit].report {
				continue
			}
			pool, records := d.supportedIn(u)
			both := len(pool)
			pool = append(pool, own...)
			for k := range pool {
				for n := range pool {
					if k == n || k >= both && n >= both || pool[k].equal(&pool[n]) {
						continue
					}
					if how := f.amount.of(&pool[k], &pool[n], k >= both || n >= both); how != "" {
						return d.setDerived(f, how, []amount{pool[k], pool[n]}, records...)
					}
				}
			}
		}
	}
	return false
}

// supportedIn returns the supported figures of a passage, and what supports them.
func (d *deriver) supportedIn(u int) (pool []amount, records []int32) {
	from, _ := slices.BinarySearchFunc(d.facts, u, func(f fact, u int) int { return f.unit - u })
	for k := from; k < len(d.facts) && d.facts[k].unit == u && len(pool) < maxOperands; k++ {
		if g := &d.facts[k]; g.isAmount() && g.verdict.Verdict != Unsupported {
			pool = append(pool, g.amount)
			for _, r := range g.support[:min(len(g.support), 1)] {
				if !slices.Contains(records, r) {
					records = append(records, r)
				}
			}
		}
	}
	return pool, records
}

// isAbout reports whether a record is about what a fact's sentence is about: they share
// two words, or one that few records have.
func (d *deriver) isAbout(f *fact, r int32) bool {
	n, rare := 0, false
	for _, id := range d.wordsOf(r) {
		if slices.Contains(f.near, id) {
			n, rare = n+1, rare || d.df[id] <= rareDocs
		}
	}
	return n > 1 || rare
}

// wordsOf returns the words of the reports that a record has.
func (d *deriver) wordsOf(r int32) []int32 {
	ids, ok := d.has[r]
	if !ok {
		for _, c := range d.kept[r] {
			all := slices.Collect(maps.Keys(c.Stems))
			for k := range c.Details {
				if c.Details[k].Kind == parse.Identifier {
					all = append(all, stemsOf(&c.Details[k])...)
				}
			}
			for _, s := range all {
				if id, ok := d.vocabulary[s]; ok && !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
		}
		d.has[r] = ids
	}
	return ids
}

// sharesNoun reports whether two counts have a noun in common.
func (a *amount) sharesNoun(b *amount) bool {
	return slices.ContainsFunc(a.nouns[:], func(n string) bool {
		return n != "" && slices.Contains(b.nouns[:], n)
	})
}

// ofWhole reports whether a percentage is the share of a count of its sentence in a
// larger count of the same things, anywhere in the report.
func (d *deriver) ofWhole(i int) bool {
	f := &d.facts[i]
	if f.amount.dim != "%" {
		return false
	}
	part, _ := d.supportedIn(f.unit)
	for k := range part {
		x := &part[k]
		if x.dim != "" || x.nouns[0] == "" {
			continue
		}
		for n := range d.facts {
			g := &d.facts[n]
			y := &g.amount
			if g.isAmount() && g.verdict.Verdict == Supported &&
				y.dim == "" && y.value > x.value &&
				x.sharesNoun(y) &&
				f.amount.near(100*x.value/y.value) {
				return d.setDerived(f, "a share", []amount{*x, *y}, g.support[0])
			}
		}
	}
	return false
}
