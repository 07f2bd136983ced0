package tui

import (
	"context"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/keys"
)

// keyPresses takes keys that arrived together, as they do when a key is held down over a
// slow line, one after the other; what follows a key that asks for text is text. Keys
// that come while an answer is waited for wait as well.
func (m *model) keyPresses(msg tea.KeyMsg) tea.Cmd {
	if m.app.holds > 0 && !key.Matches(msg, keys.Leave) {
		m.held = append(m.held, msg)
		return nil
	}
	if msg.Type != tea.KeyRunes || len(msg.Runes) < 2 || m.focus().typing() {
		return m.key(msg)
	}
	if msg.Paste {
		return nil // nobody means a text that is pasted as commands
	}
	first, rest := msg, msg
	first.Runes, rest.Runes = msg.Runes[:1], msg.Runes[1:]
	return tea.Batch(m.handleAll(first), m.handleAll(rest))
}

// release takes an answer that keys have waited for, and then the keys.
func (m *model) release(msg heldMsg) tea.Cmd {
	m.app.holds--
	cmds := []tea.Cmd{m.handleAll(msg.msg)}
	for m.app.holds == 0 && len(m.held) > 0 {
		next := m.held[0]
		m.held = m.held[1:]
		cmds = append(cmds, m.handleAll(next))
	}
	return tea.Batch(cmds...)
}

func (m *model) key(msg tea.KeyMsg) tea.Cmd {
	focus := m.focus()
	m.notice = noticeMsg{}
	switch {
	case key.Matches(msg, keys.Leave):
		return tea.Quit
	case key.Matches(msg, keys.Suspend):
		m.app.screenAway()
		return tea.Suspend
	case key.Matches(msg, keys.Redraw):
		return tea.ClearScreen
	case m.tooSmall():
		return nil // nobody sees what a key would do
	case focus.typing():
		return focus.update(msg)
	case key.Matches(msg, keys.Help):
		return m.help()
	case len(m.overs) > 0:
		return m.focusKey(msg)
	case key.Matches(msg, keys.Jump):
		return m.jump()
	case key.Matches(msg, keys.Search):
		_, cmd := m.Update(overlayMsg{newSearch(m.app)}) // at once: the next key is text already
		return cmd
	case key.Matches(msg, keys.Memory):
		if _, there := m.top().(*memoryPage); there {
			return nil
		}
		return m.app.push(newMemoryPage(m.app))
	case key.Matches(msg, keys.Undo):
		return m.undo()
	case key.Matches(msg, keys.Quit), key.Matches(msg, keys.Back):
		return m.back(msg)
	}
	return m.focusKey(msg)
}

// focusKey gives a key to the page that has the keys. If it does nothing there, that is
// said: somebody who hears nothing types on, and what is typed are keys too.
func (m *model) focusKey(msg tea.KeyMsg) tea.Cmd {
	focus := m.focus()
	known := key.Matches(msg, keys.Moving()...) || slices.ContainsFunc(focus.actions(),
		func(a action) bool { return key.Matches(msg, a.Binding) })
	cmd := focus.update(msg)
	if !known && cmd == nil && len(m.app.next) == 0 {
		return notice(oneLine(msg.String(), 20) + " does nothing here · ? keys")
	}
	return cmd
}

// back leaves the page, after it had its chance: a page may have something of its own to
// leave first, such as a filter.
func (m *model) back(msg tea.KeyMsg) tea.Cmd {
	if l, ok := m.top().(leaver); ok {
		if cmd, left := l.leave(); left {
			return cmd
		}
	}
	if len(m.pages) > 1 {
		m.pop()
		return nil
	}
	if key.Matches(msg, keys.Quit) {
		return tea.Quit
	}
	return notice("q leaves the program")
}

// undo asks whether the last act shall be taken back.
func (m *model) undo() tea.Cmd {
	if len(m.undos) == 0 {
		return notice("nothing was done yet that could be taken back")
	}
	last := m.undos[len(m.undos)-1]
	forget := func(error) tea.Cmd {
		m.undos = slices.DeleteFunc(m.undos, func(u *undo) bool { return u == last })
		return nil
	}
	if last.do == nil {
		forget(nil) // the next key is about what was done before
		return notice(last.text)
	}
	f := newForm(m.app, form{heading: "Undo", intro: []string{strings.ToUpper(last.text[:1]) + last.text[1:] + "?"}, button: "undo", submit: func(ctx context.Context, _ values) (outcome, error) {
		return last.do(ctx)
	}})
	f.tried = forget // what cannot be taken back is not in the way of the others
	return m.app.overlay(f)
}

func (m *model) mouse(msg tea.MouseMsg) tea.Cmd {
	if m.tooSmall() {
		return nil
	}
	if len(m.overs) > 0 {
		over := m.focus()
		x, y := m.placeOf(over.view())
		msg.X, msg.Y = msg.X-x, msg.Y-y
		return over.update(msg)
	}
	msg.Y-- // the header
	if msg.Y < 0 || msg.Y >= m.h-chrome {
		return nil
	}
	return m.top().update(msg)
}
