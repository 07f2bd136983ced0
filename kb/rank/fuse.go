package rank

import (
	"math"
	"slices"
)

// K is the constant of reciprocal rank fusion that its authors found good, and that
// everybody uses.
const K = 60

// RRF is reciprocal rank fusion (Cormack, Clarke, Büttcher: Reciprocal Rank Fusion
// outperforms Condorcet and individual Rank Learning Methods, SIGIR 2009): a candidate's
// score is the sum of weight/(k+rank) over the lanes that list it, ranks counted from 1.
// The result has every candidate once, best first.
//
// A lane is ranked in the order of [Sort]; one that comes in that order is not copied. An
// id that is several times in a lane counts once, with its best score, and holds one
// rank. A candidate whose score is NaN gets nothing from that lane. weights belong to the
// lanes in order; lanes beyond them, all of them if weights is nil, weigh 1. A weight or
// a k that is negative or NaN counts as 0.
func RRF(k float64, weights []float64, lanes ...[]Scored) []Scored {
	k = atLeast0(k)
	total := 0
	for _, l := range lanes {
		total += len(l)
	}
	f := newFusion(total)
	// for each candidate so far, the number of the last lane that counted, from 1
	counted := make([]int, 0, total)
	for n, lane := range lanes {
		weight := 1.0
		if n < len(weights) {
			weight = atLeast0(weights[n])
		}
		if !slices.IsSortedFunc(lane, better) {
			lane = slices.Clone(lane)
			Sort(lane)
		}
		rank := 0
		for _, s := range lane {
			i := f.place(s.ID)
			if i == len(counted) {
				counted = append(counted, 0)
			}
			if counted[i] == n+1 || math.IsNaN(s.Score) {
				continue
			}
			counted[i] = n + 1
			rank++
			f.out[i].Score += weight / (k + float64(rank))
		}
	}
	return f.ranked()
}

// fusion collects candidates, each once.
type fusion struct {
	out    []Scored
	places map[int64]int // id → index in out
}

func newFusion(size int) *fusion {
	return &fusion{make([]Scored, 0, size), make(map[int64]int, size)}
}

// place returns the index of a candidate in out, where it is put with score 0 if it is
// new.
func (f *fusion) place(id int64) int {
	i, ok := f.places[id]
	if !ok {
		i = len(f.out)
		f.places[id] = i
		f.out = append(f.out, Scored{ID: id})
	}
	return i
}

func (f *fusion) ranked() []Scored {
	for i := range f.out {
		f.out[i].Score = clean(f.out[i].Score)
	}
	Sort(f.out)
	return f.out
}

// atLeast0 makes a weight usable: NaN and what is below 0 become 0, infinity becomes
// huge.
func atLeast0(w float64) float64 { return max(0, clean(w)) }
