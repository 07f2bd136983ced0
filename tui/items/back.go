package items

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// bringBack restores a forgotten or archived item; for others, an earlier revision.
func (m *hands) bringBack(ref Ref) tea.Cmd {
	return m.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		switch ref.Kind {
		case KindCapsule:
			return m.capsuleRevisions(ctx, ref.ID)
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
func (m *hands) itemRevisions(ctx context.Context, id string) (tea.Msg, error) {
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
			Write: func(x *cells.Writer) {
				for _, l := range cells.Wrap(cells.Clean(r.Title), x.Width) {
					x.Line(x.Styles.Bold.Render(l))
				}
				x.Text(r.Content, "")
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
func (m *hands) namedRevisions(ctx context.Context, ref Ref) (tea.Msg, error) {
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
			Write: func(x *cells.Writer) { (&factLines{x, m.app}).markdown(r.Body) },
			Restore: func(ctx context.Context) (page.Outcome, error) {
				return m.writeNamed(ctx, &now, r.Body)
			},
		})
	}
	return m.app.PickRevision(ref.ID, all), nil
}

// restoreNow restores a forgotten or archived item. Undo forgets it again.
func (m *hands) restoreNow(ctx context.Context, id string) (page.Outcome, error) {
	var warnings []string
	err := m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
		r, err := s.Restore(ctx, id)
		warnings = r.Warnings
		return err
	})
	text := id + " is remembered again" + warned(warnings)
	return page.Outcome{Text: text, Undo: m.forgetAgain(id), Kind: page.ChangedMemory}, err
}
