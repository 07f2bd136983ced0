package page

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

// ContactMsg reports that the boards' server is away or back.
type ContactMsg struct{ Away error }

// record records the result of a request. Only changes are passed on.
func (c *contact) record(away error) {
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

// AwaitTurn waits until the state of the server changes.
func (a *App) AwaitTurn() tea.Cmd {
	if a.Still {
		return nil
	}
	return a.Do(func(ctx context.Context) tea.Msg {
		select {
		case away := <-a.contact.turned:
			return ContactMsg{away}
		case <-ctx.Done():
			return nil
		}
	})
}

// Unread shows a background read's error, unless it shows already that the server is away.
func Unread(err error) tea.Cmd {
	if errors.Is(err, fault.Away) {
		return nil
	}
	return NoticeError(err)
}

// Waiting describes the current operation, and that it waits while the server is away.
func (a *App) Waiting(doing string) string {
	if a.Away == nil {
		return doing
	}
	return doing + " It waits for the server, and goes on when that is back: " + a.Explain(a.Away)
}
