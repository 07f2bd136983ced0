package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Verbs of the event log; the payload types below, part of the export format, are what it holds.
const (
	VerbCreate    = "create"    // the run came into being
	VerbImport    = "import"    // what follows was imported; says from what
	VerbPost      = "post"      // an entry, with its links
	VerbLink      = "link"      // a link added to an entry later
	VerbDispute   = "dispute"   // an entry became disputed
	VerbSupersede = "supersede" // an entry became superseded
	VerbSettle    = "settle"    // a disputed entry became active again
	VerbReconcile = "reconcile" // two entries that seem to contradict each other are no conflict
	VerbSignal    = "signal"    // a signal was raised
	VerbClaim     = "claim"     // a worker took a signal, until its lease runs out
	VerbRelease   = "release"   // a worker gave a signal back
	VerbAddress   = "address"   // a signal was answered
	VerbWaive     = "waive"     // a signal was waived
	VerbReopen    = "reopen"    // a closed signal is open again
	VerbSet       = "set"       // a variable got a value
	VerbDelete    = "delete"    // a variable was deleted
	VerbRetrieval = "retrieval" // somebody was given something of the knowledge base
	VerbSource    = "source"    // a file that the run reads was registered, or taken from the list
	VerbVerify    = "verify"    // an entry was held against its source
	VerbAccept    = "accept"    // a doubt of a check is no fault, or is one again
	VerbPolicy    = "policy"    // the policy that the run is judged by
	VerbRan       = "ran"       // a hook saw a command or an edit, or learned its outcome later
	VerbClaimRan  = "claim-ran" // a worker said that a command ran
	VerbCheck     = "check"     // reports were checked against the run

	VerbExpect      = "expect"       // the run waits for a worker
	VerbDone        = "done"         // a worker is through
	VerbDrop        = "drop"         // the run no longer waits for a worker
	VerbMustSurface = "must-surface" // an entry has the duty of one that it supersedes, or that of a contradiction
	// the successor of an entry that had to surface need not surface
	VerbDropDuty = "drop-duty"
)

type CreatePayload struct {
	Name string `json:"name"`
	Goal string `json:"goal,omitempty"`
}

// PostPayload is that of VerbPost. The actor of the event is its worker.
type PostPayload struct {
	Post
	*Correction
	ExternalID string `json:"external_id,omitempty"`
	// fields of an imported entry that the board has no column for
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}

// Correction says what an entry amends, and why. It is only in the log.
type Correction struct {
	Corrects string   `json:"corrects,omitempty"` // the entry that it takes the place of
	Changed  []string `json:"changed,omitempty"`  // the fields of the post that differ
	Reason   string   `json:"reason,omitempty"`
}

// Describe tells it in one line, with the names that posts are written with.
func (c *Correction) Describe() string {
	var fields []string
	for _, f := range c.Changed {
		switch f {
		case "evidence":
			f = "quote"
		case "source_doc", "source_ref", "sources":
			f = "source"
		}
		if !slices.Contains(fields, f) {
			fields = append(fields, f)
		}
	}
	return strings.TrimSuffix(fmt.Sprintf("%s (%s): %s", c.Corrects, strings.Join(fields, ", "), c.Reason), ": ")
}

// ByPayload is that of VerbDispute, VerbSupersede, VerbSettle, VerbAddress, VerbRelease and VerbReopen.
type ByPayload struct {
	By   string `json:"by,omitempty"` // the entry that did it
	Note string `json:"note,omitempty"`
}

type DropDutyPayload struct {
	By     string `json:"by"` // the entry that supersedes it
	Reason string `json:"reason"`
}

// TakenPayload names the entry whose duty was taken over, or that is contradicted.
type TakenPayload struct {
	From string `json:"from"`
}

type LinkPayload struct {
	Kind   string `json:"kind"`
	Target string `json:"target"`
}

type SignalPayload struct {
	Raise
	ExternalID string                     `json:"external_id,omitempty"`
	Extra      map[string]json.RawMessage `json:"extra,omitempty"`
}

type ClaimPayload struct {
	LeaseUntil time.Time `json:"lease_until"`
	Session    string    `json:"session,omitempty"` // whose claim it is, beside the worker's name
}

// SignalChange is what the payloads of a signal's later events say of it.
type SignalChange struct {
	LeaseUntil time.Time `json:"lease_until"`
	By         string    `json:"by"`
	Reason     string    `json:"reason"`
}

type WaivePayload struct {
	Reason string `json:"reason"`
}

type ReasonPayload struct {
	Reason string `json:"reason,omitempty"`
}

type SetPayload struct {
	Value   json.RawMessage `json:"value,omitempty"`
	Version int64           `json:"version"`
}

// Decode reads the payload of an event.
func Decode[P any](e *Event) (p P, err error) {
	err = json.Unmarshal(e.Payload, &p)
	return p, err
}

func (e *Event) Post() (*PostPayload, error) {
	p := &PostPayload{}
	if err := json.Unmarshal(e.Payload, p); err != nil {
		return nil, err
	}
	p.Worker = e.Actor
	return p, p.Prepare()
}

func (e *Event) Raise() (*SignalPayload, error) {
	p, err := Decode[SignalPayload](e)
	if err != nil {
		return nil, err
	}
	return &p, p.Prepare()
}

// Variable decodes the event that sets or deletes a variable; one that is deleted has no value.
func (e *Event) Variable() (Variable, error) {
	p, err := Decode[SetPayload](e)
	switch {
	case err != nil:
	case e.Verb == VerbDelete:
		p.Value = nil
	case p.Value == nil:
		err = errors.New("it has no value")
	}
	return Variable{Key: e.ID, Value: p.Value, Version: p.Version, Updated: e.At, Worker: e.Actor}, err
}

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
	case VerbPost:
		return p.Type + ", " + p.Content
	case VerbSignal:
		return p.Priority + ", " + p.Content
	case VerbCreate:
		return p.Goal
	case VerbImport:
		return "from " + p.Format + " " + p.Source + p.From
	case VerbLink:
		return p.Kind + " " + p.Target
	case VerbDispute, VerbSupersede, VerbSettle, VerbAddress:
		if p.By == "" {
			return p.Note
		}
		return "by " + p.By
	case VerbReconcile:
		return "with " + p.With + ": " + p.Reason
	case VerbAccept:
		if p.Revoked {
			return p.Doubt + " no longer: " + p.Reason
		}
		return p.Doubt + ": " + p.Reason
	case VerbClaim:
		if p.LeaseUntil != nil {
			return "until " + p.LeaseUntil.Format(time.RFC3339)
		}
	case VerbWaive, VerbDrop:
		return p.Reason
	case VerbMustSurface:
		return "because of " + p.From
	case VerbDropDuty:
		return "by " + p.By + ": " + p.Reason
	case VerbReopen:
		return p.Note
	case VerbSet:
		return string(p.Value)
	case VerbSource:
		if s, removed, err := e.Source(); err == nil && !removed {
			return fmt.Sprintf("%d bytes, SHA-256 %.12s…", s.Size, s.SHA256)
		}
		return "removed"
	case VerbVerify:
		if v, err := e.Verification(); err == nil {
			return v.Describe()
		}
	case VerbPolicy:
		if p, err := e.Policy(); err == nil {
			return strings.TrimSuffix(cmp.Or(p.Path, "the default policy")+": "+p.Reason, ": ")
		}
	case VerbRan:
		if r, err := e.Receipt(); err == nil {
			return r.Describe()
		}
	case VerbClaimRan:
		if c, err := e.RanClaim(); err == nil {
			return c.Describe()
		}
	case VerbCheck:
		if c, err := e.Checked(); err == nil {
			return c.Describe()
		}
	case VerbRetrieval:
		if r, err := e.Retrieval(); err == nil {
			return strings.TrimPrefix(r.describe("")+": "+r.IDs(), ": ")
		}
	}
	return ""
}

// ImportPayload says where a board, or what follows on it, was imported from.
type ImportPayload struct {
	Name   string `json:"name"`             // the run's name from here on
	From   string `json:"from,omitempty"`   // its name in the source
	Format string `json:"format,omitempty"` // board, irys or blackboard.py
	Source string `json:"source,omitempty"` // the file
	// what the source says of the whole run
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}
