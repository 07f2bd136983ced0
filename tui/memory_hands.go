package tui

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
)

// memoryHands is what a person can do with one thing of the memory, as the agent that it is seen through would reach it. They do not change: what is begun with them, and
// what takes it back, is done as that agent, whoever is chosen since.
type memoryHands struct {
	app   *app
	agent string
	page  page // whose hands they are
}

// memoryDraft is a text that is edited outside: what it is of, as it was read, and whose hands have it.
type memoryDraft struct {
	hands *memoryHands
	item  *memory.Item // or
	named *memory.Named
}

func (d *memoryDraft) text() string {
	if d.item != nil {
		return d.item.Content
	}
	return d.named.Body
}

// hostile says that there are characters in it that clean replaces: a form would show them as they are, or lose them.
func (d *memoryDraft) hostile() bool {
	texts := []string{d.text()}
	if d.item != nil {
		texts = append(append(texts, d.item.Title), d.item.Tags...)
	}
	plain := strings.NewReplacer("\r\n", "\n", "\t", "    ")
	return slices.ContainsFunc(texts, func(s string) bool { return clean(s) != plain.Replace(s) })
}

// memoryDraftMsg says that a text was read, and can be edited.
type memoryDraftMsg struct{ draft *memoryDraft }

// bindings are the keys of what can be done with ref.
func (m *memoryHands) bindings(ref memoryRef) []key.Binding {
	k := &m.app.keys
	switch ref.kind {
	case kindItem:
		return []key.Binding{k.edit, k.forget, k.editor, k.copyID}
	case kindNamed:
		return []key.Binding{k.edit, k.editor, renamed(k.forget, "remove"), k.copyID}
	case kindNote:
		return []key.Binding{k.forget, k.copyID}
	case kindConversation:
		return []key.Binding{k.copyID}
	}
	return nil
}

// key does what a key says with ref, and reports whether it was one of these.
func (m *memoryHands) key(msg tea.KeyMsg, ref memoryRef) (tea.Cmd, bool) {
	k := &m.app.keys
	switch {
	case ref == memoryRef{}:
		return nil, false
	case key.Matches(msg, k.copyID):
		return copyText(ref.id), true
	case key.Matches(msg, k.edit):
		return m.edit(ref), true
	case key.Matches(msg, k.editor):
		return m.inEditor(ref), true
	case key.Matches(msg, k.forget):
		return m.forget(ref), true
	}
	return nil, false
}

// update takes what is for the page of these hands: a text that can be edited, and one that was.
func (m *memoryHands) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case memoryDraftMsg:
		if msg.draft.hands.page == m.page {
			return m.app.editText(msg.draft, msg.draft.text(), ".md")
		}
	case editedMsg:
		if d, ok := msg.from.(*memoryDraft); ok && d.hands.page == m.page {
			return d.edited(msg)
		}
	}
	return nil
}

// edited keeps what was written in the editor. What cannot be kept is not lost: a form opens with it, and says why.
func (d *memoryDraft) edited(msg editedMsg) tea.Cmd {
	m, text := d.hands, strings.TrimSpace(msg.text)
	switch {
	case msg.err != nil:
		return noticeError(msg.err)
	case text == strings.TrimSpace(d.text()):
		return notice("nothing was changed")
	}
	return m.app.hold(func(ctx context.Context) tea.Msg {
		var out outcome
		var err error
		if d.item != nil {
			out, err = m.updateItem(ctx, d.item, "", func(it *memory.Item) { it.Content = text })
		} else {
			out, err = m.writeNamed(ctx, d.named, text)
		}
		if err == nil {
			return doneMsg{outcome: out}
		}
		var f *form
		if d.item != nil {
			f = m.itemForm(d.item, text)
		} else {
			f = m.namedForm(d.named, text)
		}
		f.err = err
		return overlayMsg{f}
	})
}

// fresh reads what ref names as it is now, to be edited.
func (m *memoryHands) fresh(ctx context.Context, ref memoryRef) (*memoryDraft, error) {
	d := &memoryDraft{hands: m}
	err := m.app.withMemory(ctx, m.agent, func(s *memory.Store) error {
		if ref.kind == kindNamed {
			n, err := s.GetNamed(ctx, ref.id, ref.tier)
			d.named = &n
			return err
		}
		it, err := s.Peek(ctx, ref.id)
		d.item = &it
		if err == nil && it.Forgotten != nil {
			return errors.New(it.ID + " is forgotten, and stays as it is · n writes a new one")
		}
		return err
	})
	return d, err
}

// cannotEdit says why there is nothing to edit, "" if there is.
func cannotEdit(ref memoryRef) string {
	switch ref.kind {
	case kindNote:
		return "what an agent wrote for itself is not changed: forget it, and write another"
	case kindConversation:
		return "a conversation and its working notes are the agent's own, and read-only here"
	}
	return ""
}

// edit opens a form with what ref names.
func (m *memoryHands) edit(ref memoryRef) tea.Cmd {
	if why := cannotEdit(ref); why != "" {
		return notice(why)
	}
	return m.app.hold(func(ctx context.Context) tea.Msg {
		d, err := m.fresh(ctx, ref)
		switch {
		case err != nil:
			return noticeMsg{err: err}
		case d.hostile():
			return noticeMsg{err: errors.New(ref.id + " has characters that a terminal obeys, and is not edited here · E opens it in $EDITOR")}
		case d.item != nil:
			return overlayMsg{m.itemForm(d.item, d.item.Content)}
		}
		return overlayMsg{m.namedForm(d.named, d.named.Body)}
	})
}

// inEditor opens the text of what ref names in the person's editor.
func (m *memoryHands) inEditor(ref memoryRef) tea.Cmd {
	if why := cannotEdit(ref); why != "" {
		return notice(why)
	}
	return m.app.hold(func(ctx context.Context) tea.Msg {
		d, err := m.fresh(ctx, ref)
		if err != nil {
			return noticeMsg{err: err}
		}
		return memoryDraftMsg{d}
	})
}
