package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	driver "modernc.org/sqlite"
)

// What can be wrong with a file. Errors of this package match one of them with errors.Is, where they are not about the caller's own
// statements.
var (
	ErrNewer    = errors.New("file is newer than the program") // a later version has migrated it
	ErrCorrupt  = errors.New("file is damaged")                // or not ours, or does not agree with itself
	ErrBusy     = errors.New("file is locked")                 // others were writing for longer than it was waited
	ErrFull     = errors.New("no space left")                  // on the disk, or in what is allowed
	ErrReadOnly = errors.New("storage is read-only")           // or this user may not write to it
	ErrGone     = errors.New("file was removed")               // or replaced, while it was open
)

// Error says what is wrong with which file.
type Error struct {
	Path   string // the file; DB fills it in where it is ""
	Kind   error  // one of the Err… values
	Detail string // goes on after the path: "has schema 9"; "": what the kind says
	Cause  error  // the driver's or the system's error, if any

	try string // the next step, where that of the kind does not fit
}

// Error names the file and says what is wrong with it, on one line.
func (e *Error) Error() string {
	s := e.Path + ": " + e.Kind.Error()
	if e.Detail != "" {
		s = e.Path + " " + e.Detail
	}
	if e.Cause != nil {
		s += " (" + e.Cause.Error() + ")"
	}
	return s
}

// Unwrap gives errors.Is both the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// Try returns the next step for the person who sees the error.
func (e *Error) Try() string {
	if e.try != "" {
		return e.try
	}
	switch e.Kind {
	case ErrNewer:
		return "install the newer version of board that wrote it"
	case ErrCorrupt:
		return "restore the file from a backup, or import the last export into a new run"
	case ErrBusy:
		return "try again; if it stays locked, look for a stopped process that holds " + e.Path + "-lock"
	case ErrFull:
		return "free some space, then repeat the command"
	case ErrReadOnly:
		return "make the data home writable, or point $BOARD_HOME at one that is"
	case ErrGone:
		return "repeat the command if the run is still wanted"
	}
	return ""
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
	var own *Error
	if errors.As(err, &own) {
		if own.Path == "" { // of who reads in a transaction, and does not know the file
			own.Path = db.path
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
	e := &Error{Path: db.path, Cause: err}
	var de *driver.Error
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Kind, e.Detail = ErrFull, "could not be written"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		e.Kind, e.Detail = ErrReadOnly, "cannot be written to"
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrNotExist) && db.file == nil:
		e.Kind, e.Detail = ErrReadOnly, "cannot be made"
	case errors.As(err, &de):
		switch de.Code() & 0xff {
		case codeBusy, codeLocked:
			e.Kind, e.Detail = ErrBusy, "is locked by another process"
		case codeReadOnly:
			e.Kind, e.Detail = ErrReadOnly, "cannot be written to"
		case codeCorrupt, codeNotADB:
			e.Kind, e.Detail = ErrCorrupt, "is not a sound SQLite file"
		case codeFull:
			e.Kind, e.Detail = ErrFull, "could not be written"
		case codeCantOpen:
			if !db.readOnly {
				return fmt.Errorf("%s: %w", db.path, err)
			}
			e.Kind, e.Detail = ErrReadOnly, "has unmerged changes beside it (-wal) that cannot be read on read-only storage"
		case codeIOErr:
			if de.Code() == codeIOErrShmSize {
				e.Kind, e.Detail = ErrFull, "has no room for what its readers and writers share (-shm)"
				break
			}
			return fmt.Errorf("%s: %w", db.path, err)
		default:
			return err
		}
	default:
		return err
	}
	return e
}

// IsNoRows reports whether err is the "no such row" of QueryRow.
func IsNoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }
