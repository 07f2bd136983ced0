package kb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/kb/markdown"
	"blackboard/testdata/expect"
)

// FuzzSidecar: whatever lies in a sidecar is a capsule or an error, and what is a capsule is
// written and read back the same.
func FuzzSidecar(f *testing.F) {
	const id = "k000000000"
	for _, s := range []string{
		"---\nid: k000000000\ntitle: t\nkind: fact\nscope: universal\n---\nbody\n",
		"---\nid: k000000000\ntitle: \"a: b\"\nkind: doc\nscope: workspace\nworkspace: /w\ntags: [a, b]\nconfidence: .5\ncreated: 2026-01-02T03:04:05Z\nretired: 2026-01-02\nextra: {a: [1, 2]}\n---\n\n    code\n---\n",
		"---\nid: k000000000\ntitle: t\nkind: fact\nscope: universal\ntags: a, b\nsupersedes: k000000001\n...\nbody",
		"\ufeff---\r\nid: k000000000\r\ntitle: t\r\nkind: fact\r\nscope: universal\r\n---\r\nbody\r\n",
		"---\nid: k000000000\ntitle: *a\n---\n", "---\n&a [*a]\n---\n", "---\n? !!binary x\n", "no front matter", "---\n---\n", "",
		"---\n\ntik\n\n\n\nv\n:l i\n---v\n:l i\n---",
		"---\nid: k000000000\ntitle: t\nkind: doc\nscope: universal\ningested: {file: /a, sha256: " + strings.Repeat("a", 64) + ", part: 1, of: 2}\n---\nx",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, extra, err := DecodeSidecar(id, []byte(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has more than a line: %q", err)
			}
			return
		}
		data, err := EncodeSidecar(&c, extra)
		if err != nil {
			t.Fatalf("%+v cannot be written: %v", c, err)
		}
		if len(data) > MaxSidecar {
			return
		}
		again, _, err := DecodeSidecar(id, data)
		if err != nil {
			t.Fatalf("%q became %q, which cannot be read: %v", text, data, err)
		}
		if !sameContent(&c, &again) || !again.Created.Equal(c.Created) || again.Revision != c.Revision {
			t.Fatalf("%+v became %+v", c, again)
		}
		if twice, err := EncodeSidecar(&again, extra); err != nil || string(twice) != string(data) {
			t.Fatalf("%q was written again as %q, %v", data, twice, err)
		}
	})
}

// FuzzChunks: whatever a document is, its sections are within the limits and in order, and what
// they say stands in the document, after the fields of its front matter.
func FuzzChunks(f *testing.F) {
	for _, s := range []string{
		"# A\n\ntext\n\n## B\n\nmore\n", "A\n=\n\ntext\nB\n---\n", "```\n# not\n```\n# yes\nx", "---\ntitle: T\n---\nx", "~~~~\n```\n~~~\n~~~~\n## h ##\ny", strings.Repeat("word ", 3000), strings.Repeat("line\n", 3000),
		"# a\n" + strings.Repeat("para\n\n", 2000), "#\n##\n# \n", "\x00", "é" + strings.Repeat("é", 7000), strings.Repeat("\x8e", 7000),
		"---\nT\n---", "---\ntitle: T\ntags: [a, b]\nowner: me\n---\n\n\n# A\nx\n# B\ny", "---\nnote: " + strings.Repeat("word ", 600) + "\n---\n# A\nx",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		_, body, _ := markdown.Split(text)
		fields := markdown.ReadFront(text).Fields
		rest := fields + body
		for _, c := range markdown.Sections("name.md", text) {
			if c.Title == "" || len(c.Title) > MaxTitle || len(c.Body) > MaxBody || c.Line < last || strings.TrimSpace(c.Body) == "" {
				t.Fatalf("a section at line %d after %d, with %d bytes: %q", c.Line, last, len(c.Body), c.Title)
			}
			last = c.Line
			said := c.Body
			if fields != "" { // which the first section begins with, if they are short
				said = strings.TrimPrefix(said, fields+"\n\n")
			}
			at := strings.Index(rest, said)
			if at < 0 {
				t.Fatalf("%q is not in %q", said, rest)
			}
			rest = rest[at+len(said):]
		}
	})
}

// What is as it was costs no look at its content; the same bytes with another time are no change.
func TestSyncTouched(t *testing.T) {
	needsFile(t)
	k := newKB(t, nil)
	c := put(t, k, Capsule{Title: "one", Body: "text"})
	path := k.sidecarPath(c.ID)
	expect.OK(t, os.Chtimes(path, time.Now(), time.Now().Add(-time.Hour)))
	if s, err := k.Sync(t.Context()); err != nil || len(s.PickedUp) != 0 {
		t.Fatalf("%+v, %v", s, err)
	}
	if got, _ := k.Get(t.Context(), c.ID); got.Revision != 1 {
		t.Errorf("revision %d", got.Revision)
	}
	mirrored(t, k)
}

// TestSyncFinishes: a sidecar that was written by a process that died before its row was is taken
// in, with what it supersedes.
func TestSyncFinishes(t *testing.T) {
	needsFile(t)
	home := t.TempDir()
	k := openKB(t, home, Options{})
	old := put(t, k, Capsule{Title: "old", Body: "text"})
	dead := Capsule{ID: "k00000dead", Kind: "fact", Scope: "universal", Title: "new", Body: "other", Supersedes: []string{old.ID}, Created: time.Now().UTC(), Updated: time.Now().UTC(), Revision: 1}
	expect.OK(t, dead.Normalise())
	data := expect.Value(EncodeSidecar(&dead, nil))(t)
	expect.OK(t, os.WriteFile(k.sidecarPath(dead.ID), data, 0o600))
	expect.OK(t, os.WriteFile(filepath.Join(Sidecars(home), tempPrefix+"k0000half0.md"), []byte("half a fi"), 0o600))
	then := time.Now().Add(-2 * abandonedAfter)
	expect.OK(t, os.Chtimes(filepath.Join(Sidecars(home), tempPrefix+"k0000half0.md"), then, then))
	l := openKB(t, home, Options{})
	got, err := l.Get(t.Context(), old.ID)
	if err != nil || got.SupersededBy != dead.ID {
		t.Fatalf("%+v, %v", got, err)
	}
	settled(t, l)
	if entries, err := os.ReadDir(Sidecars(home)); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestOldKnowledgeBase: one from before there were sidecars gets them.
func TestOldKnowledgeBase(t *testing.T) {
	needsFile(t)
	home := t.TempDir()
	k := openKB(t, home, Options{})
	for _, title := range []string{"one", "two", "three"} {
		put(t, k, Capsule{Title: title, Body: title})
	}
	execute(t, k, `DELETE FROM sidecars`)
	expect.OK(t, os.RemoveAll(Sidecars(home)))
	l := openKB(t, home, Options{})
	mirrored(t, l)
	if all, _, err := l.List(t.Context(), ListQuery{}); err != nil || len(all) != 3 {
		t.Errorf("%d, %v", len(all), err)
	}
}

// TestFailedChange: a change that fails leaves sidecars as they were.
func TestFailedChange(t *testing.T) {
	needsFile(t)
	k := newKB(t, nil)
	a := put(t, k, Capsule{Title: "a", Body: "text"})
	before := expect.Value(os.ReadFile(k.sidecarPath(a.ID)))(t)
	stop := invalid("stop", "x")
	if err := k.change(t.Context(), func(ch *change) error {
		now := a
		now.Body = "other"
		if err := ch.update(&a, &now, nil, VerbEdited, "", ""); err != nil {
			return err
		}
		c := Capsule{Title: "b", Body: "b"}
		if err := c.Normalise(); err != nil {
			return err
		}
		if err := ch.insert(&c, nil, VerbRemembered, ""); err != nil {
			return err
		}
		return stop
	}); err != stop {
		t.Fatal(err)
	}
	after, err := os.ReadFile(k.sidecarPath(a.ID))
	if err != nil || string(after) != string(before) {
		t.Errorf("%q became %q, %v", before, after, err)
	}
	settled(t, k)
	sound(t, k)
}

// settled is mirrored, once the files are old enough for their times to tell.
func settled(t *testing.T, k *KB) {
	t.Helper()
	if !onFiles {
		return
	}
	time.Sleep(2 * timeResolution)
	if s, err := k.Sync(t.Context()); err != nil || len(s.summary()) > 0 {
		t.Errorf("a second sync does %+v, %v", s, err)
	}
	mirrored(t, k)
}
