package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
	"blackboard/tui/styles"
)

// twoPanes is a list with a text about its chosen row beside it, or below on narrow
// screens. The page uses the two lines above.
type twoPanes struct {
	items list
	doc   document
	inDoc bool // the text has the keys, not the list
	w, h  int
	left  rect // the place of the list; the text has the rest
	right rect
}

// lay sets the places of both. If the list is above the text, it gets this many fifths.
func (p *twoPanes) lay(w, h, fifths int) {
	p.w, p.h = w, h
	body := h - 2
	if w >= wide {
		p.left = rect{0, 2, w * 45 / 100, body}
		p.right = rect{p.left.w + 1, 2, w - p.left.w - 1, body}
	} else {
		p.left = rect{0, 2, w, body * fifths / 5}
		p.right = rect{0, 2 + p.left.h, w, body - p.left.h}
	}
	p.items.setSize(p.left.w, p.left.h-1)
	p.doc.setSize(p.right.w, p.right.h-1)
}

// drawn renders the page: the lines above, and both panes.
func (p *twoPanes) drawn(st *styles.Set, above []string, rows, about string) []string {
	items := st.Pane(rows, p.items.place(), p.items.view(!p.inDoc), p.left.w, p.left.h, !p.inDoc)
	text := st.Pane(about, p.doc.more(), p.doc.view(), p.right.w, p.right.h, p.inDoc)
	if p.w >= wide {
		return append(above, cells.Beside(st.Faint.Render("│"), items, text)...)
	}
	return append(append(above, items...), text...)
}

// mouse handles the mouse, and reports whether another row may be chosen, and whether to
// open it.
func (p *twoPanes) mouse(msg tea.MouseMsg) (moved, open bool) {
	switch {
	case p.left.has(msg.X, msg.Y):
		if isClick(msg) {
			p.inDoc = false
		}
		return true, p.items.mouse(msg, msg.Y-p.left.y-1)
	case p.right.has(msg.X, msg.Y):
		if isClick(msg) {
			p.inDoc = true
		}
		p.doc.mouse(msg, msg.Y-p.right.y-1)
	}
	return false, false
}

func (p *twoPanes) toText() tea.Cmd {
	p.inDoc = true
	return nil
}

func (p *twoPanes) toItems() tea.Cmd {
	p.inDoc = false
	return nil
}

func (p *twoPanes) otherSide() tea.Cmd {
	p.inDoc = !p.inDoc
	return nil
}
