package report

import (
	"cmp"
	"slices"
	"time"

	"blackboard/board"
)

// ranking is a snapshot in the order of what matters, with the links turned round.
type ranking struct {
	at      time.Time
	entries []*board.Entry // strongest first
	// open, waived, addressed; the most urgent first, the oldest of equals first
	signals []*board.Signal
	byID    map[string]*board.Entry
	linked  map[string][]board.Backlink // what points at an entry or a signal, without Line
	// links in from standing entries, contradictions not counted
	strength map[string]int
}

func newRanking(s *board.Snapshot) *ranking {
	r := &ranking{at: s.At, byID: make(map[string]*board.Entry, len(s.Entries)),
		linked: map[string][]board.Backlink{}, strength: map[string]int{}}
	for i := range s.Entries {
		e := &s.Entries[i]
		r.entries, r.byID[e.ID] = append(r.entries, e), e
		for _, kind := range board.LinkKinds {
			for _, id := range e.Of(kind) {
				r.linked[id] = append(r.linked[id], board.Backlink{Kind: kind, From: e.ID})
				if kind != board.Contradicts && e.Status != board.Superseded {
					r.strength[id]++
				}
			}
		}
	}
	confidence := func(e *board.Entry) float64 {
		if e.Confidence == nil {
			return -1
		}
		return *e.Confidence
	}
	slices.SortStableFunc(r.entries, func(a, b *board.Entry) int {
		return cmp.Or(cmp.Compare(r.strength[b.ID], r.strength[a.ID]),
			cmp.Compare(confidence(b), confidence(a)), cmp.Compare(b.Seq, a.Seq))
	})
	for i := range s.Signals {
		r.signals = append(r.signals, &s.Signals[i])
	}
	urgency := func(s *board.Signal) int {
		p, _ := board.PriorityRank(s.Priority)
		return p + 10*slices.Index([]string{board.SignalOpen, board.Waived, board.Addressed},
			s.Status)
	}
	slices.SortStableFunc(r.signals, func(a, b *board.Signal) int {
		return cmp.Or(cmp.Compare(urgency(a), urgency(b)), cmp.Compare(a.Seq, b.Seq))
	})
	return r
}

// standing lists the entries that are not superseded and link to id in one way.
func (r *ranking) standing(id, kind string) []string {
	var out []string
	for _, l := range r.linked[id] {
		if l.Kind == kind && r.byID[l.From].Status != board.Superseded {
			out = append(out, l.From)
		}
	}
	return out
}

// settledByEntry returns the settlements of each entry that has any.
func settledByEntry(all []board.Settlement) map[string][]board.Settlement {
	m := map[string][]board.Settlement{}
	for _, s := range all {
		m[s.A], m[s.B] = append(m[s.A], s), append(m[s.B], s)
	}
	return m
}
