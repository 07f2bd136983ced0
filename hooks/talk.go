package hooks

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"blackboard/hooks/topics"
	"blackboard/kb/memory"
)

// A session is a conversation of the memory: it begins with the session, where the project
// has a memory, and ends with what the session leaves to the next one.

// beginTalk begins the session's conversation, or takes it up again.
func (t *turn) beginTalk(ctx context.Context, given *sessionState) {
	if t.Preview || t.workspace == "" || t.e.Session == "" || given.path == "" ||
		t.Env("BOARD_CONVERSATION") != "" {
		return
	}
	if _, err := os.Stat(memory.WorkspacePath(t.Home, t.workspace)); err != nil {
		return // a project without a memory gets none for having a session
	}
	t.withMemory(func(m *memory.Store) error {
		c, _, err := m.StartConversation(ctx, "", clean(t.e.Session))
		if err == nil && c.Status == memory.StatusIdle {
			_, err = m.ReopenConversation(ctx, c.Ref)
		}
		given.Talk = c.Ref
		return err
	})
}

// mostHandedOver is how many lines of the worklog a summary has.
const mostHandedOver = 8

// endTalk ends the session's conversation with a hand-over: what the harness said of it at
// its last compaction, or else the latest work. A session that did nothing leaves nothing.
func (t *turn) endTalk(ctx context.Context, given *sessionState, entries []topics.Entry) {
	if given.Talk == "" {
		return
	}
	said, before := given.Summary, time.Time{}
	var tags []string
	if said == "" {
		tags = append(tags, memory.TagWorklog)
		for _, e := range topics.Choose(topics.Fold(entries), mostHandedOver, 1600) {
			said += "\n" + oneLine(e.Brief(before), 300)
			before = e.Time
		}
	}
	title := "Session of " + t.now.UTC().Format(time.DateOnly)
	if about := t.topic.NameWords(t.branch); about != "" {
		title += ": " + oneLine(about, 100)
	}
	t.withMemory(func(m *memory.Store) error {
		if said = strings.TrimSpace(said); said != "" {
			if _, err := m.Summarise(ctx, given.Talk, title, clip(clean(said), 4000),
				tags...); err != nil {
				return fmt.Errorf("hand over: %w", err)
			}
		}
		_, err := m.IdleConversation(ctx, given.Talk)
		return err
	})
}

// talkBegins begins the conversation after the page is made, which matters more.
func (t *turn) talkBegins(ctx context.Context) {
	given := t.openSession()
	if t.beginTalk(ctx, given); given.Talk != "" {
		t.saveState(given)
	}
}

// keepSummary keeps what the harness says of a session at a compaction.
func (t *turn) keepSummary() {
	if t.e.Summary == "" {
		return
	}
	given := t.openSession()
	given.Summary = clip(clean(t.e.Summary), 2000)
	t.saveState(given)
}
