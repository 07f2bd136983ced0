package tui

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"blackboard/kb/memory"
	"blackboard/testdata/expect"
	"blackboard/tui/items"
)

// TestMemoryChange changes an item, takes the change back, and forgets it.
func TestMemoryChange(t *testing.T) {
	h := openFilledMemory(t)
	s := h.authors("")
	it := must(s.Peek(context.Background(), "m000000001"))
	h.toItem(it.ID)
	h.editsTo("e", "It was typed here. Twice.")
	h.wants("is at revision 2")
	if now := must(s.Peek(context.Background(), it.ID)); now.Content != "It was typed here. Twice." || now.Importance != it.Importance || now.Title != it.Title {
		t.Errorf("%+v", now)
	}
	h.press("u", "enter")
	h.wants("says again what it said")
	if now := must(s.Peek(context.Background(), it.ID)); now.Content != it.Content || now.Importance != it.Importance || now.Revision != 3 {
		t.Errorf("%+v", now)
	}
	h.press("d")
	h.wants("Forget "+it.ID+" (workspace, curator author)", "u brings it back", "“")
	h.typeText("no use")
	h.press("enter")
	h.wants("m000000001 is forgotten")
	if now := must(s.Peek(context.Background(), it.ID)); now.Forgotten == nil || now.Why != "no use" {
		t.Errorf("%+v", now)
	}
}

// TestMemoryForm shows the question whether to forget an item in all sizes.
func TestMemoryForm(t *testing.T) {
	h := openFilledMemory(t)
	h.press("/")
	h.typeText("staging")
	h.press("enter", "d")
	h.goldens("memory-forget")
}

// TestMemoryRace keeps what somebody else wrote meanwhile.
func TestMemoryRace(t *testing.T) {
	h := openFilledMemory(t)
	h.press("/")
	h.typeText("staging")
	h.press("enter")
	path, end := h.startEditor("e")
	must(0, os.WriteFile(path, []byte("Mine."), 0o600))
	s := h.authors("")
	must(s.Update(context.Background(), "m000000001", memory.UpdateOptions{}, func(it *memory.Item) error { it.Content = "Theirs."; return nil }))
	end(nil)
	h.wants("it has changed since", "edit it again")
	if it := must(s.Peek(context.Background(), "m000000001")); it.Content != "Theirs." {
		t.Errorf("%q", it.Content)
	}
}

func TestMemoryNamed(t *testing.T) {
	h := openFilledMemory(t)
	s := h.authors("")
	body := func(name, tier string) string { return must(s.GetNamed(context.Background(), name, tier)).Body }
	h.press("5")
	h.editsTo("e", body("VOICE", "")+" New.")
	h.wants("VOICE is at revision 3")
	h.press("u", "enter")
	h.wants("VOICE says again what it said")
	if strings.Contains(body("VOICE", ""), "New.") {
		t.Errorf("VOICE says %q", body("VOICE", ""))
	}
	h.press("G")
	h.editsTo("e", "Kind.")
	h.press("u")
	h.wants("SOUL had no text before: e changes it")
	h.press("d")
	h.wants("SOUL can be taken away in a shell alone")
}

func TestMemoryNotes(t *testing.T) {
	h := openFilledMemory(t)
	h.asResearcher()
	h.toSection(items.SectionCore)
	h.press("e")
	h.wants("forget this one and write another")
	h.press("d")
	h.wants("Forget j000000003 (core of researcher)", "“")
	h.press("enter")
	h.wants("j000000003 is forgotten", "This agent has no core memories")
}

// toItem chooses an item in the list of the memory.
func (h *harness) toItem(id string) {
	h.t.Helper()
	h.press("g")
	for range 20 {
		if h.m.top().(*items.Page).Chosen().ID == id {
			return
		}
		h.press("down")
	}
	h.t.Fatalf("there is no %s:\n%s", id, h.screen())
}

// editsTo replaces a text in the editor.
func (h *harness) editsTo(key, text string) {
	h.t.Helper()
	path, end := h.startEditor(key)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	end(nil)
}

// TestMemoryEditor writes an item's content in an editor, well and in vain.
func TestMemoryEditor(t *testing.T) {
	h := openFilledMemory(t)
	h.press("e")
	h.wants("set $VISUAL or $EDITOR")
	h.toItem("m000000001")
	_, end := h.startEditor("e")
	end(errors.New("badly"))
	h.wants("the editor ended with an error, and nothing is changed")
	item := func() memory.Item { return must(h.authors("").Peek(context.Background(), "m000000001")) }
	h.editsTo("e", item().Content+"\n")
	h.wants("m000000001 is as it was")
	h.editsTo("e", "Written elsewhere.\n")
	h.wants("m000000001 is at revision 2")
	h.editsTo("e", " \n")
	h.wants("Edit m000000001", "It is not saved")
	h.press("esc")
	h.press("esc")
	if it := item(); it.Content != "Written elsewhere." {
		t.Errorf("%q", it.Content)
	}
}

// TestMemoryEditorTwice: two texts that are edited at the same time are each saved where they
// belong, though another agent is chosen meanwhile.
func TestMemoryEditorTwice(t *testing.T) {
	h := openFilledMemory(t)
	ctx, s := context.Background(), h.authors("")
	h.toItem("m000000001")
	first, endFirst := h.startEditor("e")
	h.toItem("m000000002")
	second, endSecond := h.startEditor("e")
	h.asResearcher()
	for path, text := range map[string]string{first: "The first.", second: "The second."} {
		expect.OK(t, os.WriteFile(path, []byte(text), 0o600))
	}
	endFirst(nil)
	endSecond(nil)
	for id, want := range map[string]string{"m000000001": "The first.", "m000000002": "The second."} {
		if it := must(s.Peek(ctx, id)); it.Content != want {
			t.Errorf("%s says %q", id, it.Content)
		}
	}
}

// TestMemoryUndoAs: what an agent's eyes had to be borrowed for is taken back through the same
// eyes.
func TestMemoryUndoAs(t *testing.T) {
	h := openFilledMemory(t)
	h.asResearcher()
	h.toSection(items.SectionCore)
	h.press("d", "enter")
	h.wants("is forgotten", "▸core 0")
	h.press("A")
	h.typeText("no agent")
	h.press("enter")
	h.wants("seen without an agent")
	h.press("u", "enter")
	h.wants("is remembered again")
	h.asResearcher()
	h.wants("▸core 1")
}
