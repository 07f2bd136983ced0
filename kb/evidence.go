package kb

import (
	"cmp"
	"math"
	"slices"

	"blackboard/board/words"
	"blackboard/kb/index"
)

// Evidence says how sure a hit is to be about a question, on one scale for every question
// and every knowledge base, of one capsule or of thousands:
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
// (words.Prior). So an empty knowledge base leans on language in general, a large one
// mostly on itself.
//
// The best of many that are about something else is better than the best of a few, by
// about the logarithm of their number, and so is the threshold:
//
//	threshold(n) = threshold(1) + 0.04 · ln n
//
// in a knowledge base of n capsules and sections. The constants are chosen on two of the
// sets that come with the program, in bases of 1 to 3,000 capsules, with and without
// documents; package hooks has the figures on two others.
const (
	priorDocs    = 300.0
	priorShare   = 0.5
	commonRarity = 1.5
	littleSaid   = 8.0
	cosineShare  = 4.0
	perCapsule   = 0.04
	// wordThreshold is from which evidence on a hit found by words alone is surely about
	// the question, among one capsule. It needs no calibration: it depends on no model.
	wordThreshold = 0.145
	// RecallLimit and RecallFloor are how a prompt is answered unasked: by at most three
	// capsules, none with a lower share of the best one's evidence than the floor.
	RecallLimit = 3
	RecallFloor = 0.95
	// gateDepth is among how many of the best hits a gated search looks for evidence.
	gateDepth = 8
	// readBody is how much of a body is read, in bytes.
	readBody = 16 << 10
)

// thresholdAmong is the threshold in a knowledge base of n capsules, by that in one of a
// single capsule.
func thresholdAmong(one float64, n int64) float64 {
	return one + perCapsule*math.Log(float64(max(1, n)))
}

// rarity is how much a term says that df of n documents have.
func rarity(n, df, prior float64) float64 {
	k := priorDocs + priorShare*n
	return max(0, math.Log((n+k)/(df+k*prior))-commonRarity)
}

// asked is a question as evidence reads it.
type asked struct {
	weight map[string]float64 // of its terms
	total  float64
}

func weigh(found *index.Result) asked {
	a := asked{weight: make(map[string]float64, len(found.Terms))}
	for _, t := range found.Terms {
		w := rarity(float64(found.Docs), float64(t.DF), words.Prior(t.Text))
		a.weight[t.Text] = w
		a.total += w
	}
	if len(found.Terms) == 0 { // by meaning alone
		a.total = math.MaxFloat32
	}
	return a
}

// evidence measures a hit by its words, whose terms are given, and by its cosine, which
// is 0 if there is none.
func (a *asked) evidence(title, body []string, cosine float64) float64 {
	matched, said, named := 0.0, 0.0, 0.0
	seen := make(map[string]bool, len(title)+len(body))
	for i, list := range [][]string{title, body} {
		for _, t := range list {
			if seen[t] {
				continue
			}
			seen[t] = true
			w, in := a.weight[t]
			if in {
				matched += w
			}
			if i == 0 {
				general := rarity(0, 0, words.Prior(t))
				said += general
				if in {
					named += general
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

// judge gives each hit its evidence and tells which are weak. A gated search keeps those
// alone that are not, in the order of their evidence, and none with a lower share of the
// best one's than the floor. c is the calibration of the model; measured is false if
// nobody has made it, and then words alone are judged.
func (q *Query) judge(res *Result, found *index.Result, termsOf func(string) []string, c Calibration, measured bool) {
	a := weigh(found)
	if q.calibrating {
		c.one, measured = 0, true
	}
	res.Threshold = thresholdAmong(c.one, found.Docs)
	for i := range res.Hits {
		h := &res.Hits[i]
		cosine := 0.0
		if h.CosineScore != nil && measured {
			cosine = max(0, *h.CosineScore)
		}
		h.Evidence = a.evidence(termsOf(h.Title), termsOf(h.Body[:min(len(h.Body), readBody)]), cosine)
		h.Weak = h.Evidence < res.Threshold
		res.Evidence = max(res.Evidence, h.Evidence)
	}
	if !q.Gate {
		return
	}
	hits, least := len(res.Hits), q.Floor*res.Evidence
	if !q.calibrating {
		least = max(least, res.Threshold)
	}
	res.Hits = given(res.Hits, q.Limit, least)
	res.Gated = hits > 0 && len(res.Hits) == 0
}

// given are the hits of an evidence from least on, the surest first, at most so many.
func given(hits []Hit, most int, least float64) []Hit {
	sure := []Hit{}
	for _, h := range hits {
		if h.Evidence >= least {
			sure = append(sure, h)
		}
	}
	slices.SortStableFunc(sure, func(a, b Hit) int { return cmp.Compare(b.Evidence, a.Evidence) })
	return sure[:min(len(sure), most)]
}
