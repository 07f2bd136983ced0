package claims

import (
	"fmt"
	"math"
	"slices"

	"blackboard/board/claims/parse"
)

// Stray returns why a report has another figure in the place of one of a finding, "" if it has
// not: the nearest window, or what follows it, has a figure of the same kind and size that no
// finding has and that does not follow from those beside it, and nothing in the report has the
// finding's own. has reports whether a finding of the run has a figure.
func (ev *Evidence) Stray(s *Survival, has func(x *parse.Detail) bool) string {
	w := s.Window
	if w == nil || s.Verbatim || w.Cover < .5 && (w.Cover < .35 || s.has.agree == 0) {
		return ""
	}
	var beside []*parse.Detail
	for _, e := range w.Claims {
		beside = append(beside, figuresOf(e)...)
	}
	last := w.Claims[len(w.Claims)-1]
	if i := last.Place + 1; last.Cells == nil && i < len(ev.Claims) && ev.Claims[i].Block == last.Block {
		beside = append(beside, figuresOf(ev.Claims[i])...)
	}
	own := figuresOf(s.Claim)
	for _, d := range own {
		if !isDistinctive(d) || ev.has(s.Claim, d) || d.T != nil && tellWhen(w.Claims) {
			continue
		}
		for _, x := range beside {
			if !isDistinctive(x) || !isLike(d, x) || x.Level || HasFigure(s.Claim, x) ||
				follows(x, slices.Concat(own, beside)) || has(x) {
				continue
			}
			return fmt.Sprintf("the finding says %s, the report %s, which no finding has", d.Text, x.Text)
		}
	}
	return ""
}

// isDistinctive reports whether a figure says so much that another one in its place says something else.
func isDistinctive(d *parse.Detail) bool {
	return !d.Weak && !d.Denied && (d.Q == nil || !d.Q.Ref &&
		(d.Q.Digits() >= 3 || !d.Named && (d.Q.Dim != "" || d.Q.Digits() == 2)))
}

// isLike reports whether two figures are of one kind and of like size, and do not agree.
func isLike(d, x *parse.Detail) bool {
	if d.Q == nil || x.Q == nil {
		return d.T != nil && x.T != nil && d.Relate(x) == parse.OtherValue && d.T.Days() == x.T.Days()
	}
	a, b := math.Abs(d.Q.Value), math.Abs(x.Q.Value)
	return d.Q.Dim == x.Q.Dim && max(a, b) <= 5*min(a, b) && (countsAs(d.Q, x.Q) && d.Relate(x) == parse.OtherValue ||
		d.Q.Dim == "" && len(x.Q.Noun) == 0 && !agreesWith(d, x) && min(d.Q.Digits(), x.Q.Digits()) >= 3)
}

// HasFigure reports whether a claim has a figure, more or less precisely.
func HasFigure(c *parse.Claim, x *parse.Detail) bool {
	return slices.ContainsFunc(figuresOf(c), func(o *parse.Detail) bool { return agreesWith(o, x) })
}

func agreesWith(d, x *parse.Detail) bool {
	r := d.Relate(x)
	return r.Agrees() || r == parse.Coarser || x.Relate(d) == parse.Coarser
}

// has reports whether the evidence has a figure of a claim anywhere.
func (ev *Evidence) has(c *parse.Claim, d *parse.Detail) bool {
	return slices.ContainsFunc(ev.withFigure(c, d), func(e *parse.Claim) bool {
		return slices.ContainsFunc(figuresOf(e), func(o *parse.Detail) bool { return agreesWith(d, o) })
	})
}

// follows reports whether a figure is the sum, difference, product or ratio of two others.
func follows(d *parse.Detail, of []*parse.Detail) bool {
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
				if parse.IsNear(v, z) || math.Abs(v-z) <= max(d.Q.Half, .005*math.Abs(v)) {
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
	mine := persons(s.Claim)
	if len(mine) == 0 {
		return ""
	}
	near := ev.paragraph(w)
	if slices.ContainsFunc(near, func(e *parse.Claim) bool {
		return slices.ContainsFunc(mine, func(d *parse.Detail) bool { return hasAnyWord(e, d) })
	}) {
		return ""
	}
	for _, e := range w.Claims {
		if 4*sharedStems(s.Claim, e) < len(s.Claim.Stems) {
			continue
		}
		for _, x := range persons(e) {
			if !hasAnyWord(s.Claim, x) {
				return fmt.Sprintf("another one: %s, not %s", x.Text, mine[0].Text)
			}
		}
	}
	return ""
}

// paragraph returns the statements of a window and those beside them in their paragraph.
func (ev *Evidence) paragraph(w *Window) []*parse.Claim {
	near := slices.Clone(w.Claims)
	first, last := w.Claims[0].Place, w.Claims[len(w.Claims)-1].Place
	for _, i := range []int{first - 2, first - 1, last + 1} {
		if i >= 0 && i < len(ev.Claims) && ev.Claims[i].Block == w.Claims[0].Block {
			near = append(near, ev.Claims[i])
		}
	}
	return near
}

// persons are the names of a claim that are those of people: with a title or an initial, or of two words.
func persons(c *parse.Claim) (all []*parse.Detail) {
	for i := range c.Details {
		if d := &c.Details[i]; d.Kind == parse.Name && !d.Weak && (titled(d) || len(d.Words) == 2 || initialled(c, d)) {
			all = append(all, d)
		}
	}
	return all
}
