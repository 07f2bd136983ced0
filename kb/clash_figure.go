package kb

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// This file compares figures: what of each text is a figure, what it is about, and whether two cannot both be true of one thing. Most figures differ because they
// count something else, so what stands around them decides.

// A figure is a number with its unit and what stands around it.
type figure struct {
	kind    string // number, version, date
	lo, hi  float64
	unit    string
	version string // 1.2, without zeros at its end
	date    string // 2026, 2026-03 or 2026-03-23
	shown   string
	context map[string]near
}

// near is a word of a context, as it stands, and what stands right before it: "search" of "search API".
type near struct{ word, before string }

// figuresOf reads the figures of a sentence. No word belongs to two: the 3 of "March 3" is no number.
func (cl *claims) figuresOf(s *sentence) {
	taken := 0 // words before this one belong to a figure
	for i := 0; i < len(s.words) && len(cl.figures) < clashFigures; i++ {
		if i < taken {
			continue
		}
		f, from, to := readFigure(s.words, i)
		if f == nil {
			continue
		}
		taken = to
		f.context = contextOf(s.words, from, to, f.unit)
		cl.figures = append(cl.figures, *f)
	}
}

// readFigure reads the figure that begins at a word, and says from where to where it goes.
func readFigure(words []clashWord, i int) (f *figure, from, to int) {
	if f, n := readDate(words, i); f != nil {
		for k := max(0, i-3); k < i; k++ {
			if slices.Contains(lookedAt, words[k].low) || words[k].low == "as" && words[k+1].low == "of" {
				return nil, 0, 0
			}
		}
		return f, i, i + n
	}
	if f := readVersion(words, i); f != nil {
		return f, i, i + 1
	}
	return readNumber(words, i)
}

// wordAt is the empty word before the first and after the last.
func wordAt(words []clashWord, i int) clashWord {
	if i < 0 || i >= len(words) {
		return clashWord{}
	}
	return words[i]
}

// contextOf is what is spoken of around a figure: in its part of the sentence, else in the sentence.
func contextOf(words []clashWord, from, to int, unit string) map[string]near {
	cuts := func(w clashWord) bool {
		return strings.ContainsAny(w.low, ",;()") || w.low == "and" || w.low == "or"
	}
	begin, end := from, to
	for begin > 0 && from-begin < 8 && !cuts(words[begin-1]) {
		begin--
	}
	for end < len(words) && end-to < 6 && !cuts(words[end]) {
		end++
	}
	around := func(a, b int) map[string]near {
		m := nearOf(slices.Concat(words[a:from], []clashWord{{}}, words[to:b]))
		delete(m, strings.TrimPrefix(unit, "#"))
		return m
	}
	if m := around(begin, end); len(m) > 0 {
		return m
	}
	return around(max(0, from-12), min(len(words), to+6))
}

// nearOf keeps of each word what stands before it, as "search API" and "upload API" are two things.
func nearOf(words []clashWord) map[string]near {
	m := map[string]near{}
	for i, w := range words {
		if w.stem != "" {
			n := near{word: w.text}
			if i > 0 {
				n.before = words[i-1].stem
			}
			m[w.stem] = n
		}
	}
	return m
}

// clashTitle reads a title as the context of a figure that has none of its own: no sentence is made of it.
func clashTitle(title string) (words []clashWord) {
	for _, s := range clashToken.FindAllString(title, -1) {
		words = append(words, clashWord{text: s, stem: clashStem(strings.ToLower(s))})
	}
	return words
}

// clashingFigures compares what is only in x with what is only in y: a figure that the other text has, too, is agreed on.
func clashingFigures(x, y *claims) (out []string) {
	own := func(a, b *claims) (out []*figure) {
		for i := range a.figures {
			f := &a.figures[i]
			if !slices.ContainsFunc(b.figures, func(g figure) bool { return f.like(&g) && !f.differs(&g) }) {
				out = append(out, f)
			}
		}
		return out
	}
	ys := own(y, x)
	for _, f := range own(x, y) {
		for _, g := range ys {
			if !f.like(g) || !f.differs(g) {
				continue
			}
			if about := sameContext(f, g); about != "" {
				out = append(out, fmt.Sprintf("%s against %s (%s)", f.shown, g.shown, about))
			}
		}
	}
	return out
}

func (f *figure) like(g *figure) bool { return f.kind == g.kind && f.unit == g.unit }

// differs says whether both cannot be true of one thing.
func (f *figure) differs(g *figure) bool {
	switch f.kind {
	case "version":
		return f.version != g.version
	case "date":
		return !strings.HasPrefix(f.date, g.date) && !strings.HasPrefix(g.date, f.date) // March 2026 may be the 23rd
	}
	if math.IsInf(f.hi, 1) && math.IsInf(g.hi, 1) {
		return f.lo != g.lo
	}
	if math.IsInf(f.lo, -1) && math.IsInf(g.lo, -1) {
		return f.hi != g.hi
	}
	slack := 1e-9 * math.Max(math.Abs(f.lo), math.Abs(g.lo))
	if f.unit == "size" { // KB or KiB
		slack = 0.08 * math.Min(math.Abs(f.lo), math.Abs(g.lo))
	}
	if math.IsInf(slack, 0) || math.IsNaN(slack) {
		slack = 0
	}
	return f.lo > g.hi+slack || g.lo > f.hi+slack
}

// contrast are words that are spoken of in each other's place: what differs between them is no contradiction.
var contrast = func() map[string]string {
	m := map[string]string{}
	for _, group := range strings.Split(`read write|request response|min max minimum maximum average median mean|client server|dev prod staging production development test ci|upload download|input output|
		local remote|primary secondary replica|linux macos windows darwin|internal external|soft hard|connect idle|first second third last|daily weekly monthly hourly|cold warm|parent child|left right|
		width height|cpu memory disk|idle busy|retry timeout|before after|old new|lower upper`, "|") {
		group = strings.TrimSpace(group)
		for _, w := range strings.Fields(group) {
			m[clashStem(w)] = group
		}
	}
	return m
}()

// sameContext returns what both figures are about, or "" if that is not the same: each side names something that the other does not, as much as they
// share; or they speak of the search API and the upload API.
func sameContext(f, g *figure) string {
	var shared, mine, theirs, words []string
	for st := range f.context {
		if _, ok := g.context[st]; ok {
			shared = append(shared, st)
		} else {
			mine = append(mine, st)
		}
	}
	for st := range g.context {
		if _, ok := f.context[st]; !ok {
			theirs = append(theirs, st)
		}
	}
	if strings.HasPrefix(f.unit, "#") && len(shared) == 0 && (len(mine) == 0 || len(theirs) == 0) {
		return f.unit[1:]
	}
	fewer := min(len(mine), len(theirs))
	if len(shared) == 0 || len(shared) <= fewer && len(shared) < 2 || len(shared)*2 < fewer {
		return ""
	}
	for _, st := range shared {
		a, b := f.context[st], g.context[st]
		if slices.Contains(mine, a.before) && slices.Contains(theirs, b.before) {
			return ""
		}
		words = append(words, strings.ToLower(max(a.word, b.word)))
	}
	for _, a := range mine {
		for _, b := range theirs {
			if contrast[a] != "" && contrast[a] == contrast[b] || strings.ContainsAny(a, "._/0123456789") && strings.ContainsAny(b, "._/0123456789") {
				return ""
			}
		}
	}
	slices.Sort(words)
	return strings.Join(words[:min(3, len(words))], " ")
}
