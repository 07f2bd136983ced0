package rank

import (
	"math"
	"slices"
	"sort"
)

// Floor drops the tail: it keeps, in their order, the best candidate and each whose score
// is at least ratio × the best score. It is meant for scores of 0 and above. If the best
// score is 0 or below, a share of it means nothing, and only candidates with exactly that
// score stay.
//
// ratio is clipped to 0..1 (NaN: 0, which keeps everything from 0 upwards). A NaN score
// is never kept, so the result may be empty even if cands is not.
func Floor(cands []Scored, ratio float64) []Scored {
	var r span
	for _, c := range cands {
		r.add(c.Score)
	}
	least := r.hi
	if r.hi > 0 {
		least = clip(ratio) * r.hi
	}
	var out []Scored
	for _, c := range cands {
		if !math.IsNaN(c.Score) && clean(c.Score) >= least {
			out = append(out, Scored{c.ID, clean(c.Score)})
		}
	}
	return out
}

// Threshold chooses from which best score on a search counts as having found something,
// by those of searches with an answer (on) and without one (off). It is the smallest one
// at which the share of off below it is at least minReject (such as 0.95), put midway
// between the two neighbouring values among all that were observed; directly above the
// highest, if nothing is above it; the lowest, if minReject is 0. keptOn is the share of
// on at or above it, rejectedOff the share of off below it, both 0..1.
//
// NaNs are left out. Without any off nothing can be chosen: t and rejectedOff are 0.
// Without any on, keptOn is 0. minReject is clipped to 0..1 (NaN: 1).
func Threshold(on, off []float64, minReject float64) (t, keptOn, rejectedOff float64) {
	if math.IsNaN(minReject) {
		minReject = 1
	}
	minReject = clip(minReject)
	on, off = sorted(on), sorted(off)
	if len(off) > 0 {
		// Shares are compared, not counts: 0.07 × 100 is above 7.
		reject := sort.Search(len(off), func(n int) bool { return float64(n)/float64(len(off)) >= minReject })
		if reject == 0 {
			t = off[0]
			if len(on) > 0 {
				t = min(t, on[0])
			}
		} else {
			t = above(off[reject-1], on, off)
		}
	}
	return t, share(len(on)-below(on, t), on), share(below(off, t), off)
}

// above returns the middle between v and the next higher value in the lists, which are
// sorted.
func above(v float64, lists ...[]float64) float64 {
	next := math.Inf(1)
	for _, l := range lists {
		if i := sort.Search(len(l), func(i int) bool { return l[i] > v }); i < len(l) {
			next = min(next, l[i])
		}
	}
	if math.IsInf(next, 1) {
		return math.Nextafter(v, next)
	}
	if mid := v + (next-v)/2; mid > v {
		return mid
	}
	return next // there is no number between the two
}

// below counts what is below t in l, which is sorted.
func below(l []float64, t float64) int { return sort.SearchFloat64s(l, t) }

func share(n int, of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	return float64(n) / float64(len(of))
}

// sorted returns a sorted copy without NaNs.
func sorted(l []float64) []float64 {
	out := make([]float64, 0, len(l))
	for _, x := range l {
		if !math.IsNaN(x) {
			out = append(out, clean(x))
		}
	}
	slices.Sort(out)
	return out
}
