package trace

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"blackboard/board/words"
)

// This file says what figures a calculation may use, and what periods are said with
// them.

// figures are the amounts of a record, and its dates and times as seconds.
func (d *deriver) figures(r int32) []amount {
	if all, ok := d.records[r]; ok {
		return all
	}
	var all []amount
	for _, c := range d.kept[r] {
		var unit *amount // that one figure has for those that follow: 1.6 points in North, 2.1 in Mill
		for k := range c.Details {
			x := &c.Details[k]
			at := x.At
			if x.Cell != nil {
				at += x.Cell.Column << 10
			}
			if x.Q != nil {
				a := amountOf(c, x, at)
				all = append(all, a)
				if a.dim != "" {
					unit = &a
				} else if unit != nil && a.nouns[0] == "" && x.Cell == nil && a.digits > 1 {
					a.like(unit)
					all = append(all, a)
				}
			}
			all = appendMoments(all, c, x)
		}
	}
	all = once(all)
	d.records[r] = all
	return all
}

// few are the first figures of a record.
func (d *deriver) few(r int32) []amount {
	all := d.figures(r)
	return all[:min(len(all), maxOperands)]
}

// once leaves out the figures that a record repeats in another paragraph, as the
// evidence of an entry repeats its content: no figure is added to itself.
func once(all []amount) (out []amount) {
	for i := range all {
		a := &all[i]
		if !slices.ContainsFunc(out, func(b amount) bool {
			return a.equal(&b) && a.in.Block>>16 != b.in.Block>>16
		}) {
			out = append(out, *a)
		}
	}
	return out
}

// supported returns the supported figures around a fact, and the same with the periods of their sentences.
func (d *deriver) supported(i int) (own []amount, period []spoken) {
	for _, k := range d.within(i) {
		g := &d.facts[k]
		if g.verdict.Verdict == Unsupported {
			continue
		}
		var all []amount
		if g.isAmount() {
			all = []amount{g.amount}
		} else if g.isFigure() {
			all = d.momentOf(k)
		}
		for _, a := range all {
			own = append(own, a)
			period = append(period, spoken{a, periodsOf(d.units[g.unit].Text)})
		}
	}
	return own, period
}

// momentOf is the moment of a date or a time of the report; a date without a year is of the
// year that its record says, or else of that of the nearest date.
func (d *deriver) momentOf(k int) []amount {
	g := &d.facts[k]
	all := appendMoments(nil, d.units[g.unit].Claim, g.detail)
	if !g.detail.T.AnyYear || g.detail.T.Days() != 1 {
		return all
	}
	year := 0
	for n := 0; n <= farthestDate && year == 0; n++ {
		year = cmp.Or(d.yearOf(k-n, g), d.yearOf(k+n, g))
	}
	at := g.detail.T.From
	return append(all, amount{
		value: float64(time.Date(cmp.Or(year, anyYear), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC).Unix()),
		dim:   "d", text: g.detail.Text, in: d.units[g.unit].Claim})
}

const (
	farthestDate = 40   // facts from one to another that has its year
	anyYear      = 2001 // will do for the time between two dates of which none has a year
)

// yearOf is the year of a date of the same report, as it or its record says it; 0 if neither does.
func (d *deriver) yearOf(k int, g *fact) int {
	if k < 0 || k >= len(d.facts) {
		return 0
	}
	f := &d.facts[k]
	if f.kind != KindDate || !f.isFigure() || d.units[f.unit].report != d.units[g.unit].report {
		return 0
	}
	all := appendMoments(nil, nil, f.detail)
	if len(f.support) > 0 {
		all = append(all, d.figures(f.support[0])...)
	}
	from := f.detail.T.From
	for _, a := range all {
		if at := date(a.value); a.dim == "d" && at.Month() == from.Month() && at.Day() == from.Day() {
			return at.Year()
		}
	}
	return 0
}

// spokenOf are the first figures of a record with their sentences.
func (d *deriver) spokenOf(r int32) (out []spoken) {
	for _, a := range d.few(r) {
		out = append(out, spoken{a, periodsOf(a.in.Text)})
	}
	return out
}

// spoken is a figure with the sentence that it stands in.
type spoken struct {
	amount
	said map[string]bool // the periods of the sentence
}

// period is what a word says of one: the noun, and how many seconds it has.
type period struct {
	name    string
	seconds float64
}

// periods are the words for a period.
var periods = sync.OnceValue(func() map[string]period {
	m := map[string]period{}
	for words, p := range map[string]period{
		"minute":                            {"minute", 60},
		"hour hourly":                       {"hour", 3600},
		"day daily":                         {"day", day},
		"week weekly":                       {"week", 7 * day},
		"month monthly":                     {"month", 365 * day / 12},
		"quarter quarterly":                 {"quarter", 365 * day / 4.0},
		"year yearly annual annually annum": {"year", 365 * day},
	} {
		for _, w := range strings.Fields(words) {
			m[w] = p
		}
	}
	return m
})

// periodsOf returns the periods that a text speaks of.
func periodsOf(text string) map[string]bool {
	m := map[string]bool{}
	for _, w := range words.Split(text, "") {
		if p := cmp.Or(periods()[w], periods()[strings.TrimSuffix(w, "s")]); p.name != "" {
			m[p.name] = true
		}
	}
	return m
}

// says reports whether the sentence speaks of a period of so many seconds.
func (s *spoken) says(seconds float64) bool {
	for _, p := range periods() {
		if s.said[p.name] && math.Abs(seconds-p.seconds) < p.seconds/100 {
			return true
		}
	}
	return false
}

// rates say how many of a period make a longer one.
var rates = []struct {
	short, long string
	n           float64
}{
	{"month", "year", 12}, {"quarter", "year", 4}, {"week", "year", 52}, {"day", "year", 365},
	{"month", "quarter", 3}, {"week", "month", 4}, {"day", "week", 7}, {"hour", "day", 24},
	{"minute", "hour", 60},
}

// mostPeriods is how many periods a sentence may say that a figure is for.
const mostPeriods = 12

// perPeriod says that a figure is another in another period: so much a month is twelve times as
// much a year. Both periods, or how many they are, must be said: by the figure's sentence, or by
// that of the other.
func perPeriod(a *amount, said map[string]bool, pool []spoken) string {
	if a.digits < 2 || a.dim == "time" {
		return ""
	}
	for i := range pool {
		x := &pool[i]
		if x.dim != a.dim || x.value == 0 {
			continue
		}
		for _, r := range rates {
			up := said[r.long] && (x.said[r.short] || said[r.short])
			down := said[r.short] && (x.said[r.long] || said[r.long])
			if up && a.near(x.value*r.n) || down && a.near(x.value/r.n) {
				return "so much a period"
			}
		}
		for k := range pool {
			y := &pool[k]
			if y.dim == "time" && y.raw >= 2 && y.raw <= mostPeriods && a.near(x.value*y.raw) &&
				x.says(y.value/y.raw) {
				return "so much a period"
			}
		}
	}
	return ""
}
