package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/runs"
)

// openJump is a run, with another beside it, a capsule, and things in the memory.
func openJump(t *testing.T) *harness {
	t.Helper()
	return newHarness(t, func(h *harness) {
		fillAudit(h)
		must(h.openRun("release-notes").Signal(context.Background(), "writer", board.Raise{Content: "Which version is it?"}))
		k := h.openKB()
		must(k.Remember(context.Background(), kb.Capsule{Kind: "fact", Title: "The staging key is shared", Body: "It is."}, kb.RememberOptions{}))
		asAuthor(h)
		s := h.authors("")
		must(s.Put(context.Background(), memory.Item{Tier: memory.Workspace, Title: "Deploys are on Tuesdays", Content: "Never on Fridays."}, memory.PutOptions{}))
		must(s.EditNamed(context.Background(), "STACK", memory.Workspace, "Go and SQLite", 0))
		h.cfg.Run = "audit-7"
	})
}

// : goes to whatever is named, by its id, or by letters of its name.
func TestJump(t *testing.T) {
	h := openJump(t)
	h.press(":")
	h.goldens("jump")
	h.size(80, 24)
	h.press("esc")
	h.lacks("Go to")
	for _, c := range []struct {
		typed string
		want  string
	}{
		{"e3", "› e3"},
		{"s4", "› s4"},
		{"notes", "board runs › release-notes"},
		{"audit", "board runs › audit-7"},
		{"memory account", "Account, in all projects"},
		{"check", "› check"},
		{"runs", "release-notes"},
	} {
		h.press(":")
		h.typeText(c.typed)
		h.press("enter")
		h.wants(c.want)
		h.lacks("Go to")
		if len(h.m.overs) > 0 {
			t.Fatalf("%q: something lies over the page", c.typed)
		}
	}
}

// An id that there is not is said, and one leads to its place in the list as well.
func TestJumpToID(t *testing.T) {
	h := openJump(t)
	h.press("/")
	h.typeText("type:gap")
	h.press("enter", ":")
	h.typeText("E2")
	h.press("enter")
	h.wants("audit-7 › e2")
	h.press("esc")
	if p := h.m.top().(*runs.Page); p.Chosen() != "e2" {
		t.Errorf("%s is chosen", p.Chosen())
	}
	h.wants("of 6")
	h.press(":")
	h.typeText("e2335")
	h.press("enter")
	h.wants("audit-7 has no e2335")
	h.press(":")
	h.typeText("s1")
	h.press("enter", "esc")
	h.wants("s1", "closed ones too")
	h.press(":")
	h.typeText("no such thing")
	h.press("enter") // then it is words of entries
	h.wants("/ no such thing", "no entry matches")
}

// A key leads to what it does.
func TestJumpDoes(t *testing.T) {
	h := openJump(t)
	h.press(":")
	h.typeText("raise a question")
	h.press("enter")
	h.wants("Raise a question, as ada")
	h.press("esc", "2", "?")
	h.typeText("waiv")
	h.goldens("help-found")
	h.press("enter")
	h.wants("Waive s2")
	h.press("esc", "?")
	h.typeText("xqz")
	h.wants("no match")
	h.press("enter", "esc")
	h.wants("Questions, what blocks first")
}

// The keys of the way through time are found by plain words.
func TestTimelineExplained(t *testing.T) {
	h := openJump(t)
	for words, want := range map[string]string{
		"back in time": "one event back in time", "jump back": "jump back, a twentieth", "live": "live: back to now",
	} {
		h.press(":")
		h.typeText(words)
		h.wants(want)
		h.press("esc")
	}
}

// A key that does nothing says so.
func TestNoSuchKey(t *testing.T) {
	h := openJump(t)
	h.press("J")
	h.wants("J does nothing here · ? keys")
	h.press("esc", "s")
	h.wants("s does nothing here · ? keys")
	h.press("j")
	h.lacks("does nothing here")
}

// A moment is gone to, and compared with now, by its name; a command on the run says what it says.
func TestJumpMoments(t *testing.T) {
	h := openAudit(t)
	h.m.app.Command = func(_ context.Context, run string, args ...string) (string, error) {
		if args[0] == "export" && args[1] == "--output" {
			return "", errors.New("no room for " + args[2])
		}
		return strings.Join(args, " ") + " of " + run + "\x1b[31m", nil
	}
	h.press(":")
	h.typeText("30m")
	h.wants("the run as it was at 2026-01-02 14:34Z", "what has changed since")
	h.press("enter")
	h.wants("What has changed", "from event")
	h.press("esc", ":")
	h.typeText("14:34")
	h.press("enter")
	h.wants("back event", "L live")
	h.press("L", ":")
	h.typeText("gate")
	h.press("enter")
	h.wants("board gate", "gate of audit-7")
	h.press("esc", ":")
	h.typeText("export")
	h.press("enter", "enter")
	h.wants("no room for audit-7.md")
}
