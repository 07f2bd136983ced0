package claims

import (
	"fmt"
	"slices"
)

// This file finds a word that stands in the place of another one of its few: seven crates for
// nine, the first check for the second, the morning for the evening.

// A slot is a place for one word of few.
type slot struct {
	kind  string   // what stands there
	value string   // which of them does
	of    []string // the stems that say of what
	text  string
}

var (
	ordinals = counting(`first second third fourth fifth sixth seventh eighth ninth tenth eleventh
		twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth`, 1, 1)
	dayparts = set("morning noon afternoon evening midnight")
)

// slots returns the counts, ordinal numbers and times of day of a text that no figure is.
func (t tokens) slots() (all []slot) {
	for i := range t {
		x := &t[i]
		switch {
		case x.kind != wordToken && x.kind != numberToken:
		case dayparts.has(x.low):
			all = append(all, slot{"daypart", x.low, nil, x.low})
		case ordinals[x.low] > 0 && t.month(i+2) == 0 && t.month(i-1) == 0 && t.month(i+1) == 0:
			all = append(all, slot{"ordinal", x.low, t.following(i+1, 1), x.low})
		default:
			v, n := t.numberInWords(i)
			if x.low == "one" || x.low == "single" {
				v, n = 1, 1
			}
			if n > 0 && v >= 1 && v <= 12 && !t.tensBefore(i) {
				all = append(all, slot{"count", fmt.Sprint(v), t.following(i+n, 2), t.textOf(i, i+n)})
			}
		}
	}
	return slices.DeleteFunc(all, func(s slot) bool { return s.kind != "daypart" && len(s.of) == 0 })
}

// tensBefore reports whether a number in words goes on at a token.
func (t tokens) tensBefore(i int) bool {
	b := t.at(i - 1).low
	return tens[b] > 0 || b == "hundred" || b == "and" && t.at(i-2).low == "hundred"
}

// following returns up to n stems that stand right behind each other from a token on.
func (t tokens) following(i, n int) (stems []string) {
	for ; i < len(t) && len(stems) < n && t[i].kind == wordToken && says(t[i].low) &&
		units()[t[i].low].dim == ""; i++ {
		stems = append(stems, stem(t[i].low))
	}
	return stems
}

// sameAs reports whether two slots are of one thing.
func (s *slot) sameAs(o *slot) bool {
	return s.kind == o.kind && slices.Equal(s.of, o.of)
}

// standsIn returns why a statement has another word in a place of a claim. The place must be
// the only one of its kind in both.
func (c *Claim) standsIn(e *Claim, cmp *Comparison) (reasons []string) {
	if !c.English || !e.English || len(c.denials) != len(e.denials) || e.Cells != nil && cmp.figuresIn(e) == 0 {
		return nil
	}
	mine, theirs := lex(c.Text).slots(), lex(e.Text).slots()
	var around []slot
	said := map[string]bool{}
	for _, w := range cmp.Claims {
		t := lex(w.Text)
		around = append(around, t.slots()...)
		for i := range t {
			said[t[i].low] = true
			if v, n := t.numberInWords(i); n > 0 {
				said[fmt.Sprint(v)] = true
			}
		}
	}
	one := func(list []slot, s *slot) bool {
		return !slices.ContainsFunc(list, func(o slot) bool { return o.sameAs(s) && o.value != s.value })
	}
	for i := range mine {
		for k := range theirs {
			a, b := &mine[i], &theirs[k]
			if a.sameAs(b) && a.value != b.value && !said[a.value] && one(mine, a) && one(around, b) {
				reasons = append(reasons, fmt.Sprintf("the finding says %s, the report %s", a.text, b.text))
			}
		}
	}
	return reasons
}
