package tui

import (
	"context"
	"errors"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board/fault"
)

// contact is whether the server of the boards answers, as whatever is asked of it tells.
type contact struct {
	mu     sync.Mutex
	last   error
	turned chan error // the last turn that Update has not heard of
}

// contactMsg says that the server of the boards is away, or is back.
type contactMsg struct{ away error }

// told notes what a question to the server came to. Only what is new is passed on.
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

// awaitTurn waits until the server goes away, or comes back.
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

// turned shows that the server is away. Once it is back, nothing says any more that it
// was, and every page reads again what it shows.
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

// unread says what went wrong with a reading that nobody has asked for. That the server
// is away is said already, for as long as it is.
func unread(err error) tea.Cmd {
	if errors.Is(err, fault.Away) {
		return nil
	}
	return noticeError(err)
}

// waiting says what is done just now, and what it waits for while the server is away.
func (a *app) waiting(doing string) string {
	if a.away == nil {
		return doing
	}
	return doing + " It waits for the server, and goes on when that is back: " + a.explain(a.away)
}

// lost says that what is shown of the run may be otherwise by now: the server does not
// answer.
func (p *runPage) lost() bool {
	return p.app.away != nil || errors.Is(p.err, fault.Away) || errors.Is(p.follow.err, fault.Away)
}
