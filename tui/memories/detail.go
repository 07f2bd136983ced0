package memories

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// Detail shows one item of the memory in full: beside the list, or as a page.
type Detail struct {
	page.Plain
	app   *page.App
	hands *memoryHands
	own   bool           // it is a page, which a person has opened
	on    page.Page      // the page that it is on
	Back  func() tea.Cmd // returns to the search from which it was opened; nil: none

	ref Ref // what to show; the zero ref: nothing
	// the data on the screen. While ref is read it is that of another item, to avoid
	// flicker.
	facts *memoryFacts
	err   error       // why there is no data
	last  page.Latest // the last query
	doc   page.Document
	w, h  int
}

// NewDetail shows ref on a page, or as a page of its own if on is nil.
func NewDetail(a *page.App, agent string, ref Ref, on page.Page) *Detail {
	d := &Detail{app: a, ref: ref, own: on == nil, on: on, doc: page.Document{App: a}}
	if d.own {
		d.on = d
	}
	d.hands = &memoryHands{a, agent, d.on}
	return d
}

// Init reads the data.
func (d *Detail) Init() tea.Cmd { return d.read() }

// read reads the data. It does not count as an access: what a person looks at says
// nothing about what agents need.
func (d *Detail) read() tea.Cmd {
	agent, ref := d.hands.agent, d.ref
	return d.last.Ask(d.app, d.on, func(ctx context.Context) func() tea.Cmd {
		var facts *memoryFacts
		err := d.app.WithMemory(ctx, agent, func(s *memory.Store) (err error) {
			facts, err = readFacts(ctx, s, ref)
			return err
		})
		if err != nil {
			facts = nil
		}
		return func() tea.Cmd { return d.took(facts, err) }
	})
}

// took shows the data.
func (d *Detail) took(facts *memoryFacts, err error) tea.Cmd {
	if facts == nil || d.facts == nil || d.facts.ref != facts.ref {
		d.doc.Top, d.doc.At = 0, 0
	}
	d.facts, d.err = facts, err
	d.layout()
	return nil
}

// show reads another item, unless it is shown already.
func (d *Detail) show(ref Ref) tea.Cmd {
	switch {
	case ref == (Ref{}):
		d.clear()
		return nil
	case ref == d.ref:
		return nil
	}
	d.ref = ref
	return d.read()
}

// again reads the data again.
func (d *Detail) again() tea.Cmd {
	if d.ref == (Ref{}) {
		return nil
	}
	return d.read()
}

// lookAs shows what another agent sees, and drops the data first.
func (d *Detail) lookAs(agent string) {
	d.hands = &memoryHands{d.app, agent, d.on}
	d.clear()
}

// clear shows nothing.
func (d *Detail) clear() {
	d.last.Drop()
	d.ref, d.facts, d.err = Ref{}, nil, nil
	d.doc.SetLines(nil)
}

// Update reads the data again after a change of the memory.
func (d *Detail) Update(msg tea.Msg) tea.Cmd {
	if done, ok := msg.(page.DoneMsg); ok && done.Kind == page.ChangedMemory && done.Err == nil {
		return d.again()
	}
	return d.doc.Take(msg, d.Actions, d.follow)
}

// mouseAt handles the mouse at a line of the text, counted from the first visible one.
func (d *Detail) mouseAt(msg tea.MouseMsg, y int) tea.Cmd {
	if d.doc.Mouse(msg, y) {
		return d.follow()
	}
	return nil
}

// follow opens the target of the chosen link.
func (d *Detail) follow() tea.Cmd {
	to := d.doc.Chosen()
	if id, ok := strings.CutPrefix(to, toItem); ok {
		return d.app.Push(NewDetail(d.app, d.hands.agent, Ref{Kind: KindItem, ID: id}, nil))
	}
	if id, ok := strings.CutPrefix(to, toCapsule); ok {
		return d.app.Push(d.app.Open.Capsule(id))
	}
	return nil
}

// Leave returns to the search from which the page was opened.
// leave returns to the search, if it was opened from one.
func (d *Detail) Leave() (tea.Cmd, bool) {
	if d.Back == nil {
		return nil, false
	}
	return d.Back(), true
}

// SetSize lays out the text anew, since it is wrapped.
func (d *Detail) SetSize(w, h int) {
	d.w, d.h = w, h
	d.layout()
}

// layout wraps the text to the width.
func (d *Detail) layout() {
	d.doc.SetSize(d.w, max(d.h-1, 0))
	var lines []cells.Line
	switch {
	case d.err != nil:
		x := cells.NewWriter(d.app.Styles, d.w)
		for _, l := range cells.Wrap(d.app.Explain(d.err), x.Width) {
			x.Line(d.app.Styles.Bad.Render(l))
		}
		lines = x.Lines
	case d.facts != nil:
		lines = d.facts.lines(d.app, d.hands.agent, d.w)
	}
	d.doc.SetLines(lines)
	if !d.own {
		d.doc.At = -1 // beside the list, no key moves to its links
	}
}

// View shows a heading and the visible part of the text.
func (d *Detail) View() []string {
	name, note := "Nothing is chosen", d.doc.More()
	switch {
	case d.facts != nil:
		name = d.facts.title()
	case d.err != nil:
		name = cells.OneLine(d.ref.ID, 80)
	case d.ref != Ref{}:
		name = "reading…"
	}
	return append([]string{d.app.Styles.Heading(name, note, d.w, d.own)}, d.doc.View()...)
}

// title describes the item in a few words.
func (f *memoryFacts) title() string {
	id := cells.OneLine(f.ref.ID, 80)
	switch {
	case f.item != nil:
		return id + " · " + cells.OneLine(f.item.Scope().String(), 120)
	case f.note != nil:
		return f.note.Kind + " " + id
	case f.named != nil:
		return id + " · " + f.named.Tier
	}
	return "conversation " + id
}

// Title is the id of what is shown.
func (d *Detail) Title() string { return cells.OneLine(d.ref.ID, 80) }

// Actions returns the keys for what is shown.
func (d *Detail) Actions() page.Actions {
	all := append(d.doc.PlaceActions(d.follow, "next link", "link before"),
		d.hands.actions(d.ref)...)
	return append(all, page.On(page.KeyRefresh, d.again)).Also(page.MovingKeys()...)
}

// Close cancels the read.
func (d *Detail) Close() { d.last.Drop() }
