// Package clash finds reasons why two texts about the same thing may contradict each
// other.
//
// It compares words, not meaning, so a person has to judge. The caller must know, by
// cosine or shared words, that both texts are about one thing.
//
//	figures     different numbers, versions or dates of the same unit in the same context
//	negation    a word that only one of them negates, in similar sentences
//	opposites   enabled and disabled, always and never, before and after
//	exchange    one word or name in another's place (Exchanged; a memory's short items alone)
//
// A newer note may take the place of an older one without a word of contradiction (Note.Standing).
//
// A figure that both texts have does not clash. Neither does a figure that has no
// counterpart in the other text.
package clash

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"blackboard/board/words"
)

// maxReasons is the maximum number of reasons.
const maxReasons = 8

// Text is what is compared.
type Text struct{ Title, Body string }

// clash is one contradiction between two texts.
type clash struct {
	a, b  string // what each text says, as it says it
	about string // what both are about, "" if a and b say it
}

func (c clash) String() string {
	if c.about == "" {
		return c.a + " against " + c.b
	}
	return fmt.Sprintf("%s against %s (%s)", c.a, c.b, c.about)
}

// Reasons returns at most maxReasons reasons in short, a's side first; nil for equal texts. Swapping a and b never
// changes whether there are reasons.
func Reasons(a, b Text) []string {
	if a == b {
		return nil
	}
	return ReasonsOf(a.Claims(), b.Claims())
}

// Claims parses a text for ReasonsOf.
func (t Text) Claims() *words.Assertions { return words.ReadClaims(t.Title, t.Body) }

// ReasonsOf is Reasons for parsed texts. They must not be of the same text.
func ReasonsOf(x, y *words.Assertions) (out []string) {
	for _, c := range slices.Concat(clashingFigures(x, y), clashingWords(x, y), clashingOrder(x, y)) {
		if reason := c.String(); len(out) < maxReasons && !slices.Contains(out, reason) {
			out = append(out, reason)
		}
	}
	return out
}

// clashingFigures compares what is only in x with what is only in y: a figure that the
// other text has, too, is agreed on.
func clashingFigures(x, y *words.Assertions) (out []clash) {
	own := func(a, b *words.Assertions) (out []*words.Figure) {
		for i := range a.Figures {
			f := &a.Figures[i]
			if !slices.ContainsFunc(b.Figures, func(g words.Figure) bool {
				return f.Like(&g) &&
					!f.Differs(&g)
			}) {
				out = append(out, f)
			}
		}
		return out
	}
	ys := own(y, x)
	for _, f := range own(x, y) {
		for _, g := range ys {
			if !f.Like(g) || !f.Differs(g) {
				continue
			}
			if about := sameContext(f, g); about != "" {
				out = append(out, clash{f.Shown, g.Shown, about})
			}
		}
	}
	return out
}

// contrast are words that are spoken of in each other's place: what differs between
// them is no contradiction.
var contrast = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, group := range strings.Split(`read write|request response|min max minimum maximum
		average median mean|client server|dev prod staging production development test ci|upload
		download|input output| local remote|primary secondary replica|linux macos windows
		darwin|internal external|soft hard|connect idle|first second third last|daily weekly
		monthly hourly|cold warm|parent child|left right| width height|cpu memory disk|idle
		busy|retry timeout|before after|old new|lower upper`, "|") {
		group = strings.TrimSpace(group)
		for _, w := range strings.Fields(group) {
			m[words.Base(w)] = group
		}
	}
	return m
})

// sameContext returns what both figures are about, or "" if that is not the same: each
// side names something that the other does not, as much as they share; or they speak of
// the search API and the upload API.
func sameContext(f, g *words.Figure) string {
	var shared, mine, theirs, both []string
	for st := range f.Context {
		if _, ok := g.Context[st]; ok {
			shared = append(shared, st)
		} else {
			mine = append(mine, st)
		}
	}
	for st := range g.Context {
		if _, ok := f.Context[st]; !ok {
			theirs = append(theirs, st)
		}
	}
	if strings.HasPrefix(f.Unit, "#") && len(shared) == 0 && (len(mine) == 0 || len(theirs) == 0) {
		return f.Unit[1:]
	}
	fewer := min(len(mine), len(theirs))
	if len(shared) == 0 || len(shared) <= fewer && len(shared) < 2 || len(shared)*2 < fewer {
		return ""
	}
	for _, st := range shared {
		a, b := f.Context[st], g.Context[st]
		if slices.Contains(mine, a.Before) && slices.Contains(theirs, b.Before) {
			return ""
		}
		both = append(both, strings.ToLower(max(a.Word, b.Word)))
	}
	contrasts := contrast()
	for _, a := range mine {
		for _, b := range theirs {
			if contrasts[a] != "" && contrasts[a] == contrasts[b] ||
				strings.ContainsAny(a, "._/0123456789") &&
					strings.ContainsAny(b, "._/0123456789") {
				return ""
			}
		}
	}
	slices.Sort(both)
	return strings.Join(both[:min(3, len(both))], " ")
}

// clashingWords compares how each word is meant in sentences that are alike.
func clashingWords(x, y *words.Assertions) (out []clash) {
	spoken := func(st string) bool { return x.Stems[st] || y.Stems[st] }
	all := func(c *words.Assertions) (out []map[string]words.Side) {
		for i := range c.Sentences {
			out = append(out, c.Sentences[i].Sides(spoken))
		}
		return out
	}
	xs, ys := all(x), all(y)
	few := len(xs)+len(ys) <= 2
	said := func(st string, as words.Side, in []map[string]words.Side,
		like map[string]words.Side) bool {
		return slices.ContainsFunc(in, func(m map[string]words.Side) bool {
			if m[st] != as {
				return false
			}
			_, alike := compareSides(m, like, few)
			return alike
		})
	}
	for i := range xs {
		for j := range ys {
			differ, alike := compareSides(xs[i], ys[j], few)
			if !alike || len(differ) == 1 && (x.Sentences[i].Aside[differ[0]] ||
				y.Sentences[j].Aside[differ[0]]) {
				continue // what is ruled out here may well be spoken of there
			}
			for _, st := range differ {
				if said(st, xs[i][st], ys, xs[i]) || said(st, ys[j][st], xs, ys[j]) {
					continue // each for its own case, and both say so
				}
				out = append(out, clash{a: x.Sentences[i].As(st, xs[i][st]), b: y.Sentences[j].As(st, ys[j][st])})
			}
		}
	}
	return out
}

// compareSides returns the words that two sentences mean in opposite ways, and whether
// the sentences are alike in the others.
func compareSides(a, b map[string]words.Side, few bool) (differ []string, alike bool) {
	shared := 0
	for st, as := range a {
		switch other := b[st]; {
		case other == 0:
		case other == as.Opposite() && other != as:
			differ = append(differ, st)
		default:
			shared++
		}
	}
	slices.Sort(differ)
	small := min(len(a), len(b)) - len(differ)
	if shared == 0 { // of one word: too little, unless that is all there is
		return differ, small == 0 && (few || len(differ) > 1)
	}
	return differ, shared*2 >= small
}

// clashingOrder compares what comes before what. "A before B" clashes with "A after B",
// and with "B before A".
func clashingOrder(x, y *words.Assertions) (out []clash) {
	for i := range x.Sentences {
		l1, r1, w1 := x.Sentences[i].Order()
		if w1 == "" {
			continue
		}
		for j := range y.Sentences {
			l2, r2, w2 := y.Sentences[j].Order()
			if w2 == "" {
				continue
			}
			straight, crossed := min(common(l1, l2), common(r1, r2)),
				min(common(l1, r2), common(r1, l2))
			if straight > crossed && w1 != w2 || crossed > straight && w1 == w2 {
				out = append(out, clash{w1, w2, strings.Join(slices.Sorted(maps.Keys(r1)), " ")})
			}
		}
	}
	return out
}

func common(a, b map[string]bool) (n int) {
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}
