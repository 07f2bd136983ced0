package kb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/kb/secret"
)

// Files that somebody made to do harm: sidecars, documents, imports.

// allocated is how many bytes fn allocates. It does not depend on how busy the machine is, and what copies its input again and again shows in it.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// checkGrowth fails if twice the input costs more than three times as much: what grows with the square costs four times as much. Of three measurements the least counts, as others may allocate
// meanwhile; with the race detector, which throws pooled memory away at random, none does.
func checkGrowth(t *testing.T, what string, n int, fn func(n int)) {
	t.Helper()
	once, twice := ^uint64(0), ^uint64(0)
	for range 3 {
		once, twice = min(once, allocated(func() { fn(n) })), min(twice, allocated(func() { fn(2 * n) }))
	}
	if twice > 3*once && !raceEnabled {
		t.Errorf("%s: %d of them allocate %d bytes, and twice as many %d", what, n, once, twice)
	}
}

// yamlBombs are front matter that is small and stands for something huge, or has no end.
func yamlBombs() map[string]string {
	laughs := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		laughs += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	return map[string]string{
		"aliases of aliases": laughs,
		"aliases for tags":   laughs + "tags: *j\n",
		"an alias of itself": "a: &a [*a]\n",
		"merged again":       "a: &a {x: 1}\nb: {<<: [" + strings.TrimSuffix(strings.Repeat("*a,", 20_000), ",") + "]}\n",
		"lists in lists":     "x: " + strings.Repeat("[", 60_000) + strings.Repeat("]", 60_000) + "\n",
		"maps in maps":       "x: " + strings.Repeat("{a: ", 20_000) + "1" + strings.Repeat("}", 20_000) + "\n",
		"items in items":     "x:\n" + strings.Repeat("- ", 50_000) + "a\n",
		"keys of keys":       "x:\n" + strings.Repeat("? ", 50_000) + "a\n",
		"too long":           "x: " + strings.Repeat("a ", maxFrontMatter/2) + "\n",
	}
}

// TestYAMLBombs: such front matter is refused in one line, by a sidecar and by an import, at a cost that its size explains.
func TestYAMLBombs(t *testing.T) {
	const head = "id: k000000000\ntitle: t\nkind: fact\nscope: universal\ncreated: 2026-01-01T00:00:00Z\nupdated: 2026-01-01T00:00:00Z\n"
	for name, meta := range yamlBombs() {
		const most = 32 << 20
		var err error
		if got := allocated(func() { _, _, err = decodeSidecar("k000000000", []byte("---\n"+head+meta+"---\n\nbody\n")) }); got > most {
			t.Errorf("%s: the sidecar took %d MiB", name, got>>20)
		}
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the sidecar: %v", name, err)
		}
		dir := importFiles(t, map[string]string{"a.md": "---\n" + meta + "---\n\nbody\n"})
		var set *ImportSet
		if got := allocated(func() { set, err = ReadImport(t.Context(), dir, formatMarkdown) }); got > most {
			t.Errorf("%s: the import took %d MiB", name, got>>20)
		}
		if err != nil || len(set.Items) != 0 || len(set.Refused) != 1 || strings.Contains(set.Refused[0].Why, "\n") {
			t.Errorf("%s: the import: %+v, %v", name, set, err)
		}
	}
}

// TestSidecarsAreFiles: a link, a folder or a pipe in the place of a sidecar is not read, whatever it leads to, and the capsule stays as it was.
func TestSidecarsAreFiles(t *testing.T) {
	home := t.TempDir()
	k := openKB(t, home, Options{})
	c := put(t, k, Capsule{Title: "a title", Body: "the body"})
	outside := filepath.Join(t.TempDir(), "outside.md")
	data, err := os.ReadFile(k.sidecarPath(c.ID))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(outside, []byte(strings.Replace(string(data), "the body", "of somebody else", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	planted := k.sidecarPath("k000000000")
	for _, path := range []string{k.sidecarPath(c.ID), planted} {
		os.Remove(path)
		if err := os.Symlink(outside, path); err != nil {
			t.Skip(err)
		}
	}
	if _, err := k.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	says(t, k, c.ID, "the body")
	if _, err := k.Get(t.Context(), "k000000000"); !errors.Is(err, fault.NotFound) {
		t.Errorf("the link became a capsule: %v", err)
	}
	if now, err := os.ReadFile(outside); err != nil || !strings.Contains(string(now), "of somebody else") {
		t.Errorf("what the link leads to is %q, %v", now, err)
	}
	if _, err := k.Edit(t.Context(), c.ID, func(c *Capsule) error { c.Body = "edited"; return nil }, EditOptions{}); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(outside); err != nil || strings.Contains(string(now), "edited") {
		t.Errorf("the edit went through the link: %q, %v", now, err)
	}
}

// TestFoldersOfLinks: a folder that somebody else made takes in no file from outside of it by a link. What lies in it may be linked, and who names a link means it.
func TestFoldersOfLinks(t *testing.T) {
	private := filepath.Join(t.TempDir(), "private.md")
	if err := os.WriteFile(private, []byte("# Private\n\nwhat is nobody's business"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := importFiles(t, map[string]string{"good.md": "# Good\n\nthe text", "docs/x.txt": "x"})
	for name, to := range map[string]string{"out.md": private, "docs/up.md": "../../" + filepath.Base(filepath.Dir(private)) + "/private.md", "in.md": "good.md"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	k := openKB(t, t.TempDir(), Options{})
	r, err := k.Ingest(t.Context(), []string{dir}, IngestOptions{Scope: "universal"})
	if err != nil || r.Capsules != 1 || len(r.Refused) != 2 || !strings.Contains(fmt.Sprint(r.Refused), "outside of the folder") {
		t.Errorf("ingest: %+v, %v", r, err)
	}
	set := importSet(t, dir, formatMarkdown)
	if len(set.Items) != 2 || len(set.Refused) != 2 || !strings.Contains(fmt.Sprint(set.Refused), "outside of the folder") {
		t.Errorf("import: %+v", set)
	}
	t.Chdir(filepath.Dir(dir)) // a link within the folder is one, also if the folder is named from here and the link from the root
	if err := os.Symlink(filepath.Join(dir, "good.md"), filepath.Join(dir, "whole.md")); err != nil {
		t.Fatal(err)
	}
	if set := importSet(t, filepath.Base(dir), formatMarkdown); len(set.Items) != 3 || len(set.Refused) != 2 {
		t.Errorf("import of a relative folder: %+v", set)
	}
	for _, it := range set.Items {
		if strings.Contains(it.Capsule.Body, "business") {
			t.Errorf("%s was taken in", it.From)
		}
	}
	if r, err := k.Ingest(t.Context(), []string{filepath.Join(dir, "out.md")}, IngestOptions{Scope: "universal"}); err != nil || r.Capsules != 1 {
		t.Errorf("a link that is named: %+v, %v", r, err)
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
		if checkID(id) == nil {
			t.Errorf("%q is an id", id)
		}
	}
}

// TestLongLinesGrow: what looks for secrets, sections and front matter costs as much as there is text, also where all of it is one line.
func TestLongLinesGrow(t *testing.T) {
	if raceEnabled {
		t.Skip("what is measured says nothing with the race detector")
	}
	for _, unit := range []string{"a ", "# ", "key=", "token: ", `api_key = "`, "-----BEGIN RSA PRIVATE KEY-----\n", "https://a:b@", "AKIA", "eyJ", "ey-", "ZXlK+", "a=", "secret", "```\n", "\n---\n", "<!--", "- ["} {
		checkGrowth(t, "secrets in "+unit, 1<<12, func(n int) { secret.Mask(strings.Repeat(unit, n)) })
		checkGrowth(t, "a document of "+unit, 1<<12, func(n int) { chunks("a.md", "x\n"+strings.Repeat(unit, n)) })
		checkGrowth(t, "front matter of "+unit, 1<<12, func(n int) { splitFrontMatter("---\n" + strings.Repeat(unit, n)) })
	}
}

// TestDeepRecords: values without end in a line of an import are a refusal of that line.
func TestDeepRecords(t *testing.T) {
	deep := strings.Repeat("[", 200_000)
	dir := importFiles(t, map[string]string{
		"ours.jsonl": jsonlHeader + "\n" + `{"capsule":` + deep + "\n",
		"mcp.jsonl":  `{"type":"entity","name":"a","entityType":"b","observations":["c"]}` + "\n" + `{"type":"entity","name":` + deep + "\n",
	})
	for name, items := range map[string]int{"ours.jsonl": 0, "mcp.jsonl": 1} {
		set := importSet(t, filepath.Join(dir, name), "auto")
		if len(set.Refused) != 1 || len(set.Items) != items {
			t.Errorf("%s: %d items, refused %.300v", name, len(set.Items), set.Refused)
		}
	}
}
