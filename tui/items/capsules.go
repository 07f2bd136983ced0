package items

import (
	"context"
	"errors"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/tui/page"
)

// editCapsule reads the capsule's file. If it was changed meanwhile, the first attempt to save it
// fails; a second one overwrites the change.
func (m *hands) editCapsule(ctx context.Context, id string) (page.Editing, error) {
	k, err := m.app.KB(ctx)
	if err != nil {
		return page.Editing{}, err
	}
	text, seen, err := k.Text(ctx, id)
	meanwhile := false
	save := func(ctx context.Context, text string, force bool) (page.Outcome, error) {
		k, err := m.app.KB(ctx)
		if err != nil {
			return page.Outcome{}, err
		}
		how := kb.EditOptions{Revision: &seen, Force: force && !meanwhile}
		r, err := k.EditText(ctx, id, []byte(text), how)
		var known *fault.Error
		if meanwhile = errors.As(err, &known) && errors.Is(err, fault.Conflict) && known.ID == id; meanwhile {
			if c, err := k.Get(ctx, id); err == nil {
				seen = c.Revision
			}
		}
		if err != nil {
			return page.Outcome{}, err
		}
		return page.Outcome{Text: fmt.Sprintf("%s is at revision %d", id, r.Capsule.Revision), Kind: page.ChangedKnowledge,
			Undo: m.takeBack("undo the edit of "+id, &r.Capsule)}, nil
	}
	return page.Editing{ID: id, Text: string(text), Forces: true, Save: save}, err
}

func (m *hands) capsule(ctx context.Context, id string) (k *kb.KB, c kb.Capsule, err error) {
	if k, err = m.app.KB(ctx); err == nil {
		c, err = k.Get(ctx, id)
	}
	return k, c, err
}

// takeBack returns the undo of an action: it restores the revision before, unless the capsule was
// changed since, because that change would be undone as well.
func (m *hands) takeBack(text string, made *kb.Capsule) *page.Undo {
	id, n := made.ID, made.Revision
	return &page.Undo{Text: text, Do: func(ctx context.Context) (page.Outcome, error) {
		k, err := m.app.KB(ctx)
		if err != nil {
			return page.Outcome{}, err
		}
		if err := k.PickUp(ctx, id); err != nil {
			return page.Outcome{}, err
		}
		c, err := k.Get(ctx, id)
		if err != nil {
			return page.Outcome{}, err
		}
		if c.Revision != n {
			return page.Outcome{}, fmt.Errorf("%s was changed since, and is at revision %d, not %d: that would be undone too · its page shows by whom", id, c.Revision, n)
		}
		_, err = k.Restore(ctx, id, n-1, "taken back")
		return page.Outcome{Text: fmt.Sprintf("%s is what it was at revision %d", id, n-1), Kind: page.ChangedKnowledge}, err
	}}
}

// restoreCapsule restores a retired capsule as it was before.
func (m *hands) restoreCapsule(ctx context.Context, id string) (tea.Msg, error) {
	k, c, err := m.capsule(ctx, id)
	if err != nil {
		return nil, err
	}
	events, err := k.History(ctx, id)
	for _, e := range slices.Backward(events) {
		if was := e.Before; c.Retired != nil && was != nil && was.Retired == nil {
			c, err := k.Restore(ctx, id, was.Revision, "")
			return page.DoneMsg{Err: err, Outcome: page.Outcome{Kind: page.ChangedKnowledge,
				Text: fmt.Sprintf("%s is what it was at revision %d", id, was.Revision),
				Undo: m.takeBack("undo restoring "+id, &c)}}, nil
		}
	}
	return page.NoticeMsg{Text: id + " is not retired"}, err
}

func (m *hands) retireNow(ctx context.Context, id, why string) (page.Outcome, error) {
	k, err := m.app.KB(ctx)
	if err != nil {
		return page.Outcome{}, err
	}
	c, err := k.Retire(ctx, id, why)
	return page.Outcome{Text: id + " is retired", Kind: page.ChangedKnowledge, Undo: m.takeBack("restore "+id, &c)}, err
}
