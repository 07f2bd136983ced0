package items

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// NewDetail shows one thing as an agent sees it.
func NewDetail(a *page.App, agent string, ref Ref) *page.Text {
	var shown *facts
	opened := false
	t := &page.Text{App: a, Name: cells.OneLine(ref.ID, 80), Link: "link",
		Follow: func(to string) tea.Cmd { return follow(a, agent, to) }}
	h := &hands{a, agent, t}
	t.Heading = func() string {
		if shown == nil {
			return t.Name
		}
		return shown.title
	}
	t.Read = func(ctx context.Context) (func(*cells.Writer), error) {
		first := !opened
		opened = true
		f, err := readFacts(ctx, a, agent, ref, first)
		return func(x *cells.Writer) {
			shown = f
			f.writeTo(x, a)
		}, err
	}
	t.Heard = func(msg tea.Msg) tea.Cmd {
		done, ok := msg.(page.DoneMsg)
		if ok && done.Err == nil && (done.Kind == page.ChangedMemory || done.Kind == page.ChangedKnowledge) {
			return t.Reload()
		}
		return nil
	}
	t.Keys = func() page.Actions { return h.actions(ref, shown) }
	return t
}

func NewCapsule(a *page.App, id string) *page.Text {
	return NewDetail(a, a.LastAgent, Ref{Kind: KindCapsule, ID: id})
}
