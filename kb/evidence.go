package kb

import (
	"cmp"
	"slices"

	"blackboard/board/words"
	"blackboard/kb/evidence"
	"blackboard/kb/index"
)

// RecallLimit and RecallFloor are how a prompt is answered unasked: by at most three
// capsules, none with a lower share of the best one's evidence than the floor.
const (
	RecallLimit = 3
	RecallFloor = 0.95
)

// judge gives each hit its evidence and tells which are weak. A gated search keeps those
// alone that are not, in the order of their evidence, and none with a lower share of the
// best one's than the floor. c is the calibration of the model; measured is false if
// nobody has made it, and then words alone are judged.
func (q *Query) judge(res *Result, found *index.Result, termsOf func(words.Languages, string) []string, c Calibration, measured bool) {
	a := evidence.Ask(found)
	if q.calibrating {
		c.one, measured = 0, true
	}
	res.Threshold = evidence.Threshold(c.one, found.Docs)
	for i := range res.Hits {
		h := &res.Hits[i]
		cosine := 0.0
		if h.CosineScore != nil && measured {
			cosine = max(0, *h.CosineScore)
		}
		h.Evidence = a.Of(termsOf(found.Languages, h.heading()), termsOf(found.Languages, h.Body[:min(len(h.Body), evidence.ReadBody)]), cosine)
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
