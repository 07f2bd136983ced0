package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// list is a list with a cursor, of which only the rows that are seen are made.
type list struct {
	app    *app
	n      int // rows
	cursor int // the row that is chosen; 0 if there is none
	top    int // the first row that is seen
	w, h   int // in cells; a row takes one line
	// row makes row i, without the mark of the chosen one, of at most w cells.
	row func(i, w int) string
	// empty is what is said when there are no rows.
	empty string
}

func (l *list) setSize(w, h int) {
	l.w, l.h = w, h
	l.settle()
}

// setLen says how many rows there are. The cursor stays where it is, as far as it can.
func (l *list) setLen(n int) {
	l.n = n
	l.settle()
}

// settle brings cursor and window back into what there is.
func (l *list) settle() {
	l.cursor = min(max(l.cursor, 0), max(l.n-1, 0))
	l.top = min(l.top, l.cursor)
	if l.h > 0 && l.cursor >= l.top+l.h {
		l.top = l.cursor - l.h + 1
	}
	l.top = min(max(l.top, 0), max(l.n-l.h, 0))
}

// grew keeps the chosen row chosen, and the window where it is, when rows came before the first one. On the first row it stays there: that is following.
func (l *list) grew(rows int) {
	l.n += rows
	if l.cursor > 0 {
		l.cursor += rows
		l.top += rows
	}
	l.settle()
}

func (l *list) move(rows int) { l.moveTo(l.cursor + rows) }

func (l *list) moveTo(row int) {
	l.cursor = row
	l.settle()
}

// update moves the cursor as the keys say, and reports whether it was one of them.
func (l *list) update(msg tea.KeyMsg) bool {
	k := &l.app.keys
	switch {
	case key.Matches(msg, k.up):
		l.move(-1)
	case key.Matches(msg, k.down):
		l.move(1)
	case key.Matches(msg, k.pageUp):
		l.move(-max(l.h-1, 1))
	case key.Matches(msg, k.pageDown):
		l.move(max(l.h-1, 1))
	case key.Matches(msg, k.first):
		l.moveTo(0)
	case key.Matches(msg, k.last):
		l.moveTo(l.n - 1)
	default:
		return false
	}
	return true
}

// wheelRows is how many rows one notch of the mouse wheel moves.
const wheelRows = 3

// mouse handles the wheel and a click at a line of the list, counted from its first one. It reports whether a row that was chosen already was clicked, which opens it.
func (l *list) mouse(msg tea.MouseMsg, y int) (open bool) {
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		l.move(-wheelRows)
	case msg.Button == tea.MouseButtonWheelDown:
		l.move(wheelRows)
	case isClick(msg) && y >= 0 && y < l.h && l.top+y < l.n:
		open = l.cursor == l.top+y
		l.moveTo(l.top + y)
	}
	return open
}

func isClick(msg tea.MouseMsg) bool {
	return msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonLeft
}

// view is exactly h lines of w cells.
func (l *list) view(focused bool) []string {
	lines := make([]string, 0, l.h)
	if l.n == 0 && l.empty != "" {
		for _, s := range wrap(l.empty, max(l.w-2, 1)) {
			lines = append(lines, " "+l.app.st.faint.Render(s))
		}
	}
	for i := l.top; i < min(l.n, l.top+l.h); i++ {
		row := l.row(i, l.w-1)
		switch {
		case i == l.cursor && focused:
			lines = append(lines, l.app.st.selected.Render("▌"+fit(ansi.Strip(row), l.w-1)))
		case i == l.cursor:
			lines = append(lines, l.app.st.faint.Render("▏")+row)
		default:
			lines = append(lines, " "+row)
		}
	}
	return fill(lines, l.w, l.h)
}

// place says where the window is, such as 3 of 538; nothing if there is nothing.
func (l *list) place() string {
	if l.n == 0 {
		return ""
	}
	return count(int64(l.cursor+1)) + " of " + count(int64(l.n))
}

// columns joins texts with one blank between them.
func columns(parts ...string) string { return strings.Join(parts, " ") }
