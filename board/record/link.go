package record

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Settlement is why two entries, in any order, that seem to contradict each other do not.
type Settlement struct {
	A      string    `json:"a"` // the older entry
	B      string    `json:"b"` // the newer entry
	Reason string    `json:"reason"`
	Worker string    `json:"worker"`
	At     time.Time `json:"at"`
	Seq    int64     `json:"seq"` // the event that settled it
}

type ReconcilePayload struct {
	With   string `json:"with"`
	Reason string `json:"reason"`
}

// OrderedPair returns the numbers of two entries, the older one first. They must differ.
func OrderedPair(a, b string) (x, y int64, err error) {
	if x, err = ParseEntryID(a); err != nil {
		return 0, 0, err
	}
	if y, err = ParseEntryID(b); err != nil {
		return 0, 0, err
	}
	if x == y {
		return 0, 0, invalid(a+" cannot conflict with itself", "name two entries, such as e3 e9")
	}
	return min(x, y), max(x, y), nil
}

func (e *Event) Settlement() (Settlement, error) {
	p, err := Decode[ReconcilePayload](e)
	if err == nil {
		err = CheckText("the reason", p.Reason, MaxField, true)
	}
	return Settlement{e.ID, p.With, p.Reason, e.Actor, e.At, e.Seq}, err
}

func (r *Replayer) applySettlement(e Event) error {
	s, err := e.Settlement()
	if err != nil {
		return err
	}
	for _, id := range []string{s.A, s.B} {
		if _, err := r.Entry(id); err != nil {
			return err
		}
	}
	if x, _, err := OrderedPair(s.A, s.B); err != nil || EntryID(x) != s.A {
		return fmt.Errorf("%s is not older than %s", s.A, s.B)
	}
	if slices.ContainsFunc(r.Settled, func(had Settlement) bool {
		return had.A == s.A && had.B == s.B
	}) {
		return fmt.Errorf("%s and %s were settled before", s.A, s.B)
	}
	r.Settled = append(r.Settled, s)
	return nil
}

func SettlementsOf(all []Settlement, id string) []Settlement {
	return slices.DeleteFunc(append([]Settlement{}, all...),
		func(s Settlement) bool { return s.A != id && s.B != id })
}

// Other returns the entry of a settlement that is not id.
func (s *Settlement) Other(id string) string {
	if s.A == id {
		return s.B
	}
	return s.A
}

// TargetID is the number of a link's target: a signal's for addresses, else an entry's.
func TargetID(kind, id string) (int64, error) {
	if kind == Addresses {
		return ParseSignalID(id)
	}
	return ParseEntryID(id)
}

// DroppedDuty is a superseded entry that had to surface and whose successor need not.
type DroppedDuty struct {
	ID     string `json:"id"`     // the superseded entry
	By     string `json:"by"`     // the entry that supersedes it
	Seq    int64  `json:"seq"`    // the event that dropped it
	Worker string `json:"worker"` // who dropped it
	Reason string `json:"reason"`
}

// DroppedOf are the duties to surface dropped for an entry, and for those that it supersedes.
func (s *Snapshot) DroppedOf(id string) []DroppedDuty {
	return slices.DeleteFunc(append([]DroppedDuty{}, s.SurfaceWaivers...),
		func(d DroppedDuty) bool { return d.ID != id && d.By != id })
}

func (e *Event) DroppedDuty() (DroppedDuty, error) {
	p, err := Decode[DropDutyPayload](e)
	return DroppedDuty{e.ID, p.By, e.Seq, e.Actor, p.Reason}, err
}

func (r *Replayer) duty(e Event) error {
	entry, err := r.Entry(e.ID)
	if err != nil {
		return err
	}
	if e.Verb == VerbMustSurface {
		entry.MustSurface = true
		return nil
	}
	d, err := e.DroppedDuty()
	if err == nil {
		_, err = r.Entry(d.By)
	}
	if err != nil {
		return err
	}
	for _, had := range r.SurfaceWaivers {
		if had.ID == d.ID && had.By == d.By {
			return errors.New("the duty was dropped before")
		}
	}
	r.SurfaceWaivers = append(r.SurfaceWaivers, d)
	return nil
}

const (
	WorkerExpected = "expected" // the gate waits for it
	WorkerDone     = "done"     // it has said that it is through
	WorkerDropped  = "dropped"  // somebody decided, with a reason, not to wait for it
)

// Expected is a worker that the run waits for, with its status.
type Expected struct {
	Worker string    `json:"worker"`
	Seq    int64     `json:"seq"`    // the event that named it first
	Status string    `json:"status"` // expected, done or dropped
	At     time.Time `json:"at"`     // since when it is so
	By     string    `json:"by"`     // who said so
	Reason string    `json:"reason"` // why it was dropped; of one that is done, its note
}

// WorkerStatusAfter is an event's status for the worker its id names; "" for other events.
func WorkerStatusAfter(verb string) string {
	switch verb {
	case VerbExpect:
		return WorkerExpected
	case VerbDone:
		return WorkerDone
	case VerbDrop:
		return WorkerDropped
	}
	return ""
}

func (e *Event) Expected() (Expected, error) {
	p, err := Decode[ReasonPayload](e)
	if err == nil {
		err = CheckWorker(e.ID)
	}
	return Expected{e.ID, e.Seq, WorkerStatusAfter(e.Verb), e.At, e.Actor, p.Reason}, err
}

func (r *Replayer) expectation(e Event) error {
	x, err := e.Expected()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(r.Expected, func(x Expected) bool { return x.Worker == e.ID })
	if at < 0 {
		r.Expected = append(r.Expected, x)
		return nil
	}
	x.Seq = r.Expected[at].Seq
	r.Expected[at] = x
	return nil
}
