package claims

import (
	"fmt"
	"slices"
	"strings"

	"blackboard/board/claims/parse"
)

// This file finds findings that say more than what they quote: of another zone, or without a
// condition.

// otherThan returns why a finding says something else than the statements that it quotes, by
// their zone, their scope, their rhythm, or whom they are of.
func otherThan(c *parse.Claim, around []*parse.Claim, quote string) (reasons []string) {
	for k := range c.Details {
		d := &c.Details[k]
		if d.T == nil {
			continue
		}
		for _, e := range around[:min(len(around), parse.MaxPairwise)] {
			if why := otherZoneThan(d, e); why != "" {
				reasons = append(reasons, why)
			}
		}
	}
	return append(reasons, disagrees(c, around, quote)...)
}

// otherZoneThan returns why a time is the same digits in another zone: 10:26 UTC, 10:26 +0900.
func otherZoneThan(d *parse.Detail, e *parse.Claim) (why string) {
	for k := range e.Details {
		x := &e.Details[k]
		if x.T == nil || d.T.Clock < 0 || x.T.Clock < 0 {
			continue
		}
		if d.Relate(x).Agrees() && !(d.T.Local && d.T.Zone == nil && x.T.Zone != nil && *x.T.Zone == 0) {
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
	conditions   = parse.NewSet("if unless except provided twice consent agreement approval permission")
	agreed       = parse.NewSet("consent agreement approval permission")
	agreedBy     = parse.NewSet("with without by on upon to prior written after of")
	clausal      = parse.NewSet("if unless provided")
	onlyUnder    = parse.NewSet("if when where after once for to with by up in during")
	onlyFor      = parse.NewSet("for up to")
	ownCondition = parse.NewSet("if unless provided where until except subject when while twice limited")
)

// Condition returns the word that begins a condition behind a quote in the rest of its sentence, or
// goes on with that of the quote, of which a finding says nothing; "" if there is none.
func Condition(finding, quote, rest string) string {
	t, c := parse.Tokenize(rest), parse.ExtractText(finding, "")
	quoted := parse.Tokenize(quote)
	own := slices.DeleteFunc(parse.Tokenize(finding), func(x parse.Token) bool {
		return x.Low != "only" && slices.ContainsFunc(quoted, func(y parse.Token) bool { return x.Low == y.Low })
	})
	cut := slices.ContainsFunc(quoted, func(x parse.Token) bool { return clausal.Has(x.Low) })
	for i := range t {
		x := &t[i]
		if agreed.Has(x.Low) && !agreedBy.Has(t.At(i-1).Low) && !agreedBy.Has(t.At(i-2).Low) {
			continue // more than the agreement allows
		}
		if x.Kind == parse.MarkToken && strings.ContainsAny(x.Text, ".;:|!?") || i > 12 {
			break
		}
		only := x.Low == "only" && onlyUnder.Has(t.At(i+1).Low)
		long := x.Low == "long" && t.At(i-1).Low == "as" && t.At(i+1).Low == "as"
		if !conditions.Has(x.Low) && !long && !only &&
			!(cut && i == 0 && (x.Low == "and" || parse.Prepositions.Has(x.Low))) {
			continue
		}
		if before := t.At(i - 1).Low; parse.OrderSign(before) != 0 {
			continue // earlier if
		}
		if slices.ContainsFunc(own, func(y parse.Token) bool {
			return y.Low == "only" || ownCondition.Has(y.Low) && !(onlyFor.Has(t.At(i+1).Low) && y.Low != "limited")
		}) {
			return ""
		}
		clause, _, _ := strings.Cut(rest[x.At:], ",")
		behind := parse.ExtractText(clause, "")
		n, both := len(behind.Stems), sharedStems(behind, c)
		for _, d := range figuresOf(behind) {
			if n++; slices.ContainsFunc(c.Details, func(o parse.Detail) bool { return d.Relate(&o).Agrees() }) {
				both++
			}
		}
		if n > 0 && 2*both < n {
			return x.Text
		}
	}
	return ""
}
