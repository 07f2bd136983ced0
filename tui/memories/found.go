package memories

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
	counts [Sections]int64
}

// found counts the matches of the filter in each tab, up to memoryMost.
func (q Query) found(
	ctx context.Context, s *memory.Store, now time.Time,
) (out memoryFound, err error) {
	out.text = q.Text
	for q.Section = range Sections {
		if q.Section.Note() != "" && q.Agent == "" {
			continue
		}
		rows, _, err := q.Read(ctx, s, now, "", memoryMost)
		if err != nil {
			return out, err
		}
		out.counts[q.Section] = int64(len(rows))
	}
	return out, nil
}

// count counts the matches of the filter in each tab, if there is a filter.
func (p *Page) count() tea.Cmd {
	q := p.query
	if q.Text == "" {
		p.counting.Drop()
		p.found = memoryFound{}
		return nil
	}
	return p.counting.Ask(p.app, p, func(ctx context.Context) func() tea.Cmd {
		var found memoryFound
		err := p.app.WithMemory(ctx, q.Agent, func(s *memory.Store) (err error) {
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
func (p *Page) elsewhere() string {
	var parts []string
	for s := range Sections {
		if n := p.found.counts[s]; n > 0 && s != p.query.Section && p.found.text == p.query.Text {
			parts = append(parts, fmt.Sprintf("%s has %s", memorySections[s].name, cells.Count(n)))
		}
	}
	return strings.Join(parts, ", ")
}
