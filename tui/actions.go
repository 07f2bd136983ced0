package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// action is a key with what it does. Without do it is listed for those who look for it:
// the program, a list or a text takes it.
type action struct {
	key.Binding
	do func() tea.Cmd
}

// unlisted is an action that no help names.
func (a action) unlisted() action {
	a.Binding.SetHelp("", "")
	return a
}

// actions are what can be done somewhere, the most useful first.
type actions []action

// press does what a key says, and reports whether it was one of these.
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

// with adds others.
func (all actions) with(more actions) actions { return append(all, more...) }

// bindings are the keys that are listed.
func (all actions) bindings() (out []key.Binding) {
	for _, a := range all {
		if a.Help().Key != "" {
			out = append(out, a.Binding)
		}
	}
	return out
}
