package memory

import (
	"context"
	"errors"
	"io/fs"

	"blackboard/board/sqlite"
)

// removeWorkspace is Scrub in the mode ScrubAll: it deletes the file of the workspace, with its log.
// The account's log records that before, while nobody can write to the file. After an interruption,
// executing the same manifest again completes it.
func (s *Store) removeWorkspace(ctx context.Context, q ScrubQuery, confirm string) (
	Scrubbed, error) {
	out := Scrubbed{Notes: []string{}}
	check := func(f *file) error {
		return f.Read(ctx, func(tx *sqlite.Tx) (err error) {
			if out.Manifest, err = f.confirmed(tx, q, confirm); err == nil && out.Hash != confirm {
				err = nothingToScrub(q) // it is empty, and something else was confirmed
			}
			return err
		})
	}
	f, err := s.open(ctx, false, false)
	if errors.Is(err, errNoFile) {
		return out, s.removedBefore(ctx, q, confirm)
	}
	if err == nil {
		err = check(f)
	}
	if err == nil {
		s.mu.Lock()
		delete(s.files, false)
		s.mu.Unlock()
		err = f.Close()
	}
	if err != nil {
		return Scrubbed{Notes: []string{}}, err
	}
	path := WorkspacePath(s.home, s.opt.Workspace)
	err = sqlite.Remove(ctx, path, func() error {
		db, err := sqlite.Open(ctx, path, schema, sqlite.ReadWrite)
		if err != nil {
			return err
		}
		defer db.Close()
		if err := check(&file{s: s, File: kind.On(db)}); err != nil { // somebody may have written meanwhile
			return err
		}
		return s.noteRemoval(ctx, &out)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return out, s.removedBefore(ctx, q, confirm)
	}
	return out, err
}

// noteRemoval records once, in the account's log, that a workspace is removed.
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

// removedBefore says, of a workspace without a file, whether this manifest has removed it.
func (s *Store) removedBefore(ctx context.Context, q ScrubQuery, confirm string) error {
	// files that SQLite kept beside it, unless somebody has begun anew
	err := sqlite.Remove(ctx, WorkspacePath(s.home, s.opt.Workspace), func() error { return nothingToScrub(q) })
	if !errors.Is(err, fs.ErrNotExist) {
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
