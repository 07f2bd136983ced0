package words

import (
	"math/big"
	"slices"
	"strconv"
)

// This file reads units and shares that have further spellings: m² and square metres,
// cents, one in four.

// powered reads a unit of areas or volumes at j, and where it ends: m², square metres,
// sq m.
func (s *Scanner) powered(j int) (u unit, last int, ok bool) {
	w := s.Lexemes[j].Plain
	if u, ok = units()[w]; ok && (u.dim == "area" || u.dim == "volume") {
		return u, j, true
	}
	suffix := ""
	switch w {
	case "square", "sq":
		suffix = "2"
	case "cubic", "cu":
		suffix = "3"
	}
	if suffix == "" || j+1 >= len(s.Lexemes) || !s.Near(s.Lexemes[j], s.Lexemes[j+1], ".") {
		return unit{}, j, false
	}
	name := ""
	switch s.Lexemes[j+1].Plain {
	case "m", "metre", "meter", "metres", "meters":
		name = "m"
	case "km", "kilometre", "kilometer", "kilometres", "kilometers":
		name = "km"
	}
	u, ok = units()[name+suffix]
	return u, j + 1, ok && name != ""
}

// readMetres adds the reading of a bare m after a number, which is a million as often, and reports whether it did.
func (s *Scanner) readMetres(l *Lexeme, value string, j int) bool {
	next := &s.Lexemes[j]
	if l.Kind != Number || next.Kind != Word || s.Surface(*next) != "m" || next.Start == l.Start ||
		!s.Near(*l, *next, "-") || s.hasCurrencyBefore(l.Start) {
		return false
	}
	metre := units()["metre"]
	keys := metre.keys(value)
	l.addKeys(keys...)
	l.Want = append(l.Want[:len(l.Want):len(l.Want)], keys...)
	return true
}

// cents adds the reading of cents in the unit of the currency.
func (s *Scanner) cents(l *Lexeme, value string, j int) {
	switch s.Lexemes[j].Plain {
	case "cent", "cents", "pence":
	default:
		return
	}
	v, ok := new(big.Rat).SetString(value)
	if !ok || !s.Near(*l, s.Lexemes[j], "") {
		return
	}
	key := "n:" + decimal(v.Quo(v, big.NewRat(100, 1)).FloatString(4), 0)
	l.Keys = append([]string{key}, l.Keys...) // the last is as it is written
	if l.Kind == Number {
		l.Want = append(l.Want[:len(l.Want):len(l.Want)], key)
	}
}

// power is the digit of a power that is written above: 2 of m².
func power(r rune) rune {
	switch r {
	case '²':
		return '2'
	case '³':
		return '3'
	}
	return 0
}

// readChances reads so many in, or out of, so many: one in four, 14 out of 37, one truck in
// ten. It answers to the percentage.
func (s *Scanner) readChances() {
	for i := range s.Lexemes {
		l := &s.Lexemes[i]
		if l.Kind != Number && l.Kind != Word || len(l.Keys) == 0 || len(l.Want) > 1 {
			continue
		}
		part, ok := l.smallNumber()
		if !ok {
			continue
		}
		for j := i + 1; j <= min(i+3, len(s.Lexemes)-1); j++ {
			in := &s.Lexemes[j]
			if j > i+1 && in.Plain == "of" || !s.Near(s.Lexemes[j-1], *in, "") {
				break
			}
			if in.Plain != "in" && in.Plain != "out" && in.Plain != "of" {
				continue
			}
			k := j + 1
			for k < len(s.Lexemes) &&
				slices.Contains([]string{"of", "every", "the"}, s.Lexemes[k].Plain) {
				k++
			}
			if k >= len(s.Lexemes) || in.Plain == "in" && (s.Lexemes[k-1].Plain == "of" ||
				s.Lexemes[k-1].Plain == "the") ||
				!s.Near(s.Lexemes[k-1], s.Lexemes[k], "") {
				break
			}
			all, ok := s.Lexemes[k].smallNumber()
			if !ok || part >= all || in.Plain == "in" && s.Lexemes[k].Kind != l.Kind {
				break
			}
			keys := percentages(big.NewRat(part, all), true)
			l.addKeys(keys...)
			if l.Kind == Number && in.Plain != "of" { // each of both is there, or the share
				l.Want = append(l.Want[:1:1], keys...)
				s.Lexemes[k].Want = append(s.Lexemes[k].Want[:1:1], keys...)
			}
			break
		}
	}
}

// smallNumber returns the whole number from 1 to 999 that a lexeme is, without a scale such as million, if it is one.
func (l *Lexeme) smallNumber() (int64, bool) {
	value, ok := l.value()
	if !ok || len(value) > 3 || !Digits(value) || l.scale > 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(value, 10, 64)
	return n, err == nil && n > 0
}
