package board

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"blackboard/board/store"
)

// Past is a board after an event, like a [Snapshot], but it reads entries only when they
// are asked for, so that a moment of a long run is cheap. It is safe for concurrent use.
type Past struct {
	Seq int64
	At  time.Time // of that event
	// Posted is how many entries there were: e1 to e<Posted>.
	Posted int64
	// Signals are all signals raised by then, by id.
	Signals []Signal

	b       *Board
	t       *Timeline
	rest    Snapshot // all but the entries, and what was given
	state   State
	raised  int             // how many signals
	status  []byte          // of each entry, by its number: a place in EntryStatuses
	touched []bool          // what has happened to an entry since, by its number
	took    map[int64]bool  // entries that took over a duty to surface since
	sources map[int32]int64 // the last event of each source
}

// At returns the board as it was after the event seq. It is fault.NotFound if that event
// does not exist.
func (b *Board) At(ctx context.Context, seq int64) (*Past, error) {
	t, err := b.Timeline(ctx)
	if err != nil {
		return nil, err
	}
	if seq < 1 || seq > t.Last() {
		return nil, notFound(fmt.Sprintf("there is no event %d", seq),
			fmt.Sprintf("give a number from 1 to %d", t.Last()))
	}
	p := &Past{Seq: seq, At: fromMillis(t.acts[seq-1].at), b: b, t: t, took: map[int64]bool{},
		sources: map[int32]int64{}}
	read := p.count()
	p.look()
	var r *replayer
	err = b.read(ctx, func(tx *store.Tx) error {
		r = p.replayer() // it may run again
		r.Signals = make([]Signal, 0, p.raised)
		var e Event
		return tx.Each(e.columns(), func() error { return p.apply(r, e) },
			`SELECT `+eventColumns+` FROM events
			WHERE seq IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) ORDER BY seq`,
			store.List(read))
	})
	if err != nil {
		return nil, err
	}
	p.rest, p.Signals = *r.snapshot(), r.Signals
	counted := p.state
	p.state = p.rest.State()
	p.state.Entries, p.state.Workers, p.state.Retrievals = counted.Entries, counted.Workers,
		counted.Retrievals
	return p, nil
}

// count reads the timeline up to the moment. It counts what need not be read, and returns
// the events that must be: of a variable or a source, only the last one.
func (p *Past) count() (read []int64) {
	t := p.t
	p.status = make([]byte, 1, p.Seq+1) // there is no e0
	p.state = newState()
	set := map[int32]int64{}
	workers := make([]Worker, len(t.names))
	for i := range t.acts[:p.Seq] {
		a, seq := &t.acts[i], int64(i)+1
		w := &workers[a.actor]
		w.Events++
		w.Last = fromMillis(a.at)
		switch verb := t.names[a.verb]; verb {
		case verbPost:
			p.status = append(p.status, 0)
			w.Entries++
		case verbDispute, verbSupersede, verbSettle:
			p.status[a.thing] = byte(slices.Index(EntryStatuses, statusAfter(verb)))
		case verbSet, verbDelete:
			set[a.thing] = seq
		case verbSource:
			p.sources[a.thing] = seq
		case verbRetrieval:
			p.state.Retrievals++
		case verbLink, verbVerify, verbMustSurface: // belong to an entry, which is read later
		case verbSignal:
			p.raised++
			read = append(read, seq)
		default:
			read = append(read, seq)
		}
	}
	p.Posted = int64(len(p.status)) - 1
	for _, s := range p.status[1:] {
		p.state.Entries.ByStatus[EntryStatuses[s]]++
	}
	p.state.Entries.Total = p.Posted
	for i, w := range workers {
		if w.Name = t.names[i]; w.Events > 0 {
			p.state.Workers = append(p.state.Workers, w)
		}
	}
	sortWorkers(p.state.Workers)
	for _, seq := range set {
		read = append(read, seq)
	}
	slices.Sort(read)
	return read
}

// look reads the timeline after the moment, for what was changed later.
func (p *Past) look() {
	p.touched = make([]bool, p.Posted+1)
	for i := range p.t.acts[p.Seq:] {
		a := &p.t.acts[p.Seq:][i]
		if n := int64(a.thing); p.t.ofEntry(a.verb) && n <= p.Posted {
			p.touched[n] = true
			if p.t.is(a, verbMustSurface) {
				p.took[n] = true
			}
		}
	}
}

// replayer returns a replayer that creates entries when an event names them.
func (p *Past) replayer() *replayer {
	r := newReplayer()
	r.named = map[string]*Entry{}
	return r
}

// apply applies an event, although others before it were left out.
func (p *Past) apply(r *replayer, e Event) error {
	r.Seq = e.Seq - 1
	err := r.apply(e)
	r.Seq, r.At = p.Seq, p.At
	return err
}

// State is the summary that [Board.State] gives, without entries by type, entries that
// must surface, and links.
func (p *Past) State() State { return p.state }

// Event is the last event of the moment, without its payload.
func (p *Past) Event() Event { return p.t.Event(p.Seq) }

// Status is an entry's status at the moment.
func (p *Past) Status(id string) string {
	n, err := ParseEntryID(id)
	if err != nil || n < 1 || n > p.Posted {
		return ""
	}
	return EntryStatuses[p.status[n]]
}

// MustSurface reports whether an entry had to surface at the moment. now is whether it
// has to today.
func (p *Past) MustSurface(id string, now bool) bool {
	n, err := ParseEntryID(id)
	return err == nil && now && !p.took[n]
}

// withStatus returns the entries that had one of some statuses, by number.
func (p *Past) withStatus(statuses ...string) []int64 {
	ids := []int64{}
	for n, s := range p.status {
		if n > 0 && slices.Contains(statuses, EntryStatuses[s]) {
			ids = append(ids, int64(n))
		}
	}
	return ids
}

// Query is Board.Query at the moment. It goes by the entries' statuses and duties to
// surface at the moment. Links and verdicts in the answer are today's.
func (p *Past) Query(ctx context.Context, q Query) (Found, error) {
	q.past = p
	found, err := p.b.Query(ctx, q)
	if err != nil {
		return found, err
	}
	for i := range found.Entries {
		e := &found.Entries[i]
		e.Status, e.MustSurface = p.Status(e.ID), p.MustSurface(e.ID, e.MustSurface)
	}
	return found, nil
}

// where limits a query to the moment. id is the column with the entries' numbers.
func (p *Past) where(q *Query, id string) (where []string, args []any) {
	where, args = []string{id + ` <= ?`}, []any{p.Posted}
	if len(q.Statuses) > 0 {
		where = append(where, id+` IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`)
		args = append(args, store.List(p.withStatus(q.Statuses...)))
	}
	if q.MustSurface && len(p.took) > 0 {
		ids := slices.Collect(maps.Keys(p.took))
		where = append(where, id+` NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`)
		args = append(args, store.List(ids))
	}
	return where, args
}

// rewind restores entries to the moment. Entries without later events are right already;
// the others are rebuilt from their own events.
func (p *Past) rewind(tx *store.Tx, entries []Entry) ([]Entry, error) {
	was := entries[:0]
	for _, e := range entries {
		if p.Status(e.ID) == "" {
			continue
		}
		if n, _ := ParseEntryID(e.ID); p.touched[n] {
			events, err := history(tx, e.ID)
			if err != nil {
				return nil, err
			}
			r := p.replayer()
			for _, e := range p.before(events) {
				if err := p.apply(r, e); err != nil {
					return nil, err
				}
			}
			e = *r.named[e.ID]
		}
		if err := p.rewindVerdict(tx, e.Verified); err != nil {
			return nil, err
		}
		was = append(was, e)
	}
	var all []*Entry
	for i := range was {
		all = append(all, &was[i])
	}
	return was, fillAccepted(tx, all, p.Seq)
}

// rewindVerdict reports whether a verdict was stale at the moment.
func (p *Past) rewindVerdict(tx *store.Tx, v *Verification) error {
	if v == nil {
		return nil
	}
	v.Stale = false
	for thing, seq := range p.sources {
		if p.t.names[thing] != v.Source {
			continue
		}
		events, err := selectEvents(tx, `WHERE seq = ?`, seq)
		if err != nil || len(events) == 0 {
			return err
		}
		s, removed, err := events[0].source()
		if err != nil {
			return err
		}
		v.Stale = !removed && s.SHA256 != v.SHA256
	}
	return nil
}

// Entry is Board.Entry at the moment.
func (p *Past) Entry(ctx context.Context, id string) (EntryDetail, error) {
	d, err := p.b.Entry(ctx, id)
	if err != nil {
		return EntryDetail{}, err
	}
	if p.Status(d.Entry.ID) == "" {
		return EntryDetail{}, notFound(id+" was posted later",
			"go on to event "+fmt.Sprint(d.Entry.Seq))
	}
	err = p.b.read(ctx, func(tx *store.Tx) error {
		was, err := p.rewind(tx, []Entry{d.Entry})
		if err == nil {
			d.Entry = was[0]
			d.Linked, err = p.backlinks(tx, id, d.Linked)
		}
		return err
	})
	d.Raised = []Signal{}
	for _, s := range p.Signals {
		if s.Origin == id {
			d.Raised = append(d.Raised, s)
		}
	}
	d.Dropped = p.rest.DroppedOf(id)
	d.Settled = settlementsOf(p.rest.Settled, id)
	d.History = p.before(d.History)
	return d, err
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
	err = p.b.read(ctx, func(tx *store.Tx) error {
		d.Linked, err = p.backlinks(tx, id, d.Linked)
		return err
	})
	d.History = p.before(d.History)
	return d, err
}

func (p *Past) before(events []Event) []Event {
	return slices.DeleteFunc(events, func(e Event) bool { return e.Seq > p.Seq })
}

// backlinks drops links that were added after the moment.
func (p *Past) backlinks(tx *store.Tx, to string, links []Backlink) ([]Backlink, error) {
	was := []Backlink{}
	for _, l := range links {
		if p.Status(l.From) == "" {
			continue
		}
		if n, _ := ParseEntryID(l.From); p.touched[n] {
			from, err := p.rewind(tx, []Entry{{ID: l.From}})
			if err != nil {
				return nil, err
			}
			if !slices.Contains(from[0].Of(l.Kind), to) {
				continue
			}
		}
		was = append(was, l)
	}
	return was, nil
}

// Retrievals is Board.Retrievals at the moment.
func (p *Past) Retrievals(ctx context.Context, limit int) (all []Retrieval, err error) {
	all, err = p.b.Retrievals(ctx, 0)
	all = slices.DeleteFunc(all, func(r Retrieval) bool { return r.Seq > p.Seq })
	return all[:min(len(all), limit)], err
}

// Gate judges the moment by a policy, like [Snapshot.Gate]. A policy about conflicts
// compares all entries, which costs a replay.
func (p *Past) Gate(ctx context.Context, policy Policy) (Verdict, error) {
	if err := policy.Check(); err != nil {
		return Verdict{}, err
	}
	policy = policy.under(p.rest.Policy)
	if policy.MaxConflicts != nil {
		s, err := p.b.Replay(ctx, p.Seq)
		if err != nil {
			return Verdict{}, err
		}
		return s.Gate(policy)
	}
	s := p.rest // with the entries that the policy asks about
	err := p.b.read(ctx, func(tx *store.Tx) (err error) {
		s.Entries, err = p.judged(tx, policy)
		return err
	})
	if err != nil {
		return Verdict{}, err
	}
	in := s.gateInput(policy)
	in.state, in.posted, in.posters = p.state, p.Posted, p.state.posters()
	return judge(policy, in), nil
}

// judged reads the entries that may close the gate.
func (p *Past) judged(tx *store.Tx, policy Policy) ([]Entry, error) {
	ids := []int64{}
	if policy.MaxDisputed != nil {
		ids = append(ids, p.withStatus(Disputed)...)
	}
	if policy.RequireSource || policy.RequireVerified || policy.RequireEvidence {
		for _, s := range p.Signals {
			if n, err := ParseEntryID(s.AddressedBy); err == nil {
				ids = append(ids, n)
			}
		}
		more, err := store.Column[int64](tx, `SELECT id FROM entries WHERE must_surface = 1 AND id <= ?
			UNION SELECT l.src FROM signals s JOIN links l ON l.dst = s.id AND l.kind = 'addresses'`, p.Posted)
		if err != nil {
			return nil, err
		}
		ids = append(ids, more...)
	}
	return p.entries(tx, ids)
}

// entries returns entries as they were, by number.
func (p *Past) entries(tx *store.Tx, ids []int64) ([]Entry, error) {
	if len(ids) == 0 {
		return []Entry{}, nil
	}
	entries, err := selectEntries(tx, `FROM entries e
		WHERE e.id IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) ORDER BY e.id`, store.List(ids))
	if err != nil {
		return nil, err
	}
	return p.rewind(tx, entries)
}

// statusAfter is the status of an entry after an event that changes it.
func statusAfter(verb string) string {
	return map[string]string{verbDispute: Disputed, verbSupersede: Superseded,
		verbSettle: Active}[verb]
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

// Since returns what has changed since an earlier moment. It reads at most limit new
// entries, and as many whose status changed.
func (p *Past) Since(ctx context.Context, before *Past, limit int) (c Changes, err error) {
	c.Posted = p.Posted - before.Posted
	found, err := p.Query(ctx, Query{Since: before.Seq, Order: Oldest, Limit: limit})
	if err != nil {
		return c, err
	}
	c.Entries = found.Entries
	ids := []int64{}
	for n := int64(1); n <= before.Posted && len(ids) < limit; n++ {
		if p.status[n] != before.status[n] {
			ids = append(ids, n)
		}
	}
	err = p.b.read(ctx, func(tx *store.Tx) error {
		entries, err := p.entries(tx, ids)
		for i := range entries {
			c.Status = append(c.Status, StatusChange{entries[i], before.Status(entries[i].ID)})
		}
		return err
	})
	for i, s := range p.Signals {
		was := ""
		if i < len(before.Signals) {
			was = before.Signals[i].Status
		}
		if s.Status != was {
			c.Signals, c.Was = append(c.Signals, s), append(c.Was, was)
		}
	}
	for _, x := range p.state.Expected {
		if !slices.Contains(before.state.Expected, x) {
			c.Expected = append(c.Expected, x)
		}
	}
	same := func(a, b Variable) bool { return a.Key == b.Key && a.Version == b.Version }
	for _, v := range p.state.Variables {
		if !slices.ContainsFunc(before.state.Variables,
			func(w Variable) bool { return same(v, w) }) {
			c.Variables = append(c.Variables, v)
		}
	}
	for _, v := range before.state.Variables {
		if !slices.ContainsFunc(p.state.Variables,
			func(w Variable) bool { return v.Key == w.Key }) {
			c.Variables = append(c.Variables, Variable{Key: v.Key})
		}
	}
	return c, err
}
