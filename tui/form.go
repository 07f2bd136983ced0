package tui

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textarea"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
	"blackboard/tui/keys"
)

// values are the values of a form, by the names of its fields.
type values map[string]string

// field is one field of a form.
type field struct {
	name     string // the key in values
	label    string
	hint     string // shown while the field is empty
	value    string // the initial value
	choices  []string
	lines    int // above 1: a text of several lines
	required bool

	input textinput.Model
	area  textarea.Model
	pick  int // the index of the chosen one of choices

	// the original of a text of several lines: the text area changes tabs to blanks
	exact string
	shown string // the text area's form of exact
}

// maxAreaLines is the capacity of bubbles' text area, which drops further lines silently.
const maxAreaLines = 10_000

// loses returns why a form cannot edit a text, or "" if it can.
func loses(text string) string {
	if strings.Count(text, "\n") >= maxAreaLines {
		return "a form takes no more than " + cells.Count(maxAreaLines) + " lines"
	}
	return ""
}

// fill sets the text of a field.
func (fl *field) fill(text string) {
	if fl.lines > 1 {
		fl.area.SetValue(text)
		fl.exact, fl.shown = text, fl.area.Value()
		return
	}
	fl.input.SetValue(text)
	if fl.input.CursorEnd(); cells.Width(text) >= MinWidth-8 { // show the start of a long text
		fl.input.CursorStart()
	}
}

// form asks for some values and then runs an action. A form without fields asks for
// confirmation.
type form struct {
	plain
	heading string
	intro   []string // what the form is about, cleaned
	fields  []*field
	button  string // one word for the action
	submit  func(context.Context, values) (outcome, error)
	// tried is called after the action, with its error.
	tried func(error) tea.Cmd

	app   *app
	at    int // the field with the keys
	busy  bool
	err   error
	sure  bool   // esc was pressed once
	began values // the initial values
	h     int
	inner int // the width inside the frame
}

func newForm(a *app, f form) *form {
	f.app = a
	for _, fl := range f.fields {
		switch {
		case len(fl.choices) > 0:
			fl.pick = max(slices.Index(fl.choices, fl.value), 0)
		case fl.lines > 1:
			fl.area = a.newArea()
			fl.area.ShowLineNumbers, fl.area.Prompt, fl.area.CharLimit, fl.area.Placeholder = false, "", 0, aside(fl.hint)
			fl.area.MaxHeight = 0
			fl.area.SetHeight(fl.lines)
			fl.fill(fl.value)
		default:
			fl.input = a.newInput()
			fl.input.Prompt, fl.input.Placeholder = "", aside(fl.hint)
			fl.fill(fl.value)
		}
	}
	f.began = f.values()
	return &f
}

// aside puts a hint into parentheses, to distinguish it from typed text without colours.
func aside(hint string) string {
	if hint == "" {
		return ""
	}
	return "(" + hint + ")"
}

func (f *form) init() tea.Cmd { return f.focusOn(0) }

func (f *form) focusOn(i int) tea.Cmd {
	if len(f.fields) == 0 {
		return nil
	}
	f.at = (i + len(f.fields)) % len(f.fields)
	var cmd tea.Cmd
	for j, fl := range f.fields {
		switch {
		case len(fl.choices) > 0:
		case fl.lines > 1 && j == f.at:
			cmd = fl.area.Focus()
		case fl.lines > 1:
			fl.area.Blur()
		case j == f.at:
			cmd = fl.input.Focus()
		default:
			fl.input.Blur()
		}
	}
	return f.app.blink(cmd)
}

func (f *form) values() values {
	v := values{}
	for _, fl := range f.fields {
		v[fl.name] = fl.text()
	}
	return v
}

func (fl *field) text() string {
	switch {
	case len(fl.choices) > 0:
		return fl.choices[fl.pick]
	case fl.lines > 1:
		return strings.TrimSpace(fl.whole())
	default:
		return strings.TrimSpace(fl.input.Value())
	}
}

// whole returns the original of a text of several lines if it was not changed, else the
// text area's form.
func (fl *field) whole() string {
	if fl.area.Value() == fl.shown {
		return fl.exact
	}
	return fl.area.Value()
}

func (f *form) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case doneMsg:
		if msg.form == f {
			f.busy, f.err = false, msg.err
		}
		return nil
	case tea.KeyMsg:
		return f.key(msg)
	case tea.MouseMsg:
		return nil
	}
	return f.toField(msg) // for the cursor
}

// edited sets the text that was written in the editor.
func (f *form) edited(fl *field, text string, err error) tea.Cmd {
	if f.err = err; err == nil {
		fl.fill(strings.TrimRight(text, "\n"))
	}
	return nil
}

func (f *form) key(msg tea.KeyMsg) tea.Cmd {
	if f.busy { // while the action runs, typed text would be lost
		return nil
	}
	var fl *field
	if len(f.fields) > 0 {
		fl = f.fields[f.at]
	}
	area := fl != nil && fl.lines > 1
	f.err = nil
	if key.Matches(msg, keys.Cancel) || fl == nil && key.Matches(msg, keys.Quit, keys.No) {
		return f.leave()
	}
	f.sure = false
	switch {
	case key.Matches(msg, keys.Submit), fl == nil && key.Matches(msg, keys.Yes):
		return f.do()
	case key.Matches(msg, keys.Open) && !area:
		if f.at >= len(f.fields)-1 {
			return f.do()
		}
		return f.focusOn(f.at + 1)
	case key.Matches(msg, keys.NextField), !area && msg.Type == tea.KeyDown:
		return f.focusOn(f.at + 1)
	case key.Matches(msg, keys.PrevField), !area && msg.Type == tea.KeyUp:
		return f.focusOn(f.at - 1)
	case area && key.Matches(msg, keys.InEditor):
		return f.app.editText(f, fl.whole(), ".md", func(text string, err error) tea.Cmd { return f.edited(fl, text, err) })
	case fl != nil && len(fl.choices) > 0:
		switch {
		case key.Matches(msg, keys.ChoiceNext):
			fl.pick = (fl.pick + 1) % len(fl.choices)
		case key.Matches(msg, keys.ChoicePrev):
			fl.pick = (fl.pick + len(fl.choices) - 1) % len(fl.choices)
		}
		return nil
	}
	return f.toField(msg)
}

func (f *form) toField(msg tea.Msg) (cmd tea.Cmd) {
	if len(f.fields) == 0 {
		return nil
	}
	fl := f.fields[f.at]
	switch {
	case len(fl.choices) > 0:
	case fl.lines > 1:
		fl.area, cmd = fl.area.Update(msg)
	default:
		fl.input, cmd = fl.input.Update(msg)
	}
	return f.app.blink(cmd)
}

// leave closes the form. If something was typed, it needs a second key.
func (f *form) leave() tea.Cmd {
	if !f.sure && !maps.Equal(f.began, f.values()) {
		f.sure, f.err = true, errors.New("esc again throws away what was typed")
		return nil
	}
	return f.app.closeOver(f)
}

// do runs the action, unless a required field is empty.
func (f *form) do() tea.Cmd {
	for i, fl := range f.fields {
		if fl.required && fl.text() == "" {
			f.err = fmt.Errorf("required: %s", fl.label)
			return f.focusOn(i)
		}
		if why := loses(fl.exact); why != "" && fl.area.Value() != fl.shown {
			f.err = fmt.Errorf("%s: the rest would be lost · ctrl+o changes it in $EDITOR", why)
			return f.focusOn(i)
		}
	}
	f.busy, f.err = true, nil
	v := f.values()
	return f.app.do(func(ctx context.Context) tea.Msg {
		out, err := f.submit(ctx, v)
		return doneMsg{form: f, outcome: out, err: err}
	})
}

func (f *form) setSize(w, h int) {
	f.h, f.inner = h, min(w-6, 90)
	for _, fl := range f.fields {
		switch {
		case len(fl.choices) > 0:
		case fl.lines > 1:
			fl.area.SetWidth(f.inner)
			fl.area.SetHeight(min(fl.lines, max(f.room(), 2)))
		default:
			fl.input.Width = f.inner - 1
		}
	}
}

// room returns the number of lines for each text of several lines.
func (f *form) room() int {
	used, areas := len(f.introLines())+4, 0
	for _, fl := range f.fields {
		switch {
		case len(fl.choices) > 0:
			used++
		case fl.lines > 1:
			areas++
			used++
		default:
			used += 2
		}
	}
	if areas == 0 {
		return 0
	}
	return (f.h - used) / areas
}

// introLines returns what the form is about, shortened on a small screen.
func (f *form) introLines() []string {
	var lines []string
	for _, s := range f.intro {
		lines = append(lines, cells.Wrap(s, max(f.inner, 1))...)
	}
	if most := max(f.h/4, 2); len(lines) > most {
		lines = append(lines[:most-1], "…")
	}
	return lines
}

func (f *form) view() []string {
	st := f.app.st
	var body []string
	for _, l := range f.introLines() {
		body = append(body, st.Faint.Render(l))
	}
	from, to := 0, len(body) // the lines of the field with the keys
	for i, fl := range f.fields {
		lines := f.fieldLines(fl, i == f.at)
		if i == f.at {
			from, to = len(body), len(body)+len(lines)
		}
		body = append(body, lines...)
	}
	foot := f.foot()
	var word []string
	switch {
	case f.busy:
		word = []string{st.Faint.Render("…")}
	case f.err != nil:
		for _, l := range cells.Wrap("✗ "+f.app.explain(f.err), f.inner) {
			word = append(word, st.Bad.Render(l))
		}
		word = word[:min(len(word), max(f.h/3, 1))]
	}
	if room := f.h - 2 - len(word); len(body) > room { // keep the field with the keys visible
		top := min(max(to-room, 0), from)
		if top+room < len(body) {
			foot = "▾ more below · " + foot
		}
		if top > 0 {
			foot = "▴ more above · " + foot
		}
		body = body[top : top+room]
	}
	heading := f.heading
	if f.app.Worker != "" {
		heading += ", as " + cells.OneLine(f.app.Worker, 40)
	}
	return st.Box(heading, foot, append(body, word...), f.inner)
}

// foot returns the keys that end the form.
func (f *form) foot() string {
	last := len(f.fields) == 0 || f.at == len(f.fields)-1 && f.fields[f.at].lines <= 1
	do := "ctrl+s "
	if last {
		do = "enter "
	}
	if len(f.fields) == 0 {
		do = "y or enter "
	}
	foot := do + f.button + " · esc leave it"
	if len(f.fields) > 0 && f.fields[f.at].lines > 1 {
		foot += " · ctrl+o $EDITOR"
	}
	return foot
}

// fieldLines renders a field with its label.
func (f *form) fieldLines(fl *field, focused bool) []string {
	label := f.app.st.TitleOf(fl.label, focused)
	switch {
	case len(fl.choices) > 0 && focused:
		return []string{label + " ‹ " + fl.choices[fl.pick] + " ›"}
	case len(fl.choices) > 0:
		return []string{label + "   " + fl.choices[fl.pick]}
	case fl.lines > 1:
		return append([]string{label}, strings.Split(fl.area.View(), "\n")...)
	default:
		return []string{label, fl.input.View()}
	}
}

func (f *form) title() string { return f.heading }

func (f *form) actions() actions {
	if len(f.fields) == 0 {
		return actions{}.also(keys.Renamed(keys.Open, f.button), keys.Cancel)
	}
	all := actions{}.also(keys.Renamed(keys.Submit, f.button), keys.Cancel)
	oneLine := f.fields[f.at].lines <= 1
	if oneLine && f.at == len(f.fields)-1 {
		all = actions{}.also(keys.Renamed(keys.Open, f.button), keys.Cancel, keys.Renamed(keys.Submit, f.button))
	}
	if len(f.fields) > 1 {
		all = all.also(keys.NextField, keys.PrevField)
	}
	if !oneLine {
		return all.also(keys.InEditor)
	}
	if len(f.fields[f.at].choices) > 0 {
		all = all.also(keys.ChoiceNext, keys.ChoicePrev)
	}
	if f.at < len(f.fields)-1 {
		all = all.also(keys.Renamed(keys.Open, "next field"))
	}
	return all
}

func (f *form) typing() bool { return true }
