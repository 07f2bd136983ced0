package claims

import (
	"fmt"
	"slices"
	"strconv"
)

// This file finds sentences that say of one thing what a statement says otherwise, with hardly
// another word: of all where it is most, every month where it is every year, by another party
// (party.go).
// It knows English only.

// disagrees returns why a finding says otherwise than the statements that it quotes.
func (c *Claim) disagrees(around []*Claim, quote string) (reasons []string) {
	if !c.English {
		return nil
	}
	mine, said := c.tokens(), lex(quote)
	add := func(why string) {
		if why != "" {
			reasons = append(reasons, why)
		}
	}
	add(mine.widens(said))
	for _, e := range around {
		add(mine.otherRhythm(e.tokens(), c, e))
	}
	return reasons
}

var (
	universals = set(`all every each entire entirely whole wholly always fully completely everything
		everybody everyone whenever`)
	partials = set("most mostly some many half several few partly part majority usually often sometimes")
)

// scope returns the words with which a text speaks of all, and of a part.
func (t tokens) scope() (all, part string) {
	for i := range t {
		low, next, before := t[i].low, t.at(i+1), t.at(i-1).low
		switch {
		case low == "of" && t.outOf(i) != "":
			part = t.outOf(i)
		case low == "full" && before == "in",
			universals.has(low) && next.kind != numberToken && ones[next.low] == 0 &&
				dimensionOf(next.low) == "":
			if before == "not" || before == "almost" || before == "nearly" {
				part = before + " " + low
			} else {
				all = low
			}
		case !partials.has(low), low == "most" && (before == "at" || before == "the"),
			low == "some" && next.kind == numberToken, low == "many" && (before == "how" || before == "as"),
			(low == "half" || low == "part") && next.low != "of":
		default:
			part = low
		}
	}
	return all, part
}

// outOf returns what stands around "of" if that is a part: 38 of the 40, four out of nine, 11 of them.
func (t tokens) outOf(i int) string {
	number := func(k int) float64 {
		n, _ := strconv.ParseFloat(t.at(k).text, 64)
		return max(n, float64(ones[t.at(k).low]))
	}
	k, from := i+1, i-1
	if wholes.has(t.at(k).low) {
		k++
	}
	if t.at(from).low == "out" {
		from--
	}
	n, of := number(from), number(k)
	if n == 0 || n >= of && t.at(i+1).low != "them" {
		return ""
	}
	return t.textOf(from, k+1)
}

// widens returns why a text speaks of all where another one speaks of a part.
func (t tokens) widens(o tokens) string {
	all, part := t.scope()
	theirs, some := o.scope()
	if all == "" || part != "" || theirs != "" || some == "" ||
		slices.ContainsFunc(o, func(x token) bool { return universals.has(x.low) }) { // all 19 of them
		return ""
	}
	return fmt.Sprintf("“%s” against “%s”", all, some)
}

// hedging are the words with which a text leaves open whether something is.
var hedging = set("may might could can possible possibly likely probably perhaps if unless whether expected")

// rhythms returns how often a text says that something is, and which of them it rules out.
func (t tokens) rhythms() (is, not []string) {
	for i := range t {
		per, n := t.rate(i)
		if of := rhythms()[t[i].low]; of != "" {
			per, n = of, 1
		}
		if n == 0 || !periods.has(per) {
			continue
		}
		b := t.at(i - 1)
		if (t[i].low == "a" || t[i].low == "an") && !oftenWords.has(b.low) && dimensionOf(b.low) == "" &&
			!slices.ContainsFunc(t[max(0, i-4):i], token.counts) {
			continue // a year ago
		}
		if b.low == "not" {
			not = append(not, per)
		} else {
			is = append(is, per)
		}
	}
	return is, not
}

var oftenWords = set("once twice thrice times")

// otherRhythm returns why a claim says that something is every month, and a statement that it
// is every year. A figure that was converted is another one.
func (t tokens) otherRhythm(o tokens, c, e *Claim) string {
	mine, _ := t.rhythms()
	theirs, not := o.rhythms()
	for _, r := range mine {
		if slices.Contains(theirs, r) {
			return ""
		}
	}
	for k := range c.Details {
		d := &c.Details[k]
		if d.Kind == Number && !slices.ContainsFunc(e.Details, func(x Detail) bool {
			return x.Kind == Number && x.Q.Number == d.Q.Number
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
func (q *Quantity) countsAs(o *Quantity) bool {
	if q.Dim == "" && len(q.Noun) > 0 && len(o.Noun) > 0 {
		return q.Noun[0] == o.Noun[0]
	}
	return q.Dim != "" && q.Dim == o.Dim
}

func titledParty(who []string) bool {
	return slices.ContainsFunc(who, func(w string) bool { return titleStems()[w] })
}

// saidByOthers returns why a figure of a claim is somebody else's in a window: of two people,
// or of two parties of one statement.
func (cmp *Comparison) saidByOthers(c *Claim) []string {
	mine := c.tokens()
	for _, m := range cmp.Matches {
		if m.With == nil || !m.Rel.Agrees() || m.Detail.Kind != Number || m.From.Cells != nil {
			continue
		}
		theirs := m.From.tokens()
		who, other := mine.sayer(m.Detail.first), theirs.sayer(m.With.first)
		all := theirs.sayers(m.With.first)
		if slices.ContainsFunc(who, func(w string) bool { return slices.Contains(all, w) && !titleStems()[w] }) {
			continue // she wrote that the station recorded it
		}
		has := func(w string) bool { return m.From.stems[w] || m.From.context[w] }
		both := titledParty(who) && titledParty(other)
		if len(who) == 0 || len(other) == 0 || !both && !slices.ContainsFunc(who, has) ||
			slices.ContainsFunc(who, func(w string) bool {
				return slices.Contains(other, w) && !titleStems()[w]
			}) {
			continue // or the same under another name: the letter, its author
		}
		return []string{fmt.Sprintf("in the report somebody else says %s", m.Detail.Text)}
	}
	return nil
}
