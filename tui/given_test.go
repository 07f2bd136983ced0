package tui

import (
	"context"
	"testing"

	"blackboard/board"
	"blackboard/tui/page"
	"blackboard/tui/runs"
)

// fillGiven is a run whose entry e1 became a capsule, and another that was given it.
func fillGiven(h *harness) {
	ctx := context.Background()
	refs := `["run:first", "entry:e1", "worker:ada", "run:gone", "entry:e7", "entry:e2"]`
	front := "title: A pane is addressed by session, window and pane\nkind: recipe\nscope: universal"
	h.capsuleFile(capsulePlain, front+"\nrefs: "+refs, "session:window.pane")
	h.openKB()
	first := h.openRun("first")
	for _, text := range []string{"Panes have addresses", "Windows have names", "Sessions too"} {
		must(first.Post(ctx, "ada", board.Post{Content: text}))
	}
	second := h.openRun("second")
	must(second.Post(ctx, "ada", board.Post{Content: "begun"}))
	brief := board.Retrieval{Way: board.ByBrief, Role: "planner", Task: "address a pane"}
	for _, r := range []board.Retrieval{brief, {Way: board.ByPrompt}} {
		r.Capsules = []board.Given{{ID: capsulePlain, Score: 1, Evidence: 0.8}}
		if err := second.Retrieved(ctx, "lead", r); err != nil {
			h.t.Fatal(err)
		}
	}
	must(second.Post(ctx, "ada", board.Post{Content: "It is used, see kb:" + capsulePlain}))
}

// TestGivenScreens: a run tells what was given, now and at a moment of the past, and each
// capsule is a key away.
func TestGivenScreens(t *testing.T) {
	h := newHarness(t, fillGiven)
	h.send(page.PushMsg{Page: runs.New(h.m.app, "second")})
	h.wants("given 2 times")
	h.press("R")
	h.wants("Given from the knowledge base", "lead  brief, planner, \"address a pane\"", "prompt",
		capsulePlain+"  score 1.00, evidence 0.80")
	h.goldens("given")
	h.press("enter")
	h.wants("A pane is addressed by session")
	h.press("esc", "esc", "[", "[")
	h.wants("given 1 time")
	h.press("R")
	h.wants("as of event 3", "brief, planner")
	h.lacks("prompt")
}

// TestNothingGiven: a run that was given nothing says nothing of it, and has no key for
// it.
func TestNothingGiven(t *testing.T) {
	h := newHarness(t, fillGiven)
	h.send(page.PushMsg{Page: runs.New(h.m.app, "first")})
	h.press("R")
	h.lacks("given", "Given")
}

// TestCapsuleToEntry: from a capsule one goes to the entry that it comes from, in its
// run, and to the run that has used it. A run whose board is not there is named.
func TestCapsuleToEntry(t *testing.T) {
	h := newHarness(t, fillGiven)
	h.openCapsule(capsulePlain)
	h.wants("run:first entry:e1", "given          2 times to 1 run, used by 1",
		"second, 2 times: used, e2 names it", "entry:e2")
	h.press("enter")
	h.wants("Panes have addresses", "e1")
	h.lacks("Windows have names")
	h.press("esc") // the run, with the entry chosen
	h.wants("Windows have names", "3 of 3")
	h.press("esc")
	h.wants("A pane is addressed by session")
	h.press("tab", "enter")
	h.wants("the board of the run gone is not here: it was removed",
		"A pane is addressed by session")
	h.press("tab", "enter")
	h.wants("It is used, see kb:" + capsulePlain)
}
