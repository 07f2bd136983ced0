package memories

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
	"blackboard/tui/prose"
)

// bringBack restores what was put away: an archived conversation, a forgotten or archived
// item; for others, an earlier revision.
func (m *memoryHands) bringBack(ref Ref) tea.Cmd {
	return m.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		switch ref.Kind {
		case KindConversation:
			out, err := m.reopen(ctx, ref.ID)
			return page.DoneMsg{Outcome: out, Err: err}, nil
		case KindNamed:
			return m.namedRevisions(ctx, ref)
		case KindItem:
			return m.itemRevisions(ctx, ref.ID)
		}
		const none = "an agent's own items have no revisions · u undoes the last action"
		return page.NoticeMsg{Text: none}, nil
	})
}

// itemRevisions restores an item that is not in use, or lets the person choose a
// revision.
func (m *memoryHands) itemRevisions(ctx context.Context, id string) (tea.Msg, error) {
	var now memory.Item
	var was []memory.Item
	err := m.app.WithMemory(ctx, m.agent, func(s *memory.Store) (err error) {
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
		return page.DoneMsg{Outcome: out, Err: err}, nil
	}
	var all []page.Revision
	for i := range slices.Backward(was) {
		r := &was[i]
		all = append(all, page.Revision{
			Number: r.Revision, Note: cells.Minute(r.Updated) + page.Because(r.Why), Text: r.Content,
			Lines: func(w int) []prose.Line {
				x := prose.NewWriter(m.app.Styles, w)
				for _, l := range cells.Wrap(cells.Clean(r.Title), x.Width) {
					x.Line(x.Styles.Bold.Render(l))
				}
				x.Text(r.Content, "")
				return x.Lines
			},
			Restore: func(ctx context.Context) (page.Outcome, error) {
				why := fmt.Sprintf("as revision %d", r.Revision)
				return m.updateItem(ctx, &now, why, func(to *memory.Item) {
					to.Title, to.Content, to.Tags = r.Title, r.Content, r.Tags
					to.Importance, to.Lifetime = r.Importance, r.Lifetime
				})
			},
		})
	}
	return m.app.PickRevision(id, all), nil
}

// namedRevisions lets the person choose a revision of a named entry.
func (m *memoryHands) namedRevisions(ctx context.Context, ref Ref) (tea.Msg, error) {
	var now memory.Named
	var was []memory.Named
	err := m.app.WithMemory(ctx, m.agent, func(s *memory.Store) (err error) {
		if now, err = s.GetNamed(ctx, ref.ID, ref.Tier); err == nil {
			was, err = s.NamedRevisions(ctx, ref.ID, ref.Tier)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []page.Revision
	for i := range slices.Backward(was) {
		r := &was[i]
		all = append(all, page.Revision{
			Number: r.Revision, Note: cells.Minute(r.Updated), Text: r.Body,
			Lines: func(w int) []prose.Line {
				x := prose.NewWriter(m.app.Styles, w)
				x.Line(prose.Markdown(m.app.Styles, r.Body, min(x.Width, prose.Measure))...)
				return x.Lines
			},
			Restore: func(ctx context.Context) (page.Outcome, error) {
				return m.writeNamed(ctx, &now, r.Body)
			},
		})
	}
	return m.app.PickRevision(ref.ID, all), nil
}

// restoreNow restores a forgotten or archived item. Undo forgets it again.
func (m *memoryHands) restoreNow(ctx context.Context, id string) (page.Outcome, error) {
	var warnings []string
	err := m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
		r, err := s.Restore(ctx, id)
		warnings = r.Warnings
		return err
	})
	text := id + " is remembered again" + warned(warnings)
	return page.Outcome{Text: text, Undo: m.forgetAgain(id), Kind: page.ChangedMemory}, err
}

// endTalk asks whether to end a conversation, with a summary; an ended one is archived.
func (m *memoryHands) endTalk(ref Ref) tea.Cmd {
	return m.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		c, err := m.talk(ctx, ref.ID, (*memory.Store).Conversation)
		if err != nil {
			return nil, err
		}
		if c.Status == memory.StatusArchived {
			return page.NoticeMsg{Text: ref.ID + " is archived already · O reopens it"}, nil
		}
		hint := "kept in the channel " + c.Channel + "; may be left empty"
		f := page.Form{
			Heading: "End " + ref.ID, Button: "end it",
			Intro:  []string{"It is idle then, and d once more archives it. O reopens it."},
			Fields: []*page.Field{{Name: "summary", Label: "What did it come to?", Hint: hint}},
			Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
				return m.idle(ctx, ref.ID, v["summary"])
			},
		}
		if c.Status == memory.StatusIdle {
			f.Heading, f.Button, f.Fields = "Archive "+ref.ID, "archive it", nil
			f.Intro = []string{"Nothing is added to it any more, and no agent goes on with it. " +
				"Its working notes stay. O reopens it."}
			f.Submit = func(ctx context.Context, _ page.Values) (page.Outcome, error) {
				return m.archive(ctx, ref.ID)
			}
		}
		return page.OverlayMsg{Over: page.NewForm(m.app, f)}, nil
	})
}

// talkAct is an operation on a conversation.
type talkAct func(*memory.Store, context.Context, string) (memory.ConversationInfo, error)

// talk runs an operation on a conversation.
func (m *memoryHands) talk(
	ctx context.Context, ref string, do talkAct,
) (c memory.ConversationInfo, err error) {
	err = m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
		c, err = do(s, ctx, ref)
		return err
	})
	return c, err
}

// idle ends a conversation and stores its summary.
func (m *memoryHands) idle(ctx context.Context, ref, summary string) (page.Outcome, error) {
	if summary != "" {
		err := m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
			_, err := s.Summarise(ctx, ref, "", summary)
			return err
		})
		if err != nil {
			return page.Outcome{}, err
		}
	}
	_, err := m.talk(ctx, ref, (*memory.Store).IdleConversation)
	back := &page.Undo{Text: "reopen " + ref, Do: func(ctx context.Context) (page.Outcome, error) {
		return m.reopen(ctx, ref)
	}}
	return page.Outcome{Text: ref + " has ended", Undo: back, Kind: page.ChangedMemory}, err
}

func (m *memoryHands) archive(ctx context.Context, ref string) (page.Outcome, error) {
	_, err := m.talk(ctx, ref, func(s *memory.Store, ctx context.Context, ref string) (memory.ConversationInfo, error) {
		return s.ArchiveConversation(ctx, ref, true)
	})
	back := &page.Undo{Text: "take " + ref + " out of the archive",
		Do: func(ctx context.Context) (page.Outcome, error) {
			if _, err := m.reopen(ctx, ref); err != nil {
				return page.Outcome{}, err
			}
			_, err := m.talk(ctx, ref, (*memory.Store).IdleConversation)
			return page.Outcome{Text: ref + " is idle again", Kind: page.ChangedMemory}, err
		}}
	return page.Outcome{Text: ref + " is archived", Undo: back, Kind: page.ChangedMemory}, err
}

// reopen makes a conversation active again. Undo restores its status.
func (m *memoryHands) reopen(ctx context.Context, ref string) (page.Outcome, error) {
	was, err := m.talk(ctx, ref, (*memory.Store).Conversation)
	if err == nil {
		_, err = m.talk(ctx, ref, (*memory.Store).ReopenConversation)
	}
	back := &page.Undo{Text: "end " + ref + " again",
		Do: func(ctx context.Context) (page.Outcome, error) {
			return m.idle(ctx, ref, "")
		}}
	if was.Status == memory.StatusArchived {
		back = &page.Undo{Text: "archive " + ref + " again",
			Do: func(ctx context.Context) (page.Outcome, error) {
				return m.archive(ctx, ref)
			}}
	}
	return page.Outcome{Text: ref + " is active again", Undo: back, Kind: page.ChangedMemory}, err
}
