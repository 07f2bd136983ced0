package embed

import "errors"

// Kinds of error. Every error of an embedder matches one of them, or the context's error, with errors.Is.
var (
	ErrClosed   = errors.New("the embedder is closed")
	ErrNoModel  = errors.New("no embedding model")       // there is no model, or a file that it cannot do without is absent
	ErrBadModel = errors.New("unusable embedding model") // there is one, but it is corrupt, or of a kind that is not supported
)

// Error is an error with its kind and what to do next.
type Error struct {
	Kind error  // ErrClosed, ErrNoModel or ErrBadModel
	Msg  string // names the file
	Hint string // the next step, or ""
	Err  error  // what caused it, or nil
}

// Error names what happened and, after a colon, what caused it.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Msg
	}
	return e.Msg + ": " + e.Err.Error()
}

// Unwrap gives errors.Is the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// Try returns the next step for whoever sees the error.
func (e *Error) Try() string { return e.Hint }
