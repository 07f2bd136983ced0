package board

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board/claims"
	"blackboard/board/fault"
	"blackboard/board/store"
)

// Snapshot is a whole board after one event. It comes from the tables (now) or from the
// log (any moment).
type Snapshot struct {
	Run       string     `json:"run"`
	Goal      string     `json:"goal"`
	Created   time.Time  `json:"created"`
	At        time.Time  `json:"at"`  // of the last event
	Seq       int64      `json:"seq"` // the last event it contains
	Entries   []Entry    `json:"entries"`
	Signals   []Signal   `json:"signals"`
	Variables []Variable `json:"variables"`
	// Expected are the workers that the run waits for or has waited for.
	Expected []Expected `json:"expected"`
	// Dropped are the dropped duties to surface.
	Dropped []DroppedDuty `json:"dropped_duties"`
	// Settled are the settlements, oldest first.
	Settled []Settlement `json:"settled"`
	Sources []Source     `json:"sources"` // the registered sources
	// Policy is the policy that the run has on record; null: it has none.
	Policy *RecordedPolicy `json:"policy"`
	// Retrievals are what workers were given of the knowledge base, oldest first. They
	// are only in the log.
	Retrievals []Retrieval `json:"retrievals"`
	// Receipts are what hooks saw workers run and edit.
	Receipts []Receipt `json:"receipts"`
	// RanClaims are the commands that workers say to have run.
	RanClaims []RanClaim `json:"ran_claims"`
	// Checks are the last checks of reports, the latest first.
	Checks []CheckRecord `json:"checks"`
	// Workers are those who wrote to the board, the most recent first.
	Workers []Worker `json:"-"`
}

// Snapshot returns the board as it is now.
func (b *Board) Snapshot(ctx context.Context) (*Snapshot, error) {
	return readValue(ctx, b, func(tx *store.Tx) (*Snapshot, error) {
		s, err := loadSnapshot(tx)
		if err == nil {
			s.Receipts, err = b.receipts(tx)
		}
		return s, err
	})
}

// runRow returns a snapshot with the run's own data and the last event only.
func runRow(tx *store.Tx) (*Snapshot, error) {
	s := &Snapshot{}
	var created, at int64
	if err := tx.QueryRow(`SELECT r.name, r.goal, r.created, e.seq, e.at FROM run r, events e ORDER BY e.seq DESC LIMIT 1`).
		Scan(&s.Run, &s.Goal, &created, &s.Seq, &at); err != nil {
		return nil, err
	}
	s.Created, s.At = fromMillis(created), fromMillis(at)
	return s, nil
}

func loadSnapshot(tx *store.Tx) (*Snapshot, error) {
	s, err := runRow(tx)
	if err != nil {
		return nil, err
	}
	var errs [6]error
	errs[5] = s.loadRows(tx)
	s.Policy, errs[0] = recordedPolicy(tx)
	s.RanClaims, errs[1] = ranClaims(tx)
	s.Checks, errs[2] = checks(tx)
	s.Receipts, errs[3] = receiptEvents(tx)
	s.Receipts = folded(s.Receipts)
	s.Retrievals, errs[4] = retrievals(tx, "")
	if err := cmp.Or(errs[:]...); err != nil {
		return nil, err
	}
	st := newState()
	err = st.readCounts(tx, true)
	s.Workers = st.Workers
	return s, err
}

// loadRows reads what tables have.
func (s *Snapshot) loadRows(tx *store.Tx) error {
	var errs [7]error
	s.Entries, errs[0] = selectEntries(tx, `FROM entries e ORDER BY e.id`)
	s.Signals, errs[1] = selectSignals(tx, `FROM signals s ORDER BY s.id`)
	s.Variables, errs[2] = variables(tx)
	s.Expected, errs[3] = expected(tx)
	s.Dropped, errs[4] = droppedDuties(tx)
	s.Settled, errs[5] = settlements(tx)
	s.Sources, errs[6] = sources(tx)
	return cmp.Or(errs[:]...)
}

// Replay returns the board as it was after the event seq, from the log alone. It is
// fault.Invalid for a seq below 1, and fault.NotFound for one beyond the last event.
func (b *Board) Replay(ctx context.Context, seq int64) (*Snapshot, error) {
	if seq < 1 {
		return nil, invalid(fmt.Sprintf("there is no event %d", seq), "events count from 1",
			fault.Do("event.list", "{} lists them", "since", "0", "timeout", "0s"))
	}
	return readValue(ctx, b, func(tx *store.Tx) (*Snapshot, error) {
		last, err := tx.LastSeq()
		if err == nil && seq > last {
			err = notFound(fmt.Sprintf("there is no event %d yet: the last one is %d", seq, last),
				fmt.Sprintf("give a number from 1 to %d", last))
		}
		if err != nil {
			return nil, err
		}
		return replay(tx, seq)
	})
}

// replayPage is how many events a replay reads at a time.
const replayPage = 500

// replay works on three pages at a time: it reads one, decodes the one before (half of
// the work), and applies the one before that.
func replay(tx *store.Tx, upto int64) (*Snapshot, error) {
	r := newReplayer()
	var page <-chan []decodedEvent // nil before the first one
	for seq := int64(0); seq < upto; {
		events, err := eventsAfter(tx, seq, int(min(replayPage, upto-seq)))
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			break
		}
		seq = events[len(events)-1].Seq
		next := decodeEvents(events)
		if err := r.applyPage(page); err != nil {
			return nil, err
		}
		page = next
	}
	if err := r.applyPage(page); err != nil {
		return nil, err
	}
	return r.snapshot(), nil
}

// decodedEvent is an event with its post, if it has one.
type decodedEvent struct {
	Event
	post    *postPayload
	postErr error // of decoding and checking it
}

func decodeEvent(e Event) decodedEvent {
	d := decodedEvent{Event: e}
	if e.Verb == verbPost {
		d.post, d.postErr = e.post()
	}
	return d
}

// decodeEvents decodes a page in another goroutine. The channel gets one value; no one
// has to receive it.
func decodeEvents(events []Event) <-chan []decodedEvent {
	page := make(chan []decodedEvent, 1)
	go func() {
		decoded := make([]decodedEvent, len(events))
		for i, e := range events {
			decoded[i] = decodeEvent(e)
		}
		page <- decoded
	}()
	return page
}

// replayer rebuilds a board from its events.
type replayer struct {
	Snapshot
	vars    map[string]*Variable // deleted ones too, with no value
	workers map[string]*Worker
	sources map[string]Source
	// idempotency keys, marked by what they belong to, with their ids
	keys map[string]string
	// accepted are the acceptances that stand, by the doubt
	accepted map[string]*claims.Acceptance
}

func newReplayer() *replayer {
	return &replayer{Snapshot: Snapshot{Entries: []Entry{}, Signals: []Signal{},
		Expected: []Expected{}, Dropped: []DroppedDuty{}, Settled: []Settlement{},
		Retrievals: []Retrieval{}, RanClaims: []RanClaim{}}, vars: map[string]*Variable{}, workers: map[string]*Worker{}, sources: map[string]Source{},
		keys: map[string]string{}, accepted: map[string]*claims.Acceptance{}}
}

// snapshot returns the rebuilt board. The replayer must not be used afterwards.
func (r *replayer) snapshot() *Snapshot {
	r.Variables = []Variable{}
	for _, v := range r.vars {
		if v.Value != nil {
			r.Variables = append(r.Variables, *v)
		}
	}
	slices.SortFunc(r.Variables, func(a, b Variable) int { return strings.Compare(a.Key, b.Key) })
	r.endSources()
	r.Workers = listWorkers(r.workers)
	for i := range r.Entries {
		r.Entries[i].accept(r.accepted)
	}
	r.Receipts = folded(r.Receipts)
	slices.Reverse(r.Checks)
	r.Checks = lastChecks(r.Checks)
	return &r.Snapshot
}

func (r *replayer) entry(id string) (*Entry, error) {
	n, err := ParseEntryID(id)
	if err == nil && (n < 1 || n > int64(len(r.Entries))) {
		err = fmt.Errorf("it names %s, which was not posted before", id)
	}
	if err != nil {
		return nil, err
	}
	return &r.Entries[n-1], nil
}

func (r *replayer) signal(id string) (*Signal, error) {
	n, err := ParseSignalID(id)
	if err == nil && (n < 1 || n > int64(len(r.Signals))) {
		err = fmt.Errorf("it names %s, which was not raised before", id)
	}
	if err != nil {
		return nil, err
	}
	return &r.Signals[n-1], nil
}

// applyPage applies a page of events once it is decoded; nil means no page.
func (r *replayer) applyPage(page <-chan []decodedEvent) error {
	if page == nil {
		return nil
	}
	for _, e := range <-page {
		if err := r.applyDecoded(e); err != nil {
			return err
		}
	}
	return nil
}

// apply applies the next event. Events must come in order, without gaps.
func (r *replayer) apply(e Event) error { return r.applyDecoded(decodeEvent(e)) }

func (r *replayer) applyDecoded(e decodedEvent) error {
	if err := r.applyVerb(e); err != nil {
		return invalid(fmt.Sprintf("event %d (%s %s) cannot be applied: %v", e.Seq,
			clip(e.Verb, 40), clip(e.ID, 40), err), "")
	}
	r.Seq, r.At = e.Seq, e.At
	w := r.workers[e.Actor]
	if w == nil {
		w = &Worker{Name: e.Actor}
		r.workers[e.Actor] = w
	}
	w.Events, w.Last = w.Events+1, e.At
	if e.Verb == verbPost {
		w.Entries++
	}
	return nil
}

func (r *replayer) applyVerb(e decodedEvent) error {
	if e.Seq != r.Seq+1 {
		return fmt.Errorf("event %d was expected", r.Seq+1)
	}
	if (e.Verb == verbCreate) != (e.Seq == 1) {
		return fmt.Errorf("a log begins with one %q event", verbCreate)
	}
	switch e.Verb {
	case verbCreate:
		p, err := decode[createPayload](&e.Event)
		r.Run, r.Goal, r.Created = p.Name, p.Goal, e.At
		return err
	case verbImport:
		p, err := decode[importPayload](&e.Event)
		r.Run = p.Name
		return cmp.Or(err, CheckRun(p.Name))
	case verbPost:
		return r.applyPost(e)
	case verbLink:
		p, err := decode[linkPayload](&e.Event)
		entry, err2 := r.entry(e.ID)
		_, err3 := targetID(p.Kind, p.Target)
		if err := cmp.Or(err, err2, err3); err != nil {
			return err
		}
		if !slices.Contains(LinkKinds, p.Kind) {
			return unknown("link", p.Kind, LinkKinds)
		}
		list := entry.of(p.Kind)
		*list = append(*list, p.Target)
	case verbDispute, verbSupersede, verbSettle:
		entry, err := r.entry(e.ID)
		if err != nil {
			return err
		}
		entry.Status = statusAfter(e.Verb)
	case verbReconcile:
		return r.applySettlement(e.Event)
	case verbAccept:
		return r.applyAccept(e.Event)
	case verbSignal:
		return r.applySignal(e.Event)
	case verbClaim, verbRelease, verbAddress, verbWaive, verbReopen:
		return r.applySignalChange(e.Event)
	case verbExpect, verbDone, verbDrop:
		return r.expectation(e.Event)
	case verbMustSurface, verbDropDuty:
		return r.duty(e.Event)
	case verbSet, verbDelete:
		v, err := e.variable()
		r.vars[e.ID] = &v
		return err
	case verbSource, verbVerify:
		return r.applySource(e.Event)
	case verbPolicy:
		p, err := e.policy()
		r.Policy = p
		return err
	case verbRan:
		return decodeInto(&r.Receipts, e.receipt)
	case verbClaimRan:
		return decodeInto(&r.RanClaims, e.ranClaim)
	case verbCheck:
		return decodeInto(&r.Checks, e.checked)
	case verbRetrieval:
		return decodeInto(&r.Retrievals, e.retrieval)
	default:
		return errors.New("the verb is unknown")
	}
	return nil
}

// decodeInto adds what an event says to a list.
func decodeInto[T any](list *[]T, decode func() (T, error)) error {
	said, err := decode()
	if err == nil {
		*list = append(*list, said)
	}
	return err
}

// takeKey records an idempotency key. A key is unique among things of its kind.
func (r *replayer) takeKey(key, id string) error {
	if key == "" {
		return nil
	}
	if old := r.keys[id[:1]+key]; old != "" {
		return fmt.Errorf("its key %q is that of %s", clip(key, 60), old)
	}
	r.keys[id[:1]+key] = id
	return nil
}

func (r *replayer) applyPost(e decodedEvent) error {
	if e.postErr != nil {
		return e.postErr
	}
	p := e.post
	if want := EntryID(int64(len(r.Entries)) + 1); e.ID != want {
		return fmt.Errorf("the next entry is %s", want)
	}
	entry := p.entry(e.ID, e.Seq, e.At)
	entry.ExternalID = p.ExternalID
	if len(r.Entries) == cap(r.Entries) {
		// twice as many: append alone would copy a long list more often
		r.Entries = slices.Grow(r.Entries, len(r.Entries)+1)
	}
	r.Entries = append(r.Entries, entry)
	return r.takeKey(p.Key, e.ID)
}

func (r *replayer) applySignal(e Event) error {
	p, err := e.raise()
	if err != nil {
		return err
	}
	if want := SignalID(int64(len(r.Signals)) + 1); e.ID != want {
		return fmt.Errorf("the next signal is %s", want)
	}
	r.Signals = append(r.Signals, Signal{ID: e.ID, Seq: e.Seq, Created: e.At, Content: p.Content,
		Priority: p.Priority, Status: SignalOpen, Worker: e.Actor,
		Origin: p.Origin, Key: p.Key, ExternalID: p.ExternalID})
	return r.takeKey(p.Key, e.ID)
}

func (r *replayer) applySignalChange(e Event) error {
	s, err := r.signal(e.ID)
	if err != nil {
		return err
	}
	p, err := decode[signalChange](&e)
	if err != nil {
		return err
	}
	switch e.Verb {
	case verbClaim:
		s.ClaimedBy, s.LeaseUntil = e.Actor, &p.LeaseUntil
	case verbRelease:
		s.ClaimedBy, s.LeaseUntil = "", nil
	case verbAddress, verbWaive:
		if e.Verb == verbAddress {
			if _, err := r.entry(p.By); err != nil {
				return err
			}
			s.Status, s.AddressedBy = Addressed, p.By
		} else {
			s.Status, s.Reason = Waived, p.Reason
		}
		at := e.At
		s.ClosedBy, s.Closed, s.ClaimedBy, s.LeaseUntil = e.Actor, &at, "", nil
	case verbReopen:
		s.Status, s.AddressedBy, s.Reason, s.ClosedBy, s.Closed = SignalOpen, "", "", "", nil
	}
	return nil
}

// statusAfter is the status of an entry after an event that changes it.
func statusAfter(verb string) string {
	return map[string]string{verbDispute: Disputed, verbSupersede: Superseded,
		verbSettle: Active}[verb]
}
