package claims

import (
	"fmt"
	"slices"

	"blackboard/board/claims/parse"
)

// This file holds a claim against a statement that surely speaks of it, since it has its figures or nearly all that
// both say: then a figure that stands with another day, or another one who says it, is no accident.

// anchored reports whether a statement of a window surely speaks of a claim.
func (cmp *Comparison) anchored(e *parse.Claim) bool {
	n, both, all := 0, float64(sharedStems(cmp.of, e)), float64(len(cmp.of.Stems))
	for _, m := range cmp.Matches {
		if m.From == e && m.With != nil && m.Rel.Agrees() && m.Detail.IsFigure() && !m.Detail.Weak {
			if n++; specific(m.Detail) {
				n++
			}
		}
	}
	return e.Cells == nil && (n > 2 || n > 1 && both >= .25*all || n > 0 && both >= .4*all ||
		both >= .6*all && cmp.Back >= .5)
}

// plainly returns why a window contradicts a claim by what it says of a day.
func (cmp *Comparison) plainly(ev *Evidence) (why []string) {
	if ev.isLong() || !cmp.of.English {
		return nil
	}
	for _, e := range cmp.Claims {
		if days := otherDay(cmp.of, e); len(days) > 1 || len(days) > 0 && cmp.anchored(e) {
			why = append(why, days...)
		}
	}
	return why
}

// otherDay finds a figure that stands with a day, month or year of a claim with which the claim has another figure.
func otherDay(c, e *parse.Claim) (why []string) {
	mine, theirs := datedFigures(c), datedFigures(e)
	for _, a := range mine {
		for _, b := range theirs {
			if !a.figure.Relate(b.figure).Agrees() || a.day.Relate(b.day).Agrees() {
				continue
			}
			anotherThen := slices.ContainsFunc(mine, func(o dated) bool {
				return o.day.Relate(b.day) == parse.Same && o.figure != a.figure
			})
			if anotherThen && !slices.ContainsFunc(theirs, func(o dated) bool {
				return o.figure.Relate(b.figure).Agrees() && o.day.Relate(a.day).Agrees()
			}) {
				why = append(why, fmt.Sprintf("the finding has %s with %s, the report with %s", a.figure.Text,
					a.day.Text, b.day.Text))
			}
		}
	}
	return why
}

// dated is a figure with the date that stands beside it.
type dated struct{ figure, day *parse.Detail }

// datedFigures returns the figures of a claim that stand before a date, or behind it if none does: 88,000 in 2021, in
// 2022 some 117,000 people.
func datedFigures(c *parse.Claim) (all []dated) {
	var open, day *parse.Detail // a figure or a date that stands alone yet
	for k := range c.Details {
		switch d := &c.Details[k]; {
		case d.T != nil && d.T.Dated && open != nil:
			all, open = append(all, dated{open, d}), nil
		case d.T != nil && d.T.Dated:
			day = d
		case d.Q == nil || d.Q.Ref || d.Weak:
		case day != nil:
			all, day = append(all, dated{d, day}), nil
		case open != nil: // from 5 to 3 between 2021 and 2022
			return nil
		default:
			open = d
		}
	}
	return all
}
