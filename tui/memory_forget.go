package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
)

// forget asks whether something shall be forgotten, and shows what it says.
func (m *memoryHands) forget(ref memoryRef) tea.Cmd {
	if ref.kind == kindConversation {
		return notice("a conversation is not forgotten: X scrubs it")
	}
	return m.app.hold(func(ctx context.Context) (tea.Msg, error) {
		where, says, err := m.said(ctx, ref)
		if err != nil {
			return nil, err
		}
		f := form{heading: "Forget " + oneLine(ref.id, 40) + where, intro: []string{"No read finds it any more, and nothing brings it back.", says}, button: "forget it",
			submit: func(ctx context.Context, v values) (outcome, error) { return m.forgetNow(ctx, ref.id, v["why"]) }}
		switch ref.kind {
		case kindNamed:
			f.heading, f.intro[0], f.button = "Remove "+oneLine(ref.id, 40)+where, "No turn is given it any more; its revisions stay.", "remove it"
			f.submit = func(ctx context.Context, _ values) (outcome, error) { return m.removeNamed(ctx, ref) }
		case kindItem: // the memory keeps no reason with a note
			f.fields = []*field{{name: "why", label: "Why", hint: "may be left empty"}}
		}
		return overlayMsg{newForm(m.app, f)}, nil
	})
}

// said reads what ref names as it is now: where it is and who has written it, for a heading, and what it says, quoted on one line.
func (m *memoryHands) said(ctx context.Context, ref memoryRef) (where, says string, err error) {
	var parts []string
	err = m.app.withMemory(ctx, m.agent, func(s *memory.Store) error {
		switch ref.kind {
		case kindNamed:
			n, err := s.GetNamed(ctx, ref.id, ref.tier)
			where, parts = n.Tier+", curator "+n.Curator, []string{n.Body}
			return err
		case kindNote:
			n, err := findNote(ctx, s, ref)
			if err == nil {
				where, parts = n.Kind+" of "+n.Agent, []string{n.Content}
			}
			return err
		}
		it, err := s.Peek(ctx, ref.id)
		where, parts = it.Tier+", curator "+it.Curator, []string{it.Title, it.Content}
		return err
	})
	if err != nil {
		return "", "", err
	}
	if parts[0] == "" {
		parts = parts[1:]
	}
	return " (" + oneLine(where, 80) + ")", "“" + oneLine(strings.Join(parts, ": "), memoryRunes) + "”", nil
}
