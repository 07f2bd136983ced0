package record

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"blackboard/board/claims"
	"blackboard/board/text"
)

// Snapshot is a board after one event, from the tables (now) or the log (any moment).
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
	// SurfaceWaivers are the dropped duties to surface.
	SurfaceWaivers []DroppedDuty `json:"dropped_duties"`
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

// ReplayPage is how many events a replay reads at a time.
const ReplayPage = 500

// Replay returns the board after the event upto. It works on three pages at a time: it reads one,
// decodes the one before (half of the work), and applies the one before that.
func Replay(upto int64, read func(after int64, limit int) ([]Event, error)) (*Snapshot, error) {
	r := NewReplayer()
	var page <-chan []decodedEvent // nil before the first one
	for seq := int64(0); seq < upto; {
		events, err := read(seq, int(min(ReplayPage, upto-seq)))
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
	return r.Finish(), nil
}

// decodedEvent is an event with its post, if it has one.
type decodedEvent struct {
	Event
	post    *PostPayload
	postErr error // of decoding and checking it
}

func decodeEvent(e Event) decodedEvent {
	d := decodedEvent{Event: e}
	if e.Verb == VerbPost {
		d.post, d.postErr = e.Post()
	}
	return d
}

// decodeEvents decodes a page in a goroutine, into a channel that need not be received from.
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

type Replayer struct {
	Snapshot
	VariableByKey map[string]*Variable // deleted ones too, with no value
	workers       map[string]*Worker
	SourceByName  map[string]Source // those that are registered
	// idempotency keys, marked by what they belong to, with their ids
	keys map[string]string
	// the acceptances that stand, by the doubt
	Accepted map[string]*claims.Acceptance
}

func NewReplayer() *Replayer {
	return &Replayer{Snapshot: Snapshot{Entries: []Entry{}, Signals: []Signal{},
		Expected: []Expected{}, SurfaceWaivers: []DroppedDuty{}, Settled: []Settlement{},
		Retrievals: []Retrieval{}, RanClaims: []RanClaim{}}, VariableByKey: map[string]*Variable{}, workers: map[string]*Worker{}, SourceByName: map[string]Source{},
		keys: map[string]string{}, Accepted: map[string]*claims.Acceptance{}}
}

// Finish returns the rebuilt board. The replayer must not be used afterwards.
func (r *Replayer) Finish() *Snapshot {
	r.Variables = []Variable{}
	for _, v := range r.VariableByKey {
		if v.Value != nil {
			r.Variables = append(r.Variables, *v)
		}
	}
	slices.SortFunc(r.Variables, func(a, b Variable) int { return strings.Compare(a.Key, b.Key) })
	r.endSources()
	r.Workers = ListWorkers(r.workers)
	for i := range r.Entries {
		r.Entries[i].Accept(r.Accepted)
	}
	r.Receipts = FoldReceipts(r.Receipts)
	slices.Reverse(r.Checks)
	r.Checks = LastChecks(r.Checks)
	return &r.Snapshot
}

func (r *Replayer) Entry(id string) (*Entry, error) {
	n, err := ParseEntryID(id)
	if err == nil && (n < 1 || n > int64(len(r.Entries))) {
		err = fmt.Errorf("it names %s, which was not posted before", id)
	}
	if err != nil {
		return nil, err
	}
	return &r.Entries[n-1], nil
}

func (r *Replayer) Signal(id string) (*Signal, error) {
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
func (r *Replayer) applyPage(page <-chan []decodedEvent) error {
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

// Apply applies the next event. Events must come in order, without gaps.
func (r *Replayer) Apply(e Event) error { return r.applyDecoded(decodeEvent(e)) }

func (r *Replayer) applyDecoded(e decodedEvent) error {
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
	if e.Verb == VerbPost {
		w.Entries++
	}
	return nil
}

func (r *Replayer) applyVerb(e decodedEvent) error {
	if e.Seq != r.Seq+1 {
		return fmt.Errorf("event %d was expected", r.Seq+1)
	}
	if (e.Verb == VerbCreate) != (e.Seq == 1) {
		return fmt.Errorf("a log begins with one %q event", VerbCreate)
	}
	switch e.Verb {
	case VerbCreate:
		p, err := Decode[CreatePayload](&e.Event)
		r.Run, r.Goal, r.Created = p.Name, p.Goal, e.At
		return err
	case VerbImport:
		p, err := Decode[ImportPayload](&e.Event)
		r.Run = p.Name
		return cmp.Or(err, CheckRun(p.Name))
	case VerbPost:
		return r.applyPost(e)
	case VerbLink:
		p, err := Decode[LinkPayload](&e.Event)
		entry, err2 := r.Entry(e.ID)
		_, err3 := TargetID(p.Kind, p.Target)
		if err := cmp.Or(err, err2, err3); err != nil {
			return err
		}
		if !slices.Contains(LinkKinds, p.Kind) {
			return Unknown("link", p.Kind, LinkKinds)
		}
		list := entry.List(p.Kind)
		*list = append(*list, p.Target)
	case VerbDispute, VerbSupersede, VerbSettle:
		entry, err := r.Entry(e.ID)
		if err != nil {
			return err
		}
		entry.Status = StatusAfter(e.Verb)
	case VerbReconcile:
		return r.applySettlement(e.Event)
	case VerbAccept:
		return r.applyAccept(e.Event)
	case VerbSignal:
		return r.applySignal(e.Event)
	case VerbClaim, VerbRelease, VerbAddress, VerbWaive, VerbReopen:
		return r.applySignalChange(e.Event)
	case VerbExpect, VerbDone, VerbDrop:
		return r.expectation(e.Event)
	case VerbMustSurface, VerbDropDuty:
		return r.duty(e.Event)
	case VerbSet, VerbDelete:
		v, err := e.Variable()
		r.VariableByKey[e.ID] = &v
		return err
	case VerbSource, VerbVerify:
		return r.applySource(e.Event)
	case VerbPolicy:
		p, err := e.Policy()
		r.Policy = p
		return err
	case VerbRan:
		return decodeInto(&r.Receipts, e.Receipt)
	case VerbClaimRan:
		return decodeInto(&r.RanClaims, e.RanClaim)
	case VerbCheck:
		return decodeInto(&r.Checks, e.Checked)
	case VerbRetrieval:
		return decodeInto(&r.Retrievals, e.Retrieval)
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
func (r *Replayer) takeKey(key, id string) error {
	if key == "" {
		return nil
	}
	if old := r.keys[id[:1]+key]; old != "" {
		return fmt.Errorf("its key %q is that of %s", clip(key, 60), old)
	}
	r.keys[id[:1]+key] = id
	return nil
}

func (r *Replayer) applyPost(e decodedEvent) error {
	if e.postErr != nil {
		return e.postErr
	}
	p := e.post
	if want := EntryID(int64(len(r.Entries)) + 1); e.ID != want {
		return fmt.Errorf("the next entry is %s", want)
	}
	entry := p.Entry(e.ID, e.Seq, e.At)
	entry.ExternalID = p.ExternalID
	if len(r.Entries) == cap(r.Entries) {
		// twice as many: append alone would copy a long list more often
		r.Entries = slices.Grow(r.Entries, len(r.Entries)+1)
	}
	r.Entries = append(r.Entries, entry)
	return r.takeKey(p.Key, e.ID)
}

func (r *Replayer) applySignal(e Event) error {
	p, err := e.Raise()
	if err != nil {
		return err
	}
	if want := SignalID(int64(len(r.Signals)) + 1); e.ID != want {
		return fmt.Errorf("the next question is %s", want)
	}
	r.Signals = append(r.Signals, Signal{ID: e.ID, Seq: e.Seq, Created: e.At, Content: p.Content,
		Priority: p.Priority, Status: SignalOpen, Worker: e.Actor, To: p.To,
		Origin: p.Origin, Key: p.Key, ExternalID: p.ExternalID})
	return r.takeKey(p.Key, e.ID)
}

func (r *Replayer) applySignalChange(e Event) error {
	s, err := r.Signal(e.ID)
	if err != nil {
		return err
	}
	p, err := Decode[SignalChange](&e)
	if err != nil {
		return err
	}
	switch e.Verb {
	case VerbClaim:
		s.ClaimedBy, s.LeaseUntil = e.Actor, &p.LeaseUntil
	case VerbRelease:
		s.ClaimedBy, s.LeaseUntil = "", nil
	case VerbAddress, VerbWaive:
		if e.Verb == VerbAddress {
			if _, err := r.Entry(p.By); err != nil {
				return err
			}
			s.Status, s.AddressedBy = Addressed, p.By
		} else {
			s.Status, s.Reason = Waived, p.Reason
		}
		at := e.At
		s.ClosedBy, s.Closed, s.ClaimedBy, s.LeaseUntil = e.Actor, &at, "", nil
	case VerbReopen:
		s.Status, s.AddressedBy, s.Reason, s.ClosedBy, s.Closed = SignalOpen, "", "", "", nil
	}
	return nil
}

// StatusAfter is the status of an entry after an event that changes it.
func StatusAfter(verb string) string {
	return map[string]string{VerbDispute: Disputed, VerbSupersede: Superseded,
		VerbSettle: Active}[verb]
}

// Diff names the first difference of two snapshots, or "": the run's own data, expected workers,
// waivers, sources, entries, signals, variables, settlements alone.
func (s *Snapshot) Diff(o *Snapshot) string {
	switch {
	case s.Run != o.Run || s.Goal != o.Goal || s.Seq != o.Seq || !s.Created.Equal(o.Created):
		return "the run's own data differ"
	case !reflect.DeepEqual(s.Expected, o.Expected):
		return "the workers that are expected differ"
	case !reflect.DeepEqual(s.SurfaceWaivers, o.SurfaceWaivers):
		return "the duties that were dropped differ"
	}
	return cmp.Or(
		differs("sources", s.Sources, o.Sources, func(x *Source) string {
			return fmt.Sprintf("the source %q", x.Name)
		}),
		differs("entries", s.Entries, o.Entries, func(e *Entry) string { return e.ID }),
		differs("signals", s.Signals, o.Signals, func(g *Signal) string { return g.ID }),
		differs("variables", s.Variables, o.Variables, func(v *Variable) string {
			return fmt.Sprintf("the variable %q", v.Key)
		}),
		differs("settled pairs", s.Settled, o.Settled, func(p *Settlement) string {
			return fmt.Sprintf("the settlement of %s and %s", p.A, p.B)
		}))
}

// differs names the first member that differs, or those that only one of two lists has.
func differs[T any](what string, want, have []T, name func(*T) string) string {
	if len(want) != len(have) {
		names := func(all []T) (out []string) {
			for i := range all {
				out = append(out, name(&all[i]))
			}
			return out
		}
		missing, extra := names(want), names(have)
		say := fmt.Sprintf("%d %s, not %d", len(have), what, len(want))
		if only := without(missing, extra); len(only) > 0 {
			say += ", without " + text.Few(only, 5)
		}
		if only := without(extra, missing); len(only) > 0 {
			say += ", and besides " + text.Few(only, 5)
		}
		return say
	}
	for i := range want {
		if !reflect.DeepEqual(want[i], have[i]) {
			return name(&want[i]) + " differs"
		}
	}
	return ""
}

// without are the members of a list that another has not.
func without(all, others []string) (only []string) {
	has := map[string]bool{}
	for _, s := range others {
		has[s] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return has[s] })
}
