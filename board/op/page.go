package op

import (
	"fmt"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/text"
)

// ANSI colours, by what they mean.
const (
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Bold   = "1"
	Dim    = "2"
)

// Page is where the text of an answer is written, for a person or a model. What others
// wrote goes through Line or Block, so that it cannot look like what the program says.
type Page struct {
	strings.Builder
	Color bool
	Words fault.Words // how the reader does an operation
}

// Printf writes what the program says.
func (p *Page) Printf(format string, a ...any) { fmt.Fprintf(p, format, a...) }

// Paint colours a text, if the reader sees colours.
func (p *Page) Paint(code, s string) string {
	if !p.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Line is a text on one line, of at most n characters.
func (p *Page) Line(s string, n int) string {
	return text.Visible(fault.Clip(strings.Join(strings.Fields(s), " "), n))
}

// Block is a text with a mark before each line.
func (p *Page) Block(s, mark string) string {
	return mark + strings.ReplaceAll(text.Visible(s), "\n", "\n"+mark)
}
