package page

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
)

// Messages to the model.
type (
	// PushMsg shows a page above the others.
	PushMsg struct{ Page Page }
	// HeldMsg is an answer for which keys have waited.
	HeldMsg struct{ Msg tea.Msg }
	// OverlayMsg shows an overlay above the page.
	OverlayMsg struct{ Over Page }
	// CloseMsg closes an overlay, or a page if it is on top.
	CloseMsg struct{ Over Page }
	// NoticeMsg shows a notice in the line of the keys, until the next key.
	NoticeMsg struct {
		Text string
		Good bool // an action has succeeded
		Err  error
	}
	// DoneMsg is the result of an action. It goes to every page, so that each can update.
	DoneMsg struct {
		Form *Form // the form of the action; nil: none
		Outcome
		Err error
	}
)

type Outcome struct {
	Text string // short, for the notice
	Undo *Undo  // how to undo it; nil: impossible
	Kind Changed
}

// Changed is what an action changed, for the pages that show it.
type Changed int

const (
	changedNothing   Changed = iota
	ChangedRun               // a run, or its entries and signals
	ChangedKnowledge         // capsules
	ChangedMemory            // items, notes and conversations
)

// Undo reverts an action.
type Undo struct {
	Text string // what it does: "reopen s3"; without Do, the reason why it is impossible
	Do   func(context.Context) (Outcome, error)
}

// EventsMsg reports events of a run. It goes to every page.
type EventsMsg struct {
	From   interface{ Board() *board.Board } // the page that follows the run
	Events []board.Event
	Err    error // why following has ended
}

// These change the screen at once, not by a command's later message: a fast typist's keys must
// reach the new page. They return no command, for callers to return.

func (a *App) Push(p Page) tea.Cmd { return a.Soon(PushMsg{p}) }

func (a *App) Pop(p Page) tea.Cmd { return a.Soon(CloseMsg{p}) }

func (a *App) Overlay(p Page) tea.Cmd { return a.Soon(OverlayMsg{p}) }

func (a *App) CloseOverlay(p Page) tea.Cmd { return a.Soon(CloseMsg{p}) }

// Soon handles a message before the next key.
func (a *App) Soon(msg tea.Msg) tea.Cmd {
	a.Next = append(a.Next, msg)
	return nil
}

// Hold is Do for something that keys must wait for, such as a form that needs to read
// first. Keys are queued meanwhile. An error is shown as a notice.
func (a *App) Hold(fn func(context.Context) (tea.Msg, error)) tea.Cmd {
	a.Held++
	return a.Do(func(ctx context.Context) tea.Msg {
		msg, err := fn(ctx)
		if err != nil {
			msg = NoticeMsg{Err: err}
		}
		return HeldMsg{msg}
	})
}

func Notice(text string) tea.Cmd { return func() tea.Msg { return NoticeMsg{Text: text} } }

func NoticeError(err error) tea.Cmd {
	return func() tea.Msg {
		if err == nil || errors.Is(err, context.Canceled) {
			return nil
		}
		return NoticeMsg{Err: err}
	}
}
