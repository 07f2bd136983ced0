package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Policy says when synthesis may start; by the zero value when something was posted or raised, all
// expected workers are done, and no critical or high signal is open.
type Policy struct {
	// Block lists the priorities whose open signals keep the gate closed; nil means
	// critical and high.
	Block []string `yaml:"block" json:"block"`
	// Expect lists workers that must be done, in addition to those that the run expects.
	// The gate does not wait for a worker that was dropped on the board.
	Expect []string `yaml:"expect" json:"expect"`
	// MaxOpen is the largest number of open signals, of any priority, with which the gate
	// opens; nil means any number.
	MaxOpen *int64 `yaml:"max_open" json:"max_open"`
	// MaxDisputed is the largest number of disputed entries with which the gate opens;
	// nil means any number.
	MaxDisputed *int64 `yaml:"max_disputed" json:"max_disputed"`
	// MaxConflicts is the largest number of conflicts between entries with which the
	// gate opens; nil means any number, and no entries are compared.
	MaxConflicts *int64 `yaml:"max_conflicts" json:"max_conflicts"`
	// MinEntries is how many entries must have been posted; 0 means one entry or one
	// signal.
	MinEntries int64 `yaml:"min_entries" json:"min_entries"`
	// RequireSource closes the gate on entries that must surface, or answer a signal, and
	// name no source.
	RequireSource bool `yaml:"require_source" json:"require_source"`
	// RequireVerified closes the gate on must-surface entries, and on answers to signals,
	// that are not verified: not checked yet, doubted, or checked against a file that has
	// changed since.
	RequireVerified bool `yaml:"require_verified" json:"require_verified"`
	// RequireEvidence closes the gate on must-surface entries, and on answers to signals,
	// that have no quote.
	RequireEvidence bool `yaml:"require_evidence" json:"require_evidence"`
	// RequireRan are commands that hooks must have seen each worker run, so that they passed
	// after its last edit.
	RequireRan []string `yaml:"require_ran" json:"require_ran"`
	// RequireRanBy are those of one worker more, by its name.
	RequireRanBy map[string][]string `yaml:"require_ran_by" json:"require_ran_by"`
	// Accept bounds the accepted doubts that count as verified. In a file it is a part of its own.
	Accept        AcceptPolicy `yaml:"-" json:"accept"`
	forCall       bool         // see ForCall
	skipConflicts bool         // see WithoutConflicts
}

type AcceptPolicy struct {
	// Max is the number of accepted doubts that still pass; nil: no limit.
	Max *int64 `yaml:"max" json:"max"`
	// Checks are those of which doubts may be accepted; nil: verify and survival.
	Checks []string `yaml:"checks" json:"checks"`
}

// Refuses says why doubts of a check may not pass that were accepted, n in all; "" if they may.
func (p *AcceptPolicy) Refuses(check string, n int) string {
	switch {
	case p.Checks != nil && !slices.Contains(p.Checks, check):
		return "accept.checks of the policy does not name " + check
	case p.Max != nil && int64(n) > *p.Max:
		return fmt.Sprintf("accept.max of the policy passes %d", *p.Max)
	}
	return ""
}

// defaultBlock lists the priorities that block unless a policy says otherwise.
var defaultBlock = []string{"critical", "high"}

// Blocking returns the priorities whose open signals keep the gate closed.
func (p Policy) Blocking() []string {
	if p.Block == nil {
		return defaultBlock
	}
	return p.Block
}

func (p Policy) Blocks(s *Signal) bool {
	return s.Status == SignalOpen && slices.Contains(p.Blocking(), s.Priority)
}

func (p Policy) Check() error {
	if err := CheckAll("priority", p.Blocking(), Priorities); err != nil {
		return err
	}
	for _, name := range p.Expect {
		if err := CheckWorker(name); err != nil {
			return err
		}
	}
	for _, n := range []*int64{p.MaxOpen, p.MaxDisputed, p.MaxConflicts} {
		if n != nil && *n < 0 {
			return invalid(fmt.Sprintf("%d is not a number of questions, entries or pairs", *n),
				"give 0 or more")
		}
	}
	if err := p.checkRan(); err != nil {
		return err
	}
	if p.MinEntries < 0 {
		return invalid(fmt.Sprintf("%d is not a number of entries", p.MinEntries), "give 0 or more")
	}
	return nil
}

func (e *Entry) IsQuoted() bool {
	return slices.ContainsFunc(e.Cites(), func(c Cited) bool { return strings.TrimSpace(c.Evidence) != "" })
}

// PolicyEventID is the id of the events that record a policy. The log is indexed by it.
const PolicyEventID = "policy"

// MaxPolicy is the largest text of a policy on record, in bytes.
const MaxPolicy = 64 << 10

type NewPolicy struct {
	// Path is the absolute path of its file, "" for the default policy.
	Path string `json:"path"`
	Text string `json:"text"` // of its file
	// Gate is what the text says of the gate, so that the gate needs no file.
	Gate Policy `json:"gate"`
	// Reason says why it replaces another one.
	Reason string `json:"reason,omitempty"`
}

// RecordedPolicy is the policy that a run was started under, or the one that replaced it.
type RecordedPolicy struct {
	NewPolicy
	SHA256 string    `json:"sha256"` // of its text
	Seq    int64     `json:"seq"`    // the event that recorded it
	At     time.Time `json:"at"`
	Worker string    `json:"worker"`
}

// PolicyHash is the hash by which policies are compared.
func PolicyHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

type PolicyPayload struct {
	NewPolicy
	SHA256 string `json:"sha256"`
}

func (p *NewPolicy) Check() error {
	if len(p.Text) > MaxPolicy {
		return invalid("the policy is too large to be recorded", "keep it below 64 KiB")
	}
	return errors.Join(CheckText("the reason", p.Reason, MaxField, false), p.Gate.Check())
}

func (e *Event) Policy() (*RecordedPolicy, error) {
	var p PolicyPayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	if p.SHA256 != PolicyHash(p.Text) {
		return nil, errors.New("the policy's text does not have its SHA-256")
	}
	return &RecordedPolicy{NewPolicy: p.NewPolicy, SHA256: p.SHA256, Seq: e.Seq, At: e.At,
		Worker: e.Actor}, nil
}

// ForCall returns a policy that a caller asks for, once. It can close a gate, but never
// opens one that the policy on record keeps shut.
func (p Policy) ForCall() Policy {
	p.forCall = true
	return p
}

// WithoutConflicts returns a policy that never compares entries, whatever is on record: a
// walk through time has no room for it. Its verdict is no answer of the gate.
func (p Policy) WithoutConflicts() Policy {
	p.skipConflicts, p.MaxConflicts = true, nil
	return p
}

// Under returns the policy to judge by: p, or the one on record, with p added if it is ForCall.
func (p Policy) Under(recorded *RecordedPolicy) Policy {
	if recorded == nil {
		return p
	}
	q := recorded.Gate
	if p.forCall {
		q = p.and(q)
	}
	if p.skipConflicts {
		q.MaxConflicts = nil
	}
	return q
}

// and returns the policy that is open only if both are.
func (p Policy) and(q Policy) Policy {
	p.Block = Union(p.Blocking(), q.Blocking())
	p.Expect = Union(p.Expect, q.Expect)
	p.MaxOpen = smaller(p.MaxOpen, q.MaxOpen)
	p.MaxDisputed = smaller(p.MaxDisputed, q.MaxDisputed)
	p.MaxConflicts = smaller(p.MaxConflicts, q.MaxConflicts)
	p.MinEntries = max(p.MinEntries, q.MinEntries)
	p.RequireSource = p.RequireSource || q.RequireSource
	p.RequireVerified = p.RequireVerified || q.RequireVerified
	p.RequireEvidence = p.RequireEvidence || q.RequireEvidence
	p.Accept.Max = smaller(p.Accept.Max, q.Accept.Max)
	if p.Accept.Checks == nil {
		p.Accept.Checks = q.Accept.Checks
	} else if q.Accept.Checks != nil {
		p.Accept.Checks = slices.DeleteFunc(slices.Clone(p.Accept.Checks), func(c string) bool {
			return !slices.Contains(q.Accept.Checks, c)
		})
	}
	p.RequireRan = Union(p.RequireRan, q.RequireRan)
	by := map[string][]string{}
	for _, all := range []map[string][]string{p.RequireRanBy, q.RequireRanBy} {
		for name, commands := range all {
			by[name] = Union(by[name], commands)
		}
	}
	p.RequireRanBy = by
	return p
}

// Union returns the names of both lists, in order, each once.
func Union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// smaller returns the smaller limit; nil is none.
func smaller(a, b *int64) *int64 {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// PolicyRef says by which recorded policy a run was judged.
type PolicyRef struct {
	Path   string `json:"path"` // of the file that it was read from, "" for the default policy
	SHA256 string `json:"sha256"`
	Seq    int64  `json:"seq"` // the event that recorded it
	Reason string `json:"reason"`
}

// Ref returns by which policy a run is judged; nil if none is recorded.
func (p *RecordedPolicy) Ref() *PolicyRef {
	if p == nil {
		return nil
	}
	return &PolicyRef{p.Path, p.SHA256, p.Seq, p.Reason}
}
