package claims

import (
	"fmt"
	"math"
)

// This file reads how often something is done, in whichever words: every 6 hours, four times a day.

// A frequency is the time from one event to the next.
type frequency struct {
	seconds  float64
	text     string
	from, to int  // its tokens
	working  bool // it counts working days: five a week, or one a day
}

// sameAs reports whether two frequencies are one.
func (f *frequency) sameAs(o *frequency) bool {
	share := .02
	if f.working || o.working {
		share = .45
	}
	return math.Abs(f.seconds-o.seconds) <= share*max(f.seconds, o.seconds)
}

var (
	workingDays = set("working business week school trading")
	partsOfDay  = set("day morning evening night afternoon weekday workday")
)

// everyAdverb is the unit that lies between two events by an adverb: weekly; "" for another word.
func everyAdverb(low string) string {
	if of := adverbRates()[low]; of != "" {
		return of
	}
	return map[string]string{"nightly": "day", "annual": "year"}[low]
}

// timesOver is how many times something is done, 0 for another word.
func timesOver(low string) float64 {
	return map[string]float64{"once": 1, "twice": 2, "thrice": 3}[low]
}

// secondsOf is how long a unit of time lasts, 0 if it is none. A month is a twelfth of a year.
func secondsOf(unit string) float64 {
	if unit == "quarter" { // which may be a number, too
		unit = "quarters"
	}
	switch dim, factor := UnitOf(unit); dim {
	case "time":
		return factor
	case "months":
		return factor * 365.25 * 86400 / 12
	}
	return 0
}

// frequencies returns how often a text says that something is done.
func (t tokens) frequencies() (all []frequency) {
	for i := 0; i < len(t); i++ {
		if f, ok := t.frequency(i); ok {
			f.text, f.from = t.textOf(i, f.to), i
			all, i = append(all, f), f.to-1
		}
	}
	return all
}

func (t tokens) frequency(i int) (f frequency, ok bool) {
	low := t[i].low
	if u := everyAdverb(low); u != "" {
		return frequency{seconds: secondsOf(u), to: i + 1}, true
	}
	if low == "every" || low == "each" {
		n, k := t.countAt(i + 1)
		if t.at(i+1).low == "other" || t.at(i+1).low == "second" {
			n, k = 2, 1
		}
		last := i + 1 + k
		working := workingDays.has(t.at(last).low) && partsOfDay.has(t.at(last+1).low)
		if working {
			last++
		}
		s, low := secondsOf(t.at(last).low), t.at(last).low
		switch {
		case partsOfDay.has(low):
			s = secondsOf("day")
		case weekdays.has(low):
			s = secondsOf("week")
		}
		working = working || low == "weekday" || low == "workday"
		return frequency{seconds: max(1, n) * s, to: last + 1, working: working}, s > 0
	}
	n, k := timesOver(low), 1
	if n == 0 {
		if n, k = t.countAt(i); n == 0 || t.at(i+k).low != "times" {
			return f, false
		}
		k++
	}
	switch t.at(i + k).low {
	case "a", "an", "per", "each", "every":
		of, m := t.countAt(i + k + 1)
		s := secondsOf(t.at(i + k + 1 + m).low)
		return frequency{seconds: max(1, of) * s / n, to: i + k + m + 2}, s > 0
	}
	return f, false
}

// countAt reads a number that begins at a token, and how many tokens it takes; 0 if none does.
func (t tokens) countAt(i int) (n float64, k int) {
	if i >= len(t) {
		return 0, 0
	}
	if q, next, ok := t.bareNumber(i); ok {
		return q.Number, next - i
	}
	return 0, 0
}

// An often says how the frequencies of a claim stand to those of a window.
type often struct {
	mine    []frequency
	agrees  bool
	against string // why they differ, "" if they do not
}

// has reports whether a figure is a part of a frequency.
func (o *often) has(d *Detail) bool {
	for _, f := range o.mine {
		if d.Cell == nil && d.first >= f.from && d.first < f.to {
			return true
		}
	}
	return false
}

// howOften compares how often something is done. Only a claim and a statement that have one frequency each differ.
func (cmp *Comparison) howOften() (o often) {
	if o.mine = cmp.of.tokens().frequencies(); len(o.mine) != 1 {
		return o
	}
	for _, e := range cmp.Claims {
		theirs := e.tokens().frequencies()
		for _, f := range theirs {
			near := f.sameAs(&o.mine[0])
			o.agrees = o.agrees || near
			if !near && len(theirs) == 1 && e.Cells == nil &&
				(2*sharedStems(cmp.of, e) >= len(cmp.of.stems) || cmp.anchored(e)) {
				o.against = fmt.Sprintf("the finding says %s, the report %s", o.mine[0].text, f.text)
			}
		}
	}
	if o.agrees {
		o.against = ""
	}
	return o
}
