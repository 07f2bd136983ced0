package tui

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
)

// errUnchanged refuses an edit without a change, which would add a revision.
var errUnchanged = errors.New("nothing was changed · esc leaves it")

// importances returns the choices of an importance: the levels, and the number that the
// item has if it is none of them.
func importances(now float64) (choices []string, value string) {
	value = strconv.FormatFloat(now, 'g', -1, 64)
	for _, l := range memory.Levels {
		choices = append(choices, l.Name)
		if l.Value == now {
			value = l.Name
		}
	}
	if !slices.Contains(choices, value) {
		choices = append(choices, value)
	}
	return choices, value
}

// itemFields returns the fields of a new or changed item, the content first.
func itemFields(it *memory.Item) []*field {
	choices, value := importances(it.Importance)
	lifetimes := []string{memory.ShortTerm, memory.LongTerm}
	if it.Tier == memory.Conversation {
		lifetimes = memory.Lifetimes
	}
	return []*field{
		{name: "content", label: "Content", value: it.Content, lines: 10, required: true},
		{name: "title", label: "Title", value: it.Title, hint: "what it says, in a line; may be left empty"},
		{name: "importance", label: "Importance", value: value, choices: choices},
		{name: "lifetime", label: "Lifetime  ", value: it.Lifetime, choices: lifetimes},
		{name: "tags", label: "Tags", value: strings.Join(it.Tags, ", "), hint: "with commas between them"},
	}
}

// itemForm returns the form of an item. content is the initial text: that of the item, or
// one that could not be saved.
func (m *memoryHands) itemForm(it *memory.Item, content string) *form {
	var was values
	fields := append(itemFields(it), &field{name: "why", label: "Why", hint: "kept with what it said before; may be left empty"})
	f := newForm(m.app, form{heading: "Edit " + it.ID, intro: aboutTabs(content), fields: fields, button: "keep it", submit: func(ctx context.Context, v values) (outcome, error) {
		changed := func(name string) bool { return v[name] != was[name] }
		if !slices.ContainsFunc([]string{"title", "content", "importance", "lifetime", "tags"}, changed) {
			return outcome{}, errUnchanged
		}
		importance, err := memory.ParseImportance(v["importance"])
		if err != nil {
			return outcome{}, err
		}
		return m.updateItem(ctx, it, v["why"], func(now *memory.Item) {
			if changed("title") {
				now.Title = v["title"]
			}
			if changed("content") {
				now.Content = v["content"]
			}
			if changed("importance") {
				now.Importance = importance
			}
			if changed("lifetime") {
				now.Lifetime = v["lifetime"]
			}
			if changed("tags") {
				now.Tags = cells.SplitList(v["tags"])
			}
		})
	}})
	was = f.values() // the form's values may differ from the item's bytes
	if content != it.Content {
		fields[0].fill(content)
	}
	return f
}

// aboutTabs tells what a form does to tabs, if the text has any.
func aboutTabs(text string) []string {
	if !strings.Contains(text, "\t") {
		return nil
	}
	return []string{"If it is changed here its tabs become blanks."}
}

// updateItem changes an item, if its revision is the one that was read. Undo writes the
// old text.
func (m *memoryHands) updateItem(ctx context.Context, it *memory.Item, why string, fn func(*memory.Item)) (outcome, error) {
	now, warnings, err := m.store(ctx, it, it.Revision, why, fn)
	if err != nil {
		return outcome{}, err
	}
	back := func(ctx context.Context) (outcome, error) {
		_, _, err := m.store(ctx, it, now.Revision, "taken back", func(to *memory.Item) {
			to.Title, to.Content, to.Importance, to.Lifetime, to.Tags = it.Title, it.Content, it.Importance, it.Lifetime, it.Tags
		})
		return outcome{text: it.ID + " says again what it said", kind: changedMemory}, err
	}
	text := it.ID + " is at revision " + cells.Count(int64(now.Revision)) + warned(warnings)
	return outcome{text: text, undo: &undo{"give " + it.ID + " back what it said before", back}, kind: changedMemory}, nil
}

func (m *memoryHands) store(ctx context.Context, it *memory.Item, revision int, why string, fn func(*memory.Item)) (now memory.Item, warnings []string, err error) {
	err = m.app.withMemory(ctx, m.agent, func(s *memory.Store) error {
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

// Who can see a new item.
const (
	forEverybody = "everybody"
	forAgent     = "the agent alone"
)

// newItem asks for a new item in one of places, initially here. Its author is the person,
// as its source says.
func (m *memoryHands) newItem(places []string, here string) tea.Cmd {
	at, err := memory.ParseScope(here)
	if err != nil {
		return noticeError(err)
	}
	it := &memory.Item{Tier: at.Tier, Importance: .5, Lifetime: memory.ShortTerm}
	if at.Tier == memory.Conversation {
		it.Lifetime = memory.LifeConversation
	}
	fields := append(itemFields(it), &field{name: "place", label: "Where     ", value: here, choices: places})
	if m.agent != "" {
		fields = append(fields, &field{name: "sees", label: "Who sees it", value: forEverybody, choices: []string{forEverybody, forAgent}})
	}
	return m.app.overlay(newForm(m.app, form{heading: "Remember", fields: fields, button: "remember", submit: m.putItem}))
}

func (m *memoryHands) putItem(ctx context.Context, v values) (out outcome, err error) {
	scope, err := memory.ParseScope(v["place"])
	if err != nil {
		return outcome{}, err
	}
	it := memory.Item{Tier: scope.Tier, Channel: scope.Channel, Conversation: scope.Conversation, Title: v["title"],
		Content: v["content"], Lifetime: v["lifetime"], Tags: cells.SplitList(v["tags"]), Source: m.app.Worker}
	if it.Importance, err = memory.ParseImportance(v["importance"]); err != nil {
		return outcome{}, err
	}
	err = m.app.withMemory(ctx, m.agent, func(s *memory.Store) error {
		st, err := s.Put(ctx, it, memory.PutOptions{Private: v["sees"] == forAgent})
		if err != nil {
			return err
		}
		id := st.Item.ID
		if st.Confirmed { // nothing to undo but the count
			out = outcome{text: id + " is there already and counts as new again", kind: changedMemory}
			return nil
		}
		out = outcome{text: id + " is remembered in " + st.Item.Scope().String() + warned(st.Warnings), undo: m.forgetAgain(id), kind: changedMemory}
		return nil
	})
	return out, err
}

// forgetAgain undoes writing an item.
func (m *memoryHands) forgetAgain(id string) *undo {
	return &undo{"forget " + id + " again", func(ctx context.Context) (outcome, error) {
		return m.forgetNow(ctx, id, "taken back")
	}}
}

func (m *memoryHands) forgetNow(ctx context.Context, id, why string) (outcome, error) {
	err := m.app.withMemory(ctx, m.agent, func(s *memory.Store) error {
		_, err := s.Forget(ctx, id, why, "")
		return err
	})
	back := &undo{"remember " + id + " again", func(ctx context.Context) (outcome, error) { return m.restoreNow(ctx, id) }}
	return outcome{text: id + " is forgotten", undo: back, kind: changedMemory}, err
}

// tiers are the places of items that are not in a channel or a conversation.
func (m *memoryHands) tiers() []string {
	if m.app.Workspace == "" {
		return []string{memory.Account}
	}
	return []string{memory.Workspace, memory.Account}
}

// newNote asks for an entry of the agent's journal, or a core memory.
func (m *memoryHands) newNote(kind string) tea.Cmd {
	heading, intro := "Write in the journal of "+cells.OneLine(m.agent, 40), "It counts for seven days. Only this agent sees it."
	if kind == memory.Core {
		heading, intro = "A core memory of "+cells.OneLine(m.agent, 40), "It counts until it is forgotten. Only this agent sees it."
	}
	fields := []*field{
		{name: "content", label: "Content", lines: 8, required: true},
		{name: "tier", label: "Kept with", choices: m.tiers()},
	}
	return m.app.overlay(newForm(m.app, form{heading: heading, intro: []string{intro}, fields: fields, button: "write", submit: func(ctx context.Context, v values) (out outcome, err error) {
		err = m.app.withMemory(ctx, m.agent, func(s *memory.Store) error {
			n, err := s.SaveNote(ctx, kind, v["tier"], v["content"], false)
			out = outcome{text: n.ID + " is written", undo: m.forgetAgain(n.ID), kind: changedMemory}
			return err
		})
		return out, err
	}}))
}

// namedForm returns the form of a named entry. body is the initial text.
func (m *memoryHands) namedForm(n *memory.Named, body string) *form {
	var was values
	fl := &field{name: "body", label: "Markdown", value: n.Body, lines: 30, required: true}
	intro := append([]string{"It is read in every turn: keep what matters."}, aboutTabs(body)...)
	f := newForm(m.app, form{heading: "Edit " + n.Name + " of the " + n.Tier, intro: intro, fields: []*field{fl}, button: "keep it",
		submit: func(ctx context.Context, v values) (outcome, error) {
			if v["body"] == was["body"] {
				return outcome{}, errUnchanged
			}
			return m.writeNamed(ctx, n, v["body"])
		}})
	was = f.values()
	if body != n.Body {
		fl.fill(body)
	}
	return f
}

// newNamed asks for a new named entry.
func (m *memoryHands) newNamed() tea.Cmd {
	fields := []*field{
		{name: "name", label: "Name", hint: "such as STACK", required: true},
		{name: "tier", label: "Tier", choices: m.tiers()},
		{name: "body", label: "Markdown", lines: 20, required: true},
	}
	return m.app.overlay(newForm(m.app, form{heading: "A named entry", fields: fields, button: "write", submit: func(ctx context.Context, v values) (outcome, error) {
		return m.writeNamed(ctx, &memory.Named{Name: v["name"], Tier: v["tier"]}, v["body"])
	}}))
}

// writeNamed writes a named entry, if its revision is the one that was read. Undo writes
// the old text, or removes a new entry.
func (m *memoryHands) writeNamed(ctx context.Context, was *memory.Named, body string) (outcome, error) {
	now, err := m.storeNamed(ctx, was, body, was.Revision)
	if err != nil {
		return outcome{}, err
	}
	out := outcome{text: now.Name + " is at revision " + cells.Count(int64(now.Revision)), kind: changedMemory}
	if was.Revision == 0 {
		out.undo = &undo{"remove " + now.Name + " again", func(ctx context.Context) (outcome, error) {
			done, err := m.removeNamed(ctx, memoryRef{kind: kindNamed, id: now.Name, tier: now.Tier})
			done.undo = nil
			return done, err
		}}
		return out, nil
	}
	out.undo = &undo{"give " + now.Name + " back what it said before", func(ctx context.Context) (outcome, error) {
		_, err := m.storeNamed(ctx, &now, was.Body, now.Revision)
		return outcome{text: now.Name + " says again what it said", kind: changedMemory}, err
	}}
	return out, nil
}

func (m *memoryHands) storeNamed(ctx context.Context, n *memory.Named, body string, revision int) (now memory.Named, err error) {
	err = m.app.withMemory(ctx, m.agent, func(s *memory.Store) error {
		now, err = s.EditNamed(ctx, n.Name, n.Tier, body, revision)
		return err
	})
	return now, err
}

// removeNamed removes a named entry. Undo writes it again.
func (m *memoryHands) removeNamed(ctx context.Context, ref memoryRef) (outcome, error) {
	var was memory.Named
	err := m.app.withMemory(ctx, m.agent, func(s *memory.Store) (err error) {
		was, err = s.RemoveNamed(ctx, ref.id, ref.tier)
		return err
	})
	back := &undo{"write " + ref.id + " again", func(ctx context.Context) (outcome, error) {
		_, err := m.storeNamed(ctx, &was, was.Body, 0)
		return outcome{text: was.Name + " is there again", kind: changedMemory}, err
	}}
	return outcome{text: ref.id + " is removed", undo: back, kind: changedMemory}, err
}

// forget asks whether to forget something, and shows its text.
func (m *memoryHands) forget(ref memoryRef) tea.Cmd {
	return m.app.hold(func(ctx context.Context) (tea.Msg, error) {
		where, says, err := m.said(ctx, ref)
		if err != nil {
			return nil, err
		}
		intro := []string{"No read finds it any more. u brings it back.", says}
		f := form{heading: "Forget " + cells.OneLine(ref.id, 40) + where, intro: intro, button: "forget it",
			submit: func(ctx context.Context, v values) (outcome, error) { return m.forgetNow(ctx, ref.id, v["why"]) }}
		switch ref.kind {
		case kindNamed:
			f.heading, f.intro[0], f.button = "Remove "+cells.OneLine(ref.id, 40)+where, "No turn is given it any more; its revisions stay.", "remove it"
			f.submit = func(ctx context.Context, _ values) (outcome, error) { return m.removeNamed(ctx, ref) }
		case kindItem: // the memory stores no reason for notes
			f.fields = []*field{{name: "why", label: "Why", hint: "may be left empty"}}
		}
		return overlayMsg{newForm(m.app, f)}, nil
	})
}

// said reads the current state of ref: its place and author, for a heading, and its text,
// quoted on one line.
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
	return " (" + cells.OneLine(where, 80) + ")", "“" + cells.OneLine(strings.Join(parts, ": "), memoryRunes) + "”", nil
}
