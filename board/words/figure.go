package words

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// This file reads figures: their text, their subject, and whether two of them exclude
// each other.

// Figure is a number with its unit and its context.
type Figure struct {
	Kind   string // number, version, date
	Lo, Hi float64
	// the dimension that both are in the base of, # and a stem for what is counted, or
	// ""
	Unit    string
	Version string // 1.2, without zeros at its end
	Date    string // 2026, 2026-03 or 2026-03-23
	Shown   string // as it was written
	Context map[string]Near
}

// Near is a word of a context, as it stands, and what stands right before it: "search"
// of "search API".
type Near struct{ Word, Before string }

// figuresOf reads the figures of a sentence. No word belongs to two: the 3 of "March 3"
// is no number.
func (cl *Assertions) figuresOf(s *Sentence) {
	taken := 0 // words before this one belong to a figure
	for i := 0; i < len(s.words) && len(cl.Figures) < maxFigures; i++ {
		if i < taken {
			continue
		}
		f, from, to := readFigure(s.words, i)
		if f == nil {
			taken = max(taken, to)
			continue
		}
		taken = to
		f.Context = contextOf(s.words, from, to, f.Unit)
		cl.Figures = append(cl.Figures, *f)
	}
}

// readFigure reads the figure that begins at a word, and says from where to where it
// goes. It is nil for a date that is no part of the claim, too.
func readFigure(words []token, i int) (f *Figure, from, to int) {
	if f, n := readDate(words, i); f != nil {
		for k := max(0, i-3); k < i; k++ {
			if slices.Contains(lookedAt, words[k].low) || words[k].low == "as" &&
				words[k+1].low == "of" {
				return nil, i, i + n
			}
		}
		return f, i, i + n
	}
	if f := readVersion(words, i); f != nil {
		return f, i, i + 1
	}
	return readNumber(words, i)
}

// wordAt returns a word, an empty one before the first and after the last.
func wordAt(words []token, i int) token {
	if i < 0 || i >= len(words) {
		return token{}
	}
	return words[i]
}

// contextOf returns the stems around a figure: in its part of the sentence, or else in
// the whole sentence.
func contextOf(words []token, from, to int, unit string) map[string]Near {
	cuts := func(w token) bool {
		return strings.ContainsAny(w.low, ",;()") || w.low == "and" || w.low == "or"
	}
	begin, end := from, to
	for begin > 0 && from-begin < 8 && !cuts(words[begin-1]) {
		begin--
	}
	for end < len(words) && end-to < 6 && !cuts(words[end]) {
		end++
	}
	around := func(a, b int) map[string]Near {
		m := nearOf(slices.Concat(words[a:from], []token{{}}, words[to:b]))
		delete(m, strings.TrimPrefix(unit, "#"))
		return m
	}
	if m := around(begin, end); len(m) > 0 {
		return m
	}
	return around(max(0, from-12), min(len(words), to+6))
}

// nearOf keeps of each word what stands before it, as "search API" and "upload API" are
// two things.
func nearOf(words []token) map[string]Near {
	m := map[string]Near{}
	for i, w := range words {
		if w.stem != "" {
			n := Near{Word: w.text}
			if i > 0 {
				n.Before = words[i-1].stem
			}
			m[w.stem] = n
		}
	}
	return m
}

// Like reports whether two figures have the same kind and unit.
func (f *Figure) Like(g *Figure) bool { return f.Kind == g.Kind && f.Unit == g.Unit }

// Differs reports whether two figures exclude each other for one thing.
func (f *Figure) Differs(g *Figure) bool {
	switch f.Kind {
	case "version":
		return f.Version != g.Version
	case "date":
		// March 2026 may be the 23rd
		return !strings.HasPrefix(f.Date, g.Date) && !strings.HasPrefix(g.Date, f.Date)
	}
	if math.IsInf(f.Hi, 1) && math.IsInf(g.Hi, 1) {
		return f.Lo != g.Lo
	}
	if math.IsInf(f.Lo, -1) && math.IsInf(g.Lo, -1) {
		return f.Hi != g.Hi
	}
	slack := 1e-9 * math.Max(math.Abs(f.Lo), math.Abs(g.Lo))
	if f.Unit == "size" { // KB or KiB
		slack = 0.08 * math.Min(math.Abs(f.Lo), math.Abs(g.Lo))
	}
	if math.IsInf(slack, 0) || math.IsNaN(slack) {
		slack = 0
	}
	return f.Lo > g.Hi+slack || g.Lo > f.Hi+slack
}

// lookedAt are the words before a date of observation, which is not part of the claim.
var lookedAt = []string{"verified", "checked", "measured", "seen", "noted", "updated", "observed",
	"tested", "confirmed", "reviewed", "written", "recorded", "asof"}

// readDate reads 2026-03-23, 2026-03, March 23, 2026, 23 March 2026, March 2026 and "in
// 2026", and says how many words it is.
func readDate(words []token, i int) (*Figure, int) {
	low := func(k int) string { return wordAt(words, k).low }
	month := func(k int) int { return numerals()[low(k)].month }
	year := func(k int) bool {
		n, err := strconv.Atoi(low(k))
		return err == nil && len(low(k)) == 4 && n >= 1900 && n < 2100
	}
	day := func(k int) int {
		n, _ := strconv.Atoi(low(k))
		if n > 31 {
			return 0
		}
		return n
	}
	made := func(n int, format string, args ...any) (*Figure, int) {
		date := fmt.Sprintf(format, args...)
		return &Figure{Kind: "date", Date: date, Shown: date}, n
	}
	w := low(i)
	comma := 0
	if low(i+2) == "," {
		comma = 1
	}
	switch m, m2 := month(i), month(i+1); {
	case len(w) >= 7 && w[4] == '-' && w[0] >= '1' && w[0] <= '2':
		return made(1, "%s", w)
	case m > 0 && day(i+1) > 0 && year(i+2+comma):
		return made(3+comma, "%s-%02d-%02d", low(i+2+comma), m, day(i+1))
	case m > 0 && year(i+1):
		return made(2, "%s-%02d", low(i+1), m)
	case day(i) > 0 && m2 > 0 && year(i+2):
		return made(3, "%s-%02d-%02d", low(i+2), m2, day(i))
	case year(i) && slices.Contains([]string{"in", "since", "until", "by", "from", "of", "during",
		"before", "after"}, low(i-1)):
		return made(1, "%s", w)
	}
	return nil, 0
}
