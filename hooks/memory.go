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

// agentName is the session's agent, as the memory and the commands that it runs name it.
func (t *turn) agentName() string {
	return cmp.Or(strings.TrimSpace(t.Env("BOARD_WORKER")), t.e.Harness)
}

func (t *turn) withMemory(fn func(*memory.Store) error) {
	if t.Memory == nil {
		return
	}
	m, err := t.Memory(memory.Options{Workspace: t.workspace, Agent: t.agentName(), Now: t.Now})
	if err == nil {
		err = fn(m)
		m.Close()
	}
	t.logError("read the memory", err)
}

// conversation returns the reference of $BOARD_CONVERSATION, else of the session's own conversation; "" if there is no
// such conversation.
func (t *turn) conversation(ctx context.Context, m *memory.Store) string {
	ref := cmp.Or(t.Env("BOARD_CONVERSATION"), t.openSession().Talk)
	if ref == "" || t.workspace == "" {
		return ""
	}
	if _, err := m.Conversation(ctx, ref); err != nil {
		t.logError("find the conversation of $BOARD_CONVERSATION", err)
		return ""
	}
	return ref
}

// startMemory is what the memory has for a session's start, in so many bytes: what is always
// given, and what is surely about the topic. It counts as given from then on.
func (t *turn) startMemory(ctx context.Context, r *room, about string, given *sessionState,
	most int) (part string) {
	t.withMemory(func(m *memory.Store) error {
		const more = 20 // tokens for the line about what did not fit
		budget := min(most, r.left-2)/tokenBytes - more
		if budget < 100 {
			return nil
		}
		o, err := m.Orient(ctx, memory.OrientQuery{Text: about, Conversation: t.conversation(ctx,
			m), Budget: budget, Unasked: true,
			Without: memory.TagWorklog, // the page has the worklog itself
			Given:   given.ids(), Since: given.Told, Clean: clean, Words: t.Words})
		if err != nil {
			return err
		}
		for _, c := range o.Considered {
			t.considered = append(t.considered, Considered(c))
		}
		part = text.Harmless(demoteHeadings(o.Text()))
		if o.LeftOut > 0 && part != "" {
			part += fmt.Sprintf("\n\n(%d more did not fit; `board memory read \"…\"` finds them)",
				o.LeftOut)
		}
		if !r.take(part) {
			t.leftOut("memory", part, noRoom)
			part = ""
			return nil
		}
		given.addStart(o.Given...)
		return nil
	})
	return part
}

// demoteHeadings puts a document's headings one level down, below those of the frame.
func demoteHeadings(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "#") {
			lines[i] = "#" + l
		}
	}
	return strings.Join(lines, "\n")
}

// recallMemory returns memories that are surely about a prompt and were not given yet.
// Nobody asked for them, so this does not count as an access.
func (t *turn) recallMemory(ctx context.Context, r *room, ask string,
	given *sessionState) (part string,
	ids []string) {
	const heading = "## Remembered about this (notes, not facts)"
	t.withMemory(func(m *memory.Store) error {
		q := memory.Query{Text: ask, Conversation: t.conversation(ctx, m), Limit: 20,
			Gate: true, Untouched: true}
		for _, tier := range memory.Tiers {
			if m.Reaches(tier) && (tier != memory.Conversation || q.Conversation != "") {
				q.Tiers = append(q.Tiers, tier)
			}
		}
		res, err := m.Read(ctx, q)
		if err != nil {
			return err
		}
		hits := res.Weak
		for _, sl := range res.Slices {
			hits = append(hits, sl.Hits...)
		}
		hits = slices.DeleteFunc(hits, func(h memory.Hit) bool { // the start page has the worklog
			return h.Evidence == 0 || slices.Contains(h.Tags, memory.TagWorklog)
		})
		slices.SortStableFunc(hits,
			func(a, b memory.Hit) int { return cmp.Compare(b.Evidence, a.Evidence) })
		for _, h := range hits {
			h.Title, h.Content = clean(h.Title), clean(h.Content)
			line := "\n" + strings.TrimSpace(text.Harmless(h.Line(t.now, t.agentName(), t.Words)))
			why, judged := "", fmt.Sprintf("evidence %.2f of %.2f", h.Evidence, res.Threshold)
			switch {
			case h.Weak:
				why = "weak"
			case given.has(h.ID):
				why = givenOnce
			case h.Evidence < kb.Least(kb.RecallFloor, hits[0].Evidence, res.Threshold):
				why = "far behind the best"
			case len(ids) == t.items(t.depth.Items):
				why = "beyond the limit"
			case len(heading)+len(part)+len(line)+2 > r.left:
				why = noRoom
			default:
				part, ids = part+line, append(ids, h.ID)
				t.gave("memory "+h.ID, line, judged)
				continue
			}
			t.leftOut("memory "+h.ID, line, why+"; "+judged)
		}
		return nil
	})
	if part == "" || !r.take(heading+part) {
		return "", nil
	}
	return heading + part, ids
}
