package words

import (
	"fmt"
	"strconv"
	"strings"
)

// This file reads times of day that are written with words: 5 pm, seven o'clock in the
// evening, 7.42 in the morning.

// readHalfDay reads what says, after a number, that it is an hour, and reports whether there is such a thing.
func (s *Scanner) readHalfDay(l *Lexeme, value string, j int) bool {
	if len(value) > 5 || !s.Near(*l, s.Lexemes[j], "") {
		return false
	}
	half, next := s.half(j)
	if s.Lexemes[j].Plain == "oclock" {
		next = j + 1
		if j+1 < len(s.Lexemes) && s.Near(s.Lexemes[j], s.Lexemes[j+1], "") {
			if h, end := s.half(j + 1); h != "" {
				half, next = h, end
			}
		}
	} else if half == "" {
		return false
	}
	at := value + ":00"
	if hour, minutes, ok := strings.Cut(s.Surface(*l), "."); ok && len(minutes) == 2 { // 9.30 am
		value, at = hour, hour+":"+minutes
	}
	if hour, _ := strconv.Atoi(value); len(value) > 2 || hour < 1 || hour > 12 {
		return false
	}
	keys := []string{clock(at, half)}
	if half == "" { // of the morning or the afternoon
		keys = []string{clock(at, "am"), clock(at, "pm")}
	}
	if keys[0] == "" {
		return false
	}
	l.Kind, l.Want = Number, keys
	l.addKeys(keys...)
	s.absorb(l, j, next)
	return true
}

// inHalf gives a time of up to twelve hours the half of the day that words after it say:
// 7:30 in the evening.
func (s *Scanner) inHalf(l *Lexeme, j int) {
	if l.Kind != Number || len(l.Want) != 1 || !strings.HasPrefix(l.Want[0], "t:") ||
		j >= len(s.Lexemes) || s.Lexemes[j].Plain != "in" && s.Lexemes[j].Plain != "at" ||
		!s.Near(*l, s.Lexemes[j], "") {
		return
	}
	half, next := s.half(j)
	key := clock(strings.TrimPrefix(l.Want[0], "t:"), half)
	if half == "" || key == "" {
		return
	}
	l.Keys, l.Want = []string{key}, []string{key}
	s.absorb(l, j, next)
}

// absorb makes the lexemes from one to another parts of a number.
func (s *Scanner) absorb(l *Lexeme, from, to int) {
	for k := from; k < to; k++ {
		if s.Lexemes[k].Plain != "am" && s.Lexemes[k].Plain != "pm" {
			s.Lexemes[k].Kind = Part
			l.End = max(l.End, s.Lexemes[k].End)
		}
	}
}

// half returns the half of the day that the lexemes from j on say, am or pm, and where
// they end.
func (s *Scanner) half(j int) (half string, next int) {
	at := func(k int) string {
		if k < len(s.Lexemes) && (k == j || s.Near(s.Lexemes[k-1], s.Lexemes[k], "")) {
			return s.Lexemes[k].Plain
		}
		return ""
	}
	switch w := at(j); w {
	case "am", "pm":
		return w, j + 1
	case "a", "p": // p.m.
		if j+1 < len(s.Lexemes) && s.Lexemes[j+1].Plain == "m" &&
			s.Lexemes[j+1].Start == s.Lexemes[j].End+1 {
			return w + "m", j
		}
	case "in":
		if at(j+1) == "the" {
			switch at(j + 2) {
			case "morning":
				return "am", j + 3
			case "afternoon", "evening":
				return "pm", j + 3
			}
		}
	case "at":
		if at(j+1) == "night" {
			return "pm", j + 2
		}
	}
	return "", j
}

// readMinutesPast reads twelve minutes past one, and five past eight.
func (s *Scanner) readMinutesPast(l *Lexeme, value string, j int) bool {
	at := func(k int) *Lexeme {
		if k < len(s.Lexemes) {
			return &s.Lexemes[k]
		}
		return &Lexeme{}
	}
	said := at(j).Plain == "minutes" || at(j).Plain == "minute"
	if said {
		j++
	}
	word, minutes := at(j).Plain, 0
	if n, err := strconv.Atoi(value); err == nil && n > 0 && n < 60 && s.Near(*l, s.Lexemes[min(j, len(s.Lexemes)-1)], "") ||
		said {
		minutes = n
	}
	if minutes == 0 || word != "past" && (word != "to" || !said) {
		return false
	}
	return s.setHour(l, minutes, word, j+1)
}

// setHour makes a lexeme the time so many minutes past or to the hour that another lexeme says.
func (s *Scanner) setHour(l *Lexeme, minutes int, word string, k int) bool {
	if k >= len(s.Lexemes) || !s.Near(s.Lexemes[k-1], s.Lexemes[k], "") {
		return false
	}
	value, ok := s.Lexemes[k].value()
	n, err := strconv.Atoi(value)
	if !ok || err != nil || n < 1 || n > 12 {
		return false
	}
	if word == "to" {
		if minutes, n = 60-minutes, n-1; n == 0 {
			n = 12
		}
	}
	clockAt := fmt.Sprintf("%d:%02d", n, minutes)
	keys, next := []string{clock(clockAt, "am"), clock(clockAt, "pm")}, k+1
	if half, end := s.half(next); half != "" && s.Near(s.Lexemes[k], s.Lexemes[next], "") {
		keys, next = []string{clock(clockAt, half)}, end
	}
	l.Kind, l.Want = Number, keys
	l.addKeys(keys...)
	for i := range s.Lexemes { // what stands between them is a part, too
		if &s.Lexemes[i] == l {
			s.absorb(l, i+1, next)
			break
		}
	}
	return true
}

// readPastHour reads half past five, and a quarter to five.
func (s *Scanner) readPastHour(first *Lexeme, i int, by int64, at func(int) *Lexeme) bool {
	word := at(i + 1).Plain
	if by != 2 && by != 4 || word != "past" && (word != "to" || by != 4) || !s.Near(*first, *at(i + 1), "") ||
		!s.setHour(first, int(60/by), word, i+2) {
		return false
	}
	if l := &s.Lexemes[i]; l != first {
		l.Kind = Part
	}
	return true
}
