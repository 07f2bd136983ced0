package board

import (
	"cmp"
	"encoding/json"
	"fmt"

	"blackboard/board/store"
)

// This file says what an event does to the tables, for all who write events: what is done now,
// imported, copied or rebuilt. What it does to a board in memory is said by the replay;
// [Board.Check] compares the two.

// event appends what is done now to the log.
func (w *writer) event(verb, id string, payload any) error {
	data, err := json.Marshal(payload)
	if err != nil {
		return err
	}
	return w.append(&Event{Seq: w.seq + 1, At: fromMillis(w.at), Actor: w.actor, Verb: verb, ID: id,
		Payload: data})
}

// eventBy is event in the name of another worker.
func (w *writer) eventBy(actor, verb, id string, payload any) error {
	caller := w.actor
	defer func() { w.actor = caller }()
	w.actor = actor
	return w.event(verb, id, payload)
}

// append adds an event to the log, and does to the tables what it says.
func (w *writer) append(e *Event) error {
	if err := w.exec(`INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)`, e.Seq, e.At.UnixMilli(),
		e.Actor, e.Verb, e.ID, string(e.Payload)); err != nil {
		return err
	}
	w.seq = e.Seq
	return w.apply(e)
}

// appendAll adds the events of another log, which were replayed.
func (w *writer) appendAll(events []Event) error {
	for i := range events {
		if err := w.append(&events[i]); err != nil {
			return fmt.Errorf("event %d: %w", events[i].Seq, err)
		}
	}
	return nil
}

func (w *writer) exec(query string, args ...any) error {
	_, err := w.tx.Exec(query, args...)
	return err
}

// apply does to the tables what an event says. What it does not name is in the log only.
func (w *writer) apply(e *Event) error {
	switch e.Verb {
	case verbCreate:
		p, err := decode[createPayload](e)
		if err != nil {
			return err
		}
		return w.exec(`INSERT INTO run VALUES (1, ?, ?, ?)`, cmp.Or(w.name, p.Name), p.Goal,
			e.At.UnixMilli())
	case verbPost:
		return w.entryRow(e)
	case verbLink:
		return w.linkRow(e)
	case verbDispute, verbSupersede, verbSettle:
		return w.update("entries", e, `status = ?`, statusAfter(e.Verb))
	case verbMustSurface:
		return w.update("entries", e, `must_surface = 1`)
	case verbDropDuty:
		return w.droppedRow(e)
	case verbReconcile:
		return w.settlementRow(e)
	case verbVerify:
		return w.verificationRow(e)
	case verbSignal:
		return w.signalRow(e)
	case verbClaim, verbRelease, verbAddress, verbWaive, verbReopen:
		return w.signalState(e)
	case verbExpect, verbDone, verbDrop:
		return w.expectedRow(e)
	case verbSet, verbDelete:
		return w.variableRow(e)
	case verbSource:
		return w.sourceRow(e)
	}
	return nil
}

// update changes the row of the entry or signal that an event is about.
func (w *writer) update(table string, e *Event, set string, args ...any) error {
	return w.exec(`UPDATE `+table+` SET `+set+` WHERE id = ?`, append(args, number(e.ID))...)
}

// number is that of the id of an entry or a signal; nil, for a column, if it is none.
func number(id string) any {
	n, err := ParseEntryID(id)
	if err != nil {
		n, err = ParseSignalID(id)
	}
	if err != nil {
		return nil
	}
	return n
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (w *writer) entryRow(e *Event) error {
	p, err := e.post()
	if err != nil {
		return err
	}
	id := number(e.ID)
	if err := w.exec(`INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, e.Seq, e.At.UnixMilli(), p.Type, Active, p.Content, p.SourceDoc, p.SourceRef,
		p.Evidence, p.Confidence, p.Worker, store.List(p.Tags), p.MustSurface, orNull(p.Key),
		orNull(p.ExternalID), store.List(p.Sources)); err != nil {
		return err
	}
	for _, t := range p.Tags {
		if err := w.exec(`INSERT INTO entry_tags VALUES (?, ?)`, t, id); err != nil {
			return err
		}
	}
	for _, kind := range LinkKinds {
		for pos, target := range p.links().Of(kind) {
			if err := w.exec(`INSERT INTO links VALUES (?, ?, ?, ?)`, id, kind, pos,
				number(target)); err != nil {
				return err
			}
		}
	}
	return nil
}

// linkRow adds a link after the entry's others of its kind.
func (w *writer) linkRow(e *Event) error {
	p, err := decode[linkPayload](e)
	if err != nil {
		return err
	}
	src := number(e.ID)
	return w.exec(`INSERT INTO links SELECT ?, ?, count(*), ? FROM links
		WHERE src = ? AND kind = ?`, src, p.Kind, number(p.Target), src, p.Kind)
}

func (w *writer) droppedRow(e *Event) error {
	d, err := e.dropped()
	if err != nil {
		return err
	}
	return w.exec(`INSERT INTO dropped_duties VALUES (?, ?, ?, ?, ?)`, number(d.ID), number(d.By),
		d.Seq, d.Worker, d.Reason)
}

func (w *writer) settlementRow(e *Event) error {
	s, err := e.settlement()
	if err != nil {
		return err
	}
	return w.exec(`INSERT INTO settlements VALUES (?, ?, ?, ?, ?, ?)`, number(s.A), number(s.B),
		s.Seq, s.At.UnixMilli(), s.Worker, s.Reason)
}

func (w *writer) verificationRow(e *Event) error {
	v, err := e.verification()
	if err != nil {
		return err
	}
	if err := w.exec(`DELETE FROM verifications WHERE entry = ?`, number(e.ID)); err != nil {
		return err
	}
	return w.exec(`INSERT INTO verifications VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, number(e.ID),
		v.Seq, v.At.UnixMilli(), v.Worker, v.Verdict, v.Source, v.SHA256, v.Place, v.Note,
		store.List(v.Parts))
}

func (w *writer) signalRow(e *Event) error {
	p, err := e.raise()
	if err != nil {
		return err
	}
	rank, err := PriorityRank(p.Priority)
	if err != nil {
		return err
	}
	return w.exec(`INSERT INTO signals VALUES
		(?, ?, ?, ?, ?, ?, ?, ?, NULL, '', '', NULL, '', NULL, ?, ?)`, number(e.ID), e.Seq,
		e.At.UnixMilli(), p.Content, rank, SignalOpen, e.Actor, number(p.Origin), orNull(p.Key),
		orNull(p.ExternalID))
}

// signalState changes a signal's status, or who works on it.
func (w *writer) signalState(e *Event) error {
	p, err := decode[signalChange](e)
	if err != nil {
		return err
	}
	const closed = `status = ?, closed_by = ?, closed = ?, claimed_by = '', lease_until = NULL, `
	at := e.At.UnixMilli()
	switch e.Verb {
	case verbClaim:
		return w.update("signals", e, `claimed_by = ?, lease_until = ?`, e.Actor,
			p.LeaseUntil.UnixMilli())
	case verbRelease:
		return w.update("signals", e, `claimed_by = '', lease_until = NULL`)
	case verbAddress:
		return w.update("signals", e, closed+`addressed_by = ?`, Addressed, e.Actor, at, number(p.By))
	case verbWaive:
		return w.update("signals", e, closed+`reason = ?`, Waived, e.Actor, at, p.Reason)
	}
	return w.update("signals", e, `status = ?, addressed_by = NULL, reason = '', closed_by = '',
		closed = NULL`, SignalOpen)
}

// expectedRow writes the row of a worker. Its first event counts for its place in the list.
func (w *writer) expectedRow(e *Event) error {
	x, err := e.expected()
	if err != nil {
		return err
	}
	n, err := w.tx.Changes(`UPDATE expected SET status = ?, changed = ?, changed_by = ?, reason = ?
		WHERE worker = ?`, x.Status, x.At.UnixMilli(), x.By, x.Reason, x.Worker)
	if err != nil || n > 0 {
		return err
	}
	return w.exec(`INSERT INTO expected VALUES (?, ?, ?, ?, ?, ?)`, x.Worker, x.Seq, x.Status,
		x.At.UnixMilli(), x.By, x.Reason)
}

func (w *writer) variableRow(e *Event) error {
	v, err := e.variable()
	if err != nil {
		return err
	}
	if err := w.exec(`DELETE FROM variables WHERE key = ?`, v.Key); err != nil {
		return err
	}
	return w.exec(`INSERT INTO variables VALUES (?, ?, ?, ?, ?, ?)`, v.Key, string(v.Value),
		v.Version, v.Value == nil, v.Updated.UnixMilli(), v.Worker)
}

func (w *writer) sourceRow(e *Event) error {
	s, removed, err := e.source()
	if err != nil {
		return err
	}
	if err := w.exec(`DELETE FROM sources WHERE name = ?`, s.Name); err != nil || removed {
		return err
	}
	return w.exec(`INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, s.Name, s.Seq,
		s.At.UnixMilli(), s.Worker, s.Path, s.SHA256, s.Size, s.Text)
}
