package claims

import (
	"fmt"
	"slices"
	"strings"
)

// This file finds two things that a claim lets each have what a statement lets the other have: the
// secretary draws up and the leader approves, the leader draws up and the secretary approves.

// A strand is a clause of a sentence, or a cell with its header: the stems that stand together, and
// the numbers of the figures.
type strand map[string]bool

// strands returns the clauses of a claim as their stems, and "#i" for a figure that agrees with figures[i].
func (c *Claim) strands(figures []*Detail) (all []strand) {
	by := map[int]strand{}
	add := func(clause int, key string) {
		if by[clause] == nil {
			by[clause] = strand{}
			all = append(all, by[clause])
		}
		by[clause][key] = true
	}
	for i := range c.Words {
		if w := &c.Words[i]; !w.aside && !empty.has(w.low) {
			add(w.clause, w.stem)
		}
	}
	for _, x := range c.figures() {
		for i, d := range figures {
			if d.relation(x).Agrees() && (x == d || !d.bare() || !x.bare()) {
				add(x.clause, fmt.Sprint("#", i))
			}
		}
		if x.Cell != nil && by[x.clause] != nil { // cells of other figures may have the same header
			for _, s := range stemsOf(x.Cell.Header) {
				add(x.clause, s)
			}
		}
	}
	return all
}

// bare reports whether a number has no unit, noun or cell, so that it may only be a label: blocks 1 and 3.
func (d *Detail) bare() bool {
	return d.Q != nil && d.Q.Dim == "" && len(d.Q.Noun) == 0 && d.Cell == nil
}

// only returns the index of the strand that has a key, -1 if several have it.
func only(all []strand) map[string]int {
	at := map[string]int{}
	for i, s := range all {
		for k := range s {
			if _, twice := at[k]; twice {
				at[k] = -1
			} else {
				at[k] = i
			}
		}
	}
	return at
}

// crosswise returns why a claim exchanges what other statements say: two of its clauses each have something of two
// clauses of theirs, and the pairs are crossed. It returns "" if none are.
func (c *Claim) crosswise(around []*Claim) string {
	if !c.English || len(around) == 0 {
		return ""
	}
	figures := c.figures()
	isDate := func(d *Detail) bool { return d.T != nil }
	if at := slices.IndexFunc(figures, isDate); at >= 0 && !slices.ContainsFunc(figures[at+1:], isDate) {
		figures = slices.Delete(figures, at, at+1) // one day may stand with all that was on it
	}
	mine, theirs := c.strands(figures), join(around, "").strands(figures)
	here, there := only(mine), only(theirs)
	both := func(i, j int) (keys []string) {
		for k, at := range here {
			if to, has := there[k]; has && at == i && to == j {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		return keys
	}
	for i := range mine {
		for j := range theirs {
			for k := i + 1; k < len(mine); k++ {
				for l := range theirs {
					a, b := both(i, j), both(k, l)
					if l == j || len(a) == 0 || len(b) == 0 || len(both(i, l)) == 0 || len(both(k, j)) == 0 ||
						around[0].Cells != nil && (a[0][0] != '#' || b[0][0] != '#') ||
						c.ofOther(a, both(i, l), figures) {
						continue
					}
					return fmt.Sprintf("%s and %s stand the other way round", c.written(a[0], figures),
						c.written(b[0], figures))
				}
			}
		}
	}
	return ""
}

// ofOther reports whether two strands part a figure from the one that it is of: 17 of the 21.
func (c *Claim) ofOther(a, b []string, figures []*Detail) bool {
	at := func(keys []string) *Detail {
		for i, d := range figures {
			if keys[0] == fmt.Sprint("#", i) {
				return d
			}
		}
		return nil
	}
	x, y := at(a), at(b)
	return x != nil && y != nil && together(x, y) &&
		strings.Contains(c.Text[min(x.At, y.At):max(x.At, y.At)], " of ")
}

// written returns a key of a strand as text: that of the figure, or the word of the claim with this stem.
func (c *Claim) written(key string, figures []*Detail) string {
	for i, d := range figures {
		if key == fmt.Sprint("#", i) {
			return d.Text
		}
	}
	at := slices.IndexFunc(c.Words, func(w Word) bool { return w.stem == key })
	return c.Words[max(0, at)].low
}
