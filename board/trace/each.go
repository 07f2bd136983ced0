package trace

import (
	"math"
	"slices"
	"strings"

	"blackboard/board/words"
)

// This file reads figures that are so much for each of something, and calculates with
// them.

// readPer reads what a figure is a rate of: €1.85 per kilogram, 9 t/ha, 12 a head.
func (a *amount) readPer(s *words.Scanner) {
	end := max(a.end, s.Lexemes[a.last].End)
	next := a.last + 1
	for k := a.first + 1; k < len(s.Lexemes) &&
		s.Lexemes[k].Start == s.Lexemes[a.first].Start; k++ {
		if l := &s.Lexemes[k]; strings.Contains(s.Surface(*l), "/") { // 84.30/MWh
			a.setPer(l, nil)
			return
		}
	}
	slash := strings.HasPrefix(strings.TrimLeft(s.Text[end:min(len(s.Text), end+3)], " "), "/")
	if next >= len(s.Lexemes) {
		return
	}
	before := words.Lexeme{Start: a.start, End: end}
	if l := &s.Lexemes[next]; !slash {
		if (l.Plain == "each" || l.Plain == "apiece") && s.Near(before, *l, "") {
			a.per, a.perOf = perEach, 1
			return
		}
		if l.Plain == "for" && next+1 < len(s.Lexemes) && s.Near(before, *l, "") &&
			eachWords()[s.Lexemes[next+1].Plain] { // for a kilogram
			next, before.End = next+1, l.End
			l = &s.Lexemes[next]
		}
		if !eachWords()[l.Plain] || !s.Near(before, *l, "") || next+1 >= len(s.Lexemes) ||
			!s.Near(*l, s.Lexemes[next+1], "") {
			return
		}
		next++
	}
	if l := &s.Lexemes[next]; l.Start-end <= 24 {
		var after *words.Lexeme
		if next+1 < len(s.Lexemes) && s.Near(*l, s.Lexemes[next+1], "") {
			after = &s.Lexemes[next+1]
		}
		a.setPer(l, after)
	}
}

// setPer sets what a figure is a rate of, kilogram for 2 per kilogram, from that word and the one behind it.
func (a *amount) setPer(l, next *words.Lexeme) {
	if dim, of, ok := words.Unit(l.Plain); ok && dim != "point" {
		a.per, a.perOf = dim, of
	} else if m, ok := coin(l.Plain); ok && m.dim != "length" && m.of == 1 {
		a.per, a.perOf = m.dim, 1
	} else if isContentWord(l) {
		a.per, a.perOf = l.Keys[0], 1
		if next != nil && next.Kind == words.Word && isContentWord(next) {
			a.perToo = next.Keys[0]
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
		case strings.HasPrefix(rate.per, "w:"):
			return y.dim == "" && (slices.Contains(y.nouns[:], rate.per) ||
				rate.perToo != "" && slices.Contains(y.nouns[:], rate.perToo))
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
func eachBefore(s *words.Scanner, i int) string {
	if i > 2 && s.Lexemes[i-1].Plain == "of" && isContentWord(&s.Lexemes[i-2]) &&
		s.Lexemes[i-3].Kind == words.Number { // 3 shifts of 8 nurses
		return s.Lexemes[i-2].Keys[0]
	}
	noun := perEach
	for k := i - 1; k >= max(0, i-8); k-- {
		end := s.Lexemes[k].End
		if strings.ContainsAny(s.Text[end:max(end, s.Lexemes[k+1].Start)], ".;:\n") {
			return ""
		}
		l := &s.Lexemes[k]
		if l.Plain == "each" || l.Plain == "every" {
			return noun
		}
		if l.Kind == words.Word && isContentWord(l) {
			noun = l.Keys[0]
		}
	}
	return ""
}

// sameRate reports whether a figure is another one for another unit: €1.85 a kilogram,
// 1,850 a tonne.
func (a *amount) sameRate(x *amount) bool {
	return a.per != "" && x.per == a.per && x.dim == a.dim && x.perOf != a.perOf &&
		a.near(x.value/x.perOf*a.perOf)
}
