package board

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"time"

	"blackboard/board/store"
)

// Verbs of the event log. The payload types below are what the log holds for each; they
// are part of the export format.
const (
	verbCreate    = "create"    // the run came into being
	verbImport    = "import"    // what follows was imported; says from what
	verbPost      = "post"      // an entry, with its links
	verbLink      = "link"      // a link added to an entry later
	verbDispute   = "dispute"   // an entry became disputed
	verbSupersede = "supersede" // an entry became superseded
	verbSettle    = "settle"    // a disputed entry became active again
	verbReconcile = "reconcile" // two entries that seem to contradict each other are no conflict
	verbSignal    = "signal"    // a signal was raised
	verbClaim     = "claim"     // a worker took a signal, until its lease runs out
	verbRelease   = "release"   // a worker gave a signal back
	verbAddress   = "address"   // a signal was answered
	verbWaive     = "waive"     // a signal was waived
	verbReopen    = "reopen"    // a closed signal is open again
	verbSet       = "set"       // a variable got a value
	verbDelete    = "delete"    // a variable was deleted
	verbRetrieval = "retrieval" // somebody was given something of the knowledge base
	verbSource    = "source"    // a file that the run reads was registered, or taken from the list
	verbVerify    = "verify"    // an entry was held against its source
	verbAccept    = "accept"    // a doubt of a check is no fault, or is one again
	verbPolicy    = "policy"    // the policy that the run is judged by
	verbRan       = "ran"       // a hook saw a command or an edit, or learned its outcome later
	verbClaimRan  = "claim-ran" // a worker said that a command ran
	verbCheck     = "check"     // reports were checked against the run

	verbExpect      = "expect"       // the run waits for a worker
	verbDone        = "done"         // a worker is through
	verbDrop        = "drop"         // the run no longer waits for a worker
	verbMustSurface = "must-surface" // an entry has the duty of one that it supersedes, or that of a contradiction
	// the successor of an entry that had to surface need not surface
	verbDropDuty = "drop-duty"
)

type createPayload struct {
	Name string `json:"name"`
	Goal string `json:"goal,omitempty"`
}

type postPayload struct {
	Post
	ExternalID string `json:"external_id,omitempty"`
	// fields of an imported entry that the board has no column for
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}

type byPayload struct {
	By   string `json:"by,omitempty"` // the entry that did it
	Note string `json:"note,omitempty"`
}

type dropDutyPayload struct {
	By     string `json:"by"` // the entry that supersedes it
	Reason string `json:"reason"`
}

// takenPayload names the entry whose duty was taken over, or that is contradicted.
type takenPayload struct {
	From string `json:"from"`
}

type linkPayload struct {
	Kind   string `json:"kind"`
	Target string `json:"target"`
}

type signalPayload struct {
	Raise
	ExternalID string                     `json:"external_id,omitempty"`
	Extra      map[string]json.RawMessage `json:"extra,omitempty"`
}

type claimPayload struct {
	LeaseUntil time.Time `json:"lease_until"`
	Session    string    `json:"session,omitempty"` // whose claim it is, beside the worker's name
}

// signalChange is what the payloads of a signal's later events say of it.
type signalChange struct {
	LeaseUntil time.Time `json:"lease_until"`
	By         string    `json:"by"`
	Reason     string    `json:"reason"`
}

type addressPayload struct {
	By string `json:"by"`
}

type waivePayload struct {
	Reason string `json:"reason"`
}

type reasonPayload struct {
	Reason string `json:"reason,omitempty"`
}

type notePayload struct {
	Note string `json:"note,omitempty"`
}

type setPayload struct {
	Value   json.RawMessage `json:"value,omitempty"`
	Version int64           `json:"version"`
}

// decode reads the payload of an event.
func decode[P any](e *Event) (p P, err error) {
	err = json.Unmarshal(e.Payload, &p)
	return p, err
}

// post decodes the event of an entry.
func (e *Event) post() (*postPayload, error) {
	p := &postPayload{}
	if err := json.Unmarshal(e.Payload, p); err != nil {
		return nil, err
	}
	p.Worker = e.Actor
	return p, p.prepare()
}

// raise decodes the event of a signal.
func (e *Event) raise() (*signalPayload, error) {
	p, err := decode[signalPayload](e)
	if err != nil {
		return nil, err
	}
	return &p, p.prepare()
}

// variable decodes the event that sets or deletes a variable; one that is deleted has no value.
func (e *Event) variable() (Variable, error) {
	p, err := decode[setPayload](e)
	switch {
	case err != nil:
	case e.Verb == verbDelete:
		p.Value = nil
	case p.Value == nil:
		err = errors.New("it has no value")
	}
	return Variable{Key: e.ID, Value: p.Value, Version: p.Version, Updated: e.At, Worker: e.Actor}, err
}

// Events returns the events after seq, oldest first. The sequence stops at the first
// error. It reads a long log page by page, so the caller's loop may be slow.
func (b *Board) Events(ctx context.Context, after int64) iter.Seq2[Event, error] {
	const page = 1000
	return func(yield func(Event, error) bool) {
		for {
			events, err := readValue(ctx, b, func(tx *store.Tx) ([]Event, error) {
				return eventsAfter(tx, after, page)
			})
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
				after = e.Seq
			}
			if len(events) < page {
				return
			}
		}
	}
}

// eventsAfter returns at most limit events after seq. A limit below 0 means no limit.
func eventsAfter(tx *store.Tx, seq int64, limit int) ([]Event, error) {
	if limit < 0 {
		limit = math.MaxInt
	}
	return selectEvents(tx, `WHERE seq > ? ORDER BY seq LIMIT ?`, seq, limit)
}

func selectEvents(tx *store.Tx, rest string, args ...any) ([]Event, error) {
	return store.All(tx, (*Event).columns, `SELECT `+eventColumns+` FROM events `+rest, args...)
}

const eventColumns = `seq, at, actor, verb, id, payload`

func (e *Event) columns() []any {
	return []any{&e.Seq, store.Time(&e.At), &e.Actor, &e.Verb, &e.ID, (*[]byte)(&e.Payload)}
}

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// Describe says in a few words what an event did, beyond its verb and id: what was
// posted, which entry answered, why it was waived.
func (e *Event) Describe() string {
	var p struct {
		Type, Content, Priority, By, Note, Reason, Kind, Target, Goal, Format, Source, From,
		With, Doubt string

		Value      json.RawMessage
		LeaseUntil *time.Time `json:"lease_until"`
		Revoked    bool
	}
	if json.Unmarshal(e.Payload, &p) != nil {
		return ""
	}
	switch e.Verb {
	case verbPost:
		return p.Type + ", " + p.Content
	case verbSignal:
		return p.Priority + ", " + p.Content
	case verbCreate:
		return p.Goal
	case verbImport:
		return "from " + p.Format + " " + p.Source + p.From
	case verbLink:
		return p.Kind + " " + p.Target
	case verbDispute, verbSupersede, verbSettle, verbAddress:
		if p.By == "" {
			return p.Note
		}
		return "by " + p.By
	case verbReconcile:
		return "with " + p.With + ": " + p.Reason
	case verbAccept:
		if p.Revoked {
			return p.Doubt + " no longer: " + p.Reason
		}
		return p.Doubt + ": " + p.Reason
	case verbClaim:
		if p.LeaseUntil != nil {
			return "until " + p.LeaseUntil.Format(time.RFC3339)
		}
	case verbWaive, verbDrop:
		return p.Reason
	case verbMustSurface:
		return "because of " + p.From
	case verbDropDuty:
		return "by " + p.By + ": " + p.Reason
	case verbReopen:
		return p.Note
	case verbSet:
		return string(p.Value)
	case verbSource:
		if s, removed, err := e.source(); err == nil && !removed {
			return fmt.Sprintf("%d bytes, SHA-256 %.12s…", s.Size, s.SHA256)
		}
		return "removed"
	case verbVerify:
		if v, err := e.verification(); err == nil {
			return v.Describe()
		}
	case verbPolicy:
		if p, err := e.policy(); err == nil {
			return strings.TrimSuffix(cmp.Or(p.Path, "the default policy")+": "+p.Reason, ": ")
		}
	case verbRan:
		if r, err := e.receipt(); err == nil {
			return r.Describe()
		}
	case verbClaimRan:
		if c, err := e.ranClaim(); err == nil {
			return c.Describe()
		}
	case verbCheck:
		if c, err := e.checked(); err == nil {
			return c.Describe()
		}
	case verbRetrieval:
		if r, err := e.retrieval(); err == nil {
			return strings.TrimPrefix(r.describe("")+": "+r.IDs(), ": ")
		}
	}
	return ""
}
