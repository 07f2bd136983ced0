package claims

import (
	"fmt"
	"math"

	"blackboard/board/claims/parse"
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
	workingDays = parse.NewSet("working business week school trading")
	partsOfDay  = parse.NewSet("day morning evening night afternoon weekday workday")
)

// everyAdverb is the unit that lies between two events by an adverb: weekly; "" for another word.
func everyAdverb(low string) string {
	if of := parse.AdverbRates()[low]; of != "" {
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
	switch dim, factor := parse.UnitOf(unit); dim {
	case "time":
		return factor
	case "months":
		return factor * 365.25 * 86400 / 12
	}
	return 0
}

// frequencies returns how often a text says that something is done.
func frequencies(t parse.Tokens) (all []frequency) {
	for i := 0; i < len(t); i++ {
		if f, ok := frequencyAt(t, i); ok {
			f.text, f.from = t.Text(i, f.to), i
			all, i = append(all, f), f.to-1
		}
	}
	return all
}

func frequencyAt(t parse.Tokens, i int) (f frequency, ok bool) {
	low := t[i].Low
	if u := everyAdverb(low); u != "" {
		return frequency{seconds: secondsOf(u), to: i + 1}, true
	}
	if low == "every" || low == "each" {
		n, k := countAt(t, i+1)
		if t.At(i+1).Low == "other" || t.At(i+1).Low == "second" {
			n, k = 2, 1
		}
		last := i + 1 + k
		working := workingDays.Has(t.At(last).Low) && partsOfDay.Has(t.At(last+1).Low)
		if working {
			last++
		}
		s, low := secondsOf(t.At(last).Low), t.At(last).Low
		switch {
		case partsOfDay.Has(low):
			s = secondsOf("day")
		case parse.Weekdays.Has(low):
			s = secondsOf("week")
		}
		working = working || low == "weekday" || low == "workday"
		return frequency{seconds: max(1, n) * s, to: last + 1, working: working}, s > 0
	}
	n, k := timesOver(low), 1
	if n == 0 {
		if n, k = countAt(t, i); n == 0 || t.At(i+k).Low != "times" {
			return f, false
		}
		k++
	}
	switch t.At(i + k).Low {
	case "a", "an", "per", "each", "every":
		of, m := countAt(t, i+k+1)
		s := secondsOf(t.At(i + k + 1 + m).Low)
		return frequency{seconds: max(1, of) * s / n, to: i + k + m + 2}, s > 0
	}
	return f, false
}

// countAt reads a number that begins at a token, and how many tokens it takes; 0 if none does.
func countAt(t parse.Tokens, i int) (n float64, k int) {
	if i >= len(t) {
		return 0, 0
	}
	if q, next, ok := t.BareNumber(i); ok {
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
func (o *often) has(d *parse.Detail) bool {
	for _, f := range o.mine {
		if d.Cell == nil && d.FirstToken >= f.from && d.FirstToken < f.to {
			return true
		}
	}
	return false
}

// howOften compares how often something is done. Only a claim and a statement that have one frequency each differ.
func (cmp *Comparison) howOften() (o often) {
	if o.mine = frequencies(cmp.of.Tokens()); len(o.mine) != 1 {
		return o
	}
	for _, e := range cmp.Claims {
		theirs := frequencies(e.Tokens())
		for _, f := range theirs {
			near := f.sameAs(&o.mine[0])
			o.agrees = o.agrees || near
			if !near && len(theirs) == 1 && e.Cells == nil &&
				(2*sharedStems(cmp.of, e) >= len(cmp.of.Stems) || cmp.anchored(e)) {
				o.against = fmt.Sprintf("the finding says %s, the report %s", o.mine[0].text, f.text)
			}
		}
	}
	if o.agrees {
		o.against = ""
	}
	return o
}
