package memory

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"blackboard/board/sqlite"
)

// A workspace is removed in three steps: its file is emptied, and says by which manifest;
// the account's log notes it, as the workspace's own goes with it; the file is removed,
// if nobody has written to it since. Whatever ends the process in between, executing the
// same manifest again completes it.

// removedBy is where an emptied file has the manifest by which it was, in meta.
const removedBy = "removed by"

// removeWorkspace is Scrub in the mode ScrubAll.
func (s *Store) removeWorkspace(ctx context.Context, q ScrubQuery, confirm string, was map[string]int) (Scrubbed, error) {
	out := Scrubbed{Notes: []string{}}
	f, err := s.open(ctx, false, false)
	if errors.Is(err, errNoFile) {
		return out, s.removedBefore(ctx, q, confirm)
	}
	if err != nil {
		return out, err
	}
	if err := f.WriteIndex(ctx, func(tx *sqlite.Tx) error { return f.empty(tx, q, confirm, was, &out) }); err != nil {
		return Scrubbed{Notes: []string{}}, err
	}
	if err := s.noteRemoval(ctx, &out); err != nil {
		return out, err
	}
	return out, s.removeFile(ctx, q)
}

// empty removes all that a file holds but its log, if it is what was confirmed, or was
// before.
func (f *file) empty(tx *sqlite.Tx, q ScrubQuery, confirm string, was map[string]int, out *Scrubbed) error {
	before, err := f.removed(tx)
	if err != nil {
		return err
	}
	now, err := f.manifest(tx, q)
	if err != nil {
		return err
	}
	if before.Hash == confirm && now.Empty() {
		out.Manifest = before
		return nil
	}
	if out.Manifest, err = f.confirmed(tx, q, confirm, was); err != nil {
		return err
	}
	if out.Hash != confirm { // it holds nothing, and something else was confirmed
		return nothingToScrub(q)
	}
	logged, err := json.Marshal(out.Manifest)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(`INSERT OR REPLACE INTO meta VALUES (?, ?)`, removedBy, string(logged)); err != nil {
		return err
	}
	return f.scrub(tx, q, out)
}

// removed returns the manifest by which a file was emptied, one without a hash if it was
// not.
func (f *file) removed(tx *sqlite.Tx) (m Manifest, err error) {
	raw, err := sqlite.One[string](tx, `SELECT coalesce(max(value), '{}') FROM meta WHERE key = ?`, removedBy)
	if err == nil {
		err = json.Unmarshal([]byte(raw), &m)
	}
	return m, err
}

// noteRemoval writes into the account's log that a workspace was removed, once. It does
// so for callers too that do not reach the account.
func (s *Store) noteRemoval(ctx context.Context, out *Scrubbed) error {
	f, err := s.open(ctx, true, true)
	if err != nil {
		return err
	}
	return f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
		if noted, err := removalOf(tx, out.Hash); err != nil || noted {
			return err
		}
		logged := out.Manifest
		logged.Sample = []string{}
		data, err := json.Marshal(logged)
		if err != nil {
			return err
		}
		out.Event = Event{At: tx.Now, Actor: s.opt.Actor, Verb: VerbRemoved, Scope: Account, Subject: out.Hash, Other: s.opt.Workspace, Data: data}
		return f.event(tx, out.Event)
	})
}

func removalOf(tx *sqlite.Tx, hash string) (bool, error) {
	return sqlite.One[bool](tx, `SELECT count(*) > 0 FROM events WHERE subject = ? AND verb = ?`, hash, VerbRemoved)
}

// removeFile removes an emptied file, unless somebody has written to it meanwhile: then
// it is that writer's.
func (s *Store) removeFile(ctx context.Context, q ScrubQuery) error {
	s.mu.Lock()
	f := s.files[false]
	delete(s.files, false)
	s.mu.Unlock()
	if f != nil {
		if err := f.Close(); err != nil {
			return err
		}
	}
	path := WorkspacePath(s.home, s.opt.Workspace)
	err := sqlite.Remove(ctx, path, func() error {
		db, err := sqlite.Open(ctx, path, schema, sqlite.ReadWrite)
		if err != nil {
			return err
		}
		defer db.Close()
		return db.Read(ctx, func(tx *sqlite.Tx) error {
			f := &file{s: s, File: kind.On(db)}
			m, err := f.manifest(tx, q)
			if err == nil && !m.Empty() {
				err = conflict("something was remembered in "+s.opt.Workspace+" meanwhile: what was confirmed is removed, and that stays",
					"a dry run shows what there is now")
			}
			return err
		})
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// removedBefore is for a workspace without a file: it says so if this manifest has
// removed it.
func (s *Store) removedBefore(ctx context.Context, q ScrubQuery, confirm string) error {
	if err := s.removeFile(ctx, q); err != nil { // what SQLite kept beside it
		return err
	}
	f, err := s.open(ctx, true, false)
	if errors.Is(err, errNoFile) {
		return nothingToScrub(q)
	}
	if err != nil {
		return err
	}
	return f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
		if noted, err := removalOf(tx, confirm); err != nil || !noted {
			return errors.Join(err, nothingToScrub(q))
		}
		return conflict("this manifest was executed already: the workspace is removed", "nothing needs to be done")
	})
}
