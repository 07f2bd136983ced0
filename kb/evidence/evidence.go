// Package evidence says how sure a text that was found is to be about a question.
//
// It has one scale for every question and every store, of one capsule or of thousands:
//
//	evidence = cosine · T/(T+8) + (M/√(T+8) + H) / 4
//
// T is the weight of the question's different terms together, M that of those that the
// hit has: so M/√T grows with the share of the question that the hit has, and with how
// much that says; and a question that says little ("make it faster") is surely about
// nothing. H is the share of the title's weight that the question has, 0 to 1. The weight
// of a term is its rarity, less what common words have:
//
//	rarity(t) = ln((N + k) / (df + k·prior(t))), k = 300 + N/2
//
// where df of N capsules have t, and prior is its share among texts in general
// (words.Prior). So an empty store leans on language in general, a large one
// mostly on itself.
//
// The best of many that are about something else is better than the best of a few, by
// about the logarithm of their number, and so is the threshold:
//
//	threshold(n) = threshold(1) + 0.04 · ln n
//
// in a store of n texts. The constants are chosen on two of the
// sets that come with the program, in bases of 1 to 3,000 capsules, with and without
// documents; package hooks has the figures on two others.
package evidence

import (
	"math"
	"strings"

	"blackboard/board/words"
	"blackboard/kb/index"
)

// The constants of the formula.
const (
	priorDocs    = 300.0
	priorShare   = 0.5
	commonRarity = 1.5
	littleSaid   = 8.0
	cosineShare  = 4.0
	perText      = 0.04
)

const (
	// WordThreshold is from which evidence on a text found by words alone is surely about
	// the question, among one text. It needs no calibration: it depends on no model.
	WordThreshold = 0.145
	// Depth is among how many of the best hits evidence is looked for.
	Depth = 8
	// ReadBody is how much of a body is read, in bytes.
	ReadBody = 16 << 10
)

// Threshold is the threshold in a store of n texts, by that in one of a single text.
func Threshold(one float64, n int64) float64 {
	return one + perText*math.Log(float64(max(1, n)))
}

// rarity is how much a term says that df of n documents have.
func rarity(n, df, prior float64) float64 {
	k := priorDocs + priorShare*n
	return max(0, math.Log((n+k)/(df+k*prior))-commonRarity)
}

// Question is a question as evidence reads it.
type Question struct {
	term   map[string]int // the number of a term, and of the stems that stand for it
	weight []float64      // of the terms
	total  float64
}

// Ask weighs the terms that a search has read in a question.
func Ask(found *index.Result) Question {
	a := Question{term: make(map[string]int, len(found.Terms))}
	for i, t := range found.Terms {
		w := rarity(float64(found.Docs), float64(t.DF), words.Prior(t.Text))
		a.term[t.Text] = i
		a.weight = append(a.weight, w)
		a.total += w
	}
	for stem, term := range found.Stems {
		a.term[stem] = a.term[term]
	}
	if len(found.Terms) == 0 { // by meaning alone
		a.total = math.MaxFloat32
	}
	return a
}

// Of measures a text by its words, whose terms are given, and by its cosine, which
// is 0 if there is none.
func (a *Question) Of(title, body []string, cosine float64) float64 {
	matched, said, named := 0.0, 0.0, 0.0
	seen, counted := make(map[string]bool, len(title)+len(body)), make([]bool, len(a.weight))
	for i, list := range [][]string{title, body} {
		// of the last word of a title: how rare it is in general, and whether the
		// question has it
		word, in := 0.0, false
		for _, t := range list {
			stem := strings.HasPrefix(t, words.StemMark)
			if seen[t] || stem && i == 0 && in {
				continue
			}
			seen[t] = true
			n, has := a.term[t]
			if has && !counted[n] {
				counted[n] = true
				matched += a.weight[n]
			}
			if i == 0 {
				if in = has; !stem {
					word = rarity(0, 0, words.Prior(t))
					said += word
				}
				if in {
					named += word
				}
			}
		}
	}
	e := 0.0
	if a.total > 0 {
		e = matched / math.Sqrt(a.total+littleSaid)
	}
	if said > 0 {
		e += named / said
	}
	return cosine*a.total/(a.total+littleSaid) + e/cosineShare
}
