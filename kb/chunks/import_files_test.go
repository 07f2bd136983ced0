package chunks

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/testdata/expect"
)

// writeFiles writes files below a directory, all with one modification time.
func writeFiles(tb testing.TB, dir string, files map[string]string) {
	tb.Helper()
	at := time.Date(2025, 4, 1, 0, 0, 0, 0, time.UTC)
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		expect.OK(tb, os.MkdirAll(filepath.Dir(path), 0o700))
		expect.OK(tb, os.WriteFile(path, []byte(data), 0o600))
		expect.OK(tb, os.Chtimes(path, at, at))
	}
}

var legacyFiles = map[string]string{
	"chunks/a1b2c3d4e5.md": `---
id: a1b2c3d4e5
topic: "Auth: JWT"
agent: pm-agent
tags: [auth, Decision]
importance: critical
updated: "2025-05-02T14:00:00.456Z"
---

Stateless.

---
Not the end.
`,
	"chunks/1234567e10.md":     "---\r\nid: 1234567e10\r\ntopic: A number\r\ntags:\r\n  - one\r\n  - 2\r\n  - [x]\r\nupdated: 2025-05-03 10:00:00\r\nexpires: 2025-07-01\r\n---\r\nBody.\r\n",
	"chunks/old.md":            "---\ntopic: Old\nexpires: 2025-06-01T13:59:59Z\n---\nGone.",
	"chunks/no matter.md":      "Only words.\n---\nid: x\n---\n",
	"chunks/open.md":           "---\ntopic: t\nno end",
	"chunks/broken.md":         "---\ntopic: [\n---\n",
	"chunks/bom.md":            "\ufeff---\ntopic: &t With a mark\nagent: *t\ntags: x, y\nimportance: ~\nid:\n---",
	"chunks/notes.txt":         "no chunk",
	"state/current_phase.json": `{"key":"current_phase","value":"scraping","updated":"2025-05-01T14:00:00.000Z"}`,
	"state/plain.json":         "\ufeff {\"a\": [1, 2.50]}\n",
	"state/null.json":          `{"key":"nothing","value":null}`,
	"state/bad.json":           `{`,
}

// TestImportFolders: without a database the first use imports the folders, and does not
// change them.
func TestImportFolders(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, legacyFiles)
	if runtime.GOOS != "windows" {
		expect.OK(t, os.Symlink("nowhere", filepath.Join(dir, chunkFolder, "link.md")))
		expect.OK(t, os.Mkdir(filepath.Join(dir, chunkFolder, "dir.md"), 0o700))
	}
	s, res := imported(t, dir, Options{Now: newClock().now})
	var refused []string
	for _, r := range res.Refused {
		refused = append(refused, filepath.Base(r.From)+": "+r.Why)
	}
	want := []string{"broken.md: its front matter is not YAML: ", "dir.md: it is not a regular file", "link.md: it cannot be read: ", "open.md: its front matter is not closed", "bad.json: its value is not JSON"}
	if runtime.GOOS == "windows" {
		want = slices.Delete(want, 1, 3)
	}
	if !slices.EqualFunc(refused, want, strings.HasPrefix) || res.Source != dir || res.Chunks != (ImportCount{Added: 4}) || res.State != (ImportCount{Added: 3}) || res.Expired != 1 || len(res.Notes) != 0 {
		t.Errorf("%q\n%+v", refused, res)
	}
	day := func(month, d, h, ms int) time.Time {
		return time.Date(2025, time.Month(month), d, h, 0, 0, ms*1e6, time.UTC)
	}
	for _, want := range []Chunk{
		{Meta: Meta{ID: "a1b2c3d4e5", Topic: "Auth: JWT", Agent: "pm-agent", Tags: []string{"auth", "Decision"}, Importance: Critical, Updated: day(5, 2, 14, 456)}, Content: "Stateless.\n\n---\nNot the end."},
		{Meta: Meta{ID: "1234567e10", Topic: "A number", Agent: DefaultAgent, Tags: []string{"one", "2"}, Importance: Medium, Updated: day(5, 3, 10, 0), Expires: new(day(7, 1, 0, 0))}, Content: "Body."},
		{Meta: Meta{ID: "no matter", Topic: "Untitled", Agent: DefaultAgent, Tags: []string{}, Importance: Medium, Updated: day(4, 1, 0, 0)}, Content: "Only words.\n---\nid: x\n---"},
		{Meta: Meta{ID: "bom", Topic: "With a mark", Agent: "With a mark", Tags: []string{"x", "y"}, Importance: Medium, Updated: day(4, 1, 0, 0)}},
	} {
		got, err := s.Read(t.Context(), want.ID)
		want.n, want.Created = got.n, want.Updated
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v, %v", got, want, err)
		}
	}
	for key, want := range map[string]string{"current_phase": `"scraping" 2025-05-01`, "plain": `{"a":[1,2.50]} 2025-04-01`, "nothing": `null 2025-04-01`} {
		v, err := s.State(t.Context(), key)
		if got := fmt.Sprint(string(v.Value), " ", v.Updated.Format(time.DateOnly)); err != nil || got != want {
			t.Errorf("%s is %s, want %s, %v", key, got, want, err)
		}
	}
	for name, data := range legacyFiles {
		if now, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err != nil || string(now) != data {
			t.Errorf("%s has changed: %v", name, err)
		}
	}
	// A file that was changed since is newer.
	expect.Value(s.Import(t.Context()))(t)
	now := newClock().now()
	expect.OK(t, os.Chtimes(filepath.Join(dir, "chunks", "no matter.md"), now, now))
	if res, err := s.Import(t.Context()); err != nil || res.Chunks != (ImportCount{Updated: 1, Kept: 3}) || res.State != (ImportCount{Kept: 3}) {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestImportWhich: the database is imported, unless it is empty: then the other program
// created it and ignored its folders.
func TestImportWhich(t *testing.T) {
	both := t.TempDir()
	writeFiles(t, both, legacyFiles)
	original(t, both, originalSchema, twoStates)
	if _, res := imported(t, both, Options{}); res.Source != filepath.Join(both, storeFile) || res.State.Added != 2 || res.Chunks.Added != 0 || len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "were not imported") {
		t.Errorf("%+v", res)
	}
	left := t.TempDir()
	writeFiles(t, left, map[string]string{"state/a.json": "1", "chunks": "no folder"})
	original(t, left, originalSchema)
	if _, res := imported(t, left, Options{}); res.Source != left || res.State.Added != 1 || len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "is empty") {
		t.Errorf("%+v", res)
	}
	empty := t.TempDir()
	original(t, empty, originalSchema)
	if _, res := imported(t, empty, Options{}); res.Source != filepath.Join(empty, storeFile) || res.Chunks.Added != 0 || len(res.Notes) != 0 {
		t.Errorf("%+v", res)
	}
	// The first use also imports what was added to an empty directory after a process had
	// opened it.
	late := t.TempDir()
	s, res := imported(t, late, Options{})
	if res.Source != "" {
		t.Errorf("%+v", res)
	}
	writeFiles(t, late, map[string]string{"chunks/a.md": "---\ntopic: auth\n---\nx"})
	write(t, s, "auth too")
	if got := found(t, s, Query{Text: "auth"}); len(got) != 2 {
		t.Errorf("found %v", got)
	}
}

// FuzzChunkFile reads arbitrary files. It must not panic, and accepted chunks must be
// valid.
func FuzzChunkFile(f *testing.F) {
	for name, data := range legacyFiles {
		f.Add(strings.TrimSuffix(filepath.Base(name), ".md"), data)
	}
	f.Add("\x00", "---\na: &a [*a]\nid: *a\ntags: *a\n---\n")
	f.Add("x", "---\n<<: {id: y}\n? [a]\n: b\ntags: {a: b}\nupdated: 0001-01-01\nexpires: 99999-01-01\n---\n\xff")
	f.Add("x", "---\ntopic: \"\\0\\x07\\uD800\"\nagent: |\n  two\n  lines\n---x\n")
	at := newClock().now()
	f.Fuzz(func(t *testing.T, name, data string) {
		in, err := chunkOfFile(name, data, at)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") || err.Error() == "" {
				t.Errorf("%q is no line", err)
			}
			return
		}
		in.fillTimes(at)
		sound(t, &in.Chunk)
		if again, err := chunkOfFile(name, data, at); err != nil || !reflect.DeepEqual(again.Tags, in.Tags) {
			t.Errorf("it reads %v, and %v", in.Tags, again.Tags)
		}
	})
}

// sound fails unless a chunk can be stored as it is.
func sound(t *testing.T, c *Chunk) {
	t.Helper()
	for _, s := range append([]string{c.ID, c.Topic, c.Agent, c.Content}, c.Tags...) {
		if text(s) != s {
			t.Errorf("%q cannot be stored", s)
		}
	}
	if c.ID == "" || c.Topic == "" || c.Agent == "" || c.Tags == nil || !slices.Contains(Importances, c.Importance) || c.Updated.IsZero() || c.Created.IsZero() {
		t.Errorf("%+v", c.Meta)
	}
	if data, err := json.Marshal(c); err != nil || !json.Valid(data) {
		t.Error(err)
	}
	if got := ListText(List{Chunks: []Meta{c.Meta}}); strings.Count(got, "\n") != 2 {
		t.Errorf("%q has a line too many", got)
	}
}
