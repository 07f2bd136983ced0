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
	"blackboard/board/record"
	"blackboard/board/store"
)

// Past is a board after an event, a [Snapshot] asked as the board is; safe for concurrent use.
type Past struct {
	Seq int64
	At  time.Time // of that event
	// Posted is how many entries there were: e1 to e<Posted>.
	Posted int64
	// Signals are all signals raised by then, by id.
	Signals []Signal
	Event   Event // the last one

	b    *Board
	then *Snapshot
}

// At is the board as it was after event seq; fault.NotFound if there is no such event.
func (b *Board) At(ctx context.Context, seq int64) (*Past, error) {
	p := &Past{Seq: seq, b: b}
	err := b.read(ctx, func(tx *store.Tx) error {
		last, err := tx.LastSeq()
		if err == nil && (seq < 1 || seq > last) {
			err = notFound(fmt.Sprintf("there is no event %d", seq),
				fmt.Sprintf("give a number from 1 to %d", last))
		}
		if err != nil {
			return err
		}
		events, err := selectEvents(tx, `WHERE seq = ?`, seq)
		if err == nil && len(events) > 0 {
			p.Event = events[0]
			p.then, err = replay(tx, seq)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	p.At, p.Posted, p.Signals = p.then.At, int64(len(p.then.Entries)), p.then.Signals
	return p, nil
}

// State is the summary that [Board.State] gives.
func (p *Past) State() State {
	return p.then.State()
}

// entry is an entry as it was; nil if it was posted later.
func (p *Past) entry(id string) *Entry {
	n, err := ParseEntryID(id)
	if err != nil || n < 1 || n > p.Posted {
		return nil
	}
	return &p.then.Entries[n-1]
}

// Status is an entry's status as of p.Seq; "" if it was posted later.
func (p *Past) Status(id string) string {
	if e := p.entry(id); e != nil {
		return e.Status
	}
	return ""
}

// MustSurface reports whether an entry had to surface as of p.Seq.
func (p *Past) MustSurface(id string) bool {
	e := p.entry(id)
	return e != nil && e.MustSurface
}

// Query is Board.Query as of p.Seq, but which entries address a signal is taken from today's links.
func (p *Past) Query(ctx context.Context, q Query) (Found, error) {
	q.past = p
	found, err := p.b.Query(ctx, q)
	for i := range found.Entries {
		found.Entries[i] = *p.entry(found.Entries[i].ID)
	}
	return found, err
}

// where limits a query to the entries as of p.Seq. id is the column with the entries' numbers.
func (p *Past) where(q *Query, id string) (where string, arg any) {
	if len(q.Statuses) == 0 && !q.MustSurface {
		return id + ` <= ?`, p.Posted
	}
	numbers := []int64{}
	for i := range p.then.Entries {
		e := &p.then.Entries[i]
		if (len(q.Statuses) == 0 || slices.Contains(q.Statuses, e.Status)) &&
			(e.MustSurface || !q.MustSurface) {
			numbers = append(numbers, int64(i)+1)
		}
	}
	return id + ` IN (` + theseIDs + `)`, store.List(numbers)
}

// Entry is Board.Entry as of p.Seq.
func (p *Past) Entry(ctx context.Context, id string) (EntryDetail, error) {
	d, err := p.b.Entry(ctx, id)
	if err != nil {
		return EntryDetail{}, err
	}
	e := p.entry(id)
	if e == nil {
		return EntryDetail{}, notFound(id+" was posted later",
			"go on to event "+fmt.Sprint(d.Entry.Seq))
	}
	d.Entry = *e
	d.Linked = p.backlinks(id, d.Linked)
	d.Raised = []Signal{}
	for _, s := range p.Signals {
		if s.Origin == id {
			d.Raised = append(d.Raised, s)
		}
	}
	d.SurfaceWaivers = p.then.DroppedOf(id)
	d.Settled = record.SettlementsOf(p.then.Settled, id)
	d.History = p.before(d.History)
	return d, nil
}

// SignalByID is Board.SignalByID as of p.Seq.
func (p *Past) SignalByID(ctx context.Context, id string) (SignalDetail, error) {
	d, err := p.b.SignalByID(ctx, id)
	if err != nil {
		return SignalDetail{}, err
	}
	n, err := ParseSignalID(id)
	if err != nil {
		return SignalDetail{}, err
	}
	if n > int64(len(p.Signals)) {
		return SignalDetail{}, notFound(id+" was raised later",
			"go on to event "+fmt.Sprint(d.Signal.Seq))
	}
	d.Signal = p.Signals[n-1]
	d.Linked = p.backlinks(id, d.Linked)
	d.History = p.before(d.History)
	return d, nil
}

func (p *Past) before(events []Event) []Event {
	return slices.DeleteFunc(events, func(e Event) bool { return e.Seq > p.Seq })
}

// backlinks drops links that were added after p.Seq.
func (p *Past) backlinks(to string, links []Backlink) []Backlink {
	return slices.DeleteFunc(links, func(l Backlink) bool {
		from := p.entry(l.From)
		return from == nil || !slices.Contains(from.Of(l.Kind), to)
	})
}

// Retrievals is Board.Retrievals as of p.Seq.
func (p *Past) Retrievals(_ context.Context, limit int) ([]Retrieval, error) {
	all := slices.Clone(p.then.Retrievals)
	slices.Reverse(all)
	return all[:min(len(all), limit)], nil
}

// Gate judges the run as of p.Seq, like [GateOf]; a policy about conflicts compares all entries.
func (p *Past) Gate(ctx context.Context, policy Policy) (Verdict, error) {
	return GateOf(ctx, p.then, policy)
}

// Changes is the difference between a run as of two events.
type Changes struct {
	Posted   int64   // how many entries are new
	Entries  []Entry // the first of them
	Status   []StatusChange
	Signals  []Signal // raised, closed or opened again; as they are then
	Was      []string // the status of each of Signals before; "" if it is new
	Expected []Expected
	// Variables that were set; one that was deleted has no value.
	Variables []Variable
}

// StatusChange is an entry whose status changed.
type StatusChange struct {
	Entry Entry
	Was   string
}

// ChangesSince returns what has changed since an earlier event: at most limit new entries, and as
// many whose status changed.
func (p *Past) ChangesSince(before *Past, limit int) (c Changes) {
	posted := p.then.Entries[before.Posted:]
	c.Posted, c.Entries = int64(len(posted)), posted[:min(len(posted), limit)]
	for i, was := range before.then.Entries {
		if e := p.then.Entries[i]; e.Status != was.Status && len(c.Status) < limit {
			c.Status = append(c.Status, StatusChange{e, was.Status})
		}
	}
	for i, s := range p.Signals {
		was := ""
		if i < len(before.Signals) {
			was = before.Signals[i].Status
		}
		if s.Status != was {
			c.Signals, c.Was = append(c.Signals, s), append(c.Was, was)
		}
	}
	for _, x := range p.then.Expected {
		if !slices.Contains(before.then.Expected, x) {
			c.Expected = append(c.Expected, x)
		}
	}
	for _, v := range p.then.Variables {
		if !slices.ContainsFunc(before.then.Variables,
			func(w Variable) bool { return v.Key == w.Key && v.Version == w.Version }) {
			c.Variables = append(c.Variables, v)
		}
	}
	for _, v := range before.then.Variables {
		if !slices.ContainsFunc(p.then.Variables,
			func(w Variable) bool { return v.Key == w.Key }) {
			c.Variables = append(c.Variables, Variable{Key: v.Key})
		}
	}
	return c
}

// Timeline is who did what and when, without the contents: the log of a run in 16 bytes
// an event. It never changes, and is safe for concurrent use.
type Timeline struct {
	acts  []act    // of the event i+1
	names []string // of workers and verbs
}

type timelines struct {
	mu sync.Mutex
	Timeline
	places map[string]int32 // of names
}

type act struct {
	at    int64 // Unix milliseconds
	actor int32 // in names
	verb  int32 // in names
}

// Timeline is who did what when, up to now. The next call reads only later events.
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
			t.acts = append(t.acts, act{at: at, actor: t.nameIndex(actor), verb: t.nameIndex(verb)})
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

func (t *timelines) nameIndex(s string) int32 {
	at, known := t.places[s]
	if !known || int(at) >= len(t.names) || t.names[at] != s { // of a reading that failed
		at, s = int32(len(t.names)), strings.Clone(s)
		t.names, t.places[s] = append(t.names, s), at
	}
	return at
}

func (t *Timeline) Last() int64 { return int64(len(t.acts)) }

func (t *Timeline) At(seq int64) time.Time { return fromMillis(t.acts[seq-1].at) }

type Lane struct {
	Worker  string
	Entries int64 // posted
	Events  int64 // caused
	// Posted counts entries per stretch of the timeline; Did says whether any event was.
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
		if t.names[a.verb] == record.VerbPost {
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
			opens := e.Verb == record.VerbSignal || e.Verb == record.VerbReopen
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
		}, burndownSQL, record.VerbSignal, record.VerbReopen, record.VerbAddress, record.VerbWaive)
		return points, err
	})
}
