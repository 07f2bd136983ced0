package claims

import (
	"fmt"
	"slices"
	"strings"
)

// This file finds findings that say more than what they quote: of another zone, or without a
// condition.

// otherThan returns why a finding says something else than the statements that it quotes, by
// their zone, their scope, their rhythm, or whom they are of.
func (c *Claim) otherThan(around []*Claim, quote string) (reasons []string) {
	for k := range c.Details {
		d := &c.Details[k]
		if d.T == nil {
			continue
		}
		for _, e := range around[:min(len(around), mostEach)] {
			if why := d.otherZoneThan(e); why != "" {
				reasons = append(reasons, why)
			}
		}
	}
	return append(reasons, c.disagrees(around, quote)...)
}

// otherZoneThan returns why a time is the same digits in another zone: 10:26 UTC, 10:26 +0900.
func (d *Detail) otherZoneThan(e *Claim) (why string) {
	for k := range e.Details {
		x := &e.Details[k]
		if x.T == nil || d.T.Clock < 0 || x.T.Clock < 0 {
			continue
		}
		if d.relation(x).Agrees() && !(d.T.Local && d.T.Zone == nil && x.T.Zone != nil && *x.T.Zone == 0) {
			return ""
		}
		same := d.T.Clock == x.T.Clock || d.T.Clock/60 == x.T.Clock/60 && d.T.Seconds != x.T.Seconds
		known := d.T.Zone != nil && x.T.Zone != nil && *d.T.Zone != *x.T.Zone
		local := d.T.Local && d.T.Zone == nil && x.T.Zone != nil && *x.T.Zone == 0 && !x.T.Local
		if same && (known || local) {
			why = fmt.Sprintf("another zone: the finding says %s, the source %s", d.Text, x.Text)
		}
	}
	return why
}

var (
	conditions   = set("if unless except provided twice consent agreement approval permission")
	agreed       = set("consent agreement approval permission")
	agreedBy     = set("with without by on upon to prior written after of")
	clausal      = set("if unless provided")
	onlyUnder    = set("if when where after once for to with by up in during")
	onlyFor      = set("for up to")
	ownCondition = set("if unless provided where until except subject when while twice limited")
)

// Condition returns the word that begins a condition behind a quote in the rest of its sentence, or
// goes on with that of the quote, of which a finding says nothing; "" if there is none.
func Condition(finding, quote, rest string) string {
	t, c := lex(rest), ExtractText(finding, "")
	quoted := lex(quote)
	own := slices.DeleteFunc(lex(finding), func(x token) bool {
		return x.low != "only" && slices.ContainsFunc(quoted, func(y token) bool { return x.low == y.low })
	})
	cut := slices.ContainsFunc(quoted, func(x token) bool { return clausal.has(x.low) })
	for i := range t {
		x := &t[i]
		if agreed.has(x.low) && !agreedBy.has(t.at(i-1).low) && !agreedBy.has(t.at(i-2).low) {
			continue // more than the agreement allows
		}
		if x.kind == markToken && strings.ContainsAny(x.text, ".;:|!?") || i > 12 {
			break
		}
		only := x.low == "only" && onlyUnder.has(t.at(i+1).low)
		long := x.low == "long" && t.at(i-1).low == "as" && t.at(i+1).low == "as"
		if !conditions.has(x.low) && !long && !only && !(cut && i == 0 && (x.low == "and" || prepositions.has(x.low))) {
			continue
		}
		if slices.ContainsFunc(own, func(y token) bool {
			return y.low == "only" || ownCondition.has(y.low) && !(onlyFor.has(t.at(i+1).low) && y.low != "limited")
		}) {
			return ""
		}
		clause, _, _ := strings.Cut(rest[x.at:], ",")
		behind := ExtractText(clause, "")
		n, both := len(behind.stems), sharedStems(behind, c)
		for _, d := range behind.figures() {
			if n++; slices.ContainsFunc(c.Details, func(o Detail) bool { return d.relation(&o).Agrees() }) {
				both++
			}
		}
		if n > 0 && 2*both < n {
			return x.text
		}
	}
	return ""
}
