package board

import (
	"context"
	"slices"
	"time"

	"blackboard/board/store"
)

// BurnPoint says how many signals were open from one event on.
type BurnPoint struct {
	Seq  int64     `json:"seq"`  // the event
	At   time.Time `json:"at"`   // and its time
	Open [4]int64  `json:"open"` // by PriorityRank
}

// Total is how many signals were open, of whatever priority.
func (p BurnPoint) Total() int64 { return p.Open[0] + p.Open[1] + p.Open[2] + p.Open[3] }

// burndownSQL reads the events that opened and closed signals. A CROSS JOIN keeps its
// order: for each signal, the index events_id finds its events.
const burndownSQL = `SELECT e.seq, e.at, e.verb, e.id, s.priority FROM signals s CROSS JOIN events e
	WHERE e.id = 's' || s.id AND e.verb IN (?, ?, ?, ?) ORDER BY e.seq`

// Burndown returns one point for each event that opened or closed a signal, oldest first.
// Before the first signal there is no point; the last point holds until now. A reopened
// signal counts again. Claims do not count.
//
// It reads only the events of signals, so its cost does not depend on the number of
// entries.
func (b *Board) Burndown(ctx context.Context) ([]BurnPoint, error) {
	ranks := map[string]int{}
	var events []Event
	err := b.read(ctx, func(tx *store.Tx) error {
		var e Event
		var rank int
		return tx.Each([]any{&e.Seq, store.Time(&e.At), &e.Verb, &e.ID, &rank}, func() error {
			if rank < 0 || rank >= len(Priorities) {
				return badPriority(e.ID, rank)
			}
			ranks[e.ID] = rank
			events = append(events, e)
			return nil
		}, burndownSQL, verbSignal, verbReopen, verbAddress, verbWaive)
	})
	if err != nil {
		return nil, err
	}
	points, _ := burndown(ranks, events)
	return points, nil
}

// Burndown is Board.Burndown from the log of the board up to the snapshot; what comes
// later in the log is ignored. It is nil if the events do not lead to the snapshot.
func (s *Snapshot) Burndown(events []Event) []BurnPoint {
	if i := slices.IndexFunc(events, func(e Event) bool { return e.Seq > s.Seq }); i >= 0 {
		events = events[:i]
	}
	ranks := map[string]int{}
	for _, sig := range s.Signals {
		ranks[sig.ID], _ = PriorityRank(sig.Priority)
	}
	points, isOpen := burndown(ranks, events)
	for _, sig := range s.Signals {
		if isOpen[sig.ID] != (sig.Status == SignalOpen) {
			return nil
		}
	}
	return points
}

// burndown counts the open signals over events, which are in order and may be about other
// things too. ranks has the priority of each signal to count. It also returns which
// signals are open in the end.
func burndown(ranks map[string]int, events []Event) ([]BurnPoint, map[string]bool) {
	points, isOpen := []BurnPoint{}, map[string]bool{}
	var now BurnPoint
	for i := range events {
		e := &events[i]
		rank, counts := ranks[e.ID]
		opens := e.Verb == verbSignal || e.Verb == verbReopen
		closes := e.Verb == verbAddress || e.Verb == verbWaive
		switch {
		case !counts || !opens && !closes || opens == isOpen[e.ID]:
			continue
		case opens:
			now.Open[rank]++
		default:
			now.Open[rank]--
		}
		isOpen[e.ID], now.Seq, now.At = opens, e.Seq, e.At
		points = append(points, now)
	}
	return points, isOpen
}
