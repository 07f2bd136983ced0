package importers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

func TestMain(m *testing.M) { os.Exit(cost.Main(m)) }

// importFiles writes files below a new folder and returns it. A name that ends in a
// slash is a folder.
func importFiles(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			expect.OK(tb, os.MkdirAll(path, 0o700))
			continue
		}
		expect.OK(tb, os.MkdirAll(filepath.Dir(path), 0o700))
		expect.OK(tb, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// importSet reads a source that must be readable, and checks what holds for all.
func importSet(tb testing.TB, path, format string) *kb.ImportSet {
	tb.Helper()
	set, err := Read(context.Background(), path, format)
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	importSound(tb, set)
	return set
}

func importSound(tb testing.TB, set *kb.ImportSet) {
	tb.Helper()
	if set.Items == nil || set.Refused == nil || set.Notes == nil {
		tb.Fatalf("a list is null: %+v", set)
	}
	for _, it := range set.Items {
		c := it.Capsule
		if err := c.Check(); err != nil {
			tb.Fatalf("%s: %v: %+v", it.From, err, c)
		}
		if it.From == "" || it.Notes == nil || c.Tags == nil || c.Refs == nil ||
			c.Kind == "" || c.Scope == "" {
			tb.Fatalf("not whole: %+v", it)
		}
	}
	for _, r := range set.Refused {
		if r.From == "" || r.Why == "" || strings.Contains(r.Why, "\n") {
			tb.Fatalf("refused without a reason, or in several lines: %+v", r)
		}
	}
}

// importOne returns the only item.
func importOne(tb testing.TB, set *kb.ImportSet) kb.Incoming {
	tb.Helper()
	if len(set.Items) != 1 || len(set.Refused) != 0 {
		tb.Fatalf("want one item, have %+v", set)
	}
	return set.Items[0]
}

// importRefused checks that a source has no item, and one refusal with these words.
func importRefused(tb testing.TB, set *kb.ImportSet, from string, words ...string) {
	tb.Helper()
	if len(set.Items) != 0 || len(set.Refused) != 1 {
		tb.Fatalf("want one refusal, have %+v", set)
	}
	if !strings.HasSuffix(set.Refused[0].From, from) {
		tb.Errorf("refused %q, want %q", set.Refused[0].From, from)
	}
	for _, w := range words {
		if !strings.Contains(set.Refused[0].Why, w) {
			tb.Errorf("refused because %q, want %q", set.Refused[0].Why, w)
		}
	}
}

func importFails(tb testing.TB, path, format string, kind error, words ...string) {
	tb.Helper()
	set, err := Read(context.Background(), path, format)
	if err == nil {
		tb.Fatalf("no error, but %+v", set)
	}
	var e *fault.Error
	if !errors.Is(err, kind) || !errors.As(err, &e) || len(e.Next) == 0 {
		tb.Fatalf("%v is not %v, or has no next step", err, kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error()+fmt.Sprint(e.Next), w) {
			tb.Errorf("the error is %q (%v), want %q", err, e.Next, w)
		}
	}
}

func noted(notes []string, words string) bool {
	return slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, words) })
}

const jsonlHeader = `{"v":1,"schema":"blackboard.capsules"}` + "\n"

func TestImportDetect(t *testing.T) {
	for name, tc := range map[string]struct {
		files map[string]string
		path  string
		want  string
	}{
		"export":          {map[string]string{"x.jsonl": jsonlHeader}, "x.jsonl", formatJSONL},
		"export with BOM": {map[string]string{"x": "\ufeff\r\n" + jsonlHeader}, "x", formatJSONL},
		"markdown file":   {map[string]string{"x.MD": "text"}, "x.MD", formatMarkdown},
		"folder": {map[string]string{"a/b/x.markdown": "text", "a/y.txt": "text"}, "",
			formatMarkdown},
		"chunks of a book": {map[string]string{"chunks/a.md": "---\ntitle: a\n---\nb"}, "",
			formatMarkdown},
		"claude memory":  {map[string]string{"MEMORY.md": "# x", "a.md": "b"}, "", formatClaude},
		"claude project": {map[string]string{"-a-b/memory/a.md": "b"}, "-a-b", formatClaude},
		"claude projects": {map[string]string{"-a-b/memory/a.md": "b", "-a-c/s.jsonl": "{}"}, "",
			formatClaude},
		"claude folder": {map[string]string{"-a-b/memory/a.md": "b"},
			"-a-b/memory", formatClaude},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(importFiles(t, tc.files), tc.path)
			if set := importSet(t, path, "auto"); set.Format != tc.want {
				t.Errorf("%s, want %s", set.Format, tc.want)
			}
		})
	}
}

func TestImportErrors(t *testing.T) {
	dir := importFiles(t, map[string]string{
		"empty": "", "text.txt": "hello", "other.json": `{"a":1}`,
		"list.json": `[{"type":"entity"}]`, "run.jsonl": `{"kind":"run","run":{}}`,
		"binary":        "\x00\x01\x02\xff",
		"nothing/x.txt": "y", "hidden/.git/x.md": "y",
		"newer.jsonl": `{"v":2,"schema":"blackboard.capsules"}`,
		"none.jsonl":  `{"schema":"blackboard.capsules"}`,
		"half.jsonl":  `{"v":"1","schema":"blackboard.capsules"}`,
		"bare.jsonl":  `{"id":"k000000000"}`, "fake.db": sqliteMagic + "but no more",
		"a.md": "text", "void/": "",
	})
	for _, tc := range []struct {
		path, format string
		kind         error
		words        string
	}{
		{"absent", "auto", fault.NotFound, "file or folder not found"},
		{"a.md", "yaml", fault.Invalid, "choose one of auto"},
		{"empty", "auto", fault.Invalid, "is empty"},
		{"empty", "jsonl", fault.Invalid, "is empty"},
		{"text.txt", "auto", fault.Invalid, "looked for"},
		{"binary", "auto", fault.Invalid, "does not begin with a JSON line"},
		{"other.json", "auto", fault.Invalid, "of an unknown format"},
		{"list.json", "auto", fault.Invalid, "does not begin with a JSON line"},
		{"run.jsonl", "auto", fault.Invalid, "the export of a run"},
		{"nothing", "auto", fault.Invalid, "none of these"},
		{"void", "auto", fault.Invalid, "none of these"},
		{"hidden", "auto", fault.Invalid, "none of these"},
		{"nothing", "markdown", fault.Invalid, "no markdown file"},
		{"nothing", "claude-memory", fault.Invalid, "no Claude Code memory"},
		{"newer.jsonl", "auto", fault.Invalid, "version 2"},
		{"none.jsonl", "auto", fault.Invalid, "has no version"},
		{"half.jsonl", "auto", fault.Invalid, `the field "v" has the wrong type`},
		{"bare.jsonl", "jsonl", fault.Invalid, "export begins with"},
		{"fake.db", "auto", fault.Invalid, "not a valid SQLite file"},
		{"nothing", "jsonl", fault.Invalid, "is not a file"},
		{"a.md", "claude-memory", fault.Invalid, "is not a folder"},
	} {
		t.Run(tc.path+"_"+tc.format, func(t *testing.T) {
			importFails(t, filepath.Join(dir, tc.path), tc.format, tc.kind, tc.words)
		})
	}
}

func TestImportTooMuch(t *testing.T) {
	dir := importFiles(t, map[string]string{"d/a.md": "text", "d/big.md": "", "big.jsonl": "",
		"many.jsonl": jsonlHeader + strings.Repeat("{}\n", 6)})
	for name, size := range map[string]int64{"d/big.md": maxImportFile + 1,
		"big.jsonl": maxImportExport + 1} {
		expect.OK(t, os.Truncate(filepath.Join(dir, name), size))
	}
	set := importSet(t, filepath.Join(dir, "d"), "auto")
	if len(set.Items) != 1 || len(set.Refused) != 1 || !strings.Contains(set.Refused[0].Why,
		"the limit is 64") {
		t.Errorf("%+v", set)
	}
	importFails(t, filepath.Join(dir, "big.jsonl"), "jsonl", fault.Invalid,
		"the limit is 1024", "split")
	im := newImporter(context.Background())
	im.maxRecords = 5
	if _, err := im.read(filepath.Join(dir, "many.jsonl"), "auto"); err == nil ||
		!strings.Contains(err.Error(), "more than 5 records") {
		t.Errorf("%v", err)
	}
}

func TestImportCancelled(t *testing.T) {
	dir := importFiles(t, map[string]string{"x.jsonl": jsonlHeader + "{}\n",
		"d/a.md": "a", "c/MEMORY.md": "a"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, format := range map[string]string{"x.jsonl": formatJSONL,
		"d": formatMarkdown, "d/a.md": formatMarkdown, "c": formatClaude} {
		if _, err := Read(ctx, filepath.Join(dir, name),
			format); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestImportHostileFolder: what cannot be read is refused, each with its name, and the
// rest is read.
func TestImportHostileFolder(t *testing.T) {
	dir := importFiles(t, map[string]string{
		"good.md": "# Good\ntext", "nul.md": "a\x00b", "latin.md": "caf\xe9",
		"utf16.md": "\xff\xfea\x00", "blank.md": " \n\n", "huge.md": strings.Repeat("word ",
			1<<20), "only.md": "# Only a heading",
		"closed/x.md": "x", "locked.md": "x", "picture.png": "x", ".hidden/x.md": "x",
		"node_modules/p/README.md": "x", "deep/a/b/c.md": "c",
	})
	for name, to := range map[string]string{"loop": ".", "loop.md": "loop.md",
		"gone.md": "nowhere.md", "link.md": "good.md", "deep/up": ".."} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	want := map[string]string{"nul.md": "binary",
		"blank.md": "is empty", "huge.md": "at most 65536",
		"loop": "link to a folder", "deep/up": "link to a folder",
		"loop.md": "cannot follow the link",
		"gone.md": "cannot follow the link"}
	if os.Getuid() != 0 && runtime.GOOS != "windows" {
		os.Chmod(filepath.Join(dir, "closed"), 0)
		os.Chmod(filepath.Join(dir, "locked.md"), 0)
		t.Cleanup(func() { os.Chmod(filepath.Join(dir, "closed"), 0o700) })
		want["closed"], want["locked.md"] = "cannot read the folder",
			"cannot be read: permission denied"
	}
	set := importSet(t, dir, "auto")
	for _, r := range set.Refused {
		name, _ := filepath.Rel(dir, r.From)
		if w := want[filepath.ToSlash(name)]; w == "" || !strings.Contains(r.Why, w) {
			t.Errorf("%s is refused because %s, want %q", name, r.Why, w)
		}
		delete(want, filepath.ToSlash(name))
	}
	if len(want) > 0 {
		t.Errorf("not refused: %v", want)
	}
	if !noted(set.Notes, "skipped 1 other files: picture.png") ||
		!noted(set.Notes, "2 folders that are hidden") {
		t.Errorf("notes: %q", set.Notes)
	}
	var titles []string
	for _, it := range set.Items {
		titles = append(titles, it.Capsule.Title)
	}
	for _, title := range []string{"Good", "c"} {
		if !slices.Contains(titles, title) {
			t.Errorf("%q is missing in %q", title, titles)
		}
	}
}

func TestImportTime(t *testing.T) {
	for s, want := range map[string]string{
		"2025-06-01T14:00:00.123456Z": "2025-06-01T14:00:00.123Z",
		"2025-06-01T14:00:00+02:00":   "2025-06-01T12:00:00Z",
		"2025-06-01":                  "2025-06-01T00:00:00Z",
		"2025-06-01 14:00":            "2025-06-01T14:00:00Z",
		"2025-06-01 14:00:07.5":       "2025-06-01T14:00:07.5Z",
		"1748786400":                  "2025-06-01T14:00:00Z",
		"1748786400123":               "2025-06-01T14:00:00.123Z",
		"2025-06-01 14:00:00 +0200":   "2025-06-01T12:00:00Z",
		"":                            "", "yesterday": "", "2025": "", "2025-13-01": "",
		"9999-12-31T23:59:59-12:00": "",
		"0000-01-01T00:00:00Z":      "", "99999999999999999999": "", "-1748786400": "",
	} {
		got := ""
		if at, ok := parseTime(s); ok {
			got = at.Format(time.RFC3339Nano)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
}

func TestImportDraft(t *testing.T) {
	long := strings.Repeat("wörter ", 60)
	d := &importDraft{Capsule: kb.Capsule{Body: "text"}}
	d.setTitle("  " + long)
	for i := range kb.MaxTags + 2 {
		d.tag(fmt.Sprintf("t%d", i))
	}
	d.tag("a,b", strings.Repeat("x", kb.MaxTag+1), "t1", " ")
	d.ref(strings.Repeat("r", kb.MaxField+1))
	d.keep("multi", "one\ntwo")
	c, notes := d.finish()
	if err := c.Check(); err != nil || len(c.Title) > kb.MaxTitle ||
		!strings.HasSuffix(c.Title, "wörter…") || len(c.Tags) != kb.MaxTags || len(c.Refs) != 0 {
		t.Errorf("%v %+v", err, c)
	}
	for _, part := range []string{"title: wörter", "tag: t65", "tag: b", "tag: xxx",
		"ref: rrr", "multi: one\n  two"} {
		if !strings.Contains(c.Body, part) {
			t.Errorf("%q is not in the body", part)
		}
	}
	if !noted(notes, "was cut to 300") ||
		!noted(notes, "appended to the body: title, tag, ref, multi") {
		t.Errorf("notes: %q", notes)
	}
}
