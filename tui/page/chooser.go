package page

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
)

// Chooser is an overlay with an input line and the matching targets, best first. Enter goes to
// a target, or runs it.
type Chooser struct {
	app     *App
	Heading string
	Typed   func(text string) []Target // targets that the text itself names
	Loads   []func() tea.Cmd           // read when the box opens
	Empty   string                     // shown without a match
	input   textinput.Model
	List    List
	all     []Target
	shown   []Target
	most    int // the width of the widest label
	w, h    int
}

// Target is a place to go to, or an action.
type Target struct {
	Label string         // an id, a name or a key
	Text  string         // what it is about
	Group string         // what it is
	Do    func() tea.Cmd // nil: for reading only
	Last  bool           // of those that a text itself names: after what matches
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

// Choice is one of several values.
type Choice struct{ Value, Label, Note string }

// Choose lets the person choose a value, beginning with the one that is there now.
func (a *App) Choose(heading string, all []Choice, now string, take func(value string) tea.Cmd) *Chooser {
	targets, at := make([]Target, len(all)), 0
	for i, c := range all {
		targets[i] = Target{Label: c.Label, Text: c.Note, Do: func() tea.Cmd { return take(c.Value) }}
		if c.Value == now {
			at = i
		}
	}
	j := NewChooser(a, heading, "a part of a name", targets)
	j.List.MoveTo(at)
	return j
}

// Init gives the keys to the input, and reads what is not known yet.
func (j *Chooser) Init() tea.Cmd {
	cmds := []tea.Cmd{j.app.Blink(j.input.Focus())}
	for _, load := range j.Loads {
		cmds = append(cmds, load())
	}
	return tea.Batch(cmds...)
}

// Add adds targets that were read meanwhile. With a typed text, the choice stays.
func (j *Chooser) Add(more []Target) tea.Cmd {
	j.all = append(j.all, more...)
	at := j.List.Cursor
	j.narrow()
	j.List.MoveTo(at)
	return nil
}

// narrow shows the targets that match the text, best first; without a text all in their
// order.
func (j *Chooser) narrow() {
	asked := strings.TrimSpace(j.input.Value())
	j.shown = j.shown[:0:0]
	if asked == "" {
		j.shown = append(j.shown, j.all...)
	} else {
		type scored struct {
			Target
			score int
		}
		var found []scored
		words := strings.Fields(strings.ToLower(asked))
		for _, t := range j.all {
			n := t.score(words)
			if t.Do == nil { // an explanation: after all actions
				n = min(n, 1)
			}
			if n > 0 {
				found = append(found, scored{t, n})
			}
		}
		slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
		if j.Typed != nil {
			for _, t := range j.Typed(asked) {
				if t.Last {
					found = append(found, scored{t, 0})
				} else {
					found = slices.Insert(found, 0, scored{t, 0})
				}
			}
		}
		for i := range found {
			j.shown = append(j.shown, found[i].Target)
		}
	}
	j.most = 0
	for i := range j.shown {
		j.most = max(j.most, cells.Width(j.shown[i].Label))
	}
	j.List.SetLen(len(j.shown))
	j.List.Follow()
	j.layout()
}

// score returns how well a Target matches words, each of which must match; 0: no match.
func (t *Target) score(words []string) (sum int) {
	label, text := strings.ToLower(t.Label), strings.ToLower(t.Text)
	for _, word := range words {
		n := max(fuzzy(word, label)*2, inText(word, text), inText(word, strings.ToLower(t.Group))/2)
		if n == 0 {
			return 0
		}
		sum += n
	}
	return sum
}

// inText returns how well a word matches a text: the whole text, its prefix, the prefix
// of a word, or a substring; 0: no match.
func inText(word, text string) int {
	switch i := strings.Index(text, word); {
	case i < 0:
		return 0
	case text == word:
		return 200
	case i == 0:
		return 120
	default:
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		if !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return 80
		}
		return 50
	}
}

// fuzzy is inText for a name, which also matches letters in their order that are close
// together.
func fuzzy(word, name string) int {
	if n := inText(word, name); n > 0 {
		return n
	}
	first, last, from := -1, 0, 0
	for _, r := range word {
		i := strings.IndexRune(name[from:], r)
		if i < 0 {
			return 0
		}
		if first < 0 {
			first = from + i
		}
		last = from + i
		from = last + utf8.RuneLen(r)
	}
	if last-first > 2*len(word) {
		return 0
	}
	return max(30-(last-first-len(word)+1), 1)
}

// Update chooses by keys and the mouse.
func (j *Chooser) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return j.key(msg)
	case tea.MouseMsg:
		if j.List.Mouse(msg, msg.Y-2) {
			return j.take()
		}
		return nil
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

// take goes to the chosen Target.
func (j *Chooser) take() tea.Cmd {
	if j.List.Cursor >= len(j.shown) {
		return nil
	}
	t := j.shown[j.List.Cursor]
	if t.Do == nil {
		return nil
	}
	j.app.CloseOverlay(j)
	return j.app.Soon(JumpMsg{Do: t.Do})
}

// SetSize fits the box into a page of w × h cells.
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

// View returns the input and the targets in a frame.
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

// Title names the box in the help.
func (j *Chooser) Title() string { return "choose" }

// Actions returns the keys of the box.
func (j *Chooser) Actions() Actions {
	leave := Renamed(KeyCancel, "leave it")
	return Actions{}.Also(Renamed(KeyOpen, "go there"), KeyChoose, leave, KeyClear)
}

// Typing reports that the keys are text.
func (j *Chooser) Typing() bool { return true }

// Close has nothing to end.
func (j *Chooser) Close() {}
