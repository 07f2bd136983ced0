package tui

import (
	"context"
	"testing"

	"blackboard/board"
)

// last is the newest event of a run.
func last(t *testing.T, b *board.Board) (e board.Event) {
	t.Helper()
	for x, err := range b.Events(context.Background(), 0) {
		e = must(x, err)
	}
	return e
}

func TestWaive(t *testing.T) {
	h := openAudit(t)
	b := h.openRun("audit-7")
	ctx := context.Background()
	h.press("2")
	h.wants("gate closed: 2")
	h.press("w")
	h.goldens("waive")
	h.size(80, 24)
	h.press("enter")
	h.wants("required: Reason")
	h.typeText("the CDN does it")
	h.press("enter")
	h.wants("s2 is waived", "gate closed: 1")
	if e := last(t, b); e.Verb != "waive" || e.Actor != "ada" || e.ID != "s2" {
		t.Errorf("the log says %+v", e)
	}
	h.press("w")
	h.typeText("nobody uses staging any more")
	h.press("enter")
	h.wants("gate open", "synthesis may begin")
	h.press("2", "f", "enter")
	h.press("w") // an open one is needed
	h.wants("already")
	h.press("esc")
	h.press("u")
	h.wants("Reopen s3 of audit-7; the claim of reader-3 is not restored?")
	h.golden("undo")
	h.press("n") // no
	h.press("u", "y")
	h.wants("gate closed: 1")
	h.press("u", "enter")
	h.wants("gate closed: 2")
	if v := must(b.Gate(ctx, board.Policy{})); len(v.Reasons) != 2 {
		t.Errorf("the gate says %+v", v.Reasons)
	}
	h.press("u")
	h.wants("nothing to undo")
}

func TestAddress(t *testing.T) {
	h := openAudit(t)
	b := h.openRun("audit-7")
	h.press("2", "a")
	h.goldens("address")
	h.size(80, 24)
	h.press("ctrl+s")
	h.wants("required: Content")
	h.typeText("yes, 10 a minute")
	h.press("tab")
	h.typeText("nginx.conf:12")
	h.press("tab")
	h.typeText("limit_req zone=one")
	h.press("tab")
	h.typeText("0.9")
	h.press("tab", "tab", "tab", "tab", "tab", "right", "tab", "ctrl+s") // an answer to a high question must surface
	h.wants("s2 is addressed by e7")
	d := must(b.SignalByID(context.Background(), "s2"))
	if d.Signal.Status != board.Addressed || d.Signal.ClosedBy != "ada" {
		t.Errorf("%+v", d.Signal)
	}
	e := must(b.Entry(context.Background(), "e7")).Entry
	if e.Content != "yes, 10 a minute" || e.Type != board.Calculation || e.SourceDoc != "nginx.conf" || e.SourceRef != "12" || e.Worker != "ada" ||
		e.Evidence != "limit_req zone=one" || *e.Confidence != .9 || !e.MustSurface {
		t.Errorf("%+v", e)
	}
	h.press("u")
	h.wants("Reopen s2 of audit-7, whose answer e7")
}

func TestClaimReopenRelease(t *testing.T) {
	h := openAudit(t)
	b := h.openRun("audit-7")
	status := func(id string) board.Signal { return must(b.SignalByID(context.Background(), id)).Signal }
	h.press("2", "c")
	h.wants("s2 is yours until")
	if s := status("s2"); s.ClaimedBy != "ada" {
		t.Errorf("%+v", s)
	}
	h.press("u", "enter")
	h.wants("s2 is free again")
	h.press("x")
	h.wants("claimed by nobody")
	h.press("j", "c")
	h.wants("reader-3") // whose it is
	h.press("x")
	h.wants("reader-3 has claimed it", "Take it away?")
	h.press("enter")
	h.wants("s3 is free again")
	h.press("O")
	h.wants("s3 is open")
	h.press("f", "G", "O")
	h.typeText("it came up again")
	h.press("enter")
	h.wants("s4 is open again")
	h.press("u", "enter")
	if s := status("s4"); s.Status != board.Waived || s.Reason != "out of scope for this audit" {
		t.Errorf("%+v", s)
	}
}

// TestCorrect amends an entry where it is read; what is not changed is taken over.
func TestCorrect(t *testing.T) {
	h := openAudit(t)
	h.press("enter", "e")
	h.wants("Correct e6", "A new entry takes its place")
	h.press("ctrl+s")
	h.wants("nothing of e6 changes")
	h.press("tab", "tab")
	h.typeText("its very words")
	h.press("ctrl+s")
	h.wants("e7 corrects e6")
	b := h.openRun("audit-7")
	was, is := must(b.Entry(context.Background(), "e6")).Entry, must(b.Entry(context.Background(), "e7")).Entry
	if was.Status != board.Superseded || is.Content != was.Content || is.Evidence != "its very words" || is.Type != was.Type || is.SourceDoc != was.SourceDoc {
		t.Errorf("%+v corrects %+v", is, was)
	}
}

func TestPostAndRaise(t *testing.T) {
	h := openAudit(t)
	b := h.openRun("audit-7")
	h.press("p")
	h.goldens("post")
	h.size(80, 24)
	h.typeText("two lines")
	h.press("enter")
	h.typeText("of text")
	h.press("tab", "tab", "tab")
	h.typeText("1.7")
	h.press("ctrl+s")
	h.wants("the confidence must be a number between 0 and 1, not 1.7")
	h.press("ctrl+u")
	h.typeText("0.7")
	h.press("tab")
	h.typeText("a, b")
	h.press("tab", "tab")
	h.typeText("e4")
	h.press("ctrl+s")
	h.wants("e7 is posted")
	e := must(b.Entry(context.Background(), "e7")).Entry
	if e.Content != "two lines\nof text" || e.Contradicts[0] != "e4" || *e.Confidence != 0.7 || len(e.Tags) != 2 || e.Worker != "ada" {
		t.Errorf("%+v", e)
	}
	h.press("s")
	h.typeText("is that so?")
	h.press("tab", "tab", "tab", "left", "ctrl+s")
	h.wants("s5 is raised", "gate closed: 3")
	if s := must(b.SignalByID(context.Background(), "s5")).Signal; s.Origin != "e7" || s.Priority != "high" {
		t.Errorf("%+v", s)
	}
	h.press("p")
	h.typeText("is not lost")
	h.press("esc")
	h.wants("is not lost", "esc again throws away what was typed")
	h.typeText("!")
	h.press("esc")
	h.wants("is not lost!")
	h.press("esc")
	h.lacks("Post an entry")
	h.press("u")
	h.wants("s5 stays")
	h.press("u")
	h.wants("e7 stays")
	h.press("u")
	h.wants("nothing to undo")
}

func TestPromote(t *testing.T) {
	h := openAudit(t)
	h.press("G", "P")
	h.goldens("promote")
	h.size(80, 24)
	h.press("ctrl+s")
	h.wants("e1 is capsule")
	k := must(h.m.app.KB(context.Background()))
	if s := must(k.Stats(context.Background())); s.Standing != 1 {
		t.Errorf("%+v", s)
	}
	h.press("P")
	h.wants("e1 is capsule k", "already")
	h.lacks("Promote e1")
	h.press("u", "enter")
	if s := must(k.Stats(context.Background())); s.Standing != 0 || s.Retired != 1 {
		t.Errorf("%+v", s)
	}
}

// TestGateFollowsThePolicy: the gate that is shown is that of board.yaml, in the past too.
func TestGateFollowsThePolicy(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		fillAudit(h)
		h.write("board.yaml", "gate: {block: [], max_disputed: 0, expect: [reader-9]}", 0)
	})
	h.wants("● audit-7", "closed 2") // as many as the page of the run says
	h.press("enter", "2")
	h.wants("reader-9", "gate closed: 2")
	h.press("[")
	h.wants("reader-9", "event 16 of 17")
}
