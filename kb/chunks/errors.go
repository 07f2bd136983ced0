package chunks

import (
	"errors"
	"fmt"
	"strings"

	"blackboard/board/sqlite"
	"blackboard/embed"
)

// Kinds of errors. Every error of this package that a caller can do something about matches one of them, or one of package sqlite, with errors.Is.
var (
	ErrInvalid  = errors.New("invalid")   // what was given makes no sense by itself
	ErrNotFound = errors.New("not found") // it names what is not there
	ErrConflict = errors.New("conflict")  // it makes sense, but not as the store is now
)

// Error says what is wrong and what to do next.
type Error struct {
	Kind error  // one of the above, or of package sqlite or embed
	Msg  string // what is wrong
	Hint string // the next step
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

func noChunk(id string) error {
	return &Error{Kind: ErrNotFound, Msg: NoChunkText(id), Hint: "`board context list` shows what there is"}
}

func noState(key string) error {
	return &Error{Kind: ErrNotFound, Msg: NoStateText(key), Hint: "`board context set` sets it"}
}

func noModel() error {
	return &Error{Kind: embed.ErrNoModel, Msg: "no embedding model is installed", Hint: "`board model pull` fetches one"}
}

// storeError gives what is wrong with the store's own file the next step for a store.
func storeError(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	hint := e.Try()
	switch e.Kind {
	case sqlite.ErrReadOnly:
		hint = "make the store's directory writable, or name another one with --store or $AGENT_STORE_PATH"
	case sqlite.ErrCorrupt:
		hint = "restore the file from a backup, or move it away: the next use begins anew, with the files of agent-memory-store beside it"
	case sqlite.ErrGone:
		hint = "repeat the call if the store is still wanted"
	}
	return &Error{Kind: e.Kind, Msg: err.Error(), Hint: hint}
}

// clip cuts a text to n runes.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
