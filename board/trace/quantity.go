package trace

import (
	"math"
	"slices"
	"strings"
	"sync"

	"blackboard/board/claims/parse"
	"blackboard/board/text"
	"blackboard/board/words"
)

// This file reads the figures of a report, and makes amounts of them to calculate with.

// amount is a number with its unit, in a report or a record, in the form in which figures are calculated.
type amount struct {
	value      float64 // in the base of its dimension
	raw        float64 // as it is written
	step       float64 // of its last digit that counts: 100 for 4,500, 0.1 for 11.9
	digits     int     // that count
	dim        string  // %, EUR, time, …; "" for what is counted, or nothing
	nouns      [2]string
	per        string  // of what it is a rate: a dimension, or the key of a noun
	perOf      float64 // how many of that dimension's base one is
	perToo     string  // the key of another noun that says of what
	bound      bool    // about, at least, at most
	in         *parse.Claim
	start, end int // in the claim's text
	text       string
	as         *operand
}

// operand is what the sentence of an amount says.
type operand struct {
	ofMany     string // the key of a noun, or perEach, if each of some has it
	rate, mean bool   // its sentence speaks of a period, of an average
	said, adds bool   // its sentence calculates, adds or subtracts
	points     bool   // it is in points: a difference of two shares, and no share
}

func (a *amount) operand() operand {
	if a.as == nil {
		return operand{}
	}
	return *a.as
}

// amountOf returns the amount of a quantity.
func amountOf(c *parse.Claim, d *parse.Detail, at int) amount {
	q := d.Q
	a := amount{value: math.Abs(q.Value), raw: math.Abs(q.Number), step: q.Step(), digits: max(1, q.Digits()),
		dim: q.Dim, bound: q.Bound != 0 || q.About, in: c, start: at, end: at + len(d.Text), text: d.Text}
	copy(a.nouns[:], nounsOf(q))
	if _, of := parse.UnitOf(strings.ToLower(q.Unit)); of > 0 {
		a.raw = a.value / of
	} else {
		a.raw = a.value
	}
	switch q.Dim {
	case "percent", "points":
		a.dim = "%"
	case "money":
		a.dim = q.Unit
	case "ratio":
		a.dim = "×"
	case "pence":
		a.dim = "GBP"
	case "months": // the twelfth part of a year of days
		a.dim, a.value, a.step = "time", a.value*365*day/12, a.step*365*day/12
	}
	a.readPer(q, c.Text[min(len(c.Text), a.end):])
	a.as = &operand{ofMany: eachBefore(c.Text[:min(len(c.Text), at)])}
	return a
}

// cents is the dimension of money in cents, of whatever currency.
const cents = "cents"

// like takes over the unit of another amount.
func (a *amount) like(b *amount) {
	if b.raw > 0 {
		a.value, a.step = a.value*b.value/b.raw, a.step*b.value/b.raw
	}
	a.dim = b.dim
}

// How far a figure may be from one that supports it, in parts of it.
const (
	sameShare  = 1e-9
	roundShare = 0.1 // no rounding changes a figure by more
	aboutShare = 0.1
)

// How a figure answers to another.
type match byte

const (
	noMatch   match = iota
	otherUnit       // the same number, in another unit
	otherNoun       // the same number of other things
	noUnit          // the same number, where one of both has no unit
	rounded         // of a more exact figure
	same
)

// matches says how a figure of a record answers to one of the report.
func matches(d, x *parse.Detail) match {
	rel := d.Relate(x)
	switch rel {
	case parse.Same, parse.Rounded:
	case parse.Bare:
		unit := parse.Stem(d.Q.Unit + x.Q.Unit)
		if d.Q.Soft || x.Q.Soft || slices.Contains(d.Q.Noun, unit) || slices.Contains(x.Q.Noun, unit) || d.Cell != nil && d.Q.Dim == "" {
			return same // 9.6 migraine days
		}
		if len(d.Q.Noun)+len(x.Q.Noun) > 0 && d.Q.Dim != x.Q.Dim {
			return otherUnit
		}
		return noUnit
	case parse.OtherUnit, parse.OtherCurrency, parse.OtherRate:
		if d.Q.Dim == "points" || x.Q.Dim == "points" {
			return same
		}
		return otherUnit
	case parse.OtherBound, parse.OtherSign: // the sentences say whether that differs
		return same
	default:
		return noMatch
	}
	if d.Q != nil && d.Q.Dim == "" && !countAlike(nounsOf(d.Q), nounsOf(x.Q)) {
		if rel == parse.Rounded && x.Q.Digits() < 3 {
			return noMatch
		}
		return otherNoun
	}
	if rel == parse.Rounded && d.T == nil {
		return rounded
	}
	return same
}

// countAlike reports whether two counts may be of one thing: they share a noun, or one of
// them counts what anything may be called.
func countAlike(a, b []string) bool {
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(n string) bool {
		return n != "" && (slices.Contains(b, n) || anyNouns()[n])
	}) || slices.ContainsFunc(b, func(n string) bool { return anyNouns()[n] })
}

func (a *amount) counts(g *amount) bool {
	return (a.nouns[0] != "") == (g.nouns[0] != "") && countAlike(a.nouns[:], g.nouns[:])
}

// nounsOf returns the stems of what a quantity counts.
func nounsOf(q *parse.Quantity) []string {
	for i, n := range q.Noun {
		if noNouns()[n] {
			return q.Noun[:i]
		}
	}
	return q.Noun
}

// noNouns are the stems of words after a number that are no name of what it counts.
var noNouns = sync.OnceValue(func() map[string]bool {
	return stemSet(`remain remains remained remaining left stay stays stayed short went came did made took have had
		were are was extra further additional apiece`)
})

func stemSet(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[parse.Stem(w)] = true
	}
	return m
}

// anyNouns are the stems of words that people, things and events are called by in place
// of their name.
var anyNouns = sync.OnceValue(func() map[string]bool {
	return stemSet("people persons individuals units items pieces cases instances occurrences times")
})

// kindOf is the kind of fact that a quantity is.
func kindOf(q *parse.Quantity) string {
	switch q.Dim {
	case "percent", "points":
		return KindPercent
	case "money", cents, "pence":
		return KindMoney
	}
	return KindNumber
}

// placeWords stand before a number that counts a part of a document.
var placeWords = lazySet(`page pages p pp section sections sec table tables figure figures fig chapter
	chapters ch appendix annex exhibit step steps item items footnote note line lines no
	nr number part parts paragraph paragraphs para finding findings recommendation
	recommendations question questions option options point row rows column slide sheet
	volume vol issue article art clause cl cls rule rules regulation schedule attachment phase tier level task draft`)

// structureWords are what a report counts of itself.
var structureWords = lazySet(`section sections chapter chapters table tables figure figures
	appendix appendices annexes page pages part parts recommendation recommendations step steps
	paragraph paragraphs heading headings bullet bullets column columns reason reasons theme
	themes topic topics conclusion conclusions question questions finding findings area areas
	matter matters takeaway takeaways way ways observation observations priority priorities option options point
	points thing things following`)

// materials are what a report says at its beginning that it rests on.
var materials = lazySet("documents papers files sources records texts")

// lazySet is a set that is made when it is first needed, not when a process starts.
func lazySet(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return words.SetOf(list) })
}

// readDate reads a date or a time.
func (fr *factReader) readDate(f fact) {
	f.kind = KindDate
	if in := f.detail.T; in.Dated && in.Clock >= 0 { // two facts, which may stand apart
		text := fr.u.Text[f.start:f.end]
		if m := clock.FindStringSubmatchIndex(text); m != nil && m[0] > 3 {
			day, at := *in, *in
			day.Clock, at.Dated = -1, false
			one, two := *f.detail, *f.detail
			one.T, two.T = &day, &at
			two.Text = text[m[0]:]
			g := fact{detail: &two, origin: f.detail, start: f.start + m[0], end: f.end}
			f = fact{detail: &one, origin: f.detail, start: f.start, end: f.start + len(strings.TrimRight(text[:m[0]], " ,T("))}
			one.Text = fr.u.Text[f.start:f.end]
			fr.readDate(f)
			f = g
		}
	}
	if in := f.detail.T; in.AnyYear && in.Days() > 1 && in.Dated || in.Round && !in.Dated { // July, about noon
		return
	}
	if f.detail.T.Dated && f.detail.T.Clock < 0 && fr.ownDate() || fr.u.Title && f.detail.T.Days() > 300 {
		return
	}
	if !f.detail.T.Dated {
		f.kind = KindTime
	}
	fr.add(f)
}

var clock = text.NewRegexp(`\d{1,2}[:.]\d{2}`)

// ownDate reports whether a unit says when the report was written.
func (fr *factReader) ownDate() bool {
	i := fr.unit
	for i > 0 && fr.units[i-1].report == fr.u.report {
		i--
	}
	if fr.unit-i > 5 || len(fr.u.Heads) > 1 {
		return false
	}
	all := words.Split(fr.u.Text, "")
	short := fr.unit-i <= 2 && len(fr.u.Heads) == 1 && len(all) <= 10 && !strings.HasSuffix(fr.u.Text, ".")
	return fr.u.Title || short || slices.ContainsFunc(all, func(w string) bool { return ownDates()[w] })
}

var ownDates = lazySet(
	`report version draft date dated prepared status author authors written revision memo`)

// readNumber reads an amount, or the number of a version.
func (fr *factReader) readNumber(f fact) {
	before, after := words.Split(fr.u.Text[:f.start], ""), words.Split(fr.u.Text[f.end:], "")
	at := func(all []string, i int) string {
		if i < 0 || i >= len(all) {
			return ""
		}
		return all[i]
	}
	last, next := at(before, len(before)-1), at(after, 0)
	if fr.isStructural(&f, before, after) {
		fr.skipped = f.end
		return
	}
	f.amount = amountOf(fr.u.Claim, f.detail, f.start)
	f.kind = kindOf(f.detail.Q)
	if text := fr.u.Text[f.start:f.end]; f.amount.dim == "" && strings.Contains(text, ".") &&
		(versionWords()[last] || versionWords()[next]) {
		f.kind, f.runs = KindIdentifier, runsOf(text)
	}
	fr.add(f)
}

var versionWords = lazySet("release version build")

// isStructural reports whether a number belongs to the form of the report: a page, a
// reference, a row's number, a count of its own parts, or a word that is hardly a
// number. before and after are the words on both sides of it.
func (fr *factReader) isStructural(f *fact, before, after []string) bool {
	q, u := f.detail.Q, fr.u
	at := func(all []string, i int) string {
		if i < 0 || i >= len(all) {
			return ""
		}
		return all[i]
	}
	last, second, next := at(before, len(before)-1), at(before, len(before)-2), at(after, 0)
	head := strings.TrimRight(u.Text[:f.start], " \u00a0")
	plain, counted := q.Dim == "", len(nounsOf(q)) > 0 && !q.Ref
	ownCount := structureWords()[next] || structureWords()[at(after, 1)] && counted
	switch {
	case plain && placeWords()[last] && !strings.ContainsAny(u.Text[len(head)-min(len(head), 1):len(head)], ",;:)"),
		plain && !counted && afterFile(head), plain && strings.HasSuffix(head, "§"), plain && strings.HasSuffix(head, "#"):
		return true
	case plain && fr.skipped >= 0 && f.start-fr.skipped < 6 &&
		strings.Trim(u.Text[fr.skipped:f.start], " ,–-andto") == "":
		return true
	case q.Word && (q.Dim == "percent" && !strings.Contains(f.detail.Text, "per") || q.Unit == "quarter" || q.Dim == "points" || q.Number < 1):
		return true // three quarters, half an hour
	case q.Word:
		fraction := next == "out" || next == "in" && parse.IsNumber(at(after, 1)) ||
			last == "in" && (parse.IsNumber(second) || parse.IsNumber(at(before, len(before)-3))) ||
			last == "every" || last == "of" && second == "out" || fractions()[next]
		return q.Number < 2 || fraction || plain && (!counted || q.Number < 3) || pointing(last) || ownCount ||
			len(before) == 0 && materials()[next] || slices.Contains(before, "would") || slices.Contains(after, "would")
	case plain && counted && q.Value <= 20 && q.Whole && ownCount:
		return true
	}
	return u.row > 0 && plain && q.Value == float64(u.row) && f.detail.Cell.Column == 0
}

// pointing reports whether a word stands before a number of things that the report has named: the first three.
func pointing(w string) bool { return w == "first" || w == "these" || w == "those" }

var fractions = lazySet(`half halves third thirds quarter quarters fifth fifths sixth sixths
	eighth eighths tenth tenths`)

// afterFile reports whether a text ends in the name of a file, and a place in it perhaps
// begun: "auth.md 3-" before the 4.
func afterFile(text string) bool {
	all := strings.Fields(text)
	for i := len(all) - 1; i >= max(0, len(all)-3); i-- {
		if strings.Trim(all[i], "0123456789,–-") != "" {
			return fileName.MatchString(strings.Trim(all[i], "`*_()[]\"'"))
		}
	}
	return false
}
