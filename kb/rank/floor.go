package rank

import "math"

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
