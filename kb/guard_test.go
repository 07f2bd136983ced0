package kb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
)

// TestEditByHandWhileFileIsWritten: a file that somebody saves after it was read, and before the
// new one has its name, is not written over.
func TestEditByHandWhileFileIsWritten(t *testing.T) {
	needsFile(t)
	k := newKB(t, nil)
	c := put(t, k, Capsule{Title: "Retries", Body: "three times"})
	path := k.sidecarPath(c.ID)
	byHand, err := os.ReadFile(path)
	expect.OK(t, err)
	byHand = []byte(strings.Replace(string(byHand), "three times", "four times, by hand", 1))
	err = k.change(t.Context(), func(ch *change) error {
		old, err := ch.get(c.ID)
		if err != nil {
			return err
		}
		now := *old
		now.Body = "five times"
		w, err := ch.prepareWrite(&now)
		if err != nil {
			return err
		}
		expect.OK(t, os.WriteFile(path, byHand, 0o600))
		_, err = w.write()
		return err
	})
	refused(t, err, fault.Conflict, "edited by hand")
	if data, err := os.ReadFile(path); err != nil || string(data) != string(byHand) {
		t.Errorf("the file holds %q: %v", data, err)
	}
	r, err := k.Edit(t.Context(), c.ID, func(c *Capsule) error { c.Tags = []string{"net"}; return nil }, EditOptions{})
	if err != nil || r.Capsule.Body != "four times, by hand" {
		t.Errorf("the edit that follows has %+v: %v", r.Capsule, err)
	}
	sound(t, k)
}

// TestSavedWhileItIsIsolated: a file that cannot be read goes to the quarantine. If somebody saves
// it once more before that is committed, what he saved stays.
func TestSavedWhileItIsIsolated(t *testing.T) {
	needsFile(t)
	home := t.TempDir()
	k := openKB(t, home, Options{})
	c := put(t, k, Capsule{Title: "Retries", Body: "three times"})
	sound(t, k)
	good, err := os.ReadFile(k.sidecarPath(c.ID))
	expect.OK(t, err)
	id := newID()
	path := k.sidecarPath(id)
	saved := strings.Replace(strings.Replace(string(good), c.ID, id, 1), "Retries", "More retries", 1)
	expect.OK(t, os.WriteFile(path, []byte("not a capsule"), 0o600))
	var s Synced
	expect.OK(t, k.change(t.Context(), func(ch *change) error {
		return errors.Join(ch.isolate(id, nil, []byte("not a capsule"), "it has no front matter", &s),
			os.WriteFile(path, []byte(saved), 0o600))
	}))
	expect.Value(k.Sync(t.Context()))(t)
	if got, err := k.Get(t.Context(), id); err != nil || got.Title != "More retries" {
		t.Errorf("what was saved has become %+v: %v", got, err)
	}
	if left, _ := os.ReadDir(k.quarantine); len(left) != 1 {
		t.Errorf("the quarantine has %d files, not 1", len(left))
	}
}

// TestUnknownFilesStayWhileOthersWrite: files are moved to the quarantine in the writers' turn
// only, since two that move one name at the same time could write over each other's.
func TestUnknownFilesStayWhileOthersWrite(t *testing.T) {
	needsFile(t)
	home := t.TempDir()
	k := openKB(t, home, Options{})
	put(t, k, Capsule{Title: "Retries", Body: "three times"})
	name := filepath.Join(k.sidecars, "notes.md")
	expect.OK(t, os.WriteFile(name, []byte("mine"), 0o600))
	then := time.Now().Add(-time.Hour)
	expect.OK(t, os.Chtimes(name, then, then))
	other := openKB(t, home, Options{Sync: SyncNever})
	expect.OK(t, other.db.Write(t.Context(), func(*sqlite.Tx) error {
		if _, err := k.sync(t.Context(), time.Millisecond); !errors.Is(err, fault.Busy) {
			t.Errorf("a sync while somebody else writes: %v", err)
		}
		_, err := os.Stat(name)
		return err
	}))
	if s, err := k.Sync(t.Context()); err != nil || len(s.Quarantined) != 1 {
		t.Errorf("%+v %v", s, err)
	}
}

// TestIngestAfterOneThatDied: the files that an ingest has left that died are removed by the next
// one, which has a list of its own.
func TestIngestAfterOneThatDied(t *testing.T) {
	needsFile(t)
	home, docs := t.TempDir(), t.TempDir()
	k := openKB(t, home, Options{})
	for name, text := range map[string]string{"a.md": "# A\n\none\n", "b.md": "# B\n\none\n"} {
		expect.OK(t, os.WriteFile(filepath.Join(docs, name), []byte(text), 0o600))
	}
	expect.Value(k.Ingest(t.Context(), []string{filepath.Join(docs, "a.md")}, IngestOptions{}))(t)
	all, _, err := k.List(t.Context(), ListQuery{})
	expect.OK(t, err)
	orphan := all[0]
	orphan.ID = newID()
	data, err := EncodeSidecar(&orphan, nil)
	expect.OK(t, err)
	expect.OK(t, writeFile(k.sidecarPath(orphan.ID), data))
	expect.OK(t, os.WriteFile(filepath.Join(k.sidecars, pendingName), []byte(orphan.ID), 0o600))
	expect.Value(k.Ingest(t.Context(), []string{filepath.Join(docs, "b.md")}, IngestOptions{}))(t)
	if s, err := k.Sync(t.Context()); err != nil || len(s.Added) > 0 {
		t.Errorf("%q were added: %v", s.Added, err)
	}
	if all, _, err := k.List(t.Context(), ListQuery{}); err != nil || len(all) != 2 {
		t.Errorf("there are %d capsules, not 2: %v", len(all), err)
	}
}

// whileEmbedding calls fn once, when it is first asked.
type whileEmbedding struct {
	embed.Embedder
	once sync.Once
	fn   func()
}

func (w *whileEmbedding) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	w.once.Do(w.fn)
	return w.Embedder.Embed(ctx, texts)
}

// TestIngestOfANewerDocument: an ingest that has read a document, and is overtaken by another that
// read what it says now, does not put the older sections back.
func TestIngestOfANewerDocument(t *testing.T) {
	home, docs := t.TempDir(), t.TempDir()
	name := filepath.Join(docs, "a.md")
	model := embedtest.NewHash(32)
	slow := &whileEmbedding{Embedder: model, fn: func() {
		expect.OK(t, os.WriteFile(name, []byte("# A\n\nnew text\n"), 0o600))
		other := openKB(t, home, Options{Embedder: model})
		_, err := other.Ingest(t.Context(), []string{name}, IngestOptions{})
		expect.OK(t, err)
	}}
	expect.OK(t, os.WriteFile(name, []byte("# A\n\nold text\n"), 0o600))
	k := openKB(t, home, Options{Embedder: slow})
	r, err := k.Ingest(t.Context(), []string{name}, IngestOptions{})
	if err != nil || r.Unchanged != 1 {
		t.Errorf("the older one: %+v %v", r, err)
	}
	all, _, err := k.List(t.Context(), ListQuery{})
	if err != nil || len(all) != 1 || !strings.Contains(all[0].Body, "new text") {
		t.Errorf("the document has %+v: %v", all, err)
	}
	sound(t, k)
}

// TestPruneOfADocumentThatIsBack: a document that is there again when its turn comes keeps its
// capsules.
func TestPruneOfADocumentThatIsBack(t *testing.T) {
	home, docs := t.TempDir(), t.TempDir()
	name := filepath.Join(docs, "a.md")
	text := []byte("# A\n\ntext\n")
	expect.OK(t, os.WriteFile(name, text, 0o600))
	k := openKB(t, home, Options{})
	_, err := k.Ingest(t.Context(), []string{docs}, IngestOptions{})
	expect.OK(t, err)
	expect.OK(t, os.Remove(name))
	held, release, done, looked := make(chan struct{}), make(chan struct{}), make(chan error, 1), make(chan struct{})
	other := openKB(t, home, Options{Sync: SyncNever})
	go func() {
		done <- other.db.Write(context.Background(), func(*sqlite.Tx) error { close(held); <-release; return nil })
	}()
	<-held
	pruned := make(chan error, 1)
	go func() {
		_, err := k.Ingest(context.Background(), []string{docs}, IngestOptions{Prune: true, Progress: func(string, int, int) { close(looked) }})
		pruned <- err
	}()
	<-looked
	for range 1000 {
		runtime.Gosched() // mostly it has looked for the document by then
	}
	expect.OK(t, os.WriteFile(name, text, 0o600))
	close(release)
	expect.OK(t, errors.Join(<-done, <-pruned))
	if all, _, err := k.List(t.Context(), ListQuery{}); err != nil || len(all) != 1 {
		t.Errorf("there are %d capsules, not 1: %v", len(all), err)
	}
}

// TestDedupeAfterAnEdit: a capsule that holds less far than it did when the plan was made takes
// nobody's place.
func TestDedupeAfterAnEdit(t *testing.T) {
	home := t.TempDir()
	k := openKB(t, home, Options{})
	const text = "the queue is drained before the workers end"
	conf := 0.9
	keep := put(t, k, Capsule{Title: "Queue", Body: text, Scope: "universal", Confidence: &conf})
	drop := put(t, k, Capsule{Title: "Draining", Body: text, Scope: "project", Project: "p"}, RememberOptions{Force: true})
	var once sync.Once
	d, err := k.Dedupe(t.Context(), CurateOptions{Progress: func(string, int, int) {
		once.Do(func() {
			other := openKB(t, home, Options{})
			_, err := other.Edit(t.Context(), keep.ID, func(c *Capsule) error { c.Scope, c.Project = "project", "other"; return nil }, EditOptions{Force: true})
			expect.OK(t, err)
		})
	}})
	if err != nil || len(d.Duplicates) != 0 || d.Skipped != 1 {
		t.Errorf("%+v %v", d, err)
	}
	if c, err := k.Get(t.Context(), drop.ID); err != nil || c.SupersededBy != "" {
		t.Errorf("it is superseded by %q: %v", c.SupersededBy, err)
	}
}
