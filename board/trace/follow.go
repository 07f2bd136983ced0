package trace

import (
	"cmp"
	"slices"
	"strings"

	"blackboard/board/words"
)

// This file tries the figures from which one may follow.

// calculate reports whether a figure follows from others: from those that are supported
// around it in the report, from those of one record, or from two of both.
func (d *deriver) calculate(i int) bool {
	f := &d.facts[i]
	written := f.amount
	defer func() { f.amount = written }()
	rate := d.hasCue(f, periodCues()) || d.hasCue(f, secondCues())
	mean := d.hasCue(f, meanCues())
	said, adds := d.calculates(i), d.units[f.unit].row > 0 || d.hasCue(f, addCues())
	for _, a := range slices.Concat(written.readings(d.isRest(f)), d.unitless(i)) {
		known := a.operand()
		known.rate, known.mean, known.said, known.adds = rate, mean, said, adds
		known.points = d.inPoints(f)
		a.as = &known
		if f.amount = a; d.calculateAs(i) {
			return true
		}
	}
	return false
}

// inPoints reports whether a figure is in percentage points.
func (d *deriver) inPoints(f *fact) bool {
	text := d.units[f.unit].Text
	return strings.Contains(text[f.start:min(f.end+8, len(text))], "point")
}

// readings are what a figure may be in a calculation: cents are of any currency, points
// are percent, and what the others are is not always said.
func (a amount) readings(rest bool) []amount {
	all := []amount{a}
	as := func(dim string) {
		b := a
		b.dim, b.nouns = dim, [2]string{}
		all = append(all, b)
	}
	switch {
	case a.in != nil && a.dim == cents:
		as("EUR")
		as("GBP")
		as("USD")
	case a.dim == "" && rest:
		as("")
	}
	return all
}

// isRest reports whether the word beside a figure says that it is what remains, or a
// difference: the other 36, 62 more.
func (d *deriver) isRest(f *fact) bool {
	text := d.units[f.unit].Text
	before := words.Split(text[max(0, f.start-24):f.start], "")
	after := words.Split(text[f.end:min(len(text), f.end+24)], "")
	if len(after) > 0 && comparatives()[after[0]] {
		return true
	}
	return len(before) > 0 && restCues()[before[len(before)-1]]
}

// isPart reports whether a figure counts some of a number: 37 of 78 patients.
func (d *deriver) isPart(f *fact) bool {
	return strings.HasPrefix(strings.TrimLeft(d.units[f.unit].Text[f.end:], " "), "of ")
}

// unitless are a figure without a unit in the units of the figures around it, where its
// sentence calculates: 498 m³/s, a difference of 43.
func (d *deriver) unitless(i int) (all []amount) {
	f := &d.facts[i]
	if f.amount.dim != "" || f.amount.digits < 2 || f.amount.nouns[0] != "" || d.isPart(f) {
		return nil
	}
	own, _ := d.supported(i)
	for k := range own {
		if x := &own[k]; x.dim != "" && x.raw > 0 && x.dim != "%" && !isMoment(x.dim) &&
			!slices.ContainsFunc(all, func(a amount) bool { return a.dim == x.dim }) {
			a := f.amount
			a.like(x)
			all = append(all, a)
		}
	}
	return all
}

// calculates reports whether the sentence of a figure says that it follows from others,
// or has another.
func (d *deriver) calculates(i int) bool {
	f := &d.facts[i]
	u := &d.units[f.unit]
	if u.row > 0 || f.amount.dim == "×" || f.amount.dim == "%" && d.hasCue(f, ofCue()) ||
		d.hasCue(f, saidCues()) || d.hasCue(f, periodCues()) || d.isPart(f) {
		return true
	}
	for k := max(0, i-20); k < min(len(d.facts), i+20); k++ {
		if g := &d.facts[k]; k != i && g.unit == f.unit && g.isAmount() &&
			g.verdict.Verdict != Unsupported {
			return true
		}
	}
	return false
}

func (d *deriver) calculateAs(i int) bool {
	f := &d.facts[i]
	others := d.around(i)
	if how := cmp.Or(d.ofColumn(i), d.shareOfColumn(i)); how != "" {
		return d.setDerived(f, how, nil, others...)
	}
	own, period := d.supported(i)
	if how, from := calculation(&f.amount, own); how != "" {
		return d.setDerived(f, how, from, others...)
	}
	if how, from := fromOperands(&f.amount, d.operands(i), own); how != "" {
		return d.setDerived(f, how, from, others...)
	}
	if d.hasCue(f, periodCues()) {
		all := own
		for _, r := range others {
			all = slices.Concat(all, d.few(r))
			period = append(period, d.spokenOf(r)...)
		}
		said := periodsOf(d.units[f.unit].Text)
		how := cmp.Or(perPeriod(&f.amount, said, period), f.amount.ofPeriod(said, all))
		if how != "" {
			return d.setDerived(f, how, nil, others...)
		}
	}
	cue := d.hasCue(f, cues()) || f.amount.operand().points
	for _, r := range slices.Concat(others, d.near[i]) {
		all := d.figures(r)
		if !slices.Contains(others, r) {
			if !cue && f.amount.digits < 2 || !d.isAbout(f, r) {
				continue
			}
		}
		if how, from := calculation(&f.amount, all); how != "" {
			return d.setDerived(f, how, from, r)
		}
		if d.hasCue(f, restCues()) {
			if how, from := f.amount.ofRest(all); how != "" {
				return d.setDerived(f, how, from, r)
			}
		}
	}
	if d.ofWhole(i) {
		return true
	}
	if !cue && f.amount.digits < 2 && f.amount.dim != "time" {
		return false
	}
	return d.fromTwo(f, own[:min(len(own), 4)], others, d.near[i]) ||
		f.amount.operand().said && d.fromFar(i, own) || d.fromPassage(i)
}
