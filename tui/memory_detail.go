package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/keys"
	"blackboard/tui/prose"
)

// memoryDetail shows one item of the memory in full: beside the list, or as a page.
type memoryDetail struct {
	plain
	app   *app
	hands *memoryHands
	own   bool         // it is a page, which a person has opened
	on    page         // the page that it is on
	from  *searchState // the search from which it was opened; nil: none

	ref memoryRef // what to show; the zero ref: nothing
	// the data on the screen. While ref is read it is that of another item, to avoid
	// flicker.
	facts *memoryFacts
	err   error  // why there is no data
	last  latest // the last query
	doc   document
	w, h  int
}

// newMemoryDetail shows ref on a page, or as a page of its own if on is nil.
func newMemoryDetail(a *app, agent string, ref memoryRef, on page) *memoryDetail {
	d := &memoryDetail{app: a, ref: ref, own: on == nil, on: on, doc: document{app: a}}
	if d.own {
		d.on = d
	}
	d.hands = &memoryHands{a, agent, d.on}
	return d
}

func (d *memoryDetail) init() tea.Cmd { return d.read() }

// read reads the data. It does not count as an access: what a person looks at says
// nothing about what agents need.
func (d *memoryDetail) read() tea.Cmd {
	agent, ref := d.hands.agent, d.ref
	return d.last.ask(d.app, d.on, func(ctx context.Context) func() tea.Cmd {
		var facts *memoryFacts
		err := d.app.withMemory(ctx, agent, func(s *memory.Store) (err error) {
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
func (d *memoryDetail) took(facts *memoryFacts, err error) tea.Cmd {
	if facts == nil || d.facts == nil || d.facts.ref != facts.ref {
		d.doc.top, d.doc.at = 0, 0
	}
	d.facts, d.err = facts, err
	d.layout()
	return nil
}

// show reads another item, unless it is shown already.
func (d *memoryDetail) show(ref memoryRef) tea.Cmd {
	switch {
	case ref == (memoryRef{}):
		d.clear()
		return nil
	case ref == d.ref:
		return nil
	}
	d.ref = ref
	return d.read()
}

// again reads the data again.
func (d *memoryDetail) again() tea.Cmd {
	if d.ref == (memoryRef{}) {
		return nil
	}
	return d.read()
}

// lookAs shows what another agent sees, and drops the data first.
func (d *memoryDetail) lookAs(agent string) {
	d.hands = &memoryHands{d.app, agent, d.on}
	d.clear()
}

// clear shows nothing.
func (d *memoryDetail) clear() {
	d.last.drop()
	d.ref, d.facts, d.err = memoryRef{}, nil, nil
	d.doc.setLines(nil)
}

func (d *memoryDetail) update(msg tea.Msg) tea.Cmd {
	if done, ok := msg.(doneMsg); ok && done.kind == changedMemory && done.err == nil {
		return d.again()
	}
	return d.doc.take(msg, d.actions, d.follow)
}

// mouseAt handles the mouse at a line of the text, counted from the first visible one.
func (d *memoryDetail) mouseAt(msg tea.MouseMsg, y int) tea.Cmd {
	if d.doc.mouse(msg, y) {
		return d.follow()
	}
	return nil
}

// follow opens the target of the chosen link.
func (d *memoryDetail) follow() tea.Cmd {
	to := d.doc.chosen()
	if id, ok := strings.CutPrefix(to, toItem); ok {
		return d.app.push(newMemoryDetail(d.app, d.hands.agent, memoryRef{kind: kindItem, id: id}, nil))
	}
	if id, ok := strings.CutPrefix(to, toCapsule); ok {
		return d.app.push(newCapsulePage(d.app, id))
	}
	return nil
}

// leave returns to the search from which the page was opened.
func (d *memoryDetail) leave() (tea.Cmd, bool) { return d.app.resumeSearch(d, d.from) }

func (d *memoryDetail) setSize(w, h int) {
	d.w, d.h = w, h
	d.layout()
}

// layout wraps the text to the width.
func (d *memoryDetail) layout() {
	d.doc.setSize(d.w, max(d.h-1, 0))
	var lines []prose.Line
	switch {
	case d.err != nil:
		x := prose.NewWriter(d.app.st, d.w)
		for _, l := range cells.Wrap(d.app.explain(d.err), x.Width) {
			x.Line(d.app.st.Bad.Render(l))
		}
		lines = x.Lines
	case d.facts != nil:
		lines = d.facts.lines(d.app, d.hands.agent, d.w)
	}
	d.doc.setLines(lines)
	if !d.own {
		d.doc.at = -1 // beside the list, no key moves to its links
	}
}

func (d *memoryDetail) view() []string {
	name, note := "Nothing is chosen", d.doc.more()
	switch {
	case d.facts != nil:
		name = d.facts.title()
	case d.err != nil:
		name = cells.OneLine(d.ref.id, 80)
	case d.ref != memoryRef{}:
		name = "reading…"
	}
	return append([]string{d.app.st.Heading(name, note, d.w, d.own)}, d.doc.view()...)
}

// title describes the item in a few words.
func (f *memoryFacts) title() string {
	id := cells.OneLine(f.ref.id, 80)
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

func (d *memoryDetail) title() string { return cells.OneLine(d.ref.id, 80) }

func (d *memoryDetail) actions() actions {
	all := append(d.doc.placeActions(d.follow, "next link", "link before"), d.hands.actions(d.ref)...)
	return append(all, action{keys.Refresh, d.again}).also(keys.Moving()...)
}

func (d *memoryDetail) close() { d.last.drop() }
