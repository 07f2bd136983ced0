package hooks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/text"
	"blackboard/kb"
	"blackboard/kb/memory"
)

// speaker is who the session's agent is in the memory, as it is for the commands that it runs.
func (t *turn) speaker() string {
	return cmp.Or(strings.TrimSpace(t.Env("BOARD_WORKER")), t.e.Harness)
}

// inMemory calls fn with the memory as the session's agent reaches it, if there is one.
func (t *turn) inMemory(fn func(*memory.Store) error) {
	if t.Memory == nil {
		return
	}
	m, err := t.Memory(memory.Options{Workspace: t.workspace, Agent: t.speaker(), Now: t.Now})
	if err == nil {
		err = fn(m)
		m.Close()
	}
	t.note("the memory", err)
}

// conversation is the one that the session is tied to, "" for none that is there.
func (t *turn) conversation(ctx context.Context, m *memory.Store) string {
	ref := t.Env("BOARD_CONVERSATION")
	if ref == "" || t.workspace == "" {
		return ""
	}
	if _, err := m.Conversation(ctx, ref); err != nil {
		t.note("$BOARD_CONVERSATION", err)
		return ""
	}
	return ref
}

// remembered is what the memory has for a session's start: what is always given, and what is
// surely about the topic, within so many bytes. It is the agent's for the rest of the session.
func (t *turn) remembered(ctx context.Context, r *room, about string, given *seen, most int) (part string) {
	t.inMemory(func(m *memory.Store) error {
		const more = 20 // tokens, to say how much had no room
		budget := min(most, r.left-2)/tokenBytes - more
		if budget < 100 {
			return nil
		}
		o, err := m.Orient(ctx, memory.OrientQuery{Text: about, Conversation: t.conversation(ctx, m), Budget: budget, Unasked: true,
			Given: given.all(), Since: given.Told, Clean: clean, Words: t.Words})
		if err != nil {
			return err
		}
		part = text.Harmless(demoted(o.Text()))
		if o.LeftOut > 0 && part != "" {
			part += fmt.Sprintf("\n\n(%d more had no room: `board memory read \"…\"` finds them)", o.LeftOut)
		}
		if !r.take(part) {
			part = ""
			return nil
		}
		given.start(o.Given...)
		return nil
	})
	return part
}

// demoted puts the headings of a document one level down, below those of a frame.
func demoted(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "#") {
			lines[i] = "#" + l
		}
	}
	return strings.Join(lines, "\n")
}

// recollect is what the memory has that is surely about a prompt, and was not given yet. It was
// shown, and nobody has asked for it: it counts as no access.
func (t *turn) recollect(ctx context.Context, r *room, ask string, given *seen) (part string, ids []string) {
	const heading = "## Remembered about this (notes, not facts)"
	t.inMemory(func(m *memory.Store) error {
		q := memory.Query{Text: ask, Conversation: t.conversation(ctx, m), Limit: 20, Gate: true, Untouched: true}
		for _, tier := range memory.Tiers {
			if m.Reaches(tier) && (tier != memory.Conversation || q.Conversation != "") {
				q.Tiers = append(q.Tiers, tier)
			}
		}
		res, err := m.Read(ctx, q)
		if err != nil {
			return err
		}
		var hits []memory.Hit
		for _, sl := range res.Slices {
			hits = append(hits, sl.Hits...)
		}
		slices.SortStableFunc(hits, func(a, b memory.Hit) int { return cmp.Compare(b.Evidence, a.Evidence) })
		for _, h := range hits {
			h.Title, h.Content = clean(h.Title), clean(h.Content)
			line := "\n" + strings.TrimSpace(text.Harmless(h.Line(t.now, t.speaker())))
			if h.Evidence < kb.RecallFloor*hits[0].Evidence || len(ids) == t.items(t.depth.Items) || len(heading)+len(part)+len(line)+2 > r.left {
				break
			}
			if !given.has(h.ID) {
				part, ids = part+line, append(ids, h.ID)
			}
		}
		return nil
	})
	if part == "" || !r.take(heading+part) {
		return "", nil
	}
	return heading + part, ids
}
