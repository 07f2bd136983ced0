package runs

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/page"
)

// paneList is what the three lists of the page share: rows, and a filter above them.
type paneList struct {
	page   *Page
	pane   int
	list   page.List
	filter page.Filter
	lines  int // above the rows, without the filter
}

func (l *paneList) init(p *Page, pane int, hint string, row func(i, w int) string) {
	l.page, l.pane, l.lines = p, pane, 1
	l.filter = page.NewFilter(p.app, hint, &l.list, p.layout)
	l.list = page.List{App: p.app, Row: row}
}

func (l *paneList) rows() *page.List        { return &l.list }
func (l *paneList) narrowing() *page.Filter { return &l.filter }

// above returns the number of lines above the rows.
func (l *paneList) above() int {
	if l.filter.Shown() {
		return l.lines + 1
	}
	return l.lines
}

// draw renders the pane; above are lines between its title and the rows.
func (l *paneList) draw(title, note, empty string, focused bool, above ...string) []string {
	r := l.page.area[l.pane]
	if l.list.Empty = empty; l.filter.Shown() {
		above = append(above, " "+l.filter.View(r.W-1))
	}
	return l.page.app.Styles.Pane(title, note, append(above, l.list.View(focused)...), r.W, r.H, focused)
}

// narrowed is a list all of whose rows are known, and that shows some of them.
type narrowed[T any] struct {
	of      *page.List
	by      *page.Filter
	shown   []T
	all     func() []T
	matches func(*T) bool
	key     func(*T) string // tells rows apart
}

// show shows the rows that pass, the chosen one kept; expected: an action may have removed it.
func (n *narrowed[T]) show(chosen string, expected bool) {
	n.shown = n.shown[:0:0]
	for _, x := range n.all() {
		if n.matches(&x) {
			n.shown = append(n.shown, x)
		}
	}
	n.of.Keep(len(n.shown), n.find(chosen), expected)
}

func (n *narrowed[T]) find(key string) int {
	return slices.IndexFunc(n.shown, func(x T) bool { return n.key(&x) == key })
}

func (n *narrowed[T]) choose(key string) {
	if at := n.find(key); at >= 0 {
		n.of.MoveTo(at)
	}
}

func (n *narrowed[T]) at() *T {
	if n.of.Cursor < len(n.shown) && !n.of.Lost {
		return &n.shown[n.of.Cursor]
	}
	return nil
}

func (n *narrowed[T]) chosenKey() string {
	if x := n.at(); x != nil {
		return n.key(x)
	}
	return ""
}

// refilter applies a filter that has changed; the chosen row stays chosen.
func (n *narrowed[T]) refilter(chosen string) {
	n.show(chosen, true)
	n.choose(chosen)
}

func (n *narrowed[T]) typed(msg tea.KeyMsg) tea.Cmd {
	chosen := n.chosenKey()
	changed, cmd := n.by.Update(msg)
	if changed {
		n.refilter(chosen)
	}
	return cmd
}

func (n *narrowed[T]) clearFilter() tea.Cmd {
	chosen := n.chosenKey()
	n.by.Clear()
	n.refilter(chosen)
	return nil
}
