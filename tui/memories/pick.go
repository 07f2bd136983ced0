package memories

import (
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
	"blackboard/tui/page"
)

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
	o := p.app.Choose("As which agent?", all, p.query.Agent, p.lookAs)
	o.Typed = func(name string) []page.Target {
		return []page.Target{{Label: name, Text: "an agent of this name", Last: true, Do: func() tea.Cmd { return p.lookAs(name) }}}
	}
	return p.app.Overlay(o)
}

// lookAs shows the memory as another agent sees it. The data of the agent before is
// dropped at once.
func (p *Page) lookAs(agent string) tea.Cmd {
	p.query.Agent = agent
	p.hands = &memoryHands{p.app, agent, p}
	p.app.LastAgent = agent
	p.rows = nil
	p.detail.lookAs(agent)
	return p.narrow()
}
