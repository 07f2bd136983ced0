package importers

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blackboard/kb"
	"blackboard/kb/markdown"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// yamlBombs are front matter that is small and stands for something huge, or has no end.
func yamlBombs() map[string]string {
	laughs := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		laughs += fmt.Sprintf("%c: &%c [%s]\n", c, c,
			strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	return map[string]string{
		"aliases of aliases": laughs,
		"aliases for tags":   laughs + "tags: *j\n",
		"an alias of itself": "a: &a [*a]\n",
		"merged again": "a: &a {x: 1}\nb: {<<: [" +
			strings.TrimSuffix(strings.Repeat("*a,", 20_000), ",") + "]}\n",
		"lists in lists": "x: " + strings.Repeat("[", 60_000) +
			strings.Repeat("]", 60_000) + "\n",
		"maps in maps": "x: " + strings.Repeat("{a: ", 20_000) + "1" +
			strings.Repeat("}", 20_000) + "\n",
		"items in items": "x:\n" + strings.Repeat("- ", 50_000) + "a\n",
		"keys of keys":   "x:\n" + strings.Repeat("? ", 50_000) + "a\n",
		"too long":       "x: " + strings.Repeat("a ", markdown.MaxFront/2) + "\n",
	}
}

// TestYAMLBombs: such front matter is refused in one line, by a sidecar and by an
// import, at a cost that its size explains.
func TestYAMLBombs(t *testing.T) {
	cost.SkipUnlessLong(t)
	const head = "id: k000000000\ntitle: t\nkind: fact\nscope: universal\ncreated: 2026-01-01T00:00:00Z\nupdated: 2026-01-01T00:00:00Z\n"
	for name, meta := range yamlBombs() {
		const most = 32 << 20
		var err error
		if got := allocated(func() {
			_, _, err = kb.DecodeSidecar("k000000000",
				[]byte("---\n"+head+meta+"---\n\nbody\n"))
		}); got > most {
			t.Errorf("%s: the sidecar took %d MiB", name, got>>20)
		}
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the sidecar: %v", name, err)
		}
		dir := importFiles(t, map[string]string{"a.md": "---\n" + meta + "---\n\nbody\n"})
		var set *kb.ImportSet
		if got := allocated(func() {
			set, err = Read(t.Context(), dir,
				formatMarkdown)
		}); got > most {
			t.Errorf("%s: the import took %d MiB", name, got>>20)
		}
		if err != nil || len(set.Items) != 0 || len(set.Refused) != 1 ||
			strings.Contains(set.Refused[0].Why, "\n") {
			t.Errorf("%s: the import: %+v, %v", name, set, err)
		}
	}
}

// TestFoldersOfLinks: a folder that somebody else made takes in no file from outside of
// it by a link. What lies in it may be linked, and who names a link means it.
func TestFoldersOfLinks(t *testing.T) {
	private := filepath.Join(t.TempDir(), "private.md")
	expect.OK(t, os.WriteFile(private, []byte("# Private\n\nwhat is nobody's business"),
		0o600))
	dir := importFiles(t, map[string]string{"good.md": "# Good\n\nthe text", "docs/x.txt": "x"})
	for name, to := range map[string]string{"out.md": private, "docs/up.md": "../../" +
		filepath.Base(filepath.Dir(private)) + "/private.md", "in.md": "good.md"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	k := openKB(t)
	r, err := k.Ingest(t.Context(), []string{dir}, kb.IngestOptions{Scope: "universal"})
	if err != nil || r.Capsules != 1 || len(r.Refused) != 2 ||
		!strings.Contains(fmt.Sprint(r.Refused), "outside the folder") {
		t.Errorf("ingest: %+v, %v", r, err)
	}
	set := importSet(t, dir, formatMarkdown)
	if len(set.Items) != 2 || len(set.Refused) != 2 || !strings.Contains(fmt.Sprint(set.Refused),
		"outside the folder") {
		t.Errorf("import: %+v", set)
	}
	// a link within the folder is one, also if the folder is named from here and the
	// link from the root
	t.Chdir(filepath.Dir(dir))
	expect.OK(t, os.Symlink(filepath.Join(dir, "good.md"),
		filepath.Join(dir, "whole.md")))
	if set := importSet(t, filepath.Base(dir), formatMarkdown); len(set.Items) != 3 ||
		len(set.Refused) != 2 {
		t.Errorf("import of a relative folder: %+v", set)
	}
	for _, it := range set.Items {
		if strings.Contains(it.Capsule.Body, "business") {
			t.Errorf("%s was taken in", it.From)
		}
	}
	if r, err := k.Ingest(t.Context(), []string{filepath.Join(dir, "out.md")},
		kb.IngestOptions{Scope: "universal"}); err != nil || r.Capsules != 1 {
		t.Errorf("a link that is named: %+v, %v", r, err)
	}
}

// TestDeepRecords: values without end in a line of an import are a refusal of that line.
func TestDeepRecords(t *testing.T) {
	deep := strings.Repeat("[", 200_000)
	dir := importFiles(t, map[string]string{
		"ours.jsonl": jsonlHeader + "\n" + `{"capsule":` + deep + "\n",
	})
	set := importSet(t, filepath.Join(dir, "ours.jsonl"), "auto")
	if len(set.Refused) != 1 || len(set.Items) != 0 {
		t.Errorf("%d items, refused %.300v", len(set.Items), set.Refused)
	}
}

// openKB opens a new knowledge base.
func openKB(t *testing.T) *kb.KB {
	t.Helper()
	k := expect.Value(kb.Open(t.Context(), t.TempDir(), kb.Options{}))(t)
	t.Cleanup(func() { k.Close() })
	return k
}

// allocated is how many bytes fn allocates, which does not depend on how busy the
// machine is.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
