package claims

import (
	"fmt"
	"slices"
	"strconv"

	"blackboard/board/claims/parse"
)

// This file finds sentences that say of one thing what a statement says otherwise, with hardly
// another word: of all where it is most, every month where it is every year, by another party
// (party.go of parse).
// It knows English only.

// disagrees returns why a finding says otherwise than the statements that it quotes.
func disagrees(c *parse.Claim, around []*parse.Claim, quote string) (reasons []string) {
	if !c.English {
		return nil
	}
	mine, said := c.Tokens(), parse.Tokenize(quote)
	add := func(why string) {
		if why != "" {
			reasons = append(reasons, why)
		}
	}
	add(widens(mine, said))
	for _, e := range around {
		add(otherRhythm(mine, e.Tokens(), c, e))
	}
	return reasons
}

var (
	universals = parse.NewSet(`all every each entire entirely whole wholly always fully completely everything
		everybody everyone whenever`)
	partials = parse.NewSet("most mostly some many half several few partly part majority usually often sometimes")
)

// scope returns the words with which a text speaks of all, and of a part.
func scope(t parse.Tokens) (all, part string) {
	for i := range t {
		low, next, before := t[i].Low, t.At(i+1), t.At(i-1).Low
		switch {
		case low == "of" && outOf(t, i) != "":
			part = outOf(t, i)
		case low == "full" && before == "in",
			universals.Has(low) && !inAll(t, i) && next.Kind != parse.NumberToken && parse.SmallNumbers[next.Low] == 0 &&
				parse.DimensionOf(next.Low) == "":
			if before == "not" || before == "almost" || before == "nearly" {
				part = before + " " + low
			} else {
				all = low
			}
		case !partials.Has(low), low == "most" && (before == "at" || before == "the"),
			low == "some" && next.Kind == parse.NumberToken, low == "many" && (before == "how" || before == "as"),
			(low == "half" || low == "part") && next.Low != "of":
		default:
			part = low
		}
	}
	return all, part
}

// outOf returns what stands around "of" if that is a part: 38 of the 40, four out of nine, 11 of them.
func outOf(t parse.Tokens, i int) string {
	number := func(k int) float64 {
		n, _ := strconv.ParseFloat(t.At(k).Text, 64)
		return max(n, float64(parse.SmallNumbers[t.At(k).Low]))
	}
	k, from := i+1, i-1
	if wholes.Has(t.At(k).Low) {
		k++
	}
	if t.At(from).Low == "out" {
		from--
	}
	n, of := number(from), number(k)
	if n == 0 || n >= of && t.At(i+1).Low != "them" {
		return ""
	}
	return t.Text(from, k+1)
}

// widens returns why a text speaks of all where another one speaks of a part.
func widens(t, o parse.Tokens) string {
	all, part := scope(t)
	theirs, some := scope(o)
	if all == "" || part != "" || theirs != "" || some == "" ||
		slices.ContainsFunc(o, func(x parse.Token) bool { return universals.Has(x.Low) }) { // all 19 of them
		return ""
	}
	return fmt.Sprintf("“%s” against “%s”", all, some)
}

// hedging are the words with which a text leaves open whether something is.
var hedging = parse.NewSet("may might could can possible possibly likely probably perhaps if unless whether expected")

// rhythmsOf returns how often a text says that something is, and which of them it rules out.
func rhythmsOf(t parse.Tokens) (is, not []string) {
	for i := range t {
		per, n := t.Rate(i)
		if of := rhythms()[t[i].Low]; of != "" {
			per, n = of, 1
		}
		if n == 0 || !parse.RatePeriods.Has(per) {
			continue
		}
		b := t.At(i - 1)
		if (t[i].Low == "a" || t[i].Low == "an") && !oftenWords.Has(b.Low) && parse.DimensionOf(b.Low) == "" &&
			!slices.ContainsFunc(t[max(0, i-4):i], parse.Token.IsNumeral) {
			continue // a year ago
		}
		if b.Low == "not" {
			not = append(not, per)
		} else {
			is = append(is, per)
		}
	}
	return is, not
}

var oftenWords = parse.NewSet("once twice thrice times")

// otherRhythm returns why a claim says that something is every month, and a statement that it
// is every year. A figure that was converted is another one.
func otherRhythm(t, o parse.Tokens, c, e *parse.Claim) string {
	mine, _ := rhythmsOf(t)
	theirs, not := rhythmsOf(o)
	for _, r := range mine {
		if slices.Contains(theirs, r) {
			return ""
		}
	}
	for k := range c.Details {
		d := &c.Details[k]
		if d.Kind == parse.Number && !slices.ContainsFunc(e.Details, func(x parse.Detail) bool {
			return x.Kind == parse.Number && x.Q.Number == d.Q.Number
		}) {
			return ""
		}
	}
	switch {
	case len(mine) == 0:
	case slices.Contains(not, mine[0]):
		return fmt.Sprintf("the source says: not per %s", mine[0])
	case len(theirs) == 1 && sharedStems(c, e) > 1:
		return fmt.Sprintf("another period: the finding says per %s, the source per %s", mine[0], theirs[0])
	}
	return ""
}

// countsAs reports whether two quantities are of one unit, or count the same.
func countsAs(q, o *parse.Quantity) bool {
	if q.Dim == "" && len(q.Noun) > 0 && len(o.Noun) > 0 {
		return q.Noun[0] == o.Noun[0]
	}
	return q.Dim != "" && q.Dim == o.Dim
}
