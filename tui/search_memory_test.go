package tui

import (
	"cmp"
	"testing"

	"blackboard/testdata/cost"
	"blackboard/tui/items"
	"blackboard/tui/page"
)

// openBoth starts with capsules and a memory.
func openBoth(t *testing.T) *harness {
	t.Helper()
	return newHarness(t, func(h *harness) { fillCapsules(h); fillMemory(h) })
}

// TestSearchMemory: the search finds what the memory has, of every tier, and a switch leaves
// either out.
func TestSearchMemory(t *testing.T) {
	cost.SkipUnlessLong(t)
	h := openBoth(t)
	h.press("K")
	h.typeText("read-only pane")
	h.wants("of them in the memory", "A pane is addressed", "workspace    memory    Staging is read-only at night")
	h.goldens("search-memory")
	h.size(80, 24)
	h.typeText(" in:memory")
	h.wants("Staging is read-only")
	h.lacks("A pane is addressed")
	h.press("tab", "enter")
	h.wants("m000000001 · workspace", "between 02:00")
	h.press("esc")
	h.wants("/ read-only pane in:memory")
	h.press("Y")
	h.wants("the text of m000000001 copied")
	h.press("q")

	for words, tier := range map[string]string{"Tuesdays": "channel", "read-only night": "workspace", "German code": "account",
		"report by noon": "conversation", "No adverbs": "workspace", "session 7": "conversation"} {
		h.press("K", "ctrl+u")
		h.typeText(words + " in:memory")
		if ref := h.m.focus().(*items.Page).Chosen(); cmp.Or(ref.Tier, "conversation") != tier {
			t.Errorf("%q: %+v, not in %s", words, ref, tier)
		}
		h.press("enter")
		if _, ok := h.m.top().(*page.Text); !ok {
			t.Errorf("%q: opens %T", words, h.m.top())
		}
		h.press("esc", "esc")
	}
}

// TestSearchMemoryAlone: without a knowledge base the memory is searched, and what is missing is
// said.
func TestSearchMemoryAlone(t *testing.T) {
	h := newHarness(t, fillMemory)
	h.press("K")
	h.typeText("staging")
	h.wants("Staging is read-only", "of the memory alone:")
	h.press("ctrl+u")
	h.typeText("in:memory")
	h.wants("items of the memory, the newest first", "The price list is in docs")
	h.press("tab", "f")
	h.wants("[forgotten: asked]")
	h.goldens("search-memory-all")
}

// TestSearchAsAgent: what is an agent's alone is found through its eyes.
func TestSearchAsAgent(t *testing.T) {
	h := openBoth(t)
	h.press("K")
	h.typeText("guessed")
	h.lacks("was guessed")
	h.press("esc", "M")
	h.asResearcher()
	h.press("K", "ctrl+u")
	h.typeText("was guessed")
	h.wants("that this number was guessed")
	h.press("ctrl+u")
	h.typeText("measures before")
	h.wants("Measures before it claims")
}
