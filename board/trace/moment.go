package trace

import (
	"math"
	"slices"
	"time"

	"blackboard/board/claims/parse"
)

// This file calculates with dates and times.

// day is how many seconds a day has.
const day = 86400

// appendMoments adds the moments that a date or a time is: the day, the time, both together, the year.
func appendMoments(all []amount, c *parse.Claim, d *parse.Detail) []amount {
	if d.T == nil {
		return all
	}
	append := func(dim string, value float64) {
		all = append(all, amount{value: value, dim: dim, in: c, text: d.Text, start: d.At, end: d.At + len(d.Text)})
	}
	at := d.T.From
	day1 := d.T.Dated && d.T.Days() == 1 && !d.T.AnyYear && !d.T.AnyMonth
	if day1 {
		append("d", float64(at.Unix()))
	}
	if d.T.Clock >= 0 {
		append("t", midnight+float64(d.T.Clock))
		if day1 {
			append("m", float64(at.Unix()+int64(d.T.Clock)))
		}
	}
	if d.T.Dated && !d.T.AnyYear && d.T.Days() >= 365 {
		append("y", float64(at.Year())*365*day)
	}
	return all
}

// isMoment reports whether a dimension is that of moments: days, times of a day, times
// of a day that is said, years.
func isMoment(dim string) bool { return dim == "d" || dim == "t" || dim == "m" || dim == "y" }

// midnight is the moment of the time 0:00: that of the year 0, which times without a day have.
const midnight = -62167219200

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

// counted reports whether a date or a time is the time span before or after another.
func counted(t *parse.Instant, from, span *amount) bool {
	if span.dim != "time" || span.raw == 0 {
		return false
	}
	years, start := span.value/(365*day), date(from.value)
	switch {
	case t.Clock >= 0 && !t.Dated:
		clock := func(at float64) bool {
			return date(at).Hour()*3600+date(at).Minute()*60 == t.Clock/60*60
		}
		return (from.dim == "t" || from.dim == "m") && span.value < day &&
			(clock(from.value+span.value) || clock(from.value-span.value))
	case t.Days() >= 365:
		n := from.value / (365 * day)
		if from.dim != "y" {
			n = float64(start.Year())
		}
		year := float64(t.From.Year())
		return years >= 2 && years == span.raw && (year == n+years || year == n-years)
	case from.dim != "d" && from.dim != "m" || span.value < day:
		return false
	}
	for _, sign := range []int{1, -1} {
		at := start.Add(time.Duration(float64(sign)*span.value) * time.Second)
		exact := math.Mod(span.value, day) == 0
		if months := span.raw * day * 365 / 12; math.Abs(span.value-months) < 1 {
			at, exact = start.AddDate(0, sign*int(span.raw), 0), true
		} else if span.value == span.raw*365*day {
			at, exact = start.AddDate(0, sign*int(math.Round(span.raw*12)), 0), true
		}
		if exact && at.Month() == t.From.Month() && (t.AnyYear || at.Year() == t.From.Year()) &&
			(t.Days() == 1 && at.Day() == t.From.Day() || t.Days() > 1 && span.value > 28*day) {
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
				if counted(f.detail.T, &pool[k], &pool[n]) {
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
