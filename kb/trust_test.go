package kb

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/kb/markdown"
	"blackboard/kb/secret"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// Files that somebody made to do harm: sidecars, documents, imports.

// allocated is how many bytes fn allocates. It does not depend on how busy the machine is, and
// what copies its input again and again shows in it.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// checkGrowth fails if twice the input costs more than three times as much: what grows with the
// square costs four times as much. Of three measurements the least counts, as others may allocate
// meanwhile; with the race detector, which throws pooled memory away at random, none does.
func checkGrowth(t *testing.T, what string, n int, fn func(n int)) {
	t.Helper()
	once, twice := ^uint64(0), ^uint64(0)
	for range 3 {
		once, twice = min(once, allocated(func() { fn(n) })), min(twice, allocated(func() { fn(2 * n) }))
	}
	if twice > 3*once && !cost.Race {
		t.Errorf("%s: %d of them allocate %d bytes, and twice as many %d", what, n, once, twice)
	}
}

// TestSidecarsAreFiles: a link, a folder or a pipe in the place of a sidecar is not read, whatever
// it leads to, and the capsule stays as it was.
func TestSidecarsAreFiles(t *testing.T) {
	needsFile(t)
	home := t.TempDir()
	k := openKB(t, home, Options{})
	c := put(t, k, Capsule{Title: "a title", Body: "the body"})
	outside := filepath.Join(t.TempDir(), "outside.md")
	data := expect.Value(os.ReadFile(k.sidecarPath(c.ID)))(t)
	expect.OK(t, os.WriteFile(outside, []byte(strings.Replace(string(data), "the body", "of somebody else", 1)), 0o600))
	planted := k.sidecarPath("k000000000")
	for _, path := range []string{k.sidecarPath(c.ID), planted} {
		os.Remove(path)
		if err := os.Symlink(outside, path); err != nil {
			t.Skip(err)
		}
	}
	expect.Value(k.Sync(t.Context()))(t)
	says(t, k, c.ID, "the body")
	if _, err := k.Get(t.Context(), "k000000000"); !errors.Is(err, fault.NotFound) {
		t.Errorf("the link became a capsule: %v", err)
	}
	if now, err := os.ReadFile(outside); err != nil || !strings.Contains(string(now), "of somebody else") {
		t.Errorf("what the link leads to is %q, %v", now, err)
	}
	expect.Value(k.Edit(t.Context(), c.ID, func(c *Capsule) error { c.Body = "edited"; return nil }, EditOptions{}))(t)
	if now, err := os.ReadFile(outside); err != nil || strings.Contains(string(now), "edited") {
		t.Errorf("the edit went through the link: %q, %v", now, err)
	}
}

// TestIDsStayInTheirDirectory: nothing but an id names a capsule's file.
func TestIDsStayInTheirDirectory(t *testing.T) {
	k := openKB(t, t.TempDir(), Options{})
	put(t, k, Capsule{Title: "a title", Body: "the body"})
	for _, id := range []string{"", ".", "..", "../../x", "/etc/passwd", `..\x`, "k00000000\x00", "k00000000\n", "K000000000", "k0000000000", "k00000000/", "ｋ000000000", "k00000000\u200b", strings.Repeat("k", 10_000)} {
		_, err := k.Get(t.Context(), id)
		if !errors.Is(err, fault.Invalid) && !errors.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", id, err)
		}
		if CheckID(id) == nil {
			t.Errorf("%q is an id", id)
		}
	}
}

// TestLongLinesGrow: what looks for secrets, sections and front matter costs as much as there is
// text, also where all of it is one line.
func TestLongLinesGrow(t *testing.T) {
	cost.SkipUnlessLong(t)
	if cost.Race {
		t.Skip("what is measured says nothing with the race detector")
	}
	for _, unit := range []string{"a ", "# ", "key=", "token: ", `api_key = "`, "-----BEGIN RSA PRIVATE KEY-----\n", "https://a:b@", "AKIA", "eyJ", "ey-", "ZXlK+", "a=", "secret", "```\n", "\n---\n", "<!--", "- ["} {
		checkGrowth(t, "secrets in "+unit, 1<<12, func(n int) { secret.Mask(strings.Repeat(unit, n)) })
		checkGrowth(t, "a document of "+unit, 1<<12, func(n int) { markdown.Sections("a.md", "x\n"+strings.Repeat(unit, n)) })
		checkGrowth(t, "front matter of "+unit, 1<<12, func(n int) { markdown.Split("---\n" + strings.Repeat(unit, n)) })
	}
}
