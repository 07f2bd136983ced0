package main

import (
	"fmt"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/text"
)

// safe makes text that agents wrote harmless on a terminal.
func safe(s string) string { return text.Visible(s) }

// line is content on one line.
func line(s string, n int) string { return safe(board.Line(s, n)) }

// indent puts a text under a heading. The mark before each line keeps what agents wrote apart from what the program says, also for CI runners, which obey
// lines that begin with "::".
func indent(s, by string) string { return by + strings.ReplaceAll(safe(s), "\n", "\n"+by) }

// ANSI colours, by what they mean.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	bold   = "1"
	dim    = "2"
)

func (p *program) paint(code, s string) string {
	if !p.color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p *program) priority(s string) string {
	switch s {
	case "critical":
		return p.paint(red, s)
	case "high":
		return p.paint(yellow, s)
	}
	return s
}

// padded paints a word and pads it to a width, which counts the word alone.
func padded(word string, width int, paint func(string) string) string {
	return paint(word) + strings.Repeat(" ", max(0, width-len(word)))
}

// clock is a time for people: UTC, to the second.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

func count(n int64, one, many string) string { return text.Count(n, one, many) }

// counts writes the names that have a count, in the order given: "observation 3, gap 1".
func counts(c board.CountsByName, order []string) string {
	var parts []string
	for _, name := range order {
		if n := c[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", name, n))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// entryLine is an entry in a list.
func (p *program) entryLine(e *board.Entry) string {
	var marks []string
	if e.Status != board.Active {
		marks = append(marks, p.paint(yellow, e.Status))
	}
	if e.MustSurface {
		marks = append(marks, "must-surface")
	}
	if mark := e.Verified.Mark(); mark != "" {
		marks = append(marks, mark)
	}
	s := fmt.Sprintf("%-6s %-13s %s", e.ID, e.Type, line(e.Content, 160))
	tail := line(e.Worker, board.MaxName)
	if src := source(e); src != "" {
		tail += " · " + line(src, 60)
	}
	if len(marks) > 0 {
		tail += " · " + strings.Join(marks, ", ")
	}
	return s + "\n" + strings.Repeat(" ", 7) + p.paint(dim, tail)
}

func source(e *board.Entry) string {
	switch {
	case e.SourceDoc != "" && e.SourceRef != "":
		return e.SourceDoc + " @ " + e.SourceRef
	default:
		return e.SourceDoc + e.SourceRef
	}
}

// signalLine is a signal in a list.
func (p *program) signalLine(s *board.Signal, now time.Time) string {
	out := fmt.Sprintf("%-6s %s %s %s", s.ID, padded(s.Priority, 9, p.priority), padded(s.Status, 9, func(w string) string { return w }), line(s.Content, 160))
	if s.ClaimedAt(now) {
		out += p.paint(dim, fmt.Sprintf("  (claimed by %s until %s)", line(s.ClaimedBy, board.MaxName), clock(*s.LeaseUntil)))
	}
	switch s.Status {
	case board.Addressed:
		out += p.paint(dim, "  → "+s.AddressedBy)
	case board.Waived:
		out += p.paint(dim, fmt.Sprintf("  (waived by %s: %s)", line(s.ClosedBy, board.MaxName), line(s.Reason, 80)))
	}
	return out
}
