package base

import (
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/op"
	"blackboard/board/text"
)

// Safe makes text that agents wrote harmless on a terminal.
func Safe(s string) string { return text.Visible(s) }

// Line is content on one line of at most n characters.
func Line(s string, n int) string { return Safe(board.Line(s, n)) }

// Indent puts a mark before each line. It keeps what agents wrote apart from the
// program's words, also for CI runners, which obey lines that begin with "::".
func Indent(s, by string) string { return by + strings.ReplaceAll(Safe(s), "\n", "\n"+by) }

// ANSI colours, by what they mean.
const (
	Red    = op.Red
	Green  = op.Green
	Yellow = op.Yellow
	Bold   = op.Bold
	Dim    = op.Dim
)

// Paint colours a text, if the output has colours.
func (p *Program) Paint(code, s string) string { return p.Page().Paint(code, s) }

// FormatTime is a time for people: UTC, to the second.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// Count is a number with its noun: "1 entry", "3 entries".
func Count(n int64, one, many string) string { return text.Count(n, one, many) }
