package rank

import "math"

// MMR is maximal marginal relevance (Carbonell, Goldstein, SIGIR 1998). It picks up to limit
// candidates, one after the other, each time the one with the highest
//
//	lambda × relevance - (1-lambda) × highest similarity to a candidate already picked
//
// of equals the earlier in cands, an id once. They keep the scores they came with.
//
// Relevance is the score brought to 0..1 by [Normalize]. lambda is clipped to 0..1 (NaN: 1): 1 asks
// for relevance only, 0 for variety only. sim tells how alike two candidates are, clipped to 0..1,
// and is to return 0 for one without a vector. A nil sim means that no two are alike.
func MMR(cands []Scored, lambda float64, limit int, sim func(a, b int64) float64) []Scored {
	limit = min(limit, len(cands))
	if limit <= 0 {
		return nil
	}
	if math.IsNaN(lambda) {
		lambda = 1
	}
	lambda = clip(lambda)
	rest := make([]candidate, len(cands))
	for i, c := range Normalize(cands) {
		rest[i] = candidate{id: c.ID, gain: float64(lambda * c.Score)}
	}
	picked := make([]Scored, 0, limit)
	for len(picked) < limit {
		best, top := -1, math.Inf(-1)
		for i := range rest {
			c := &rest[i]
			// what is best is a matter of the raw scores, also where lambda is 0
			if len(picked) == 0 {
				if s := clean(cands[i].Score); s > top {
					best, top = i, s
				}
				continue
			}
			if c.gone = c.gone || c.id == picked[len(picked)-1].ID; c.gone {
				continue
			}
			// A candidate's value only falls as more is picked, so the value from what it
			// was compared with so far is an upper bound. It is brought up to date only
			// while it could still win.
			v := c.value(lambda)
			for ; v > top && lambda < 1 && sim != nil && c.compared < len(picked); v = c.value(lambda) {
				c.alike = max(c.alike, clip(sim(c.id, picked[c.compared].ID)))
				c.compared++
			}
			if v > top {
				best, top = i, v
			}
		}
		if best < 0 { // only ids that were picked before are left
			break
		}
		picked = append(picked, Scored{cands[best].ID, clean(cands[best].Score)})
	}
	return picked
}

// candidate is one that MMR may still pick.
type candidate struct {
	id       int64
	gain     float64 // lambda × relevance
	alike    float64 // highest similarity to the first compared of those picked
	compared int
	gone     bool // picked, or the twin of one
}

// value is not fused into one multiply-add, so that the picks are the same on every machine.
func (c *candidate) value(lambda float64) float64 { return c.gain - float64((1-lambda)*c.alike) }
