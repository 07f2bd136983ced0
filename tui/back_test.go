package tui

import (
	"context"
	"slices"
	"testing"

	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/items"
)

// TestMemoryForgetUndone: what was forgotten by mistake is brought back by u, and later by O.
func TestMemoryForgetUndone(t *testing.T) {
	h := openFilledMemory(t)
	s, ctx := h.authors(""), context.Background()
	h.press("/")
	h.typeText("staging")
	h.press("enter", "d")
	h.wants("u brings it back")
	h.press("enter")
	h.wants("m000000001 is forgotten · u undoes it")
	h.press("u", "enter")
	h.wants("m000000001 is remembered again", "Staging is read-only")
	if it := must(s.Peek(ctx, "m000000001")); !it.Live() {
		t.Errorf("%+v", it)
	}
	h.press("u", "enter") // the other way round
	h.wants("is forgotten")
	h.press("f", "O")
	h.wants("m000000001 is remembered again")
	if it := must(s.Peek(ctx, "m000000001")); !it.Live() {
		t.Errorf("%+v", it)
	}
}

// TestMemoryNoteUndone: so it is with what an agent wrote for itself.
func TestMemoryNoteUndone(t *testing.T) {
	h := openFilledMemory(t)
	h.asResearcher()
	h.toSection(items.SectionCore)
	h.press("d", "enter")
	h.wants("This agent has no core memories")
	h.press("u", "enter")
	h.wants("j000000003 is remembered again", "▸core 1")
	var out syncBuffer
	h.m.app.Out = &out
	h.press("Y")
	h.wants("the text of j000000003 copied")
}

// TestMemoryRevision makes an item and a named entry what they said before, any of the times.
func TestMemoryRevision(t *testing.T) {
	h := openFilledMemory(t)
	s, ctx := h.authors(""), context.Background()
	for _, text := range []string{"The second.", "The third."} {
		must(s.Update(ctx, "m000000001", memory.UpdateOptions{Why: "so it is now"}, func(it *memory.Item) error { it.Content = text; return nil }))
	}
	was := must(s.Revisions(ctx, "m000000001"))[0].Content
	h.press("ctrl+r", "/")
	h.typeText("staging")
	h.press("enter", "O")
	h.wants("Which revision of m000000001?", "revision 2", "so it is now")
	h.goldens("memory-revisions")
	h.size(80, 24)
	h.press("down", "enter")
	h.wants("m000000001 as it was at revision 1", "Staging")
	h.goldens("memory-revision")
	h.size(80, 24)
	h.press("O")
	h.wants("m000000001 is at revision 4 · u undoes it")
	h.lacks("as it was at revision 1")
	if it := must(s.Peek(ctx, "m000000001")); it.Content != was {
		t.Errorf("%q", it.Content)
	}
	h.press("u", "enter")
	if it := must(s.Peek(ctx, "m000000001")); it.Content != "The third." {
		t.Errorf("%q", it.Content)
	}
	h.press("esc", "5", "O")
	h.wants("Which revision of VOICE?")
	h.press("enter", "O")
	h.wants("VOICE is at revision 3")
	h.press("j", "O")
	h.wants("STACK has said nothing else before")
}

// TestCapsuleRevision makes a capsule what it was at any revision, not only the last.
func TestCapsuleRevision(t *testing.T) {
	h := newHarness(t, fillCapsules)
	k, ctx := h.openKB(), context.Background()
	h.openCapsule(capsulePlain)
	h.press("O")
	h.wants(capsulePlain + " has said nothing else before")
	for _, body := range []string{"The second.", "The third.", "The fourth."} {
		must(k.Edit(ctx, capsulePlain, func(c *kb.Capsule) error { c.Body = body; return nil }, kb.EditOptions{Why: "it is " + body}))
	}
	h.press("ctrl+r", "O")
	h.wants("Which revision of "+capsulePlain+"?", "revision 3", "revision 1")
	h.goldens("capsule-revisions")
	h.size(80, 24)
	h.press("down", "enter")
	h.wants(capsulePlain+" as it was at revision 2", "The second.")
	h.goldens("capsule-revision")
	h.size(80, 24)
	h.press("O")
	h.wants("is what it was at revision 2 · u undoes it", "Capsule "+capsulePlain, "The second.")
	h.press("u", "enter")
	h.wants("The fourth.")
	if c := must(k.Get(ctx, capsulePlain)); c.Body != "The fourth." {
		t.Errorf("%q", c.Body)
	}
}

// TestCapsuleBack: one key brings back what was retired, long after.
func TestCapsuleBack(t *testing.T) {
	h := newHarness(t, fillCapsules)
	k, ctx := h.openKB(), context.Background()
	must(k.Retire(ctx, capsulePlain, "it was wrong"))
	h.openCapsule(capsulePlain)
	h.wants("it was wrong")
	h.press("O")
	h.wants("is what it was at revision 1")
	h.lacks("retired        2")
	if c := must(k.Get(ctx, capsulePlain)); c.Retired != nil {
		t.Error("it is retired still")
	}
	h.press("u", "enter")
	h.wants("retired")
	if !slices.ContainsFunc(must(k.History(ctx, capsulePlain)), func(e kb.Event) bool { return e.Verb == kb.VerbRestored }) {
		t.Error("the history does not say so")
	}
}
