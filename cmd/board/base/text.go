package base

import (
	"time"

	"blackboard/board"
	"blackboard/board/op"
	"blackboard/board/text"
)

// Safe makes text that agents wrote harmless on a terminal.
func Safe(s string) string { return text.Visible(s) }

// Line is content on one line of at most n characters.
func Line(s string, n int) string { return Safe(board.Line(s, n)) }

// ANSI colours, by what they mean.
const (
	Red    = op.Red
	Green  = op.Green
	Yellow = op.Yellow
	Bold   = op.Bold
	Dim    = op.Dim
)

func (p *Program) Paint(code, s string) string { return p.Page().Paint(code, s) }

// FormatTime is a time for people: UTC, to the second.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// Count is a number with its noun: "1 entry", "3 entries".
func Count(n int64, one, many string) string { return text.Count(n, one, many) }
