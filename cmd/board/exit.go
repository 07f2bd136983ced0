package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"blackboard/board/fault"
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

func usagef(try, format string, a ...any) error {
	return fault.Usage.New(fmt.Sprintf(format, a...), try)
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
	kind, try := fault.KindOf(err), try(err)
	if asJSON {
		var body struct {
			V     int `json:"v"`
			Error struct {
				Code    string       `json:"code"`
				Message string       `json:"message"`
				Try     string       `json:"try"`
				Next    []fault.Step `json:"next"`
			} `json:"error"`
		}
		body.V, body.Error.Code, body.Error.Message, body.Error.Try = 1, kind.Code(), err.Error(), try
		body.Error.Next = append([]fault.Step{}, fault.Next(err)...)
		enc := json.NewEncoder(p.err)
		enc.SetEscapeHTML(false)
		enc.Encode(body) // to stderr; there is nowhere left to report a failure to
		return kind.Exit()
	}
	p.talk("board: %s", safe(err.Error()))
	if try != "" {
		p.talk("  try: %s", safe(try))
	}
	return kind.Exit()
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
