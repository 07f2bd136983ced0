package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// action is a key and its function. Without a function it is only listed in the help: the
// program, a list or a text handles it.
type action struct {
	key.Binding
	do func() tea.Cmd
}

// unlisted is an action that the help does not list.
func (a action) unlisted() action {
	a.Binding.SetHelp("", "")
	return a
}

// actions are the available actions, most useful first.
type actions []action

// press runs the action of a key, and reports whether there is one.
func (all actions) press(msg tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	for _, a := range all {
		if a.do != nil && key.Matches(msg, a.Binding) {
			return a.do(), true
		}
	}
	return nil, false
}

// also adds keys that are only listed.
func (all actions) also(more ...key.Binding) actions {
	for _, b := range more {
		all = append(all, action{Binding: b})
	}
	return all
}

// with adds actions.
func (all actions) with(more actions) actions { return append(all, more...) }

// bindings returns the listed keys.
func (all actions) bindings() (out []key.Binding) {
	for _, a := range all {
		if a.Help().Key != "" {
			out = append(out, a.Binding)
		}
	}
	return out
}
