package rank

import (
	"cmp"
	"slices"
)

// Push moves a candidate Places up, down if negative. Why is the reason, for people.
type Push struct {
	ID     int64
	Places int
	Why    string
}

// Move tells what became of a candidate in [Boost].
type Move struct {
	Asked int // sum of its pushes; positive is up
	// places that it moved up, negative: down. Without a push, because others passed it
	Moved int
	Why   []string // reasons of its pushes, in the order of the pushes; none: nil
}

// Boost reorders cands, which stand best first, by pushes, and tells for each of the result what
// moved it. Counting in places makes a boost weigh the same in every search.
//
// The pushes of a candidate add up to its boost. A candidate passes another that stood before it
// exactly if its boost is higher by at least the number of places between them (1 for a neighbour).
// So one that alone is pushed by n moves n places, or to the end of the list; candidates with the
// same boost keep their order; and more boost never means a lower place.
//
// Give all pushes in one call: of several calls, each cuts off what would lead beyond the ends.
//
// Scores stay with the places, so they still agree with the order. A push of an id that is not
// there does nothing. Places beyond ±2³⁰ count as that.
func Boost(cands []Scored, pushes ...Push) ([]Scored, []Move) {
	type boost struct {
		sum int64
		why []string
	}
	boosts := make(map[int64]boost, len(pushes))
	for _, p := range pushes {
		b := boosts[p.ID]
		b.sum += bounded(int64(p.Places))
		if p.Why != "" {
			b.why = append(b.why, p.Why)
		}
		boosts[p.ID] = b
	}
	type place struct {
		from int
		// where it would stand if it were alone in being pushed; may be outside the list
		to    int64
		boost boost
	}
	order := make([]place, len(cands))
	for i, c := range cands {
		b := boosts[c.ID]
		b.sum = bounded(b.sum)
		order[i] = place{i, int64(i) - b.sum, b}
	}
	// Of two that want the same place, the one from further down has the higher boost, and passes.
	slices.SortFunc(order, func(a, b place) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(b.from, a.from)) })

	out, moves := make([]Scored, len(cands)), make([]Move, len(cands))
	for i, p := range order {
		out[i] = Scored{cands[p.from].ID, clean(cands[i].Score)}
		moves[i] = Move{Asked: int(p.boost.sum), Moved: p.from - i, Why: slices.Clip(p.boost.why)}
	}
	return out, moves
}

// bounded keeps places where sums of them do not overflow.
func bounded(places int64) int64 { return max(-1<<30, min(1<<30, places)) }
