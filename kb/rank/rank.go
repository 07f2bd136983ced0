package rank

import (
	"cmp"
	"math"
	"slices"
)

// Scored is a candidate with a lane's score, in the lane's own unit. Higher is better.
type Scored struct {
	ID    int64
	Score float64
}

// Sort sorts best first, of equal ones the newer id. NaN is worst.
func Sort(s []Scored) { slices.SortFunc(s, better) }

// cmp.Compare puts NaN below everything, which is what Sort promises.
func better(a, b Scored) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID)) }

// K is the constant of reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009).
const K = 60

// Reciprocal is what a place in a list, from 1, counts; 0: not in the list.
func Reciprocal(place int) float64 {
	if place == 0 {
		return 0
	}
	return 1 / float64(K+place)
}

// Normalize divides each score by the best one, those below 0 counting as 0. If none is above 0,
// they are stretched between the worst (0) and the best (1). NaN gives 0.
func Normalize(cands []Scored) []Scored {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, c := range cands {
		if !math.IsNaN(c.Score) {
			lo, hi = min(lo, clean(c.Score)), max(hi, clean(c.Score))
		}
	}
	if hi > 0 {
		lo = 0
	}
	out := make([]Scored, len(cands))
	for i, c := range cands {
		out[i] = Scored{c.ID, 1}
		if math.IsNaN(c.Score) {
			out[i].Score = 0
		} else if hi > lo {
			out[i].Score = max(0, clean(c.Score)-lo) / (hi - lo)
		}
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

func clip(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return max(0, min(1, x))
}
