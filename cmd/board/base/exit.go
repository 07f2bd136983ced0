package base

import (
	"encoding/json"
	"errors"
	"fmt"

	"blackboard/board/fault"
)

// Exit codes, the same for every command.
const (
	ExitOK       = 0
	ExitFailure  = 1
	ExitUsage    = 2 // usage or invalid input
	ExitGate     = 3 // the gate is closed
	ExitSurvival = 4 // the artifact does not carry everything
	ExitNotFound = 5
	ExitConflict = 6
)

// ExitError ends a command with an exit code after its answer was printed. It is a
// verdict, not a failure, and prints no message.
type ExitError int

func (e ExitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

func Usagef(try, format string, a ...any) error {
	return fault.Usage.New(fmt.Sprintf(format, a...), try)
}

type ErrorAnswer struct {
	V     int `json:"v"`
	Error struct {
		Code    string       `json:"code"` // a word that does not change: board help output
		Message string       `json:"message"`
		Try     string       `json:"try"`  // the next step, in words
		Next    []fault.Step `json:"next"` // the same as operations: any of them
	} `json:"error"`
}

// Fail prints an error, as text or as JSON, and returns the exit code.
func (p *Program) Fail(err error, asJSON bool) int {
	if err == nil {
		return ExitOK
	}
	var verdict ExitError
	if errors.As(err, &verdict) {
		return int(verdict)
	}
	kind, try := fault.KindOf(err), NextStep(err)
	if asJSON {
		var body ErrorAnswer
		body.V, body.Error.Code, body.Error.Message, body.Error.Try = 1, kind.Code(), err.Error(), try
		body.Error.Next = append([]fault.Step{}, fault.Next(err)...)
		enc := json.NewEncoder(p.Err)
		enc.SetEscapeHTML(false)
		enc.Encode(body) // to stderr; there is nowhere left to report a failure to
		return kind.Exit()
	}
	p.Messagef("board: %s", Safe(err.Error()))
	if try != "" {
		p.Messagef("  try: %s", Safe(try))
	}
	return kind.Exit()
}

// WantsJSON reports whether the command line, even one that does not parse, asks for JSON.
func WantsJSON(args []string) bool {
	for i, a := range args {
		name, value, hasValue := CutFlag(a)
		switch {
		case a == "--":
			return false
		case name == "json" && (!hasValue || value != "false"):
			return true
		case (name == "format" || name == "f") && (value == "json" || !hasValue && i+1 < len(args) &&
			args[i+1] == "json"):
			return true
		}
	}
	return false
}
