package tui

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
	"blackboard/tui/keys"
	"blackboard/tui/page"
)

// jumpBox is an overlay with an input line and the matching targets, best first. Enter
// goes to a target, or runs it. Opened with : it has all places and keys, with ? only
// keys.
type jumpBox struct {
	app     *page.App
	heading string
	input   textinput.Model
	list    page.List
	typed   func(text string) []target // targets that the text itself names
	all     []target
	shown   []target
	loads   []func() tea.Cmd // read when the box opens
	most    int              // the width of the widest label
	w, h    int
}

// target is a place to go to, or an action.
type target struct {
	label string         // an id, a name or a key
	text  string         // what it is about
	group string         // what it is
	do    func() tea.Cmd // nil: for reading only
}

func newJump(a *page.App, heading, hint string, all []target) *jumpBox {
	j := &jumpBox{app: a, heading: heading, input: textinput.New(), all: all}
	j.input.Prompt, j.input.Placeholder, j.input.CharLimit = ": ", hint, 200
	j.list = page.List{App: a, Row: j.row, Empty: "no match; esc leaves"}
	j.narrow()
	return j
}

func (j *jumpBox) Init() tea.Cmd {
	cmds := []tea.Cmd{j.app.Blink(j.input.Focus())}
	for _, load := range j.loads {
		cmds = append(cmds, load())
	}
	return tea.Batch(cmds...)
}

// add adds targets that were read meanwhile. With a typed text, the choice stays.
func (j *jumpBox) add(more []target) tea.Cmd {
	j.all = append(j.all, more...)
	at := j.list.Cursor
	j.narrow()
	j.list.MoveTo(at)
	return nil
}

// narrow shows the targets that match the text, best first; without a text all in their
// order.
func (j *jumpBox) narrow() {
	asked := strings.TrimSpace(j.input.Value())
	j.shown = j.shown[:0:0]
	if asked == "" {
		j.shown = append(j.shown, j.all...)
	} else {
		type scored struct {
			target
			score int
		}
		var found []scored
		words := strings.Fields(strings.ToLower(asked))
		for _, t := range j.all {
			n := t.score(words)
			if t.do == nil { // an explanation: after all actions
				n = min(n, 1)
			}
			if n > 0 {
				found = append(found, scored{t, n})
			}
		}
		slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
		if j.typed != nil {
			for _, t := range j.typed(asked) {
				if t.group == groupAsk {
					found = append(found, scored{target: t})
				} else {
					found = slices.Insert(found, 0, scored{target: t})
				}
			}
		}
		for i := range found {
			j.shown = append(j.shown, found[i].target)
		}
	}
	j.most = 0
	for i := range j.shown {
		j.most = max(j.most, cells.Width(j.shown[i].label))
	}
	j.list.SetLen(len(j.shown))
	j.list.Follow()
	j.layout()
}

// score returns how well a target matches words, each of which must match; 0: no match.
func (t *target) score(words []string) (sum int) {
	label, text := strings.ToLower(t.label), strings.ToLower(t.text)
	for _, word := range words {
		n := max(fuzzy(word, label)*2, inText(word, text), inText(word, strings.ToLower(t.group))/2)
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

func (j *jumpBox) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return j.key(msg)
	case tea.MouseMsg:
		if j.list.Mouse(msg, msg.Y-2) {
			return j.take()
		}
		return nil
	}
	return j.toInput(msg) // for the cursor
}

func (j *jumpBox) key(msg tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(msg, keys.Cancel):
		return j.app.CloseOverlay(j)
	case key.Matches(msg, keys.Open):
		return j.take()
	case key.Matches(msg, keys.Choose):
		j.list.Update(msg)
		return nil
	case key.Matches(msg, keys.Next):
		j.list.Move(1)
		return nil
	case key.Matches(msg, keys.Previous):
		j.list.Move(-1)
		return nil
	case key.Matches(msg, keys.Clear):
		j.input.SetValue("")
		j.narrow()
		return nil
	}
	return j.toInput(msg)
}

func (j *jumpBox) toInput(msg tea.Msg) (cmd tea.Cmd) {
	was := j.input.Value()
	j.input, cmd = j.input.Update(msg)
	if j.input.Value() != was {
		j.narrow()
	}
	return j.app.Blink(cmd)
}

// take goes to the chosen target.
func (j *jumpBox) take() tea.Cmd {
	if j.list.Cursor >= len(j.shown) {
		return nil
	}
	t := j.shown[j.list.Cursor]
	if t.do == nil {
		return nil
	}
	j.app.CloseOverlay(j)
	return j.app.Soon(page.JumpMsg{Do: t.do})
}

func (j *jumpBox) SetSize(w, h int) {
	j.w, j.h = w, h
	j.layout()
}

// layout makes the box as high as its content, but does not shrink it during input.
func (j *jumpBox) layout() {
	w := min(j.w-6, 96)
	j.input.Width = max(w-4, 1)
	j.list.SetSize(w, max(min(len(j.all)+1, j.h-4), 1))
}

func (j *jumpBox) View() []string {
	lines := append([]string{cells.Fit(j.input.View(), j.list.Width)}, j.list.View(true)...)
	return j.app.Styles.Box(j.heading, j.list.Place(), lines, j.list.Width)
}

func (j *jumpBox) row(i, w int) string {
	st, t := j.app.Styles, &j.shown[i]
	name := min(max(j.most, 11), w*2/5)
	group := t.group
	if i > 0 && j.input.Value() == "" && j.shown[i-1].group == group {
		group = "" // the row above has it
	}
	left := st.Key.Render(cells.FitName(t.label, name)) + " " +
		cells.OneLine(t.text, page.RowRunes)
	return cells.Spread(left, st.Faint.Render(group), w)
}

func (j *jumpBox) Title() string { return "jump" }

func (j *jumpBox) Actions() page.Actions {
	leave := keys.Renamed(keys.Cancel, "leave it")
	return page.Actions{}.Also(keys.Renamed(keys.Open, "go there"), keys.Choose, leave, keys.Clear)
}

func (j *jumpBox) Typing() bool { return true }
func (j *jumpBox) Close()       {}
