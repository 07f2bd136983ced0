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
	// following is how long after a file its whole directory may go for both to be one removal.
	following = time.Minute
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
	lost bool // the whole directory is gone
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
	say(len(s.Retired), "capsule's file was", "capsules' files were", " removed by hand: retired, and its history can bring it back")
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
	if err != nil && !errors.Is(err, fault.Busy) { // who writes now, or the next who opens, will do it
		if errors.Is(err, fault.Corrupt) {
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
		s, err = k.reconcile(ctx, wait, f)
		if errors.Is(err, errDirectoryGone) {
			if f, err = k.look(ctx); err == nil { // which makes it anew
				s, err = k.reconcile(ctx, wait, f)
			}
		}
		if err != nil {
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
	i := 0 // both are sorted by id
	var id string
	var m mark
	if err := tx.Each([]any{&id, &m.size, &m.mtime, &m.checked}, func() error {
		for i < len(files) && files[i].id < id {
			f.changed = append(f.changed, files[i].id)
			i++
		}
		if i == len(files) || files[i].id != id {
			if m.size >= 0 || f.lost {
				f.missing = append(f.missing, id)
			}
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
	// Rows that never had a sidecar: of a knowledge base from before there were any.
	var all, mirrored int
	if err := tx.QueryRow(`SELECT (SELECT count(*) FROM capsules), (SELECT count(*) FROM sidecars)`).Scan(&all, &mirrored); err != nil || all == mirrored {
		return f, err
	}
	none, err := sqlite.Column[string](tx, `SELECT id FROM capsules WHERE id NOT IN (SELECT id FROM sidecars)`)
	f.missing = append(f.missing, none...)
	return f, err
}

// fewMissing is how many sidecars may be gone at once and count as removed by somebody, whatever share of all they are; beyond, a quarter of all.
const fewMissing = 10

// reconcile deals with differences, in changes of some hundred files each.
func (k *KB) reconcile(ctx context.Context, wait time.Duration, f *found) (Synced, error) {
	var s Synced
	bulk := f.lost || len(f.missing) > fewMissing && 4*len(f.missing) > f.files+len(f.missing)
	const step = 200
	work := append(append([]string{}, f.changed...), f.missing...)
	if len(work) == 0 {
		work = []string{""}
	}
	for part := range slices.Chunk(work, step) {
		var now Synced
		err := k.changeWithin(ctx, wait, func(ch *change) error {
			if err := k.gone(f); err != nil {
				return err
			}
			now = Synced{bulk: bulk, lost: f.lost}
			ch.sync = &now
			for _, name := range f.temp { // nobody else writes now
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
		s.PickedUp, s.Added, s.Retired = append(s.PickedUp, now.PickedUp...), append(s.Added, now.Added...), append(s.Retired, now.Retired...)
		s.Quarantined, s.Notes, s.Written = append(s.Quarantined, now.Quarantined...), append(s.Notes, now.Notes...), s.Written+now.Written
	}
	if bulk && s.Written > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("so many were gone from %s at once that nobody can have removed them one by one, so nothing is retired; retire them by their ids if it was meant", k.sidecars))
	}
	return s, nil
}

// errDirectoryGone ends a change that would have judged files to be missing one by one.
var errDirectoryGone = errors.New("the directory of the capsules' files is gone")

// gone finds out whether files are missing because their directory went after them, which a look in the midst of that takes for a few that somebody has removed.
func (k *KB) gone(f *found) error {
	if len(f.missing) == 0 || f.lost {
		return nil
	}
	_, err := os.Stat(k.sidecars)
	if errors.Is(err, fs.ErrNotExist) {
		return errDirectoryGone
	}
	return err
}
