package claims

import (
	"fmt"
	"math"
	"slices"
)

// Stray returns why a report has another figure in the place of one of a finding, "" if it has
// not: the nearest window, or what follows it, has a figure of the same kind and size that no
// finding has and that does not follow from those beside it, and nothing in the report has the
// finding's own. has reports whether a finding of the run has a figure.
func (ev *Evidence) Stray(s *Survival, has func(x *Detail) bool) string {
	w := s.Window
	if w == nil || s.Verbatim || w.Cover < .5 && (w.Cover < .35 || s.has.agree == 0) {
		return ""
	}
	var beside []*Detail
	for _, e := range w.Claims {
		beside = append(beside, e.figures()...)
	}
	last := w.Claims[len(w.Claims)-1]
	if i := last.number + 1; last.Cells == nil && i < len(ev.Claims) && ev.Claims[i].Block == last.Block {
		beside = append(beside, ev.Claims[i].figures()...)
	}
	own := s.Claim.figures()
	for _, d := range own {
		if !d.isDistinctive() || ev.has(s.Claim, d) || d.T != nil && tellWhen(w.Claims) {
			continue
		}
		for _, x := range beside {
			if !x.isDistinctive() || !d.isLike(x) || x.Level || s.Claim.HasFigure(x) ||
				x.follows(slices.Concat(own, beside)) || has(x) {
				continue
			}
			return fmt.Sprintf("the finding says %s, the report %s, which no finding has", d.Text, x.Text)
		}
	}
	return ""
}

// isDistinctive reports whether a figure says so much that another one in its place says something else.
func (d *Detail) isDistinctive() bool {
	return !d.Weak && !d.Denied && (d.Q == nil || !d.Q.Ref &&
		(d.Q.significant() >= 3 || !d.named && (d.Q.Dim != "" || d.Q.significant() == 2)))
}

// isLike reports whether two figures are of one kind and of like size, and do not agree.
func (d *Detail) isLike(x *Detail) bool {
	if d.Q == nil || x.Q == nil {
		return d.T != nil && x.T != nil && d.relation(x) == OtherValue && d.T.days() == x.T.days()
	}
	a, b := math.Abs(d.Q.Value), math.Abs(x.Q.Value)
	return d.Q.Dim == x.Q.Dim && max(a, b) <= 5*min(a, b) && (d.Q.countsAs(x.Q) && d.relation(x) == OtherValue ||
		d.Q.Dim == "" && len(x.Q.Noun) == 0 && !d.agreesWith(x) && min(d.Q.significant(), x.Q.significant()) >= 3)
}

// HasFigure reports whether a claim has a figure, more or less precisely.
func (c *Claim) HasFigure(x *Detail) bool {
	return slices.ContainsFunc(c.figures(), func(o *Detail) bool { return o.agreesWith(x) })
}

func (d *Detail) agreesWith(x *Detail) bool {
	r := d.relation(x)
	return r.Agrees() || r == Coarser || x.relation(d) == Coarser
}

// has reports whether the evidence has a figure of a claim anywhere.
func (ev *Evidence) has(c *Claim, d *Detail) bool {
	return slices.ContainsFunc(ev.withFigure(c, d), func(e *Claim) bool {
		return slices.ContainsFunc(e.figures(), func(o *Detail) bool { return d.agreesWith(o) })
	})
}

// follows reports whether a figure is the sum, difference, product or ratio of two others.
func (d *Detail) follows(of []*Detail) bool {
	if d.Q == nil {
		return false
	}
	v := d.Q.Value
	for _, a := range of {
		for _, b := range of {
			if a == b || a == d || b == d || a.Q == nil || b.Q == nil {
				continue
			}
			x, y := a.Q.Value, b.Q.Value
			for _, z := range []float64{x + y, x - y, x * y, x / y} {
				if near(v, z) || math.Abs(v-z) <= max(d.Q.Half, .005*math.Abs(v)) {
					return true
				}
			}
		}
	}
	return false
}

// Stranger returns why a report says of somebody else what a finding says of one person, "" if it
// does not: no person of the finding is in a statement near the nearest one, and one that the
// finding does not name stands there.
func (ev *Evidence) Stranger(s *Survival) string {
	w := s.Window
	if w == nil || s.Verbatim || w.Cover < .5 || s.back < .4 || !s.Claim.English {
		return ""
	}
	mine := s.Claim.persons()
	if len(mine) == 0 {
		return ""
	}
	near := slices.Clone(w.Claims)
	first, last := w.Claims[0].number, w.Claims[len(w.Claims)-1].number
	for _, i := range []int{first - 2, first - 1, last + 1} {
		if i >= 0 && i < len(ev.Claims) && ev.Claims[i].Block == w.Claims[0].Block {
			near = append(near, ev.Claims[i])
		}
	}
	if slices.ContainsFunc(near, func(e *Claim) bool {
		return slices.ContainsFunc(mine, func(d *Detail) bool { return e.hasName(d) })
	}) {
		return ""
	}
	for _, e := range w.Claims {
		if 4*sharedStems(s.Claim, e) < len(s.Claim.stems) {
			continue
		}
		for _, x := range e.persons() {
			if !s.Claim.hasName(x) {
				return fmt.Sprintf("another one: %s, not %s", x.Text, mine[0].Text)
			}
		}
	}
	return ""
}

// persons are the names of a claim that are those of people: with a title, or of two words.
func (c *Claim) persons() (all []*Detail) {
	for i := range c.Details {
		if d := &c.Details[i]; d.Kind == Name && !d.Weak && (d.titled() || len(d.Words) == 2) {
			all = append(all, d)
		}
	}
	return all
}
