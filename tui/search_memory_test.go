package tui

import (
	"context"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/tui/knowledge"
	"blackboard/tui/memories"
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
	h.press("alt+w")
	h.wants("alt+w capsules", "A pane is addressed")
	h.lacks("Staging is read-only")
	h.press("alt+w")
	h.wants("alt+w memory", "Staging is read-only")
	h.lacks("A pane is addressed")
	h.press("tab", "enter")
	h.wants("m000000001 · workspace", "between 02:00")
	h.press("esc")
	h.wants("› read-only pane", "alt+w memory")
	h.press("Y")
	h.wants("the text of m000000001 copied")
	h.press("q")

	for words, tier := range map[string]string{"Tuesdays": "channel", "read-only night": "workspace", "German code": "account",
		"report by noon": "conversation", "No adverbs": "workspace", "session 7": "conversation"} {
		h.press("K", "ctrl+u")
		h.typeText(words)
		if hit := h.m.focus().(*knowledge.SearchBox).Hit(); hit == nil || hit.Kind != tier {
			t.Errorf("%q: %+v, not in %s", words, hit, tier)
		}
		h.press("enter")
		if _, ok := h.m.top().(*memories.Detail); !ok {
			t.Errorf("%q: opens %T", words, h.m.top())
		}
		h.press("esc", "esc")
	}

	// A filter of capsules leaves the memory out.
	h.press("K", "ctrl+u", "alt+w", "alt+k")
	h.typeText("read-only")
	h.wants("alt+w everywhere", "fact only")
	h.lacks("Staging")
}

// TestSearchMemoryAlone: without a knowledge base the memory is searched, and what is missing is
// said.
func TestSearchMemoryAlone(t *testing.T) {
	h := newHarness(t, fillMemory)
	h.press("K")
	h.typeText("staging")
	h.wants("Staging is read-only", "of the memory alone:")
	h.press("alt+w", "alt+w", "ctrl+u")
	h.wants("items of the memory, the newest first", "The price list is in docs")
	h.press("tab", "f")
	h.wants("[forgotten]")
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

// TestSearchSwitches: what alt does is done without alt, too.
func TestSearchSwitches(t *testing.T) {
	h := openBoth(t)
	h.press("K")
	h.typeText("pane")
	h.press("ctrl+t")
	h.wants("How to search", "1 mode", "auto", "4 where to look")
	h.goldens("search-switches")
	h.size(80, 24)
	h.press("4", "enter", "2")
	h.wants("memory", "fact only")
	h.press("esc")
	box := h.m.focus().(*knowledge.SearchBox)
	if box.Where != "memory" || box.Kind != kb.Kinds[0] || box.Text != "pane" || !box.Typing() {
		t.Errorf("%+v", box.SearchState)
	}
	h.press("x", "backspace", "tab", "ctrl+t", "down", "enter", "ctrl+t")
	if box.Kind != kb.Kinds[1] || box.Typing() {
		t.Errorf("%+v", box.SearchState)
	}
}

// TestSearchBrowseOrder: what is listed without a question can begin with what was asked for last.
func TestSearchBrowseOrder(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		fillCapsules(h)
		must(h.openKB().Retrieve(context.Background(), capsuleTmux))
	})
	var out syncBuffer
	h.m.app.Out = &out
	h.press("K")
	if hit := h.m.focus().(*knowledge.SearchBox).Hit(); hit.ID == capsuleTmux {
		t.Error("it is the newest, and the test says nothing")
	}
	h.press("tab", "t", "g")
	h.wants("3 capsules, the last asked for first")
	if hit := h.m.focus().(*knowledge.SearchBox).Hit(); hit.ID != capsuleTmux {
		t.Errorf("the first is %s", hit.ID)
	}
	h.press("Y")
	if text := ansi.SetSystemClipboard(tmuxBody); !strings.Contains(strings.TrimSpace(out.String()), text[:100]) {
		t.Errorf("the terminal was told %q", out.String())
	}
}
