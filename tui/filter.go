package tui

import (
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/keys"
)

// filter is a line to type into, which narrows a list as one types.
type filter struct {
	app    *app
	input  textinput.Model
	active bool   // it is typed into
	list   *list  // which can be walked meanwhile
	layout func() // called when it takes a line, or takes one no more
}

func newFilter(a *app, hint string, l *list, layout func()) filter {
	f := filter{app: a, input: a.newInput(), list: l, layout: layout}
	f.input.Prompt, f.input.Placeholder = "/ ", hint
	return f
}

// start begins the typing.
func (f *filter) start() tea.Cmd {
	f.active = true
	f.layout()
	return f.app.blink(f.input.Focus())
}

// stop ends the typing and keeps what was typed.
func (f *filter) stop() {
	f.active = false
	f.input.Blur()
	f.layout()
}

// clear empties it, and reports whether there was anything.
func (f *filter) clear() bool {
	had := f.value() != ""
	f.input.SetValue("")
	f.stop()
	return had
}

func (f *filter) value() string { return f.input.Value() }

// set fills it without typing.
func (f *filter) set(text string) {
	f.input.SetValue(text)
	f.layout()
}

// update takes a key while it is typed into, and reports whether the text is another one
// now.
func (f *filter) update(msg tea.Msg) (changed bool, cmd tea.Cmd) {
	before := f.value()
	if m, ok := msg.(tea.KeyMsg); ok {
		switch {
		case key.Matches(m, keys.Open), m.Type == tea.KeyTab:
			f.stop()
			return false, nil
		case key.Matches(m, keys.Cancel):
			return f.clear(), nil
		case m.Type == tea.KeyUp, m.Type == tea.KeyDown, m.Type == tea.KeyPgUp, m.Type == tea.KeyPgDown:
			f.list.update(m)
			return false, nil
		}
	}
	f.input, cmd = f.input.Update(msg)
	return f.value() != before, f.app.blink(cmd)
}

// shown says whether it takes a line.
func (f *filter) shown() bool { return f.active || f.value() != "" }

// view is one line of w cells.
func (f *filter) view(w int) string {
	f.input.Width = max(w-4, 1)
	if f.active {
		return fit(f.input.View(), w)
	}
	return fit(f.app.st.accent.Render("/ "+oneLine(f.value(), w))+f.app.st.faint.Render("  esc takes it away"), w)
}

// actions are the keys while it is typed into.
func (f *filter) actions() actions {
	return actions{}.also(keys.Renamed(keys.Open, "keep it"), keys.Renamed(keys.Cancel, "take it away"))
}
