package board

import (
	"cmp"
	"slices"
	"time"
)

// ranking is a snapshot in the order of what matters, with the links turned round.
type ranking struct {
	at       time.Time
	entries  []*Entry  // strongest first
	signals  []*Signal // open, waived, addressed; the most urgent first, the oldest of equals first
	byID     map[string]*Entry
	linked   map[string][]Backlink // what points at an entry or a signal, without Line
	strength map[string]int        // links in from standing entries, contradictions not counted
}

func newRanking(s *Snapshot) *ranking {
	r := &ranking{at: s.At, byID: make(map[string]*Entry, len(s.Entries)), linked: map[string][]Backlink{}, strength: map[string]int{}}
	for i := range s.Entries {
		e := &s.Entries[i]
		r.entries, r.byID[e.ID] = append(r.entries, e), e
		for _, kind := range LinkKinds {
			for _, id := range e.Of(kind) {
				r.linked[id] = append(r.linked[id], Backlink{Kind: kind, From: e.ID})
				if kind != Contradicts && e.Status != Superseded {
					r.strength[id]++
				}
			}
		}
	}
	confidence := func(e *Entry) float64 {
		if e.Confidence == nil {
			return -1
		}
		return *e.Confidence
	}
	slices.SortStableFunc(r.entries, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(r.strength[b.ID], r.strength[a.ID]), cmp.Compare(confidence(b), confidence(a)), cmp.Compare(b.Seq, a.Seq))
	})
	for i := range s.Signals {
		r.signals = append(r.signals, &s.Signals[i])
	}
	urgency := func(s *Signal) int {
		p, _ := PriorityRank(s.Priority)
		return p + 10*slices.Index([]string{SignalOpen, Waived, Addressed}, s.Status)
	}
	slices.SortStableFunc(r.signals, func(a, b *Signal) int { return cmp.Or(cmp.Compare(urgency(a), urgency(b)), cmp.Compare(a.Seq, b.Seq)) })
	return r
}

// standing lists the entries that are not superseded and link to id in one way.
func (r *ranking) standing(id, kind string) []string {
	var out []string
	for _, l := range r.linked[id] {
		if l.Kind == kind && r.byID[l.From].Status != Superseded {
			out = append(out, l.From)
		}
	}
	return out
}
