package runs

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
)

const (
	// freshFor is how long a new or changed entry or signal is marked.
	freshFor = 8 * time.Second
	// maxFresh is the most marks: more than fit on a screen are useless.
	maxFresh = 400
)

// fresh are the new or changed entries and signals, with the times at which their marks
// end.
type fresh struct {
	until map[string]time.Time
	asked bool // a timer for the end of marks is running
}

// isFresh reports whether something is marked. In the past nothing is.
func (p *Page) isFresh(id string) bool {
	_, there := p.fresh.until[id]
	return there && !p.back.on
}

// changed marks what events are about, and starts the timer for the end of the marks.
func (p *Page) changed(events []board.Event) tea.Cmd {
	f := &p.fresh
	if len(f.until)+len(events) > maxFresh {
		f.until = nil
		events = events[max(len(events)-maxFresh, 0):]
	}
	if f.until == nil {
		f.until = map[string]time.Time{}
	}
	until := p.app.Now().Add(freshFor)
	for i := range events {
		f.until[events[i].ID] = until
	}
	return p.unmark()
}

// unmark removes expired marks, and sets the timer for the others.
func (p *Page) unmark() tea.Cmd {
	now := p.app.Now()
	for id, until := range p.fresh.until {
		if !until.After(now) {
			delete(p.fresh.until, id)
		}
	}
	if len(p.fresh.until) == 0 || p.fresh.asked {
		return nil
	}
	p.fresh.asked = true
	return p.app.After(freshFor/4, p, func() tea.Cmd {
		p.fresh.asked = false
		return p.unmark()
	})
}
