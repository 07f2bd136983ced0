package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
	"blackboard/tui/keys"
	"blackboard/tui/prose"
)

// document is a text to scroll through, with lines that are links.
type document struct {
	app   *app
	lines []prose.Line
	ways  []int // the lines that are links
	top   int
	at    int // the chosen one of ways; -1 without links
	w, h  int
}

// setLines replaces the text. The chosen link keeps its index.
func (d *document) setLines(lines []prose.Line) {
	d.lines, d.ways = lines, nil
	for i, l := range lines {
		if l.To != "" {
			d.ways = append(d.ways, i)
		}
	}
	d.at = min(max(d.at, 0), len(d.ways)-1)
	d.scroll(0)
}

// setText replaces the text by one without links.
func (d *document) setText(lines ...string) {
	var x prose.Writer
	x.Line(lines...)
	d.setLines(x.Lines)
}

func (d *document) setSize(w, h int) {
	d.w, d.h = w, h
	d.scroll(0)
}

// chosen returns the target of the chosen link, or "".
func (d *document) chosen() string {
	if d.at < 0 || d.at >= len(d.ways) {
		return ""
	}
	return d.lines[d.ways[d.at]].To
}

func (d *document) scroll(lines int) {
	d.top = min(max(d.top+lines, 0), max(len(d.lines)-d.h, 0))
}

// choose moves to the next or previous link and scrolls to it.
func (d *document) choose(step int) {
	n := len(d.ways)
	if n == 0 {
		return
	}
	d.at = (d.at + step + n) % n
	i := d.ways[d.at]
	if i < d.top {
		d.scroll(i - d.top)
	} else if i >= d.top+d.h {
		d.scroll(i - d.top - d.h + 1)
	}
}

// placeActions returns the keys for links, if there are any; follow opens the chosen one.
func (d *document) placeActions(follow func() tea.Cmd, next, previous string) actions {
	if len(d.ways) == 0 {
		return nil
	}
	open := action{keys.Renamed(keys.Open, "go there"), follow}
	return actions{open}.also(keys.Renamed(keys.Next, next), keys.Renamed(keys.Previous, previous))
}

// update handles the keys for scrolling and choosing.
func (d *document) update(msg tea.KeyMsg) {
	lines, scrolls := keys.Steps(msg, d.h, len(d.lines))
	switch {
	case scrolls:
		d.scroll(lines)
	case key.Matches(msg, keys.Next):
		d.choose(1)
	case key.Matches(msg, keys.Previous):
		d.choose(-1)
	}
}

// take passes a key or a mouse event to a page that is a text below a heading: to its
// actions, else to the text. follow opens a clicked link.
func (d *document) take(msg tea.Msg, all func() actions, follow func() tea.Cmd) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if cmd, ok := all().press(msg); ok {
			return cmd
		}
		d.update(msg)
	case tea.MouseMsg:
		if d.mouse(msg, msg.Y-1) {
			return follow()
		}
	}
	return nil
}

// mouse handles the wheel, and a click at a line, counted from the first visible one. It
// reports whether a link was clicked.
func (d *document) mouse(msg tea.MouseMsg, y int) (open bool) {
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		d.scroll(-wheelRows)
	case msg.Button == tea.MouseButtonWheelDown:
		d.scroll(wheelRows)
	case isClick(msg) && y >= 0 && y < d.h:
		at, found := slices.BinarySearch(d.ways, d.top+y)
		if found {
			d.at = at
		}
		return found
	}
	return false
}

// view returns exactly h lines of w cells.
func (d *document) view() []string {
	lines := make([]string, 0, d.h)
	here := -1
	if d.at >= 0 && d.at < len(d.ways) {
		here = d.ways[d.at]
	}
	for i := d.top; i < min(len(d.lines), d.top+d.h); i++ {
		text := d.lines[i].Text
		if i == here {
			lines = append(lines, d.app.st.ChosenRow("▌"+cells.Fit(text, d.w-1)))
		} else {
			lines = append(lines, " "+text)
		}
	}
	return cells.Fill(lines, d.w, d.h)
}

// more tells how much of the text is below the visible part, if any.
func (d *document) more() string {
	below := len(d.lines) - d.top - d.h
	if below <= 0 {
		return ""
	}
	return cells.Plural(int64(below), "line") + " below"
}
