package rank

import (
	"cmp"
	"math"
	"slices"
)

// Scored is one candidate of one lane: an id with that lane's score. Higher is better;
// the unit is the lane's own.
type Scored struct {
	ID    int64
	Score float64
}

// Sort orders s in place, best first: by score descending, then by id descending (newer
// first). NaN counts as the worst score.
func Sort(s []Scored) { slices.SortFunc(s, better) }

// better is the order of Sort: negative if a comes before b. cmp.Compare puts NaN below
// everything, which is what Sort promises.
func better(a, b Scored) int {
	if a.Score > b.Score { // the usual cases first: sorting is most of what a fusion costs
		return -1
	}
	if a.Score < b.Score {
		return 1
	}
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID))
}

// Normalize returns cands in the same order with their scores mapped to 0..1, the best
// being 1: each score divided by the best one, those below 0 counting as 0. If no score
// is above 0, quotients mean nothing and the scores are stretched between the worst (0)
// and the best (1) instead. A NaN gives 0.
func Normalize(cands []Scored) []Scored {
	var r span
	for _, c := range cands {
		r.add(c.Score)
	}
	out := make([]Scored, len(cands))
	for i, c := range cands {
		out[i] = Scored{c.ID, r.share(c.Score)}
	}
	return out
}

// huge bounds the scores, so that no sum or difference of a few of them overflows.
const huge = 1e300

// clean makes a score a number that can be computed with and printed.
func clean(s float64) float64 {
	if math.IsNaN(s) {
		return -huge
	}
	return max(-huge, min(huge, s))
}

// clip brings x into 0..1; NaN becomes 0.
func clip(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return max(0, min(1, x))
}

// span is the range of the scores added to it, NaN left out. The zero value is empty.
type span struct {
	lo, hi float64
	any    bool
}

func (r *span) add(s float64) {
	if math.IsNaN(s) {
		return
	}
	s = clean(s)
	if !r.any {
		*r = span{s, s, true}
		return
	}
	r.lo, r.hi = min(r.lo, s), max(r.hi, s)
}

// share maps a score to 0..1, the best being 1.
func (r *span) share(s float64) float64 {
	switch {
	case math.IsNaN(s):
		return 0
	case r.hi > 0:
		return max(0, clean(s)) / r.hi
	case r.hi > r.lo:
		return (clean(s) - r.lo) / (r.hi - r.lo)
	}
	return 1
}
