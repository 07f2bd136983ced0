package rank

import (
	"math"
	"strings"

	"blackboard/board/words"
)

// Scale says what words and meaning count for a model. The constants are measured once on labelled
// sets and belong to the model (testdata/score/README.md).
type Scale struct {
	// BM25 is what a BM25 score counts in the ranking beside a cosine. It is added as it
	// is: as a share of the best one, the best of bad matches counts as much as any.
	BM25 float64
	// Cosine, Chance, Match, Title and Said are the parts of evidence; see [Question.Of].
	Cosine, Chance, Match, Title, Said float64
	// English: of texts in other languages the cosine is high whatever they say.
	English bool
	// Unasked is the least evidence of what nobody asked for, in a store of one text (0: to be
	// calibrated), Asked that of an answer.
	Unasked, Asked float64
}

var (
	byWords = Scale{BM25: 1, Chance: 0.0076, Match: 0.25, Title: 0.44, Unasked: 0.22, Asked: 0.24}
	// otherModel lies between a weak model and a strong one, and costs either little.
	otherModel = Scale{BM25: 0.03, Cosine: 0.55, Chance: 0.005, Match: 0.25, Title: 0.4}
	// scales are by the name that a model has by its content: potion-base-2M is the second.
	scales = map[string]Scale{
		"all-MiniLM-L6-v2": {BM25: 0.01, Cosine: 1, Chance: 0.01, Said: 0.2, English: true,
			Unasked: 0.385, Asked: 0.34},
		"model-1ddca2c2c466": {BM25: 0.04, Cosine: 0.55, Chance: 0.005, Match: 0.25, Title: 0.4,
			Unasked: 0.39, Asked: 0.3},
	}
)

// ScaleOf returns the scale of a model, "" being words alone.
func ScaleOf(model string) Scale {
	if model == "" {
		return byWords
	}
	if s, known := scales[model]; known {
		return s
	}
	return otherModel
}

// Reads reports whether the cosine is evidence for a question: words judge the others.
func (s Scale) Reads(question string) bool {
	return s.Unasked > 0 && (!s.English || words.IsEnglish(question))
}

// Calibrated returns the scale with a threshold that was measured, if that is higher than its own.
func (s Scale) Calibrated(unasked float64) Scale {
	if s.Unasked == 0 {
		s.Asked = unasked * askedShare
	}
	s.Unasked = max(s.Unasked, unasked)
	return s
}

// keywords is the extra weight of words in a question of one word, often a name, which embeddings
// do not tell apart; it falls with the square of the terms.
const keywords = 22.0

// Score is what words and meaning count together, for a question of that many terms.
func (s Scale) Score(terms int, bm25, cosine float64) float64 {
	n := float64(max(1, terms))
	return s.BM25*(1+keywords/(n*n))*bm25 + cosine
}

// Least is the least evidence that counts in a store of n texts.
func (s Scale) Least(n int64, unasked bool) float64 {
	least := Threshold(s.Unasked, n)
	if !unasked {
		least = min(least, s.Asked+perAsked*math.Log(float64(max(1, n))))
	}
	return least
}

// Threshold is the threshold in a store of n texts, by that in one of a single text.
func Threshold(one float64, n int64) float64 {
	return one + perText*math.Log(float64(max(1, n)))
}

const (
	// perText is how much the threshold rises with the logarithm of the number of texts: the best
	// of many beside the question is better than of a few. perAsked: of an answer.
	perText, perAsked = 0.06, 0.04
	// askedShare is about the share of Asked in Unasked of the models that were measured.
	askedShare = 0.67
	// The constants of rarity.
	priorDocs, priorShare, commonRarity, littleSaid = 300.0, 0.5, 1.5, 8.0
)

// rarity is a term's rarity here and, for few texts, in language (words.Prior).
func rarity(n, df, prior float64) float64 {
	k := priorDocs + priorShare*n
	return max(0, math.Log((n+k)/(df+k*prior))-commonRarity)
}

// Term is a term of a question, and how many texts have it.
type Term struct {
	Text string
	DF   int
}

// Question is a question as evidence reads it.
type Question struct {
	scale  Scale
	chance float64
	term   map[string]int // the number of a term, and of the stems that stand for it
	weight []float64      // of the terms
	total  float64
}

// Ask weighs a question's terms in a store of n texts; chance is a text's BM25 by chance.
func (s Scale) Ask(n int64, terms []Term, stems map[string]string, chance float64) Question {
	a := Question{scale: s, chance: chance, term: make(map[string]int, len(terms))}
	for i, t := range terms {
		w := rarity(float64(n), float64(t.DF), words.Prior(t.Text))
		a.term[t.Text] = i
		a.weight = append(a.weight, w)
		a.total += w
	}
	for stem, term := range stems {
		a.term[stem] = a.term[term]
	}
	if len(terms) == 0 { // by meaning alone
		a.total = math.MaxFloat32
	}
	return a
}

// Found is a text that was found, as evidence reads it.
type Found struct {
	Cosine, BM25 float64
	Title, Body  []string // terms, read if NeedsTerms
}

// NeedsTerms reports whether evidence needs the terms of what was found.
func (a *Question) NeedsTerms() bool { return a.scale.Match+a.scale.Title > 0 }

// Of returns how sure a text is to be about the question, on one scale for every question
// and every store:
//
//	Cosine·cosine + Chance·(BM25 − chance) + Match·M/√(T+8) + Title·H + Said·T/(T+8)
//
// T is the weight of the question's different terms together, M that of those that the text has, H
// the share of the title's weight that the question has; without a title, M/(T+8). A long question
// shares something with every text, which is chance; one that says little is surely about nothing.
func (a *Question) Of(f Found) float64 {
	matched, named := a.match(f.Title, f.Body)
	s := &a.scale
	e := s.Cosine*max(0, f.Cosine) + s.Match*matched/math.Sqrt(a.total+littleSaid) +
		s.Title*named + s.Said*a.total/(a.total+littleSaid)
	if matched > 0 || !a.NeedsTerms() && f.BM25 > 0 {
		e += s.Chance * (f.BM25 - a.chance)
	}
	return max(0, e)
}

// match returns M and H of a text.
func (a *Question) match(title, body []string) (matched, named float64) {
	said := 0.0
	seen, counted := make(map[string]bool, len(title)+len(body)), make([]bool, len(a.weight))
	for i, list := range [][]string{title, body} {
		// of the last word of a title: how rare it is in general, and whether the question has it
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
	if said == 0 {
		return matched, matched / (a.total + littleSaid)
	}
	return matched, named / said
}
