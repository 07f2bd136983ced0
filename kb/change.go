package kb

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
)

// Verbs of events.
const (
	VerbRemembered  = "remembered"
	VerbEdited      = "edited"
	VerbSuperseded  = "superseded"
	VerbSupersedes  = "supersedes"
	VerbReleased    = "released" // no longer superseded
	VerbRetired     = "retired"
	VerbRestored    = "restored"
	VerbPickedUp    = "picked up" // its sidecar was edited by hand
	VerbQuarantined = "quarantined"
	VerbIngested    = "ingested"
	VerbReplaced    = "replaced" // the document that it was a part of has changed
	VerbDecided     = "decided"
	VerbImported    = "imported"
	VerbConfirmed   = "confirmed" // somebody else has found the same
)

// change is one change to the knowledge base: a transaction, and the sidecars that go with it. A sidecar is written before the row that mirrors it is committed. If the
// change fails, the sidecars are put back; if the process dies in between, sync finishes the change from the sidecars.
type change struct {
	k     *KB
	tx    *sqlite.Tx
	undo  []func()
	after []func() // once all is committed, in this writer's turn
	wrote bool
	dry   bool // it is only tried: nothing is written beside the transaction, which will be undone
	notes []string
	sync  *Synced              // what is picked up goes there, in a sync
	files map[string]*replaced // by id
	kept  map[string]bool      // ids whose file was copied to the quarantine
	disk  *writing             // the sidecar that is being written, while the rows go on
}

// change runs fn as one change.
func (k *KB) change(ctx context.Context, fn func(*change) error) error {
	return k.changeWithin(ctx, sqlite.LockTimeout, fn)
}

// changeWithin is change for who cannot wait long for other writers.
func (k *KB) changeWithin(ctx context.Context, wait time.Duration, fn func(*change) error) error {
	var ch *change
	err := k.db.WriteWithin(ctx, wait, func(tx *sqlite.Tx) error {
		ch = &change{k: k, tx: tx, files: map[string]*replaced{}, kept: map[string]bool{}}
		err := fn(ch)
		if err == nil {
			err = ch.flush()
		}
		if err != nil {
			ch.rollback() // while it is still this writer's turn
			return err
		}
		tx.AfterCommit(func() {
			for _, do := range ch.after {
				do()
			}
		})
		return nil
	})
	if err != nil {
		if ch != nil {
			ch.rollback() // the commit failed
		}
		return err
	}
	k.note(ch.notes...)
	return nil
}

func (ch *change) rollback() {
	ch.discard()
	if ch.disk != nil {
		<-ch.disk.done
		ch.disk = nil
	}
	for _, undo := range slices.Backward(ch.undo) {
		undo()
	}
	ch.undo = nil
}

// removeLater removes a sidecar once all is committed, unless somebody has saved it until then. What stays is found by the next sync.
func (ch *change) removeLater(id string) {
	path := ch.k.sidecarPath(id)
	seen, err := os.Lstat(path)
	if err != nil {
		return
	}
	ch.after = append(ch.after, func() {
		if now, err := os.Lstat(path); err == nil && sameFile(now, seen) {
			os.Remove(path)
		}
	})
}

// spare copies what is in a sidecar to the quarantine if it is about to be written over and nobody has picked it up: an edit by hand that cannot be read, or is just being made.
func (ch *change) spare(id string, data []byte) error {
	var hash []byte
	err := ch.tx.QueryRow(`SELECT hash FROM sidecars WHERE id = ?`, id).Scan(&hash)
	if err != nil && !sqlite.IsNoRows(err) {
		return err
	}
	if sum := sha256.Sum256(data); bytes.Equal(hash, sum[:]) || ch.kept[id] {
		return nil
	}
	to, err := ch.copyToQuarantine(id, data)
	if err == nil {
		ch.notes = append(ch.notes, fmt.Sprintf("%s was being edited by hand; what was in it is in %s", id+sidecarExt, to))
	}
	return err
}

// copyToQuarantine writes a copy of what is in a sidecar to the quarantine and returns its name.
func (ch *change) copyToQuarantine(id string, data []byte) (string, error) {
	to, err := ch.k.quarantineName(id + sidecarExt)
	if err != nil {
		return "", err
	}
	if err := writeFile(to, data); err != nil {
		return "", err
	}
	ch.kept[id] = true
	ch.undo = append(ch.undo, func() { os.Remove(to) })
	return to, nil
}

// seen notes that a capsule is as its sidecar says.
func (ch *change) seen(id string, info fs.FileInfo, data []byte) error {
	sum := sha256.Sum256(data)
	_, err := ch.tx.Exec(`INSERT OR REPLACE INTO sidecars (id, size, mtime, checked, hash) VALUES (?, ?, ?, ?, ?)`, id, info.Size(), info.ModTime().UnixNano(), time.Now().UnixNano(), sum[:])
	return err
}

// event appends to the log. before is nil for what is new.
func (ch *change) event(verb string, c, before *Capsule, other, why string) error {
	was := ""
	if before != nil {
		b, err := json.Marshal(before)
		if err != nil {
			return err
		}
		was = string(b)
	}
	_, err := ch.tx.Exec(`INSERT INTO events (at, actor, verb, capsule, revision, other, why, before) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		ch.tx.Now.UnixMilli(), ch.k.actor, verb, c.ID, c.Revision, other, why, was)
	return err
}

// get returns a capsule as it is now: an edit of its sidecar by hand that nobody has seen yet is picked up first.
func (ch *change) get(id string) (*Capsule, error) {
	if !ch.dry {
		if err := ch.pickUp(id); err != nil {
			return nil, err
		}
	}
	return ch.row(id)
}

func (ch *change) row(id string) (*Capsule, error) { return capsule(ch.tx, id) }

// update makes a capsule from what it was into what it is now. v is its embedding if its text has changed, and may be nil then: Reembed adds it.
func (ch *change) update(old, c *Capsule, v embed.Vector, verb, other, why string) error {
	c.Revision, c.Updated = old.Revision+1, ch.tx.Now
	if err := ch.put(c); err != nil {
		return err
	}
	return ch.mirror(old, c, v, verb, other, why)
}

// mirror brings the row, the index and the log to what a sidecar says.
func (ch *change) mirror(old, c *Capsule, v embed.Vector, verb, other, why string) error {
	c.n = old.n
	c.Model, c.Dim = old.Model, old.Dim
	if sameButSpaces(embeddingText(old), embeddingText(c)) {
		vs, err := ch.k.index.Vectors(ch.tx, old.n)
		if err != nil {
			return err
		}
		v = vs[old.n]
	} else if v == nil {
		c.Model, c.Dim = "", 0
	} else {
		c.Model, c.Dim = ch.k.emb.Model().Name, len(v)
	}
	if err := c.columns(new(c.ingested())).Update(ch.tx, "capsules", c.n); err != nil {
		return err
	}
	if old.Title != c.Title {
		if err := keepTitle(ch.tx, c); err != nil {
			return err
		}
	}
	if !slices.Equal(old.Tags, c.Tags) || !slices.Equal(old.DomainTags, c.DomainTags) {
		if _, err := ch.tx.Exec(`DELETE FROM capsule_tags WHERE capsule = ?`, c.n); err != nil {
			return err
		}
		if err := insertTags(ch.tx, c); err != nil {
			return err
		}
	}
	if err := ch.k.index.Put(ch.tx, document(c, v)); err != nil {
		return err
	}
	return ch.event(verb, c, old, other, why)
}

// sameButSpaces compares texts but for spacing: their embeddings are the same.
func sameButSpaces(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }

// add stores a new capsule that has its id already.
func (ch *change) add(c *Capsule, v embed.Vector, verb, why string) error {
	if err := ch.put(c); err != nil {
		return err
	}
	return ch.addRow(c, v, verb, why)
}

func (ch *change) addRow(c *Capsule, v embed.Vector, verb, why string) error {
	c.Model, c.Dim = "", 0
	if v != nil {
		c.Model, c.Dim = ch.k.emb.Model().Name, len(v)
	}
	if err := insertRow(ch.tx, c); err != nil {
		return err
	}
	if err := ch.k.index.Put(ch.tx, document(c, v)); err != nil {
		return err
	}
	return ch.event(verb, c, nil, "", why)
}

// supersede marks old as superseded by c, whose own sidecar names it already.
func (ch *change) supersede(c *Capsule, id, why string) error {
	old, err := ch.get(id)
	if err != nil {
		return err
	}
	if by := old.SupersededBy; by == c.ID {
		return nil
	} else if by != "" {
		return supersededAlready(id, by)
	}
	if err := ch.noCircle(c, id); err != nil {
		return err
	}
	now := *old
	now.SupersededBy = c.ID
	return ch.update(old, &now, nil, VerbSuperseded, c.ID, why)
}

// noCircle refuses that c supersedes what c itself, through others, is superseded by.
func (ch *change) noCircle(c *Capsule, id string) error {
	circle := 0
	if c.ID == id {
		circle = 1
	} else if c.SupersededBy != "" {
		if err := ch.tx.QueryRow(`WITH RECURSIVE up(id) AS (SELECT ?1 UNION SELECT c.superseded_by FROM capsules AS c JOIN up ON c.id = up.id WHERE c.superseded_by <> '')
			SELECT count(*) FROM up WHERE id = ?2`, c.SupersededBy, id).Scan(&circle); err != nil {
			return err
		}
	}
	if circle > 0 {
		return invalid(fmt.Sprintf("%s cannot supersede %s, which %s is superseded by itself, at last", c.ID, id, c.ID), "leave one of the links out")
	}
	return nil
}

// release takes back that a capsule is superseded.
func (ch *change) release(id, by, why string) error {
	old, err := ch.get(id)
	if errors.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil || old.SupersededBy != by {
		return err
	}
	now := *old
	now.SupersededBy = ""
	return ch.update(old, &now, nil, VerbReleased, by, why)
}

// drop removes a capsule for good, with its sidecar: only for parts of documents, which can be cut again. What it superseded stands again.
func (ch *change) drop(c *Capsule, why string) error {
	if err := ch.join(); err != nil {
		return err
	}
	for _, id := range c.Supersedes {
		if err := ch.release(id, c.ID, why); err != nil {
			return err
		}
	}
	if c.SupersededBy != "" {
		if by, err := ch.get(c.SupersededBy); err == nil {
			now := *by
			now.Supersedes = slices.DeleteFunc(slices.Clone(by.Supersedes), func(id string) bool { return id == c.ID })
			if err := ch.update(by, &now, nil, VerbEdited, c.ID, "what it superseded is gone: "+why); err != nil {
				return err
			}
		} else if !errors.Is(err, fault.NotFound) {
			return err
		}
	}
	if err := ch.k.index.Delete(ch.tx, c.n); err != nil {
		return err
	}
	for _, stmt := range []string{`DELETE FROM capsule_tags WHERE capsule = ?`, `DELETE FROM capsules WHERE n = ?`} {
		if _, err := ch.tx.Exec(stmt, c.n); err != nil {
			return err
		}
	}
	if _, err := ch.tx.Exec(`DELETE FROM sidecars WHERE id = ?`, c.ID); err != nil {
		return err
	}
	ch.removeLater(c.ID)
	gone := *c
	gone.Revision++
	return ch.event(VerbReplaced, &gone, c, "", why)
}
