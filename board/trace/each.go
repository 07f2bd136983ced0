package trace

import (
	"math"
	"slices"
	"strings"

	"blackboard/board/words"
)

// This file reads figures that are so much for each of something, and calculates with them.

// each reads what a figure is so much for one of: €1.85 per kilogram, 9 t/ha, 12 a head.
func (a *amount) each(s *words.Scanner) {
	end := max(a.end, s.Lexemes[a.last].End)
	next := a.last + 1
	for k := a.first + 1; k < len(s.Lexemes) && s.Lexemes[k].Start == s.Lexemes[a.first].Start; k++ {
		if l := &s.Lexemes[k]; strings.Contains(s.Surface(*l), "/") { // 84.30/MWh
			a.perUnit(l)
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
		if !eachWords()[l.Plain] || !s.Near(before, *l, "") || next+1 >= len(s.Lexemes) ||
			!s.Near(*l, s.Lexemes[next+1], "") {
			return
		}
		next++
	}
	if l := &s.Lexemes[next]; l.Start-end <= 24 {
		a.perUnit(l)
	}
}

func (a *amount) perUnit(l *words.Lexeme) {
	if dim, of, ok := words.Unit(l.Plain); ok && dim != "point" {
		a.per, a.perOf = dim, of
	} else if content(l) {
		a.per, a.perOf = l.Keys[0], 1
	}
}

// perEach is what a figure is for one of if the text does not say of what: 38,000 each.
const perEach = "each"

var eachWords = lazySet("per a an each every")

// ofEach reports whether a figure is so much for each of so many, or the whole by its
// parts: 41 hours at €16.40 an hour, 9.1 t/ha on 19.5 ha.
func (a *amount) ofEach(x, y *amount) bool {
	fits := func(per string, y *amount) bool {
		switch {
		case per == perEach:
			return y.dim == "" && y.value >= 2 && y.value == math.Trunc(y.value)
		case strings.HasPrefix(per, "w:"):
			return y.dim == "" && slices.Contains(y.nouns[:], per)
		}
		return per != "" && y.dim == per
	}
	switch {
	case a.per == "" && y.per == "" && fits(x.per, y):
		return a.near(x.value * y.value / x.perOf)
	case a.per != "" && x.per == "" && y.per == "" && fits(a.per, y):
		return a.near(x.value / y.value * a.perOf)
	}
	return false
}

// sameRate reports whether a figure is another one for another unit: €1.85 a kilogram,
// 1,850 a tonne.
func (a *amount) sameRate(x *amount) bool {
	return a.per != "" && x.per == a.per && x.dim == a.dim && x.perOf != a.perOf &&
		a.near(x.value/x.perOf*a.perOf)
}
