package topics

import "errors"

// Kinds of errors. Every error of this package that a caller can do something about matches one of them with errors.Is.
var (
	ErrInvalid  = errors.New("invalid")
	ErrNotFound = errors.New("not found")
	ErrConflict = errors.New("conflict")
	// ErrBusy is a turn to write that did not come in time; nothing was written.
	ErrBusy = errors.New("busy")
)

// Error says what is wrong and what to do next.
type Error struct {
	Kind error  // one of the above
	Msg  string // what is wrong
	Hint string // the next step
}

func (e *Error) Error() string { return e.Msg }
func (e *Error) Unwrap() error { return e.Kind }

// Try returns the next step.
func (e *Error) Try() string { return e.Hint }

func invalid(msg, hint string) error { return &Error{Kind: ErrInvalid, Msg: msg, Hint: hint} }

func notFound(msg, hint string) error { return &Error{Kind: ErrNotFound, Msg: msg, Hint: hint} }
