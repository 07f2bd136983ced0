package tui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/kb"
	"blackboard/testdata/expect"
	"blackboard/tui/items"
	"blackboard/tui/page"
)

// The capsules of these tests. Their ids are given, by their files, so that every screen is always
// the same.
const (
	capsuleTmux  = "ktmx000001"
	capsuleOld   = "ktmx000000"
	capsuleWide  = "kwde000001"
	capsulePlain = "kpane00001"
)

// tmuxBody is a text with all that markdown has.
const tmuxBody = "`tmux kill-server` ends **every** session of the user, not only the one of the test.\n\n" +
	"## What to do\n\n1. Give each test its own socket: `tmux -L test-$$`.\n2. Kill *that* server:\n   - at the end\n   - and when the test is interrupted\n\n" +
	"```sh\ntrap 'tmux -L \"$SOCKET\" kill-server' EXIT\n```\n\n> The pane of a neighbour is not yours.\n\n" +
	"| command | hits |\n|---|---|\n| kill-server | all panes |\n| kill-session | one |\n\nSee [the manual](https://man.example/tmux)."

// capsuleFile writes a capsule's file, which the knowledge base picks up when it is opened.
func (h *harness) capsuleFile(id, front, body string) {
	h.t.Helper()
	dir := kb.Sidecars(h.home)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		h.t.Fatal(err)
	}
	if !strings.Contains(front, "revision:") {
		front += "\nrevision: 1"
	}
	text := fmt.Sprintf("---\nid: %s\n%s\ncreated: 2025-12-24T10:00:00Z\nupdated: 2026-01-01T12:00:00Z\n---\n\n%s\n", id, front, body)
	if err := os.WriteFile(filepath.Join(dir, id+".md"), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func fillCapsules(h *harness) {
	h.capsuleFile(capsuleTmux, "title: tmux kill-server ends the sessions of all tests\nkind: gotcha\nscope: universal\ntags: [tests, tmux]\n"+
		"domain_tags: [terminal]\nsource: scripts/e2e.sh:41\n"+
		"confidence: 0.9\nverified_by: ada, twice\nsupersedes: ["+capsuleOld+"]\nrefs:\n  - run irys, e12\n  - "+capsuleWide, tmuxBody)
	h.capsuleFile(capsuleOld, "title: tmux must not be used in tests\nkind: principle\nscope: universal\nsuperseded_by: "+capsuleTmux, "Sessions of neighbours end.")
	h.capsuleFile(capsuleWide, "title: 端末の幅 👩‍👩‍👧 counts cells, not characters\nkind: fact\nscope: domain\ndomain_tags: [terminal]\nconfidence: 0.3",
		"日本語の文字は二つの桁を取る。A pane of 80 columns shows 40 of them.")
	h.capsuleFile(capsulePlain, "title: A pane is addressed by session, window and pane\nkind: recipe\nscope: project\nproject: panes", "session:window.pane, as in `work:1.2`; a pane that has no name has a number.")
	h.openKB() // makes the database
}

// openCapsule shows a capsule.
func (h *harness) openCapsule(id string) {
	h.t.Helper()
	h.send(page.PushMsg{Page: items.NewCapsule(h.m.app, id)})
}

func TestCapsuleScreens(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.openCapsule(capsuleTmux)
	h.goldens("capsule")
	h.press("d")
	h.goldens("capsule-retire")
	h.press("esc")
	h.openCapsule(capsuleWide)
	h.goldens("capsule-wide")
	h.openCapsule("kzzz000001")
	h.goldens("capsule-none")
}

func TestCapsuleWalk(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.openCapsule(capsuleTmux)
	h.press("enter") // the first place is chosen
	h.wants("tmux must not be used in tests", "superseded by")
	h.press("enter")
	h.wants("scripts/e2e.sh:41")
	h.press("tab", "enter")
	h.wants("端末の幅")
	h.press("esc")
	h.press("shift+tab", "enter")
	h.wants("Sessions of neighbours end.")
	h.press("esc", "esc", "esc", "esc")
	h.wants("Runs")
}

// TestCapsuleRetrieved sees that looking at a capsule counts as asking for it, once.
func TestCapsuleRetrieved(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.openCapsule(capsuleTmux)
	k := h.openKB()
	c := must(k.Get(context.Background(), capsuleTmux))
	if c.Retrieved == nil || !c.Retrieved.Equal(testNow) {
		t.Errorf("it was looked at, but was retrieved %v", c.Retrieved)
	}
	h.press("G")
	h.wants("last asked for never")
	h.press("ctrl+r")
	h.wants("last asked for 2026-01-02 15:04:05")
}

func TestCapsuleRetire(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.openCapsule(capsuleTmux)
	h.press("d")
	h.typeText("tmux is gone")
	h.press("enter")
	h.wants("retired", "tmux is gone", "✓ "+capsuleTmux+" is retired")
	h.press("K")
	h.typeText("pane")
	h.wants("of 4 capsules in all") // what the answer counts
	h.press("esc", "d")
	h.wants("is already retired · O brings it back")
	h.press("u")
	h.wants("Restore " + capsuleTmux + "?")
	h.press("enter")
	h.lacks("tmux is gone")
	k := h.openKB()
	if c := must(k.Get(context.Background(), capsuleTmux)); c.Retired != nil || c.Revision != 3 {
		t.Errorf("retired %v, revision %d", c.Retired, c.Revision)
	}
}

// edits makes the editor a script, which gets the file as $1.
func (h *harness) edits(script string) {
	h.t.Helper()
	path, end := h.startEditor("e")
	if out, err := exec.Command("sh", "-c", script, "sh", path).CombinedOutput(); err != nil {
		h.t.Fatalf("%v: %s", err, out)
	}
	os.Remove(path + ".bak")
	end(nil)
}

func TestCapsuleEdit(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.openCapsule(capsulePlain)
	h.edits(":")
	h.wants(capsulePlain + " is as it was")
	h.lacks("✓")
	h.edits(`sed -i.bak 's/has a number/has\ta name/' "$1"`)
	h.wants("✓ "+capsulePlain+" is at revision 2", "name.", "revision 2")
	h.press("u")
	h.wants("Undo the edit")
	h.press("enter")
	h.wants("has a number", "revision 3")
	_, end := h.startEditor("e")
	end(os.ErrPermission)
	h.wants("permission denied")
}

// TestCapsuleEditRefused sees that what was written is still there when it cannot be saved.
func TestCapsuleEditRefused(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.openCapsule(capsulePlain)
	h.edits(`printf 'no front matter,\tbut much work\n' > "$1"`)
	h.wants("not a valid capsule", "Edit "+capsulePlain)
	h.goldens("capsule-refused")
	path, end := h.startEditor("enter") // has it again
	if text := string(must(os.ReadFile(path))); text != "no front matter,\tbut much work\n" {
		t.Errorf("the editor has %q", text)
	}
	end(nil)
	h.wants("not a valid capsule")
	h.press("esc")
	h.wants("esc again throws away what was typed")
	h.press("esc")
	h.lacks("not a valid capsule")

	// Like another, and kept all the same; what a form does not show is kept too.
	h.edits(`sed -i.bak 's/^title:.*/title: tmux kill-server ends the sessions of all tests/; s/has a number/has\ta number/' "$1"`)
	h.wants("Edit "+capsulePlain, capsuleTmux)
	h.press("right", "enter")
	h.wants("is at revision 2")
	k := h.openKB()
	if c := must(k.Get(context.Background(), capsulePlain)); c.Title != "tmux kill-server ends the sessions of all tests" || !strings.Contains(c.Body, "has\ta number") {
		t.Errorf("it is %q: %q", c.Title, c.Body)
	}
}

// TestCapsuleEditMeanwhile sees that who edits what somebody else has just changed is told, and
// may save all the same.
func TestCapsuleEditMeanwhile(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.openCapsule(capsulePlain)
	path, end := h.startEditor("e")
	k := h.openKB()
	must(k.Edit(context.Background(), capsulePlain, func(c *kb.Capsule) error { c.Body = "theirs"; return nil }, kb.EditOptions{}))
	text := strings.Replace(string(must(os.ReadFile(path))), "has a number", "is mine", 1)
	expect.OK(t, os.WriteFile(path, []byte(text), 0o600))
	end(nil)
	h.wants("is at revision 2, not 1")
	h.press("right", "enter")
	h.wants("is at revision 3", "is mine")
}

// TestCapsuleUndoMeanwhile sees that an undo does not take back what somebody else has done since,
// by hand or not.
func TestCapsuleUndoMeanwhile(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.openCapsule(capsulePlain)
	h.edits(`sed -i.bak 's/has a number/has a name/' "$1"`)
	k, ctx := h.openKB(), context.Background()
	must(k.Edit(ctx, capsulePlain, func(c *kb.Capsule) error { c.Body = "theirs"; return nil }, kb.EditOptions{}))
	h.press("u", "enter")
	h.wants("was changed since, and is at revision 3, not 2")
	if c := must(k.Get(ctx, capsulePlain)); c.Body != "theirs" {
		t.Errorf("%q", c.Body)
	}
	h.press("esc", "d", "enter")
	h.wants("is retired")
	must(k.Edit(ctx, capsulePlain, func(c *kb.Capsule) error { c.Body = "theirs again"; return nil }, kb.EditOptions{}))
	h.press("u", "enter")
	h.wants("was changed since, and is at revision 5, not 4")
	if c := must(k.Get(ctx, capsulePlain)); c.Retired == nil {
		t.Error("the retired capsule stands again")
	}
}

// TestCapsuleRemade sees that the page finds a knowledge base that was removed and made anew.
func TestCapsuleRemade(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.openCapsule(capsulePlain)
	h.wants("A pane is addressed")
	expect.OK(t, os.RemoveAll(filepath.Dir(kb.Path(h.home))))
	h.capsuleFile(capsulePlain, "title: It was made anew\nkind: recipe\nscope: universal", "Anew.")
	h.openKB()
	h.press("ctrl+r")
	h.wants("It was made anew")
}

func TestCapsuleEditWithout(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.openCapsule(capsulePlain)
	h.press("e")
	h.wants("$EDITOR") // none is known to the harness
	h.m.app.Config.Knowledge = nil
	h.m.app.Close()
	h.press("e")
	h.wants("there is no knowledge base here")
	h.openCapsule(capsuleTmux)
	h.wants("there is no knowledge base here")
	h.press("e", "d", "enter", "down") // nothing to do it with
	h.lacks("Retire")
}

// TestCapsuleHostile sees that a capsule cannot do anything to the terminal.
func TestCapsuleHostile(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		h.capsuleFile("kbad000001", "title: \"a \\u202e b\"\nkind: fact\nscope: universal\nsource: \"x\\e[2Jy\"\ntags: [\"t\\e[31mt\"]\nrefs: [\"\\e]0;title\\a\"]",
			"red \x1b[31m bell \x07 title \x1b]0;x\x07 &#27;[2J end")
		h.openKB()
	})
	h.openCapsule("kbad000001")
	for _, w := range []int{60, 160} {
		h.size(w, 50)
		screen := h.m.View()
		if strings.ContainsAny(screen, "\x07\u202e") || strings.Contains(screen, "\x1b[31m") || strings.Contains(screen, "\x1b]") || strings.Contains(screen, "\x1b[2J") {
			t.Errorf("%q", screen)
		}
	}
	h.wants("bell", "end")
}
