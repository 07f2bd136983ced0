package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	driver "modernc.org/sqlite"

	"blackboard/board/fault"
	"blackboard/board/store"
)

// Result codes of SQLite (https://sqlite.org/rescode.html) that map to a kind of fault.
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

// wrap adds the path and a kind to the driver's and system's errors; others stay.
func (db *DB) wrap(err error) error {
	if err == nil {
		return nil
	}
	var own *fault.Error
	if errors.As(err, &own) {
		store.NameFile(own, db.path)
		return err
	}
	if db.file != nil && !errors.Is(err, context.Canceled) &&
		!errors.Is(err, context.DeadlineExceeded) {
		var de *driver.Error
		if errors.As(err, &de) && de.Code()&0xff != codeConstraint {
			if gone := db.CheckFile(); gone != nil {
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
			return Fault(fault.Corrupt, db.path, "is not a valid SQLite file", err)
		case codeFull:
			return Fault(fault.Full, db.path, "could not be written", err)
		case codeCantOpen:
			if !db.readOnly {
				return fmt.Errorf("%s: %w", db.path, err)
			}
			return Fault(fault.ReadOnly, db.path,
				"has unmerged changes beside it (-wal) that cannot be read on read-only storage",
				err)
		case codeIOErr:
			if de.Code() == codeIOErrShmSize {
				return Fault(fault.Full, db.path,
					"has no room for its shared-memory file (-shm)", err)
			}
			return fmt.Errorf("%s: %w", db.path, err)
		}
	}
	return err
}
