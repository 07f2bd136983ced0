package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
	"blackboard/tui/keys"
)

// list is a list with a cursor that only renders its visible rows.
type list struct {
	app    *app
	n      int // number of rows
	cursor int // the chosen row; 0 without rows
	top    int // the first visible row
	w, h   int // in cells; each row is a line
	// touched means that the person has chosen a row, which then stays chosen when others
	// are added. Until then the first row is chosen.
	touched bool
	// came counts the rows added above the visible ones while the person looked at
	// others.
	came int
	// changed reports whether a row is marked; nil: none.
	changed func(i int) bool
	// lost means that the chosen row is gone. Nothing is chosen until the person chooses.
	lost bool
	// row renders row i without the cursor, at most w cells wide.
	row func(i, w int) string
	// empty is shown without rows.
	empty string
}

func (l *list) setSize(w, h int) {
	l.w, l.h = w, h
	l.settle()
}

// setLen sets the number of rows. The cursor stays if possible.
func (l *list) setLen(n int) {
	l.n = n
	l.settle()
}

// settle moves cursor and window into the valid range.
func (l *list) settle() {
	l.cursor = min(max(l.cursor, 0), max(l.n-1, 0))
	l.top = min(l.top, l.cursor)
	if l.h > 0 && l.cursor >= l.top+l.h {
		l.top = l.cursor - l.h + 1
	}
	l.top = min(max(l.top, 0), max(l.n-l.h, 0))
	l.came = min(l.came, l.top)
}

// grew makes room for rows that were added at the top. A row that the person has chosen
// stays chosen, and at its place on the screen.
func (l *list) grew(rows int) {
	l.n += rows
	l.shift(rows)
	l.settle()
}

// shift keeps the visible rows in place after rows were added above.
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

// follow chooses the first row, also when it changes.
func (l *list) follow() {
	l.moveTo(0)
	l.touched = false
}

// keep restores the chosen row after the rows have changed: row is its new index, -1 if
// it is gone. expected means that the person's action removed it; then the next row is
// chosen.
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

// update moves the cursor by a key, and reports whether it was a key for that.
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

// wheelRows is how many rows a notch of the mouse wheel scrolls.
const wheelRows = 3

// mouse handles the wheel, and a click at a line of the list, counted from its first one.
// It reports a click at the chosen row, which opens it.
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

// view returns exactly h lines of w cells.
func (l *list) view(focused bool) []string {
	lines := make([]string, 0, l.h)
	if l.n == 0 && l.empty != "" {
		for _, s := range cells.Wrap(l.empty, max(l.w-2, 1)) {
			lines = append(lines, " "+l.app.st.Faint.Render(s))
		}
	}
	for i := l.top; i < min(l.n, l.top+l.h); i++ {
		row := l.row(i, l.w-1)
		switch {
		case i != l.cursor || l.lost:
			mark := " "
			if l.changed != nil && l.changed(i) {
				mark = l.app.st.Good.Render("•")
			}
			lines = append(lines, mark+row)
		case focused:
			lines = append(lines, l.app.st.ChosenRow("▌"+cells.Fit(row, l.w-1)))
		default:
			lines = append(lines, l.app.st.Faint.Render("▏")+row)
		}
	}
	return cells.Fill(lines, l.w, l.h)
}

// place returns the position, such as 3 of 538; "" without rows.
func (l *list) place() string {
	if l.n == 0 {
		return ""
	}
	place := cells.Count(int64(l.n))
	if !l.lost {
		place = cells.Count(int64(l.cursor+1)) + " of " + place
	}
	if l.came > 0 {
		place += " · " + cells.Count(int64(l.came)) + " new above"
	}
	return place
}

// columns joins texts with a blank between them.
func columns(parts ...string) string { return strings.Join(parts, " ") }
