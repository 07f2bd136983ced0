package parse

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// This file is what package trace sees of claims: it finds the facts of a report in records
// that it reads one after the other.

// ExtractFacts reads a statement as Extract does; 12 m are metres.
func ExtractFacts(s *Statement, source string) *Claim {
	return (&Claim{Statement: s, Source: source, English: true, metres: true}).Fill()
}

// Skim reads a statement as ExtractFacts does, but not what its details are about, nor what it denies.
func Skim(s *Statement, source string) *Claim { return (&Claim{}).Skim(s, source) }

// Skim reads a statement into a claim that nobody uses any more, whose room it takes.
func (c *Claim) Skim(s *Statement, source string) *Claim {
	clear(c.Stems)
	clear(c.Context)
	*c = Claim{Statement: s, Source: source, Words: c.Words[:0], Details: c.Details[:0], Stems: c.Stems, Context: c.Context,
		ContextDates: c.ContextDates[:0], English: true, skimmed: true, metres: true}
	return c.Fill()
}

// About returns the stems that a detail is about, the closest first.
func (d *Detail) About() (stems []string) {
	near := slices.Clone(d.Topic)
	slices.SortStableFunc(near, func(a, b TopicStem) int { return cmp.Compare(b.Closeness, a.Closeness) })
	for _, n := range near {
		if n.Stem[0] != '@' {
			stems = append(stems, n.Stem)
		}
	}
	return stems
}

// Step is what the last digit of a quantity that says something counts.
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

// DimensionOf returns the dimension of a unit, "" if a word is none.
func DimensionOf(word string) string { return units()[word].dim }

// CurrencyOf returns the code of a currency, "" if a word is none.
func CurrencyOf(word string) string { return currencies()[word] }

// Month is how many seconds a month has on average.
const Month = month

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
		[...]bool{q.About, q.Soft, q.Word, q.Whole, q.Down, q.Ref, q.Minutes, d.Topic.Closeness(ByMark) > 0,
			d.Cell != nil}}
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
	_, ok := SmallNumbers[word]
	return ok || word != "" && digits(word)
}

// Dates returns the dates in a name or a reference.
func Dates(text string) []Detail { return datesOf(text) }
