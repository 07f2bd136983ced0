package board

import (
	"context"
	"fmt"
	"slices"
	"time"

	"blackboard/board/store"
)

// Past is a board after an event: a [Snapshot] that is asked as the board is. It is safe for
// concurrent use.
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

// At returns the board as it was after the event seq. It is fault.NotFound if that event
// does not exist.
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

// Status is an entry's status at the moment; "" if it was posted later.
func (p *Past) Status(id string) string {
	if e := p.entry(id); e != nil {
		return e.Status
	}
	return ""
}

// MustSurface reports whether an entry had to surface at the moment.
func (p *Past) MustSurface(id string) bool {
	e := p.entry(id)
	return e != nil && e.MustSurface
}

// Query is Board.Query at the moment. Which entries address a signal is said by today's links.
func (p *Past) Query(ctx context.Context, q Query) (Found, error) {
	q.past = p
	found, err := p.b.Query(ctx, q)
	for i := range found.Entries {
		found.Entries[i] = *p.entry(found.Entries[i].ID)
	}
	return found, err
}

// where limits a query to the moment. id is the column with the entries' numbers.
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

// Entry is Board.Entry at the moment.
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
	d.Dropped = p.then.DroppedOf(id)
	d.Settled = settlementsOf(p.then.Settled, id)
	d.History = p.before(d.History)
	return d, nil
}

// SignalByID is Board.SignalByID at the moment.
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

// backlinks drops links that were added after the moment.
func (p *Past) backlinks(to string, links []Backlink) []Backlink {
	return slices.DeleteFunc(links, func(l Backlink) bool {
		from := p.entry(l.From)
		return from == nil || !slices.Contains(from.Of(l.Kind), to)
	})
}

// Retrievals is Board.Retrievals at the moment.
func (p *Past) Retrievals(_ context.Context, limit int) ([]Retrieval, error) {
	all := slices.Clone(p.then.Retrievals)
	slices.Reverse(all)
	return all[:min(len(all), limit)], nil
}

// Gate judges the moment by a policy, like [Snapshot.Gate]. A policy about conflicts compares
// all entries.
func (p *Past) Gate(ctx context.Context, policy Policy) (Verdict, error) {
	return p.then.gate(ctx, policy)
}

// Changes is the difference between two moments of a run.
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

// Since returns what has changed since an earlier moment: at most limit new entries, and as
// many whose status changed.
func (p *Past) Since(before *Past, limit int) (c Changes) {
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
