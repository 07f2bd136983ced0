package board

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"blackboard/board/claims"
	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
	"blackboard/board/survival"
)

// AcceptRequest accepts the doubt ID as no fault, or revokes that.
type AcceptRequest struct {
	ID     string // of the doubt, or of the entry that verify doubts
	Reason string
	// Person is true if it is said at a terminal.
	Person bool
	Revoke bool
}

// survivalDoubt returns the id of the doubt about a missing item, but for what the nearest passage of the
// report says (survival.ItemResult.Said): the board has no report, and knows the doubt by the rest.
func survivalDoubt(cause string, i *survival.Item) string {
	return claims.DoubtID(record.SurvivalDoubts, cause, i.ID, i.Why, i.Content, i.Reason)
}

// Accept records why a doubt of a check is no fault, or takes that back. It ends by itself
// when the finding, its quote, its source or the passage of the report changes, since that is
// another doubt. Only a person may accept a doubt about their own finding.
//
// Errors: fault.NotFound for a doubt that does not stand; fault.Conflict if it is accepted
// already, is about something of the worker's own, or is to be revoked and was not accepted.
func (b *Board) Accept(ctx context.Context, worker string, a AcceptRequest) (claims.Acceptance, error) {
	if err := needReason(ctx, &a.Reason, "accepting a doubt",
		"what was compared, and why it is no fault"); err != nil {
		return claims.Acceptance{}, err
	}
	if _, err := b.reader(); err != nil { // a run is not created by what it does not have
		return claims.Acceptance{}, err
	}
	var out claims.Acceptance
	err := b.write(ctx, worker, func(w *writer) error {
		d, err := w.findDoubt(a.ID)
		if err != nil {
			return err
		}
		accepted, err := acceptances(w.tx, []string{d.ID})
		if err != nil {
			return err
		}
		was := accepted[d.Doubt]
		switch {
		case a.Revoke && was == nil:
			return conflict(fmt.Sprintf("nobody has accepted the doubt %s about %s", d.Doubt, d.ID), "")
		case !a.Revoke && was != nil:
			return conflict(fmt.Sprintf("%s about %s was %s", d.Doubt, d.ID, Line(was.String(), 200)),
				"nothing is left to do")
		case !a.Revoke && d.Worker == worker && !a.Person:
			return conflict(fmt.Sprintf("%s is %s's own: nobody accepts a doubt about what they wrote",
				d.ID, worker), "correct it, or leave the doubt to another worker or a person")
		}
		p := record.AcceptPayload{Doubt: d.Doubt, Check: d.Check, Verdict: d.Verdict, Reason: a.Reason,
			Person: a.Person, Revoked: a.Revoke}
		if err := w.event(record.VerbAccept, d.ID, p); err != nil {
			return err
		}
		out = p.Acceptance(&Event{Seq: w.seq, At: fromMillis(w.at), Actor: worker, ID: d.ID})
		return nil
	})
	return out, err
}

// findDoubt finds a doubt by its id, or that of verify by the entry's. Its worker is the author.
func (w *writer) findDoubt(id string) (d claims.Acceptance, err error) {
	if _, err = ParseEntryID(id); err != nil && !claims.IsDoubt(id) {
		return d, invalid(fmt.Sprintf("%q names no doubt and no entry", clip(id, 60)),
			"give the id of a doubt, such as d7k2qm, or of an entry, such as e12")
	}
	all, err := doubts(w.tx)
	if err != nil {
		return d, err
	}
	for _, d = range all {
		switch {
		case d.Check == record.SurvivalDoubts && claims.IsPassageDoubt(id, d.Doubt):
			d.Doubt = id
			return d, nil
		case d.Check == record.VerifyDoubts && (d.Doubt == id || d.ID == id):
			return d, nil
		}
	}
	msg := "no doubt " + id + " stands on the board"
	if !claims.IsDoubt(id) {
		n, _ := ParseEntryID(id)
		e, err := getEntry(w.tx, n)
		if err != nil {
			return d, err
		}
		msg = "there is no doubt about " + id + ": " + cmp.Or(e.Verified.Mark(), "it was not verified yet")
	}
	return d, notFound(msg, "a doubt ends when the finding, its quote, its source or the report changes",
		fault.Do("run.check", "{} lists those that stand"))
}

// doubts returns those about entries and questions that are not superseded. Those of survival
// may or may not stand: that depends on the report.
func doubts(tx *store.Tx) ([]claims.Acceptance, error) {
	var all []claims.Acceptance
	entries, err := selectEntries(tx, `FROM entries e WHERE e.status <> 'superseded'
		AND e.id IN (SELECT entry FROM verifications) ORDER BY e.id`)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		if v := entries[i].Verified; v != nil && !v.Stale && v.Doubt != "" {
			all = append(all, claims.Acceptance{Doubt: v.Doubt, ID: entries[i].ID, Check: record.VerifyDoubts,
				Verdict: v.Verdict, Worker: entries[i].Worker})
		}
	}
	missing, err := items(tx)
	for i := range missing {
		for _, cause := range survival.Causes {
			all = append(all, claims.Acceptance{Doubt: survivalDoubt(cause, &missing[i]),
				ID: missing[i].ID, Check: record.SurvivalDoubts, Verdict: cause, Worker: missing[i].Worker})
		}
	}
	return all, err
}

// acceptances returns those that were not revoked, on the entries and questions ids, by the doubt.
func acceptances(tx *store.Tx, ids []string) (map[string]*claims.Acceptance, error) {
	all := map[string]*claims.Acceptance{}
	if len(ids) == 0 {
		return all, nil
	}
	events, err := selectEvents(tx, `WHERE verb = ? AND id IN (
		SELECT value FROM json_each(?)) ORDER BY seq`, record.VerbAccept, store.List(ids))
	for i := range events {
		if err := events[i].Accepted(all); err != nil {
			return nil, err
		}
	}
	return all, err
}

// Acceptances returns those that were not revoked, the oldest first, by the question or the entry that they are about;
// of a superseded one by the newest in its place.
func (m *Moment) Acceptances() (map[string][]claims.Acceptance, error) {
	ids, err := store.Column[string](m.tx, `SELECT DISTINCT id FROM events WHERE verb = ?`, record.VerbAccept)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	all, err := acceptances(m.tx, ids)
	if err != nil {
		return nil, err
	}
	next := map[string]string{}
	var from, to int64
	err = m.tx.Each([]any{&from, &to}, func() error { next[EntryID(to)] = EntryID(from); return nil },
		`SELECT src, dst FROM links WHERE kind = 'supersedes' AND src > dst ORDER BY src`)
	about := map[string][]claims.Acceptance{}
	for _, a := range slices.SortedFunc(maps.Values(all), func(a, b *claims.Acceptance) int {
		return cmp.Compare(a.Seq, b.Seq)
	}) {
		id := a.ID
		for next[id] != "" {
			id = next[id]
		}
		about[id] = append(about[id], *a)
	}
	return about, err
}

// fillAccepted sets the doubts in the verdicts on entries, and who accepted them.
func fillAccepted(tx *store.Tx, entries iter.Seq[*Entry]) error {
	var ids []string
	for e := range entries {
		if e.Doubt() != "" {
			ids = append(ids, e.ID)
		}
	}
	all, err := acceptances(tx, ids)
	for e := range entries {
		e.Accept(all)
	}
	return err
}

// accept sets the doubts about missing items, and who accepted them, and counts again.
func (m *Moment) accept(s *survival.Result) error {
	var ids []string
	for i := range s.Items {
		if r := &s.Items[i]; r.IsMissing() {
			r.Doubt = claims.PassageDoubt(survivalDoubt(r.Cause, &r.Item), r.Said())
			ids = append(ids, r.ID)
		}
	}
	all, err := acceptances(m.tx, ids)
	for i := range s.Items {
		if r := &s.Items[i]; r.Doubt != "" {
			r.Accepted = all[r.Doubt]
		}
	}
	s.Demand(s.Empty, s.MinItems) // counts again
	return err
}
