package memory

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"blackboard/board/sqlite"
)

// A workspace is removed in three steps. Its file is emptied and stores the manifest;
// the account's log records it, as the workspace's log is deleted too; the file is
// deleted, if nobody has written to it since. After an interruption, executing the same
// manifest again completes it.

// removedBy is the key in meta of the manifest by which a file was emptied.
const removedBy = "removed by"

// removeWorkspace is Scrub in the mode ScrubAll.
func (s *Store) removeWorkspace(ctx context.Context, q ScrubQuery, confirm string) (
	Scrubbed, error) {
	out := Scrubbed{Notes: []string{}}
	f, err := s.open(ctx, false, false)
	if errors.Is(err, errNoFile) {
		return out, s.removedBefore(ctx, q, confirm)
	}
	if err != nil {
		return out, err
	}
	if err := f.WriteIndex(ctx,
		func(tx *sqlite.Tx) error { return f.empty(tx, q, confirm, &out) }); err != nil {
		return Scrubbed{Notes: []string{}}, err
	}
	if err := s.noteRemoval(ctx, &out); err != nil {
		return out, err
	}
	return out, s.removeFile(ctx, q)
}

// empty deletes everything in a file but its log, if the manifest is confirmed, now or
// earlier.
func (f *file) empty(tx *sqlite.Tx, q ScrubQuery, confirm string, out *Scrubbed) error {
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
	if out.Manifest, err = f.confirmed(tx, q, confirm); err != nil {
		return err
	}
	if out.Hash != confirm { // it is empty, and something else was confirmed
		return nothingToScrub(q)
	}
	logged, err := json.Marshal(out.Manifest)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(`INSERT OR REPLACE INTO meta VALUES (?, ?)`, removedBy,
		string(logged)); err != nil {
		return err
	}
	return f.scrub(tx, q, out)
}

// removed returns the manifest by which a file was emptied; its hash is "" if it was
// not.
func (f *file) removed(tx *sqlite.Tx) (m Manifest, err error) {
	raw, err := sqlite.One[string](tx, `SELECT coalesce(max(value), '{}') FROM meta WHERE key = ?`,
		removedBy)
	if err == nil {
		err = json.Unmarshal([]byte(raw), &m)
	}
	return m, err
}

// noteRemoval records in the account's log that a workspace was removed, once. It also
// works for callers that cannot reach the account.
func (s *Store) noteRemoval(ctx context.Context, out *Scrubbed) error {
	f, err := s.open(ctx, true, true)
	if err != nil {
		return err
	}
	return f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
		if noted, err := removalOf(tx, out.Hash); err != nil || noted {
			return err
		}
		return f.scrubEvent(tx, out, Event{Verb: VerbRemoved, Scope: Account, Subject: out.Hash,
			Other: s.opt.Workspace})
	})
}

func removalOf(tx *sqlite.Tx, hash string) (bool, error) {
	return sqlite.One[bool](tx, `SELECT count(*) > 0 FROM events WHERE subject = ? AND verb = ?`,
		hash, VerbRemoved)
}

// removeFile deletes an emptied file, unless somebody has written to it meanwhile.
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
				err = conflict("something was stored in "+s.opt.Workspace+
					" meanwhile: the confirmed content is deleted, and the new content stays",
					"a dry run shows the current content")
			}
			return err
		})
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// removedBefore handles a workspace without a file: the error says whether this manifest has
// removed it.
func (s *Store) removedBefore(ctx context.Context, q ScrubQuery, confirm string) error {
	if err := s.removeFile(ctx, q); err != nil { // files that SQLite kept beside it
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
		return conflict("this manifest was already executed: the workspace is removed",
			"nothing to do")
	})
}
