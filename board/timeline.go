package board

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"blackboard/board/fault"
	"blackboard/board/store"
)

// Timeline is who did what to which thing and when, without the contents: the log of a
// run in 24 bytes an event. It is enough to count the board at any moment. It never
// changes, and is safe for concurrent use.
type Timeline struct {
	acts  []act    // of the event i+1
	names []string // of workers, verbs, and of things that are no entry and no signal
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
	thing int32 // the number of an entry or a signal; of any other thing its place in names
	verb  int32 // in names
}

// verbsOfEntries are the verbs of events about an entry, in the order of their numbers in
// a timeline; verbsOfSignals follow them.
var (
	verbsOfEntries = []string{verbPost, verbLink, verbDispute, verbSupersede, verbSettle,
		verbMustSurface, verbVerify, verbReconcile, verbDropDuty}
	verbsOfSignals = []string{verbSignal, verbClaim, verbRelease, verbAddress, verbWaive,
		verbReopen}
)

// Timeline returns who did what when, up to now. The board keeps what was read: the next
// call reads only later events.
func (b *Board) Timeline(ctx context.Context) (*Timeline, error) {
	t := &b.timeline
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.names == nil {
		t.places = map[string]int32{}
		for _, verb := range slices.Concat(verbsOfEntries, verbsOfSignals) {
			t.name(verb)
		}
	}
	before := t.Timeline
	err := b.read(ctx, func(tx *store.Tx) error {
		t.Timeline = before // it may run again
		last, err := lastSeq(tx)
		if err != nil {
			return err
		}
		t.acts = slices.Grow(t.acts, int(max(last-t.Last(), 0)))
		var seq, at int64
		var names string // one column for three texts: a column costs more than their bytes
		return tx.Each([]any{&seq, &at, &names}, func() error {
			if seq != t.Last()+1 {
				return store.Fault(fault.Corrupt, "", fmt.Sprintf("has no event %d", t.Last()+1),
					nil)
			}
			verb, rest, _ := strings.Cut(names, "\n")
			actor, id, _ := strings.Cut(rest, "\n")
			a := act{at: at, actor: t.name(actor), verb: t.name(verb)}
			var n int64
			var err error
			switch {
			case t.ofEntry(a.verb):
				n, err = ParseEntryID(id)
			case t.ofSignal(a.verb):
				n, err = ParseSignalID(id)
			default:
				n = int64(t.name(id))
			}
			a.thing = int32(n)
			t.acts = append(t.acts, a)
			return err
		}, "SELECT seq, at, verb || '\n' || actor || '\n' || id FROM events WHERE seq > ? ORDER BY seq", t.Last())
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

func (t *Timeline) ofEntry(verb int32) bool { return int(verb) < len(verbsOfEntries) }

func (t *Timeline) ofSignal(verb int32) bool {
	return !t.ofEntry(verb) && int(verb) < len(verbsOfEntries)+len(verbsOfSignals)
}

// is reports whether an act has one of some verbs.
func (t *Timeline) is(a *act, verbs ...string) bool {
	return slices.Contains(verbs, t.names[a.verb])
}

// Last is the last event of the timeline.
func (t *Timeline) Last() int64 { return int64(len(t.acts)) }

// Event is an event without its payload.
func (t *Timeline) Event(seq int64) Event {
	a := &t.acts[seq-1]
	e := Event{Seq: seq, At: fromMillis(a.at), Actor: t.names[a.actor], Verb: t.names[a.verb]}
	switch {
	case t.ofEntry(a.verb):
		e.ID = EntryID(int64(a.thing))
	case t.ofSignal(a.verb):
		e.ID = SignalID(int64(a.thing))
	default:
		e.ID = t.names[a.thing]
	}
	return e
}

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
		at := Stretch(int64(i)+1, t.Last(), n)
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

// Stretch is the number, from 0, of the stretch that an event is in, if a log of so many
// events has n equal stretches.
func Stretch(seq, last int64, n int) int { return int((seq*int64(n)+last-1)/last) - 1 }
