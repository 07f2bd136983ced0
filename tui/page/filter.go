package page

import (
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
)

// Filter is an input line that narrows a list while one types.
type Filter struct {
	app    *App
	input  textinput.Model
	Active bool   // the input has the keys
	list   *List  // the list, which can be walked meanwhile
	layout func() // called when the line appears or disappears
	Aside  string // is said beside a text that is kept
}

// NewFilter returns the filter of a list; hint is shown while it is empty.
func NewFilter(a *App, hint string, l *List, layout func()) Filter {
	f := Filter{app: a, input: a.NewInput(), list: l, layout: layout, Aside: "esc clears it"}
	f.input.Prompt, f.input.Placeholder = "/ ", hint
	return f
}

func (f *Filter) Start() tea.Cmd {
	f.Active = true
	f.layout()
	return f.app.Blink(f.input.Focus())
}

// Stop leaves the input and keeps the text.
func (f *Filter) Stop() {
	f.Active = false
	f.input.Blur()
	f.layout()
}

// Clear empties the text and leaves the input. It reports whether there was a text.
func (f *Filter) Clear() bool {
	had := f.Value() != ""
	f.input.SetValue("")
	f.Stop()
	return had
}

func (f *Filter) Value() string { return f.input.Value() }

func (f *Filter) Set(text string) {
	f.input.SetValue(text)
	f.layout()
}

// Update handles a key of the input, and reports whether the text has changed.
func (f *Filter) Update(msg tea.Msg) (changed bool, cmd tea.Cmd) {
	before := f.Value()
	if m, ok := msg.(tea.KeyMsg); ok {
		switch {
		case key.Matches(m, KeyOpen), m.Type == tea.KeyTab, m.Type == tea.KeyShiftTab:
			f.Stop()
			return false, nil
		case key.Matches(m, KeyCancel):
			return f.Clear(), nil
		case m.Type == tea.KeyUp, m.Type == tea.KeyDown, m.Type == tea.KeyPgUp, m.Type == tea.KeyPgDown:
			f.list.Update(m)
			return false, nil
		}
	}
	f.input, cmd = f.input.Update(msg)
	return f.Value() != before, f.app.Blink(cmd)
}

func (f *Filter) Shown() bool { return f.Active || f.Value() != "" }

// View returns one line of w cells.
func (f *Filter) View(w int) string {
	f.input.Width = max(w-4, 1)
	if f.Active {
		return cells.Fit(f.input.View(), w)
	}
	return cells.Fit(f.app.Styles.Accent.Render("/ "+cells.OneLine(f.Value(), w))+f.app.Styles.Faint.Render("  "+f.Aside), w)
}

func (f *Filter) Actions() Actions {
	return Actions{}.Also(Renamed(KeyOpen, "keep it"), Renamed(KeyCancel, "clear it"))
}
