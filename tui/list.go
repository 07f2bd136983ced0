package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/keys"
)

// list is a list with a cursor, of which only the rows that are seen are made.
type list struct {
	app    *app
	n      int // rows
	cursor int // the row that is chosen; 0 if there is none
	top    int // the first row that is seen
	w, h   int // in cells; a row takes one line
	// touched says that somebody has chosen a row: it stays chosen when others come.
	// Before that the first row is chosen, whichever that is.
	touched bool
	// came is how many rows came above what is seen while somebody was looking at other
	// rows.
	came int
	// changed says that a row is to be marked; nil: none is.
	changed func(i int) bool
	// lost says that the chosen row is gone: nothing is chosen until somebody chooses.
	lost bool
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
	l.came = min(l.came, l.top)
}

// grew makes room for rows that came before the first one. The row that somebody has
// chosen stays chosen and where it is on the screen: what came is above what is seen.
func (l *list) grew(rows int) {
	l.n += rows
	l.shift(rows)
	l.settle()
}

// shift keeps what is seen where it is, now that there are more rows above it.
func (l *list) shift(rows int) {
	if l.touched && rows > 0 {
		l.cursor, l.top, l.came = l.cursor+rows, l.top+rows, l.came+rows
	}
}

func (l *list) move(rows int) { l.moveTo(l.cursor + rows) }

func (l *list) moveTo(row int) {
	l.cursor, l.touched, l.lost = row, true, false
	l.settle()
}

// follow chooses the first row, whichever that will be.
func (l *list) follow() {
	l.moveTo(0)
	l.touched = false
}

// keep chooses the row that was chosen before, now that the rows are others: row is where
// it is, -1 if it is gone. expected says that it went because of something that was just
// done with it; then the next one is chosen.
func (l *list) keep(n, row int, expected bool) {
	had := l.n > 0 && !l.lost
	l.n = n
	switch {
	case row >= 0 && l.touched:
		l.cursor = row
	case row < 0 && had && l.touched && !expected:
		l.lost = true
	}
	l.settle()
}

// update moves the cursor as the keys say, and reports whether it was one of them.
func (l *list) update(msg tea.KeyMsg) bool {
	rows, ok := keys.Steps(msg, l.h, l.n)
	switch {
	case key.Matches(msg, keys.First):
		l.follow()
	case ok:
		l.move(rows)
	}
	return ok
}

// wheelRows is how many rows one notch of the mouse wheel moves.
const wheelRows = 3

// mouse handles the wheel and a click at a line of the list, counted from its first one.
// It reports whether a row that was chosen already was clicked, which opens it.
func (l *list) mouse(msg tea.MouseMsg, y int) (open bool) {
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		l.move(-wheelRows)
	case msg.Button == tea.MouseButtonWheelDown:
		l.move(wheelRows)
	case isClick(msg) && y >= 0 && y < l.h && l.top+y < l.n:
		open = l.cursor == l.top+y && !l.lost
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
		case i != l.cursor || l.lost:
			mark := " "
			if l.changed != nil && l.changed(i) {
				mark = l.app.st.good.Render("•")
			}
			lines = append(lines, mark+row)
		case focused:
			lines = append(lines, l.app.st.chosenRow("▌"+fit(row, l.w-1)))
		default:
			lines = append(lines, l.app.st.faint.Render("▏")+row)
		}
	}
	return fill(lines, l.w, l.h)
}

// place says where the window is, such as 3 of 538; nothing if there is nothing.
func (l *list) place() string {
	if l.n == 0 {
		return ""
	}
	place := count(int64(l.n))
	if !l.lost {
		place = count(int64(l.cursor+1)) + " of " + place
	}
	if l.came > 0 {
		place += " · " + count(int64(l.came)) + " new above"
	}
	return place
}

// columns joins texts with one blank between them.
func columns(parts ...string) string { return strings.Join(parts, " ") }
