package kb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/testdata/expect"
)

// byHand replaces a word in a capsule's file, as an editor does.
func byHand(t *testing.T, k *KB, id, old, new string) {
	t.Helper()
	path := k.sidecarPath(id)
	data := expect.Value(os.ReadFile(path))(t)
	if !strings.Contains(string(data), old) {
		t.Fatalf("%q is not in %s", old, data)
	}
	expect.OK(t, os.WriteFile(path, []byte(strings.Replace(string(data), old, new, 1)), 0o600))
}

func says(t *testing.T, k *KB, id, body string) Capsule {
	t.Helper()
	c, err := k.Get(t.Context(), id)
	if err != nil || c.Body != body {
		t.Errorf("%s says %q, not %q; %v", id, c.Body, body, err)
	}
	return c
}

// TestRetrieveLooksAtOne: who asks for one capsule gets what its file says now, without a look at
// all other files; what was done to those waits for who looks at all.
func TestRetrieveLooksAtOne(t *testing.T) {
	needsFile(t)
	home := t.TempDir()
	k := openKB(t, home, Options{Sync: SyncNever})
	a, b := put(t, k, Capsule{Title: "a", Body: "one"}), put(t, k, Capsule{Title: "b", Body: "two"})
	byHand(t, k, a.ID, "one", "one by hand")
	byHand(t, k, b.ID, "two", "two by hand")
	if c, err := k.Retrieve(t.Context(), a.ID); err != nil || c.Body != "one by hand" {
		t.Errorf("%q, %v", c.Body, err)
	}
	says(t, k, b.ID, "two")
	expect.OK(t, os.Remove(k.sidecarPath(a.ID)))
	if c, err := k.Retrieve(t.Context(), a.ID); err != nil || c.Body != "one by hand" {
		t.Errorf("its file is gone: %+v, %v", c, err)
	}
	says(t, k, b.ID, "two")
}

// TestEditByHandIsKept: whatever changes a capsule's file next, an edit by hand that nobody has
// picked up yet is picked up first.
func TestEditByHandIsKept(t *testing.T) {
	needsFile(t)
	open := func(t *testing.T) *KB { return openKB(t, t.TempDir(), Options{Sync: SyncNever}) }
	t.Run("edit", func(t *testing.T) {
		k := open(t)
		c := put(t, k, Capsule{Title: "a", Body: "before"})
		byHand(t, k, c.ID, "before", "by hand")
		expect.Value(k.Edit(t.Context(), c.ID, func(c *Capsule) error { c.Tags = []string{"tag"}; return nil }, EditOptions{}))(t)
		if c := says(t, k, c.ID, "by hand"); c.Revision != 3 {
			t.Errorf("revision %d", c.Revision)
		}
	})
	t.Run("superseded by a file", func(t *testing.T) {
		k := open(t)
		c := put(t, k, Capsule{Title: "a", Body: "before"})
		byHand(t, k, c.ID, "before", "by hand")
		expect.OK(t, os.WriteFile(k.sidecarPath("k000000000"), []byte("---\nid: k000000000\ntitle: b\nkind: fact\nscope: universal\nsupersedes: ["+c.ID+"]\n---\nnew"), 0o600))
		if s, err := k.Sync(t.Context()); err != nil || len(s.Added) != 1 || len(s.PickedUp) != 1 {
			t.Fatalf("%+v, %v", s, err)
		}
		if c := says(t, k, c.ID, "by hand"); c.SupersededBy != "k000000000" {
			t.Errorf("%+v", c)
		}
		settled(t, k)
	})
	t.Run("restore", func(t *testing.T) {
		k := open(t)
		a := put(t, k, Capsule{Title: "a", Body: "old"})
		b := put(t, k, Capsule{Title: "b", Body: "new", Supersedes: []string{a.ID}})
		byHand(t, k, b.ID, "new", "by hand")
		expect.Value(k.Restore(t.Context(), a.ID, 1, ""))(t)
		if c := says(t, k, b.ID, "by hand"); len(c.Supersedes) != 0 {
			t.Errorf("%+v", c)
		}
		settled(t, k)
	})
	t.Run("a circle", func(t *testing.T) {
		k := open(t)
		a := put(t, k, Capsule{Title: "a", Body: "one"})
		b := put(t, k, Capsule{Title: "b", Body: "two"})
		byHand(t, k, a.ID, "kind: fact", "kind: fact\nsupersedes: ["+b.ID+"]")
		byHand(t, k, b.ID, "kind: fact", "kind: fact\nsupersedes: ["+a.ID+"]")
		byHand(t, k, a.ID, "one", "one by hand")
		byHand(t, k, b.ID, "two", "two by hand")
		expect.Value(k.Sync(t.Context()))(t)
		x, y := says(t, k, a.ID, "one by hand"), says(t, k, b.ID, "two by hand")
		if x.SupersededBy != "" && y.SupersededBy != "" {
			t.Errorf("each supersedes the other: %+v, %+v", x, y)
		}
	})
	t.Run("what cannot be read", func(t *testing.T) {
		k := open(t)
		c := put(t, k, Capsule{Title: "a", Body: "before"})
		byHand(t, k, c.ID, "title: a", "title: [half")
		expect.Value(k.Edit(t.Context(), c.ID, func(c *Capsule) error { c.Tags = []string{"tag"}; return nil }, EditOptions{}))(t)
		files, err := filepath.Glob(filepath.Join(k.quarantine, c.ID+"*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v", files, err)
		}
		if data, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(data), "[half") {
			t.Errorf("%q, %v", data, err)
		}
	})
	t.Run("a part of a document", func(t *testing.T) {
		k := open(t)
		doc := filepath.Join(t.TempDir(), "doc.md")
		write := func(text string) {
			t.Helper()
			expect.OK(t, os.WriteFile(doc, []byte(text), 0o600))
			expect.Value(k.Ingest(t.Context(), []string{doc}, IngestOptions{Scope: "universal"}))(t)
		}
		write("# A\n\nalpha\n\n# B\n\nbeta\n")
		all, _, err := k.List(t.Context(), ListQuery{})
		if err != nil || len(all) != 2 {
			t.Fatal(all, err)
		}
		for _, c := range all {
			if strings.Contains(c.Body, "alpha") {
				byHand(t, k, c.ID, "alpha", "alpha by hand")
			}
		}
		write("# A\n\nalpha\n\n# B\n\ngamma\n")
		events := 0
		for _, c := range all {
			h := expect.Value(k.History(t.Context(), c.ID))(t)
			for _, e := range h {
				if e.Verb == VerbPickedUp {
					events++
				}
			}
		}
		if events != 1 {
			t.Errorf("the edit is in the history %d times", events)
		}
	})
}

// TestLostFiles: capsules whose files are gone, one or with their directory, stay as they are: the
// files are written from the rows.
func TestLostFiles(t *testing.T) {
	needsFile(t)
	k := newKB(t, nil)
	var ids []string
	for _, title := range strings.Fields("a b c d e") {
		ids = append(ids, put(t, k, Capsule{Title: title, Body: title}).ID)
	}
	expect.OK(t, os.RemoveAll(k.sidecars))
	if s, err := k.Sync(t.Context()); err != nil || s.Written != len(ids) {
		t.Fatalf("%+v, %v", s, err)
	}
	settled(t, k)
	// A file that is gone while another change needs its capsule is not judged there.
	expect.OK(t, os.Remove(k.sidecarPath(ids[0])))
	expect.Value(k.Dedupe(t.Context(), CurateOptions{}))(t)
	if s, err := k.Sync(t.Context()); err != nil || s.Written > 1 { // unless curation has written it
		t.Errorf("%+v, %v", s, err)
	}
	if c, err := k.Get(t.Context(), ids[0]); err != nil || c.Retired != nil || c.Revision != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	settled(t, k)
}

// TestQuarantineUndone: a sidecar that cannot be read, in a change that fails, stays where it was.
func TestQuarantineUndone(t *testing.T) {
	needsFile(t)
	k := newKB(t, nil)
	c := put(t, k, Capsule{Title: "a", Body: "text"})
	byHand(t, k, c.ID, "title: a", "title: [half")
	old := time.Now().Add(-time.Hour)
	expect.OK(t, os.Chtimes(k.sidecarPath(c.ID), old, old))
	stop := invalid("stop", "x")
	if err := k.change(t.Context(), func(ch *change) error {
		var s Synced
		if err := ch.reconcileOne(c.ID, &s, true); err != nil || len(s.Quarantined) != 1 {
			t.Fatalf("%+v, %v", s, err)
		}
		return stop
	}); err != stop {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(k.sidecarPath(c.ID)); err != nil || !strings.Contains(string(data), "[half") {
		t.Errorf("%q, %v", data, err)
	}
	if files, _ := os.ReadDir(k.quarantine); len(files) != 0 {
		t.Errorf("%v", files)
	}
	if s, err := k.Sync(t.Context()); err != nil || len(s.Quarantined) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	settled(t, k)
}

// TestPartsWithoutDatabase: parts of a document are capsules still when the database is lost, even
// if not all of them are there; the next ingest makes the document whole.
func TestPartsWithoutDatabase(t *testing.T) {
	needsFile(t)
	home := t.TempDir()
	k := openKB(t, home, Options{})
	doc := filepath.Join(t.TempDir(), "doc.md")
	expect.OK(t, os.WriteFile(doc, []byte("# A\n\nalpha\n\n# B\n\nbeta\n\n# C\n\ngamma\n"), 0o600))
	expect.Value(k.Ingest(t.Context(), []string{doc}, IngestOptions{Scope: "universal"}))(t)
	all, _, err := k.List(t.Context(), ListQuery{})
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	k.Close()
	expect.OK(t, os.Remove(filepath.Join(Sidecars(home), all[1].ID+sidecarExt)))
	for _, f := range []string{"", "-wal", "-shm"} {
		os.Remove(Path(home) + f)
	}
	l := openKB(t, home, Options{})
	if all, _, err := l.List(t.Context(), ListQuery{}); err != nil || len(all) != 2 {
		t.Fatalf("%d, %v", len(all), err)
	}
	if r, err := l.Ingest(t.Context(), []string{doc}, IngestOptions{Scope: "universal"}); err != nil || r.Capsules != 1 || r.Kept != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	settled(t, l)
	sound(t, l)
}

// TestExportIsWhole: what was exported is all there in an empty knowledge base, same titles and
// all, with links at both ends.
func TestExportIsWhole(t *testing.T) {
	k := newKB(t, nil)
	force := RememberOptions{Force: true}
	a := put(t, k, Capsule{Title: "Build", Body: "make", Project: "one", Scope: "project"}, force)
	put(t, k, Capsule{Title: "Build", Body: "ninja", Project: "two", Scope: "project"}, force)
	put(t, k, Capsule{Title: "Build anew", Body: "cmake", Supersedes: []string{a.ID}}, force)
	set := &ImportSet{}
	for c, err := range k.Export(t.Context(), ListQuery{Superseded: true, Retired: true}) {
		expect.OK(t, err)
		set.Items = append(set.Items, Incoming{Capsule: c, From: c.ID})
	}
	l := newKB(t, nil)
	for i, want := range []int{3, 0} {
		out, err := l.Import(t.Context(), set, ImportOptions{})
		if err != nil || len(out.Stored) != want || len(out.Already) != 3-want || len(out.Refused) > 0 {
			t.Errorf("%d: %+v, %v", i, out, err)
		}
	}
	if c, err := l.Get(t.Context(), a.ID); err != nil || c.SupersededBy == "" {
		t.Errorf("%+v, %v", c, err)
	}
	settled(t, l)
}

// conflict is what git leaves in a file that two have changed.
func conflict(ours, theirs string) string {
	return "<<<<<<< HEAD\n" + ours + "\n=======\n" + theirs + "\n>>>>>>> other\n"
}

// TestMergeConflict: what git could not merge is left alone and named, wherever in a capsule's
// file it stands, and never becomes a capsule's text.
func TestMergeConflict(t *testing.T) {
	needsFile(t)
	k := openKB(t, t.TempDir(), Options{Sync: SyncNever})
	c := put(t, k, Capsule{Title: "a", Body: "before"})
	path := k.sidecarPath(c.ID)
	whole := expect.Value(os.ReadFile(path))(t)
	for what, text := range map[string]string{
		"front matter": strings.Replace(string(whole), "revision: 1\n", conflict("revision: 2", "revision: 3"), 1),
		"body":         strings.Replace(string(whole), "before\n", conflict("ours", "theirs"), 1),
		"all of it":    conflict(string(whole), string(whole)),
	} {
		t.Run(what, func(t *testing.T) {
			expect.OK(t, os.WriteFile(path, []byte(text), 0o600))
			old := time.Now().Add(-time.Hour)
			expect.OK(t, os.Chtimes(path, old, old))
			s, err := k.Sync(t.Context())
			if err != nil || len(s.Quarantined)+len(s.PickedUp) > 0 ||
				!strings.Contains(strings.Join(s.Notes, "\n"), "has a merge conflict that nobody has resolved, from line") {
				t.Errorf("%+v, %v", s, err)
			}
			says(t, k, c.ID, "before")
			if now, err := os.ReadFile(path); err != nil || string(now) != text {
				t.Errorf("the file has %q, %v", now, err)
			}
		})
	}
	resolved := strings.Replace(string(whole), "before\n", "ours and theirs\n", 1)
	expect.OK(t, os.WriteFile(path, []byte(resolved), 0o600))
	if s, err := k.Sync(t.Context()); err != nil || len(s.PickedUp) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	says(t, k, c.ID, "ours and theirs")
}

// TestMergeConflictAsText: an example of a conflict is a text like others, in a block of code.
func TestMergeConflictAsText(t *testing.T) {
	k := openKB(t, t.TempDir(), Options{})
	bare := Capsule{Title: "Markers", Kind: "fact", Scope: "universal", Body: "git writes\n" + conflict("a", "b")}
	if _, err := k.Remember(t.Context(), bare, RememberOptions{}); err == nil ||
		!strings.Contains(err.Error(), "merge conflict that nobody has resolved, from line 2 on") {
		t.Error(err)
	}
	c := put(t, k, Capsule{Title: "Markers", Body: "git writes\n```\n" + conflict("a", "b") + "```"})
	data := expect.Value(EncodeSidecar(&c, nil))(t)
	if again, _, err := DecodeSidecar(c.ID, data); err != nil || again.Body != c.Body {
		t.Errorf("%q, %v", again.Body, err)
	}
}
