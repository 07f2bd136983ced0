package memories

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/keys"
	"blackboard/tui/page"
)

// memoryHands are the actions on an item of the memory, as one agent. They are immutable:
// an action and its undo run as that agent, even if another one is selected meanwhile.
type memoryHands struct {
	app   *page.App
	agent string
	page  page.Page // the page of the actions
}

// memoryDraft is a text that is edited in the editor: its original item, as it was read,
// and the actions for it.
type memoryDraft struct {
	hands *memoryHands
	item  *memory.Item // one of these is set
	named *memory.Named
}

func (d *memoryDraft) text() string {
	if d.item != nil {
		return d.item.Content
	}
	return d.named.Body
}

// hostile reports whether the text has characters that visible replaces: a form would
// show or lose them.
func (d *memoryDraft) hostile() bool {
	texts := []string{d.text()}
	if d.item != nil {
		texts = append(append(texts, d.item.Title), d.item.Tags...)
	}
	plain := strings.NewReplacer("\r\n", "\n", "\t", "    ")
	return slices.ContainsFunc(texts, func(s string) bool { return cells.Visible(s) != plain.Replace(s) })
}

// actions returns the actions for ref. An impossible action is not listed, but its key
// tells the reason.
func (m *memoryHands) actions(ref Ref) page.Actions {
	edit := page.On(keys.Edit, func() tea.Cmd { return m.edit(ref) })
	editor := page.On(keys.Editor, func() tea.Cmd { return m.inEditor(ref) })
	forget := page.On(keys.Renamed(keys.PutAway, "forget"),
		func() tea.Cmd { return m.forget(ref) })
	back := page.On(keys.Renamed(keys.Reopen, "bring back"),
		func() tea.Cmd { return m.bringBack(ref) })
	copyID := page.On(keys.CopyID, func() tea.Cmd { return m.app.CopyText(ref.ID) })
	copyText := page.On(keys.CopyText, func() tea.Cmd { return m.copyContent(ref) })
	open := page.On(keys.Source, func() tea.Cmd { return m.openLink(ref) })
	switch ref.Kind {
	case KindItem:
		return page.Actions{edit, forget, editor, back, open, copyID, copyText}
	case KindNamed:
		forget.Binding = keys.Renamed(keys.PutAway, "remove")
		back.Binding = keys.Renamed(keys.Reopen, "an earlier revision")
		return page.Actions{edit, editor, forget, back, open, copyID, copyText}
	case KindNote:
		return page.Actions{forget, open, copyID, copyText, edit.Unlisted(), editor.Unlisted(),
			back.Unlisted()}
	case KindConversation:
		end := page.On(keys.Renamed(keys.PutAway, "end it, then archive it"),
			func() tea.Cmd { return m.endTalk(ref) })
		back.Binding = keys.Reopen
		return page.Actions{end, back, copyID, edit.Unlisted(), editor.Unlisted()}
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

// edited saves the edited text. If it is refused, a form shows the text and the reason.
func (d *memoryDraft) edited(text string, err error) tea.Cmd {
	m, text := d.hands, strings.TrimSpace(text)
	switch {
	case err != nil:
		return page.NoticeError(err)
	case text == strings.TrimSpace(d.text()):
		return page.Notice("nothing was changed")
	}
	return m.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		var out page.Outcome
		var err error
		if d.item != nil {
			out, err = m.updateItem(ctx, d.item, "", func(it *memory.Item) { it.Content = text })
		} else {
			out, err = m.writeNamed(ctx, d.named, text)
		}
		if err == nil {
			return page.DoneMsg{Outcome: out}, nil
		}
		f := d.form(text)
		f.Err = err
		return page.OverlayMsg{Over: f}, nil
	})
}

// form returns the form for the item, with a text in it.
func (d *memoryDraft) form(text string) *page.Form {
	if d.item != nil {
		return d.hands.itemForm(d.item, text)
	}
	return d.hands.namedForm(d.named, text)
}

// fresh reads the current state of ref, for editing.
func (m *memoryHands) fresh(ctx context.Context, ref Ref) (*memoryDraft, error) {
	d := &memoryDraft{hands: m}
	err := m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
		if ref.Kind == KindNamed {
			n, err := s.GetNamed(ctx, ref.ID, ref.Tier)
			d.named = &n
			return err
		}
		it, err := s.Peek(ctx, ref.ID)
		d.item = &it
		if err == nil && it.Archived != nil {
			return errors.New(it.ID + " is archived · O brings it back")
		}
		if err == nil && it.Forgotten != nil {
			return errors.New(it.ID + " is forgotten · O brings it back")
		}
		return err
	})
	return d, err
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

// edit opens a form for ref.
func (m *memoryHands) edit(ref Ref) tea.Cmd {
	if why := cannotEdit(ref); why != "" {
		return page.Notice(why)
	}
	return m.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		d, err := m.fresh(ctx, ref)
		if err == nil && d.hostile() {
			err = errors.New(ref.ID +
				" has characters that a terminal obeys, and is not edited here · E opens it in $EDITOR")
		}
		if err != nil {
			return nil, err
		}
		return page.OverlayMsg{Over: d.form(d.text())}, nil
	})
}

// inEditor opens the text of ref in the editor.
func (m *memoryHands) inEditor(ref Ref) tea.Cmd {
	if why := cannotEdit(ref); why != "" {
		return page.Notice(why)
	}
	return m.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		d, err := m.fresh(ctx, ref)
		return page.Answer{To: m.page,
			Take: func() tea.Cmd { return m.app.EditText(m.page, d.text(), ".md", d.edited) }}, err
	})
}
