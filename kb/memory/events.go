package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"blackboard/board/sqlite"
)

// Verbs of events. The verb of a saved note is its kind: Journal or Core.
const (
	VerbPut          = "put"
	VerbConfirmed    = "confirmed" // stored again with the same words
	VerbUpdated      = "updated"
	VerbForgotten    = "forgotten"
	VerbPromoted     = "promoted"
	VerbImported     = "imported"
	VerbNamed        = "named edited"
	VerbNamedGone    = "named removed"
	VerbStarted      = "conversation started"
	VerbInvited      = "conversation shared" // Other takes part from now on
	VerbIdle         = "conversation idle"
	VerbArchived     = "conversation archived"
	VerbReopened     = "conversation reopened"
	VerbChannel      = "channel created"
	VerbDescribed    = "channel described"
	VerbChannelGone  = "channel removed"
	VerbCleared      = "scratch cleared"
	VerbItemArchived = "archived" // an item
	VerbRestored     = "restored"
	VerbConsolidate  = "consolidated"
	VerbScrubbed     = "scrubbed"
	VerbPurged       = "purged"
	VerbAdopted      = "workspace adopted"
	VerbRemoved      = "workspace removed" // in the account's log; Subject is the manifest's hash
	VerbAuthor       = "as the author"     // the caller acted as the author, and Why
)

// Event is an entry in the log of changes. It has no content.
type Event struct {
	At    time.Time `json:"at"`
	Actor string    `json:"actor"`
	Verb  string    `json:"verb"`
	Scope string    `json:"scope"`
	// what was changed: an item, a note, a conversation, named:NAME
	Subject string `json:"subject"`
	// the second item, such as the one merged with; "": none
	Other string          `json:"other"`
	Why   string          `json:"why"`
	Data  json.RawMessage `json:"data"` // fields of the verb

	agent string // owner of a private subject
}

// event appends to the log. Why is the program's text, or the reason to act as the author.
func (f *file) event(tx *sqlite.Tx, e Event) error {
	e.Actor = cmp.Or(e.Actor, f.s.opt.Actor)
	if f.s.opt.Reason != "" && f.reasoned != tx {
		f.reasoned = tx // set first, since event is called again below
		why := Event{Actor: e.Actor, Verb: VerbAuthor, Scope: e.Scope, Subject: e.Subject,
			Why: f.s.opt.Reason, agent: e.agent}
		if err := f.event(tx, why); err != nil {
			return err
		}
	}
	_, err := tx.Exec(`INSERT INTO events (at, actor, agent, verb, scope, subject, other, why,
		data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		tx.Now.UnixMilli(), e.Actor, e.agent, e.Verb, e.Scope, e.Subject, e.Other,
		clip(e.Why, maxWhy), string(e.Data))
	return err
}

func (f *file) itemEvent(tx *sqlite.Tx, verb string, it *Item, why string) error {
	return f.event(tx, Event{Verb: verb, Scope: it.Scope().String(), Subject: it.ID, Why: why,
		agent: it.Agent})
}

// Events returns the log, the newest last: of one subject, or with "" of a tier's whole file, as
// far as the caller may see it. limit is the number of the newest, 0 for all.
func (s *Store) Events(ctx context.Context, tier, subject string, limit int) ([]Event, error) {
	all := []Event{}
	if limit <= 0 {
		limit = -1
	}
	reached := slices.DeleteFunc(slices.Clone(Tiers), func(t string) bool { return !s.Reaches(t) })
	err := s.reading(ctx, tier, func(_ *file, tx *sqlite.Tx) (err error) {
		all, err = sqlite.All(tx, func(e *Event) []any {
			return []any{sqlite.Time(&e.At), &e.Actor, &e.Verb, &e.Scope, &e.Subject, &e.Other, &e.Why,
				(*[]byte)(&e.Data)}
		}, `SELECT at, actor, verb, scope, subject, other, why, nullif(data, '') FROM events
			WHERE (?1 = '' OR subject = ?1) AND agent IN ('', ?3)
			AND CASE instr(scope, ':') WHEN 0 THEN scope ELSE substr(scope, 1, instr(scope,
			':') - 1) END IN (SELECT value FROM json_each(?4)) ORDER BY n DESC LIMIT ?2`,
			subject, limit, s.opt.Agent, sqlite.List(reached))
		return err
	})
	slices.Reverse(all)
	return all, err
}
