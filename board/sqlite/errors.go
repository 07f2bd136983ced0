package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	driver "modernc.org/sqlite"

	"blackboard/board/fault"
)

// Fault says what is wrong with which file: the detail goes on after the path, which DB
// fills in where it is "", in a transaction. Without steps, those of the kind are the next.
func Fault(kind fault.Kind, path, detail string, cause error, next ...fault.Step) error {
	if cause != nil {
		detail += " (" + cause.Error() + ")"
	}
	if path == "" {
		path = unnamed
	}
	if next == nil {
		next = fault.Steps(strings.ReplaceAll(hints[kind], unnamed, path))
	}
	return &fault.Error{Kind: kind, File: path, Msg: detail, Next: next, Cause: cause}
}

// unnamed stands for the path where who found something wrong does not know it.
const unnamed = "a file"

// hints are what to do about a kind.
var hints = map[fault.Kind]string{
	fault.Newer:    "install the newer version of board that wrote it",
	fault.Corrupt:  "restore the file from a backup, or import the last export into a new run",
	fault.Busy:     "try again; if it stays locked, look for a stopped process that holds " + unnamed + "-lock",
	fault.Full:     "free some space, then repeat the command",
	fault.ReadOnly: "make the data home writable, or point $BOARD_HOME at one that is",
	fault.Gone:     "repeat the command if the run is still wanted",
}

// Result codes of SQLite (https://sqlite.org/rescode.html) that have a kind of ours.
const (
	codeBusy     = 5
	codeLocked   = 6
	codeReadOnly = 8
	codeIOErr    = 10
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeNotADB   = 26

	codeConstraint = 19

	codeIOErrShmSize = codeIOErr | 19<<8
)

// wrap gives errors of the driver and the system a path and a kind. Others, the caller's own included, pass unchanged.
func (db *DB) wrap(err error) error {
	if err == nil {
		return nil
	}
	var own *fault.Error
	if errors.As(err, &own) {
		if own.File == unnamed {
			own.File = db.path
		}
		return err
	}
	if db.file != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		var de *driver.Error
		if errors.As(err, &de) && de.Code()&0xff != codeConstraint {
			if gone := db.StillThere(); gone != nil {
				return gone // what SQLite makes of a file that vanished under it is of no interest
			}
		}
	}
	var de *driver.Error
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return Fault(fault.Full, db.path, "could not be written", err)
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return Fault(fault.ReadOnly, db.path, "cannot be written to", err)
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrNotExist) && db.file == nil:
		return Fault(fault.ReadOnly, db.path, "cannot be made", err)
	case errors.As(err, &de):
		switch de.Code() & 0xff {
		case codeBusy, codeLocked:
			return Fault(fault.Busy, db.path, "is locked by another process", err)
		case codeReadOnly:
			return Fault(fault.ReadOnly, db.path, "cannot be written to", err)
		case codeCorrupt, codeNotADB:
			return Fault(fault.Corrupt, db.path, "is not a sound SQLite file", err)
		case codeFull:
			return Fault(fault.Full, db.path, "could not be written", err)
		case codeCantOpen:
			if !db.readOnly {
				return fmt.Errorf("%s: %w", db.path, err)
			}
			return Fault(fault.ReadOnly, db.path, "has unmerged changes beside it (-wal) that cannot be read on read-only storage", err)
		case codeIOErr:
			if de.Code() == codeIOErrShmSize {
				return Fault(fault.Full, db.path, "has no room for what its readers and writers share (-shm)", err)
			}
			return fmt.Errorf("%s: %w", db.path, err)
		}
	}
	return err
}

// IsNoRows reports whether err is the "no such row" of QueryRow.
func IsNoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }
