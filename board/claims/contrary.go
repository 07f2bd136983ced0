package claims

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"blackboard/board/claims/parse"
)

// This file finds statements that say the opposite of a claim by their words: one of the two
// denies something, has an opposite, or has who does what to whom the other way round.

// saysOpposite returns why a statement of a window says the opposite of a claim.
func (ev *Evidence) saysOpposite(c *parse.Claim, cmp *Comparison) (reasons []string) {
	for _, e := range cmp.Claims {
		all, both := ev.shared(c, e)
		same, why := c.CompareConditions(e)
		if !ev.Part && !ev.isLong() && (cmp.Cover >= .5 && cmp.Back >= .4 || cmp.anchored(e)) {
			if c.English && e.English {
				if why := widens(e.Tokens(), c.Tokens()); why != "" && both >= .4*all {
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
			negativeAs(c, e, cmp) || 2*cmp.figuresIn(e) < cmp.figuresIn(nil) && !goesOn(e) {
			continue
		}
		reasons = append(reasons, ev.opposes(c, e, cmp, same)...)
	}
	return reasons
}

// after returns the statement that follows another one in its section.
func (ev *Evidence) after(e *parse.Claim) parse.Tokens {
	if i := e.Place + 1; i < len(ev.Claims) && ev.Claims[i].Block == e.Block {
		return parse.Tokenize(ev.Claims[i].Text)
	}
	return nil
}

// isClose reports whether a window and one of its claims have nearly the words of a claim: one or two may differ.
func (cmp *Comparison) isClose() bool { return cmp.Cover >= .85 && cmp.Back >= .6 }

// isLiteral reports whether a window and one of its claims have the words of a claim but for one of many.
func (cmp *Comparison) isLiteral() bool { return cmp.Cover >= .88 && cmp.Back >= .88 }

// negativeAs reports whether two statements are both negative, so that their denials do not make them opposites: no
// return, the way back is removed. It is false if they are close and one denies more, or literally the same.
func negativeAs(c, e *parse.Claim, cmp *Comparison) bool {
	switch mine, theirs := len(c.Denials), len(e.Denials); {
	case mine > 0 && theirs > 0:
		return !cmp.isClose() || mine == theirs && !cmp.isLiteral()
	case mine > 0:
		return saysNo(e, c)
	case theirs > 0:
		return saysNo(c, e) || setsLimit(e) && !hasAnyOf(c.Tokens(), parse.Modals)
	}
	return false
}

// setsLimit reports whether a statement says within which bound something may be: in no field may it be above 2.5.
func setsLimit(c *parse.Claim) bool {
	return hasAnyOf(c.Tokens(), parse.Modals) &&
		slices.ContainsFunc(c.Details, func(d parse.Detail) bool { return d.Q != nil && d.Q.Bound != 0 })
}

// opposes returns why a statement says the opposite of a claim. If both depend on the same, a
// denial on one side turns with the words of the condition.
func (ev *Evidence) opposes(c, e *parse.Claim, cmp *Comparison, same bool) []string {
	against := ev.opposites(c, Window{Claims: []*parse.Claim{e}}, cmp.Matches)
	if same {
		against = slices.DeleteFunc(against, turnsWithDenial)
	}
	if alike := len(c.Denials) == len(e.Denials); len(c.Denials) > 0 && alike && cmp.isLiteral() {
		return slices.DeleteFunc(against, func(s string) bool {
			word, other, _ := strings.Cut(strings.TrimPrefix(s, "“"), "”")
			return !strings.HasPrefix(other, " against “") || total.Has(word) // not every, some have no
		})
	} else if len(c.Denials) > 0 && len(e.Denials) > 0 {
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
	if x == "" || !cmp.isClose() || len(figuresOf(c)) > 0 {
		x, y = turned, to
	}
	if x != "" && cmp.Cover >= .6 && cmp.Back >= .3 {
		against = append(against, fmt.Sprintf("“%s” and “%s” stand the other way round", x, y))
	}
	return against
}

// goesOn reports whether a statement begins with It, They or This: it is about what the one before it is about.
func goesOn(c *parse.Claim) bool {
	first, _, _ := strings.Cut(c.Text, " ")
	return first == "It" || first == "They" || first == "This"
}

// negatives are the roots of words that are negative by what they mean.
var negatives = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(parse.TableText("negators") + " " + parse.TableText("denied") + " " +
		parse.TableText("deniers") + ` out outside beyond except exclude hardly lack miss stop
		lose exempt avoid unless skip omit forbid prohibit ban bar close short shut optional voluntary
		disable yet blank empty prevent cease ignore zero below negative behind drop discard remove
		abandon warn dry`) {
		m[parse.Root(w)] = true
	}
	return m
})

// saysNo reports whether a claim has a word that is negative by what it means, and that another
// one has not.
func saysNo(c, o *parse.Claim) bool {
	theirs := o.Tokens()
	return slices.ContainsFunc(c.Tokens(), func(t parse.Token) bool {
		return negatives()[parse.Root(t.Low)] &&
			!slices.ContainsFunc(theirs, func(u parse.Token) bool { return parse.Stem(u.Low) == parse.Stem(t.Low) })
	})
}

// mayDeny reports whether a claim denies something, or has a word that may.
func mayDeny(c *parse.Claim) bool {
	return len(c.Denials) > 0 || slices.ContainsFunc(c.Tokens(), func(t parse.Token) bool {
		return negatives()[parse.Root(t.Low)] || notYet.Has(t.Low)
	})
}

// notYet are words of what has not come, or not changed, yet.
var notYet = parse.NewSet("still until last outstanding overdue due earliest alone unchanged open")

// IsNegative reports whether a text denies something, or has a word that is negative by what it
// means. A bound does not: never more than 5.
func IsNegative(text string) bool {
	c := parse.ExtractText(text, "")
	return len(c.Denials) > 0 || slices.ContainsFunc(parse.Tokenize(text), func(t parse.Token) bool {
		return negatives()[parse.Root(t.Low)] && !parse.Negators.Has(t.Low)
	})
}
