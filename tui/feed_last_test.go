package tui

import (
	"context"
	"fmt"
	"testing"

	"blackboard/board"
	"blackboard/tui/runs"
)

// G goes to the last of what a filter has found at once, however much that is, and from there one
// goes back through all of it.
func TestLastOfFiltered(t *testing.T) {
	const n = 1000
	h := newHarness(t, func(h *harness) {
		b := h.openRun("long")
		var posts []board.Post
		for i := 1; i <= n; i++ {
			posts = append(posts, board.Post{Type: board.EntryTypes[i%2], Content: fmt.Sprintf("finding number %d", i)})
		}
		must(b.PostBatch(context.Background(), "w", posts))
		h.cfg.Run = "long"
	})
	kind := board.EntryTypes[0]
	h.press("/")
	h.typeText("type:" + kind)
	h.press("enter", "G")
	f := h.m.top().(*runs.Page)
	if f.Chosen() != "e2" {
		t.Fatalf("%s is chosen", f.Chosen())
	}
	h.wants("finding number 2 ", "500 of 500")
	h.press("k")
	if f.Chosen() != "e4" {
		t.Errorf("%s is chosen above the last", f.Chosen())
	}
	h.press("g", "G", "esc")
	h.wants("999 of 1 000") // what was chosen stays chosen
	h.press("/")
	h.typeText("finding")
	h.press("enter", "G", "g")
	if f.Chosen() != fmt.Sprintf("e%d", n) {
		t.Errorf("%s is chosen at the top", f.Chosen())
	}
}
