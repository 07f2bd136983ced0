package kb

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
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
	VerbReplaced    = "replaced" // its document has changed and no longer has this section
	VerbDecided     = "decided"
	VerbImported    = "imported"
	VerbConfirmed   = "confirmed" // another role or run has found the same
)

// change is one change to the knowledge base: a transaction and the sidecars that belong to it.
//
// A sidecar is written before the row that mirrors it is committed. If the change fails,
// the sidecars are restored. If the process dies in between, sync completes the change
// from the sidecars.
type change struct {
	k           *KB
	tx          *sqlite.Tx
	undo        []func()
	after       []func() // run after the commit, while this process still holds the write lock
	wrote       bool
	dry         bool      // dry run: no files are written, and the transaction is rolled back
	keyed       bool      // all titles have keys
	arrivals    *arrivals // of an import
	notes       []string
	sync        *Synced              // where a sync collects what it did
	files       map[string]*replaced // by id
	fresh       []*replaced          // of them, new ones that have no name yet
	writing     sync.WaitGroup       // of fresh
	slots       chan struct{}        // see writersAtOnce
	docs        []index.Doc          // new capsules that are not in the index yet
	quarantined map[string]bool      // ids whose sidecar was copied to the quarantine
}

func (k *KB) change(ctx context.Context, fn func(*change) error) error {
	return k.changeWithin(ctx, sqlite.LockTimeout, fn)
}

// changeWithin is change, waiting at most `wait` for other writers.
func (k *KB) changeWithin(ctx context.Context, wait time.Duration, fn func(*change) error) error {
	var ch *change
	err := k.db.WriteWithin(ctx, wait, func(tx *sqlite.Tx) error {
		ch = &change{k: k, tx: tx, files: map[string]*replaced{}, quarantined: map[string]bool{},
			slots: make(chan struct{}, writersAtOnce)}
		err := fn(ch)
		if err == nil {
			err = ch.flush()
		}
		if err != nil {
			ch.rollback() // while this process still holds the write lock
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
	ch.dropNew()
	for _, undo := range slices.Backward(ch.undo) {
		undo()
	}
	ch.undo = nil
}

// removeLater removes a sidecar after the commit, unless it was saved since.
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

// saveUnseen copies a sidecar to the quarantine that is overwritten and was not picked up.
func (ch *change) saveUnseen(id string, data []byte) error {
	var hash []byte
	err := ch.tx.QueryRow(`SELECT hash FROM sidecars WHERE id = ?`, id).Scan(&hash)
	if err != nil && !sqlite.IsNoRows(err) {
		return err
	}
	if sum := sha256.Sum256(data); bytes.Equal(hash, sum[:]) || ch.quarantined[id] {
		return nil
	}
	to, err := ch.copyToQuarantine(id, data)
	if err == nil {
		ch.notes = append(ch.notes,
			fmt.Sprintf("%s was being edited by hand; its text was saved as %s", id+sidecarExt,
				to))
	}
	return err
}

// copyToQuarantine writes a copy of a sidecar's content to the quarantine and returns its path.
func (ch *change) copyToQuarantine(id string, data []byte) (string, error) {
	to, err := ch.k.quarantineName(id + sidecarExt)
	if err != nil {
		return "", err
	}
	if err := writeFile(to, data); err != nil {
		return "", err
	}
	ch.quarantined[id] = true
	ch.undo = append(ch.undo, func() { os.Remove(to) })
	return to, nil
}

// recordSidecar stores the size, time and hash of a sidecar that agrees with its row.
func (ch *change) recordSidecar(id string, info fs.FileInfo, data []byte) error {
	sum := sha256.Sum256(data)
	_, err := ch.tx.Exec(`INSERT OR REPLACE INTO sidecars (id, size, mtime, checked, hash)
		VALUES (?, ?, ?, ?, ?)`, id, info.Size(), info.ModTime().UnixNano(), time.Now().UnixNano(), sum[:])
	return err
}

// event appends to the log of events. before is nil for a new capsule.
func (ch *change) event(verb string, c, before *Capsule, other, why string) error {
	was := ""
	if before != nil {
		b, err := json.Marshal(before)
		if err != nil {
			return err
		}
		was = string(b)
	}
	var content string
	var err error
	if w := ch.files[c.ID]; w != nil && w.old == nil && c.Ingested == nil { // its file says just that
		content = hex.EncodeToString(hash(string(w.data)))
	} else if content, err = c.contentSum(); err != nil {
		return err
	}
	_, err = ch.tx.Exec(`INSERT INTO events (at, actor, verb, capsule, revision, other, why,
		before, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		ch.tx.Now.UnixMilli(), ch.k.actor, verb, c.ID, c.Revision, other, why, was, content)
	return err
}

// get returns the current capsule. It picks up an edit of the sidecar by hand first.
func (ch *change) get(id string) (*Capsule, error) {
	if !ch.dry {
		if err := ch.pickUp(id); err != nil {
			return nil, err
		}
	}
	return ch.row(id)
}

func (ch *change) row(id string) (*Capsule, error) { return capsule(ch.tx, id) }

// update stores a new version. v is the new embedding if the text has changed, or nil.
func (ch *change) update(old, c *Capsule, v embed.Vector, verb, other, why string) error {
	c.Revision, c.Updated = old.Revision+1, ch.tx.Now
	if err := ch.writeSidecar(c); err != nil {
		return err
	}
	return ch.mirror(old, c, v, verb, other, why)
}

// mirror stores a new version in the row, the index and the log, once the sidecar has it.
func (ch *change) mirror(old, c *Capsule, v embed.Vector, verb, other, why string) error {
	if err := ch.writeIndex(); err != nil {
		return err
	}
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
		c.Model, c.Dim = ch.k.emb.Model().Name, ch.k.emb.Model().Dim
	}
	if err := updateRow(ch.tx, old, c); err != nil {
		return err
	}
	if err := ch.k.index.Put(ch.tx, document(c, v)); err != nil {
		return err
	}
	return ch.event(verb, c, old, other, why)
}

// sameButSpaces compares texts ignoring spaces: their embeddings are the same.
func sameButSpaces(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }

// create stores a new capsule that has an id.
func (ch *change) create(c *Capsule, v embed.Vector, verb, why string) error {
	if err := ch.writeSidecar(c); err != nil {
		return err
	}
	return ch.createRow(c, v, verb, why)
}

func (ch *change) createRow(c *Capsule, v embed.Vector, verb, why string) error {
	c.Model, c.Dim = "", 0
	if v != nil {
		c.Model, c.Dim = ch.k.emb.Model().Name, ch.k.emb.Model().Dim
	}
	if err := insertRow(ch.tx, c); err != nil {
		return err
	}
	ch.docs = append(ch.docs, document(c, v))
	return ch.event(verb, c, nil, "", why)
}

// writeIndex indexes the new capsules together, which costs less. A dry run needs none.
func (ch *change) writeIndex() error {
	docs := ch.docs
	if ch.docs = nil; ch.dry {
		return nil
	}
	return ch.k.index.Put(ch.tx, docs...)
}

// supersede marks the capsule id as superseded by c. The sidecar of c names it already.
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
	if err := ch.checkCycle(c, id); err != nil {
		return err
	}
	now := *old
	now.SupersededBy = c.ID
	return ch.update(old, &now, nil, VerbSuperseded, c.ID, why)
}

func (ch *change) checkCycle(c *Capsule, id string) error {
	circle := 0
	if c.ID == id || c.SupersededBy == id {
		circle = 1
	} else if c.SupersededBy != "" {
		if err := ch.tx.QueryRow(`WITH RECURSIVE up(id) AS (SELECT superseded_by FROM capsules
			WHERE id = ?1 UNION SELECT c.superseded_by FROM capsules AS c JOIN up ON c.id = up.id
			WHERE c.superseded_by <> '')
			SELECT count(*) FROM up WHERE id = ?2`, c.SupersededBy, id).Scan(&circle); err != nil {
			return err
		}
	}
	if circle > 0 {
		return invalid(fmt.Sprintf("%s cannot supersede %s: %s would supersede itself through other capsules", c.ID, id, c.ID), "leave out one of the links")
	}
	return nil
}

// release removes the superseded_by link of capsule id, if there is one and it names by.
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

// drop deletes a section of a document; what it superseded becomes active again.
func (ch *change) drop(c *Capsule, why string) error {
	for _, id := range c.Supersedes {
		if err := ch.release(id, c.ID, why); err != nil {
			return err
		}
	}
	if c.SupersededBy != "" {
		if err := ch.removeLink(c.SupersededBy, c.ID, "what it superseded was removed: "+why); err != nil {
			return err
		}
	}
	if err := ch.deleteCapsule(c); err != nil {
		return err
	}
	gone := *c
	gone.Revision++
	return ch.event(VerbReplaced, &gone, c, "", why)
}

// deleteCapsule deletes the rows of a capsule, and its sidecar after the commit.
func (ch *change) deleteCapsule(c *Capsule) error {
	if err := ch.writeIndex(); err != nil {
		return err
	}
	if err := ch.writeNew(); err != nil {
		return err
	}
	if err := ch.k.index.Delete(ch.tx, c.n); err != nil {
		return err
	}
	for _, stmt := range []string{
		`DELETE FROM capsule_tags WHERE capsule = ?`, `DELETE FROM capsules WHERE n = ?`} {
		if _, err := ch.tx.Exec(stmt, c.n); err != nil {
			return err
		}
	}
	if ch.k.sidecars != "" {
		if _, err := ch.tx.Exec(`DELETE FROM sidecars WHERE id = ?`, c.ID); err != nil {
			return err
		}
		ch.removeLater(c.ID)
	}
	return nil
}
