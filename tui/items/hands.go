package items

import (
	"context"
	"errors"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/page"
)

// hands are the actions on what is known, as one agent. They are immutable:
// an action and its undo run as that agent, even if another one is selected meanwhile.
type hands struct {
	app   *page.App
	agent string
	page  page.Page // the page of the actions
}

// actions returns the actions for ref, of which f may be known. An impossible action is not
// listed, but its key tells the reason.
func (m *hands) actions(ref Ref, f *facts) (all page.Actions) {
	changes, forgets := false, "forget"
	switch ref.Kind {
	case KindNone:
		return nil
	case KindCapsule:
		changes, forgets = true, "retire"
	case KindItem, KindNamed:
		changes = true
	}
	out := f != nil && f.ref == ref && !f.inUse
	for _, a := range []struct {
		key.Binding
		fits bool
		do   func() tea.Cmd
	}{
		{page.KeyEdit, changes && !out, func() tea.Cmd { return m.edit(ref) }},
		{page.Renamed(page.KeyPutAway, forgets), ref.canForget() && !out, func() tea.Cmd { return m.forget(ref) }},
		{page.Renamed(page.KeyReopen, "bring back"), out, func() tea.Cmd { return m.bringBack(ref) }},
		{page.KeySource, ref.Kind != KindConversation, func() tea.Cmd { return m.openLink(ref) }},
		{page.KeyCopyID, true, func() tea.Cmd { return m.app.CopyText(ref.ID) }},
		{page.KeyCopyText, ref.Kind != KindConversation, func() tea.Cmd {
			return m.app.CopyWhole(ref.ID, func(ctx context.Context) (string, error) {
				f, err := readFacts(ctx, m.app, m.agent, ref, false)
				return f.body, err
			})
		}},
	} {
		act := page.On(a.Binding, a.do)
		if !a.fits {
			act = act.Unlisted()
		}
		all = append(all, act)
	}
	return all
}

func (m *hands) openLink(ref Ref) tea.Cmd {
	return m.app.OpenLink(func(ctx context.Context) (page.Linked, error) {
		f, err := readFacts(ctx, m.app, m.agent, ref, false)
		return f.linked, err
	})
}

// cannotEdit returns why ref cannot be edited, or "".
func cannotEdit(ref Ref) string {
	switch ref.Kind {
	case KindNote:
		return "an agent's own items cannot be changed: forget this one and write another"
	case KindConversation:
		return "a conversation and its working notes are the agent's own, and read-only here"
	}
	return ""
}

func (m *hands) edit(ref Ref) tea.Cmd {
	if why := cannotEdit(ref); why != "" {
		return page.Notice(why)
	}
	return m.app.Edit(m.page, func(ctx context.Context) (e page.Editing, err error) {
		if ref.Kind == KindCapsule {
			return m.editCapsule(ctx, ref.ID)
		}
		f, err := readFacts(ctx, m.app, m.agent, ref, false)
		if err == nil && !f.inUse {
			err = errors.New(ref.ID + " is not in use · O brings it back")
		}
		return page.Editing{ID: ref.ID, Text: f.body,
			Save: func(ctx context.Context, text string, _ bool) (page.Outcome, error) {
				return m.write(ctx, f, strings.TrimSpace(text))
			}}, err
	})
}
