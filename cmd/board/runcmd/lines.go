package runcmd

import (
	"fmt"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
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
func (p *program) signalLine(s *board.Signal) string {
	return ops.SignalLine(p.Page(), s, time.Now())
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

func (p *program) priority(s string) string { return ops.Priority(p.Page(), s) }
