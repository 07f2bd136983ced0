package trace

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"blackboard/board/words"
)

// otherMoment is the key of a time or a date that a number is only by what follows it:
// "5 pm", the 9 of "9 to 20 March 2026". It is "" for any other lexeme.
func otherMoment(s *words.Scanner, i int) string {
	l := &s.Lexemes[i]
	if l.Kind == words.Number && len(l.Keys[0]) == len("i:fy2025") && l.Keys[0][:4] == "i:fy" &&
		words.Digits(l.Keys[0][4:]) {
		return "n:" + l.Keys[0][4:]
	}
	if l.Kind != words.Number || len(l.Keys[0]) < 3 || len(l.Keys[0]) > 4 ||
		l.Keys[0][:2] != "n:" ||
		i+1 >= len(s.Lexemes) {
		return ""
	}
	n, err := strconv.Atoi(l.Keys[0][2:])
	if err != nil || n < 1 || n > 31 {
		return ""
	}
	next := &s.Lexemes[i+1]
	if next.Start < l.End || next.Start-l.End > 8 {
		return ""
	}
	switch gap := s.Text[l.End:next.Start]; strings.TrimSpace(gap) {
	case "":
		if half := next.Plain; n <= 12 && gap != "" &&
			(half == "am" || half == "pm" || (half == "a" || half == "p") && strings.HasPrefix(s.Text[next.End:], ".m")) {
			if n %= 12; half[0] == 'p' {
				n += 12
			}
			return fmt.Sprintf("t:%02d:00", n)
		}
		if (next.Plain == "to" || next.Plain == "and") && i+2 < len(s.Lexemes) &&
			s.Near(*next, s.Lexemes[i+2], "") {
			return dayOf(n, &s.Lexemes[i+2])
		}
	case "-", "–", "—":
		return dayOf(n, next)
	}
	return ""
}

// dayOf is the key of a day in the month of a later date, "" if there is none.
func dayOf(n int, l *words.Lexeme) string {
	if l.Kind != words.Number || len(l.Keys[0]) < 9 || l.Keys[0][:2] != "d:" {
		return ""
	}
	key := l.Keys[0]
	end := strings.LastIndexByte(key, '-')
	if day, err := strconv.Atoi(key[end+1:]); err != nil || n >= day ||
		strings.Count(key, "-") < 2 {
		return ""
	}
	return fmt.Sprintf("%s-%02d", key[:end], n)
}

// appendMoment adds the moment that the key of a date, a time or a year stands for.
func appendMoment(all []amount, key string) []amount {
	if at, ok := moment(key); ok {
		return append(all, amount{value: at, dim: key[:1]})
	}
	if year, ok := strings.CutPrefix(key, "n:"); ok && isYear(year) {
		n, _ := strconv.Atoi(year)
		return append(all, amount{value: float64(n) * 365 * 86400, dim: "y"})
	}
	return all
}

// isMoment reports whether a dimension is that of moments: days, times of a day, years.
func isMoment(dim string) bool { return dim == "d" || dim == "t" || dim == "y" }

// midnight is the moment of the time 0:00.
var midnight, _ = moment("t:00:00")

// moment is the second that the key of a date or a time stands for.
func moment(key string) (float64, bool) {
	for _, layout := range []string{"d:2006-01-02", "t:15:04", "t:15:04:05"} {
		if at, err := time.Parse(layout, key); err == nil {
			return float64(at.Unix()), true
		}
	}
	return 0, false
}
