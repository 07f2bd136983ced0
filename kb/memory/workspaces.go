package memory

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board/sqlite"
)

// Workspaces returns the directories of the workspaces that have a memory in a data home: for upkeep, which looks after all of them, one by one. Files that cannot be read, and whatever
// else is there, are left out.
func Workspaces(ctx context.Context, home string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(Dir(home), "workspaces", "*.sqlite3"))
	if err != nil {
		return nil, err
	}
	var all []string
	for _, name := range names {
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
	err = db.Read(ctx, func(tx *sqlite.Tx) error {
		return tx.QueryRow(`SELECT value FROM meta WHERE key = 'owner'`).Scan(&owner)
	})
	dir, _ := strings.CutPrefix(owner, "workspace ")
	return dir, err
}
