package kb

import (
	"errors"
	"fmt"
	"strings"
)

// Kinds of errors. Every error of this package that a caller can do something about matches one of them with errors.Is.
var (
	ErrInvalid  = errors.New("invalid")   // what was given makes no sense by itself
	ErrNotFound = errors.New("not found") // it names what is not there
	ErrConflict = errors.New("conflict")  // it makes sense, but not as the knowledge base is now
)

// Error says what is wrong and what to do next.
type Error struct {
	Kind error  // one of the above
	Msg  string // what is wrong
	Hint string // the next step
	ID   string // the capsule that stands in the way, if one does
}

// Error returns the message alone: Try has the next step.
func (e *Error) Error() string { return e.Msg }

// Unwrap gives errors.Is the kind.
func (e *Error) Unwrap() error { return e.Kind }

// Try returns the next step.
func (e *Error) Try() string { return e.Hint }

func invalid(msg, hint string) error { return &Error{Kind: ErrInvalid, Msg: msg, Hint: hint} }

func unknown(what, got string, have []string) error {
	return invalid(fmt.Sprintf("%s %q is unknown", what, clip(got, 60)), "choose one of "+strings.Join(have, ", "))
}

func notFound(id string) error {
	return &Error{Kind: ErrNotFound, Msg: fmt.Sprintf("there is no capsule %s", clip(id, 60)), Hint: "`board kb list` shows what there is, `board kb search` finds by words", ID: id}
}

func supersededAlready(id, by string) error {
	return &Error{Kind: ErrConflict, ID: by, Msg: fmt.Sprintf("%s is superseded by %s already", id, by), Hint: fmt.Sprintf("--supersedes %s, if that is the one to replace", by)}
}

// noBase is for a data home without a knowledge base.
func noBase(home string) error {
	return &Error{Kind: ErrNotFound, Msg: "there is no knowledge base in " + home, Hint: "`board kb remember` makes one with the first capsule"}
}

// clip cuts a text to n runes.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
