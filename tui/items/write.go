package items

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// updateItem changes an item, if its revision is the one that was read. Undo writes the
// old text.
func (m *hands) updateItem(ctx context.Context, it *memory.Item, why string, fn func(*memory.Item)) (page.Outcome, error) {
	now, warnings, err := m.store(ctx, it, it.Revision, why, fn)
	if err != nil {
		return page.Outcome{}, err
	}
	back := func(ctx context.Context) (page.Outcome, error) {
		_, _, err := m.store(ctx, it, now.Revision, "taken back", func(to *memory.Item) {
			to.Title, to.Content, to.Importance, to.Lifetime, to.Tags = it.Title, it.Content, it.Importance, it.Lifetime, it.Tags
		})
		return page.Outcome{Text: it.ID + " says again what it said",
			Kind: page.ChangedMemory}, err
	}
	text := it.ID + " is at revision " + cells.Count(int64(now.Revision)) + warned(warnings)
	return page.Outcome{Text: text,
		Undo: &page.Undo{Text: "give " + it.ID + " back what it said before", Do: back},
		Kind: page.ChangedMemory}, nil
}

func (m *hands) store(ctx context.Context, it *memory.Item, revision int, why string, fn func(*memory.Item)) (now memory.Item, warnings []string, err error) {
	err = m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
		out, err := s.Update(ctx, it.ID, memory.UpdateOptions{Revision: &revision, Why: why}, func(to *memory.Item) error { fn(to); return nil })
		now, warnings = out.Item, out.Warnings
		return err
	})
	return now, warnings, err
}

// warned adds warnings to the text of an outcome.
func warned(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return "; " + strings.Join(all, "; ")
}

// newItem asks for a new item. Its author is the person, as its source says.
func (m *hands) newItem(at memory.Scope) tea.Cmd {
	it := memory.Item{Tier: at.Tier, Channel: at.Channel, Conversation: at.Conversation, Importance: .5,
		Lifetime: memory.ShortTerm, Source: m.app.Worker}
	if at.Tier == memory.Conversation {
		it.Lifetime = memory.LifeConversation
	}
	return m.app.Overlay(page.NewForm(m.app, page.Form{Heading: "Remember in " + at.String(), Button: "remember",
		Intro: []string{"Everybody sees it."},
		Fields: []*page.Field{
			{Name: "content", Label: "Content", Lines: 10, Required: true},
			{Name: "title", Label: "Title", Hint: "what it says, in a line; may be left empty"},
		}, Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
			it.Title, it.Content = v["title"], v["content"]
			return m.put(ctx, it)
		}}))
}

func (m *hands) put(ctx context.Context, it memory.Item) (out page.Outcome, err error) {
	err = m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
		st, err := s.Put(ctx, it, memory.PutOptions{})
		id := st.Item.ID
		out = page.Outcome{Text: id + " is remembered in " + st.Item.Scope().String() + warned(st.Warnings), Undo: m.forgetAgain(id), Kind: page.ChangedMemory}
		if st.Confirmed { // nothing to undo but the count
			out = page.Outcome{Text: id + " is there already and counts as new again", Kind: page.ChangedMemory}
		}
		return err
	})
	return out, err
}

// forgetAgain undoes writing an item.
func (m *hands) forgetAgain(id string) *page.Undo {
	return &page.Undo{Text: "forget " + id + " again",
		Do: func(ctx context.Context) (page.Outcome, error) {
			return m.forgetNow(ctx, id, "taken back")
		}}
}

func (m *hands) forgetNow(ctx context.Context, id, why string) (page.Outcome, error) {
	err := m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
		_, err := s.Forget(ctx, id, why, "")
		return err
	})
	back := &page.Undo{Text: "remember " + id + " again",
		Do: func(ctx context.Context) (page.Outcome, error) { return m.restoreNow(ctx, id) }}
	return page.Outcome{Text: id + " is forgotten", Undo: back, Kind: page.ChangedMemory}, err
}

// tiers are the places of items that are not in a channel or a conversation.
func (m *hands) tiers() []string {
	if m.app.Workspace == "" {
		return []string{memory.Account}
	}
	return []string{memory.Workspace, memory.Account}
}

// newNote asks for an entry of the agent's journal, or a core memory.
func (m *hands) newNote(kind string) tea.Cmd {
	heading, intro := "Write in the journal of "+cells.OneLine(m.agent, 40), "It counts for seven days. Only this agent sees it."
	if kind == memory.Core {
		heading, intro = "A core memory of "+cells.OneLine(m.agent, 40), "It counts until it is forgotten. Only this agent sees it."
	}
	fields := []*page.Field{
		{Name: "content", Label: "Content", Lines: 8, Required: true},
		{Name: "tier", Label: "Kept with", Choices: m.tiers()},
	}
	return m.app.Overlay(page.NewForm(m.app,
		page.Form{Heading: heading, Intro: []string{intro}, Fields: fields, Button: "write",
			Submit: func(ctx context.Context, v page.Values) (out page.Outcome, err error) {
				err = m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
					n, err := s.SaveNote(ctx, kind, v["tier"], v["content"], false)
					out = page.Outcome{Text: n.ID + " is written", Undo: m.forgetAgain(n.ID), Kind: page.ChangedMemory}
					return err
				})
				return out, err
			}}))
}

// newNamed asks for a new named entry.
func (m *hands) newNamed() tea.Cmd {
	fields := []*page.Field{
		{Name: "name", Label: "Name", Hint: "such as STACK", Required: true},
		{Name: "tier", Label: "Tier", Choices: m.tiers()},
		{Name: "body", Label: "Markdown", Lines: 20, Required: true},
	}
	return m.app.Overlay(page.NewForm(m.app,
		page.Form{Heading: "A named entry", Fields: fields, Button: "write",
			Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
				return m.writeNamed(ctx, &memory.Named{Name: v["name"], Tier: v["tier"]}, v["body"])
			}}))
}

// writeNamed writes a named entry, if its revision is the one that was read. Undo writes
// the old text, or removes a new entry.
func (m *hands) writeNamed(ctx context.Context, was *memory.Named, body string) (page.Outcome, error) {
	now, err := m.storeNamed(ctx, was, body, was.Revision)
	if err != nil {
		return page.Outcome{}, err
	}
	out := page.Outcome{Text: now.Name + " is at revision " + cells.Count(int64(now.Revision)), Kind: page.ChangedMemory}
	if was.Revision == 0 {
		out.Undo = &page.Undo{Text: "remove " + now.Name + " again",
			Do: func(ctx context.Context) (page.Outcome, error) {
				done, err := m.removeNamed(ctx, Ref{Kind: KindNamed, ID: now.Name, Tier: now.Tier})
				done.Undo = nil
				return done, err
			}}
		return out, nil
	}
	out.Undo = &page.Undo{Text: "give " + now.Name + " back what it said before",
		Do: func(ctx context.Context) (page.Outcome, error) {
			_, err := m.storeNamed(ctx, &now, was.Body, now.Revision)
			return page.Outcome{Text: now.Name + " says again what it said",
				Kind: page.ChangedMemory}, err
		}}
	return out, nil
}

func (m *hands) storeNamed(ctx context.Context, n *memory.Named, body string, revision int) (now memory.Named, err error) {
	err = m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
		now, err = s.EditNamed(ctx, n.Name, n.Tier, body, revision)
		return err
	})
	return now, err
}

// removeNamed removes a named entry. Undo writes it again.
func (m *hands) removeNamed(ctx context.Context, ref Ref) (page.Outcome, error) {
	var was memory.Named
	err := m.app.WithMemory(ctx, m.agent, func(s *memory.Store) (err error) {
		was, err = s.RemoveNamed(ctx, ref.ID, ref.Tier)
		return err
	})
	back := &page.Undo{Text: "write " + ref.ID + " again",
		Do: func(ctx context.Context) (page.Outcome, error) {
			_, err := m.storeNamed(ctx, &was, was.Body, 0)
			return page.Outcome{Text: was.Name + " is there again", Kind: page.ChangedMemory}, err
		}}
	return page.Outcome{Text: ref.ID + " is removed", Undo: back, Kind: page.ChangedMemory}, err
}

// forget asks whether to forget something, or to retire a capsule, and shows its text.
func (m *hands) forget(ref Ref) tea.Cmd {
	return m.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		if ref.Kind == KindCapsule {
			return m.retire(ctx, ref.ID)
		}
		f, err := readFacts(ctx, m.app, m.agent, ref, false)
		if err != nil {
			return nil, err
		}
		where, says := f.said()
		act := page.Act{Heading: "Forget " + cells.OneLine(ref.ID, 40) + where, Button: "forget it",
			Intro: []string{"No read finds it any more. u brings it back.", says},
			Do:    func(ctx context.Context, why string) (page.Outcome, error) { return m.forgetNow(ctx, ref.ID, why) }}
		switch ref.Kind {
		case KindNamed:
			act.Heading, act.Button = "Remove "+cells.OneLine(ref.ID, 40)+where, "remove it"
			act.Intro[0] = "No turn is given it any more; its revisions stay."
			act.Do = func(ctx context.Context, _ string) (page.Outcome, error) { return m.removeNamed(ctx, ref) }
		case KindItem: // the memory stores no reason for notes
			act.Why = "Why?"
		}
		return page.OverlayMsg{Over: page.NewAct(m.app, act)}, nil
	})
}

// said returns its place and author, for a heading, and its text, quoted on one line.
func (f *facts) said() (where, says string) {
	switch {
	case f.named != nil:
		where, says = f.named.Tier+", curator "+f.named.Curator, f.named.Body
	case f.note != nil:
		where, says = f.note.Kind+" of "+f.note.Agent, f.note.Content
	case f.item != nil:
		where, says = f.item.Tier+", curator "+f.item.Curator, f.item.Content
		if f.item.Title != "" {
			says = f.item.Title + ": " + says
		}
	}
	return " (" + cells.OneLine(where, 80) + ")", "“" + cells.OneLine(says, MaxRunes) + "”"
}
