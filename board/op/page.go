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
	Safe  bool        // a document is shown without control characters, as on a terminal
	Words fault.Words // how the reader does an operation
	// Tell gets the notes, which are no part of the answer; nil: they are written into the text.
	Tell func(string)
	// Shorten is for models, which get long texts: it cuts one to what there is room for,
	// and says which operation on what has the rest. Lists have at most Items then.
	Shorten func(s, operation, id string) string
	Items   int
}

// Text returns a text on one line: of at most n characters for people, cut by Shorten for models.
func (p *Page) Text(s string, n int, operation, id string) string {
	if p.Shorten == nil {
		return p.Line(s, n)
	}
	return strings.Join(strings.Fields(text.Visible(p.Shorten(s, operation, id))), " ")
}

// Whole returns a text as Block does; for models, Shorten cuts it.
func (p *Page) Whole(s, mark, operation, id string) string {
	if p.Shorten != nil {
		s = p.Shorten(s, operation, id)
	}
	return p.Block(s, mark)
}

// Document writes a text that the reader asked for, and nothing else: as it is, for a program. For
// a model, its later lines begin with a mark, so that they do not look like the program's.
func (p *Page) Document(s string) {
	if p.Shorten != nil {
		s = strings.ReplaceAll(text.Visible(p.Shorten(s, "", "")), "\n", "\n  | ")
	} else if p.Safe {
		s = text.Visible(s)
	}
	p.Printf("%s\n", s)
}

// Value is a JSON value on one line, with its blanks as they are.
func (p *Page) Value(v []byte, operation, id string) string {
	s := string(v)
	if p.Shorten != nil {
		s = p.Shorten(s, operation, id)
	}
	return strings.ReplaceAll(text.Visible(s), "\n", " ")
}

// FirstRows returns the rows of a list that an answer may show: all, or with Shorten the first Items.
func FirstRows[T any](p *Page, all []T) []T {
	if p.Shorten == nil {
		return all
	}
	return all[:min(len(all), p.Items)]
}

// Note tells something about an answer, such as that there is more: by Tell, or in the text.
func (p *Page) Note(s string) {
	if p.Tell == nil {
		p.Printf("%s\n", s)
		return
	}
	p.Tell(s)
}

// Step is a step in the words of the reader.
func (p *Page) Step(s fault.Step) string { return s.In(p.Words) }

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
