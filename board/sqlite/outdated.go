package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"runtime"
)

// This file is about a file that could only be opened for reading, and that somebody keeps open.

// Outdated reports whether opening the file anew would allow or show more than this does: it was opened for reading only and could be written to by now, or is read as it was (see connect)
// and somebody has written to it since. It is for who keeps a file open, and costs nothing where the file could be written to when it was opened; else the file is opened to find out.
func (db *DB) Outdated(ctx context.Context) bool {
	if !db.readOnly {
		return false
	}
	if db.StillThere() != nil || db.rewritten() || db.asItWas != nil && !db.complete() {
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

// complete reports whether no changes wait beside the file to be merged.
func (db *DB) complete() bool {
	wal, err := os.Stat(db.path + "-wal")
	return errors.Is(err, fs.ErrNotExist) || err == nil && wal.Size() == 0
}

// rewritten reports whether a file that is read as it was is no longer that.
func (db *DB) rewritten() bool {
	if db.asItWas == nil {
		return false
	}
	now, err := os.Stat(db.path)
	return err != nil || now.Size() != db.asItWas.Size() || !now.ModTime().Equal(db.asItWas.ModTime())
}

// CloseUnused closes the file once nobody holds the DB any more. It is for who has opened the file anew while others may still be about to read from this one.
func (db *DB) CloseUnused() { runtime.AddCleanup(db, func(conn *sql.DB) { conn.Close() }, db.sql) }
