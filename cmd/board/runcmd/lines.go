package runcmd

import (
	"fmt"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/cmd/board/base"
)

// entryLine is an entry in a list.
func (p *program) entryLine(e *board.Entry) string {
	var marks []string
	if e.Status != board.Active {
		marks = append(marks, p.Paint(base.Yellow, e.Status))
	}
	if e.MustSurface {
		marks = append(marks, "must-surface")
	}
	if mark := e.Verified.Mark(); mark != "" {
		marks = append(marks, mark)
	}
	s := fmt.Sprintf("%-6s %-13s %s", e.ID, e.Type, base.Line(e.Content, 160))
	tail := base.Line(e.Worker, board.MaxName)
	if src := source(e); src != "" {
		tail += " · " + base.Line(src, 60)
	}
	if len(marks) > 0 {
		tail += " · " + strings.Join(marks, ", ")
	}
	return s + "\n" + strings.Repeat(" ", 7) + p.Paint(base.Dim, tail)
}

// signalLine is a signal in a list.
func (p *program) signalLine(s *board.Signal, now time.Time) string {
	out := fmt.Sprintf("%-6s %s %s %s", s.ID, padded(s.Priority, 9, p.priority),
		padded(s.Status, 9, func(w string) string { return w }), base.Line(s.Content, 160))
	if s.ClaimedAt(now) {
		out += p.Paint(base.Dim, fmt.Sprintf("  (claimed by %s until %s)",
			base.Line(s.ClaimedBy, board.MaxName), base.FormatTime(*s.LeaseUntil)))
	}
	switch s.Status {
	case board.Addressed:
		out += p.Paint(base.Dim, "  → "+s.AddressedBy)
	case board.Waived:
		out += p.Paint(base.Dim, fmt.Sprintf("  (waived by %s: %s)",
			base.Line(s.ClosedBy, board.MaxName), base.Line(s.Reason, 80)))
	}
	return out
}

func source(e *board.Entry) string {
	switch {
	case e.SourceDoc != "" && e.SourceRef != "":
		return e.SourceDoc + " @ " + e.SourceRef
	default:
		return e.SourceDoc + e.SourceRef
	}
}

// counts are the names with a count, in the given order: "observation 3, gap 1".
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

// padded paints a word and pads it to a width, which counts the word alone.
func padded(word string, width int, paint func(string) string) string {
	return paint(word) + strings.Repeat(" ", max(0, width-len(word)))
}

func (p *program) priority(s string) string {
	switch s {
	case "critical":
		return p.Paint(base.Red, s)
	case "high":
		return p.Paint(base.Yellow, s)
	}
	return s
}
