package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
)

// pickKind is what is chosen from a list.
type pickKind int

const (
	pickAgent pickKind = iota
	pickSource
	pickPlace
)

// choice is a line of a picker.
type choice struct {
	value string
	label string
	note  string
	other bool // it is in no list: it is asked for
}

// picker lies over the page and has one of a list chosen.
type picker struct {
	app     *app
	page    *memoryPage
	kind    pickKind
	heading string
	choices []choice
	list    list
	inner   int
}

func newPicker(p *memoryPage, kind pickKind, heading string, choices []choice, now string) *picker {
	o := &picker{app: p.app, page: p, kind: kind, heading: heading, choices: choices}
	o.list = list{app: p.app, row: o.row}
	o.list.setLen(len(choices))
	for i, c := range choices {
		if c.value == now && !c.other {
			o.list.moveTo(i)
		}
	}
	return o
}

func (o *picker) init() tea.Cmd { return nil }

func (o *picker) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if cmd, ok := o.actions().press(msg); ok {
			return cmd
		}
		o.list.update(msg)
	case tea.MouseMsg:
		if o.list.mouse(msg, msg.Y-1) {
			return o.take()
		}
	}
	return nil
}

func (o *picker) take() tea.Cmd {
	o.app.closeOver(o)
	return o.page.picked(o.kind, o.choices[o.list.cursor])
}

func (o *picker) setSize(w, h int) {
	o.inner = min(w-6, 64)
	o.list.setSize(o.inner, min(len(o.choices), max(h-4, 1)))
}

func (o *picker) row(i, w int) string {
	c := &o.choices[i]
	return spread(oneLine(c.label, 200), o.app.st.faint.Render(oneLine(c.note, 200)), w)
}

func (o *picker) view() []string {
	return o.app.st.box(o.heading, "enter takes it · esc leaves it", o.list.view(true), o.inner)
}

func (o *picker) title() string { return o.heading }

func (o *picker) actions() actions {
	leave := func() tea.Cmd { return o.app.closeOver(o) }
	return actions{{renamed(keys.open, "take it"), o.take}, {keys.cancel, leave}, action{keys.quit, leave}.unlisted()}.also(keys.moving()...)
}

func (o *picker) typing() bool { return false }
func (o *picker) close()       {}

func (p *memoryPage) nextCurator() tea.Cmd {
	p.query.curator = following(append([]string{""}, memory.Curators...), p.query.curator)
	return p.narrow()
}

func (p *memoryPage) toggleForgotten() tea.Cmd {
	p.query.forgotten = !p.query.forgotten
	return p.narrow()
}

func (p *memoryPage) chooseAgent() tea.Cmd {
	all := []choice{{label: "nobody", note: "only what is everybody's"}}
	for _, name := range p.about.known(p.app.Worker) {
		note := "nothing of its own"
		if n := p.about.agents[name]; n > 0 {
			note = plural(int64(n), "thing") + " of its own"
		}
		all = append(all, choice{value: name, label: name, note: note})
	}
	all = append(all, choice{label: "another…", note: "by its name", other: true})
	return p.app.overlay(newPicker(p, pickAgent, "Through whose eyes?", all, p.query.agent))
}

func (p *memoryPage) chooseSource() tea.Cmd {
	all := []choice{{label: "all sources"}}
	seen := map[string]bool{"": true, p.query.source: true}
	if p.query.source != "" {
		all = append(all, choice{value: p.query.source, label: p.query.source})
	}
	for i := range p.rows {
		if s := p.rows[i].source; !seen[s] {
			seen[s] = true
			all = append(all, choice{value: s, label: s})
		}
	}
	all = append(all, choice{label: "another…", note: "by its name", other: true})
	return p.app.overlay(newPicker(p, pickSource, "From which source?", all, p.query.source))
}

// choosePlace reads the channels or the conversations that there are, and has one chosen.
func (p *memoryPage) choosePlace() tea.Cmd {
	q := p.query
	return p.app.hold(func(ctx context.Context) (tea.Msg, error) {
		heading, all := "Which channel?", []choice{{label: "all channels"}}
		err := p.app.withMemory(ctx, q.agent, func(s *memory.Store) error {
			if q.section == sectionChannel {
				channels, err := s.Channels(ctx)
				for _, c := range channels {
					all = append(all, choice{value: c.Name, label: columns(c.Name, c.Description), note: plural(int64(c.Items), "item")})
				}
				return err
			}
			heading, all[0].label = "Which conversation?", "all conversations"
			talks, err := s.Conversations(ctx, "", memory.Statuses, memoryMost)
			for _, c := range talks {
				all = append(all, choice{value: c.Ref, label: columns(c.Ref, c.Status, c.Agent), note: plural(int64(c.Items), "item")})
			}
			return err
		})
		return overlayMsg{newPicker(p, pickPlace, heading, all, q.place)}, err
	})
}

// picked takes what was chosen, or asks for a name that is in no list.
func (p *memoryPage) picked(kind pickKind, c choice) tea.Cmd {
	if !c.other {
		return p.setChoice(kind, c.value)
	}
	heading, label := "Through whose eyes?", "Agent"
	if kind == pickSource {
		heading, label = "From which source?", "Source"
	}
	p.asking = kind
	p.ask = newForm(p.app, form{heading: heading, fields: []*field{{name: "name", label: label, required: true}}, button: "look",
		submit: func(context.Context, values) (outcome, error) { return outcome{}, nil }})
	return p.app.overlay(p.ask)
}

// setChoice lists what was chosen. Another agent sees other things: what was read through the eyes of the one before is dropped at once.
func (p *memoryPage) setChoice(kind pickKind, value string) tea.Cmd {
	switch kind {
	case pickAgent:
		p.query.agent, p.query.source = value, ""
		p.hands = &memoryHands{p.app, value, p}
		p.app.lastMemory = memoryState{agent: value}
		p.rows = nil
		p.detail.lookAs(value)
	case pickSource:
		p.query.source = value
	case pickPlace:
		p.query.place = value
	}
	return p.narrow()
}
