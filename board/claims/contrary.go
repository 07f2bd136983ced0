package claims

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// This file finds statements that say the opposite of a claim by their words: one of the two
// denies something, has an opposite, or has who does what to whom the other way round.

// saysOpposite returns why a statement of a window says the opposite of a claim.
func (ev *Evidence) saysOpposite(c *Claim, cmp *Comparison) (reasons []string) {
	for _, e := range cmp.Claims {
		all, both := ev.shared(c, e)
		same, why := c.boundAlike(e)
		if !ev.Part && !ev.isLong() && (cmp.Cover >= .5 && cmp.Back >= .4 || cmp.anchored(e)) {
			if c.English && e.English {
				if why := e.tokens().widens(c.tokens()); why != "" && both >= .4*all {
					reasons = append(reasons, "the report says "+why)
				}
				reasons = append(reasons, ev.otherwise(e.Text, c.Text, ev.after(e), shareOfReport, contrasting...)...)
			}
		}
		if why != "" && both >= .25*all {
			reasons = append(reasons, why)
			continue
		}
		if e.Cells != nil && cmp.figuresIn(e) == 0 || // the words of a row are headings
			ev.Part && !cmp.isClose() || // in a long report the words of any claim meet
			c.negativeAs(e, cmp) || 2*cmp.figuresIn(e) < cmp.figuresIn(nil) && !e.goesOn() {
			continue
		}
		reasons = append(reasons, ev.opposes(c, e, cmp, same)...)
	}
	return reasons
}

// after returns the statement that follows another one in its section.
func (ev *Evidence) after(e *Claim) tokens {
	if i := e.number + 1; i < len(ev.Claims) && ev.Claims[i].Block == e.Block {
		return lex(ev.Claims[i].Text)
	}
	return nil
}

// isClose reports whether a window and one of its claims have nearly the words of a claim: one or two may differ.
func (cmp *Comparison) isClose() bool { return cmp.Cover >= .85 && cmp.Back >= .6 }

// isLiteral reports whether a window and one of its claims have the words of a claim but for one of many.
func (cmp *Comparison) isLiteral() bool { return cmp.Cover >= .88 && cmp.Back >= .88 }

// negativeAs reports whether two statements are both negative, so that their denials do not make them opposites: no
// return, the way back is removed. It is false if they are close and one denies more, or literally the same.
func (c *Claim) negativeAs(e *Claim, cmp *Comparison) bool {
	switch mine, theirs := len(c.denials), len(e.denials); {
	case mine > 0 && theirs > 0:
		return !cmp.isClose() || mine == theirs && !cmp.isLiteral()
	case mine > 0:
		return e.saysNo(c)
	case theirs > 0:
		return c.saysNo(e) || e.setsLimit() && !c.tokens().hasAny(modals)
	}
	return false
}

// setsLimit reports whether a statement says within which bound something may be: in no field may it be above 2.5.
func (c *Claim) setsLimit() bool {
	return c.tokens().hasAny(modals) &&
		slices.ContainsFunc(c.Details, func(d Detail) bool { return d.Q != nil && d.Q.Bound != 0 })
}

// opposes returns why a statement says the opposite of a claim. If both depend on the same, a
// denial on one side turns with the words of the condition.
func (ev *Evidence) opposes(c, e *Claim, cmp *Comparison, same bool) []string {
	against := ev.opposites(c, Window{Claims: []*Claim{e}}, cmp.Matches)
	if same {
		against = slices.DeleteFunc(against, turnsWithDenial)
	}
	if alike := len(c.denials) == len(e.denials); len(c.denials) > 0 && alike && cmp.isLiteral() {
		return slices.DeleteFunc(against, func(s string) bool {
			word, other, _ := strings.Cut(strings.TrimPrefix(s, "“"), "”")
			return !strings.HasPrefix(other, " against “") || total.has(word) // not every, some have no
		})
	} else if len(c.denials) > 0 && len(e.denials) > 0 {
		if against = slices.DeleteFunc(against, func(s string) bool {
			return !strings.HasSuffix(s, deniedOnceSuffix)
		}); ev.Part {
			return nil
		}
	}
	x, y := ev.exchangedIn(c, e)
	turned, to, same := turnedRound(c, e)
	if x != "" && len(against) > 0 || same {
		return nil // A more than B, B less than A
	}
	if x == "" || !cmp.isClose() || len(c.figures()) > 0 {
		x, y = turned, to
	}
	if x != "" && cmp.Cover >= .6 && cmp.Back >= .3 {
		against = append(against, fmt.Sprintf("“%s” and “%s” stand the other way round", x, y))
	}
	return against
}

// goesOn reports whether a statement begins with It, They or This: it is about what the one before it is about.
func (c *Claim) goesOn() bool {
	first, _, _ := strings.Cut(c.Text, " ")
	return first == "It" || first == "They" || first == "This"
}

// negatives are the roots of words that are negative by what they mean.
var negatives = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(table("negators") + " " + table("denied") + " " +
		table("deniers") + ` out outside beyond except exclude hardly lack miss stop
		lose exempt avoid unless skip omit forbid prohibit ban bar close short shut optional voluntary
		disable yet blank empty prevent cease ignore zero below negative behind drop discard remove
		abandon warn dry`) {
		m[root(w)] = true
	}
	return m
})

// saysNo reports whether a claim has a word that is negative by what it means, and that another
// one has not.
func (c *Claim) saysNo(o *Claim) bool {
	theirs := o.tokens()
	return slices.ContainsFunc(c.tokens(), func(t token) bool {
		return negatives()[root(t.low)] &&
			!slices.ContainsFunc(theirs, func(u token) bool { return stem(u.low) == stem(t.low) })
	})
}

// mayDeny reports whether a claim denies something, or has a word that may.
func (c *Claim) mayDeny() bool {
	return len(c.denials) > 0 || slices.ContainsFunc(c.tokens(), func(t token) bool {
		return negatives()[root(t.low)] || notYet.has(t.low)
	})
}

// notYet are words of what has not come, or not changed, yet.
var notYet = set("still until last outstanding overdue due earliest alone unchanged open")

// IsNegative reports whether a text denies something, or has a word that is negative by what it
// means. A bound does not: never more than 5.
func IsNegative(text string) bool {
	c := ExtractText(text, "")
	return len(c.denials) > 0 || slices.ContainsFunc(lex(text), func(t token) bool {
		return negatives()[root(t.low)] && !negators.has(t.low)
	})
}
