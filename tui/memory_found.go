package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
)

// memoryFound has the number of matches of the filter in each tab.
type memoryFound struct {
	text   string // the filter; "": nothing was counted
	counts [sections]int64
}

// found counts the matches of the filter in each tab, up to memoryMost.
func (q memoryQuery) found(
	ctx context.Context, s *memory.Store, now time.Time,
) (out memoryFound, err error) {
	out.text = q.text
	for q.section = range sections {
		q.place = ""
		if q.section.note() != "" && q.agent == "" {
			continue
		}
		rows, _, err := q.read(ctx, s, now, "", memoryMost)
		if err != nil {
			return out, err
		}
		out.counts[q.section] = int64(len(rows))
	}
	return out, nil
}

// count counts the matches of the filter in each tab, if there is a filter.
func (p *memoryPage) count() tea.Cmd {
	q := p.query
	if q.text == "" {
		p.counting.Drop()
		p.found = memoryFound{}
		return nil
	}
	return p.counting.Ask(p.app, p, func(ctx context.Context) func() tea.Cmd {
		var found memoryFound
		err := p.app.WithMemory(ctx, q.agent, func(s *memory.Store) (err error) {
			found, err = q.found(ctx, s, p.app.Now())
			return err
		})
		return func() tea.Cmd {
			if err == nil { // the list shows the error
				p.found = found
				p.SetSize(p.w, p.h) // counts may have widened the tabs
			}
			return nil
		}
	})
}

// elsewhere names the other tabs with matches; "" if there are none.
func (p *memoryPage) elsewhere() string {
	var parts []string
	for s := range sections {
		if n := p.found.counts[s]; n > 0 && s != p.query.section && p.found.text == p.query.text {
			parts = append(parts, fmt.Sprintf("%s has %s", memorySections[s].name, cells.Count(n)))
		}
	}
	return strings.Join(parts, ", ")
}
