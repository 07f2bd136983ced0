package tui

import (
	"context"
	"testing"

	"blackboard/board"
	"blackboard/tui/runs"
)

// TestTimelineJumps goes to the peak, and to where the gate opened and closed, and back to now.
func TestTimelineJumps(t *testing.T) {
	h := openAudit(t)
	p := h.m.top().(*runs.Page)
	h.press("^")
	h.wants("4 questions open: the most there were at once", "4 signals, 4 open")
	peak := p.Place()
	h.press("<")
	h.wants("gate closed: 1 reason")
	closed := p.Place()
	h.press("<")
	h.wants("gate open at event")
	if p.Place() >= closed || closed >= peak {
		t.Errorf("the gate opened at %d and closed at %d; the peak is at %d", p.Place(), closed, peak)
	}
	h.press("<")
	h.wants("the gate did not change before this")
	h.press(">")
	if p.Place() != closed {
		t.Errorf("the next change is at %d, not at %d", p.Place(), closed)
	}
	h.press(">")
	h.wants("the gate did not change after this")
}

// TestTimelineOpens: where the gate opened again is found too, and a policy that asks for more
// than is counted is said.
func TestTimelineOpens(t *testing.T) {
	h := openAudit(t)
	p := h.m.top().(*runs.Page)
	b := h.openRun("audit-7")
	must(b.Waive(context.Background(), "x", "s2", "covered"))
	must(b.Waive(context.Background(), "x", "s3", "covered"))
	h.do(p.Look())
	h.wants("gate open")
	h.press("[", "<")
	h.wants("closed: 1 reason")
	h.press(">")
	h.wants("live", "gate open") // its last change is now
	h.write("board.yaml", "gate:\n  require_source: true\n", 0)
	h.do(p.Look())
	h.size(160, 50)
	h.wants("closed by a rule that is not about questions")
}

// TestChanges goes to a moment and shows what has changed since.
func TestChanges(t *testing.T) {
	h := openAudit(t)
	h.press("=")
	h.lacks("What has changed")
	p := h.m.top().(*runs.Page)
	h.do(p.GoTo(6))
	h.press("=")
	h.wants("from event 6", "gate closed: 2 reasons", "e1", "≠ disputed was active", "† superseded was active",
		"Questions that were closed", "New questions", "4 new entries")
	h.goldens("changes")
	h.size(80, 24)
	h.press("enter")
	h.wants("as it was after event 17", "contradicted by")
}

// TestSpentShown: what the run and its workers have used is shown where they are, as it was then.
func TestSpentShown(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		ctx := context.Background()
		b := h.openRun("dear")
		must(b.Post(ctx, "reader-1", board.Post{Content: "found"}))
		must(b.Set(ctx, "lead", "tokens.reader-1", []byte("900"), board.AnyVersion))
		must(b.Post(ctx, "reader-2", board.Post{Content: "found"}))
		must(b.Set(ctx, "lead", "tokens.reader-1", []byte("1234567"), board.AnyVersion))
		must(b.Set(ctx, "lead", "cost.reader-2", []byte("0.5"), board.AnyVersion))
		must(b.Set(ctx, "lead", "token_budget", []byte("3000000"), board.AnyVersion))
		h.cfg.Run = "dear"
	})
	h.wants("1234567 of 3000000 tokens, cost 0.5")
	h.goldens("run-spent")
	h.size(160, 50)
	h.press("3", "j")
	h.wants("used          ")
	h.size(80, 24)
	h.press("[", "[", "[")
	h.wants("900 tokens")
	h.lacks("1234567")
}
