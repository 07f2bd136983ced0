package page

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
)

// List is a list with a cursor that only renders its visible rows.
type List struct {
	App           *App
	Len           int // number of rows
	Cursor        int // the chosen row; 0 without rows
	Top           int // the first visible row
	Width, Height int // in cells; each row is a line
	// Touched means that the person has chosen a row, which then stays chosen when others
	// are added. Until then the first row is chosen.
	Touched bool
	// came counts rows added above while the person looked at others.
	came int
	// Lost means that the chosen row is gone. Nothing is chosen until the person chooses.
	Lost bool
	// Row renders row i without the cursor, at most w cells wide.
	Row func(i, w int) string
	// Empty is shown without rows.
	Empty string
}

func (l *List) SetSize(w, h int) {
	l.Width, l.Height = w, h
	l.settle()
}

func (l *List) SetLen(n int) {
	l.Len = n
	l.settle()
}

// settle moves cursor and window into the valid range.
func (l *List) settle() {
	l.Cursor = min(max(l.Cursor, 0), max(l.Len-1, 0))
	l.Top = min(l.Top, l.Cursor)
	if l.Height > 0 && l.Cursor >= l.Top+l.Height {
		l.Top = l.Cursor - l.Height + 1
	}
	l.Top = min(max(l.Top, 0), max(l.Len-l.Height, 0))
	l.came = min(l.came, l.Top)
}

// Grew makes room for rows that were added at the top. A row that the person has chosen
// stays chosen, and at its place on the screen.
func (l *List) Grew(rows int) {
	l.Len += rows
	l.Shift(rows)
	l.settle()
}

// Shift keeps the visible rows in place after rows were added above.
func (l *List) Shift(rows int) {
	if l.Touched && rows > 0 {
		l.Cursor, l.Top, l.came = l.Cursor+rows, l.Top+rows, l.came+rows
	}
}

func (l *List) Move(rows int) { l.MoveTo(l.Cursor + rows) }

// MoveTo moves the cursor to a row, which then stays chosen.
func (l *List) MoveTo(row int) {
	l.Cursor, l.Touched, l.Lost = row, true, false
	l.settle()
}

// Follow chooses the first row, also when it changes.
func (l *List) Follow() {
	l.MoveTo(0)
	l.Touched = false
}

// Keep restores the chosen row after changes: row is its new index, -1 if gone. expected: the
// person's action removed it, and the next row is chosen.
func (l *List) Keep(n, row int, expected bool) {
	had := l.Len > 0 && !l.Lost
	l.Len = n
	switch {
	case row >= 0 && l.Touched:
		l.Cursor = row
	case row < 0 && had && l.Touched && !expected:
		l.Lost = true
	}
	l.settle()
}

// Update moves the cursor by a key, and reports whether it was a key for that.
func (l *List) Update(msg tea.KeyMsg) bool {
	rows, ok := StepsOf(msg, l.Height, l.Len)
	switch {
	case key.Matches(msg, KeyFirst):
		l.Follow()
	case ok:
		l.Move(rows)
	}
	return ok
}

// View returns exactly h lines of w cells.
func (l *List) View(focused bool) []string {
	lines := make([]string, 0, l.Height)
	if l.Len == 0 && l.Empty != "" {
		for _, s := range cells.Wrap(l.Empty, max(l.Width-2, 1)) {
			lines = append(lines, " "+l.App.Styles.Faint.Render(s))
		}
	}
	for i := l.Top; i < min(l.Len, l.Top+l.Height); i++ {
		row := l.Row(i, l.Width-1)
		switch {
		case i != l.Cursor || l.Lost:
			lines = append(lines, " "+row)
		case focused:
			lines = append(lines, l.App.Styles.ChosenRow("▌"+cells.Fit(row, l.Width-1)))
		default:
			lines = append(lines, l.App.Styles.Faint.Render("▏")+row)
		}
	}
	return cells.Fill(lines, l.Width, l.Height)
}

func (l *List) Place() string {
	if l.Len == 0 {
		return ""
	}
	place := cells.Count(int64(l.Len))
	if !l.Lost {
		place = cells.Count(int64(l.Cursor+1)) + " of " + place
	}
	if l.came > 0 {
		place += " · " + cells.Count(int64(l.came)) + " new above"
	}
	return place
}

// Columns joins texts with a blank between them.
func Columns(parts ...string) string { return strings.Join(parts, " ") }

// RowRunes is how much of a content a row keeps.
const RowRunes = 300
