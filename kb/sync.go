package kb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// SyncWhen says when sidecars are compared with their rows.
type SyncWhen int

const (
	// on open: always with few files, otherwise once 50 times the last duration has passed
	SyncDue   SyncWhen = iota
	SyncNever          // never: for callers that cannot wait
)

const (
	syncFree  = 1000 // up to so many files are always compared; that takes milliseconds
	syncShare = 50   // otherwise wait so many times as long as the last comparison took
	// timeResolution is the age from which any later write changes a file's time.
	timeResolution = 10 * time.Millisecond
	// editGrace is how long an unreadable file may still be in an editor's hands.
	editGrace = 2 * time.Second
	// abandonedAfter is the age from which an unfinished file is deleted.
	abandonedAfter = time.Minute
)

// fileDiff lists differences; the change that handles one checks it again.
type fileDiff struct {
	changed []string // ids of new or changed files
	missing []string // ids of rows without a file
	unknown []string // names that are not a capsule's
	// names of unfinished files that nobody is writing any more
	temp    []string
	files   int
	pending bool // an interrupted ingest has left a list of files
}

func (f *fileDiff) isEmpty() bool {
	return len(f.changed)+len(f.missing)+len(f.unknown)+len(f.temp) == 0 && !f.pending
}

type Synced struct {
	PickedUp []string `json:"picked_up"` // ids
	Added    []string `json:"added"`     // ids of new capsules
	// missing sidecars that were written from their rows
	Written     int      `json:"written"`
	Quarantined []string `json:"quarantined"` // files, each with a reason
	Notes       []string `json:"notes"`
}

// warnSecret notes what looks like a secret in a file: it is stored already.
func (s *Synced) warnSecret(c *Capsule) {
	if err := c.CheckSecrets(); err != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("%s: %v", c.ID, err))
	}
}

func (s *Synced) summary() []string {
	var notes []string
	say := func(n int, one, many, rest string) {
		if n == 1 {
			notes = append(notes, "1 "+one+rest)
		} else if n > 1 {
			notes = append(notes, fmt.Sprintf("%d %s%s", n, many, rest))
		}
	}
	say(len(s.PickedUp), "capsule's file was", "capsules' files were",
		" edited by hand; the capsules were updated")
	say(len(s.Added), "capsule's file is", "capsules' files are", " new; the capsules were added")
	say(s.Written, "capsule's file was missing and is", "capsules' files were missing and are",
		" written again")
	return append(append(notes, s.Quarantined...), s.Notes...)
}

func (k *KB) syncAtOpen(ctx context.Context, when SyncWhen) error {
	if k.sidecars == "" || when != SyncDue || k.db.ReadOnly() {
		return nil
	}
	if due, err := k.syncDue(ctx); err != nil || !due {
		return err
	}
	s, err := k.sync(ctx, syncWait)
	k.note(s.summary()...)
	return k.noteSyncError(ctx, err)
}

// noteSyncError turns an error into a note, but for a cancelled context and a damaged file.
func (k *KB) noteSyncError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// the current writer, or the next process to open the file, will do it
	if err != nil && !errors.Is(err, fault.Busy) {
		if errors.Is(err, fault.Corrupt) {
			return err
		}
		k.note(fmt.Sprintf("edits by hand could not be picked up: %v", err))
	}
	return nil
}

// syncWait is how long opening waits for other writers, else the next process picks up.
const syncWait = time.Second

func (k *KB) syncDue(ctx context.Context) (due bool, err error) {
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		var ended, took int64
		err := tx.QueryRow(`SELECT coalesce(max(value) FILTER (WHERE what = 'sync ended'), 0),
			coalesce(max(value) FILTER (WHERE what = 'sync took'), 0)
			FROM upkeep`).Scan(&ended, &took)
		due = took == 0 || time.Since(time.UnixMilli(ended)) > syncShare*time.Duration(took)
		return err
	})
	return due, err
}

// Sync compares every sidecar with its row and updates the rows: edits by hand, new files,
// and what an interrupted process left undone. A missing file is written from its row. An
// unreadable file is moved to the quarantine, and its capsule stays as it was.
func (k *KB) Sync(ctx context.Context) (Synced, error) { return k.sync(ctx, sqlite.LockTimeout) }

func (k *KB) sync(ctx context.Context, wait time.Duration) (Synced, error) {
	if k.sidecars == "" {
		return Synced{}, nil
	}
	start := time.Now()
	f, err := k.compareFiles(ctx)
	if err != nil {
		return Synced{}, err
	}
	took := time.Since(start)
	var s Synced
	if !f.isEmpty() {
		if s, err = k.reconcile(ctx, wait, f); err != nil {
			return s, err
		}
	}
	if f.files > syncFree {
		err = k.db.WriteWithin(ctx, wait, func(tx *sqlite.Tx) error {
			_, err := tx.Exec(`INSERT OR REPLACE INTO upkeep
				VALUES ('sync ended', ?), ('sync took', ?)`, time.Now().UnixMilli(), int64(took))
			return err
		})
	}
	return s, err
}

type sidecarFile struct {
	id   string
	info fs.FileInfo
}

// listSidecars lists the sidecars by id, and other files. It creates a missing directory.
func (k *KB) listSidecars() (*fileDiff, []sidecarFile, error) {
	entries, err := os.ReadDir(k.sidecars)
	f := &fileDiff{}
	if errors.Is(err, fs.ErrNotExist) {
		if err = nil; !k.db.ReadOnly() {
			err = os.MkdirAll(k.sidecars, 0o700)
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
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandonedAfter {
				f.temp = append(f.temp, name)
			}
		case isSidecar && CheckID(id) == nil:
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

// compareFiles changes nothing. A file that is too young to tell counts as changed.
func (k *KB) compareFiles(ctx context.Context) (f *fileDiff, err error) {
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		f, err = k.compareFilesIn(tx)
		return err
	})
	return f, err
}

func (k *KB) compareFilesIn(tx *sqlite.Tx) (*fileDiff, error) {
	f, files, err := k.listSidecars()
	if err != nil {
		return nil, err
	}
	i := 0 // both lists are sorted by id
	var id string
	var m sidecarState
	if err := tx.Each([]any{&id, &m.size, &m.mtime, &m.checked}, func() error {
		for i < len(files) && files[i].id < id {
			f.changed = append(f.changed, files[i].id)
			i++
		}
		if i == len(files) || files[i].id != id {
			f.missing = append(f.missing, id)
			return nil
		}
		if !m.same(files[i].info) {
			f.changed = append(f.changed, id)
		}
		i++
		return nil
	}, `SELECT id, size, mtime, checked FROM sidecars ORDER BY id`); err != nil {
		return nil, err
	}
	for ; i < len(files); i++ {
		f.changed = append(f.changed, files[i].id)
	}
	// Rows that never had a sidecar, from versions without sidecars.
	var all, mirrored int
	if err := tx.QueryRow(`SELECT (SELECT count(*) FROM capsules), (SELECT count(*) FROM sidecars)`).Scan(&all, &mirrored); err != nil || all == mirrored {
		return f, err
	}
	none, err := sqlite.Column[string](
		tx, `SELECT id FROM capsules WHERE id NOT IN (SELECT id FROM sidecars)`)
	f.missing = append(f.missing, none...)
	return f, err
}

// reconcile handles the differences, in changes of 200 files each.
func (k *KB) reconcile(ctx context.Context, wait time.Duration, f *fileDiff) (Synced, error) {
	var s Synced
	const step = 200
	work := append(append([]string{}, f.changed...), f.missing...)
	if len(work) == 0 {
		work = []string{""}
	}
	for part := range slices.Chunk(work, step) {
		var now Synced
		err := k.changeWithin(ctx, wait, func(ch *change) error {
			now = Synced{}
			ch.sync = &now
			for _, name := range f.temp { // this process holds the write lock
				os.Remove(filepath.Join(k.sidecars, name))
			}
			s.Notes = append(s.Notes, k.isolateUnknown(f.unknown, &s)...)
			f.temp, f.unknown = nil, nil
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
		s.PickedUp, s.Added = append(s.PickedUp, now.PickedUp...), append(s.Added, now.Added...)
		s.Quarantined, s.Notes, s.Written = append(s.Quarantined, now.Quarantined...),
			append(s.Notes, now.Notes...), s.Written+now.Written
	}
	return s, nil
}
