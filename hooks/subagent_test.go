package hooks

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/kb/memory"
	"blackboard/testdata/expect"
)

// TestSubagents: a subagent of a run starts with its brief; one that the run expects and
// that has posted nothing is kept at work once, any other never.
func TestSubagents(t *testing.T) {
	w := newWorld(t)
	t.Cleanup(openBoards.Wait)
	agent := map[string]any{"agent_id": "a1", "agent_type": "reader-1"}
	if got := w.tell("SubagentStart", agent) + w.tell("SubagentStop", agent); got != "" {
		t.Errorf("without a run: %s", got)
	}
	w.env["BOARD_RUN"] = "audit"
	b := expect.Value(board.Create(t.Context(), filepath.Join(w.home, "boards"), "audit", "May we ship v3?", "lead", nil))(t)
	defer b.Close()
	expect.Value(b.Expect(t.Context(), "lead", []string{"reader-1", "reader-2"}, false))(t)
	expect.Value(b.Signal(t.Context(), "lead", board.Raise{Content: "Who rotates the keys?",
		Priority: "high"}))(t)
	w.searcher = found(hit("k1", "Shipping", "v3 needs the new keys.", 1))
	got := w.tell("SubagentStart", agent)
	for _, want := range []string{"## Run ", "Goal: May we ship v3?", "Who rotates the keys?", "You are reader-1",
		"(k1)"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if tokens(got) > subagentBudget {
		t.Errorf("%d tokens", tokens(got))
	}
	stop := func(id, kind string, active bool) string {
		return w.tell("SubagentStop", map[string]any{"agent_id": id, "agent_type": kind,
			"stop_hook_active": active})
	}
	if got := stop("a9", "Explore", false); got != "" {
		t.Errorf("a helper that nobody expects: %s", got)
	}
	if got := stop("a2", "reader-2", true); got != "" {
		t.Errorf("one that goes on already: %s", got)
	}
	if got := stop("a1", "reader-1", false); !strings.Contains(got, "posted nothing") {
		t.Errorf("it is let go: %q", got)
	}
	if got := stop("a1", "reader-1", false); got != "" {
		t.Errorf("a second time: %s", got)
	}
	done := func(member string) Result {
		return w.handle("claude", "TaskCompleted", encodeJSON(map[string]any{"session_id": "s1",
			"hook_event_name": "TaskCompleted", "cwd": w.project, "task_id": "1",
			"task_subject": "Read the ledger", "teammate_name": member}))
	}
	if r := done("reader-3"); r.Refused {
		t.Errorf("a task of somebody whom nobody expects: %+v", r)
	}
	if r := done("reader-2"); !r.Refused || !strings.Contains(r.Text, "posted nothing") ||
		strings.TrimSpace(string(r.Answer)) != "{}" {
		t.Errorf("a task of one that has posted nothing is let go: %+v", r)
	}
	if r := done("reader-2"); r.Refused {
		t.Errorf("a task is kept a second time: %+v", r)
	}
	w.env["BOARD_WORKER"] = "reader-1"
	if r := w.handle("codex", "SubagentStop", encodeJSON(map[string]any{"session_id": "s9",
		"turn_id": "t", "hook_event_name": "SubagentStop", "cwd": w.project, "agent_id": "a1",
		"agent_type": "reader-1", "stop_hook_active": false})); !strings.HasPrefix(string(r.Answer),
		`{"decision":"block","reason":"`) {
		t.Errorf("Codex lets it go: %s", r.Answer)
	}
	if r := done(""); r.Refused {
		t.Errorf("a session's own task, after its subagent of that name was kept: %+v", r)
	}
	w.env["BOARD_WORKER"] = ""
	expect.Value(b.Post(t.Context(), "reader-2", board.Post{Content: "Keys rotate daily"}))(t)
	if got := stop("a2", "reader-2", false); got != "" {
		t.Errorf("one that has posted: %s", got)
	}
}

// TestConversationsByThemselves: where a project has a memory, a session is a conversation,
// which ends with what the session leaves: the harness's summary, and the latest work.
func TestConversationsByThemselves(t *testing.T) {
	w := newWorld(t)
	w.branch("feature/ledger-migration")
	w.tell("SessionStart", nil)
	m := w.remembers(.5, "The ledger counts in cents")
	talks := func() []memory.ConversationInfo {
		all := expect.Value(m.Conversations(t.Context(), "", memory.Statuses, 0))(t)
		return all
	}
	if all := talks(); len(all) > 0 {
		t.Errorf("before there is a memory: %+v", all)
	}
	w.tell("SessionStart", map[string]any{"session_id": "s2"})
	w.tell("PostToolUse", map[string]any{"session_id": "s2", "tool_name": "Bash", "tool_use_id": "t1",
		"tool_input": map[string]any{"command": "go test ./ledger"}, "tool_response": map[string]any{}})
	w.tell("PostCompact", map[string]any{"session_id": "s2",
		"compact_summary": "The ledger migration is half done."})
	if all := talks(); len(all) != 1 || all[0].Status != memory.StatusActive || all[0].Thread != "s2" {
		t.Fatalf("%+v", all)
	}
	w.now = w.now.Add(time.Hour)
	w.tell("SessionEnd", map[string]any{"session_id": "s2", "reason": "other"})
	all := talks()
	found, _, err := m.List(t.Context(), memory.ListQuery{Tags: []string{memory.TagSummary}})
	if err != nil || len(found) != 1 || all[0].Status != memory.StatusIdle ||
		found[0].Title != "Session of 2026-11-21: ledger migration" ||
		found[0].Content != "The ledger migration is half done." {
		t.Errorf("%+v, %+v, %v", all, found, err)
	}
	w.tell("SessionStart", map[string]any{"session_id": "s2", "source": "resume"})
	if all := talks(); len(all) != 1 || all[0].Status != memory.StatusActive {
		t.Errorf("resumed: %+v", all)
	}
}
