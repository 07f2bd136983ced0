package claims

import (
	"fmt"
	"slices"
	"strings"
)

// This file finds what a statement says of another one of two: of two names in two clauses,
// or of two cells of a row.

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

// ofOtherCell returns why a claim says of one cell of a row what another one says: 45 days by
// the README, where the row has 30 days (README) and 45 days (code), or a column of each.
func (c *Claim) ofOtherCell(e *Claim) string {
	if len(e.Cells) < 3 {
		return ""
	}
	var best *Cell
	most, second := 0, 0
	for i := 1; i < len(e.Cells); i++ {
		switch n := c.inCell(e, &e.Cells[i]); {
		case n > most:
			best, most, second = &e.Cells[i], n, most
		case n > second:
			second = n
		}
	}
	if best == nil || most <= second || c.namesCell(best, nil) {
		return ""
	}
	for i := 1; i < len(e.Cells); i++ {
		if x := &e.Cells[i]; x != best && c.inCell(e, x) == 0 && e.comparable(best, x) &&
			c.namesCell(x, best) {
			return fmt.Sprintf("“%s” is said in the place of “%s”", best.Text, x.Text)
		}
	}
	return ""
}

// comparable reports whether two cells say the same kind of thing: figures of one kind, or
// words that somebody is named for.
func (c *Claim) comparable(a, b *Cell) bool {
	in := func(cell *Cell) (all []*Detail) {
		for _, d := range c.figures() {
			if d.Cell == cell {
				all = append(all, d)
			}
		}
		return all
	}
	x, y := in(a), in(b)
	if len(x) == 0 || len(y) == 0 {
		return len(x)+len(y) == 0 && strings.Contains(a.Text, "(") && strings.Contains(b.Text, "(")
	}
	return slices.ContainsFunc(y, func(d *Detail) bool { return x[0].relation(d) == OtherValue })
}

// inCell counts what a claim has of a cell, without what the cell is called. A figure counts
// as three words.
func (c *Claim) inCell(e *Claim, cell *Cell) (n int) {
	for k := range e.Details {
		x := &e.Details[k]
		if x.Cell == cell && x.figure() && slices.ContainsFunc(c.Details, func(d Detail) bool {
			return d.figure() && d.relation(x).Agrees()
		}) {
			n += 3
		}
	}
	text, _, _ := strings.Cut(cell.Text, "(")
	for _, s := range stemsOf(text) {
		if c.stems[s] {
			n++
		}
	}
	return n
}

// namesCell reports whether a claim has a word of what a cell is called, in its header or in
// parentheses, that another one is not called.
func (c *Claim) namesCell(cell, other *Cell) bool {
	not := map[string]bool{}
	if other != nil {
		for _, s := range other.called() {
			not[s] = true
		}
	}
	return slices.ContainsFunc(cell.called(), func(s string) bool { return c.stems[s] && !not[s] })
}

func (cell *Cell) called() []string {
	_, in, _ := strings.Cut(cell.Text, "(")
	in, _, _ = strings.Cut(in, ")")
	return stemsOf(cell.Header + " " + in)
}
