package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"blackboard/board"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/hooks/topics"
	"blackboard/kb"
	"blackboard/kb/chunks"
	"blackboard/kb/index"
	"blackboard/kb/memory"
)

// Exit codes, the same for every command.
const (
	exitOK       = 0
	exitFailure  = 1
	exitUsage    = 2 // usage or invalid input
	exitGate     = 3 // the gate is closed
	exitSurvival = 4 // the artifact does not carry everything
	exitNotFound = 5
	exitConflict = 6
)

// verdictError ends a command with an exit code after its answer was printed; it is no failure and has no message of its own.
type verdictError int

func (e verdictError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// errInterrupted is the end of a command that was told to stop (Ctrl-C, SIGTERM) before it was done. Nothing is half-written.
var errInterrupted = errors.New("interrupted")

// usageError is a command line that makes no sense.
type usageError struct{ msg, try string }

func (e *usageError) Error() string { return e.msg }
func (e *usageError) Try() string   { return e.try }

// hintedError is a failure with its next step.
type hintedError struct{ msg, try string }

func (e *hintedError) Error() string { return e.msg }
func (e *hintedError) Try() string   { return e.try }

// suggestion is an error with a better next step than its own. What it is does not change.
type suggestion struct {
	error
	try string
}

func (e *suggestion) Unwrap() error { return e.error }
func (e *suggestion) Try() string   { return e.try }

func usagef(try, format string, a ...any) error { return &usageError{fmt.Sprintf(format, a...), try} }

// exitCodes is the one table from errors to exit codes and the codes of JSON errors. The first row that matches decides.
var exitCodes = []struct {
	is   error
	exit int
	name string
}{
	{board.ErrInvalid, exitUsage, "invalid"},
	{board.ErrNotFound, exitNotFound, "not_found"},
	{board.ErrConflict, exitConflict, "conflict"},
	{board.ErrTimeout, exitFailure, "timeout"},
	{kb.ErrInvalid, exitUsage, "invalid"},
	{kb.ErrNotFound, exitNotFound, "not_found"},
	{kb.ErrConflict, exitConflict, "conflict"},
	{memory.ErrInvalid, exitUsage, "invalid"},
	{memory.ErrNotFound, exitNotFound, "not_found"},
	{memory.ErrConflict, exitConflict, "conflict"},
	{memory.ErrDenied, exitFailure, "denied"},
	{chunks.ErrInvalid, exitUsage, "invalid"},
	{chunks.ErrNotFound, exitNotFound, "not_found"},
	{chunks.ErrConflict, exitConflict, "conflict"},
	{topics.ErrInvalid, exitUsage, "invalid"},
	{topics.ErrNotFound, exitNotFound, "not_found"},
	{topics.ErrConflict, exitConflict, "conflict"},
	{topics.ErrBusy, exitFailure, "busy"},
	{index.ErrCorrupt, exitFailure, "corrupt"},
	{embed.ErrNoModel, exitFailure, "no_model"},
	{embed.ErrBadModel, exitFailure, "bad_model"},
	{sqlite.ErrGone, exitConflict, "conflict"},
	{sqlite.ErrNewer, exitFailure, "newer_file"},
	{sqlite.ErrCorrupt, exitFailure, "corrupt"},
	{sqlite.ErrBusy, exitFailure, "busy"},
	{sqlite.ErrFull, exitFailure, "disk_full"},
	{sqlite.ErrReadOnly, exitFailure, "read_only"},
}

func classify(err error) (exit int, name string) {
	var usage *usageError
	if errors.As(err, &usage) {
		return exitUsage, "usage"
	}
	for _, row := range exitCodes {
		if errors.Is(err, row.is) {
			return row.exit, row.name
		}
	}
	return exitFailure, "failure"
}

// fail prints an error, as text or as JSON, and returns the exit code.
func (p *program) fail(err error, asJSON bool) int {
	if err == nil {
		return exitOK
	}
	var verdict verdictError
	if errors.As(err, &verdict) {
		return int(verdict)
	}
	exit, name := classify(err)
	try := ""
	var hint interface{ Try() string }
	if errors.As(err, &hint) {
		try = hint.Try()
	}
	if asJSON {
		var body struct {
			V     int `json:"v"`
			Error struct {
				Code    string `json:"code"`
				Message string `json:"message"`
				Try     string `json:"try"`
			} `json:"error"`
		}
		body.V, body.Error.Code, body.Error.Message, body.Error.Try = 1, name, err.Error(), try
		enc := json.NewEncoder(p.err)
		enc.SetEscapeHTML(false)
		enc.Encode(body) // to stderr; there is nowhere left to report a failure to
		return exit
	}
	p.talk("board: %s", safe(err.Error()))
	if try != "" {
		p.talk("  try: %s", safe(try))
	}
	return exit
}

// wantsJSON reports whether the command line asks for JSON, even one that does not parse.
func wantsJSON(args []string) bool {
	for i, a := range args {
		name, value, hasValue := cutFlag(a)
		switch {
		case a == "--":
			return false
		case name == "json" && (!hasValue || value != "false"):
			return true
		case (name == "format" || name == "f") && (value == "json" || !hasValue && i+1 < len(args) && args[i+1] == "json"):
			return true
		}
	}
	return false
}
