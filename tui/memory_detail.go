package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/keys"
)

// memoryDetail shows one thing of the memory whole: beside the list, or as a page of its
// own.
type memoryDetail struct {
	plain
	app   *app
	hands *memoryHands
	own   bool         // it is a page of its own, which a person has opened
	on    page         // the page it is on
	from  *searchState // the search that it was opened from; nil: none

	ref memoryRef // what is to be shown; the zero ref: nothing
	// what is shown: of another thing while ref's are read, so that nothing flickers
	facts *memoryFacts
	err   error  // why there is nothing
	last  latest // the last reading asked for
	doc   document
	w, h  int
}

// newMemoryDetail shows ref on a page, or on one of its own if on is nil.
func newMemoryDetail(a *app, agent string, ref memoryRef, on page) *memoryDetail {
	d := &memoryDetail{app: a, ref: ref, own: on == nil, on: on, doc: document{app: a}}
	if d.own {
		d.on = d
	}
	d.hands = &memoryHands{a, agent, d.on}
	return d
}

func (d *memoryDetail) init() tea.Cmd { return d.read() }

// read reads what is to be shown. It is no access: that a person looks at an item says
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

// took shows what was read.
func (d *memoryDetail) took(facts *memoryFacts, err error) tea.Cmd {
	if facts == nil || d.facts == nil || d.facts.ref != facts.ref {
		d.doc.top, d.doc.at = 0, 0
	}
	d.facts, d.err = facts, err
	d.layout()
	return nil
}

// show reads another thing, unless it is the one that is shown.
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

// again reads once more what is shown.
func (d *memoryDetail) again() tea.Cmd {
	if d.ref == (memoryRef{}) {
		return nil
	}
	return d.read()
}

// lookAs shows what another agent sees, from nothing on.
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

// mouseAt handles the mouse at a line of the text, counted from the first one that is
// seen.
func (d *memoryDetail) mouseAt(msg tea.MouseMsg, y int) tea.Cmd {
	if d.doc.mouse(msg, y) {
		return d.follow()
	}
	return nil
}

// follow goes where the chosen place leads.
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

// leave goes back to the search that it was opened from, as it was.
func (d *memoryDetail) leave() (tea.Cmd, bool) { return d.app.resumeSearch(d, d.from) }

func (d *memoryDetail) setSize(w, h int) {
	d.w, d.h = w, h
	d.layout()
}

// layout wraps the text for the width.
func (d *memoryDetail) layout() {
	d.doc.setSize(d.w, max(d.h-1, 0))
	var lines []docLine
	switch {
	case d.err != nil:
		x := newWriter(d.app.st, d.w)
		for _, l := range wrap(d.app.explain(d.err), x.w) {
			x.line(d.app.st.bad.Render(l))
		}
		lines = x.lines
	case d.facts != nil:
		lines = d.facts.lines(d.app, d.hands.agent, d.w)
	}
	d.doc.setLines(lines)
	if !d.own {
		d.doc.at = -1 // beside the list no key goes to its places
	}
}

func (d *memoryDetail) view() []string {
	name, note := "Nothing is chosen", d.doc.more()
	switch {
	case d.facts != nil:
		name = d.facts.title()
	case d.err != nil:
		name = oneLine(d.ref.id, 80)
	case d.ref != memoryRef{}:
		name = "reading…"
	}
	return append([]string{d.app.st.heading(name, note, d.w, d.own)}, d.doc.view()...)
}

// title is what the facts are about, in a few words.
func (f *memoryFacts) title() string {
	id := oneLine(f.ref.id, 80)
	switch {
	case f.item != nil:
		return id + " · " + oneLine(f.item.Scope().String(), 120)
	case f.note != nil:
		return f.note.Kind + " " + id
	case f.named != nil:
		return id + " · " + f.named.Tier
	}
	return "conversation " + id
}

func (d *memoryDetail) title() string { return oneLine(d.ref.id, 80) }

func (d *memoryDetail) actions() actions {
	all := append(d.doc.placeActions(d.follow, "next link", "link before"), d.hands.actions(d.ref)...)
	return append(all, action{keys.Refresh, d.again}).also(keys.Moving()...)
}

func (d *memoryDetail) close() { d.last.drop() }
