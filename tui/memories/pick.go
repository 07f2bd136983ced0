package memories

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

func (p *Page) nextCurator() tea.Cmd {
	p.query.curator = page.Following(append([]string{""}, memory.Curators...), p.query.curator)
	return p.narrow()
}

func (p *Page) toggleForgotten() tea.Cmd {
	p.query.forgotten = !p.query.forgotten
	return p.narrow()
}

func (p *Page) chooseAgent() tea.Cmd {
	all := []page.Choice{{Label: "no agent", Note: "shared items only"}}
	for _, name := range p.about.known(p.app.Worker) {
		note := "nothing of its own"
		if n := p.about.agents[name]; n > 0 {
			note = cells.Plural(int64(n), "thing") + " of its own"
		}
		all = append(all, page.Choice{Value: name, Label: name, Note: note})
	}
	all = append(all, page.Another)
	o := &page.Picker{App: p.app, Heading: "As which agent?", Name: "Agent", Choices: all, Take: p.lookAs}
	return p.app.Overlay(page.NewPicker(o, p.query.Agent))
}

func (p *Page) chooseSource() tea.Cmd {
	all := []page.Choice{{Label: "all sources"}}
	seen := map[string]bool{"": true, p.query.source: true}
	if p.query.source != "" {
		all = append(all, page.Choice{Value: p.query.source, Label: p.query.source})
	}
	for i := range p.rows {
		if s := p.rows[i].Source; !seen[s] {
			seen[s] = true
			all = append(all, page.Choice{Value: s, Label: s})
		}
	}
	all = append(all, page.Another)
	o := &page.Picker{App: p.app, Heading: "From which source?", Name: "Source", Choices: all, Take: p.setSource}
	return p.app.Overlay(page.NewPicker(o, p.query.source))
}

// choosePlace reads the channels or conversations, and lets the person choose one.
func (p *Page) choosePlace() tea.Cmd {
	q := p.query
	return p.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		heading, all := "Which channel?", []page.Choice{{Label: "all channels"}}
		err := p.app.WithMemory(ctx, q.Agent, func(s *memory.Store) error {
			if q.Section == SectionChannel {
				channels, err := s.Channels(ctx)
				for _, c := range channels {
					all = append(all, page.Choice{Value: c.Name, Label: page.Columns(c.Name, c.Description), Note: cells.Plural(int64(c.Items), "item")})
				}
				return err
			}
			heading, all[0].Label = "Which conversation?", "all conversations"
			talks, err := s.Conversations(ctx, "", memory.Statuses, memoryMost)
			for _, c := range talks {
				all = append(all, page.Choice{Value: c.Ref, Label: page.Columns(c.Ref, c.Status, c.Agent), Note: cells.Plural(int64(c.Items), "item")})
			}
			return err
		})
		return page.OverlayMsg{Over: page.NewPicker(&page.Picker{App: p.app, Heading: heading, Choices: all, Take: p.setPlace}, q.place)}, err
	})
}

// lookAs shows the memory as another agent sees it. The data of the agent before is
// dropped at once.
func (p *Page) lookAs(agent string) tea.Cmd {
	p.query.Agent, p.query.source = agent, ""
	p.hands = &memoryHands{p.app, agent, p}
	p.app.LastAgent = agent
	p.rows = nil
	p.detail.lookAs(agent)
	return p.narrow()
}

func (p *Page) setSource(source string) tea.Cmd {
	p.query.source = source
	return p.narrow()
}

func (p *Page) setPlace(place string) tea.Cmd {
	p.query.place = place
	return p.narrow()
}
