package page

import (
	"cmp"
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
	"github.com/charmbracelet/lipgloss"

	"blackboard/board/op"
	"blackboard/kb/secret"
	"blackboard/tui/cells"
)

// Values are the values of a form, by the names of its fields.
type Values map[string]string

type Field struct {
	op.Asked
	input input
}

// Fields makes the fields of a form of what an operation asks for, with the values that
// they have now; a nil map leaves those of the operation.
func Fields(form op.Form, now Values) (all []*Field) {
	for _, asked := range form.Fields {
		if v, is := now[asked.Name]; is {
			asked.Value = cells.Visible(v)
		}
		all = append(all, &Field{Asked: asked})
	}
	return all
}

// input is what a field is typed into, or chosen with.
type input interface {
	Focus() tea.Cmd
	Blur()
	Value() string
	SetValue(string)
	View() string
	update(tea.Msg) tea.Cmd
	resize(w, lines int)
}

// line is an input of one line.
type line struct{ textinput.Model }

func (l *line) update(msg tea.Msg) (cmd tea.Cmd) {
	l.Model, cmd = l.Model.Update(msg)
	return cmd
}

func (l *line) resize(w, _ int) { l.Width = w - 1 }

// SetValue shows the start of a long text.
func (l *line) SetValue(text string) {
	l.Model.SetValue(text)
	if l.CursorEnd(); cells.Width(text) >= MinWidth-8 {
		l.CursorStart()
	}
}

// area is an input of several lines.
type area struct{ textarea.Model }

func (a *area) update(msg tea.Msg) (cmd tea.Cmd) {
	a.Model, cmd = a.Model.Update(msg)
	return cmd
}

func (a *area) resize(w, lines int) {
	a.SetWidth(w)
	a.SetHeight(lines)
}

// choice is one of some values, in as many cells as there are, with a word about them.
type choice struct {
	all     []string
	help    string
	style   lipgloss.Style // of the help
	at, w   int
	focused bool
}

func (c *choice) Focus() tea.Cmd       { c.focused = true; return nil }
func (c *choice) Blur()                { c.focused = false }
func (c *choice) Value() string        { return c.all[c.at] }
func (c *choice) SetValue(text string) { c.at = max(slices.Index(c.all, text), 0) }
func (c *choice) resize(w, _ int)      { c.w = w }

func (c *choice) View() string {
	value := "  " + cmp.Or(c.Value(), "default") + "  "
	if c.focused {
		value = "‹" + value[1:len(value)-1] + "›"
	}
	if c.help == "" || c.w < cells.Width(value)+8 {
		return value
	}
	return value + "  " + c.style.Render(cells.Fit("("+c.help+")", c.w-cells.Width(value)-2))
}

func (c *choice) update(msg tea.Msg) tea.Cmd {
	switch msg, _ := msg.(tea.KeyMsg); {
	case key.Matches(msg, KeyChoiceNext):
		c.at = (c.at + 1) % len(c.all)
	case key.Matches(msg, KeyChoicePrev):
		c.at = (c.at + len(c.all) - 1) % len(c.all)
	}
	return nil
}

// inputOf returns the input of a field.
func (a *App) inputOf(fl *Field) (in input) {
	hint := ""
	if fl.Help != "" { // in parentheses, to distinguish it from typed text without colours
		hint = "(" + fl.Help + ")"
	}
	switch {
	case len(fl.Choices) > 0:
		in = &choice{all: fl.Choices, help: fl.Help, style: a.Styles.Faint}
	case fl.Long:
		x := textarea.New()
		plain := textarea.Style{Placeholder: a.Styles.Faint}
		x.FocusedStyle, x.BlurredStyle = plain, plain
		x.ShowLineNumbers, x.Prompt, x.CharLimit, x.MaxHeight, x.Placeholder = false, "", 0, 0, hint
		x.SetHeight(maxLines)
		in = &area{x}
	default:
		x := a.NewInput()
		x.Prompt, x.Placeholder = "", hint
		in = &line{x}
	}
	in.SetValue(fl.Value)
	return in
}

// Form asks for values and then runs an action; without fields for confirmation.
type Form struct {
	Plain
	Heading string
	Intro   []string // what the form is about, cleaned
	Fields  []*Field
	Button  string // one word for the action
	Submit  func(context.Context, Values) (Outcome, error)
	// Tried is called after the action, with its error.
	Tried func(error) tea.Cmd

	app    *App
	at     int // the field with the keys
	busy   bool
	Err    error
	sure   bool   // esc was pressed once
	Began  Values // the initial values
	h      int
	inner  int // the width inside the frame
	labels int // the width of the labels beside their fields
}

// NewForm prepares the fields of a form, which App.Overlay then shows.
func NewForm(a *App, f Form) *Form {
	f.app = a
	for _, fl := range f.Fields {
		fl.input = a.inputOf(fl)
	}
	f.Began = f.Values()
	return &f
}

// Init gives the keys to the first field.
func (f *Form) Init() tea.Cmd { return f.focusOn(0) }

func (f *Form) focusOn(i int) tea.Cmd {
	if len(f.Fields) == 0 {
		return nil
	}
	f.at = (i + len(f.Fields)) % len(f.Fields)
	for _, fl := range f.Fields {
		fl.input.Blur()
	}
	return f.app.Blink(f.Fields[f.at].input.Focus())
}

func (f *Form) Values() Values {
	v := Values{}
	for _, fl := range f.Fields {
		v[fl.Name] = fl.text()
	}
	return v
}

func (fl *Field) text() string { return strings.TrimSpace(fl.input.Value()) }

func (f *Form) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case DoneMsg:
		if msg.Form == f {
			f.busy, f.Err = false, msg.Err
		}
		return nil
	case tea.KeyMsg:
		return f.key(msg)
	}
	return f.toField(msg) // for the cursor
}

func (f *Form) key(msg tea.KeyMsg) tea.Cmd {
	if f.busy { // while the action runs, typed text would be lost
		return nil
	}
	var fl *Field
	if len(f.Fields) > 0 {
		fl = f.Fields[f.at]
	}
	area := fl != nil && fl.Long
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
		return f.app.EditText(f, fl.input.Value(), ".md",
			func(text string, err error) tea.Cmd {
				if f.Err = err; err == nil {
					fl.input.SetValue(strings.TrimRight(text, "\n"))
				}
				return nil
			})
	}
	return f.toField(msg)
}

func (f *Form) toField(msg tea.Msg) tea.Cmd {
	if len(f.Fields) == 0 {
		return nil
	}
	return f.app.Blink(f.Fields[f.at].input.update(msg))
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

// maxLines is the height of a text of several lines, if there is room.
const maxLines = 5

// SetSize fits the form into a page of w × h cells.
func (f *Form) SetSize(w, h int) {
	f.h, f.inner, f.labels = h, min(w-6, 90), 0
	used, areas := len(f.introLines())+4+len(f.Fields), 0
	for _, fl := range f.Fields {
		if fl.Long {
			areas++
		} else {
			f.labels = max(f.labels, cells.Width(fl.Label)+3)
		}
	}
	for _, fl := range f.Fields {
		if fl.Long {
			fl.input.resize(f.inner, min(maxLines, max((h-used)/areas, 2)))
		} else {
			fl.input.resize(f.inner-f.labels, 1)
		}
	}
}

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

func (f *Form) foot() string {
	var ends []string
	for _, b := range f.Actions().Bindings()[:2] {
		ends = append(ends, f.app.KeyName(b)+" "+b.Help().Desc)
	}
	return strings.Join(ends, " · ")
}

// fieldLines renders a field beside its label, a long one below it.
func (f *Form) fieldLines(fl *Field, focused bool) []string {
	mark := " "
	if focused {
		mark = "▸"
	}
	label := f.app.Styles.TitleOf(mark+fl.Label, focused)
	if fl.Long {
		return append([]string{label}, strings.Split(fl.input.View(), "\n")...)
	}
	return []string{cells.Fit(label, f.labels) + fl.input.View()}
}

func (f *Form) Title() string { return f.Heading }

// Actions returns the keys of the form, and of the field that has them.
func (f *Form) Actions() Actions {
	fl := &Field{}
	if len(f.Fields) > 0 {
		fl = f.Fields[f.at]
	}
	last := f.at >= len(f.Fields)-1
	all := Actions{}.Also(Renamed(KeySubmit, f.Button), KeyCancel)
	if last && !fl.Long {
		all = Actions{}.Also(Renamed(KeyOpen, f.Button), KeyCancel)
	}
	if len(f.Fields) > 1 {
		all = all.Also(KeyNextField)
	}
	switch {
	case fl.Long:
		all = all.Also(KeyInEditor)
	case len(fl.Choices) > 0:
		all = all.Also(KeyChoiceNext, KeyChoicePrev)
	}
	if !last && !fl.Long {
		all = all.Also(Renamed(KeyOpen, "next field"))
	}
	if len(f.Fields) > 1 {
		all = all.Also(KeyPrevField)
	}
	return all
}

func (f *Form) Typing() bool { return true }

// Act is one thing to do, for a reason or none.
type Act struct {
	Heading, Button string
	Intro           []string
	Why             op.Form // asks for the reason; no fields: none
	Must            bool    // there must be one, whatever the operation says
	Do              func(ctx context.Context, why string) (Outcome, error)
}

// NewAct asks whether to do it, and why.
func NewAct(a *App, x Act) *Form {
	f := Form{Heading: x.Heading, Button: x.Button, Intro: x.Intro, Fields: Fields(x.Why, nil)}
	for _, fl := range f.Fields {
		fl.Required = fl.Required || x.Must
	}
	f.Submit = func(ctx context.Context, v Values) (Outcome, error) {
		why := ""
		for _, fl := range f.Fields {
			why = v[fl.Name]
		}
		return x.Do(ctx, why)
	}
	return NewForm(a, f)
}

// NewInput returns an input line.
func (a *App) NewInput() textinput.Model {
	in := textinput.New()
	in.PlaceholderStyle = a.Styles.Faint
	return in
}
