package words

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// This file reads fractions and dozens: three quarters, half an hour, a dozen, one and a
// half.

// denominator returns what the word of a fraction divides by, or 0.
func denominator(w string) int64 {
	switch strings.TrimSuffix(w, "s") {
	case "half", "halve":
		return 2
	case "third":
		return 3
	case "quarter", "fourth":
		return 4
	case "fifth":
		return 5
	case "eighth":
		return 8
	case "tenth":
		return 10
	}
	return 0
}

var vulgar = [...][2]string{{"½", "5"}, {"¼", "25"}, {"¾", "75"}}

// readFractions reads what words say of parts and dozens: three quarters, half an hour, a
// dozen, one and a half hours. What stands for a number beyond doubt becomes one; the
// others are hints.
func (s *Scanner) readFractions() {
	at := func(i int) *Lexeme {
		if i >= 0 && i < len(s.Lexemes) {
			return &s.Lexemes[i]
		}
		return &Lexeme{Kind: Part, Start: len(s.Text) + 1, End: len(s.Text) + 1}
	}
	for i := range s.Lexemes {
		l := &s.Lexemes[i]
		if value, ok := l.value(); ok && l.Kind == Number && Digits(value) {
			for _, v := range vulgar { // 1½
				if strings.HasPrefix(s.Text[l.End:], v[0]) {
					key := "n:" + value + "." + v[1]
					l.End += len(v[0])
					l.Keys, l.Want = []string{key}, []string{key}
				}
			}
		}
		if l.Kind != Word {
			continue
		}
		before := at(i - 1)
		count, counts := before.value()
		near := i > 0 && s.Near(*before, *l, "-")
		article := near && (before.Plain == "a" || before.Plain == "an")
		switch w := l.Plain; {
		case w == "noon" || w == "midday":
			l.addKeys("t:12:00")
		case w == "midnight":
			l.addKeys("t:00:00", "t:24:00")
		case w == "dozen" && near && counts:
			s.replaceCount(before, l, count, 12, 1)
		case w == "dozen" && article && at(i-2).Plain == "half":
			s.replaceCount(at(i-2), l, "6", 1, 1)
		case w == "dozen" && article:
			s.replaceCount(before, l, "12", 1, 1)
		case denominator(w) > 0:
			s.fraction(i, at)
		case article && numerals()[w].cardinal && numerals()[w].scale > 0: // a hundred
			l.addKeys("n:" + decimal("1", numerals()[w].scale))
		case article || near && before.Plain == "one":
			if u, ok := counted(w); ok && len(w) > 3 { // an hour
				l.addKeys(u.keys("1")...)
			}
		}
	}
}

// replaceCount makes one number of the lexemes from one to another: so many times of/by.
func (s *Scanner) replaceCount(first, last *Lexeme, count string, of, by int64) {
	v, ok := new(big.Rat).SetString(count)
	if !ok {
		return
	}
	v.Mul(v, big.NewRat(of, by))
	key := "n:" + decimal(v.FloatString(3), 0)
	first.addKeys(key)
	first.Kind, first.Want, first.End, last.Kind = Number, []string{key}, last.End, Part
	first.Plain = key[2:]
}

// fraction reads the fraction whose denominator lexeme i is.
func (s *Scanner) fraction(i int, at func(int) *Lexeme) {
	l, before := &s.Lexemes[i], at(i-1)
	by := denominator(l.Plain)
	first, n := l, int64(1)
	if i > 0 && s.Near(*before, *l, "-") {
		if count, ok := before.value(); ok {
			if n, _ = strconv.ParseInt(count, 10, 64); n < 1 || n >= by {
				return
			}
			first = before
		} else if s.readHourAndHalf(i, by, at) {
			return
		} else if and := at(i - 2); before.Plain == "a" && and.Plain == "and" { // one and a half
			if count, ok := at(i - 3).value(); ok && Digits(count) && by == 2 {
				for k := i - 2; k < i; k++ {
					s.Lexemes[k].Kind = Part
				}
				end := l
				value := count + ".5"
				// million
				if scale := scaleOf(at(i + 1).Plain); scale > 0 && s.Near(*l, *at(i + 1), "") {
					l.Kind = Part
					value, end = decimal(value, scale), at(i+1)
				}
				s.replaceCount(at(i-3), end, value, 1, 1)
				return
			}
		}
	}
	if numerals()[l.Plain].ordinal > 0 && first == l && before.Plain != "a" {
		return // the third of March
	}
	if n == 1 && s.readPastHour(first, i, by, at) {
		return
	}
	value := big.NewRat(n, by)
	j := i + 1
	if at(j).Plain == "of" {
		j++
	}
	if w := at(j).Plain; w == "an" || w == "a" { // half an hour
		if scale := scaleOf(at(j + 1).Plain); scale > 0 { // half a million
			s.replaceCount(first, at(j+1), decimal(value.FloatString(3), scale), 1, 1)
			for k := i + 1; k <= j; k++ {
				s.Lexemes[k].Kind = Part
			}
			if l != first {
				l.Kind = Part
			}
			return
		}
		if u, ok := counted(at(j + 1).Plain); ok {
			keys := u.keys(value.RatString())
			first.Kind, first.Want, first.End = Number, keys, s.Lexemes[j+1].End
			first.addKeys(keys...)
			for k := i + 1; k <= j+1; k++ {
				s.Lexemes[k].Kind = Part
			}
			if l != first {
				l.Kind = Part
			}
			return
		}
	}
	keys := percentages(value, by != 8)
	first.addKeys(keys...)
	if n > 1 && first.Kind == Word { // "a quarter" may be of a year
		first.Kind, first.Want, first.End, l.Kind = Number, keys, l.End, Part
	}
}

// percentages are the keys of a share as a percentage, by how exactly it is written.
func percentages(share *big.Rat, whole bool) (keys []string) {
	percent := new(big.Rat).Mul(share, big.NewRat(100, 1))
	for places := range 3 {
		key := "p:" + decimal(percent.FloatString(places), 0)
		if !slices.Contains(keys, key) && (places > 0 || whole) {
			keys = append(keys, key)
		}
	}
	return keys
}

// readHourAndHalf reads the half after a unit: an hour and a half, two years and a half.
func (s *Scanner) readHourAndHalf(i int, by int64, at func(int) *Lexeme) bool {
	if by != 2 && by != 4 || at(i-1).Plain != "a" || at(i-2).Plain != "and" {
		return false
	}
	u, ok := counted(at(i - 3).Plain)
	count := at(i - 4)
	if !ok || at(i-3).Kind == Number || !s.Near(*count, *at(i - 3), "") {
		return false
	}
	value, isNumber := count.value()
	if count.Plain == "a" || count.Plain == "an" {
		value, isNumber = "1", true
	}
	whole, ok := new(big.Rat).SetString(value)
	if !isNumber || !ok {
		return false
	}
	keys := u.keys(whole.Add(whole, big.NewRat(1, by)).RatString())
	count.addKeys(keys...)
	count.Kind, count.Want, count.End = Number, keys, s.Lexemes[i].End
	for k := i - 3; k <= i; k++ {
		s.Lexemes[k].Kind = Part
	}
	return true
}
