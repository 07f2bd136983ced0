package page

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Action is a key and its function. Without a function it is only listed in the help: the
// program, a list or a text handles it.
type Action struct {
	key.Binding
	do func() tea.Cmd
}

func On(b key.Binding, do func() tea.Cmd) Action { return Action{b, do} }

// Unlisted is an action that the help does not list.
func (a Action) Unlisted() Action {
	a.Binding.SetHelp("", "")
	return a
}

// Actions are the available actions, most useful first.
type Actions []Action

// Press runs the action of a key, and reports whether there is one.
func (all Actions) Press(msg tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	for _, a := range all {
		if a.do != nil && key.Matches(msg, a.Binding) {
			return a.do(), true
		}
	}
	return nil, false
}

// Also adds keys that are only listed.
func (all Actions) Also(more ...key.Binding) Actions {
	for _, b := range more {
		all = append(all, Action{Binding: b})
	}
	return all
}

// Bindings returns the listed keys.
func (all Actions) Bindings() (out []key.Binding) {
	for _, a := range all {
		if a.Help().Key != "" {
			out = append(out, a.Binding)
		}
	}
	return out
}
