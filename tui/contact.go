package tui

import (
	"context"
	"errors"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board/fault"
)

// contact tracks whether the boards' server answers, from the results of all requests.
type contact struct {
	mu     sync.Mutex
	last   error
	turned chan error // the last change that Update has not received
}

// contactMsg reports that the boards' server is away or back.
type contactMsg struct{ away error }

// told records the result of a request. Only changes are passed on.
func (c *contact) told(away error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if (away == nil) == (c.last == nil) {
		return
	}
	c.last = away
	select {
	case <-c.turned:
	default:
	}
	c.turned <- away
}

// awaitTurn waits until the state of the server changes.
func (a *app) awaitTurn() tea.Cmd {
	if a.still {
		return nil
	}
	return a.do(func(ctx context.Context) tea.Msg {
		select {
		case away := <-a.contact.turned:
			return contactMsg{away}
		case <-ctx.Done():
			return nil
		}
	})
}

// turned shows that the server is away. When it is back, the notice disappears and every
// page reads its data again.
func (m *model) turned(msg contactMsg) tea.Cmd {
	m.app.away = msg.away
	cmds := []tea.Cmd{m.app.awaitTurn(), m.broadcast(msg)}
	if msg.away != nil {
		return tea.Batch(cmds...)
	}
	if errors.Is(m.notice.err, fault.Away) {
		m.notice = noticeMsg{}
	}
	for _, kind := range []changed{changedRun, changedKnowledge, changedMemory} {
		cmds = append(cmds, m.broadcast(doneMsg{outcome: outcome{kind: kind}}))
	}
	return tea.Batch(append(cmds, m.askStatus(true))...)
}

// unread shows the error of a read in the background. If the server is away, that is
// shown already.
func unread(err error) tea.Cmd {
	if errors.Is(err, fault.Away) {
		return nil
	}
	return noticeError(err)
}

// waiting describes the current operation, and that it waits while the server is away.
func (a *app) waiting(doing string) string {
	if a.away == nil {
		return doing
	}
	return doing + " It waits for the server, and goes on when that is back: " + a.explain(a.away)
}

// lost notes that the page may be out of date, because the server does not answer.
func (p *runPage) lost() bool {
	return p.app.away != nil || errors.Is(p.err, fault.Away) || errors.Is(p.follow.err, fault.Away)
}
