package memories

import (
	"context"
	"errors"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/page"
)

// memoryHands are the actions on an item of the memory, as one agent. They are immutable:
// an action and its undo run as that agent, even if another one is selected meanwhile.
type memoryHands struct {
	app   *page.App
	agent string
	page  page.Page // the page of the actions
}

// actions returns the actions for ref. An impossible action is not listed, but its key
// tells the reason.
func (m *memoryHands) actions(ref Ref) page.Actions {
	edit := page.On(page.KeyEdit, func() tea.Cmd { return m.edit(ref) })
	forget := page.On(page.Renamed(page.KeyPutAway, "forget"),
		func() tea.Cmd { return m.forget(ref) })
	back := page.On(page.Renamed(page.KeyReopen, "bring back"),
		func() tea.Cmd { return m.bringBack(ref) })
	copyID := page.On(page.KeyCopyID, func() tea.Cmd { return m.app.CopyText(ref.ID) })
	copyText := page.On(page.KeyCopyText, func() tea.Cmd { return m.copyContent(ref) })
	open := page.On(page.KeySource, func() tea.Cmd { return m.openLink(ref) })
	switch ref.Kind {
	case KindItem:
		return page.Actions{edit, forget, back, open, copyID, copyText}
	case KindNamed:
		forget.Binding = page.Renamed(page.KeyPutAway, "remove")
		back.Binding = page.Renamed(page.KeyReopen, "an earlier revision")
		return page.Actions{edit, forget, back, open, copyID, copyText}
	case KindNote:
		return page.Actions{forget, open, copyID, copyText, edit.Unlisted(), back.Unlisted()}
	case KindConversation:
		return page.Actions{copyID, edit.Unlisted()}
	}
	return nil
}

// copyContent copies the whole text of an item, a note or a named entry.
func (m *memoryHands) copyContent(ref Ref) tea.Cmd {
	return m.app.CopyWhole(ref.ID,
		func(ctx context.Context) (string, error) { return Content(ctx, m.app, m.agent, ref) })
}

// openLink opens what the text names.
func (m *memoryHands) openLink(ref Ref) tea.Cmd {
	return m.app.OpenLink(func(ctx context.Context) (page.Linked, error) {
		text, err := Content(ctx, m.app, m.agent, ref)
		return page.Linked{Own: ref.ID, Texts: []string{text}, Agent: m.agent}, err
	})
}

// Content returns the whole text of an item, a note or a named entry.
func Content(
	ctx context.Context, a *page.App, agent string, ref Ref,
) (text string, err error) {
	err = a.WithMemory(ctx, agent, func(s *memory.Store) error {
		switch ref.Kind {
		case KindNamed:
			n, err := s.GetNamed(ctx, ref.ID, ref.Tier)
			text = n.Body
			return err
		case KindNote:
			n, err := findNote(ctx, s, ref)
			if err == nil {
				text = n.Content
			}
			return err
		}
		it, err := s.Peek(ctx, ref.ID)
		text = it.Content
		return err
	})
	return text, err
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

// edit opens the text of ref in the editor.
func (m *memoryHands) edit(ref Ref) tea.Cmd {
	if why := cannotEdit(ref); why != "" {
		return page.Notice(why)
	}
	return m.app.Edit(m.page, func(ctx context.Context) (e page.Editing, err error) {
		err = m.app.WithMemory(ctx, m.agent, func(s *memory.Store) (err error) {
			if ref.Kind == KindNamed {
				e, err = m.editNamed(ctx, s, ref)
			} else {
				e, err = m.editItem(ctx, s, ref)
			}
			return err
		})
		return e, err
	})
}

func (m *memoryHands) editNamed(ctx context.Context, s *memory.Store, ref Ref) (page.Editing, error) {
	n, err := s.GetNamed(ctx, ref.ID, ref.Tier)
	save := func(ctx context.Context, text string, _ bool) (page.Outcome, error) {
		return m.writeNamed(ctx, &n, strings.TrimSpace(text))
	}
	return page.Editing{ID: n.Name, Text: n.Body, Save: save}, err
}

func (m *memoryHands) editItem(ctx context.Context, s *memory.Store, ref Ref) (page.Editing, error) {
	it, err := s.Peek(ctx, ref.ID)
	if err == nil && !it.Live() {
		err = errors.New(it.ID + " is not in use · O brings it back")
	}
	save := func(ctx context.Context, text string, _ bool) (page.Outcome, error) {
		return m.updateItem(ctx, &it, "", func(to *memory.Item) { to.Content = strings.TrimSpace(text) })
	}
	return page.Editing{ID: it.ID, Text: it.Content, Save: save}, err
}
