package page

import (
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
)

// TwoPanes is a list with its chosen row's text beside, or below if narrow, below the page's.
type TwoPanes struct {
	Items         List
	Filter        Filter // of the list
	Doc           Document
	InDoc         bool // the text has the keys, not the list
	Width, Height int
	Note          string // on the list, after its place
	left          Rect   // the list; the text has the rest
	Right         Rect
}

// Lay sizes both, below some lines. A list above the text gets this many fifths.
func (p *TwoPanes) Lay(w, h, above, fifths int) {
	p.Width, p.Height = w, h
	body := max(h-above, 2)
	if w >= Wide {
		p.left = Rect{w * 45 / 100, body}
		p.Right = Rect{w - p.left.W - 1, body}
	} else {
		p.left = Rect{w, body * fifths / 5}
		p.Right = Rect{w, body - p.left.H}
	}
	p.Items.SetSize(p.left.W, p.left.H-1)
	p.Doc.SetSize(p.Right.W, p.Right.H-1)
}

// Panes renders the page: the lines above, and both panes.
func (p *TwoPanes) Panes(st *cells.Styles, above []string, rows, about string) []string {
	items := st.Pane(rows, p.Items.Place()+p.Note, p.Items.View(!p.InDoc), p.left.W, p.left.H, !p.InDoc)
	text := st.Pane(about, p.Doc.More(), p.Doc.View(), p.Right.W, p.Right.H, p.InDoc)
	if p.Width >= Wide {
		return append(above, cells.Beside(st.Faint.Render("│"), items, text)...)
	}
	return append(append(above, items...), text...)
}

// Key handles a key: of the filter, which narrow applies, of an action, or of the pane that has
// the keys; moved is called when another row is chosen.
func (p *TwoPanes) Key(msg tea.KeyMsg, all func() Actions, narrow, moved func()) tea.Cmd {
	if p.Filter.Active {
		changed, cmd := p.Filter.Update(msg)
		if changed {
			narrow()
		}
		return cmd
	}
	cmd, ok := all().Press(msg)
	switch {
	case ok:
	case p.InDoc:
		p.Doc.Update(msg)
	case p.Items.Update(msg):
		moved()
	}
	return cmd
}

func (p *TwoPanes) Typing() bool { return p.Filter.Active }

// SideActions give the keys to the other pane.
func (p *TwoPanes) SideActions() Actions {
	other := "to the text"
	if p.InDoc {
		other = "to the list"
	}
	to := func(text bool) func() tea.Cmd {
		return func() tea.Cmd { p.InDoc = text; return nil }
	}
	return Actions{On(Renamed(KeyNext, other), to(!p.InDoc)), On(KeyPrevious, to(!p.InDoc)).Unlisted(),
		On(KeyRight, to(true)), On(KeyLeft, to(false))}
}

// Rect is the size of a part of the page, in cells.
type Rect struct{ W, H int }

// Wide is the least width at which all panes are shown at once.
const Wide = 110
