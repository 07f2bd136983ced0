package index

import (
	"errors"
	"math"
	"slices"
)

// topK keeps the k best places, in a heap with the worst on top once there are k.
type topK struct {
	k    int
	tail int // index of the tail among the segments; -1 without one
	heap []topItem
	id   func(docRef) (int64, error)
	err  error
}

type topItem struct {
	docRef
	score float32
}

// scan adds the scores of a segment, from the last ordinal, which is the newest.
func (t *topK) scan(seg int, scores []float32, ok bitset) {
	least := float32(math.SmallestNonzeroFloat32)
	if len(t.heap) == t.k {
		least = t.heap[0].score
	}
	for ord := len(scores) - 1; ord >= 0; ord-- {
		if score := scores[ord]; score >= least && ok.has(ord) {
			if t.push(topItem{docRef{seg, ord}, score}); len(t.heap) == t.k {
				least = t.heap[0].score
			}
		}
	}
}

func (t *topK) worse(a, b topItem) bool {
	if a.score != b.score {
		return a.score < b.score
	}
	if a.seg == b.seg && a.seg != t.tail { // in a sealed segment, ordinals are ordered by id
		return a.ord < b.ord
	}
	x, err := t.id(a.docRef)
	y, err2 := t.id(b.docRef)
	if err = errors.Join(err, err2); err != nil {
		t.err = err
		return false
	}
	return x < y
}

func (t *topK) push(it topItem) {
	switch {
	case len(t.heap) < t.k: // not a heap yet
		if t.heap = append(t.heap, it); len(t.heap) == t.k {
			for i := t.k/2 - 1; i >= 0; i-- {
				t.sink(i)
			}
		}
	case t.worse(t.heap[0], it):
		t.heap[0] = it
		t.sink(0)
	}
}

// sink restores the heap after an item was replaced.
func (t *topK) sink(i int) {
	for h := t.heap; ; {
		c := 2*i + 1
		if c+1 < len(h) && t.worse(h[c+1], h[c]) {
			c++
		}
		if c >= len(h) || !t.worse(h[c], h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

func (t *topK) sorted() ([]scored, error) {
	out := make([]scored, len(t.heap))
	for i, it := range t.heap {
		id, err := t.id(it.docRef)
		if err != nil {
			return nil, err
		}
		out[i] = scored{docRef: it.docRef, id: id, score: float64(it.score)}
	}
	slices.SortFunc(out, better)
	return out, t.err
}
