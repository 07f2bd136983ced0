package memory

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"blackboard/board/sqlite"
)

// Verbs of events. A note that is saved has its kind as its verb: Journal or Core.
const (
	VerbPut         = "put"
	VerbConfirmed   = "confirmed" // put again with the same words
	VerbUpdated     = "updated"
	VerbForgotten   = "forgotten"
	VerbPromoted    = "promoted"
	VerbImported    = "imported"
	VerbNamed       = "named edited"
	VerbNamedGone   = "named removed"
	VerbStarted     = "conversation started"
	VerbInvited     = "conversation shared" // Other takes part from now on
	VerbIdle        = "conversation idle"
	VerbArchived    = "conversation archived"
	VerbChannel     = "channel created"
	VerbDescribed   = "channel described"
	VerbChannelGone = "channel removed"
	VerbCleared     = "scratch cleared"
	VerbPutAway     = "archived" // an item
	VerbRestored    = "restored"
	VerbConsolidate = "consolidated"
	VerbUndone      = "consolidation undone"
	VerbScrubbed    = "scrubbed"
	VerbPurged      = "purged"
	VerbAdopted     = "workspace adopted"
	VerbRemoved     = "workspace removed" // in the account's log; Subject is the manifest's hash
	VerbAuthor      = "as the author"     // what follows was done by one that said so, and Why
)

// Event is one thing that was done to the memory. It holds no content.
type Event struct {
	At      time.Time       `json:"at"`
	Actor   string          `json:"actor"`
	Verb    string          `json:"verb"`
	Scope   string          `json:"scope"`
	Subject string          `json:"subject"`
	Other   string          `json:"other"`
	Why     string          `json:"why"`
	Data    json.RawMessage `json:"data"`

	agent string // whose alone the subject is
}

// event appends to the log. Nothing that somebody wrote goes into it but why one acts as
// the author: else Why is a rule, or what the program says. A file's writers take turns.
func (f *file) event(tx *sqlite.Tx, e Event) error {
	if e.Actor == "" {
		e.Actor = f.s.opt.Actor
	}
	if f.s.opt.Reason != "" && f.reasoned != tx {
		f.reasoned = tx // first, as this comes here again
		why := Event{Actor: e.Actor, Verb: VerbAuthor, Scope: e.Scope, Subject: e.Subject, Why: f.s.opt.Reason, agent: e.agent}
		if err := f.event(tx, why); err != nil {
			return err
		}
	}
	_, err := tx.Exec(`INSERT INTO events (at, actor, agent, verb, scope, subject, other, why, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		tx.Now.UnixMilli(), e.Actor, e.agent, e.Verb, e.Scope, e.Subject, e.Other, clip(e.Why, maxWhy), string(e.Data))
	return err
}

// Events returns what was done, the newest last: to one subject, or with "" in a whole tier's file, but for what was done to others' private things, and in tiers that the caller does not
// reach. limit is how many of the newest, 0 for all.
func (s *Store) Events(ctx context.Context, tier, subject string, limit int) ([]Event, error) {
	all := []Event{}
	if limit <= 0 {
		limit = -1
	}
	reached := slices.DeleteFunc(slices.Clone(Tiers), func(t string) bool { return !s.Reaches(t) })
	err := s.reading(ctx, tier, func(_ *file, tx *sqlite.Tx) error {
		var e Event
		return tx.Each([]any{sqlite.Time(&e.At), &e.Actor, &e.Verb, &e.Scope, &e.Subject, &e.Other, &e.Why, (*[]byte)(&e.Data)}, func() error {
			if len(e.Data) == 0 {
				e.Data = nil // null in JSON
			}
			all = append(all, e)
			e = Event{}
			return nil
		}, `SELECT at, actor, verb, scope, subject, other, why, data FROM events WHERE (?1 = '' OR subject = ?1) AND agent IN ('', ?3)
			AND CASE instr(scope, ':') WHEN 0 THEN scope ELSE substr(scope, 1, instr(scope, ':') - 1) END IN (SELECT value FROM json_each(?4)) ORDER BY n DESC LIMIT ?2`,
			subject, limit, s.opt.Agent, sqlite.List(reached))
	})
	slices.Reverse(all)
	return all, err
}
