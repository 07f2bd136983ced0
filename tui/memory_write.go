package tui

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
)

// errUnchanged ends a change of nothing, which would be a revision all the same.
var errUnchanged = errors.New("nothing was changed · esc leaves it")

// importances are the choices of an importance: the levels, and the number that an item has if it is none of them.
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

// itemFields are the questions of an item, whether it is new or changed: what it says comes first.
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

// itemForm asks for what an item shall say. content is what stands in the form: what the item says, or what was written elsewhere and could not be kept.
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
				now.Tags = splitList(v["tags"])
			}
		})
	}})
	was = f.values() // as the fields have it, which is not to the byte what the item has
	if content != it.Content {
		fields[0].fill(content)
	}
	return f
}

// aboutTabs says what a form does to a text with tabs, if it has any.
func aboutTabs(text string) []string {
	if !strings.Contains(text, "\t") {
		return nil
	}
	return []string{"If it is changed here its tabs become blanks."}
}

// updateItem changes an item, if it still is as it was read. It is taken back by writing what it said before.
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
	text := it.ID + " is at revision " + count(int64(now.Revision)) + warned(warnings)
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

// warned are warnings in what is said of an act.
func warned(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return "; " + strings.Join(all, "; ")
}

// Who may see a new item.
const (
	forEverybody = "everybody"
	forAgent     = "the agent alone"
)

// newItem asks for something to remember in one of places, here at first. It is the author's word, and the person is its source.
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
	it := memory.Item{Tier: scope.Tier, Channel: scope.Channel, Conversation: scope.Conversation, Title: v["title"], Content: v["content"], Lifetime: v["lifetime"], Tags: splitList(v["tags"]),
		Source: m.app.Worker}
	if it.Importance, err = memory.ParseImportance(v["importance"]); err != nil {
		return outcome{}, err
	}
	err = m.app.withMemory(ctx, m.agent, func(s *memory.Store) error {
		st, err := s.Put(ctx, it, memory.PutOptions{Private: v["sees"] == forAgent})
		if err != nil {
			return err
		}
		id := st.Item.ID
		if st.Confirmed { // there is nothing to take back but the counting
			out = outcome{text: id + " is there already and counts as new again", kind: changedMemory}
			return nil
		}
		out = outcome{text: id + " is remembered in " + st.Item.Scope().String() + warned(st.Warnings), undo: m.forgetAgain(id), kind: changedMemory}
		return nil
	})
	return out, err
}

// forgetAgain takes back that something was written.
func (m *memoryHands) forgetAgain(id string) *undo {
	return &undo{"forget " + id + " again", func(ctx context.Context) (outcome, error) { return m.forgetNow(ctx, id, "taken back") }}
}

func (m *memoryHands) forgetNow(ctx context.Context, id, why string) (outcome, error) {
	err := m.app.withMemory(ctx, m.agent, func(s *memory.Store) error {
		_, err := s.Forget(ctx, id, why, "")
		return err
	})
	return outcome{text: id + " is forgotten", kind: changedMemory}, err
}

// tiers are where what is in no channel or conversation can be kept.
func (m *memoryHands) tiers() []string {
	if m.app.Workspace == "" {
		return []string{memory.Account}
	}
	return []string{memory.Workspace, memory.Account}
}

// newNote asks for an entry of the agent's journal, or one of its core memories.
func (m *memoryHands) newNote(kind string) tea.Cmd {
	heading, intro := "Write in the journal of "+oneLine(m.agent, 40), "It counts for seven days. Only this agent sees it."
	if kind == memory.Core {
		heading, intro = "A core memory of "+oneLine(m.agent, 40), "It counts until it is forgotten. Only this agent sees it."
	}
	fields := []*field{{name: "content", label: "Content", lines: 8, required: true}, {name: "tier", label: "Kept with", choices: m.tiers()}}
	return m.app.overlay(newForm(m.app, form{heading: heading, intro: []string{intro}, fields: fields, button: "write", submit: func(ctx context.Context, v values) (out outcome, err error) {
		err = m.app.withMemory(ctx, m.agent, func(s *memory.Store) error {
			n, err := s.SaveNote(ctx, kind, v["tier"], v["content"], false)
			out = outcome{text: n.ID + " is written", undo: m.forgetAgain(n.ID), kind: changedMemory}
			return err
		})
		return out, err
	}}))
}
