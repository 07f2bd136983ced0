package board

import (
	"context"
	"fmt"
	"slices"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
)

// applyEffects applies the effects of a posted entry's links to their targets.
func (w *writer) applyEffects(p *Post, id int64) error {
	for _, kind := range LinkKinds {
		for _, target := range p.Links().Of(kind) {
			dst, err := record.TargetID(kind, target)
			if err != nil {
				return err
			}
			if kind == Supersedes {
				err = w.supersede(id, dst, p.DropDuty)
			} else {
				err = w.applyEffect(id, kind, dst)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// applyEffect applies one link: contradicts disputes an active entry, addresses answers an open signal.
func (w *writer) applyEffect(src int64, kind string, dst int64) error {
	verb, from, targets := record.VerbDispute, Active, "entries"
	switch kind {
	case Addresses:
		verb, from, targets = record.VerbAddress, SignalOpen, "signals"
	case Supports:
		return nil
	}
	var by, of string
	if err := w.tx.QueryRow(`SELECT e.status, t.status FROM entries e, `+targets+` t
		WHERE e.id = ? AND t.id = ?`, src, dst).Scan(&by, &of); err != nil {
		return err
	}
	if by == Superseded || of != from {
		return nil // it was replaced in the same batch; or nothing changes
	}
	if kind == Addresses {
		return w.event(verb, SignalID(dst), record.ByPayload{By: EntryID(src)})
	}
	return w.event(verb, EntryID(dst), record.ByPayload{By: EntryID(src)})
}

func (w *writer) endDisputes(superseded int64, by record.ByPayload) error {
	ids, err := store.Column[int64](w.tx, `SELECT dst FROM links
		WHERE src = ? AND kind = 'contradicts' ORDER BY dst`, superseded)
	for _, id := range ids {
		if err == nil {
			err = w.endDispute(id, by)
		}
	}
	return err
}

// Link adds links to an existing entry, with their effects.
//
// Errors: as for Post, and fault.Conflict if the entry is superseded or already has the
// link.
func (b *Board) Link(ctx context.Context, worker, entry string, links Links) (Linked, error) {
	return b.LinkDropping(ctx, worker, entry, links, "")
}

type Linked struct {
	Entry
	Reopened []string // signals that are open again: the entry supersedes their answer
}

// linkOrder is the order of effects: first what an entry answers, then what it
// supersedes, since that may have been an answer.
var linkOrder = []string{Supports, Contradicts, Addresses, Supersedes}

// LinkDropping is Link with a reason why the entry need not surface, although an entry
// that it supersedes had to. Without a reason, the entry takes the duty over.
func (b *Board) LinkDropping(ctx context.Context, worker, entry string, links Links,
	dropDuty string) (Linked, error) {
	maskText(ctx, theReason, &dropDuty)
	if err := record.CheckText("the reason to drop the duty", dropDuty, MaxField, false); err != nil {
		return Linked{}, err
	}
	src, err := ParseEntryID(entry)
	if err != nil {
		return Linked{}, err
	}
	if links.Count() == 0 {
		return Linked{}, invalid("no link is given",
			"say what the entry supports, contradicts, supersedes or addresses")
	}
	for _, kind := range LinkKinds {
		if err := record.CleanLinks(kind, links.List(kind)); err != nil {
			return Linked{}, err
		}
	}
	out := Linked{Reopened: []string{}}
	err = b.write(ctx, worker, func(w *writer) error {
		e, err := getEntry(w.tx, src)
		if err != nil {
			return err
		}
		if err := w.checkDrop(dropDuty, e.MustSurface, links.Supersedes); err != nil {
			return err
		}
		for _, kind := range linkOrder {
			for _, target := range links.Of(kind) {
				if err := w.addLink(src, kind, target, e, dropDuty); err != nil {
					return err
				}
			}
		}
		e, err = getEntry(w.tx, src)
		if err == nil {
			out.Entry = *e
			out.Reopened = append(out.Reopened, w.reopened...)
		}
		return err
	})
	return out, err
}

func (w *writer) addLink(src int64, kind, target string, e *Entry, dropDuty string) error {
	if err := w.checkTarget(kind, target, src); err != nil {
		return err
	}
	if e.Status == Superseded && kind != Supersedes {
		return superseded(e.ID)
	}
	if slices.Contains(e.Of(kind), target) {
		if kind == Addresses { // it may have answered the signal before that was reopened
			dst, err := ParseSignalID(target)
			if err != nil {
				return err
			}
			s, err := getSignal(w.tx, dst)
			if err != nil {
				return err
			}
			if s.Status == SignalOpen {
				return w.applyEffect(src, kind, dst)
			}
		}
		return conflict(fmt.Sprintf("%s %s %s already", e.ID, kind, target), "",
			fault.Do("entry.show", "{} shows its links", "id", e.ID))
	}
	dst, err := record.TargetID(kind, target)
	if err != nil {
		return err
	}
	if kind == Supersedes {
		var one int
		err := w.tx.QueryRow(`WITH RECURSIVE older(id) AS (
				VALUES (CAST(? AS BIGINT)) UNION SELECT l.dst FROM links l JOIN older o ON l.src = o.id AND l.kind = 'supersedes')
			SELECT 1 FROM older WHERE id = ?`, dst, src).Scan(&one)
		if err == nil {
			return invalid(fmt.Sprintf("%s supersedes %s already, directly or through others: "+
				"this link would close a cycle", target, e.ID),
				"post a new entry that supersedes both")
		} else if !store.IsNoRows(err) {
			return err
		}
	}
	if e.Status == Superseded {
		return superseded(e.ID)
	}
	if kind == Contradicts {
		if err := w.checkNotSettled(min(src, dst), max(src, dst),
			"post a new entry that contradicts it, and says why"); err != nil {
			return err
		}
	}
	if err := w.event(record.VerbLink, e.ID, record.LinkPayload{Kind: kind, Target: target}); err != nil {
		return err
	}
	switch kind {
	case Supersedes:
		return w.supersede(src, dst, dropDuty)
	case Contradicts:
		if err := w.giveDuty(src, dst); err != nil {
			return err
		}
	}
	return w.applyEffect(src, kind, dst)
}

func superseded(id string) error {
	return conflict(id+" is superseded and cannot gain links", "",
		fault.Do("entry.show", "link the entry that superseded it: {}", "id", id))
}

// takeDuties sets must-surface on new posts that supersede such an entry, which may be in the same
// batch, unless they give a reason to drop the duty.
func (w *writer) takeDuties(posts []Post, ids []int64, out []Posted) error {
	index := map[string]int{}
	for i := range posts {
		if !out[i].Existing {
			index[EntryID(ids[i])] = i
		}
	}
	seen := make([]bool, len(posts))
	var must func(id string) (bool, error)
	must = func(id string) (bool, error) {
		i, isNew := index[id]
		if !isNew {
			return w.mustSurface(id)
		}
		p := &posts[i]
		if seen[i] || p.MustSurface || p.DropDuty != "" {
			return p.MustSurface, nil
		}
		seen[i] = true // supersedes has no cycles
		for _, target := range p.Supersedes {
			if had, err := must(target); err != nil || had {
				p.MustSurface = had
				return had, err
			}
		}
		return false, nil
	}
	for i := range posts {
		p := &posts[i]
		if out[i].Existing {
			continue
		}
		if _, err := must(EntryID(ids[i])); err != nil {
			return err
		}
		if p.DropDuty == "" {
			continue
		}
		had := false
		for _, target := range p.Supersedes {
			h, err := must(target)
			if err != nil {
				return err
			}
			had = had || h
		}
		if !had {
			return fault.Prefix(at(i, len(posts)), noDuty())
		}
	}
	return nil
}

func (w *writer) mustSurface(id string) (must bool, err error) {
	n, err := ParseEntryID(id)
	if err != nil {
		return false, err
	}
	err = w.tx.QueryRow(`SELECT must_surface FROM entries WHERE id = ?`, n).Scan(&must)
	return must, err
}

func noDuty() error {
	return invalid("there is no duty to drop: nothing that the entry supersedes must surface",
		"leave the reason out")
}

// checkDrop refuses a reason to drop a duty if no link takes a duty over.
func (w *writer) checkDrop(reason string, must bool, supersedes []string) error {
	if reason == "" {
		return nil
	}
	if must {
		return invalid("an entry that must surface itself takes the duty over: it cannot drop it",
			"leave the reason out")
	}
	for _, id := range supersedes {
		if had, err := w.mustSurface(id); store.IsNoRows(err) {
			return nil // which the link will say
		} else if err != nil || had {
			return err
		}
	}
	return noDuty()
}

// supersede applies a supersedes link. The successor takes or, with a reason, drops the duty to
// surface, and answers the old one's signal if it addresses it; else that reopens.
func (w *writer) supersede(src, dst int64, dropDuty string) error {
	var status string
	var must bool
	if err := w.tx.QueryRow(`SELECT status, must_surface FROM entries WHERE id = ?`, dst).Scan(
		&status, &must); err != nil {
		return err
	}
	by := record.ByPayload{By: EntryID(src)}
	if status != Superseded {
		if err := w.event(record.VerbSupersede, EntryID(dst), by); err != nil {
			return err
		}
	}
	if err := w.endDisputes(dst, by); err != nil {
		return err
	}
	if must {
		if err := w.passDuty(src, dst, dropDuty); err != nil {
			return err
		}
	}
	if status == Superseded {
		return nil // its answers have been dealt with
	}
	return w.passAnswers(src, dst)
}

// passDuty passes the duty of a superseded entry to its successor, or drops it.
func (w *writer) passDuty(src, dst int64, reason string) error {
	if reason != "" {
		return w.event(record.VerbDropDuty, EntryID(dst), record.DropDutyPayload{By: EntryID(src), Reason: reason})
	}
	return w.giveDuty(src, dst)
}

// giveDuty gives an entry the duty to surface, for the entry that it supersedes or contradicts.
func (w *writer) giveDuty(src, dst int64) error {
	if has, err := w.mustSurface(EntryID(src)); err != nil || has {
		return err // it was posted so
	}
	return w.event(record.VerbMustSurface, EntryID(src), record.TakenPayload{From: EntryID(dst)})
}

func (w *writer) passAnswers(src, dst int64) error {
	signals, err := store.Column[int64](w.tx,
		`SELECT id FROM signals WHERE addressed_by = ? AND status = 'addressed' ORDER BY id`, dst)
	if err != nil {
		return err
	}
	for _, id := range signals {
		by, worker, err := w.successor(src, id)
		if store.IsNoRows(err) {
			err = w.event(record.VerbReopen, SignalID(id), record.ByPayload{Note: "its answer " + EntryID(dst) +
				" was superseded by " + EntryID(src) + ", which does not address it"})
			w.reopened = append(w.reopened, SignalID(id))
		} else if err == nil {
			if by == src {
				worker = w.actor
			}
			err = w.eventBy(worker, record.VerbAddress, SignalID(id), record.ByPayload{By: EntryID(by)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// successor finds the entry that addresses a signal and is not superseded: src, or one
// that supersedes it within the same batch. The error matches store.IsNoRows if there is none.
func (w *writer) successor(src, signal int64) (id int64, worker string, err error) {
	err = w.tx.QueryRow(`WITH RECURSIVE newer(id) AS (
			VALUES (CAST(? AS BIGINT)) UNION SELECT l.src FROM newer n JOIN links l ON l.dst = n.id AND l.kind = 'supersedes')
		SELECT e.id, e.worker FROM newer n JOIN entries e ON e.id = n.id
			JOIN links a ON a.src = e.id AND a.kind = 'addresses' AND a.dst = ?
		WHERE e.status <> 'superseded' ORDER BY e.id DESC LIMIT 1`, src, signal).Scan(&id, &worker)
	return id, worker, err
}

// droppedDuties returns the duties that were dropped, oldest first.
func droppedDuties(tx *store.Tx) ([]DroppedDuty, error) {
	if there, err := tx.HasTable("dropped_duties"); err != nil || !there {
		return []DroppedDuty{}, err
	}
	return store.All(tx, func(d *DroppedDuty) []any {
		return []any{&d.ID, &d.By, &d.Seq, &d.Worker, &d.Reason}
	}, `SELECT 'e' || entry, 'e' || successor, seq, worker, reason FROM dropped_duties ORDER BY seq`)
}
