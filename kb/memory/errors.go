package memory

import (
	"errors"
	"fmt"
	"strings"
)

// Kinds of errors. Every error of this package that a caller can do something about matches one of them with errors.Is.
var (
	ErrInvalid  = errors.New("invalid")   // what was given makes no sense by itself
	ErrNotFound = errors.New("not found") // it names what is not there, or not the caller's to see
	ErrConflict = errors.New("conflict")  // it makes sense, but not as the memory is now
	// ErrDenied is for what the caller's grants do not allow.
	ErrDenied = errors.New("not granted")
)

// Error says what is wrong and what to do next.
type Error struct {
	Kind error  // one of the above
	Msg  string // what is wrong
	Hint string // the next step
}

// Error returns the message alone: Try has the next step.
func (e *Error) Error() string { return e.Msg }

// Unwrap gives errors.Is the kind.
func (e *Error) Unwrap() error { return e.Kind }

// Try returns the next step.
func (e *Error) Try() string { return e.Hint }

// TransitionError is a change of a conversation's status that there is not. It matches ErrConflict.
type TransitionError struct {
	Ref      string // the conversation
	From, To string // the status that it has, and the one that it was to have
}

// Error names the conversation and both statuses.
func (e *TransitionError) Error() string {
	if e.From == e.To {
		return fmt.Sprintf("the conversation %s is %s already", e.Ref, e.From)
	}
	return fmt.Sprintf("the conversation %s is %s, and cannot become %s", e.Ref, e.From, e.To)
}

// Unwrap gives errors.Is the kind.
func (e *TransitionError) Unwrap() error { return ErrConflict }

// Try returns the next step.
func (e *TransitionError) Try() string {
	switch {
	case e.From == StatusActive && e.To == StatusArchived:
		return "end it first (`board memory conversation idle " + e.Ref + "`), or archive it as it is with --force"
	case e.From == StatusArchived:
		return "`board memory conversation start` begins a new one"
	}
	return "`board memory conversation show " + e.Ref + "` shows how it is"
}

func invalid(msg, hint string) error { return &Error{Kind: ErrInvalid, Msg: msg, Hint: hint} }

func conflict(msg, hint string) error { return &Error{Kind: ErrConflict, Msg: msg, Hint: hint} }

func unknown(what, got string, have []string) error {
	return invalid(fmt.Sprintf("%s %q is unknown", what, clip(got, 60)), "choose one of "+strings.Join(have, ", "))
}

func notFound(id string) error {
	return &Error{Kind: ErrNotFound, Msg: fmt.Sprintf("there is no memory %s", clip(id, 60)), Hint: "`board memory list` shows what there is; private ones only to their agent"}
}

// clip cuts a text to n runes.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
