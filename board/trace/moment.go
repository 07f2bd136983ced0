package trace

import (
	"strconv"
	"strings"
	"time"
)

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
