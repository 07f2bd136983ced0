package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/testdata/expect"
)

// openLinked opens a run with entries that name all kinds of things.
func openLinked(t *testing.T) (h *harness, opened *[]string) {
	t.Helper()
	opened = new([]string)
	h = newHarness(t, func(h *harness) {
		fillCapsules(h)
		asAuthor(h)
		s := h.authors("")
		it := must(s.Put(context.Background(), memory.Item{Tier: memory.Workspace, Content: "The pager is in docs/pager.md:3, says e1.", Importance: .5}, memory.PutOptions{})).Item.ID
		for _, name := range []string{"auth.go", "docs/pager.md"} {
			path := filepath.Join(h.cfg.Files, name)
			expect.OK(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x\n"), 0o600)))
		}
		h.cfg.Editor = func(path string, line int) (*exec.Cmd, error) {
			*opened = append(*opened, fmt.Sprintf("%s:%d", filepath.ToSlash(strings.TrimPrefix(path, h.cfg.Files)), line))
			return nil, errors.New("no editor in tests")
		}
		b, ctx := h.openRun("links"), context.Background()
		must(b.Post(ctx, "w", board.Post{Content: "Tokens never expire", SourceDoc: "auth.go", SourceRef: "L42"}))
		must(b.Signal(ctx, "w", board.Raise{Content: "Is it as e1 says?"}))
		must(b.Post(ctx, "w", board.Post{SourceDoc: "auth.go:7", Content: "entry:e1 asks s1, " + capsulePlain + " and " + it +
			" know; see auth.go:42, docs/pager.md:3, gone.go:1, e99 and https://example.org/x."}))
		must(b.Post(ctx, "w", board.Post{Content: "only https://example.org/y here"}))
		must(b.Post(ctx, "w", board.Post{Content: "nothing"}))
		h.cfg.Run = "links"
	})
	return h, opened
}

// TestTextLinks: one key opens what a text names.
func TestTextLinks(t *testing.T) {
	h, opened := openLinked(t)
	h.press("o")
	h.wants("its text names nothing that is there")
	h.press("G", "o") // one: at once
	if want := []string{"/auth.go:42"}; !slices.Equal(*opened, want) {
		t.Errorf("opened %q", *opened)
	}
	h.press("k", "enter", "o")
	h.wants("Where to?", "auth.go:7", "e1", "Tokens never expire", "s1", capsulePlain, "auth.go:42", "docs/pager.md:3", "https://example.org/x")
	h.lacks("gone.go:1 in", "e99  ")
	h.press("enter")
	h.press("o", "down", "enter")
	h.wants("links › e2 › e1", "Tokens never expire")
	h.press("esc", "o", "down", "down", "enter")
	h.wants("Is it as e1 says?")
	h.press("o") // of a signal
	h.wants("links › e2 › s1 › e1")
	h.press("esc", "esc", "o", "down", "down", "down", "enter")
	h.wants("Capsule " + capsulePlain)
	h.press("esc", "o", "down", "down", "down", "down", "enter")
	h.wants("The pager is in docs/pager.md:3")
	h.press("o")
	if want := []string{"/auth.go:42", "/auth.go:7", "/docs/pager.md:3"}; !slices.Equal(*opened, want) {
		t.Errorf("opened %q", *opened)
	}
}

// TestTextLinkURL: a URL goes to the clipboard.
func TestTextLinkURL(t *testing.T) {
	h, _ := openLinked(t)
	var out syncBuffer
	h.m.app.Out = &out
	h.press("j", "o")
	h.wants("https://example.org/y copied")
	if !strings.Contains(out.String(), ansi.SetSystemClipboard("https://example.org/y")) {
		t.Errorf("the terminal was told %q", out.String())
	}
}

// TestCapsuleLinks: a capsule's source, and what its text names; entries are those of the run that
// it refers to.
func TestCapsuleLinks(t *testing.T) {
	h, opened := openLinked(t)
	h.capsuleFile("kref000001", "title: About links\nkind: fact\nscope: universal\nsource: docs/pager.md:2\nrefs: [\"run:links\", \"entry:e1\"]", "As e1 says in auth.go:9.")
	k := must(kb.Open(context.Background(), h.home, kb.Options{Actor: "ada", Now: h.now}))
	defer k.Close()
	h.openCapsule("kref000001")
	h.press("o")
	h.wants("docs/pager.md:2", "auth.go:9", "of the run links")
	h.goldens("links")
	h.size(80, 24)
	h.press("enter", "o", "down", "enter")
	h.wants("links", "Tokens never expire")
	if want := []string{"/docs/pager.md:2"}; !slices.Equal(*opened, want) {
		t.Errorf("opened %q", *opened)
	}
}
