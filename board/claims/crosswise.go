package claims

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"blackboard/board/claims/parse"
)

// This file finds two things that a claim lets each have what a statement lets the other have: the
// secretary draws up and the leader approves, the leader draws up and the secretary approves.

// A strand is a clause of a sentence, or a cell with its header: the stems that stand together, and
// the numbers of the figures.
type strand map[string]bool

// strands returns the clauses of a claim as their stems, and "#i" for a figure that agrees with figures[i] of another
// one.
func strands(c, of *parse.Claim, figures []*parse.Detail) (all []strand) {
	by, at := map[int]strand{}, map[*parse.Detail]int{}
	for i, d := range figures {
		at[d] = i
	}
	add := func(clause int, key string) {
		if by[clause] == nil {
			by[clause] = strand{}
			all = append(all, by[clause])
		}
		by[clause][key] = true
	}
	for i := range c.Words {
		if w := &c.Words[i]; !w.Aside && !w.Empty {
			add(w.Clause, w.Stem)
		}
	}
	for _, x := range figuresOf(c) {
		for _, p := range of.IndexedFigures().AgreeingWith(x) {
			d := p.Detail
			if i, is := at[d]; is && d.Relate(x).Agrees() && (x == d || !bare(d) || !bare(x)) {
				add(x.Clause, fmt.Sprint("#", i))
			}
		}
		if x.Cell != nil && by[x.Clause] != nil { // cells of other figures may have the same header
			for _, s := range parse.Stems(x.Cell.Header) {
				add(x.Clause, s)
			}
		}
	}
	return all
}

// bare reports whether a number has no unit, noun or cell, so that it may only be a label: blocks 1 and 3.
func bare(d *parse.Detail) bool {
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
func crosswise(c *parse.Claim, around []*parse.Claim, said *parse.Claim) string {
	if !c.English || len(around) == 0 {
		return ""
	}
	figures := figuresOf(c)
	isDate := func(d *parse.Detail) bool { return d.T != nil }
	if at := slices.IndexFunc(figures, isDate); at >= 0 && !slices.ContainsFunc(figures[at+1:], isDate) {
		figures = slices.Delete(figures, at, at+1) // one day may stand with all that was on it
	}
	mine, theirs := strands(c, c, figures), strands(said, c, figures)
	here, there := only(mine), only(theirs)
	both := map[[2]int][]string{}                        // what a clause of each has, and no other one
	met, by := map[int][]int{}, make([][]int, len(mine)) // of each of theirs those of mine with which it does; the reverse
	for _, k := range slices.Sorted(maps.Keys(here)) {
		i, j := here[k], -1
		if to, has := there[k]; has {
			j = to
		}
		if i < 0 || j < 0 {
			continue
		}
		if len(both[[2]int{i, j}]) == 0 {
			met[j], by[i] = append(met[j], i), append(by[i], j)
		}
		both[[2]int{i, j}] = append(both[[2]int{i, j}], k)
	}
	for j := range met {
		slices.Sort(met[j])
	}
	for i := range mine {
		slices.Sort(by[i])
		for _, j := range by[i] {
			for _, k := range met[j] {
				for _, l := range by[i] {
					a, b := both[[2]int{i, j}], both[[2]int{k, l}]
					if k <= i || l == j || len(b) == 0 || isFigure(a) != isFigure(b) ||
						isFigure(both[[2]int{i, l}]) != isFigure(both[[2]int{k, j}]) ||
						around[0].Cells != nil && !isFigure(a) ||
						ofOther(c, a, both[[2]int{i, l}], figures) ||
						isSpan(b, both[[2]int{k, j}], figures) { // from 10:00 to 14:00
						continue
					}
					return fmt.Sprintf("%s and %s stand the other way round", written(c, a[0], figures),
						written(c, b[0], figures))
				}
			}
		}
	}
	return ""
}

// isFigure reports whether a strand has a figure: a word does not stand in the place of one.
func isFigure(s []string) bool { return s[0][0] == '#' }

// ofOther reports whether two strands part a figure from the one that it is of: 17 of the 21.
func ofOther(c *parse.Claim, a, b []string, figures []*parse.Detail) bool {
	x, y := figureAt(a[0], figures), figureAt(b[0], figures)
	return x != nil && y != nil && together(x, y) &&
		strings.Contains(c.Text[min(x.At, y.At):max(x.At, y.At)], " of ")
}

// isSpan reports whether two strands are figures of one clause that no other one has the other way round: two times, of
// what they are the beginning and the end, or figures with different units.
func isSpan(a, b []string, figures []*parse.Detail) bool {
	x, y := figureAt(a[0], figures), figureAt(b[0], figures)
	return x != nil && y != nil && (x.T != nil && y.T != nil || x.Q != nil && y.Q != nil && x.Q.Dim != y.Q.Dim)
}

// figureAt returns the figure that a key of a strand stands for, nil if it is a word.
func figureAt(key string, figures []*parse.Detail) *parse.Detail {
	for i, d := range figures {
		if key == fmt.Sprint("#", i) {
			return d
		}
	}
	return nil
}

// written returns a key of a strand as text: that of the figure, or the word of the claim with this stem.
func written(c *parse.Claim, key string, figures []*parse.Detail) string {
	if d := figureAt(key, figures); d != nil {
		return d.Text
	}
	at := slices.IndexFunc(c.Words, func(w parse.Word) bool { return w.Stem == key })
	return c.Words[max(0, at)].Low
}
