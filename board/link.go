package board

import (
	"context"
	"fmt"
	"slices"

	"blackboard/board/fault"
	"blackboard/board/store"
)

// linkRow writes one link, after the source's other links of this kind.
func (w *writer) linkRow(src int64, kind, target string) error {
	dst, err := targetID(kind, target)
	if err != nil {
		return err
	}
	_, err = w.tx.Exec(`INSERT INTO links SELECT ?, ?, count(*), ? FROM links WHERE src = ? AND kind = ?`, src, kind, dst, src, kind)
	return err
}

// targetID is the number of a link's target: a signal's for addresses, else an entry's.
func targetID(kind, id string) (int64, error) {
	if kind == Addresses {
		return ParseSignalID(id)
	}
	return ParseEntryID(id)
}

// effects applies the effects of a posted entry's links to their targets.
func (w *writer) effects(p *Post, id int64) error {
	for _, kind := range LinkKinds {
		for _, target := range p.links().Of(kind) {
			dst, err := targetID(kind, target)
			if err != nil {
				return err
			}
			if kind == Supersedes {
				err = w.supersede(id, dst, p.DropDuty)
			} else {
				err = w.effect(id, kind, dst)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// effect applies one link: contradicts disputes an active entry, supersedes retires one,
// addresses answers an open signal. An import does not call supersede: it keeps the
// statuses of its source.
func (w *writer) effect(src int64, kind string, dst int64) error {
	by := byPayload{By: EntryID(src)}
	switch kind {
	case Contradicts, Addresses:
		source, err := getEntry(w.tx, src)
		if err != nil || source.Status == Superseded {
			return err // it was replaced in the same batch
		}
		if kind == Addresses {
			return w.closeSignal(dst, Addressed, verbAddress, addressPayload{By: EntryID(src)})
		}
		return w.setStatus(dst, Active, Disputed, verbDispute, by)
	case Supersedes:
		if err := w.setStatus(dst, "", Superseded, verbSupersede, by); err != nil {
			return err
		}
		return w.settle(dst, by)
	}
	return nil
}

// setStatus changes an entry's status and logs it, if its status is from (or any other,
// if from is empty).
func (w *writer) setStatus(id int64, from, to, verb string, payload any) error {
	n, err := w.tx.Changes(`UPDATE entries SET status = ? WHERE id = ? AND status <> ? AND (? = '' OR status = ?)`, to, id, to, from, from)
	if err != nil || n == 0 {
		return err
	}
	return w.event(verb, EntryID(id), payload)
}

// settle ends the disputes that a superseded entry had begun: a disputed entry is active
// again once no entry that is not superseded contradicts it.
func (w *writer) settle(superseded int64, by byPayload) error {
	ids, err := store.Column[int64](w.tx, `SELECT t.id FROM links l JOIN entries t ON t.id = l.dst
		WHERE l.src = ? AND l.kind = 'contradicts' AND t.status = 'disputed' AND NOT EXISTS (
			SELECT 1 FROM links o JOIN entries e ON e.id = o.src
			WHERE o.dst = t.id AND o.kind = 'contradicts' AND e.status <> 'superseded')
		ORDER BY t.id`, superseded)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := w.setStatus(id, Disputed, Active, verbSettle, by); err != nil {
			return err
		}
	}
	return nil
}

// Link adds links to an existing entry, with their effects.
//
// Errors: as for Post, and fault.Conflict if the entry is superseded or already has the
// link.
func (b *Board) Link(ctx context.Context, worker, entry string, links Links) (Entry, error) {
	return b.LinkDropping(ctx, worker, entry, links, "")
}

// linkOrder is the order of effects: first what an entry answers, then what it
// supersedes, since that may have been an answer.
var linkOrder = []string{Supports, Contradicts, Addresses, Supersedes}

// LinkDropping is Link with a reason why the entry need not surface, although an entry
// that it supersedes had to. Without a reason, the entry takes the duty over.
func (b *Board) LinkDropping(ctx context.Context, worker, entry string, links Links,
	dropDuty string) (Entry, error) {
	if err := checkText("the reason to drop the duty", dropDuty, MaxField, false); err != nil {
		return Entry{}, err
	}
	src, err := ParseEntryID(entry)
	if err != nil {
		return Entry{}, err
	}
	if links.Count() == 0 {
		return Entry{}, invalid("no link is given",
			"say what the entry supports, contradicts, supersedes or addresses")
	}
	for _, kind := range LinkKinds {
		if err := cleanLinks(kind, links.of(kind)); err != nil {
			return Entry{}, err
		}
	}
	var out Entry
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
			out = *e
		}
		return err
	})
	return out, err
}

func (w *writer) addLink(src int64, kind, target string, e *Entry, dropDuty string) error {
	if err := w.target(kind, target, src); err != nil {
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
				return w.effect(src, kind, dst)
			}
		}
		return conflict(fmt.Sprintf("%s %s %s already", e.ID, kind, target), "",
			fault.Do("entry.show", "{} shows its links", "id", e.ID))
	}
	dst, err := targetID(kind, target)
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
	if err := w.event(verbLink, e.ID, linkPayload{Kind: kind, Target: target}); err != nil {
		return err
	}
	if err := w.linkRow(src, kind, target); err != nil {
		return err
	}
	if kind == Supersedes {
		return w.supersede(src, dst, dropDuty)
	}
	return w.effect(src, kind, dst)
}

func superseded(id string) error {
	return conflict(id+" is superseded and cannot gain links", "",
		fault.Do("entry.show", "link the entry that superseded it: {}", "id", id))
}

// Backlinks returns the links that point at an entry or a signal.
func (s *Snapshot) Backlinks(id string) []Backlink {
	links := []Backlink{}
	for _, e := range s.Entries {
		for _, kind := range LinkKinds {
			if slices.Contains(e.Of(kind), id) {
				links = append(links, Backlink{Kind: kind, From: e.ID, Line: Line(e.Content, 100)})
			}
		}
	}
	return links
}
