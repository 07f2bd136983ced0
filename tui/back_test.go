package tui

import (
	"context"
	"slices"
	"testing"

	"blackboard/kb"
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
