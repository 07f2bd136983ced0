package board

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/store"
)

// policyID is the id of the events that record a policy. The log is indexed by it.
const policyID = "policy"

// MaxPolicy is the largest text of a policy on record, in bytes.
const MaxPolicy = 64 << 10

// NewPolicy is a policy to record.
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

type policyPayload struct {
	NewPolicy
	SHA256 string `json:"sha256"`
}

// RecordPolicy makes a policy that of the run. The same text again changes nothing. It is
// fault.Invalid to replace one without a reason.
func (b *Board) RecordPolicy(ctx context.Context, worker string, p NewPolicy) (changed bool, err error) {
	if err := p.check(); err != nil {
		return false, err
	}
	err = b.write(ctx, worker, func(w *writer) error {
		had, err := recordedPolicy(w.tx)
		if err != nil || had != nil && had.SHA256 == PolicyHash(p.Text) {
			return err
		}
		if had != nil && strings.TrimSpace(p.Reason) == "" {
			return invalid("the run has a policy on record, and replacing it needs a reason", "",
				fault.Give("reason", "", "give {}: it stays on record"))
		}
		changed = true
		return w.policy(p)
	})
	return changed, err
}

func (p *NewPolicy) check() error {
	if len(p.Text) > MaxPolicy {
		return invalid("the policy is too large to be recorded", "keep it below 64 KiB")
	}
	return errors.Join(checkText("the reason", p.Reason, MaxField, false), p.Gate.Check())
}

func (w *writer) policy(p NewPolicy) error {
	return w.event(verbPolicy, policyID, policyPayload{p, PolicyHash(p.Text)})
}

// RecordedPolicy returns the policy that the run has on record, or nil if it was begun
// without one.
func (b *Board) RecordedPolicy(ctx context.Context) (*RecordedPolicy, error) {
	return readValue(ctx, b, recordedPolicy)
}

func recordedPolicy(tx *store.Tx) (*RecordedPolicy, error) {
	events, err := selectEvents(tx, `WHERE id = ? AND verb = ? ORDER BY seq DESC LIMIT 1`, policyID,
		verbPolicy)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	return events[0].policy()
}

// policy decodes the event of a policy.
func (e *Event) policy() (*RecordedPolicy, error) {
	var p policyPayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
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

// under is the policy to judge by: the one on record, with what a call adds to it, else p.
func (p Policy) under(recorded *RecordedPolicy) Policy {
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
	p.Block = union(p.block(), q.block())
	p.Expect = union(p.Expect, q.Expect)
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
	}
	p.RequireRan = union(p.RequireRan, q.RequireRan)
	by := map[string][]string{}
	for _, all := range []map[string][]string{p.RequireRanBy, q.RequireRanBy} {
		for name, commands := range all {
			by[name] = union(by[name], commands)
		}
	}
	p.RequireRanBy = by
	return p
}

// union returns the names of both lists, in order, each once.
func union(a, b []string) []string {
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

func (p *RecordedPolicy) ref() *PolicyRef {
	if p == nil {
		return nil
	}
	return &PolicyRef{p.Path, p.SHA256, p.Seq, p.Reason}
}
