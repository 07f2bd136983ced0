package claims

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// This file is what package trace sees of claims: it finds the facts of a report in records
// that it reads one after the other.

// A FigureKey is shared by figures that may be equal.
type FigureKey = valueKey

// ExtractFacts reads a statement as Extract does; 12 m are metres.
func ExtractFacts(s *Statement, source string) *Claim {
	return (&Claim{Statement: s, Source: source, stems: map[string]bool{}, English: true, metres: true}).extract()
}

// Skim reads a statement as ExtractFacts does, but not what its details are about, nor what it denies.
func Skim(s *Statement, source string) *Claim {
	c := &Claim{Statement: s, Source: source, stems: map[string]bool{}, English: true, skimmed: true, metres: true}
	return c.extract()
}

// Keys are what a figure is found by.
func (d *Detail) Keys(all []FigureKey) []FigureKey { return d.keys(all) }

// Asks are the keys of figures that may agree with one.
func (d *Detail) Asks() []FigureKey { return d.asks() }

// Relate returns how a detail relates to one of an entry.
func (d *Detail) Relate(e *Detail) Relation { return d.relation(e) }

// About returns the stems that a detail is about, the closest first.
func (d *Detail) About() (stems []string) {
	near := slices.Clone(d.about)
	slices.SortStableFunc(near, func(a, b near1) int { return cmp.Compare(b.by, a.by) })
	for _, n := range near {
		if n.stem[0] != '@' {
			stems = append(stems, n.stem)
		}
	}
	return stems
}

// Stem returns the stem of a word, its lower case form, and whether it has a capital.
func (w *Word) Stem() (stem, low string, capital bool) { return w.stem, w.low, w.capital }

// Context has the stems of the headings, headers and labels above a claim.
func (c *Claim) Context() map[string]bool { return c.context }

// Stems has the stems of a claim's words and names.
func (c *Claim) Stems() map[string]bool { return c.stems }

// Stems returns the stems of a text, and Stem that of one word.
func Stems(text string) []string { return stemsOf(text) }
func Stem(word string) string    { return stem(word) }

// Digits counts the digits of a quantity that say something, and Step is what the last one counts.
func (q *Quantity) Digits() int { return q.significant() }
func (q *Quantity) Step() float64 {
	step := 2 * q.Half
	if q.Whole || q.Half >= .5 {
		step *= math.Pow10(q.zeros())
	}
	return step
}

// UnitOf returns the dimension of a unit, "" if a word is none, and how many of its base it is.
func UnitOf(word string) (dim string, factor float64) {
	u := units()[word]
	return u.dim, u.factor
}

// dimensionOf returns the dimension of a unit, "" if a word is none.
func dimensionOf(word string) string { return units()[word].dim }

// CurrencyOf returns the code of a currency, "" if a word is none.
func CurrencyOf(word string) string { return currencies()[word] }

// Month is how many seconds a month has on average.
const Month = month

// Days is how many days a date may be.
func (in *Instant) Days() int { return in.days() }

// Figure is equal for two details that are the same figure, of whatever.
func (d *Detail) Figure() any {
	if d.T != nil {
		key := struct {
			in, day         Instant
			zone, zoneOfDay int
		}{in: *d.T, zone: -1}
		if d.T.day != nil {
			key.day = *d.T.day
		}
		for _, at := range []struct {
			in   *Instant
			zone *int
		}{{&key.in, &key.zone}, {&key.day, &key.zoneOfDay}} {
			if at.in.Zone != nil {
				*at.zone = *at.in.Zone
			}
			at.in.Zone, at.in.day = nil, nil
		}
		return key
	}
	q := d.Q
	return struct {
		numbers [4]float64
		names   [6]string
		bound   Bound
		flags   [9]bool
	}{[...]float64{q.Number, q.Value, q.Half, q.Other},
		[...]string{q.Dim, q.Unit, q.Per, q.Period, q.Label, strings.Join(q.Noun, " ")}, q.Bound,
		[...]bool{q.About, q.Soft, q.Word, q.Whole, q.Down, q.Ref, q.Minutes, d.about.of(byMark) > 0, d.Cell != nil}}
}

// Plain returns a line as statements have it: without marks of Markdown, with digits as ASCII has them. What it returns
// has none left.
func Plain(line string) string {
	for strings.ContainsAny(line, "[*_~\\") {
		p := plain(line)
		if p == line {
			break
		}
		line = p
	}
	return narrow(line)
}

// IsNumber reports whether a word is a number, in digits or below twenty.
func IsNumber(word string) bool {
	_, ok := ones[word]
	return ok || word != "" && digits(word)
}

// Dates returns the dates in a name or a reference.
func Dates(text string) []Detail { return datesOf(text) }
