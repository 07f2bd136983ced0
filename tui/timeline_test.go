package tui

import (
	"context"
	"testing"

	"blackboard/board"
	"blackboard/tui/runs"
)

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
