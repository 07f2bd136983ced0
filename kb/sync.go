package kb

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/sqlite"
)

// SyncWhen says when the sidecars are held against the rows that mirror them.
type SyncWhen int

const (
	SyncDue   SyncWhen = iota // at once if there are few, else so seldom that it takes a fiftieth of the time
	SyncNow                   // now
	SyncNever                 // not now: for who has no time at all
)

const (
	syncFree  = 1000 // so many files are always looked at: that takes some milliseconds
	syncShare = 50   // else the next is due after so many times what the last one took
	// fresh is how young a file is that may have changed once more without a new time: file systems count time in steps.
	fresh = 10 * time.Millisecond
	// settling is how young a file that cannot be read may be for an editor to be at it still.
	settling = 2 * time.Second
	// abandoned is how old an unfinished file is that nobody will finish.
	abandoned = time.Minute
)

// found are the differences between sidecars and rows, by name or id. Each is looked at once more in the change that deals with it.
type found struct {
	changed []string // ids: files that are new or not as they were
	missing []string // ids: rows whose file is gone
	unknown []string // names that are no capsule's
	temp    []string // names of files that were not finished, by somebody who is not at it any more
	files   int
	lost    bool // the whole directory
	pending bool // an ingest has left its list of files
}

func (f *found) nothing() bool {
	return len(f.changed)+len(f.missing)+len(f.unknown)+len(f.temp) == 0 && !f.pending
}

// Synced is what a sync did.
type Synced struct {
	PickedUp    []string `json:"picked_up"`   // ids
	Added       []string `json:"added"`       // ids of capsules that were not known
	Retired     []string `json:"retired"`     // ids of capsules whose sidecar was removed
	Written     int      `json:"written"`     // sidecars that were missing and were written from their rows
	Quarantined []string `json:"quarantined"` // files, each with the reason
	Notes       []string `json:"notes"`

	bulk bool // files that are missing were not removed by somebody
}

// warnSecret says that a capsule that came as a file holds what looks like a secret: it is there already, so that it is not refused.
func (s *Synced) warnSecret(c *Capsule) {
	if err := refuseSecret(c); err != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: %v", c.ID, err))
	}
}

func (s *Synced) said() []string {
	var notes []string
	say := func(n int, one, many, rest string) {
		if n == 1 {
			notes = append(notes, "1 "+one+rest)
		} else if n > 1 {
			notes = append(notes, fmt.Sprintf("%d %s%s", n, many, rest))
		}
	}
	say(len(s.PickedUp), "capsule's file was", "capsules' files were", " edited by hand; that is picked up")
	say(len(s.Added), "capsule's file is", "capsules' files are", " new; that is picked up")
	say(len(s.Retired), "capsule's file was", "capsules' files were", " removed by hand: retired, and `board kb history CAPSULE --restore N` brings it back")
	say(s.Written, "capsule's file was missing and is", "capsules' files were missing and are", " written anew")
	return append(append(notes, s.Quarantined...), s.Notes...)
}

func (k *KB) syncAtOpen(ctx context.Context, when SyncWhen) error {
	if when == SyncNever || k.db.ReadOnly() {
		return nil
	}
	if when == SyncDue {
		due, err := k.syncDue(ctx)
		if err != nil || !due {
			return err
		}
	}
	s, err := k.sync(ctx, syncWait)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	k.note(s.said()...)
	if err != nil && !errors.Is(err, sqlite.ErrBusy) { // who writes now, or the next who opens, will do it
		if errors.Is(err, sqlite.ErrCorrupt) {
			return err
		}
		k.note(fmt.Sprintf("what was changed by hand could not be picked up: %v", err))
	}
	return nil
}

// syncWait is how long an opening waits for other writers before it leaves edits by hand to the next.
const syncWait = time.Second

func (k *KB) syncDue(ctx context.Context) (due bool, err error) {
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		var ended, took int64
		err := tx.QueryRow(`SELECT coalesce(max(value) FILTER (WHERE what = 'sync ended'), 0), coalesce(max(value) FILTER (WHERE what = 'sync took'), 0) FROM upkeep`).Scan(&ended, &took)
		due = took == 0 || time.Since(time.UnixMilli(ended)) > syncShare*time.Duration(took)
		return err
	})
	return due, err
}

// Sync holds every sidecar against its row and brings the rows to what the sidecars say: what was edited, added or removed by hand, and what a process that died left undone.
// What cannot be read as a capsule is moved to the quarantine, and the capsule stays as it was.
func (k *KB) Sync(ctx context.Context) (Synced, error) { return k.sync(ctx, sqlite.LockTimeout) }

func (k *KB) sync(ctx context.Context, wait time.Duration) (Synced, error) {
	start := time.Now()
	f, err := k.look(ctx)
	if err != nil {
		return Synced{}, err
	}
	took := time.Since(start)
	var s Synced
	if !f.nothing() {
		if s, err = k.reconcile(ctx, wait, f); err != nil {
			return s, err
		}
	}
	if f.files > syncFree {
		err = k.db.WriteWithin(ctx, wait, func(tx *sqlite.Tx) error {
			_, err := tx.Exec(`INSERT OR REPLACE INTO upkeep VALUES ('sync ended', ?), ('sync took', ?)`, time.Now().UnixMilli(), int64(took))
			return err
		})
	}
	return s, err
}

// sidecarFile is a file whose name is a capsule's.
type sidecarFile struct {
	id   string
	info fs.FileInfo
}

// listSidecars reads the directory of the sidecars, sorted by id.
func (k *KB) listSidecars() (*found, []sidecarFile, error) {
	entries, err := os.ReadDir(k.sidecars)
	f := &found{}
	if errors.Is(err, fs.ErrNotExist) {
		f.lost = true
		if !k.db.ReadOnly() {
			err = os.MkdirAll(k.sidecars, 0o700)
		} else {
			err = nil
		}
	}
	if err != nil {
		return nil, nil, err
	}
	files := make([]sidecarFile, 0, len(entries))
	for _, e := range entries {
		name := e.Name()
		id, isSidecar := strings.CutSuffix(name, sidecarExt)
		switch {
		case name == pendingName:
			f.pending = true
		case strings.HasPrefix(name, tempPrefix):
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
				f.temp = append(f.temp, name)
			}
		case isSidecar && checkID(id) == nil:
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, nil, err
			}
			files = append(files, sidecarFile{id, info})
		case isSidecar && !strings.HasPrefix(name, "."):
			f.unknown = append(f.unknown, name)
		}
	}
	f.files = len(files)
	return f, files, nil
}

// look compares without changing anything: names, sizes and times. What is too young to tell counts as changed.
func (k *KB) look(ctx context.Context) (f *found, err error) {
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		f, err = k.lookIn(tx)
		return err
	})
	return f, err
}

func (k *KB) lookIn(tx *sqlite.Tx) (*found, error) {
	f, files, err := k.listSidecars()
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(`SELECT id, size, mtime, checked FROM sidecars ORDER BY id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	i := 0 // both are sorted by id
	for rows.Next() {
		var id string
		var m mark
		if err := rows.Scan(&id, &m.size, &m.mtime, &m.checked); err != nil {
			return nil, err
		}
		for i < len(files) && files[i].id < id {
			f.changed = append(f.changed, files[i].id)
			i++
		}
		if i == len(files) || files[i].id != id {
			if m.size >= 0 {
				f.missing = append(f.missing, id)
			}
			continue
		}
		if !m.same(files[i].info) {
			f.changed = append(f.changed, id)
		}
		i++
	}
	for ; i < len(files); i++ {
		f.changed = append(f.changed, files[i].id)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	// Rows that never had a sidecar: of a knowledge base from before there were any.
	var all, mirrored int
	if err := tx.QueryRow(`SELECT (SELECT count(*) FROM capsules), (SELECT count(*) FROM sidecars)`).Scan(&all, &mirrored); err != nil || all == mirrored {
		return f, err
	}
	none, err := tx.Query(`SELECT id FROM capsules WHERE id NOT IN (SELECT id FROM sidecars)`)
	if err != nil {
		return nil, err
	}
	defer none.Close()
	for none.Next() {
		var id string
		if err := none.Scan(&id); err != nil {
			return nil, err
		}
		f.missing = append(f.missing, id)
	}
	return f, none.Err()
}

// fewMissing is how many sidecars may be gone at once and count as removed by somebody, whatever share of all they are; beyond, a quarter of all.
const fewMissing = 10

// reconcile deals with differences, in changes of some hundred files each.
func (k *KB) reconcile(ctx context.Context, wait time.Duration, f *found) (Synced, error) {
	var s Synced
	s.Notes = append(s.Notes, k.isolateUnknown(f.unknown, &s)...)
	bulk := f.lost || len(f.missing) > fewMissing && 4*len(f.missing) > f.files+len(f.missing)
	const step = 200
	work := append(append([]string{}, f.changed...), f.missing...)
	if len(work) == 0 {
		work = []string{""}
	}
	for part := range slices.Chunk(work, step) {
		var now Synced
		err := k.changeWithin(ctx, wait, func(ch *change) error {
			now = Synced{bulk: bulk}
			ch.sync = &now
			for _, name := range f.temp { // nobody else writes now
				os.Remove(filepath.Join(k.sidecars, name))
			}
			f.temp = nil
			if err := ch.finishPending(); err != nil {
				return err
			}
			for _, id := range part {
				if id == "" {
					continue
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := ch.reconcileOne(id, &now, true); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return s, err
		}
		s.PickedUp, s.Added, s.Retired = append(s.PickedUp, now.PickedUp...), append(s.Added, now.Added...), append(s.Retired, now.Retired...)
		s.Quarantined, s.Notes, s.Written = append(s.Quarantined, now.Quarantined...), append(s.Notes, now.Notes...), s.Written+now.Written
	}
	if bulk && s.Written > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("so many were gone from %s at once that nobody can have removed them one by one, so nothing is retired; `board kb retire` does that", k.sidecars))
	}
	return s, nil
}

// pendingName is the list of the sidecars that an ingest is about to write or remove: those of them that have no row when it is found belong to no document.
const pendingName = ".pending"

// pending writes the list, for this change.
func (ch *change) pending(ids []string) error {
	if ch.k.sidecars == "" || ch.dry || len(ids) == 0 {
		return nil
	}
	path := filepath.Join(ch.k.sidecars, pendingName)
	if err := writeFile(path, []byte(strings.Join(ids, "\n"))); err != nil {
		return err
	}
	ch.undo = append(ch.undo, func() { os.Remove(path) })
	return nil
}

// pendingDone removes the list once all is committed, after the files that go.
func (ch *change) pendingDone() {
	ch.after = append(ch.after, func() { os.Remove(filepath.Join(ch.k.sidecars, pendingName)) })
}

// finishPending does what an interrupted ingest had to do.
func (ch *change) finishPending() error {
	path := filepath.Join(ch.k.sidecars, pendingName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, id := range strings.Fields(string(data)) {
		if checkID(id) != nil {
			continue
		}
		if _, err := ch.row(id); errors.Is(err, ErrNotFound) {
			os.Remove(ch.k.sidecarPath(id))
		} else if err != nil {
			return err
		}
	}
	ch.after = append(ch.after, func() { os.Remove(path) })
	return nil
}

// pickUp brings a row to what its sidecar says, if that has changed.
func (ch *change) pickUp(id string) error {
	if ch.k.sidecars == "" {
		return nil
	}
	if ch.sync != nil {
		return ch.reconcileOne(id, ch.sync, false)
	}
	var s Synced
	err := ch.reconcileOne(id, &s, false)
	ch.notes = append(ch.notes, s.said()...)
	return err
}

// pickUpNow picks up an edit by hand in a change of its own, so that it is there before another change looks at the capsule. Mostly there is none, and nothing is written.
func (k *KB) pickUpNow(ctx context.Context, id string) error {
	if k.sidecars == "" || k.db.ReadOnly() || checkID(id) != nil {
		return nil
	}
	info, err := os.Lstat(k.sidecarPath(id))
	if err != nil {
		return nil // none, or what the next sync will tell
	}
	var m mark
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		return tx.QueryRow(`SELECT size, mtime, checked FROM sidecars WHERE id = ?`, id).Scan(&m.size, &m.mtime, &m.checked)
	})
	if err == nil && m.same(info) || err != nil && !sqlite.IsNoRows(err) {
		return nil
	}
	return k.change(ctx, func(ch *change) error { return ch.pickUp(id) })
}

// mark is what is known of a sidecar.
type mark struct {
	size, mtime, checked int64
	hash                 []byte
}

// same reports whether a file is surely the one that was seen.
func (m *mark) same(info fs.FileInfo) bool {
	return info.Size() == m.size && info.ModTime().UnixNano() == m.mtime && m.checked-m.mtime >= int64(fresh)
}

// reconcileOne deals with one capsule's file. That it is missing is for a sync to judge: elsewhere the row stands, and the file is written with the next change.
func (ch *change) reconcileOne(id string, s *Synced, missing bool) error {
	var m *mark
	var have mark
	if err := ch.tx.QueryRow(`SELECT size, mtime, checked, hash FROM sidecars WHERE id = ?`, id).Scan(&have.size, &have.mtime, &have.checked, &have.hash); err == nil {
		m = &have
	} else if !sqlite.IsNoRows(err) {
		return err
	}
	row, err := ch.row(id)
	if errors.Is(err, ErrNotFound) {
		row, err = nil, nil
	}
	if err != nil {
		return err
	}
	path := ch.k.sidecarPath(id)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !missing {
			return nil
		}
		return ch.fileMissing(id, row, m, s)
	case err != nil:
		return err
	case m != nil && row != nil && m.same(info):
		return nil
	case !info.Mode().IsRegular():
		return ch.isolate(id, row, nil, "it is no regular file", s)
	}
	data, err := readSidecar(path)
	if errors.Is(err, fs.ErrPermission) {
		s.Notes = append(s.Notes, fmt.Sprintf("%s cannot be read: %v", path, errors.Unwrap(err)))
		return nil
	}
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	if m != nil && row != nil && bytes.Equal(sum[:], m.hash) {
		return ch.seen(id, info, data)
	}
	c, _, err := decodeSidecar(id, data)
	if err == nil {
		err = ch.checkLinks(row, &c)
	}
	if err != nil {
		if age := time.Since(info.ModTime()); age >= 0 && age < settling {
			s.Notes = append(s.Notes, fmt.Sprintf("%s cannot be read as a capsule (%v), and is left alone while it may still be written", path, err))
			return nil
		}
		return ch.isolate(id, row, data, err.Error(), s)
	}
	if row == nil {
		return ch.adopt(&c, info, data, s)
	}
	return ch.edited(row, &c, info, data, s)
}

// fileMissing deals with a row whose sidecar is gone: written anew if there never was one, else the capsule is retired. It can be restored.
func (ch *change) fileMissing(id string, row *Capsule, m *mark, s *Synced) error {
	switch {
	case row == nil && m == nil || m != nil && m.size < 0:
		return nil
	case row == nil:
		_, err := ch.tx.Exec(`DELETE FROM sidecars WHERE id = ?`, id)
		return err
	case m == nil || s.bulk:
		s.Written++
		c := *row
		if err := c.normalise(); err != nil || sameContent(row, &c) {
			return ch.put(row)
		}
		return ch.update(row, &c, nil, VerbEdited, "", "its file was written") // one from before texts were trimmed
	}
	now := *row
	now.Revision, now.Updated = row.Revision+1, ch.tx.Now
	if row.Retired == nil {
		now.Retired, now.RetiredWhy = &ch.tx.Now, "its file was removed by hand"
	}
	if err := ch.mirror(row, &now, nil, VerbRetired, "", "its file was removed by hand"); err != nil {
		return err
	}
	s.Retired = append(s.Retired, row.ID)
	_, err := ch.tx.Exec(`UPDATE sidecars SET size = -1 WHERE id = ?`, row.ID)
	return err
}

// adopt takes in a sidecar that has no row: one that somebody has put there, or one whose process died before the row was committed.
func (ch *change) adopt(c *Capsule, info fs.FileInfo, data []byte, s *Synced) error {
	part := c.Ingested != nil
	if part {
		if err := ch.placeOf(c); err != nil {
			return err
		}
	}
	if c.Created.IsZero() || c.Created.UnixMilli() <= 0 {
		c.Created = stamp(info.ModTime())
	}
	if c.Updated.Before(c.Created) {
		c.Updated = c.Created
	}
	c.Revision = max(1, c.Revision)
	if err := ch.addRow(c, nil, VerbPickedUp, "its file was there"); err != nil {
		return err
	}
	if err := ch.seen(c.ID, info, data); err != nil {
		return err
	}
	if part && c.Ingested == nil {
		if err := ch.put(c); err != nil {
			return err
		}
	}
	s.Added = append(s.Added, c.ID)
	s.warnSecret(c)
	// Others may have named it before it was here.
	var by string
	if err := ch.tx.QueryRow(`SELECT capsules.id FROM capsules, json_each(capsules.supersedes) WHERE value = ? LIMIT 1`, c.ID).Scan(&by); err == nil && c.SupersededBy == "" {
		now := *c
		now.SupersededBy = by
		if err := ch.update(c, &now, nil, VerbSuperseded, by, "its file was there"); err != nil {
			return err
		}
		*c = now
	} else if err != nil && !sqlite.IsNoRows(err) {
		return err
	}
	return ch.relink(&Capsule{}, c, s)
}

// placeOf finds out whether a sidecar is still a part of the document that it says it is of. If there is no such part, it is a capsule of its own.
func (ch *change) placeOf(c *Capsule) error {
	var sha string
	err := ch.tx.QueryRow(`SELECT sha256 FROM ingested WHERE file = ?`, c.Ingested.File).Scan(&sha)
	if sqlite.IsNoRows(err) { // of a database that is lost, or of elsewhere: the next ingest finds out what has changed since
		_, err = ch.tx.Exec(`INSERT INTO ingested (file, sha256, parts, refused, at) VALUES (?, '', 0, 0, ?)`, c.Ingested.File, ch.tx.Now.UnixMilli())
		return err
	}
	if err != nil {
		return err
	}
	var taken int
	if err := ch.tx.QueryRow(`SELECT count(*) FROM capsules WHERE ingest_file = ? AND ingest_sha = ? AND ingest_part = ?`, c.Ingested.File, c.Ingested.SHA256, c.Ingested.Part).Scan(&taken); err != nil {
		return err
	}
	if taken > 0 || sha != "" && sha != c.Ingested.SHA256 {
		c.Ingested = nil
	}
	return nil
}

// edited takes over what somebody has changed in a sidecar. The file stays as they wrote it.
func (ch *change) edited(row, c *Capsule, info fs.FileInfo, data []byte, s *Synced) error {
	if err := ch.seen(row.ID, info, data); err != nil {
		return err
	}
	if sameContent(row, c) {
		return nil
	}
	if c.Created.UnixMilli() <= 0 {
		c.Created = row.Created
	}
	c.Revision, c.Updated = row.Revision+1, ch.tx.Now
	c.DecayScore, c.Retrieved = row.DecayScore, row.Retrieved
	if err := ch.mirror(row, c, nil, VerbPickedUp, "", "its file was edited"); err != nil {
		return err
	}
	s.PickedUp = append(s.PickedUp, row.ID)
	s.warnSecret(c)
	return ch.relink(row, c, s)
}

// checkLinks refuses what cannot be of the links that a sidecar names.
func (ch *change) checkLinks(row, c *Capsule) error {
	if slices.Contains(c.Supersedes, c.ID) || c.SupersededBy == c.ID {
		return invalid("it supersedes itself", "leave that out")
	}
	for _, id := range c.Supersedes {
		if row == nil || !slices.Contains(row.Supersedes, id) {
			if err := ch.noCircle(c, id); err != nil {
				return err
			}
		}
	}
	if by := c.SupersededBy; by != "" && (row == nil || row.SupersededBy != by) {
		over, err := capsulesWhere(ch.tx, `id = ?`, by)
		if err != nil {
			return err
		}
		if len(over) == 1 {
			return ch.noCircle(&over[0], c.ID)
		}
	}
	return nil
}

// relink makes both ends of every link say the same after a sidecar has changed. What it names in supersedes is the truth; a superseded_by that was set or taken out by hand
// is taken over to the other end.
func (ch *change) relink(was, c *Capsule, s *Synced) error {
	const why = "its file says so"
	for _, id := range was.Supersedes {
		if !slices.Contains(c.Supersedes, id) {
			if err := ch.release(id, c.ID, why); err != nil {
				return err
			}
		}
	}
	for _, id := range c.Supersedes {
		if slices.Contains(was.Supersedes, id) {
			continue
		}
		old, err := ch.get(id)
		if errors.Is(err, ErrNotFound) {
			continue // it may come yet; `doctor` tells
		}
		if err != nil {
			return err
		}
		if old.SupersededBy == c.ID {
			continue
		}
		me, err := ch.row(c.ID) // the other's file may just have been picked up, and say something of this one
		if err != nil {
			return err
		}
		if err := ch.noCircle(me, id); err != nil {
			s.Notes = append(s.Notes, fmt.Sprintf("%v: that link is left out", err))
			continue
		}
		if old.SupersededBy != "" {
			s.Notes = append(s.Notes, fmt.Sprintf("%s says that it supersedes %s, which %s does already", c.ID, id, old.SupersededBy))
			continue
		}
		now := *old
		now.SupersededBy = c.ID
		if err := ch.update(old, &now, nil, VerbSuperseded, c.ID, why); err != nil {
			return err
		}
	}
	if was.SupersededBy == c.SupersededBy {
		return nil
	}
	if was.SupersededBy != "" {
		if err := ch.unname(was.SupersededBy, c.ID, why); err != nil {
			return err
		}
	}
	if c.SupersededBy == "" {
		return nil
	}
	by, err := ch.get(c.SupersededBy)
	if errors.Is(err, ErrNotFound) {
		return nil // it may come yet; `doctor` tells
	}
	if err != nil || slices.Contains(by.Supersedes, c.ID) {
		return err
	}
	now := *by
	now.Supersedes = sortedTags(append(slices.Clone(by.Supersedes), c.ID))
	return ch.update(by, &now, nil, VerbSupersedes, c.ID, why)
}

// unname takes an id out of what a capsule supersedes.
func (ch *change) unname(by, id, why string) error {
	old, err := ch.get(by)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil || !slices.Contains(old.Supersedes, id) {
		return err
	}
	now := *old
	now.Supersedes = slices.DeleteFunc(slices.Clone(old.Supersedes), func(x string) bool { return x == id })
	return ch.update(old, &now, nil, VerbReleased, id, why)
}

// isolate moves a sidecar that cannot be read to the quarantine: a copy first, and the file itself once all is committed. If there is a row, the capsule stays as it was
// and gets its sidecar back. data is nil for what is no regular file.
func (ch *change) isolate(id string, row *Capsule, data []byte, why string, s *Synced) error {
	name, path := id+sidecarExt, ch.k.sidecarPath(id)
	var to string
	var err error
	if data == nil || len(data) > MaxSidecar {
		if to, err = ch.k.quarantineName(name); err == nil {
			err = os.Rename(path, to)
		}
		ch.undo = append(ch.undo, func() { os.Rename(to, path) })
	} else if to, err = ch.copyToQuarantine(id, data); err == nil && row == nil {
		ch.removeLater(id)
	}
	if err != nil {
		return err
	}
	note := fmt.Sprintf("%s is not a capsule's: %s; it is moved to %s", name, why, to)
	c := &Capsule{ID: id}
	if row != nil {
		if err := ch.put(row); err != nil {
			return err
		}
		c = row
		note += ", and the capsule stays as it was"
	}
	s.Quarantined = append(s.Quarantined, note)
	return ch.event(VerbQuarantined, c, nil, "", why)
}

// isolateUnknown moves files that are no capsule's out of the way, so that nobody takes them for one.
func (k *KB) isolateUnknown(names []string, s *Synced) (notes []string) {
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(k.sidecars, name)); err != nil || time.Since(info.ModTime()) < settling {
			continue
		}
		to, err := k.toQuarantine(name)
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s is not a capsule's and cannot be moved: %v", name, err))
			continue
		}
		s.Quarantined = append(s.Quarantined, fmt.Sprintf("%s is not a capsule's: its name is no id; it is moved to %s (`board kb import` takes files of any name)", name, to))
	}
	return notes
}

// toQuarantine moves a file out of the sidecars and returns where it is.
func (k *KB) toQuarantine(name string) (string, error) {
	to, err := k.quarantineName(name)
	if err == nil {
		err = os.Rename(filepath.Join(k.sidecars, name), to)
	}
	return to, err
}

// quarantineName is a free name in the quarantine.
func (k *KB) quarantineName(name string) (string, error) {
	if err := os.MkdirAll(k.quarantine, 0o700); err != nil {
		return "", err
	}
	to := filepath.Join(k.quarantine, name)
	for i := 2; ; i++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return to, nil
		} else if err != nil {
			return "", err
		}
		to = filepath.Join(k.quarantine, fmt.Sprintf("%s.%d%s", strings.TrimSuffix(name, sidecarExt), i, sidecarExt))
	}
}
