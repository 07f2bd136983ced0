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
	Cause error  // what it came from; Msg has what readers need of it
}

// Error returns the file and the message, without the next steps: Try has those.
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

// Unknown returns an Invalid error for a value that is not in have, which its next step lists.
func Unknown(what, got string, have []string) error {
	return Invalid.New(fmt.Sprintf("%s %q is unknown", what, Clip(got, 60)),
		"choose one of "+strings.Join(have, ", "))
}

// OneOf returns Unknown for the first of some values that is not in have, nil if all are.
func OneOf(what string, have []string, given ...string) error {
	for _, got := range given {
		if !slices.Contains(have, got) {
			return Unknown(what, got, have)
		}
	}
	return nil
}

// With returns an error with the kind and the message of err, and with these next steps only.
func With(err error, hint string, next ...Step) error {
	return &Error{Kind: KindOf(err), Msg: err.Error(), Next: Steps(hint, next...), Cause: err}
}

// Prefix puts a place before the message of an error that Refused returns, and keeps the kind and
// the next steps. Other errors are returned as they are.
func Prefix(place string, err error) error {
	if e, ok := Refused(err); ok && place != "" {
		return e.Kind.New(place+e.Msg, "", e.Next...)
	}
	return err
}

// Refused returns the error if it rejects the request: Usage, Invalid, NotFound, Conflict or
// Denied.
func Refused(err error) (e *Error, ok bool) {
	if errors.As(err, &e) {
		switch e.Kind {
		case Usage, Invalid, NotFound, Conflict, Denied:
			return e, true
		}
	}
	return nil, false
}

// Then adds steps to e, and returns it.
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

// Steps returns a step with the hint, unless that is "", and the other steps after it.
func Steps(hint string, next ...Step) []Step {
	if hint == "" {
		return next
	}
	return append([]Step{{Text: hint}}, next...)
}

// Do returns a step that names an operation; it runs nothing. args has names and values of
// arguments in turn.
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

// Words returns the operation and arguments of a step as an adapter writes them, or "" if the
// adapter has no such operation.
type Words func(Step) string

// In returns the step as text for one adapter, or "" if that has no such operation. words may be
// nil: then only plain sentences are returned.
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

// Say returns steps in the words of an adapter, on one line, with "; " between them.
func Say(steps []Step, words Words) string { return Join(steps, words, "; ") }

// Join is Say with another text between two steps. A step that begins with "or" follows a comma.
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

// Next returns the next steps of an error, nil if it has none.
func Next(err error) []Step {
	var e *Error
	if errors.As(err, &e) {
		return e.Next
	}
	return nil
}

// Names returns the names of a step's arguments, sorted.
func (s Step) Names() []string { return slices.Sorted(maps.Keys(s.Args)) }

// Clip cuts a text to n characters for a message; the last of a cut text is "…".
func Clip(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
