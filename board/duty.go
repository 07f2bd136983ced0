package board

import (
	"errors"

	"blackboard/board/store"
)

// DroppedDuty is a superseded entry that had to surface and whose successor need not.
type DroppedDuty struct {
	ID     string `json:"id"`     // the superseded entry
	By     string `json:"by"`     // the entry that supersedes it
	Seq    int64  `json:"seq"`    // the event that dropped it
	Worker string `json:"worker"` // who dropped it
	Reason string `json:"reason"`
}

// takeDuties sets must-surface on new posts that supersede an entry that must surface,
// unless they give a reason to drop that duty. The superseded entry may be in the same
// batch.
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
			return prefixed(at(i, len(posts)), noDuty())
		}
	}
	return nil
}

// mustSurface reports whether an entry of the board must surface.
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

// supersede applies a supersedes link. The successor takes over the duty to surface, or
// drops it with a reason. A signal that the old entry answered is now answered by the
// successor if that addresses it too; otherwise it opens again.
func (w *writer) supersede(src, dst int64, dropDuty string) error {
	old, err := getEntry(w.tx, dst)
	if err != nil {
		return err
	}
	if err := w.effect(src, Supersedes, dst); err != nil {
		return err
	}
	if old.MustSurface {
		if err := w.passDuty(src, dst, dropDuty); err != nil {
			return err
		}
	}
	if old.Status == Superseded {
		return nil // its answers have been dealt with
	}
	return w.passAnswers(src, dst)
}

// passDuty passes the duty of a superseded entry to its successor, or drops it.
func (w *writer) passDuty(src, dst int64, reason string) error {
	if reason != "" {
		d := DroppedDuty{ID: EntryID(dst), By: EntryID(src), Worker: w.actor, Reason: reason}
		if err := w.event(verbDropDuty, d.ID, dropDutyPayload{d.By, reason}); err != nil {
			return err
		}
		d.Seq = w.seq
		return w.droppedRow(d)
	}
	n, err := w.tx.Changes(`UPDATE entries SET must_surface = 1 WHERE id = ? AND must_surface = 0`,
		src)
	if err != nil || n == 0 {
		return err // it was posted so
	}
	return w.event(verbMustSurface, EntryID(src), takenPayload{EntryID(dst)})
}

// passAnswers updates the signals that a superseded entry answered.
func (w *writer) passAnswers(src, dst int64) error {
	signals, err := store.Column[int64](w.tx,
		`SELECT id FROM signals WHERE addressed_by = ? AND status = 'addressed' ORDER BY id`, dst)
	if err != nil {
		return err
	}
	for _, id := range signals {
		by, worker, err := w.successor(src, id)
		if store.IsNoRows(err) {
			err = w.reopen(id, "its answer "+EntryID(dst)+" was superseded by "+EntryID(src)+", which does not address it")
			w.reopened = append(w.reopened, SignalID(id))
		} else if err == nil {
			actor := w.actor
			if by != src {
				w.actor = worker
			}
			err = w.answeredAnew(id, by)
			w.actor = actor
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// successor finds the entry that addresses a signal and is not superseded: src, or one
// that supersedes it within the same batch.
func (w *writer) successor(src, signal int64) (id int64, worker string, err error) {
	err = w.tx.QueryRow(`WITH RECURSIVE newer(id) AS (
			VALUES (CAST(? AS BIGINT)) UNION SELECT l.src FROM newer n JOIN links l ON l.dst = n.id AND l.kind = 'supersedes')
		SELECT e.id, e.worker FROM newer n JOIN entries e ON e.id = n.id
			JOIN links a ON a.src = e.id AND a.kind = 'addresses' AND a.dst = ?
		WHERE e.status <> 'superseded' ORDER BY e.id DESC LIMIT 1`, src, signal).Scan(&id, &worker)
	return id, worker, err
}

// answeredAnew gives an addressed signal another answer.
func (w *writer) answeredAnew(id, by int64) error {
	if _, err := w.tx.Exec(`UPDATE signals SET addressed_by = ?, closed_by = ?, closed = ? WHERE id = ?`, by, w.actor, w.at, id); err != nil {
		return err
	}
	return w.event(verbAddress, SignalID(id), addressPayload{By: EntryID(by)})
}

func (w *writer) droppedRow(d DroppedDuty) error {
	entry, err := ParseEntryID(d.ID)
	if err != nil {
		return err
	}
	by, err := ParseEntryID(d.By)
	if err != nil {
		return err
	}
	_, err = w.tx.Exec(`INSERT INTO dropped_duties VALUES (?, ?, ?, ?, ?)`, entry, by, d.Seq,
		d.Worker, d.Reason)
	return err
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

// DroppedOf returns the duties to surface that were dropped for an entry, and for the
// entries that it supersedes.
func (s *Snapshot) DroppedOf(id string) []DroppedDuty {
	of := []DroppedDuty{}
	for _, d := range s.Dropped {
		if d.ID == id || d.By == id {
			of = append(of, d)
		}
	}
	return of
}

// duty applies an event about a duty to surface.
func (r *replayer) duty(e Event, p dropDutyPayload) error {
	entry, err := r.entry(e.ID)
	if err != nil {
		return err
	}
	if e.Verb == verbMustSurface {
		entry.MustSurface = true
		return nil
	}
	if _, err := r.entry(p.By); err != nil {
		return err
	}
	for _, d := range r.Dropped {
		if d.ID == e.ID && d.By == p.By {
			return errors.New("the duty was dropped before")
		}
	}
	r.Dropped = append(r.Dropped, DroppedDuty{e.ID, p.By, e.Seq, e.Actor, p.Reason})
	return nil
}
