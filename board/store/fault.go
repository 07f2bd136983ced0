package store

import (
	"database/sql"
	"errors"
	"strings"

	"blackboard/board/fault"
)

// Fault returns an error about a file. The message is the path, the detail, and the cause in
// brackets; a path "" is filled in by the DB of the transaction. Without steps, the next steps are
// those of the kind.
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

// unnamed is the path if the code that found the fault does not know it.
const unnamed = "a file"

// hints are the next steps of each kind.
var hints = map[fault.Kind]string{
	fault.Newer:   "install the newer version of board that wrote it",
	fault.Corrupt: "restore the file from a backup, or import the last export into a new run",
	fault.Busy: "try again; if it stays locked, look for a stopped process that holds " +
		unnamed + "-lock",
	fault.Full:     "free some space, then repeat the command",
	fault.ReadOnly: "make the data home writable, or point $BOARD_HOME at one that is",
	fault.Gone:     "repeat the command if the run is still wanted",
}

// NameFile adds the missing path to an error of Fault.
func NameFile(err *fault.Error, path string) {
	if err.File == unnamed {
		err.File = path
	}
}

// IsNoRows reports whether err is the "no such row" of QueryRow.
func IsNoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }
