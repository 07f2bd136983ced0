package page

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
	"blackboard/tui/keys"
)

// Choice is a line of a picker.
type Choice struct {
	Value string
	Label string
	Note  string
	other bool // for a value that is not listed: asks for it
}

// Another is the choice for a value that is not listed.
var Another = Choice{Label: "another…", Note: "by its name", other: true}

// Picker is an overlay with a list of choices.
type Picker struct {
	Plain
	App     *App
	Heading string
	Name    string // what a choice is, for the form of another
	Choices []Choice
	Take    func(value string) tea.Cmd
	copies  bool // values can be copied
	List    List
	inner   int
}

// NewPicker starts with the current choice.
func NewPicker(o *Picker, now string) *Picker {
	o.List = List{App: o.App, Row: o.row}
	o.List.SetLen(len(o.Choices))
	o.List.MoveTo(slices.IndexFunc(o.Choices,
		func(c Choice) bool { return c.Value == now && !c.other }))
	return o
}

// Update moves the cursor, or takes the choice.
func (o *Picker) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if cmd, ok := o.Actions().Press(msg); ok {
			return cmd
		}
		o.List.Update(msg)
	case tea.MouseMsg:
		if o.List.Mouse(msg, msg.Y-1) {
			return o.takeChosen()
		}
	}
	return nil
}

// takeChosen applies the choice, or asks for a name that is not listed.
func (o *Picker) takeChosen() tea.Cmd {
	o.App.CloseOverlay(o)
	c := o.Choices[o.List.Cursor]
	if !c.other {
		return o.Take(c.Value)
	}
	fields := []*Field{{Name: "name", Label: o.Name, Required: true}}
	f := NewForm(o.App, Form{Heading: o.Heading, Fields: fields, Button: "look",
		Submit: func(context.Context, Values) (Outcome, error) { return Outcome{}, nil }})
	f.Tried = func(error) tea.Cmd { return o.Take(f.Values()["name"]) }
	return o.App.Overlay(f)
}

// SetSize fits the picker into a page of w × h cells.
func (o *Picker) SetSize(w, h int) {
	o.inner = min(w-6, 64)
	o.List.SetSize(o.inner, min(len(o.Choices), max(h-4, 1)))
}

func (o *Picker) row(i, w int) string {
	c := &o.Choices[i]
	return cells.Spread(cells.OneLine(c.Label, 200),
		o.App.Styles.Faint.Render(cells.OneLine(c.Note, 200)), w)
}

// View returns the choices in a frame.
func (o *Picker) View() []string {
	return o.App.Styles.Box(o.Heading, "enter takes it · esc leaves it", o.List.View(true),
		o.inner)
}

// Title returns the heading of the picker.
func (o *Picker) Title() string { return o.Heading }

// Actions returns the keys for a choice.
func (o *Picker) Actions() Actions {
	leave := func() tea.Cmd { return o.App.CloseOverlay(o) }
	all := Actions{{keys.Renamed(keys.Open, "take it"), o.takeChosen}, {keys.Cancel, leave}, Action{keys.Quit, leave}.Unlisted()}
	if o.copies {
		all = append(all, Action{keys.Renamed(keys.CopyID, "copy it"),
			func() tea.Cmd { return o.App.CopyText(o.Choices[o.List.Cursor].Value) }})
	}
	return all.Also(keys.Moving()...)
}
