package tui

import (
	"context"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
	"blackboard/tui/items"
	"blackboard/tui/page"
)

// handleKeys handles keys that arrived together, as with a held key on a slow line. A key
// that opens an input makes the rest text. Keys also wait while an answer is pending.
func (m *model) handleKeys(msg tea.KeyMsg) tea.Cmd {
	if m.app.Held > 0 && !key.Matches(msg, page.KeyLeave) {
		m.held = append(m.held, msg)
		return nil
	}
	if msg.Type != tea.KeyRunes || len(msg.Runes) < 2 || m.focus().Typing() {
		return m.key(msg)
	}
	if msg.Paste {
		return nil // pasted text must not run commands
	}
	first, rest := msg, msg
	first.Runes, rest.Runes = msg.Runes[:1], msg.Runes[1:]
	return tea.Batch(m.handleAll(first), m.handleAll(rest))
}

// release applies an answer that keys have waited for, and then the keys.
func (m *model) release(msg page.HeldMsg) tea.Cmd {
	m.app.Held--
	cmds := []tea.Cmd{m.handleAll(msg.Msg)}
	for m.app.Held == 0 && len(m.held) > 0 {
		next := m.held[0]
		m.held = m.held[1:]
		cmds = append(cmds, m.handleAll(next))
	}
	return tea.Batch(cmds...)
}

func (m *model) key(msg tea.KeyMsg) tea.Cmd {
	focus := m.focus()
	if !focus.Typing() {
		msg = m.app.Meant(msg)
	}
	m.notice = page.NoticeMsg{}
	switch {
	case key.Matches(msg, page.KeyLeave):
		return tea.Quit
	case key.Matches(msg, page.KeySuspend):
		m.app.RestoreTerminal()
		return tea.Suspend
	case key.Matches(msg, page.KeyRedraw):
		return tea.ClearScreen
	case m.isTooSmall():
		return nil // its effect would not be visible
	case focus.Typing():
		return focus.Update(msg)
	case key.Matches(msg, page.KeyHelp):
		return m.help()
	case len(m.overs) > 0:
		return m.focusKey(msg)
	case key.Matches(msg, page.KeyJump):
		return m.jump()
	case key.Matches(msg, page.KeySearch):
		return m.search("")
	case key.Matches(msg, page.KeyMemory):
		if p, there := m.top().(*items.Page); there {
			return p.Memory()
		}
		return m.app.Push(items.New(m.app))
	case key.Matches(msg, page.KeyUndo):
		return m.undo()
	case key.Matches(msg, page.KeyQuit), key.Matches(msg, page.KeyBack):
		return m.back(msg)
	}
	return m.focusKey(msg)
}

// focusKey passes a key to the page with the keys. If it has no effect, a notice says so.
// Otherwise the person might go on typing, and the text would run commands.
func (m *model) focusKey(msg tea.KeyMsg) tea.Cmd {
	focus := m.focus()
	known := key.Matches(msg, page.MovingKeys()...) || slices.ContainsFunc(focus.Actions(),
		func(a page.Action) bool { return key.Matches(msg, a.Binding) })
	cmd := focus.Update(msg)
	if !known && cmd == nil && len(m.app.Next) == 0 {
		return page.Notice(cells.OneLine(msg.String(), 20) + " does nothing here · ? keys")
	}
	return cmd
}

// back closes the page, unless it first undoes something of its own, such as a filter.
func (m *model) back(msg tea.KeyMsg) tea.Cmd {
	if l, ok := m.top().(page.Leaver); ok {
		if cmd, left := l.Leave(); left {
			return cmd
		}
	}
	if len(m.pages) > 1 {
		m.pop()
		return nil
	}
	if key.Matches(msg, page.KeyQuit) {
		return tea.Quit
	}
	return page.Notice("q leaves the program")
}

func (m *model) undo() tea.Cmd {
	if len(m.undos) == 0 {
		return page.Notice("there is nothing to undo")
	}
	last := m.undos[len(m.undos)-1]
	forget := func(error) tea.Cmd {
		m.undos = slices.DeleteFunc(m.undos, func(u *page.Undo) bool { return u == last })
		return nil
	}
	if last.Do == nil {
		forget(nil) // the next key is for the action before
		return page.Notice(last.Text)
	}
	f := page.NewAct(m.app, page.Act{Heading: "Undo", Button: "undo",
		Intro: []string{strings.ToUpper(last.Text[:1]) + last.Text[1:] + "?"},
		Do:    func(ctx context.Context, _ string) (page.Outcome, error) { return last.Do(ctx) }})
	f.Tried = forget // an impossible undo must not block the others
	return m.app.Overlay(f)
}
