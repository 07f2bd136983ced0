package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
)

// namedForm asks for what a named entry shall say. body is what stands in the form.
func (m *memoryHands) namedForm(n *memory.Named, body string) *form {
	var was values
	fl := &field{name: "body", label: "Markdown", value: n.Body, lines: 30, required: true}
	intro := append([]string{"It is read in every turn: keep what matters."}, aboutTabs(body)...)
	f := newForm(m.app, form{heading: "Edit " + n.Name + " of the " + n.Tier, intro: intro, fields: []*field{fl}, button: "keep it",
		submit: func(ctx context.Context, v values) (outcome, error) {
			if v["body"] == was["body"] {
				return outcome{}, errUnchanged
			}
			return m.writeNamed(ctx, n, v["body"])
		}})
	was = f.values()
	if body != n.Body {
		fl.fill(body)
	}
	return f
}

// newNamed asks for a named entry that there is not yet.
func (m *memoryHands) newNamed() tea.Cmd {
	fields := []*field{
		{name: "name", label: "Name", hint: "such as STACK", required: true},
		{name: "tier", label: "Tier", choices: m.tiers()},
		{name: "body", label: "Markdown", lines: 20, required: true},
	}
	return m.app.overlay(newForm(m.app, form{heading: "A named entry", fields: fields, button: "write", submit: func(ctx context.Context, v values) (outcome, error) {
		return m.writeNamed(ctx, &memory.Named{Name: v["name"], Tier: v["tier"]}, v["body"])
	}}))
}

// writeNamed writes a named entry, if it still is as it was read. It is taken back by writing what it said before; one that was not written before is removed again.
func (m *memoryHands) writeNamed(ctx context.Context, was *memory.Named, body string) (outcome, error) {
	now, err := m.storeNamed(ctx, was, body, was.Revision)
	if err != nil {
		return outcome{}, err
	}
	out := outcome{text: now.Name + " is at revision " + count(int64(now.Revision)), kind: changedMemory}
	if was.Revision == 0 {
		out.undo = &undo{"remove " + now.Name + " again", func(ctx context.Context) (outcome, error) {
			done, err := m.removeNamed(ctx, memoryRef{kind: kindNamed, id: now.Name, tier: now.Tier})
			done.undo = nil
			return done, err
		}}
		return out, nil
	}
	out.undo = &undo{"give " + now.Name + " back what it said before", func(ctx context.Context) (outcome, error) {
		_, err := m.storeNamed(ctx, &now, was.Body, now.Revision)
		return outcome{text: now.Name + " says again what it said", kind: changedMemory}, err
	}}
	return out, nil
}

func (m *memoryHands) storeNamed(ctx context.Context, n *memory.Named, body string, revision int) (now memory.Named, err error) {
	err = m.app.withMemory(ctx, m.agent, func(s *memory.Store) error {
		now, err = s.EditNamed(ctx, n.Name, n.Tier, body, revision)
		return err
	})
	return now, err
}

// removeNamed removes a named entry. It is taken back by writing it anew.
func (m *memoryHands) removeNamed(ctx context.Context, ref memoryRef) (outcome, error) {
	var was memory.Named
	err := m.app.withMemory(ctx, m.agent, func(s *memory.Store) (err error) {
		was, err = s.RemoveNamed(ctx, ref.id, ref.tier)
		return err
	})
	back := &undo{"write " + ref.id + " again", func(ctx context.Context) (outcome, error) {
		_, err := m.storeNamed(ctx, &was, was.Body, 0)
		return outcome{text: was.Name + " is there again", kind: changedMemory}, err
	}}
	return outcome{text: ref.id + " is removed", undo: back, kind: changedMemory}, err
}
