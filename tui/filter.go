package tui

import (
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
	"blackboard/tui/keys"
)

// filter is an input line that narrows a list while one types.
type filter struct {
	app    *app
	input  textinput.Model
	active bool   // the input has the keys
	list   *list  // the list, which can be walked meanwhile
	layout func() // called when the line appears or disappears
}

func newFilter(a *app, hint string, l *list, layout func()) filter {
	f := filter{app: a, input: a.newInput(), list: l, layout: layout}
	f.input.Prompt, f.input.Placeholder = "/ ", hint
	return f
}

// start gives the keys to the input.
func (f *filter) start() tea.Cmd {
	f.active = true
	f.layout()
	return f.app.blink(f.input.Focus())
}

// stop leaves the input and keeps the text.
func (f *filter) stop() {
	f.active = false
	f.input.Blur()
	f.layout()
}

// clear empties it, and reports whether it had a text.
func (f *filter) clear() bool {
	had := f.value() != ""
	f.input.SetValue("")
	f.stop()
	return had
}

func (f *filter) value() string { return f.input.Value() }

// set sets the text without giving it the keys.
func (f *filter) set(text string) {
	f.input.SetValue(text)
	f.layout()
}

// update handles a key of the input, and reports whether the text has changed.
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

// shown reports whether the line is shown.
func (f *filter) shown() bool { return f.active || f.value() != "" }

// view returns one line of w cells.
func (f *filter) view(w int) string {
	f.input.Width = max(w-4, 1)
	if f.active {
		return cells.Fit(f.input.View(), w)
	}
	return cells.Fit(f.app.st.Accent.Render("/ "+cells.OneLine(f.value(), w))+f.app.st.Faint.Render("  esc clears it"), w)
}

// actions returns the keys during input.
func (f *filter) actions() actions {
	return actions{}.also(keys.Renamed(keys.Open, "keep it"), keys.Renamed(keys.Cancel, "clear it"))
}
