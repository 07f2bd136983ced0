package parse

import "time"

// This file says how two days, or times of a day, stand to each other.

// utc returns the seconds since midnight in UTC, or as written if the zone is not known, and whether it is.
func (in *Instant) utc() (int, bool) {
	if in.Zone == nil {
		return in.Clock, false
	}
	return ((in.Clock-*in.Zone)%86400 + 86400) % 86400, true
}

// moment returns the point in time of a date with a clock.
func (in *Instant) moment() time.Time {
	seconds := in.Clock
	if in.Zone != nil {
		seconds -= *in.Zone
	}
	return in.From.Add(time.Duration(seconds) * time.Second)
}

// Compare compares an instant of a claim with one of the evidence.
func (in *Instant) Compare(e *Instant) Relation {
	timed := in.Clock >= 0
	if timed && in.Dated && e.Clock >= 0 && e.day != nil {
		if rel := in.againstClock(e, Same); rel.Agrees() && in.againstDays(e.day).Agrees() {
			return rel
		}
	}
	if timed && e.Clock < 0 || in.Dated && !e.Dated {
		return Incomparable
	}
	result := Same
	if in.Dated {
		result = in.againstDays(e)
		if result > Coarser && timed && in.Zone != nil && e.Zone != nil && in.moment().Equal(e.moment()) {
			result = Same // midnight is another day elsewhere
		}
		if !result.Agrees() {
			return result
		}
	}
	if !timed {
		return result
	}
	return in.againstClock(e, result)
}

// againstClock compares times of day. If one does not say its zone, it may be any of both.
func (in *Instant) againstClock(e *Instant, days Relation) Relation {
	a, aKnown := in.utc()
	b, bKnown := e.utc()
	pairs := [][2]int{{a, b}}
	if in.Local && e.Local {
		pairs = [][2]int{{in.Clock, e.Clock}}
	} else if aKnown != bKnown {
		pairs = append(pairs, [2]int{in.Clock, e.Clock}, [2]int{in.Clock, b}, [2]int{a, e.Clock})
	}
	for _, p := range pairs {
		if in.Round || e.Round { // a clock of the twelve hours is no stranger to that of 24
			d := (p[0] - p[1] + 36*3600) % (12 * 3600)
			if min(d, 12*3600-d) <= 1800 && (in.Half || e.Half || max(p[0]-p[1], p[1]-p[0]) <= 1800) {
				return Rounded
			}
		}
		if p[0] == p[1] || (in.Half || e.Half) && (p[0]-p[1])%(12*3600) == 0 || in.Local != e.Local && (p[0]-p[1])%3600 == 0 {
			return days
		}
		long, short := p[1], p[0] // 08:31 of 08:30:47, 08:07 of 08:07:12
		if in.Seconds {
			long, short = short, long
		}
		if in.Seconds != e.Seconds && (long/60 == short/60 || (long+30)/60 == short/60) {
			return Rounded
		}
	}
	return OtherValue
}

func (in *Instant) againstDays(e *Instant) Relation {
	a, a2, b, b2 := in.From, in.To, e.From, e.To
	if in.AnyMonth || e.AnyMonth {
		switch {
		case in.Days() != 1 || e.Days() != 1:
			return Incomparable
		case a.Day() == b.Day():
			return Same
		}
		return OtherValue
	}
	if in.AnyYear != e.AnyYear { // 18 June of 18 June 2026
		if in.Days() > 300 || e.Days() > 300 {
			return Incomparable
		}
		a, a2 = withoutYear(a, a2)
		b, b2 = withoutYear(b, b2)
	}
	switch {
	case a.Equal(b) && a2.Equal(b2):
		return Same
	case !b.Before(a) && !b2.After(a2):
		return Rounded
	case !a.Before(b) && !a2.After(b2):
		return Coarser
	case (in.Loose || e.Loose) && a.Before(b2) && b.Before(a2):
		return Rounded
	}
	return OtherValue
}

func withoutYear(from, to time.Time) (time.Time, time.Time) {
	first := time.Date(0, from.Month(), from.Day(), 0, 0, 0, 0, time.UTC)
	return first, first.Add(to.Sub(from))
}

// IsAsExact reports whether two dates are equally exact: two days, two months, two years.
func (in *Instant) IsAsExact(e *Instant) bool {
	a, b := in.To.Sub(in.From), e.To.Sub(e.From)
	return in.Clock >= 0 || a < 2*b && b < 2*a
}
