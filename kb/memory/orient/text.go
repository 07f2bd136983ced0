package orient

import (
	"fmt"
	"strings"
	"time"

	"blackboard/board/fault"
)

// Content is the most characters of an item in a document.
const Content = 400

// Tokens estimates the tokens of a text: 4 bytes each, as in English text.
func Tokens(s string) int { return (len(s) + 3) / 4 }

// Inline puts a text on one line of at most n characters that cannot end its quotes.
func Inline(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '“' || r == '”':
			return '"'
		// invisible characters
		case r == 0x200b || r == 0x2060 || r == 0xfeff || r >= 0xe0000 && r <= 0xe0fff:
			return -1
		case r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e ||
			r >= 0x2066 && r <= 0x2069 || r >= 0x80 && r < 0xa0:
			return ' '
		}
		return r
	}, s)
	return fault.Clip(strings.Join(strings.Fields(s), " "), n)
}

// Age formats how long ago something was.
func Age(d time.Duration) string {
	ago := func(n int, unit string) string {
		if n == 1 {
			return "1 " + unit + " ago"
		}
		return fmt.Sprintf("%d %ss ago", n, unit)
	}
	switch day := 24 * time.Hour; {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return ago(int(d/time.Minute), "minute")
	case d < day:
		return ago(int(d/time.Hour), "hour")
	case d < 60*day:
		return ago(int(d/day), "day")
	case d < 730*day:
		return ago(int(d/(30*day)), "month")
	default:
		return ago(int(d/(365*day)), "year")
	}
}

// ShortAge formats an age briefly.
func ShortAge(d time.Duration) string {
	switch day := 24 * time.Hour; {
	case d < time.Hour:
		return fmt.Sprintf("%dmin", max(0, int(d/time.Minute)))
	case d < day:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d < 730*day:
		return fmt.Sprintf("%dd", d/day)
	default:
		return fmt.Sprintf("%dy", d/(365*day))
	}
}
