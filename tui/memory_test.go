package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"blackboard/board/fault"
	"blackboard/kb/memory"
	"blackboard/testdata/cost"
	"blackboard/tui/items"
	"blackboard/tui/page"
)

// asAuthor gives the program the memory as it gives it a person: the author's hands, whosever
// eyes.
func asAuthor(h *harness) {
	h.cfg.Memory = func(_ context.Context, agent string) (*memory.Store, error) {
		return memory.Open(h.home, memory.Options{Workspace: h.cfg.Workspace, Agent: agent, Author: true, Actor: "ada", Now: h.now})
	}
}

// authors is the memory behind the program's back.
func (h *harness) authors(agent string) *memory.Store {
	h.t.Helper()
	s := must(h.cfg.Memory(context.Background(), agent))
	h.t.Cleanup(func() { s.Close() })
	return s
}

// fillMemory brings in a memory with something of every kind.
func fillMemory(h *harness) {
	h.t.Helper()
	asAuthor(h)
	doc := must(os.Open(filepath.Join("testdata", "memory.json")))
	defer doc.Close()
	if done := must(h.authors("").Import(context.Background(), doc, memory.ImportOptions{})); len(done.Refused) > 0 {
		h.t.Fatalf("refused: %+v", done.Refused)
	}
}

// openFilledMemory shows a memory with something of every kind.
func openFilledMemory(t *testing.T) *harness {
	h := newHarness(t, fillMemory)
	h.press("M")
	return h
}

// asResearcher looks through an agent's eyes.
func (h *harness) asResearcher() {
	h.t.Helper()
	h.press("A")
	h.typeText("researcher")
	h.press("enter")
	h.wants("seen as researcher")
}

// toSection goes to a tab.
func (h *harness) toSection(s items.Section) {
	h.t.Helper()
	for range items.Sections {
		if h.m.top().(*items.Page).Section() == s {
			return
		}
		h.press("right")
	}
	h.t.Fatalf("there is no way to %s", s)
}

func TestMemoryTabs(t *testing.T) {
	h := openFilledMemory(t)
	h.goldens("memory-workspace")
	h.lacks("guessed")
	h.asResearcher()
	h.wants("guessed", "private")
	h.goldens("memory-agent")
	for _, tab := range []struct {
		section items.Section
		name    string
	}{{items.SectionConversation, "conversation"}, {items.SectionChannel, "channel"}, {items.SectionAccount, "account"}, {items.SectionNamed, "named"}, {items.SectionJournal, "journal"}, {items.SectionCore, "core"},
		{items.SectionConversations, "conversations"}} {
		h.toSection(tab.section)
		h.goldens("memory-" + tab.name)
	}
	h.size(80, 24)
	h.press("4")
	h.wants("▸account", "Answers in German")
	h.press("enter")
	h.wants("All about it") // what is chosen already is opened
	h.press("esc")
	h.press("5")
	h.wants("▸named 3", "VOICE", "SOUL", "nothing is written yet", "1 of 3")
	h.press("8")
	h.wants("▸all conversations 2", "4Zk8Qp1mXaB", "[Working Note ×1]")
	h.press("tab")
	h.wants("▸search")
	h.press("tab")
	h.wants("▸in conversations 2")
	h.press("esc", "M") // the agent is remembered
	h.wants("seen as researcher")
}

func TestMemoryDetails(t *testing.T) {
	h := openFilledMemory(t)
	h.press("/")
	h.typeText("chunk fees")
	h.press("enter", "enter")
	h.size(160, 50)
	h.wants("Fees are per chunk", "revision      2")
	h.goldens("memory-item")
	h.size(80, 24)
	h.press("enter") // what it was derived from
	h.wants("The price list is in docs/prices.md.")
	h.press("esc", "esc", "esc")
	h.asResearcher()
	h.press("8", "enter")
	h.size(160, 50)
	h.wants("[Working Note] plan", `"step": 3`, "Section 3 was read twice")
	h.lacks("budget")
	h.goldens("memory-talk")
	h.size(80, 24)
	h.press("e")
	h.wants("read-only here")
	h.press("esc", "5", "enter")
	h.wants("How we write", "say the next step")
	h.goldens("memory-voice")
	h.press("esc")
	h.toSection(items.SectionJournal)
	h.press("j", "enter")
	h.wants("[expired]", "no more: a journal's entry does for seven days")
	h.press("esc", "left", "left", "left", "left")
}

func TestMemoryFilters(t *testing.T) {
	h := openFilledMemory(t)
	h.press("f")
	h.wants("forgotten: asked", "forgotten too", "1 of 6")
	h.press("/")
	for text, want := range map[string]string{"curator:agent": "of 4", "cur:author": "filters hide all", "curator:author": "Staging is read-only",
		"curator:imp": "A line with an escape", "source:researcher": "1 of 1", `source:"nobody knows"`: "The filters hide all of this"} {
		h.press("ctrl+u")
		h.typeText(text)
		h.wants(want)
	}
	h.press("esc")
	h.wants("of 6")
	h.press("f")
	h.press("/")
	h.typeText("資料")
	h.wants("1 of 1")
	h.goldens("memory-filter")
	h.size(80, 24)
	h.typeText(" absent")
	h.wants("The filters hide all of this")
	h.press("esc")
	h.wants("of 5")

	h.toSection(items.SectionChannel)
	h.wants("Releases", "The audit asks")
	h.press("/")
	h.typeText("in:audit")
	h.press("enter")
	h.wants("/ in:audit", "The audit asks")
	h.lacks("Releases")
	h.press("esc")
	h.toSection(items.SectionConversation)
	h.press("/")
	h.typeText("in:7bQ2Lw9dRtE")
	h.wants("The filters hide all of this")
}

// TestMemoryNarrow: on the smallest screen what tells a stranger how to go on is there to its end.
func TestMemoryNarrow(t *testing.T) {
	h := openFilledMemory(t)
	h.size(60, 18)
	h.press("8", "enter", "G")
	h.wants("Each agent has its own: A in the list chooses whose.")
	h.press("esc")
	h.asResearcher()
	h.toSection(items.SectionWorkspace)
	h.press("f")
	h.wants("seen as researcher", "forgotten too")
}

// TestMemoryBeside shows what the chosen row says as soon as there is room, and goes along with
// the cursor.
func TestMemoryBeside(t *testing.T) {
	h := openFilledMemory(t)
	h.lacks("All about it")
	h.size(120, 24)
	h.wants("All about it", "m000000002 ·")
	h.press("j")
	h.wants("m000000001 ·", "between 02:00")
	h.press("k")
	must(h.authors("").Forget(context.Background(), "m000000002", "", ""))
	h.press("ctrl+r")
	h.lacks("Fees are per chunk")
	h.press("enter")
	h.wants("m000000001")
	if it := must(h.authors("").Peek(context.Background(), "m000000001")); it.Accesses != 4 {
		t.Errorf("a person looked at it, and it has %d accesses instead of 4", it.Accesses)
	}
}

func TestMemoryAnotherAgent(t *testing.T) {
	h := openFilledMemory(t)
	h.press("A")
	h.wants("researcher", "5 things of its own", "ada", "nothing of its own")
	h.goldens("memory-agents")
	h.size(80, 24)
	h.typeText("stranger")
	h.press("enter")
	h.wants("seen as stranger")
	h.toSection(items.SectionJournal)
	h.wants("This journal is empty")
}

func TestMemoryWithout(t *testing.T) {
	h := newHarness(t, func(h *harness) { h.cfg.Workspace = ""; asAuthor(h) })
	h.press("M")
	h.wants("▸account", "No items yet")
	h.press("left")
	h.wants("no workspace here", "--workspace")
	h.goldens("memory-no-workspace")

	h.cfg.Memory = nil
	h.start()
	h.press("M")
	h.wants("there is no memory here")

	h.cfg.Memory = func(context.Context, string) (*memory.Store, error) {
		return nil, fault.Invalid.New("the file is torn", "mend it")
	}
	h.start()
	h.press("M")
	h.wants("the file is torn · mend it")

	h = newHarness(t, asAuthor)
	h.press("M")
	h.wants("No items yet")
	h.goldens("memory-empty")
	h.press("5")
	h.wants("VOICE", "SOUL", "nothing is written yet")
	h.toSection(items.SectionJournal)
	h.wants("Nobody's journal", "A chooses the agent")
}

// TestMemoryLongList walks through a long list, and finds one by a word.
func TestMemoryLongList(t *testing.T) {
	cost.SkipUnlessLong(t)
	const n = 450
	h := newHarness(t, func(h *harness) {
		asAuthor(h)
		s := h.authors("")
		for i := range n {
			must(s.Put(context.Background(), memory.Item{Tier: memory.Workspace, Content: fmt.Sprintf("thing number-%03d", i), Importance: .5}, memory.PutOptions{}))
		}
	})
	h.press("M")
	p := h.m.top().(*items.Page)
	h.wants("1 of 450")
	h.press("G")
	h.wants("450 of 450")
	ids := map[string]bool{}
	for range n {
		ids[p.Chosen().ID] = true
		h.press("up")
	}
	if len(ids) != n {
		t.Errorf("%d different rows", len(ids))
	}
	h.press("/")
	h.typeText("number-000")
	h.wants("1 of 1 ")
}

// TestMemoryKeys sees that in no state of the memory a key means two things.
func TestMemoryKeys(t *testing.T) {
	cost.SkipUnlessLong(t)
	for _, pressed := range [][]string{{}, {"N"}, {"C"}, {"enter"}, {"N", "enter"}, {"C", "enter"}, {"left"}, {"left", "left"}, {"a"}} {
		h := openFilledMemory(t)
		h.press(pressed...)
		all := h.m.focus().Actions().Bindings()
		if len(h.m.overs) == 0 {
			all = append(all, page.GlobalKeys()...)
		}
		meaning := map[string]string{}
		for _, b := range all {
			for _, k := range b.Keys() {
				if other, taken := meaning[k]; taken && other != b.Help().Desc {
					t.Errorf("after %q: %s is %q and %q", pressed, k, other, b.Help().Desc)
				}
				meaning[k] = b.Help().Desc
			}
		}
	}
}

// TestMemoryHostile shows what would take a terminal over, and sees that it does not reach it.
func TestMemoryHostile(t *testing.T) {
	cost.SkipUnlessLong(t)
	const evil = "\x1b[2J\x1b]0;owned\x07 \u202eevil\u2066 \u009b31m"
	h := newHarness(t, func(h *harness) {
		asAuthor(h)
		ctx, s := context.Background(), h.authors("researcher")
		talk, _, err := s.StartConversation(ctx, "", evil)
		ref := must(talk, err).Ref
		must(s.WriteScratch(ctx, ref, "plan", []byte(`"\u202e`+"\u202e"+`"`), false))
		for _, tier := range memory.Tiers {
			it := memory.Item{Tier: tier, Conversation: ref, Title: "t" + evil, Content: "c\n" + evil, Source: evil, Tags: []string{evil}, DerivedFrom: evil, Importance: .5}
			st := must(s.Put(ctx, it, memory.PutOptions{}))
			must(s.Update(ctx, st.Item.ID, memory.UpdateOptions{Why: evil}, func(it *memory.Item) error { it.Content += evil; return nil }))
		}
		must(s.EditNamed(ctx, "VOICE", "", "# v\n"+evil, -1))
		must(s.SaveNote(ctx, memory.Journal, "", "n\n"+evil, false))
	})
	look := func() {
		t.Helper()
		for _, r := range strings.ReplaceAll(h.m.View(), "\x1b[0m", "") {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Fatalf("%U is on the screen:\n%q", r, h.screen())
			}
		}
	}
	h.press("M")
	h.asResearcher()
	for s := range items.Sections {
		h.toSection(s)
		for _, size := range [][2]int{{80, 24}, {160, 50}} {
			h.size(size[0], size[1])
			look()
			for _, keys := range [][]string{{"enter"}, {"esc"}, {"e"}, {"esc"}, {"d"}, {"esc"}, {"s"}, {"esc"}} {
				h.press(keys...)
				look()
				if len(h.m.pages) == 1 { // esc has left the memory
					h.press("M")
					h.asResearcher()
					h.toSection(s)
				}
			}
		}
	}
}

// A filter looks at texts and tags, says which other tab has what it looks for, and what was
// chosen stays chosen without it.
func TestMemoryFilterLooksAtTexts(t *testing.T) {
	cost.SkipUnlessLong(t)
	h := openFilledMemory(t)
	for text, found := range map[string]bool{"m000000001": false, "researcher": false, "read-only": true, "fees": true} {
		h.press("/")
		h.typeText(text)
		if got := h.m.top().(*items.Page).Chosen().ID != ""; got != found {
			t.Errorf("%q is found: %v\n%s", text, got, h.screen())
		}
		h.press("esc")
	}
	h.press("/")
	h.typeText("audit asks")
	h.wants("The filters hide all of this")
	h.press("esc", "G")
	chosen := h.m.top().(*items.Page).Chosen()
	h.press("g", "/")
	h.typeText("fees")
	h.press("enter", "esc")
	h.wants("1 of 5")
	h.press("G", "f", "esc")
	if got := h.m.top().(*items.Page).Chosen(); got != chosen {
		t.Errorf("%s is chosen instead of %s", got.ID, chosen.ID)
	}
}
