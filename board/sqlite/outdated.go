package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"runtime"
)

// This file is about files that could only be opened for reading.

// Outdated reports whether opening the file again would allow or show more: it was opened
// for reading only and can now be written to, or it is read as immutable (see connect)
// and has been written to since. It is for callers that keep a file open. It is free if
// the file could be written to when it was opened; otherwise it opens the file to find
// out.
func (db *DB) Outdated(ctx context.Context) bool {
	if !db.readOnly {
		return false
	}
	if db.CheckFile() != nil || db.rewritten() || db.immutable != nil && !db.complete() {
		return true
	}
	if !writable(db.path) {
		return false
	}
	again, err := openOnce(ctx, db.path, db.schema, ReadWrite, false)
	if err != nil {
		return false
	}
	defer again.Close()
	return !again.readOnly
}

// complete reports whether the file has no changes in a WAL beside it.
func (db *DB) complete() bool {
	wal, err := os.Stat(db.path + "-wal")
	return errors.Is(err, fs.ErrNotExist) || err == nil && wal.Size() == 0
}

// rewritten reports whether a file that is read as immutable has changed.
func (db *DB) rewritten() bool {
	if db.immutable == nil {
		return false
	}
	now, err := os.Stat(db.path)
	return err != nil || now.Size() != db.immutable.Size() ||
		!now.ModTime().Equal(db.immutable.ModTime())
}

// CloseUnused closes the file once no one holds the DB any more. It is for a caller that
// has opened the file again while others may still read from this DB.
func (db *DB) CloseUnused() {
	if db.kept != nil {
		runtime.AddCleanup(db, func(f *keptFile) { f.release() }, db.kept)
		return
	}
	runtime.AddCleanup(db, func(conn *sql.DB) { conn.Close() }, db.sql)
}
