package runcmd

import (
	"fmt"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/hooks/ops"
)

// signalLine is a signal in a list.
func (p *program) signalLine(s *board.Signal) string {
	return ops.SignalLine(p.Page(), s, time.Now())
}

func (p *program) eventLine(e *board.Event) string { return ops.EventLine(p.Page(), e) }

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
