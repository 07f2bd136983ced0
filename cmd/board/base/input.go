package base

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/text"
)

// Content is the text argument of a command that stores it for good. An id, or a JSON
// post, is refused: it was meant for another command.
func (p *Program) Content(c *cli.Context, what string, args []string) (string, error) {
	if len(args) == 1 && LooksLikeID.MatchString(args[0]) {
		return "", notText(c, what, args[0])
	}
	said, err := p.oneText(c, what, args)
	if err != nil {
		return "", err
	}
	var post struct{ Content *string }
	if (len(args) == 0 || args[0] == "-") && json.Unmarshal([]byte(said), &post) == nil &&
		post.Content != nil {
		return "", Usagef("`board post --batch` reads posts as JSON lines",
			"the %s is a JSON object with a content of its own", what)
	}
	return said, nil
}

// Text is the text argument of a command that has a sibling named show.
func (p *Program) Text(c *cli.Context, what string, args []string) (string, error) {
	if len(args) == 1 && args[0] == "show" {
		return "", notText(c, what, args[0])
	}
	return p.oneText(c, what, args)
}

// oneText is a command's text: its one argument, or stdin if that is "-" or missing.
func (p *Program) oneText(c *cli.Context, what string, args []string) (string, error) {
	switch {
	case len(args) > 1:
		return "", Usagef("quote the text as one argument; a flag that takes several values is repeated",
			"one %s is needed, but %d are given: %q, %q", what, len(args), Line(args[0], 40),
			Line(args[1], 40))
	case len(args) == 1 && (args[0] == "list" || args[0] == "help"):
		return "", notText(c, what, args[0])
	case len(args) == 1 && args[0] != "-":
		return args[0], nil
	case len(args) == 0 && IsTerminal(p.In):
		return "", Usagef("give it as an argument, or pipe it in", "no %s is given", what)
	}
	data, err := p.ReadAll(c.Context, p.In, MaxText+1)
	if err != nil {
		return "", err
	}
	if len(data) > MaxText {
		return "", Usagef("keep what matters, and name the file with the rest",
			"the %s is larger than 1 MiB", what)
	}
	said := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if len(args) == 0 && strings.TrimSpace(said) == "" {
		return "", Usagef("give it as an argument, or pipe it in",
			"no %s is given: there is no argument, and standard input is empty", what)
	}
	return said, nil
}

// Question is a text to search for: the arguments, or standard input, of which at most 1
// MiB is read; cut reports whether there was more. On a terminal it may be missing.
func (p *Program) Question(c *cli.Context, args []string) (text string, there, cut bool, err error) {
	if len(args) > 1 || len(args) == 1 && args[0] != "-" {
		return strings.Join(args, " "), true, false, nil
	}
	if len(args) == 0 && IsTerminal(p.In) {
		return "", false, false, nil
	}
	data, err := p.ReadAll(c.Context, p.In, MaxText+1)
	return string(data[:min(len(data), MaxText)]), true, len(data) > MaxText, err
}

// MaxText is the most bytes of any text; each kind has a far lower limit of its own.
const MaxText = 1 << 20

func notText(c *cli.Context, what, arg string) error {
	return Usagef("`board "+CommandName(c)+" --help` shows what it takes; pipe it in if it is meant",
		"%q is no %s", arg, what)
}

// LooksLikeID matches ids of entries and signals.
var LooksLikeID = text.NewRegexp(`^[es][0-9]+$`)

// ReadAll reads at most limit bytes of text. A signal ends the wait for input.
func (p *Program) ReadAll(ctx context.Context, in io.Reader, limit int64) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(text.Reader(in), limit))
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// OpenNamed opens a text that a flag or an argument names, stdin for "-".
func (p *Program) OpenNamed(name, what string) (io.Reader, func(), error) {
	if name == "-" {
		if IsTerminal(p.In) {
			return nil, nil, Usagef("pipe it in, or name its file", "no %s is given", what)
		}
		return text.Reader(p.In), func() {}, nil
	}
	f, err := OpenInput(name)
	if err != nil {
		return nil, nil, err
	}
	return text.Reader(f), func() { f.Close() }, nil
}

func OpenInput(name string) (*disk.File, error) {
	f, err := disk.OpenNamed(name)
	if errors.Is(err, os.ErrNotExist) {
		try := "check the path"
		if strings.HasPrefix(name, "{") || strings.HasPrefix(name, "[") {
			try = "JSON goes on standard input: name -"
		}
		return nil, fault.NotFound.New("there is no file "+Line(name, 200), try)
	}
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, Usagef("name a file in it", "%s is a directory", name)
	}
	return f, nil
}

// JSONValue reads a value from the command line: JSON, or a plain word as a string.
// Invalid JSON that begins like an object, a list or a string is an error.
func JSONValue(s string, asString bool) (json.RawMessage, error) {
	if !utf8.ValidString(s) {
		return nil, Usagef("convert it to UTF-8 first", "the value is not valid UTF-8")
	}
	if !asString && json.Valid([]byte(s)) {
		return json.RawMessage(s), nil
	}
	if !asString && (strings.TrimSpace(s) == "" || strings.ContainsRune(`{["`,
		rune(strings.TrimSpace(s)[0]))) {
		return nil, Usagef("quote it for the shell ('{\"a\":1}'), or take it as a string (--help has the flag)",
			"%q is not valid JSON", board.Line(s, 80))
	}
	data, err := json.Marshal(s)
	return data, err
}
