package board

import "errors"

// Kinds of error. Every error of this package that a caller can do something about matches one of them with errors.Is; the exit
// codes of the command line follow from them.
var (
	ErrInvalid  = errors.New("invalid input") // what was given makes no sense by itself
	ErrNotFound = errors.New("not found")     // it names what is not there
	ErrConflict = errors.New("conflict")      // it makes sense, but not as the board is now
	ErrTimeout  = errors.New("timed out")     // what was waited for did not happen in time
)

// Error is an error with its kind and what to do next.
type Error struct {
	Kind error  // one of the above
	Msg  string // what is wrong, and with what
	Hint string // the next step, or ""
}

// Error returns the message alone: Try has the next step.
func (e *Error) Error() string { return e.Msg }

// Unwrap gives errors.Is the kind.
func (e *Error) Unwrap() error { return e.Kind }

// Try returns the next step for whoever sees the error.
func (e *Error) Try() string { return e.Hint }

func invalid(msg, hint string) error  { return &Error{ErrInvalid, msg, hint} }
func notFound(msg, hint string) error { return &Error{ErrNotFound, msg, hint} }
func conflict(msg, hint string) error { return &Error{ErrConflict, msg, hint} }
