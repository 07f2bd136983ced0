package board

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"blackboard/board/fault"
	"blackboard/board/store"
)

// Timeline is who did what and when, without the contents: the log of a run in 16 bytes
// an event. It never changes, and is safe for concurrent use.
type Timeline struct {
	acts  []act    // of the event i+1
	names []string // of workers and verbs
}

// timelines keeps the timeline of a board as far as it was read.
type timelines struct {
	mu sync.Mutex
	Timeline
	places map[string]int32 // of names
}

// act is an event of a timeline.
type act struct {
	at    int64 // Unix milliseconds
	actor int32 // in names
	verb  int32 // in names
}

// Timeline returns who did what when, up to now. The board keeps what was read: the next
// call reads only later events.
func (b *Board) Timeline(ctx context.Context) (*Timeline, error) {
	t := &b.timeline
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.names == nil {
		t.places = map[string]int32{}
	}
	before := t.Timeline
	err := b.read(ctx, func(tx *store.Tx) error {
		t.Timeline = before // it may run again
		last, err := tx.LastSeq()
		if err != nil {
			return err
		}
		t.acts = slices.Grow(t.acts, int(max(last-t.Last(), 0)))
		var seq, at int64
		var names string // one column for two texts: a column costs more than their bytes
		return tx.Each([]any{&seq, &at, &names}, func() error {
			if seq != t.Last()+1 {
				return store.Fault(fault.Corrupt, "", fmt.Sprintf("has no event %d", t.Last()+1),
					nil)
			}
			verb, actor, _ := strings.Cut(names, "\n")
			t.acts = append(t.acts, act{at: at, actor: t.name(actor), verb: t.name(verb)})
			return nil
		}, "SELECT seq, at, verb || '\n' || actor FROM events WHERE seq > ? ORDER BY seq", t.Last())
	})
	if err != nil {
		t.Timeline = before
		return nil, err
	}
	now := t.Timeline
	return &now, nil
}

// name returns the number of a name, a new one if it has none.
func (t *timelines) name(s string) int32 {
	at, known := t.places[s]
	if !known || int(at) >= len(t.names) || t.names[at] != s { // of a reading that failed
		at, s = int32(len(t.names)), strings.Clone(s)
		t.names, t.places[s] = append(t.names, s), at
	}
	return at
}

// is reports whether an act has one of some verbs.
func (t *Timeline) is(a *act, verbs ...string) bool {
	return slices.Contains(verbs, t.names[a.verb])
}

// Last is the last event of the timeline.
func (t *Timeline) Last() int64 { return int64(len(t.acts)) }

// At is the time of an event.
func (t *Timeline) At(seq int64) time.Time { return fromMillis(t.acts[seq-1].at) }

// Lane is what one worker did over the whole timeline.
type Lane struct {
	Worker  string
	Entries int64 // posted
	Events  int64 // caused
	// Posted counts the entries posted in each stretch of the timeline; Did says whether
	// there was any event.
	Posted []int64
	Did    []bool
}

// Lanes divides the log into n stretches with the same number of events, and says who did
// what in each. The worker who posted most comes first.
func (t *Timeline) Lanes(n int) []Lane {
	byActor := make([]*Lane, len(t.names))
	for i := range t.acts {
		a := &t.acts[i]
		l := byActor[a.actor]
		if l == nil {
			l = &Lane{Worker: t.names[a.actor], Posted: make([]int64, n), Did: make([]bool, n)}
			byActor[a.actor] = l
		}
		at := ((i+1)*n+len(t.acts)-1)/len(t.acts) - 1 // of n equal stretches
		l.Events++
		l.Did[at] = true
		if t.is(a, verbPost) {
			l.Entries++
			l.Posted[at]++
		}
	}
	lanes := []Lane{}
	for _, l := range byActor {
		if l != nil {
			lanes = append(lanes, *l)
		}
	}
	slices.SortStableFunc(lanes, func(a, b Lane) int {
		return cmp.Or(cmp.Compare(b.Entries, a.Entries), cmp.Compare(b.Events, a.Events))
	})
	return lanes
}

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
	return readValue(ctx, b, func(tx *store.Tx) ([]BurnPoint, error) {
		points, isOpen := []BurnPoint{}, map[string]bool{}
		var e Event
		var rank int
		var now BurnPoint
		err := tx.Each([]any{&e.Seq, store.Time(&e.At), &e.Verb, &e.ID, &rank}, func() error {
			opens := e.Verb == verbSignal || e.Verb == verbReopen
			switch {
			case rank < 0 || rank >= len(Priorities):
				return badPriority(e.ID, rank)
			case opens == isOpen[e.ID]:
				return nil
			case opens:
				now.Open[rank]++
			default:
				now.Open[rank]--
			}
			isOpen[e.ID], now.Seq, now.At = opens, e.Seq, e.At
			points = append(points, now)
			return nil
		}, burndownSQL, verbSignal, verbReopen, verbAddress, verbWaive)
		return points, err
	})
}
