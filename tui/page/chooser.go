package page

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
)

// Chooser is an overlay with an input line and the matching targets, best first, that enter takes.
type Chooser struct {
	app     *App
	Heading string
	Typed   func(text string) []Target // targets that the text itself names
	Empty   string                     // shown without a match
	input   textinput.Model
	List    List
	all     []Target
	shown   []Target
	most    int // the width of the widest label
	w, h    int
}

type Target struct {
	Label string         // an id, a name or a key
	Text  string         // what it is about
	Group string         // what it is
	Do    func() tea.Cmd // nil: for reading only
	Last  bool           // of those that a text itself names: after what matches
	rank  int            // how well it matches
}

// NewTarget returns a target with all that is usual.
func NewTarget(label, text, group string, do func() tea.Cmd) Target {
	return Target{Label: label, Text: text, Group: group, Do: do}
}

// NewChooser chooses among targets; hint is shown while nothing is typed.
func NewChooser(a *App, heading, hint string, all []Target) *Chooser {
	j := &Chooser{app: a, Heading: heading, Empty: "no match; esc leaves", input: textinput.New(), all: all}
	j.input.Prompt, j.input.Placeholder, j.input.CharLimit = ": ", hint, 400
	j.List = List{App: a, Row: j.row}
	j.narrow()
	return j
}

// Init gives the keys to the input.
func (j *Chooser) Init() tea.Cmd { return j.app.Blink(j.input.Focus()) }

// narrow shows the targets that match the text, best first; without one all in order.
func (j *Chooser) narrow() {
	asked := strings.TrimSpace(j.input.Value())
	j.shown, j.most = nil, 0
	for _, t := range j.all {
		if t.rank = t.score(strings.Fields(strings.ToLower(asked))); t.rank > 0 {
			j.shown = append(j.shown, t)
		}
	}
	if asked != "" && j.Typed != nil {
		for _, t := range j.Typed(asked) {
			if !t.Last {
				t.rank = 1 << 20
			}
			j.shown = append(j.shown, t)
		}
	}
	slices.SortStableFunc(j.shown, func(a, b Target) int { return b.rank - a.rank })
	for i := range j.shown {
		j.most = max(j.most, cells.Width(j.shown[i].Label))
	}
	j.List.SetLen(len(j.shown))
	j.List.Follow()
	j.layout()
}

// score returns how well a target matches words, each of which must be in it; 0: no match.
// Explanations come after what can be done.
func (t *Target) score(words []string) int {
	label, rest := strings.ToLower(t.Label), strings.ToLower(t.Text+" "+t.Group)
	sum := 2
	for _, word := range words {
		switch {
		case label == word:
			sum += 8
		case strings.HasPrefix(label, word):
			sum += 4
		case strings.Contains(" "+rest, " "+word), strings.Contains(label, "-"+word):
			sum += 2
		case strings.Contains(label+"\n"+rest, word):
			sum++
		default:
			return 0
		}
	}
	if t.Do == nil && len(words) > 0 {
		return 1
	}
	return sum
}

func (j *Chooser) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(tea.KeyMsg); ok {
		return j.key(msg)
	}
	return j.toInput(msg) // for the cursor
}

func (j *Chooser) key(msg tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(msg, KeyCancel):
		return j.app.CloseOverlay(j)
	case key.Matches(msg, KeyOpen):
		return j.take()
	case key.Matches(msg, KeyChoose):
		j.List.Update(msg)
		return nil
	case key.Matches(msg, KeyNext):
		j.List.Move(1)
		return nil
	case key.Matches(msg, KeyPrevious):
		j.List.Move(-1)
		return nil
	case key.Matches(msg, KeyClear):
		j.input.SetValue("")
		j.narrow()
		return nil
	}
	return j.toInput(msg)
}

func (j *Chooser) toInput(msg tea.Msg) (cmd tea.Cmd) {
	was := j.input.Value()
	j.input, cmd = j.input.Update(msg)
	if j.input.Value() != was {
		j.narrow()
	}
	return j.app.Blink(cmd)
}

func (j *Chooser) take() tea.Cmd {
	if j.List.Cursor >= len(j.shown) {
		return nil
	}
	t := j.shown[j.List.Cursor]
	if t.Do == nil {
		return nil
	}
	j.app.CloseOverlay(j)
	return j.app.Soon(Answer{Take: t.Do})
}

func (j *Chooser) SetSize(w, h int) {
	j.w, j.h = w, h
	j.layout()
}

// layout makes the box as high as its content, but does not shrink it during input.
func (j *Chooser) layout() {
	w := min(j.w-6, 96)
	j.input.Width = max(w-4, 1)
	j.List.SetSize(w, max(min(len(j.all)+1, j.h-4), 1))
}

func (j *Chooser) View() []string {
	j.List.Empty = j.Empty
	lines := append([]string{cells.Fit(j.input.View(), j.List.Width)}, j.List.View(true)...)
	return j.app.Styles.Box(j.Heading, j.List.Place(), lines, j.List.Width)
}

func (j *Chooser) row(i, w int) string {
	st, t := j.app.Styles, &j.shown[i]
	name := min(max(j.most, 11), w*2/5)
	group := t.Group
	if i > 0 && j.input.Value() == "" && j.shown[i-1].Group == group {
		group = "" // the row above has it
	}
	left := st.Key.Render(cells.FitName(t.Label, name)) + " " +
		cells.OneLine(t.Text, RowRunes)
	return cells.Spread(left, st.Faint.Render(group), w)
}

func (j *Chooser) Title() string { return "choose" }

func (j *Chooser) Actions() Actions {
	leave := Renamed(KeyCancel, "leave it")
	return Actions{}.Also(Renamed(KeyOpen, "go there"), KeyChoose, leave, KeyClear)
}

func (j *Chooser) Typing() bool { return true }

func (j *Chooser) Close() {}
