package tui

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/keys"
)

// choice is a line of a picker.
type choice struct {
	value string
	label string
	note  string
	other bool // for a value that is not listed: asks for it
}

// another is the choice for a value that is not listed.
var another = choice{label: "another…", note: "by its name", other: true}

// picker is an overlay with a list of choices.
type picker struct {
	plain
	app     *app
	heading string
	name    string // what a choice is, for the form of another
	choices []choice
	take    func(value string) tea.Cmd
	copies  bool // values can be copied
	list    list
	inner   int
}

// newPicker starts with the current choice.
func newPicker(o *picker, now string) *picker {
	o.list = list{app: o.app, row: o.row}
	o.list.setLen(len(o.choices))
	o.list.moveTo(slices.IndexFunc(o.choices, func(c choice) bool { return c.value == now && !c.other }))
	return o
}

func (o *picker) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if cmd, ok := o.actions().press(msg); ok {
			return cmd
		}
		o.list.update(msg)
	case tea.MouseMsg:
		if o.list.mouse(msg, msg.Y-1) {
			return o.takeChosen()
		}
	}
	return nil
}

// takeChosen applies the choice, or asks for a name that is not listed.
func (o *picker) takeChosen() tea.Cmd {
	o.app.closeOver(o)
	c := o.choices[o.list.cursor]
	if !c.other {
		return o.take(c.value)
	}
	fields := []*field{{name: "name", label: o.name, required: true}}
	f := newForm(o.app, form{heading: o.heading, fields: fields, button: "look",
		submit: func(context.Context, values) (outcome, error) { return outcome{}, nil }})
	f.tried = func(error) tea.Cmd { return o.take(f.values()["name"]) }
	return o.app.overlay(f)
}

func (o *picker) setSize(w, h int) {
	o.inner = min(w-6, 64)
	o.list.setSize(o.inner, min(len(o.choices), max(h-4, 1)))
}

func (o *picker) row(i, w int) string {
	c := &o.choices[i]
	return cells.Spread(cells.OneLine(c.label, 200), o.app.st.Faint.Render(cells.OneLine(c.note, 200)), w)
}

func (o *picker) view() []string {
	return o.app.st.Box(o.heading, "enter takes it · esc leaves it", o.list.view(true), o.inner)
}

func (o *picker) title() string { return o.heading }

func (o *picker) actions() actions {
	leave := func() tea.Cmd { return o.app.closeOver(o) }
	all := actions{{keys.Renamed(keys.Open, "take it"), o.takeChosen}, {keys.Cancel, leave}, action{keys.Quit, leave}.unlisted()}
	if o.copies {
		all = append(all, action{keys.Renamed(keys.CopyID, "copy it"), func() tea.Cmd { return o.app.copyText(o.choices[o.list.cursor].value) }})
	}
	return all.also(keys.Moving()...)
}

func (p *memoryPage) nextCurator() tea.Cmd {
	p.query.curator = following(append([]string{""}, memory.Curators...), p.query.curator)
	return p.narrow()
}

func (p *memoryPage) toggleForgotten() tea.Cmd {
	p.query.forgotten = !p.query.forgotten
	return p.narrow()
}

func (p *memoryPage) chooseAgent() tea.Cmd {
	all := []choice{{label: "no agent", note: "shared items only"}}
	for _, name := range p.about.known(p.app.Worker) {
		note := "nothing of its own"
		if n := p.about.agents[name]; n > 0 {
			note = cells.Plural(int64(n), "thing") + " of its own"
		}
		all = append(all, choice{value: name, label: name, note: note})
	}
	all = append(all, another)
	o := &picker{app: p.app, heading: "As which agent?", name: "Agent", choices: all, take: p.lookAs}
	return p.app.overlay(newPicker(o, p.query.agent))
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
	all = append(all, another)
	o := &picker{app: p.app, heading: "From which source?", name: "Source", choices: all, take: p.setSource}
	return p.app.overlay(newPicker(o, p.query.source))
}

// choosePlace reads the channels or conversations, and lets the person choose one.
func (p *memoryPage) choosePlace() tea.Cmd {
	q := p.query
	return p.app.hold(func(ctx context.Context) (tea.Msg, error) {
		heading, all := "Which channel?", []choice{{label: "all channels"}}
		err := p.app.withMemory(ctx, q.agent, func(s *memory.Store) error {
			if q.section == sectionChannel {
				channels, err := s.Channels(ctx)
				for _, c := range channels {
					all = append(all, choice{value: c.Name, label: columns(c.Name, c.Description), note: cells.Plural(int64(c.Items), "item")})
				}
				return err
			}
			heading, all[0].label = "Which conversation?", "all conversations"
			talks, err := s.Conversations(ctx, "", memory.Statuses, memoryMost)
			for _, c := range talks {
				all = append(all, choice{value: c.Ref, label: columns(c.Ref, c.Status, c.Agent), note: cells.Plural(int64(c.Items), "item")})
			}
			return err
		})
		return overlayMsg{newPicker(&picker{app: p.app, heading: heading, choices: all, take: p.setPlace}, q.place)}, err
	})
}

// lookAs shows the memory as another agent sees it. The data of the agent before is
// dropped at once.
func (p *memoryPage) lookAs(agent string) tea.Cmd {
	p.query.agent, p.query.source = agent, ""
	p.hands = &memoryHands{p.app, agent, p}
	p.app.lastAgent = agent
	p.rows = nil
	p.detail.lookAs(agent)
	return p.narrow()
}

func (p *memoryPage) setSource(source string) tea.Cmd {
	p.query.source = source
	return p.narrow()
}

func (p *memoryPage) setPlace(place string) tea.Cmd {
	p.query.place = place
	return p.narrow()
}
