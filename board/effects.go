package board

import (
	"cmp"
	"encoding/json"
	"fmt"

	"blackboard/board/record"
	"blackboard/board/store"
)

// This file says what an event does to the tables, whether done now, imported, copied or rebuilt;
// the replay says what to a board in memory. [Board.Check] compares them.

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

// appendAll adds the events of another log, which a replay has checked.
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
	case record.VerbCreate:
		p, err := record.Decode[record.CreatePayload](e)
		if err != nil {
			return err
		}
		return w.exec(`INSERT INTO run VALUES (1, ?, ?, ?)`, cmp.Or(w.name, p.Name), p.Goal,
			e.At.UnixMilli())
	case record.VerbPost:
		return w.entryRow(e)
	case record.VerbLink:
		return w.linkRow(e)
	case record.VerbDispute, record.VerbSupersede, record.VerbSettle:
		return w.update("entries", e, `status = ?`, record.StatusAfter(e.Verb))
	case record.VerbMustSurface:
		return w.update("entries", e, `must_surface = 1`)
	case record.VerbDropDuty:
		return w.droppedRow(e)
	case record.VerbReconcile:
		return w.settlementRow(e)
	case record.VerbVerify:
		return w.verificationRow(e)
	case record.VerbSignal:
		return w.signalRow(e)
	case record.VerbClaim, record.VerbRelease, record.VerbAddress, record.VerbWaive, record.VerbReopen:
		return w.signalState(e)
	case record.VerbExpect, record.VerbDone, record.VerbDrop:
		return w.expectedRow(e)
	case record.VerbSet, record.VerbDelete:
		return w.variableRow(e)
	case record.VerbSource:
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
	p, err := e.Post()
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
		for pos, target := range p.Links().Of(kind) {
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
	p, err := record.Decode[record.LinkPayload](e)
	if err != nil {
		return err
	}
	src := number(e.ID)
	return w.exec(`INSERT INTO links SELECT ?, ?, count(*), ? FROM links
		WHERE src = ? AND kind = ?`, src, p.Kind, number(p.Target), src, p.Kind)
}

func (w *writer) droppedRow(e *Event) error {
	d, err := e.DroppedDuty()
	if err != nil {
		return err
	}
	return w.exec(`INSERT INTO dropped_duties VALUES (?, ?, ?, ?, ?)`, number(d.ID), number(d.By),
		d.Seq, d.Worker, d.Reason)
}

func (w *writer) settlementRow(e *Event) error {
	s, err := e.Settlement()
	if err != nil {
		return err
	}
	return w.exec(`INSERT INTO settlements VALUES (?, ?, ?, ?, ?, ?)`, number(s.A), number(s.B),
		s.Seq, s.At.UnixMilli(), s.Worker, s.Reason)
}

func (w *writer) verificationRow(e *Event) error {
	v, err := e.Verification()
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
	p, err := e.Raise()
	if err != nil {
		return err
	}
	rank, err := PriorityRank(p.Priority)
	if err != nil {
		return err
	}
	return w.exec(`INSERT INTO signals VALUES
		(?, ?, ?, ?, ?, ?, ?, ?, NULL, '', '', NULL, '', NULL, ?, ?, ?)`, number(e.ID), e.Seq,
		e.At.UnixMilli(), p.Content, rank, SignalOpen, e.Actor, number(p.Origin), orNull(p.Key),
		orNull(p.ExternalID), p.To)
}

// signalState changes a signal's status, or who works on it.
func (w *writer) signalState(e *Event) error {
	p, err := record.Decode[record.SignalChange](e)
	if err != nil {
		return err
	}
	const closed = `status = ?, closed_by = ?, closed = ?, claimed_by = '', lease_until = NULL, `
	at := e.At.UnixMilli()
	switch e.Verb {
	case record.VerbClaim:
		return w.update("signals", e, `claimed_by = ?, lease_until = ?`, e.Actor,
			p.LeaseUntil.UnixMilli())
	case record.VerbRelease:
		return w.update("signals", e, `claimed_by = '', lease_until = NULL`)
	case record.VerbAddress:
		return w.update("signals", e, closed+`addressed_by = ?`, Addressed, e.Actor, at, number(p.By))
	case record.VerbWaive:
		return w.update("signals", e, closed+`reason = ?`, Waived, e.Actor, at, p.Reason)
	}
	return w.update("signals", e, `status = ?, addressed_by = NULL, reason = '', closed_by = '',
		closed = NULL`, SignalOpen)
}

// expectedRow writes the row of a worker. Its first event counts for its place in the list.
func (w *writer) expectedRow(e *Event) error {
	x, err := e.Expected()
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
	v, err := e.Variable()
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
	s, removed, err := e.Source()
	if err != nil {
		return err
	}
	if err := w.exec(`DELETE FROM sources WHERE name = ?`, s.Name); err != nil || removed {
		return err
	}
	return w.exec(`INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, s.Name, s.Seq,
		s.At.UnixMilli(), s.Worker, s.Path, s.SHA256, s.Size, s.Text)
}
