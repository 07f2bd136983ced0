package claims

import (
	"fmt"
	"slices"
)

// This file finds what a statement says of another one of two names in two clauses.

// misplaced returns why a claim says of one name what a statement says of another: A sets up
// and B reads, B sets up and A reads.
func (c *Claim) misplaced(e *Claim) string {
	if !c.English || !e.English || c.Cells != nil || e.Cells != nil {
		return ""
	}
	for k := range c.Details {
		d := &c.Details[k]
		if d.Kind != Name || d.initial || c.namesIn(d.clause) != 1 {
			continue
		}
		said := c.saidIn(d.clause)
		var own, other *Detail
		here, there := 0, 0 // how much of it is said of each
		for j := range e.Details {
			x := &e.Details[j]
			if x.Kind != Name || x.initial || e.namesIn(x.clause) != 1 {
				continue
			}
			switch n := shared(said, e.saidIn(x.clause)); {
			case d.relation(x).Agrees():
				own, here = x, max(here, n)
			case n > there && n == shared(said, e.said()) && (n > 1 || len(said) <= 2):
				other, there = x, n
			}
		}
		if own != nil && there > here && here < 2 {
			return fmt.Sprintf("that is said of %s, not of %s", other.Text, d.Text)
		}
	}
	return ""
}

func (c *Claim) namesIn(clause int) (n int) {
	for k := range c.Details {
		if d := &c.Details[k]; d.Kind == Name && !d.initial && d.clause == clause {
			n++
		}
	}
	return n
}

// saidIn returns the stems of a clause without those of its names.
func (c *Claim) saidIn(clause int) (stems []string) {
	for i := range c.Words {
		w := &c.Words[i]
		if w.clause == clause && !empty.has(w.low) && (!w.capital || c.begins(w)) && !slices.Contains(stems, w.stem) {
			stems = append(stems, w.stem)
		}
	}
	return stems
}

// begins reports whether a word has its capital since it begins a sentence.
func (c *Claim) begins(w *Word) bool {
	return slices.ContainsFunc(c.Details, func(d Detail) bool {
		return d.initial && slices.Contains(d.Words, w.low)
	})
}

func (c *Claim) said() (stems []string) {
	for i := range c.Words {
		stems = append(stems, c.Words[i].stem)
	}
	return stems
}

func shared(a, b []string) (n int) {
	for _, s := range a {
		if slices.Contains(b, s) {
			n++
		}
	}
	return n
}
