package trace

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"blackboard/board/words"
)

// This file calculates with dates and times.

// day is how many seconds a day has.
const day = 86400

// appendMoment adds the moment that the key of a date, a time or a year stands for.
func appendMoment(all []amount, key string) []amount {
	if at, ok := moment(key); ok {
		return append(all, amount{value: at, dim: key[:1]})
	}
	if year, ok := strings.CutPrefix(key, "n:"); ok && isYear(year) {
		n, _ := strconv.Atoi(year)
		return append(all, amount{value: float64(n) * 365 * day, dim: "y"})
	}
	return all
}

// appendMoments adds the dates and times of a scanned text, and the moments that a date
// and the time behind it are together.
func appendMoments(all []amount, s *words.Scanner) []amount {
	date, end := 0.0, -1 // of the date that was read last
	for i := range s.Lexemes {
		l := &s.Lexemes[i]
		if l.Kind != words.Number {
			continue
		}
		n := len(all)
		if all = appendMoment(all, l.Want[0]); len(all) == n {
			continue
		}
		if all[n].start, all[n].end = l.Start, l.End; all[n].dim == "d" {
			date, end = all[n].value, l.End
			for _, k := range l.Keys { // 2025-02-08T03:40
				if at, ok := moment(k); ok && k[0] == 't' {
					all = append(all, amount{value: at, dim: "t", start: l.Start, end: l.End},
						amount{value: date + at - midnight, dim: "m", start: l.Start, end: l.End})
				}
			}
		} else if all[n].dim == "t" && end >= 0 && l.Start-end <= len(", at ") {
			all = append(all, amount{
				value: date + all[n].value - midnight,
				dim:   "m",
				start: l.Start,
				end:   l.End,
			})
		}
	}
	return all
}

// isMoment reports whether a dimension is that of moments: days, times of a day, times
// of a day that is said, years.
func isMoment(dim string) bool { return dim == "d" || dim == "t" || dim == "m" || dim == "y" }

// midnight is the moment of the time 0:00: that of the year 0, which times without a day have.
const midnight = -62167219200

// moment returns the second that the key of a date or a time stands for; false for another key.
func moment(key string) (float64, bool) {
	for _, layout := range []string{"d:2006-01-02", "t:15:04", "t:15:04:05"} {
		if at, err := time.Parse(layout, key); err == nil {
			return float64(at.Unix()), true
		}
	}
	return 0, false
}

func date(at float64) time.Time { return time.Unix(int64(at), 0).UTC() }

// isTimeBetween reports whether a time is that from one moment to another: over midnight too,
// with the first day, and in years from a date to a year.
func (a *amount) isTimeBetween(x, y *amount) bool {
	apart := math.Abs(x.value - y.value)
	switch {
	case a.dim != "time" || apart == 0:
		return false
	case x.dim == "d" && y.dim == "y":
		return a.near(math.Abs(float64(date(x.value).Year())*365*day - y.value))
	case x.dim != y.dim || !isMoment(x.dim):
		return false
	case a.near(apart), x.dim == "t" && a.near(day-apart):
		return true
	}
	return x.dim == "d" && a.raw > 1 && a.raw*day == a.value && a.near(apart+day)
}

// counted reports whether a date or a time, as the key of a fact has it, is the time span before or after another.
func counted(key string, from, span *amount) bool {
	if span.dim != "time" || span.raw == 0 {
		return false
	}
	if year, ok := strings.CutPrefix(key, "n:"); ok {
		n := from.value / (365 * day)
		if from.dim != "y" {
			n = float64(date(from.value).Year())
		}
		years := span.value / (365 * day)
		return years >= 2 && years == span.raw &&
			(year == strconv.Itoa(int(n+years)) || year == strconv.Itoa(int(n-years)))
	}
	if strings.HasPrefix(key, "t:") {
		return (from.dim == "t" || from.dim == "m") && span.value < day &&
			(key == date(from.value+span.value).Format("t:15:04") ||
				key == date(from.value-span.value).Format("t:15:04"))
	}
	if from.dim != "d" && from.dim != "m" || span.value < day {
		return false
	}
	start := date(from.value)
	for _, sign := range []int{1, -1} {
		at := start.Add(time.Duration(float64(sign)*span.value) * time.Second)
		exact := math.Mod(span.value, day) == 0
		if months := span.raw * day * 365 / 12; math.Abs(span.value-months) < 1 {
			at, exact = start.AddDate(0, sign*int(span.raw), 0), true
		} else if span.value == span.raw*365*day {
			at, exact = start.AddDate(0, sign*int(math.Round(span.raw*12)), 0), true
		}
		ofMonth := span.value > 28*day
		if exact && (key == at.Format("d:2006-01-02") || key == at.Format("d:--01-02") ||
			ofMonth && key == at.Format("d:2006-01")) {
			return true
		}
	}
	return false
}

// calculateDate reports whether a date or a time follows from another and a time: from
// those around it in the report, and those of the records that support these or are
// nearest.
func (d *deriver) calculateDate(i int) bool {
	f := &d.facts[i]
	own, _ := d.supported(i)
	others := d.around(i)
	try := func(pool []amount, records ...int32) bool {
		for k := range pool {
			if x := &pool[k]; !isMoment(x.dim) {
				continue
			}
			for n := range pool {
				if slices.ContainsFunc(f.keys, func(key string) bool {
					return counted(key, &pool[k], &pool[n])
				}) {
					return d.setDerived(f, "a time after", nil, records...)
				}
			}
		}
		return false
	}
	if try(own, others...) {
		return true
	}
	for _, r := range slices.Concat(others, d.near[i]) {
		if slices.Contains(others, r) || d.isAbout(f, r) {
			if try(slices.Concat(own, d.figures(r)), append(slices.Clone(others), r)...) {
				return true
			}
		}
	}
	return false
}
