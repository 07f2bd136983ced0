package trace

import (
	"slices"
	"strings"
	"unicode/utf8"

	"blackboard/board/words"
)

// This file reads what loosens a number: about, just under, at least.

var (
	aboutWords = []string{
		"about",
		"around",
		"roughly",
		"approximately",
		"nearly",
		"almost",
		"some",
		"circa",
		"ca",
		"approx",
		"close",
		"good",
		"barely",
		"hardly",
		"scarcely",
	}
	overWords = []string{
		"over",
		"least",
		"exceed",
		"exceeds",
		"exceeded",
		"exceeding",
		"above",
		"beyond",
		"upwards",
	}
	sumWords   = []string{"add", "adds", "added", "sum", "sums", "summed"} // up to
	underWords = []string{"under", "below", "most", "within", "short", "shy"}
)

// boundBefore reads what loosens a number: '~' for about, '>' for at least, '<' for fewer than, else 0.
func boundBefore(s *words.Scanner, i int) byte {
	start := s.Lexemes[i].Start
	before := strings.TrimRight(s.Text[max(0, start-4):start], " $€£")
	switch r, _ := utf8.DecodeLastRuneInString(before); r {
	case '~', '≈':
		return '~'
	case '>', '≥':
		return '>'
	case '<', '≤':
		return '<'
	}
	for k := i - 1; k >= max(0, i-3); k-- {
		switch w := s.Lexemes[k].Plain; {
		case slices.Contains(aboutWords, w):
			return '~'
		case slices.Contains(overWords, w),
			w == "than" && k > 0 && s.Lexemes[k-1].Plain == "more":
			return '>'
		case w == "to" && k > 0 && s.Lexemes[k-1].Plain == "up" &&
			!(k > 1 && slices.Contains(sumWords, s.Lexemes[k-2].Plain)),
			slices.Contains(underWords, w),
			w == "than" && k > 0 && (s.Lexemes[k-1].Plain == "fewer" ||
				s.Lexemes[k-1].Plain == "less"):
			return '<'
		}
	}
	return 0
}
