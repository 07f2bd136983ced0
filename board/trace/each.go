package trace

import (
	"math"
	"slices"
	"strings"

	"blackboard/board/claims/parse"
	"blackboard/board/words"
)

// This file reads figures that are so much for each of something, and calculates with
// them.

// readPer reads what a figure is a rate of: €1.85 per kilogram, 9 t/ha, 12 a head. after is what
// follows it.
func (a *amount) readPer(q *parse.Quantity, after string) {
	if q.Per != "" {
		a.setPer(q.Per, "")
		return
	}
	slash := strings.HasPrefix(strings.TrimLeft(after, " "), "/")
	all := words.Split(strings.TrimLeft(after[:min(len(after), 60)], " /"), "")
	if !slash && strings.ContainsAny(after[:min(len(after), 12)], ",;:.") {
		return
	}
	if len(all) > 0 && (all[0] == "each" || all[0] == "apiece") {
		a.per, a.perOf = perEach, 1
		return
	}
	if len(all) > 0 && all[0] == "for" {
		all = all[1:]
	}
	if !slash && len(all) > 1 && eachWords()[all[0]] {
		all = all[1:]
	} else if !slash {
		return
	}
	if len(all) > 0 {
		a.setPer(all[0], strings.Join(all[1:min(len(all), 2)], ""))
	}
}

// setPer sets what a figure is a rate of, kilogram for 2 per kilogram, from that word and the one behind it.
func (a *amount) setPer(word, next string) {
	if dim, of := parse.UnitOf(strings.ToLower(word)); dim == "months" {
		a.per, a.perOf = "time", of*365*day/12
	} else if dim != "" && dim != "points" {
		a.per, a.perOf = dim, of
	} else if code := parse.CurrencyOf(word); code != "" {
		a.per, a.perOf = code, 1
	} else if len(word) > 2 && !functionWords()[word] {
		a.per, a.perOf = parse.Stem(word), 1
		if len(next) > 2 && !functionWords()[next] {
			a.perToo = parse.Stem(next)
		}
	}
}

// perEach is the value of amount.per if the text does not say of what the figure is a rate: 38,000 each.
const perEach = "each"

var eachWords = lazySet("per a an each every")

// ofEach reports whether a figure follows from a rate: it is the rate times a number, the
// rate as a whole by its parts, or the number of parts of a whole: 41 hours at €16.40 an hour, 9.1 t/ha on 19.5
// ha.
func (a *amount) ofEach(x, y *amount) bool {
	fits := func(rate, y *amount) bool {
		switch {
		case rate.per == perEach:
			return a.operand().said && y.dim == "" && y.value >= 2 && y.value == math.Trunc(y.value)
		case rate.per != "" && y.dim == "":
			return slices.Contains(y.nouns[:], rate.per) ||
				rate.perToo != "" && slices.Contains(y.nouns[:], rate.perToo)
		}
		return rate.per != "" && y.dim == rate.per
	}
	switch {
	case x.dim != a.dim:
		return x.per == "" && a.per == "" && x.dim != "" && x.dim == y.dim && a.digits > 1 &&
			fits(y, a) && a.near(x.value/y.value*y.perOf)
	case a.per != x.per && y.per == "" && fits(x, y):
		return a.near(x.value * y.value / x.perOf)
	case a.per != "" && x.per == "" && y.per == "" && fits(a, y):
		return a.near(x.value / y.value * a.perOf)
	}
	return false
}

// inEach reports whether a figure is the product of what each of some has and how many these are.
func (a *amount) inEach(x, y *amount) bool {
	if x.operand().ofMany == "" || x.operand().ofMany != perEach && y.nouns[0] != "" &&
		!slices.Contains(y.nouns[:], x.operand().ofMany) {
		return false
	}
	return y.dim == "" && y.value > 1 && a.digits > 1 && y.value == math.Trunc(y.value) &&
		(a.dim != "" || alike(a, x)) && a.near(x.value*y.value)
}

// eachBefore returns the key of what each of some has a figure of, by the words before
// it: each of the five nodes has 32 cores. It is perEach if they do not say of what, ""
// if none has.
func eachBefore(before string) string {
	before = before[strings.LastIndexAny(before, ".;:")+1:]
	all := words.Split(before, "")
	n := len(all)
	if n > 2 && all[n-1] == "of" && parse.IsNumber(all[n-3]) { // 3 shifts of 8 nurses
		return parse.Stem(all[n-2])
	}
	noun := perEach
	for k := n - 1; k >= max(0, n-8); k-- {
		if all[k] == "each" || all[k] == "every" {
			return noun
		}
		if len(all[k]) > 2 && !functionWords()[all[k]] && !parse.IsNumber(all[k]) {
			noun = parse.Stem(all[k])
		}
	}
	return ""
}

// sameRate reports whether a figure is another one for another unit: $25 a month,
// $300 a year.
func (a *amount) sameRate(x *amount) bool {
	return a.per != "" && x.per == a.per && x.dim == a.dim && x.perOf != a.perOf &&
		a.near(x.value/x.perOf*a.perOf)
}
