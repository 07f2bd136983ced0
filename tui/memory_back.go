package tui

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/prose"
)

// bringBack restores what was put away: an archived conversation, a forgotten or archived
// item; for others, an earlier revision.
func (m *memoryHands) bringBack(ref memoryRef) tea.Cmd {
	return m.app.hold(func(ctx context.Context) (tea.Msg, error) {
		switch ref.kind {
		case kindConversation:
			out, err := m.reopen(ctx, ref.id)
			return doneMsg{outcome: out, err: err}, nil
		case kindNamed:
			return m.namedRevisions(ctx, ref)
		case kindItem:
			return m.itemRevisions(ctx, ref.id)
		}
		const none = "an agent's own items have no revisions · u undoes the last action"
		return noticeMsg{text: none}, nil
	})
}

// itemRevisions restores an item that is not in use, or lets the person choose a
// revision.
func (m *memoryHands) itemRevisions(ctx context.Context, id string) (tea.Msg, error) {
	var now memory.Item
	var was []memory.Item
	err := m.app.withMemory(ctx, m.agent, func(s *memory.Store) (err error) {
		if now, err = s.Peek(ctx, id); err == nil && now.Live() {
			was, err = s.Revisions(ctx, id)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if !now.Live() {
		out, err := m.restoreNow(ctx, id)
		return doneMsg{outcome: out, err: err}, nil
	}
	var all []revision
	for i := range slices.Backward(was) {
		r := &was[i]
		all = append(all, revision{
			n: r.Revision, note: moment(r.Updated) + because(r.Why), text: r.Content,
			lines: func(w int) []prose.Line {
				x := prose.NewWriter(m.app.st, w)
				for _, l := range cells.Wrap(cells.Clean(r.Title), x.Width) {
					x.Line(x.Styles.Bold.Render(l))
				}
				x.Text(r.Content, "")
				return x.Lines
			},
			restore: func(ctx context.Context) (outcome, error) {
				why := fmt.Sprintf("as revision %d", r.Revision)
				return m.updateItem(ctx, &now, why, func(to *memory.Item) {
					to.Title, to.Content, to.Tags = r.Title, r.Content, r.Tags
					to.Importance, to.Lifetime = r.Importance, r.Lifetime
				})
			},
		})
	}
	return m.app.pickRevision(id, all), nil
}

// namedRevisions lets the person choose a revision of a named entry.
func (m *memoryHands) namedRevisions(ctx context.Context, ref memoryRef) (tea.Msg, error) {
	var now memory.Named
	var was []memory.Named
	err := m.app.withMemory(ctx, m.agent, func(s *memory.Store) (err error) {
		if now, err = s.GetNamed(ctx, ref.id, ref.tier); err == nil {
			was, err = s.NamedRevisions(ctx, ref.id, ref.tier)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []revision
	for i := range slices.Backward(was) {
		r := &was[i]
		all = append(all, revision{
			n: r.Revision, note: moment(r.Updated), text: r.Body,
			lines: func(w int) []prose.Line {
				x := prose.NewWriter(m.app.st, w)
				x.Line(prose.Markdown(m.app.st, r.Body, min(x.Width, prose.Measure))...)
				return x.Lines
			},
			restore: func(ctx context.Context) (outcome, error) {
				return m.writeNamed(ctx, &now, r.Body)
			},
		})
	}
	return m.app.pickRevision(ref.id, all), nil
}

// restoreNow restores a forgotten or archived item. Undo forgets it again.
func (m *memoryHands) restoreNow(ctx context.Context, id string) (outcome, error) {
	var warnings []string
	err := m.app.withMemory(ctx, m.agent, func(s *memory.Store) error {
		r, err := s.Restore(ctx, id)
		warnings = r.Warnings
		return err
	})
	text := id + " is remembered again" + warned(warnings)
	return outcome{text: text, undo: m.forgetAgain(id), kind: changedMemory}, err
}

// endTalk asks whether to end a conversation, with a summary; an ended one is archived.
func (m *memoryHands) endTalk(ref memoryRef) tea.Cmd {
	return m.app.hold(func(ctx context.Context) (tea.Msg, error) {
		c, err := m.talk(ctx, ref.id, (*memory.Store).Conversation)
		if err != nil {
			return nil, err
		}
		if c.Status == memory.StatusArchived {
			return noticeMsg{text: ref.id + " is archived already · O reopens it"}, nil
		}
		hint := "kept in the channel " + c.Channel + "; may be left empty"
		f := form{
			heading: "End " + ref.id, button: "end it",
			intro:  []string{"It is idle then, and d once more archives it. O reopens it."},
			fields: []*field{{name: "summary", label: "What did it come to?", hint: hint}},
			submit: func(ctx context.Context, v values) (outcome, error) {
				return m.idle(ctx, ref.id, v["summary"])
			},
		}
		if c.Status == memory.StatusIdle {
			f.heading, f.button, f.fields = "Archive "+ref.id, "archive it", nil
			f.intro = []string{"Nothing is added to it any more, and no agent goes on with it. " +
				"Its working notes stay. O reopens it."}
			f.submit = func(ctx context.Context, _ values) (outcome, error) {
				return m.archive(ctx, ref.id)
			}
		}
		return overlayMsg{newForm(m.app, f)}, nil
	})
}

// talkAct is an operation on a conversation.
type talkAct func(*memory.Store, context.Context, string) (memory.ConversationInfo, error)

// talk runs an operation on a conversation.
func (m *memoryHands) talk(
	ctx context.Context, ref string, do talkAct,
) (c memory.ConversationInfo, err error) {
	err = m.app.withMemory(ctx, m.agent, func(s *memory.Store) error {
		c, err = do(s, ctx, ref)
		return err
	})
	return c, err
}

// idle ends a conversation and stores its summary.
func (m *memoryHands) idle(ctx context.Context, ref, summary string) (outcome, error) {
	if summary != "" {
		err := m.app.withMemory(ctx, m.agent, func(s *memory.Store) error {
			_, err := s.Summarise(ctx, ref, summary)
			return err
		})
		if err != nil {
			return outcome{}, err
		}
	}
	_, err := m.talk(ctx, ref, (*memory.Store).IdleConversation)
	back := &undo{"reopen " + ref, func(ctx context.Context) (outcome, error) {
		return m.reopen(ctx, ref)
	}}
	return outcome{text: ref + " has ended", undo: back, kind: changedMemory}, err
}

func (m *memoryHands) archive(ctx context.Context, ref string) (outcome, error) {
	_, err := m.talk(ctx, ref, func(s *memory.Store, ctx context.Context, ref string) (memory.ConversationInfo, error) {
		return s.ArchiveConversation(ctx, ref, true)
	})
	back := &undo{"take " + ref + " out of the archive", func(ctx context.Context) (outcome, error) {
		if _, err := m.reopen(ctx, ref); err != nil {
			return outcome{}, err
		}
		_, err := m.talk(ctx, ref, (*memory.Store).IdleConversation)
		return outcome{text: ref + " is idle again", kind: changedMemory}, err
	}}
	return outcome{text: ref + " is archived", undo: back, kind: changedMemory}, err
}

// reopen makes a conversation active again. Undo restores its status.
func (m *memoryHands) reopen(ctx context.Context, ref string) (outcome, error) {
	was, err := m.talk(ctx, ref, (*memory.Store).Conversation)
	if err == nil {
		_, err = m.talk(ctx, ref, (*memory.Store).ReopenConversation)
	}
	back := &undo{"end " + ref + " again", func(ctx context.Context) (outcome, error) {
		return m.idle(ctx, ref, "")
	}}
	if was.Status == memory.StatusArchived {
		back = &undo{"archive " + ref + " again", func(ctx context.Context) (outcome, error) {
			return m.archive(ctx, ref)
		}}
	}
	return outcome{text: ref + " is active again", undo: back, kind: changedMemory}, err
}
