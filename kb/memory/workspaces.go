package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// Workspaces returns the directories of the workspaces that have a memory in a data home: for upkeep, which looks after all of them, one by one. Files that cannot be read, and whatever
// else is there, are left out.
func Workspaces(ctx context.Context, home string) ([]string, error) {
	dir := filepath.Join(Dir(home), "workspaces")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []string
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if filepath.Ext(name) != ".sqlite3" {
			continue
		}
		dir, err := ownerOf(ctx, name)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && filepath.IsAbs(dir) && WorkspacePath(home, dir) == name {
			all = append(all, dir)
		}
	}
	return all, nil
}

// ownerOf returns the workspace that a file says it is of.
func ownerOf(ctx context.Context, path string) (string, error) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, os.ErrInvalid)
	}
	db, err := sqlite.Open(ctx, path, schema, sqlite.ReadWrite)
	if err != nil {
		return "", err
	}
	defer db.Close()
	var owner string
	err = db.Read(ctx, func(tx *sqlite.Tx) (err error) {
		if owner, err = ownerIn(tx); err == nil && owner == "" {
			err = fs.ErrNotExist // nobody's yet
		}
		return err
	})
	dir, _ := strings.CutPrefix(owner, "workspace ")
	return dir, err
}

const adoptHint = "two memories are not made one by moving files: export what is here, and ask again in a workspace that has none"

// Adopt makes the memory of another directory this workspace's: for a project that was moved. The other directory must be gone, and nothing may be remembered here yet; else both are
// projects, and an export and an import bring one to the other. It is for a person. If it is interrupted, doing it again completes it.
func (s *Store) Adopt(ctx context.Context, from string) error {
	if err := s.allowed(Workspace); err != nil {
		return err
	}
	if !s.opt.Author {
		return fault.Denied.New("the memory of another workspace is a person's to adopt", "ask the person", forAuthor)
	}
	if from = filepath.Clean(from); !filepath.IsAbs(from) || from == s.opt.Workspace {
		return invalid(fmt.Sprintf("%q is no other workspace", clip(from, 200)), "give the whole path that the project had", workspaces)
	}
	if _, err := os.Stat(from); err == nil {
		return conflict(from+" is still there, so its memory is its own", "export it there, and import it here")
	}
	old, path := WorkspacePath(s.home, from), WorkspacePath(s.home, s.opt.Workspace)
	owner := "workspace " + s.opt.Workspace
	half := false // moved, and not renamed: an adoption that was interrupted
	if have, err := ownerOf(ctx, path); err == nil && have == from {
		half = true
	} else if err == nil {
		return conflict("something is remembered in "+s.opt.Workspace+" already", adoptHint)
	}
	if !half {
		if have, err := ownerOf(ctx, old); err != nil || have != from {
			return fault.NotFound.New("nothing is remembered for "+from, "", workspaces)
		}
		select {
		case s.opening <- struct{}{}:
			defer func() { <-s.opening }()
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := sqlite.Rename(ctx, old, path, nil); errors.Is(err, fs.ErrExist) { // begun meanwhile
			return conflict("something is remembered in "+s.opt.Workspace+" already", adoptHint)
		} else if err != nil {
			return fmt.Errorf("adopt the memory of %s: %w", from, err)
		}
	}
	db, err := sqlite.Open(ctx, path, schema, sqlite.ReadWrite)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetNow(s.now)
	f := &file{s: s, File: kind.On(db)}
	return db.Write(ctx, func(tx *sqlite.Tx) error {
		if _, err := tx.Exec(`UPDATE meta SET value = ? WHERE key = 'owner'`, owner); err != nil {
			return err
		}
		return f.event(tx, Event{Verb: VerbAdopted, Scope: Workspace, Subject: Workspace})
	})
}
