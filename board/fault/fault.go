// Package fault is the one error of the program: its kind, what happened, and what to do
// next.
//
// The next step is data: an operation such as kb.get with its arguments, which each
// adapter puts into its own words (a command, a tool, a field in JSON), or leaves out
// where it has no such operation. So no text below the adapters names a command or a
// tool.
//
// The kinds and what they mean outside of the program, the code in JSON, the exit code,
// the HTTP status and the JSON-RPC code, are one table, kinds.
package fault

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Error is what went wrong. It matches its kind and its cause with errors.Is.
type Error struct {
	Kind  Kind
	File  string // the file that it is about, or ""; the message begins with it
	Msg   string // what is wrong, and with what
	ID    string // the thing that stands in the way, if one does
	Next  []Step // what to do next
	Cause error  // what it came from; what of it is to be read is in Msg
}

// Error returns the message alone: Try has the next step.
func (e *Error) Error() string {
	if e.File == "" {
		return e.Msg
	}
	return e.File + " " + e.Msg
}

// Unwrap gives errors.Is both the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// New returns an error of the kind. The hint is a plain sentence, or "" for none; what
// names an operation or an argument goes into further steps.
func (k Kind) New(msg, hint string, next ...Step) error {
	return &Error{Kind: k, Msg: msg, Next: Steps(hint, next...)}
}

// Unknown is for a value that is none of those that there are.
func Unknown(what, got string, have []string) error {
	return Invalid.New(fmt.Sprintf("%s %q is unknown", what, Clip(got, 60)),
		"choose one of "+strings.Join(have, ", "))
}

// With gives an error a better next step than its own. What it is does not change.
func With(err error, hint string, next ...Step) error {
	return &Error{Kind: KindOf(err), Msg: err.Error(), Next: Steps(hint, next...), Cause: err}
}

// Prefix puts a place before the message of an error that refuses. It keeps the kind and the next
// steps.
func Prefix(place string, err error) error {
	if e, ok := Refused(err); ok && place != "" {
		return e.Kind.New(place+e.Msg, "", e.Next...)
	}
	return err
}

// Refused returns the error if it refuses what was asked for, and nothing was wrong by
// itself.
func Refused(err error) (e *Error, ok bool) {
	if errors.As(err, &e) {
		switch e.Kind {
		case Usage, Invalid, NotFound, Conflict, Denied:
			return e, true
		}
	}
	return nil, false
}

// Then adds steps to an error.
func (e *Error) Then(next ...Step) *Error {
	e.Next = append(e.Next, next...)
	return e
}

// Step is one thing to do next: a plain sentence, or one about an operation or an
// argument.
type Step struct {
	// Op is the operation, such as "kb.get". Without one, Args are arguments of the call
	// that failed.
	Op   string            `json:"op,omitempty"`
	Args map[string]string `json:"args,omitempty"` // "": a switch
	Text string            `json:"text"`           // {} stands for the operation with its arguments
}

// Steps are a hint, if there is one, and what follows it.
func Steps(hint string, next ...Step) []Step {
	if hint == "" {
		return next
	}
	return append([]Step{{Text: hint}}, next...)
}

// Do is a step that is an operation, with the names and values of its arguments by turns.
func Do(op, text string, args ...string) Step {
	s := Step{Op: op, Text: text, Args: map[string]string{}}
	for i := 0; i+1 < len(args); i += 2 {
		s.Args[args[i]] = args[i+1]
	}
	return s
}

// Give is a step that repeats the call with one more argument; a value of "" makes it a
// switch.
func Give(name, value, text string) Step {
	return Step{Text: text, Args: map[string]string{name: value}}
}

// Words are how an adapter says the operation of a step, or the argument of the call,
// with its values; "" where it has none.
type Words func(Step) string

// In returns the step in the words of an adapter, or "" where it has none for it. Without
// words, a plain sentence is all there is.
func (s Step) In(words Words) string {
	if s.Op == "" && len(s.Args) == 0 {
		return s.Text
	}
	if words == nil {
		return ""
	}
	said := words(s)
	if said == "" {
		return ""
	}
	return strings.Replace(s.Text, "{}", said, 1)
}

// Say returns steps in the words of an adapter, on one line.
func Say(steps []Step, words Words) string { return Join(steps, words, "; ") }

// Join is Say with what stands between two steps; an alternative, which begins with "or",
// follows a comma.
func Join(steps []Step, words Words, between string) string {
	said := ""
	for _, s := range steps {
		switch text := s.In(words); {
		case said == "" || text == "":
			said += strings.TrimPrefix(text, "or ")
		case strings.HasPrefix(text, "or "):
			said += ", " + text
		default:
			said += between + text
		}
	}
	return said
}

// Try returns the next steps of an error in the words of an adapter, or "".
func Try(err error, words Words) string { return Say(Next(err), words) }

// Told is an error in one line, with its next step in plain words.
func Told(err error) string {
	if try := Try(err, nil); try != "" {
		return err.Error() + ": " + try
	}
	return err.Error()
}

// Next returns the next steps of an error.
func Next(err error) []Step {
	var e *Error
	if errors.As(err, &e) {
		return e.Next
	}
	return nil
}

// Names returns the names of a step's arguments, in order.
func (s Step) Names() []string { return slices.Sorted(maps.Keys(s.Args)) }

// Clip cuts a text to n characters for a message.
func Clip(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
