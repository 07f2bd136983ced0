package kb

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

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

// writing is a new sidecar on its way to the disk, beside what the change does meanwhile.
type writing struct {
	id      string
	data    []byte
	drafted *Capsule // of what it is a draft; nil once it is wanted
	alone   bool     // nothing else will be written: its name can be made to last at once
	file    *replaced
	wanted  chan bool // whether the draft gets its name
	done    chan struct{}
	info    fs.FileInfo
	err     error
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

// removeLater removes a sidecar once all is committed. What stays is found by the next sync.
func (ch *change) removeLater(id string) {
	ch.after = append(ch.after, func() { os.Remove(ch.k.sidecarPath(id)) })
}

// flush makes the new names of the sidecars last.
func (ch *change) flush() error {
	if err := ch.join(); err != nil || !ch.wrote {
		return err
	}
	return ch.k.syncNames()
}

func (k *KB) syncNames() error {
	if runtime.GOOS == "windows" { // where directories cannot be synced, and need not be
		return nil
	}
	d, err := os.Open(k.sidecars)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, fs.ErrInvalid) { // some file systems cannot
		return fmt.Errorf("make the sidecars last: %w", err)
	}
	return nil
}

func (k *KB) sidecarPath(id string) string { return filepath.Join(k.sidecars, id+sidecarExt) }

const sidecarExt = ".md"

// draft begins to write the sidecar of a new capsule that may yet be refused: it takes longer than all the questions that come before it is stored. put gives it its name.
// alone says that the change will write no other.
func (ch *change) draft(c *Capsule, alone bool) error {
	if ch.k.sidecars == "" || ch.dry {
		return nil
	}
	if err := ch.join(); err != nil {
		return err
	}
	data, err := encodeSidecar(c, nil)
	if err != nil || len(data) > MaxSidecar { // which put will say
		return err
	}
	was := *c
	ch.begin(&writing{id: c.ID, data: data, drafted: &was, alone: alone})
	return nil
}

// begin starts the writing.
func (ch *change) begin(w *writing) {
	w.wanted, w.done = make(chan bool, 1), make(chan struct{})
	ch.disk = w
	path := ch.k.sidecarPath(w.id)
	go func() {
		defer close(w.done)
		temp, err := writeTemp(path, w.data)
		if !<-w.wanted {
			if err == nil {
				os.Remove(temp)
			}
			return
		}
		if err == nil {
			err = rename(temp, path)
		}
		if err == nil {
			w.file.now = w.data
			w.info, err = os.Lstat(path)
		}
		if err == nil && w.alone {
			err = ch.k.syncNames()
		}
		w.err = err
	}()
}

// discard gives a draft up that nobody wanted.
func (ch *change) discard() {
	if w := ch.disk; w != nil && w.drafted != nil {
		w.wanted <- false
		<-w.done
		ch.disk = nil
	}
}

// put writes a capsule's sidecar and notes what was written. One that replaces none is written while the change goes on: join waits for it.
func (ch *change) put(c *Capsule) error {
	if ch.k.sidecars == "" || ch.dry {
		return nil
	}
	if w := ch.disk; w != nil && w.drafted != nil && reflect.DeepEqual(w.drafted, c) {
		w.drafted, w.file = nil, &replaced{path: ch.k.sidecarPath(c.ID)}
		ch.track(c.ID, w.file)
		w.wanted <- true
		return nil
	}
	if err := ch.join(); err != nil {
		return err
	}
	path := ch.k.sidecarPath(c.ID)
	old, err := readSidecar(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var extra map[string]any
	if old != nil {
		if _, extra, err = decodeSidecar(c.ID, old); err != nil {
			extra = nil
		}
	}
	data, err := encodeSidecar(c, extra)
	if err != nil {
		return err
	}
	if len(data) > MaxSidecar {
		return invalid(fmt.Sprintf("the capsule would make a file of %d bytes; at most %d are taken", len(data), MaxSidecar), "shorten it, or split it")
	}
	if old != nil && ch.files[c.ID] == nil {
		if err := ch.spare(c.ID, old); err != nil {
			return err
		}
	}
	was := ch.files[c.ID]
	if was == nil {
		was = &replaced{path: path, old: old}
		if old != nil {
			// The old file is kept under another name until all is committed: a disk that is full then cannot keep it from being put back.
			was.aside = filepath.Join(ch.k.sidecars, tempPrefix+"old-"+filepath.Base(path))
			os.Remove(was.aside)
			was.linked = os.Link(path, was.aside) == nil
		}
		ch.track(c.ID, was)
	}
	w := &writing{id: c.ID, data: data, file: was}
	ch.begin(w)
	w.wanted <- true
	if old != nil {
		return ch.join()
	}
	return nil
}

// track remembers how to put a sidecar back.
func (ch *change) track(id string, was *replaced) {
	ch.files[id] = was
	ch.undo = append(ch.undo, was.undo)
	ch.after = append(ch.after, was.done)
}

// join waits until the sidecar that is being written is on the disk, and notes it.
func (ch *change) join() error {
	ch.discard()
	w := ch.disk
	if w == nil {
		return nil
	}
	<-w.done
	ch.disk = nil
	if w.err != nil {
		return w.err
	}
	ch.wrote = ch.wrote || !w.alone
	return ch.seen(w.id, w.info, w.data)
}

// replaced is a sidecar that a change has written, and what it was before.
type replaced struct {
	path, aside string
	old, now    []byte // nil: there was none; nothing was written yet
	linked      bool   // the old one is at aside
}

func (r *replaced) undo() {
	if now, err := readSidecar(r.path); err == nil && r.now != nil && bytes.Equal(now, r.now) { // else it is somebody else's by now
		switch {
		case r.old == nil:
			os.Remove(r.path)
		case r.linked:
			os.Rename(r.aside, r.path)
		default:
			writeFile(r.path, r.old)
		}
	}
	r.done()
}

func (r *replaced) done() {
	if r.linked {
		os.Remove(r.aside)
	}
}

// spare copies what is in a sidecar to the quarantine if it is about to be written over and nobody has picked it up: an edit by hand that cannot be read, or is just being made.
func (ch *change) spare(id string, data []byte) error {
	var hash []byte
	err := ch.tx.QueryRow(`SELECT hash FROM sidecars WHERE id = ?`, id).Scan(&hash)
	if sqlite.IsNoRows(err) || err == nil && len(hash) == 0 {
		return nil
	}
	if err != nil {
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

// readSidecar reads a file of at most MaxSidecar bytes, and one more so that it shows.
func readSidecar(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	b.Grow(int(min(info.Size(), MaxSidecar)) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(f, MaxSidecar+1)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// tempPrefix is how the names of files begin that are not finished. None is there while nobody writes.
const tempPrefix = ".new-"

// writeFile writes a file so that it is there whole or not at all, whatever happens. That its name lasts is for the directory's own sync.
func writeFile(path string, data []byte) error {
	temp, err := writeTemp(path, data)
	if err != nil {
		return err
	}
	return rename(temp, path)
}

func rename(temp, path string) error {
	err := os.Rename(temp, path)
	if err != nil {
		os.Remove(temp)
	}
	return err
}

// writeTemp writes what a file shall hold beside it, on the disk, and returns its name there.
func writeTemp(path string, data []byte) (temp string, err error) {
	temp = filepath.Join(filepath.Dir(path), tempPrefix+filepath.Base(path))
	const how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	f, err := os.OpenFile(temp, how, 0o600)
	if errors.Is(err, fs.ErrNotExist) { // the first file of all
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			f, err = os.OpenFile(temp, how, 0o600)
		}
	}
	if err != nil {
		return "", err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil { // a little older than it is, so that any later change shows in its time
		then := time.Now().Add(-2 * fresh)
		err = os.Chtimes(temp, then, then)
	}
	if err != nil {
		os.Remove(temp)
		return "", err
	}
	return temp, nil
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

func (ch *change) row(id string) (*Capsule, error) {
	found, err := capsulesWhere(ch.tx, `id = ?`, id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, notFound(id)
	}
	return &found[0], nil
}

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
	from := c.ingested()
	if _, err := ch.tx.Exec(`UPDATE capsules SET kind = ?, scope = ?, title = ?, body = ?, tags = ?, domain_tags = ?, source = ?, confidence = ?, verified_by = ?, supersedes = ?,
		superseded_by = ?, refs = ?, workspace = ?, project = ?, decay_score = ?, created = ?, updated = ?, retrieved = ?, model = ?, dim = ?, retired = ?, retired_why = ?,
		revision = ?, ingest_file = ?, ingest_sha = ?, ingest_part = ?, ingest_of = ? WHERE n = ?`,
		c.Kind, c.Scope, c.Title, c.Body, jsonList(c.Tags), jsonList(c.DomainTags), c.Source, c.Confidence, c.VerifiedBy, jsonList(c.Supersedes), c.SupersededBy,
		jsonList(c.Refs), c.Workspace, c.Project, c.DecayScore, c.Created.UnixMilli(), c.Updated.UnixMilli(), millis(c.Retrieved), c.Model, c.Dim, millis(c.Retired), c.RetiredWhy,
		c.Revision, from.File, from.SHA256, from.Part, from.Of, c.n); err != nil {
		return err
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
		return &Error{Kind: ErrConflict, ID: by, Msg: fmt.Sprintf("%s is superseded by %s already", id, by), Hint: fmt.Sprintf("--supersedes %s, if that is the one to replace", by)}
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
	if errors.Is(err, ErrNotFound) {
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
		} else if !errors.Is(err, ErrNotFound) {
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
