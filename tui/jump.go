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

	"blackboard/tui/keys"
)

// jumpBox lies over a page: a line to type into, and what that means, the best first.
// Enter goes there, or does it. With : it has all places and keys, with ? the keys alone.
type jumpBox struct {
	app     *app
	heading string
	input   textinput.Model
	list    list
	typed   func(text string) []target // what only the text itself means: an id, a question
	all     []target
	shown   []target
	loads   []func() tea.Cmd // what is read when the box opens
	most    int              // the width of the widest label
	w, h    int
}

// target is somewhere to go, or something to do.
type target struct {
	label string         // what it is called: an id, a name, a key
	text  string         // what it is about
	group string         // what it is
	do    func() tea.Cmd // nil: it is only to be read
}

func newJump(a *app, heading, hint string, all []target) *jumpBox {
	j := &jumpBox{app: a, heading: heading, input: textinput.New(), all: all}
	j.input.Prompt, j.input.Placeholder, j.input.CharLimit = ": ", hint, 200
	j.list = list{app: a, row: j.row, empty: "nothing is called that; esc leaves"}
	j.narrow()
	return j
}

func (j *jumpBox) init() tea.Cmd {
	cmds := []tea.Cmd{j.app.blink(j.input.Focus())}
	for _, load := range j.loads {
		cmds = append(cmds, load())
	}
	return tea.Batch(cmds...)
}

// add takes targets that were read meanwhile. What is chosen stays chosen if something
// was typed.
func (j *jumpBox) add(more []target) tea.Cmd {
	j.all = append(j.all, more...)
	at := j.list.cursor
	j.narrow()
	j.list.moveTo(at)
	return nil
}

// narrow shows what the text means, the best first; without a text all, as it came.
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
			if t.do == nil { // it explains something: after all that can be done
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
		j.most = max(j.most, width(j.shown[i].label))
	}
	j.list.setLen(len(j.shown))
	j.list.follow()
	j.layout()
}

// score says how well a target fits words, all of which have to be somewhere in it; 0: it
// does not.
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

// inText says how well a word fits a text: as all of it, its beginning, the beginning of
// a word, or somewhere in it; 0: it does not.
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

// fuzzy is inText for a name, which a word fits as well with its letters in their order
// and not far from each other.
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

func (j *jumpBox) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return j.key(msg)
	case tea.MouseMsg:
		if j.list.mouse(msg, msg.Y-2) {
			return j.take()
		}
		return nil
	}
	return j.toInput(msg) // a blinking cursor
}

func (j *jumpBox) key(msg tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(msg, keys.Cancel):
		return j.app.closeOver(j)
	case key.Matches(msg, keys.Open):
		return j.take()
	case key.Matches(msg, keys.Choose):
		j.list.update(msg)
		return nil
	case key.Matches(msg, keys.Next):
		j.list.move(1)
		return nil
	case key.Matches(msg, keys.Previous):
		j.list.move(-1)
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
	return j.app.blink(cmd)
}

// take goes where the chosen target leads.
func (j *jumpBox) take() tea.Cmd {
	if j.list.cursor >= len(j.shown) {
		return nil
	}
	t := j.shown[j.list.cursor]
	if t.do == nil {
		return nil
	}
	j.app.closeOver(j)
	return j.app.soon(jumpMsg{t.do})
}

// jumpMsg goes somewhere when the box that it was chosen in is gone.
type jumpMsg struct{ do func() tea.Cmd }

func (j *jumpBox) setSize(w, h int) {
	j.w, j.h = w, h
	j.layout()
}

// layout makes the box as high as what there is, but does not let it shrink while one
// types.
func (j *jumpBox) layout() {
	w := min(j.w-6, 96)
	j.input.Width = max(w-4, 1)
	j.list.setSize(w, max(min(len(j.all)+1, j.h-4), 1))
}

func (j *jumpBox) view() []string {
	lines := append([]string{fit(j.input.View(), j.list.w)}, j.list.view(true)...)
	return j.app.st.box(j.heading, j.list.place(), lines, j.list.w)
}

func (j *jumpBox) row(i, w int) string {
	st, t := j.app.st, &j.shown[i]
	name := min(max(j.most, 11), w*2/5)
	group := t.group
	if i > 0 && j.input.Value() == "" && j.shown[i-1].group == group {
		group = "" // said by the row above
	}
	left := st.key.Render(fitName(t.label, name)) + " " + oneLine(t.text, rowRunes)
	return spread(left, st.faint.Render(group), w)
}

func (j *jumpBox) title() string { return "jump" }

func (j *jumpBox) actions() actions {
	leave := keys.Renamed(keys.Cancel, "leave it")
	return actions{}.also(keys.Renamed(keys.Open, "go there"), keys.Choose, leave, keys.Clear)
}

func (j *jumpBox) typing() bool { return true }
func (j *jumpBox) close()       {}
