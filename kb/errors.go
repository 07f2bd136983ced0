package kb

import (
	"errors"
	"fmt"
	"strings"
)

// Kinds of errors. Every error of this package that a caller can do something about matches one of them with errors.Is.
var (
	ErrInvalid  = errors.New("invalid")
	ErrNotFound = errors.New("not found")
	ErrConflict = errors.New("conflict")
)

// Error says what is wrong and what to do next.
type Error struct {
	Kind error  // one of the above
	Msg  string // what is wrong
	Hint string // the next step
	ID   string // the capsule that stands in the way, if one does
}

func (e *Error) Error() string { return e.Msg }
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

// clip cuts a text to n runes.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
