package words

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file joins numbers that are written in several words: "4.5 million", "15
// percent", "March 23, 2026", "one million five hundred thousand".

// Near reports whether only blanks, emphasis and the extra characters stand between two
// lexemes: they may form one number. A line may end between them, a paragraph may not.
func (s *Scanner) Near(a, b Lexeme, extra string) bool {
	if b.Start < a.End {
		return b.Start == a.Start // parts of one chunk
	}
	gap := s.Text[a.End:b.Start]
	return len(gap) <= 12 && strings.Count(gap, "\n") <= 1 &&
		strings.Trim(gap, " \t\r\n\u00a0\u202f\u2009*_`"+extra) == ""
}

// hasPercent reports whether a percent sign follows a place in the text.
func (s *Scanner) hasPercent(at int) bool {
	rest := strings.TrimLeft(s.Text[at:min(len(s.Text), at+8)], " \u00a0\u202f\u2009*_`\\")
	return strings.HasPrefix(rest, "%") || strings.HasPrefix(rest, "％")
}

// join makes the second pass: numbers that are written in several words. The words
// stay, as parts.
func (s *Scanner) join() {
	at := func(i int) Lexeme {
		if i >= 0 && i < len(s.Lexemes) {
			return s.Lexemes[i]
		}
		return Lexeme{Start: len(s.Text) + 1, End: len(s.Text) + 1}
	}
	for i := range s.Lexemes {
		l := &s.Lexemes[i]
		if l.Kind == Word {
			if m := numerals()[l.Plain].month; m > 0 && s.Capital(*l) {
				s.monthDate(i, m, at)
			}
			continue
		}
		if l.Kind != Number || len(l.Keys) != 1 || l.Keys[0][0] != 'n' && l.Keys[0][0] != 't' {
			continue
		}
		j := i + 1
		next := at(j)
		if l.Keys[0][0] == 't' {
			// 2:17 p.m.
			if half := strings.ReplaceAll(next.Plain, ".", ""); (half == "am" || half == "pm" ||
				half == "a" || half == "p") && s.Near(*l, next, "") {
				if key := clock(l.Plain, half[:1]+"m"); key != "" {
					l.Keys, l.Want = []string{key}, []string{key}
				}
			}
			continue
		}
		if next.Kind == Pair && next.Start == l.End {
			s.cjkNumber(i, at)
			continue
		}
		value := l.Keys[0][2:]
		if scale := scaleOf(next.Plain); scale > 0 && next.Kind == Word && s.Near(*l, next, "-") &&
			(len(next.Plain) > 1 && next.Plain != "mm" || s.hasCurrencyBefore(l.Start)) {
			value = decimal(value, scale)
			s.Lexemes[i+1].Kind = Part
			l.Keys, l.Want = []string{"n:" + value}, []string{"n:" + value}
			l.End, l.scale = next.End, scale
			j++
			next = at(j)
		}
		switch {
		case s.hasPercent(l.End):
		case next.Kind == Word && (next.Plain == "percent" || next.Plain == "pct") &&
			s.Near(*l, next, "-()"):
			s.Lexemes[j].Kind = Part
		case next.Kind == Word && next.Plain == "per" && s.Near(*l, next, ""):
			if cent := at(j + 1); cent.Plain != "cent" || !s.Near(next, cent, "") {
				continue
			}
			s.Lexemes[j].Kind, s.Lexemes[j+1].Kind = Part, Part
		default:
			continue
		}
		l.Keys, l.Want = []string{"p:" + value}, []string{"p:" + value}
	}
}

func (s *Scanner) hasCurrencyBefore(at int) bool {
	before := strings.TrimRight(s.Text[max(0, at-8):at], " *_`")
	r, _ := utf8.DecodeLastRuneInString(before)
	if unicode.Is(unicode.Sc, r) {
		return true
	}
	return len(before) >= 3 && before == s.Text[max(0, at-8):at][:len(before)] &&
		isCurrency(before[len(before)-3:])
}

func isCurrency(code string) bool {
	switch code {
	case "USD", "EUR", "GBP", "CHF", "CAD", "AUD", "JPY", "CNY", "INR":
		return true
	}
	return false
}

// monthDate turns the month at place i, and the day and year around it, into a date.
func (s *Scanner) monthDate(i, month int, at func(int) Lexeme) {
	num := func(l Lexeme, limit int) int { // the value of a day or year, or 0
		if n := numerals()[l.Plain].ordinal; n > 0 && l.Kind == Word && n <= limit {
			return n // the fifth of June
		}
		if l.Kind != Number || len(l.Keys) != 1 || l.Keys[0][0] != 'n' && l.Keys[0][0] != 'o' {
			return 0
		}
		n, err := strconv.Atoi(l.Keys[0][2:])
		if err != nil || n > limit {
			return 0
		}
		return n
	}
	year := func(l Lexeme) int {
		if y := num(l, 2199); y >= 1500 {
			return y
		}
		return 0
	}
	m := s.Lexemes[i]
	first, last := i, i
	var y, d, second int // the second day of a range
	next := at(i + 1)
	short := "" // the mark of an abbreviated month; after another it ends a sentence
	if len(m.Plain) < 5 {
		short = "."
	}
	if n := num(next, 31); n > 0 && s.Near(m, next, short) { // March 23rd, 2026
		// A list such as "March 10 employees" is read as a date: the text then only
		// answers to more.
		d, last = n, i+1
		if j := s.rangeEnd(last); j > 0 && num(at(j), 31) > n { // March 12 to 14
			second, last = num(at(j), 31), j
		}
		next = at(last + 1)
		if n := year(next); n > 0 && s.Near(s.Lexemes[last], next, ",") {
			y, last = n, last+1
		}
	} else { // 23 March 2026, 23rd of March 2026, March 2026
		prev, j := at(i-1), i-1
		if prev.Kind == Word && prev.Plain == "of" && s.Near(prev, m, "") {
			prev, j = at(i-2), i-2
		}
		if n := num(prev, 31); n > 0 && s.Near(prev, at(j+1), ".") {
			d, first = n, j
			// 12 to 14 March
			if k := s.rangeStart(j); k >= 0 && num(at(k), 31) > 0 && num(at(k), 31) < n {
				d, second, first = num(at(k), 31), n, k
			}
		}
		if n := year(next); n > 0 && s.Near(m, next, short+",") {
			y, last = n, i+1
		}
	}
	keys := date(y, month, d)
	if keys == nil {
		return
	}
	for j := first; j <= last; j++ {
		if s.Lexemes[j].Kind == Number {
			keys = append(keys, s.Lexemes[j].Keys...) // the text still answers to its day and year
		}
		s.Lexemes[j].Kind = Part
	}
	s.Lexemes[first].Kind = Number
	if first == i {
		keys = append(keys, m.Keys...)
	}
	s.Lexemes[first].Keys, s.Lexemes[first].Want = keys, keys[:1:1]
	s.Lexemes[first].End = s.Lexemes[last].End
	if more := date(y, month, second); second > 0 && more != nil {
		l := &s.Lexemes[last] // which is the month, the year or the second day
		l.Kind, l.Keys, l.Want = Number, append(more, l.Keys...), more[:1:1]
	}
}

// rangeEnd returns the number that a range ends with which begins with lexeme i, or 0.
func (s *Scanner) rangeEnd(i int) int {
	j := i + 1
	if j < len(s.Lexemes) && s.Lexemes[j].Kind == Word &&
		slices.Contains(rangeWords, s.Lexemes[j].Plain) && s.Near(s.Lexemes[i], s.Lexemes[j], "") {
		j++
	}
	if j >= len(s.Lexemes) || s.Lexemes[j].Kind != Number || j == i+1 &&
		s.Lexemes[j].Start > s.Lexemes[i].End+1 && !s.hasDash(i, j) ||
		!s.Near(s.Lexemes[j-1], s.Lexemes[j], "-‐‑–—") {
		return 0
	}
	return j
}

// rangeStart returns the number that a range begins with which ends with lexeme j, or
// -1.
func (s *Scanner) rangeStart(j int) int {
	for _, i := range []int{j - 1, j - 2} {
		if i >= 0 && s.Lexemes[i].Kind == Number && s.rangeEnd(i) == j {
			return i
		}
	}
	return -1
}

// hasDash reports whether a dash stands between two lexemes.
func (s *Scanner) hasDash(i, j int) bool {
	return strings.ContainsAny(s.Text[s.Lexemes[i].End:s.Lexemes[j].Start], "-‐‑–—")
}

// cjkNumber reads 450万 and 2026年3月23日 at place i.
func (s *Scanner) cjkNumber(i int, at func(int) Lexeme) {
	l := &s.Lexemes[i]
	unit := string(firstRune(s.Text[l.End:]))
	if scale := scaleOf(unit); scale > 0 {
		key := "n:" + decimal(l.Keys[0][2:], scale)
		l.Keys, l.Want = []string{key}, []string{key}
		return
	}
	if unit != "年" {
		return
	}
	f := []int{0, 0, 0}
	j := i
	for k, mark := range []string{"年", "月", "日"} {
		n := at(j)
		if n.Kind != Number || len(n.Keys) != 1 ||
			!strings.HasPrefix(s.Text[min(len(s.Text), n.End):], mark) {
			break
		}
		v, err := strconv.Atoi(strings.TrimPrefix(n.Keys[0], "n:"))
		if err != nil {
			break
		}
		f[k] = v
		if k > 0 {
			s.Lexemes[j].Kind = Part
		}
		if j+1 < len(s.Lexemes) && s.Surface(s.Lexemes[j+1]) == mark {
			s.Lexemes[j+1].Kind = Part
		}
		j += 2
	}
	if keys := date(f[0], f[1], f[2]); keys != nil {
		l.Want = keys[:1:1]
		l.Keys = append(keys, l.Keys...)
	}
}

// Capital reports whether a lexeme begins with a letter in upper case.
func (s *Scanner) Capital(l Lexeme) bool { return unicode.IsUpper(firstRune(s.Text[l.Start:])) }

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// spell makes the third pass: number words. Several of them, or a percentage, count as
// a number; a single one is only a hint, since "two" and "one" are often just words.
func (s *Scanner) spell() {
	for i := 0; i < len(s.Lexemes); i++ {
		l := &s.Lexemes[i]
		if l.Kind != Word {
			continue
		}
		n := numerals()[l.Plain]
		if n.ordinal > 0 {
			l.Keys = append(l.Keys, "o:"+strconv.Itoa(n.ordinal))
			if n.ordinal <= 4 && i+1 < len(s.Lexemes) && s.Lexemes[i+1].Plain == "quarter" &&
				s.Near(*l, s.Lexemes[i+1], "") {
				l.Keys = append(l.Keys, "i:q"+strconv.Itoa(n.ordinal))
			}
			continue
		}
		if !n.cardinal {
			continue
		}
		words := []string{l.Plain}
		for j := i + 1; j < len(s.Lexemes) && j < i+16 && s.Lexemes[j].Kind == Word &&
			s.Near(s.Lexemes[j-1], s.Lexemes[j], "-"); j++ {
			words = append(words, s.Lexemes[j].Plain)
		}
		value, used := spelled(words)
		if used == 0 {
			continue
		}
		last := i + used - 1
		key := "n:" + strconv.FormatInt(value, 10)
		isPercent := s.hasPercent(s.Lexemes[last].End) || used < len(words) &&
			words[used] == "percent" ||
			used+1 < len(words) && words[used] == "per" && words[used+1] == "cent"
		if isPercent {
			key = "p:" + strconv.FormatInt(value, 10)
		}
		if used == 1 && !isPercent {
			l.Keys = append(l.Keys, key)
			continue
		}
		for j := i; j <= last; j++ {
			s.Lexemes[j].Kind = Part
		}
		l.Kind, l.Want, l.End = Number, []string{key}, s.Lexemes[last].End
		l.Keys = append(l.Keys, key)
		i = last
	}
}
