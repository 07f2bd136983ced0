package board

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file joins what is written in several words: "4.5 million", "15 percent", "March 23, 2026", "one million five hundred thousand".

// near reports whether only blanks, emphasis and the extra characters stand between two lexemes: they may form one number. A line may
// end between them, a paragraph may not.
func (s *scanner) near(a, b lexeme, extra string) bool {
	if b.start < a.end {
		return b.start == a.start && b.end == a.end // parts of one chunk
	}
	gap := s.text[a.end:b.start]
	return len(gap) <= 12 && strings.Count(gap, "\n") <= 1 && strings.Trim(gap, " \t\r\n\u00a0*_`"+extra) == ""
}

// percent reports whether a percent sign follows a place in the text.
func (s *scanner) percent(at int) bool {
	rest := strings.TrimLeft(s.text[at:min(len(s.text), at+8)], " \u00a0*_`\\")
	return strings.HasPrefix(rest, "%") || strings.HasPrefix(rest, "％")
}

// join makes the second pass: numbers that are written in several words. The words stay, as parts.
func (s *scanner) join() {
	at := func(i int) lexeme {
		if i >= 0 && i < len(s.out) {
			return s.out[i]
		}
		return lexeme{start: len(s.text) + 1, end: len(s.text) + 1}
	}
	for i := range s.out {
		l := &s.out[i]
		if l.kind == lexWord {
			if m := months[l.plain]; m > 0 && unicode.IsUpper(firstRune(s.text[l.start:])) {
				s.monthDate(i, m, at)
			}
			continue
		}
		if l.kind != lexNumber || len(l.keys) != 1 || l.keys[0][0] != 'n' && l.keys[0][0] != 't' {
			continue
		}
		next := at(i + 1)
		if l.keys[0][0] == 't' {
			// 2:17 p.m.
			if half := strings.ReplaceAll(next.plain, ".", ""); (half == "am" || half == "pm" || half == "a" || half == "p") && s.near(*l, next, "") {
				if key := clock(l.plain, half[:1]+"m"); key != "" {
					l.keys, l.want = []string{key}, []string{key}
				}
			}
			continue
		}
		if next.kind == lexPair && next.start == l.end {
			s.cjkNumber(i, at)
			continue
		}
		value := l.keys[0][2:]
		if scale := scales[next.plain]; scale > 0 && next.kind == lexWord && s.near(*l, next, "-") && (len(next.plain) > 1 || s.currencyBefore(l.start)) {
			value = decimal(value, scale)
			s.out[i+1].kind = lexPart
			l.keys, l.want = []string{"n:" + value}, []string{"n:" + value}
			l.end = next.end
			next = at(i + 2)
		}
		switch {
		case s.percent(l.end):
		case next.kind == lexWord && (next.plain == "percent" || next.plain == "pct") && s.near(*l, next, "-()"):
			s.out[next.index(s.out, i)].kind = lexPart
		case next.kind == lexWord && next.plain == "per" && s.near(*l, next, ""):
			j := next.index(s.out, i)
			if cent := at(j + 1); cent.plain != "cent" || !s.near(next, cent, "") {
				continue
			}
			s.out[j].kind, s.out[j+1].kind = lexPart, lexPart
		default:
			continue
		}
		l.keys, l.want = []string{"p:" + value}, []string{"p:" + value}
	}
}

// index finds a lexeme after place i; it is at most two places on.
func (l lexeme) index(all []lexeme, i int) int {
	for j := i + 1; j < len(all) && j <= i+2; j++ {
		if all[j].start == l.start && all[j].plain == l.plain {
			return j
		}
	}
	return i + 1
}

func (s *scanner) currencyBefore(at int) bool {
	before := strings.TrimRight(s.text[max(0, at-8):at], " *_`")
	r, _ := utf8.DecodeLastRuneInString(before)
	if unicode.Is(unicode.Sc, r) {
		return true
	}
	return len(before) >= 3 && before == s.text[max(0, at-8):at][:len(before)] && isCurrency(before[len(before)-3:])
}

func isCurrency(code string) bool {
	switch code {
	case "USD", "EUR", "GBP", "CHF", "CAD", "AUD", "JPY", "CNY", "INR":
		return true
	}
	return false
}

// monthDate turns the month at place i, and the day and year around it, into a date.
func (s *scanner) monthDate(i, month int, at func(int) lexeme) {
	num := func(l lexeme, limit int) int { // the value of a day or year, or 0
		if l.kind != lexNumber || len(l.keys) != 1 || l.keys[0][0] != 'n' && l.keys[0][0] != 'o' {
			return 0
		}
		n, err := strconv.Atoi(l.keys[0][2:])
		if err != nil || n > limit {
			return 0
		}
		return n
	}
	year := func(l lexeme) int {
		if y := num(l, 2199); y >= 1500 {
			return y
		}
		return 0
	}
	m := s.out[i]
	first, last := i, i
	var y, d int
	next := at(i + 1)
	if n := num(next, 31); n > 0 && s.near(m, next, ".") { // March 23rd, 2026
		// A list such as "March 10 employees" is read as a date: the text then only answers to more.
		d, last = n, i+1
		next = at(i + 2)
		if n := year(next); n > 0 && s.near(s.out[last], next, ",") {
			y, last = n, i+2
		}
	} else { // 23 March 2026, 23rd of March 2026, March 2026
		prev, j := at(i-1), i-1
		if prev.kind == lexWord && prev.plain == "of" && s.near(prev, m, "") {
			prev, j = at(i-2), i-2
		}
		if n := num(prev, 31); n > 0 && s.near(prev, at(j+1), ".") {
			d, first = n, j
		}
		if n := year(next); n > 0 && s.near(m, next, ".,") {
			y, last = n, i+1
		}
	}
	keys := date(y, month, d)
	if keys == nil {
		return
	}
	for j := first; j <= last; j++ {
		if s.out[j].kind == lexNumber {
			keys = append(keys, s.out[j].keys...) // the text still answers to its day and year
		}
		s.out[j].kind = lexPart
	}
	s.out[first].kind = lexNumber
	if first == i {
		keys = append(keys, m.keys...)
	}
	s.out[first].keys, s.out[first].want = keys, keys[:1:1]
	s.out[first].end = s.out[last].end
}

// cjkNumber reads 450万 and 2026年3月23日 at place i.
func (s *scanner) cjkNumber(i int, at func(int) lexeme) {
	l := &s.out[i]
	unit := string(firstRune(s.text[l.end:]))
	if scale := scales[unit]; scale > 0 {
		key := "n:" + decimal(l.keys[0][2:], scale)
		l.keys, l.want = []string{key}, []string{key}
		return
	}
	if unit != "年" {
		return
	}
	f := []int{0, 0, 0}
	j := i
	for k, mark := range []string{"年", "月", "日"} {
		n := at(j)
		if n.kind != lexNumber || len(n.keys) != 1 || !strings.HasPrefix(s.text[min(len(s.text), n.end):], mark) {
			break
		}
		v, err := strconv.Atoi(strings.TrimPrefix(n.keys[0], "n:"))
		if err != nil {
			break
		}
		f[k] = v
		if k > 0 {
			s.out[j].kind = lexPart
		}
		if j+1 < len(s.out) && s.surface(s.out[j+1]) == mark {
			s.out[j+1].kind = lexPart
		}
		j += 2
	}
	if keys := date(f[0], f[1], f[2]); keys != nil {
		l.want = keys[:1:1]
		l.keys = append(keys, l.keys...)
	}
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// spell makes the third pass: number words. Several of them, or a percentage, count as a number; a single one is only a hint, since
// "two" and "one" are often just words.
func (s *scanner) spell() {
	for i := 0; i < len(s.out); i++ {
		l := &s.out[i]
		if l.kind != lexWord {
			continue
		}
		if key := ordinalWords[l.plain]; key != "" {
			l.keys = append(l.keys, key)
			continue
		}
		if _, ok := numberWords[l.plain]; !ok {
			continue
		}
		words := []string{l.plain}
		for j := i + 1; j < len(s.out) && j < i+16 && s.out[j].kind == lexWord && s.near(s.out[j-1], s.out[j], "-"); j++ {
			words = append(words, s.out[j].plain)
		}
		value, used := spelled(words)
		if used == 0 {
			continue
		}
		last := i + used - 1
		key := "n:" + strconv.FormatInt(value, 10)
		isPercent := s.percent(s.out[last].end) || used < len(words) && words[used] == "percent" ||
			used+1 < len(words) && words[used] == "per" && words[used+1] == "cent"
		if isPercent {
			key = "p:" + strconv.FormatInt(value, 10)
		}
		if used == 1 && !isPercent {
			l.keys = append(l.keys, key)
			continue
		}
		for j := i; j <= last; j++ {
			s.out[j].kind = lexPart
		}
		l.kind, l.want, l.end = lexNumber, []string{key}, s.out[last].end
		l.keys = append(l.keys, key)
		i = last
	}
}
