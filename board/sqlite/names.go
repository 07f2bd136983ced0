package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"blackboard/board/disk"
	"blackboard/board/fault"
)

// This file is about files that are moved or removed while others have them open.

// lockWrites takes the write lock of a file, which need not exist and is not opened.
func lockWrites(ctx context.Context, path string) (unlock func(), err error) {
	db := &DB{path: path, turn: make(chan struct{}, 1)}
	unlock, err = db.lock(ctx)
	return unlock, db.wrap(err)
}

// Rename moves the file of a schema, under the write locks of both names. Writes of
// others who have it open return fault.Gone. A file that SQLite cannot open is moved as it
// is, with the files beside it.
//
// Errors: fs.ErrExist if the new name is taken; fault.Busy if somebody reads the file for
// too long; fault.Gone if the file is not the one given, unless that is nil.
func Rename(ctx context.Context, path, to string, is os.FileInfo) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	// in a fixed order, so that two cannot wait for each other
	for _, name := range slices.Sorted(slices.Values([]string{path, to})) {
		unlock, err := lockWrites(ctx, name)
		if err != nil {
			return err
		}
		defer unlock()
	}
	if is != nil {
		if err := checkFile(path, is); err != nil {
			return err
		}
	}
	if _, err := os.Lstat(to); err == nil {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	// With an empty WAL the file is complete, even if the process ends between two renames.
	err := checkpointWAL(ctx, path)
	if errors.Is(err, fault.Busy) || ctx.Err() != nil {
		return err
	}
	unlock, nameErr := disk.LockNames(ctx, filepath.Dir(path), true)
	if nameErr != nil {
		return nameErr
	}
	defer unlock()
	if err != nil { // damaged: nobody can make it complete
		for _, suffix := range []string{"-wal", "-shm"} {
			if err := os.Rename(path+suffix, to+suffix); err != nil &&
				!errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	if err := os.Rename(path, to); err != nil {
		return err
	}
	return removeBeside(path)
}

// checkpointWAL moves the WAL into the file and empties it. The caller has the write lock.
func checkpointWAL(ctx context.Context, path string) error {
	db := &DB{path: path, closing: new(atomic.Bool)}
	db.connect()
	defer db.sql.Close()
	var busy, frames, folded int
	err := db.sql.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames,
		&folded)
	if err == nil && busy != 0 {
		err = Fault(fault.Busy, path, "is being read by another process", nil)
	}
	return db.wrap(err)
}

// removeBeside removes what SQLite kept beside a removed file, under the write lock.
func removeBeside(path string) error {
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", path+suffix, err)
		}
	}
	return nil
}

// Remove deletes a schema's file and those beside it, but for the lock file (see lock), under the
// write lock, so that no write is lost; first allowed, if not nil, may refuse.
func Remove(ctx context.Context, path string, allowed func() error) error {
	_, gone := os.Stat(path)
	if _, err := os.Stat(path + "-wal"); gone != nil && err != nil {
		return gone // without a lock file for what was never there
	}
	unlock, err := lockWrites(ctx, path)
	if err != nil {
		return err
	}
	defer unlock()
	if _, gone = os.Stat(path); gone != nil { // and what removed it came no further
		return errors.Join(gone, removeBeside(path))
	}
	if allowed != nil {
		if err := allowed(); err != nil {
			return err
		}
	}
	names, err := disk.LockNames(ctx, filepath.Dir(path), true)
	if err != nil {
		return err
	}
	defer names()
	if err := os.Remove(path); err != nil {
		return (&DB{path: path}).wrap(err)
	}
	return removeBeside(path)
}
