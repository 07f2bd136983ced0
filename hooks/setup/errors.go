package setup

import "errors"

// Kinds of errors. Every error of this package that a caller can do something about matches one of them with errors.Is.
var (
	ErrInvalid = errors.New("invalid")
	// ErrConflict is something of somebody else's in the place of what is to be set up; nothing was written.
	ErrConflict = errors.New("conflict")
	// ErrFile is a file that cannot be read, understood or written.
	ErrFile = errors.New("file")
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

func fileError(msg, hint string) error { return &Error{Kind: ErrFile, Msg: msg, Hint: hint} }

func conflict(msg, hint string) error { return &Error{Kind: ErrConflict, Msg: msg, Hint: hint} }
