package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
)

const (
	// freshFor is how long an entry or a question that came or changed is marked.
	freshFor = 8 * time.Second
	// maxFresh is how many are marked at most: more than a screen has say nothing.
	maxFresh = 400
)

// fresh are the entries and questions that came or changed just now, and until when they
// are marked.
type fresh struct {
	until map[string]time.Time
	asked bool // a look at what is not fresh any more is under way
}

// isFresh reports whether something is marked. In the past nothing is.
func (p *runPage) isFresh(id string) bool {
	_, there := p.fresh.until[id]
	return there && !p.back.on
}

// changed marks what events are about, and sees to it that the marks go.
func (p *runPage) changed(events []board.Event) tea.Cmd {
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

// unmark takes the marks away whose time is over, and looks again when that of others is.
func (p *runPage) unmark() tea.Cmd {
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
	return p.app.after(freshFor/4, p, func() tea.Cmd {
		p.fresh.asked = false
		return p.unmark()
	})
}
