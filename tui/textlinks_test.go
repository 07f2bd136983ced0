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
)

// TestMentions: what a text names, and nothing that only looks like it.
func TestMentions(t *testing.T) {
	for text, want := range map[string]string{
		"See entry:e21, s3 and (e4).":                                  "e21 s3 e4",
		"kb:ktmx000001 says memory:m000000001":                         "ktmx000001 m000000001",
		"tui/keys/keys.go:42 and main.go, or doc.go#L7-9":              "tui/keys/keys.go@42 main.go@ doc.go@7",
		"at https://example.org/a_(b)?x=1, or <http://x.test/>.":       "https://example.org/a_(b)?x=1, http://x.test/",
		"`e12` [s9] **e7** e12x xe12 E5 e0 s03":                        "e12 s9 e7",
		"docs/日本語.md:3":                                                "docs/日本語.md@3",
		"../../etc/passwd.d:1 ~/x.txt":                                 "../../etc/passwd.d@1 ~/x.txt@",
		"no id in a word such as membership or kettledrum but seldom":  "",
		"nothing 3.1 1.2.3 §4 12:30":                                   "",
		"1 of 2 at 10 ms; (https://example.org/x). https://e.test/?q=": "https://example.org/x). https://e.test/?q=",
	} {
		var got []string
		for _, m := range mention.FindAllStringSubmatch(text, -1) {
			switch {
			case m[1] != "":
				got = append(got, m[1])
			case m[2] != "":
				got = append(got, m[2]+"@"+m[3])
			case capsuleID.MatchString(m[4]) || itemID.MatchString(m[4]) || entryOrSignalID.MatchString(m[4]):
				got = append(got, m[4])
			}
		}
		if s := strings.Join(got, " "); s != want && want != "" || want == "" && strings.ContainsAny(s, "@:") {
			t.Errorf("%q names %q, not %q", text, s, want)
		}
	}
	a := plainApp()
	for url, want := range map[string]string{"https://x.test/a).": "https://x.test/a", "https://x.test/a_(b)": "https://x.test/a_(b)", "https://x.test/**,": "https://x.test/"} {
		if got := a.urlLink(url).name; got != want {
			t.Errorf("%q is %q", url, got)
		}
	}
}

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
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x\n"), 0o600)); err != nil {
				t.Fatal(err)
			}
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

// TestTextLinkURL: a URL goes to the browser, and to the clipboard where there is none.
func TestTextLinkURL(t *testing.T) {
	h, _ := openLinked(t)
	var out syncBuffer
	h.m.app.out = &out
	h.press("j", "o")
	h.wants("https://example.org/y copied")
	if !strings.Contains(out.String(), ansi.SetSystemClipboard("https://example.org/y")) {
		t.Errorf("the terminal was told %q", out.String())
	}
	var urls []string
	h.m.app.Browser = func(url string) *exec.Cmd { urls = append(urls, url); return exec.Command("true") }
	h.press("o")
	h.wants("https://example.org/y is given to the browser")
	if !slices.Equal(urls, []string{"https://example.org/y"}) {
		t.Errorf("%q", urls)
	}
	h.m.app.Browser = func(string) *exec.Cmd { return exec.Command(filepath.Join(t.TempDir(), "none")) }
	h.press("o")
	h.wants("the browser cannot be started")
	h.press("j", "o", "y") // of several, the chosen one
	h.wants("auth.go:7 copied")
}

// TestCapsuleLinks: a capsule's source, and what its text names; entries are those of the run that it
// refers to.
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
