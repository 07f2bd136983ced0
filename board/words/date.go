package words

import (
	"fmt"
	"slices"
	"strconv"
)

// This file reads dates, in the ways in which they are written in texts, to one form that can be compared: 2026, 2026-03 or 2026-03-23.

// lookedAt are the words before a date that says when somebody looked: it is no part of the claim.
var lookedAt = []string{"verified", "checked", "measured", "seen", "noted", "updated", "observed", "tested", "confirmed", "reviewed", "written", "recorded", "asof"}

// readDate reads 2026-03-23, 2026-03, March 23, 2026, 23 March 2026, March 2026 and "in 2026", and says how many words it is.
func readDate(words []token, i int) (*Figure, int) {
	low := func(k int) string { return wordAt(words, k).low }
	month := func(k int) int { return numerals()[low(k)].month }
	year := func(k int) bool {
		n, err := strconv.Atoi(low(k))
		return err == nil && len(low(k)) == 4 && n >= 1900 && n < 2100
	}
	day := func(k int) int {
		n, _ := strconv.Atoi(low(k))
		if n > 31 {
			return 0
		}
		return n
	}
	made := func(n int, format string, args ...any) (*Figure, int) {
		date := fmt.Sprintf(format, args...)
		return &Figure{Kind: "date", Date: date, Shown: date}, n
	}
	w := low(i)
	comma := 0
	if low(i+2) == "," {
		comma = 1
	}
	switch m, m2 := month(i), month(i+1); {
	case len(w) >= 7 && w[4] == '-' && w[0] >= '1' && w[0] <= '2':
		return made(1, "%s", w)
	case m > 0 && day(i+1) > 0 && year(i+2+comma):
		return made(3+comma, "%s-%02d-%02d", low(i+2+comma), m, day(i+1))
	case m > 0 && year(i+1):
		return made(2, "%s-%02d", low(i+1), m)
	case day(i) > 0 && m2 > 0 && year(i+2):
		return made(3, "%s-%02d-%02d", low(i+2), m2, day(i))
	case year(i) && slices.Contains([]string{"in", "since", "until", "by", "from", "of", "during", "before", "after"}, low(i-1)):
		return made(1, "%s", w)
	}
	return nil, 0
}
