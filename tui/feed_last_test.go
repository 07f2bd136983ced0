package tui

import (
	"context"
	"fmt"
	"testing"

	"blackboard/board"
)

// G goes to the last of what a filter has found at once, however much that is, and from there one
// goes back through all of it.
func TestLastOfFiltered(t *testing.T) {
	const n = 5 * pageRows
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
	f := h.m.top().(*runPage).feed
	if f.chosen() != "e2" || !f.earlier || len(f.found) != pageRows {
		t.Fatalf("%s is chosen, %d are read, above %v", f.chosen(), len(f.found), f.earlier)
	}
	h.wants("finding number 2 ", "the last 200 of more")
	for i := range n/2 - 1 {
		if want := fmt.Sprintf("e%d", 2*i+2); f.chosen() != want {
			t.Fatalf("%s is chosen instead of %s", f.chosen(), want)
		}
		h.press("k")
	}
	if f.chosen() != fmt.Sprintf("e%d", n) || f.earlier {
		t.Errorf("%s is chosen at the top, above %v", f.chosen(), f.earlier)
	}
	h.press("g", "G", "esc")
	h.wants("999 of 1 000") // what was chosen stays chosen
	h.press("/")
	h.typeText("finding")
	h.press("enter", "G", "g")
	if f.chosen() != fmt.Sprintf("e%d", n) {
		t.Errorf("%s is chosen at the top", f.chosen())
	}
}
