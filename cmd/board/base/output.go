package base

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"blackboard/board/text"
)

// CheckedWriter remembers its first error: lost output (a full disk) fails the command.
type CheckedWriter struct {
	W   io.Writer
	Err error
}

func (c *CheckedWriter) Write(b []byte) (int, error) {
	n, err := c.W.Write(b)
	if err != nil && c.Err == nil {
		c.Err = err
	}
	return n, err
}

// Printf prints to stdout. Text that agents wrote must go through Safe first.
func (p *Program) Printf(format string, a ...any) { fmt.Fprintf(p.Out, format, a...) }

// Messagef prints a message to stderr, with a newline.
func (p *Program) Messagef(format string, a ...any) { fmt.Fprintf(p.Err, format+"\n", a...) }

// JSON prints one object: "v":1 and the given pairs of name and value.
func (p *Program) JSON(pairs ...any) error {
	if p.Answered != nil {
		p.Answered(pairs)
	}
	var b bytes.Buffer
	b.WriteString(`{"v":1`)
	for i := 0; i < len(pairs); i += 2 {
		var value bytes.Buffer
		enc := json.NewEncoder(&value)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(pairs[i+1]); err != nil {
			return err
		}
		fmt.Fprintf(&b, `,%q:%s`, pairs[i], bytes.TrimSpace(value.Bytes()))
	}
	b.WriteString("}\n")
	_, err := p.Out.Write(b.Bytes())
	return err
}

// Answer ends a command: with its error, else with its result, as JSON (pairs as JSON
// takes them) or by text, which prints it for people.
func (p *Program) Answer(c *cli.Context, err error, text func(), pairs ...any) error {
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.JSON(pairs...)
	}
	text()
	return nil
}

// AnswerFailed is Answer for a result that may be a failure: exit code 1.
func (p *Program) AnswerFailed(c *cli.Context, failed bool, text func(), pairs ...any) error {
	err := p.Answer(c, nil, text, pairs...)
	if err == nil && failed {
		err = ExitError(ExitFailure)
	}
	return err
}

// PrintDocument prints a text as it is; to a terminal without agents' control characters.
func (p *Program) PrintDocument(text string) {
	if p.Terminal {
		text = Safe(text)
	}
	p.Printf("%s\n", text)
}

// EndList tells on stderr that a list is empty or cut.
func (p *Program) EndList(n int, more bool, what string) {
	switch {
	case n == 0:
		p.Messagef("no %s found", what)
	case more:
		p.Messagef("the first %d are shown; --limit 0 shows all", n)
	}
}

// CutList is the first limit rows of a list, all for 0, and whether there are more.
func CutList[T any](all []T, limit int) ([]T, bool) {
	if limit > 0 && len(all) > limit {
		return all[:limit], true
	}
	return all, false
}

func Megabytes(n int64) string { return text.Megabytes(n) }

// WouldBe is the prefix of a result in a dry run, "" otherwise.
func WouldBe(dry bool) string {
	if dry {
		return "would be "
	}
	return ""
}

// TerminalWidth is a terminal's width in cells; 0 for no terminal, or one too narrow to wrap.
func TerminalWidth(stream any) int {
	f, ok := stream.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 20 {
		return 0
	}
	return width
}

func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
