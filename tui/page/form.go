package page

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

	"blackboard/kb/secret"
	"blackboard/tui/cells"
)

// Values are the values of a form, by the names of its fields.
type Values map[string]string

// Field is one field of a form.
type Field struct {
	Name     string // the key in values
	Label    string
	Hint     string // shown while the field is empty
	Value    string // the initial value
	Choices  []string
	Lines    int // above 1: a text of several lines
	Required bool

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

// Fill sets the text of a field.
func (fl *Field) Fill(text string) {
	if fl.Lines > 1 {
		fl.area.SetValue(text)
		fl.exact, fl.shown = text, fl.area.Value()
		return
	}
	fl.input.SetValue(text)
	if fl.input.CursorEnd(); cells.Width(text) >= MinWidth-8 { // show the start of a long text
		fl.input.CursorStart()
	}
}

// Form asks for some values and then runs an action. A form without fields asks for
// confirmation.
type Form struct {
	Plain
	Heading string
	Intro   []string // what the form is about, cleaned
	Fields  []*Field
	Button  string // one word for the action
	Submit  func(context.Context, Values) (Outcome, error)
	// Tried is called after the action, with its error.
	Tried func(error) tea.Cmd

	app   *App
	at    int // the field with the keys
	busy  bool
	Err   error
	sure  bool   // esc was pressed once
	Began Values // the initial values
	h     int
	inner int // the width inside the frame
}

// NewForm prepares the fields of a form, which App.Overlay then shows.
func NewForm(a *App, f Form) *Form {
	f.app = a
	for _, fl := range f.Fields {
		switch {
		case len(fl.Choices) > 0:
			fl.pick = max(slices.Index(fl.Choices, fl.Value), 0)
		case fl.Lines > 1:
			fl.area = a.newArea()
			fl.area.ShowLineNumbers, fl.area.Prompt, fl.area.CharLimit, fl.area.Placeholder = false, "", 0, aside(fl.Hint)
			fl.area.MaxHeight = 0
			fl.area.SetHeight(fl.Lines)
			fl.Fill(fl.Value)
		default:
			fl.input = a.NewInput()
			fl.input.Prompt, fl.input.Placeholder = "", aside(fl.Hint)
			fl.Fill(fl.Value)
		}
	}
	f.Began = f.Values()
	return &f
}

// aside puts a hint into parentheses, to distinguish it from typed text without colours.
func aside(hint string) string {
	if hint == "" {
		return ""
	}
	return "(" + hint + ")"
}

// Init gives the keys to the first field.
func (f *Form) Init() tea.Cmd { return f.focusOn(0) }

func (f *Form) focusOn(i int) tea.Cmd {
	if len(f.Fields) == 0 {
		return nil
	}
	f.at = (i + len(f.Fields)) % len(f.Fields)
	var cmd tea.Cmd
	for j, fl := range f.Fields {
		switch {
		case len(fl.Choices) > 0:
		case fl.Lines > 1 && j == f.at:
			cmd = fl.area.Focus()
		case fl.Lines > 1:
			fl.area.Blur()
		case j == f.at:
			cmd = fl.input.Focus()
		default:
			fl.input.Blur()
		}
	}
	return f.app.Blink(cmd)
}

// Values returns what the fields have now.
func (f *Form) Values() Values {
	v := Values{}
	for _, fl := range f.Fields {
		v[fl.Name] = fl.text()
	}
	return v
}

func (fl *Field) text() string {
	switch {
	case len(fl.Choices) > 0:
		return fl.Choices[fl.pick]
	case fl.Lines > 1:
		return strings.TrimSpace(fl.whole())
	default:
		return strings.TrimSpace(fl.input.Value())
	}
}

// whole returns the original of a text of several lines if it was not changed, else the
// text area's form.
func (fl *Field) whole() string {
	if fl.area.Value() == fl.shown {
		return fl.exact
	}
	return fl.area.Value()
}

// Update handles a key, and the result of the action.
func (f *Form) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case DoneMsg:
		if msg.Form == f {
			f.busy, f.Err = false, msg.Err
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
func (f *Form) edited(fl *Field, text string, err error) tea.Cmd {
	if f.Err = err; err == nil {
		fl.Fill(strings.TrimRight(text, "\n"))
	}
	return nil
}

func (f *Form) key(msg tea.KeyMsg) tea.Cmd {
	if f.busy { // while the action runs, typed text would be lost
		return nil
	}
	var fl *Field
	if len(f.Fields) > 0 {
		fl = f.Fields[f.at]
	}
	area := fl != nil && fl.Lines > 1
	f.Err = nil
	if key.Matches(msg, KeyCancel) || fl == nil && key.Matches(msg, KeyQuit, KeyNo) {
		return f.leave()
	}
	f.sure = false
	switch {
	case key.Matches(msg, KeySubmit), fl == nil && key.Matches(msg, KeyYes):
		return f.do()
	case key.Matches(msg, KeyOpen) && !area:
		if f.at >= len(f.Fields)-1 {
			return f.do()
		}
		return f.focusOn(f.at + 1)
	case key.Matches(msg, KeyNextField), !area && msg.Type == tea.KeyDown:
		return f.focusOn(f.at + 1)
	case key.Matches(msg, KeyPrevField), !area && msg.Type == tea.KeyUp:
		return f.focusOn(f.at - 1)
	case area && key.Matches(msg, KeyInEditor):
		return f.app.EditText(f, fl.whole(), ".md",
			func(text string, err error) tea.Cmd { return f.edited(fl, text, err) })
	case fl != nil && len(fl.Choices) > 0:
		switch {
		case key.Matches(msg, KeyChoiceNext):
			fl.pick = (fl.pick + 1) % len(fl.Choices)
		case key.Matches(msg, KeyChoicePrev):
			fl.pick = (fl.pick + len(fl.Choices) - 1) % len(fl.Choices)
		}
		return nil
	}
	return f.toField(msg)
}

func (f *Form) toField(msg tea.Msg) (cmd tea.Cmd) {
	if len(f.Fields) == 0 {
		return nil
	}
	fl := f.Fields[f.at]
	switch {
	case len(fl.Choices) > 0:
	case fl.Lines > 1:
		fl.area, cmd = fl.area.Update(msg)
	default:
		fl.input, cmd = fl.input.Update(msg)
	}
	return f.app.Blink(cmd)
}

// leave closes the form. If something was typed, it needs a second key.
func (f *Form) leave() tea.Cmd {
	if !f.sure && !maps.Equal(f.Began, f.Values()) {
		f.sure, f.Err = true, errors.New("esc again throws away what was typed")
		return nil
	}
	return f.app.CloseOverlay(f)
}

// do runs the action, unless a required field is empty.
func (f *Form) do() tea.Cmd {
	for i, fl := range f.Fields {
		if fl.Required && fl.text() == "" {
			f.Err = fmt.Errorf("required: %s", fl.Label)
			return f.focusOn(i)
		}
		if why := loses(fl.exact); why != "" && fl.area.Value() != fl.shown {
			f.Err = fmt.Errorf("%s: the rest would be lost · ctrl+o changes it in $EDITOR", why)
			return f.focusOn(i)
		}
	}
	f.busy, f.Err = true, nil
	v := f.Values()
	return f.app.Do(func(ctx context.Context) tea.Msg {
		masked := ""
		ctx = secret.Writing(ctx, false, func(notes []string) {
			masked = " · " + secret.Note(notes, "`board post --force`")
		})
		out, err := f.Submit(ctx, v)
		out.Text += masked
		return DoneMsg{Form: f, Outcome: out, Err: err}
	})
}

// SetSize fits the form into a page of w × h cells.
func (f *Form) SetSize(w, h int) {
	f.h, f.inner = h, min(w-6, 90)
	for _, fl := range f.Fields {
		switch {
		case len(fl.Choices) > 0:
		case fl.Lines > 1:
			fl.area.SetWidth(f.inner)
			fl.area.SetHeight(min(fl.Lines, max(f.room(), 2)))
		default:
			fl.input.Width = f.inner - 1
		}
	}
}

// room returns the number of lines for each text of several lines.
func (f *Form) room() int {
	used, areas := len(f.introLines())+4, 0
	for _, fl := range f.Fields {
		switch {
		case len(fl.Choices) > 0:
			used++
		case fl.Lines > 1:
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
func (f *Form) introLines() []string {
	var lines []string
	for _, s := range f.Intro {
		lines = append(lines, cells.Wrap(s, max(f.inner, 1))...)
	}
	if most := max(f.h/4, 2); len(lines) > most {
		lines = append(lines[:most-1], "…")
	}
	return lines
}

// View returns the form in its frame.
func (f *Form) View() []string {
	st := f.app.Styles
	var body []string
	for _, l := range f.introLines() {
		body = append(body, st.Faint.Render(l))
	}
	from, to := 0, len(body) // the lines of the field with the keys
	for i, fl := range f.Fields {
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
	case f.Err != nil:
		for _, l := range cells.Wrap("✗ "+f.app.Explain(f.Err), f.inner) {
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
	heading := f.Heading
	if f.app.Worker != "" {
		heading += ", as " + cells.OneLine(f.app.Worker, 40)
	}
	return st.Box(heading, foot, append(body, word...), f.inner)
}

// foot returns the keys that end the form.
func (f *Form) foot() string {
	last := len(f.Fields) == 0 || f.at == len(f.Fields)-1 && f.Fields[f.at].Lines <= 1
	do := "ctrl+s "
	if last {
		do = "enter "
	}
	if len(f.Fields) == 0 {
		do = "y or enter "
	}
	foot := do + f.Button + " · esc leave it"
	if len(f.Fields) > 0 && f.Fields[f.at].Lines > 1 {
		foot += " · ctrl+o $EDITOR"
	}
	return foot
}

// fieldLines renders a field with its label.
func (f *Form) fieldLines(fl *Field, focused bool) []string {
	label := f.app.Styles.TitleOf(fl.Label, focused)
	switch {
	case len(fl.Choices) > 0 && focused:
		return []string{label + " ‹ " + fl.Choices[fl.pick] + " ›"}
	case len(fl.Choices) > 0:
		return []string{label + "   " + fl.Choices[fl.pick]}
	case fl.Lines > 1:
		return append([]string{label}, strings.Split(fl.area.View(), "\n")...)
	default:
		return []string{label, fl.input.View()}
	}
}

// Title returns the heading of the form.
func (f *Form) Title() string { return f.Heading }

// Actions returns the keys of the field that has them.
func (f *Form) Actions() Actions {
	if len(f.Fields) == 0 {
		return Actions{}.Also(Renamed(KeyOpen, f.Button), KeyCancel)
	}
	all := Actions{}.Also(Renamed(KeySubmit, f.Button), KeyCancel)
	oneLine := f.Fields[f.at].Lines <= 1
	if oneLine && f.at == len(f.Fields)-1 {
		all = Actions{}.Also(Renamed(KeyOpen, f.Button), KeyCancel,
			Renamed(KeySubmit, f.Button))
	}
	if len(f.Fields) > 1 {
		all = all.Also(KeyNextField, KeyPrevField)
	}
	if !oneLine {
		return all.Also(KeyInEditor)
	}
	if len(f.Fields[f.at].Choices) > 0 {
		all = all.Also(KeyChoiceNext, KeyChoicePrev)
	}
	if f.at < len(f.Fields)-1 {
		all = all.Also(Renamed(KeyOpen, "next field"))
	}
	return all
}

// Typing reports whether a field takes the keys as text.
func (f *Form) Typing() bool { return true }

// Act is one thing to do, for a reason or none.
type Act struct {
	Heading, Button string
	Intro           []string
	Why             string // asks for the reason; "": none
	Must            bool   // there must be one
	Do              func(ctx context.Context, why string) (Outcome, error)
}

// NewAct asks whether to do it, and why.
func NewAct(a *App, x Act) *Form {
	f := Form{Heading: x.Heading, Button: x.Button, Intro: x.Intro,
		Submit: func(ctx context.Context, v Values) (Outcome, error) { return x.Do(ctx, v["why"]) }}
	if x.Why != "" {
		why := &Field{Name: "why", Label: x.Why, Required: x.Must}
		if !x.Must {
			why.Hint = "goes on record; may be empty"
		}
		f.Fields = []*Field{why}
	}
	return NewForm(a, f)
}

// NewInput returns an input line.
func (a *App) NewInput() textinput.Model {
	in := textinput.New()
	in.PlaceholderStyle = a.Styles.Faint
	return in
}

// newArea returns an input field of several lines.
func (a *App) newArea() textarea.Model {
	area := textarea.New()
	for _, style := range []*textarea.Style{&area.FocusedStyle, &area.BlurredStyle} {
		*style = textarea.Style{Placeholder: a.Styles.Faint}
	}
	return area
}
