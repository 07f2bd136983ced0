package kb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
)

// examine returns what the doctor says, by what was looked at.
func examine(t *testing.T, k *KB) map[string]Finding {
	t.Helper()
	all := expect.Value(k.Doctor(context.Background()))(t)
	found := map[string]Finding{}
	for _, f := range all {
		if f.State != StateOK && len(f.Next) == 0 {
			t.Errorf("%+v has no next step", f)
		}
		found[f.What] = f
	}
	return found
}

// TestDoctor: of a knowledge base in order everything is ok; each thing that is not is found, with
// the next step.
func TestDoctor(t *testing.T) {
	needsFile(t)
	ctx, home := context.Background(), t.TempDir()
	k := openKB(t, home, Options{Embedder: embedtest.NewHash(64), Sync: SyncNever})
	sure := 1.0
	old := put(t, k, Capsule{Title: "the port", Body: "the server listens on port 8080", Source: "main.go", Confidence: &sure})
	put(t, k, Capsule{Title: "the port now", Body: "since the move the server listens on 9090", Source: "main.go", Confidence: &sure, Supersedes: []string{old.ID}})
	for what, f := range examine(t, k) {
		if f.State != StateOK {
			t.Errorf("%s is %+v", what, f)
		}
	}
	bare := put(t, k, Capsule{Title: "hearsay", Body: "somebody said so"}, RememberOptions{NoEmbedding: true})
	expect.OK(t, os.WriteFile(filepath.Join(Sidecars(home), "notes.md"), []byte("mine"), 0o600))
	expect.OK(t, os.MkdirAll(k.quarantine, 0o700))
	expect.OK(t, os.WriteFile(filepath.Join(k.quarantine, old.ID+".md"), nil, 0o600))
	execute(t, k, `INSERT INTO ingested (file, sha256, parts, refused, at) VALUES (?, '', 0, 0, 0)`, filepath.Join(home, "gone.md"))
	execute(t, k, `UPDATE capsules SET superseded_by = 'knobody000' WHERE id = ?`, bare.ID)
	execute(t, k, `UPDATE capsules SET superseded_by = '' WHERE id = ?`, old.ID)
	bad := put(t, k, Capsule{Title: "more hearsay", Body: "somebody else said another thing"}, RememberOptions{NoEmbedding: true})
	found := examine(t, k)
	for what, words := range map[string]string{"files": "1 that belong to no capsule", "quarantine": "1 files: " + old.ID, "links": "1 capsules are superseded by a capsule that does not name them or does not exist; 1 are named",
		"embeddings": "1 of 3 active capsules have none", "metadata": "of 3 capsules, 1 have no source and 1 no confidence", "documents": "1 of 1 no longer exist at their path"} {
		if f := found[what]; f.State != StateNote || !strings.Contains(f.Say, words) {
			t.Errorf("%s is %+v, want %q", what, f, words)
		}
	}
	expect.OK(t, os.RemoveAll(Sidecars(home)))
	if f := examine(t, k)["files"]; f.State != StateNote || !strings.Contains(f.Say, "4 missing") {
		t.Errorf("without a directory: %+v", f)
	}
	k.emb = renamed{embedtest.NewHash(64), "another"}
	if f := examine(t, k)["embeddings"]; !strings.Contains(f.Say, "the current model is another") {
		t.Errorf("with another model: %+v", f)
	}
	execute(t, k, `UPDATE capsules SET n = n + 1000 WHERE id = ?`, bad.ID)
	if f := examine(t, k)["search index"]; f.State != StateBroken || !strings.Contains(fmt.Sprint(f.Next), "rebuild") {
		t.Errorf("with an index of something else: %+v", f)
	}
	if f := examine(t, newKB(t, nil))["embeddings"]; f.State != StateNote || !strings.Contains(f.Say, "words only") {
		t.Errorf("without a model: %+v", f)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := k.Doctor(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
}

// TestRebuild: the database is made anew from the files alone, and one that cannot be read is kept
// beside it.
func TestRebuild(t *testing.T) {
	needsFile(t)
	ctx, home := context.Background(), t.TempDir()
	if _, err := Rebuild(ctx, home, Options{}); !errors.Is(err, fault.NotFound) {
		t.Fatalf("of nothing: %v", err)
	}
	k := openKB(t, home, Options{Embedder: embedtest.NewHash(64)})
	old := put(t, k, Capsule{Title: "the port", Body: "the server listens on port 8080", Tags: []string{"net"}})
	now := put(t, k, Capsule{Title: "the port now", Body: "since the move the server listens on 9090", Supersedes: []string{old.ID}})
	gone := put(t, k, Capsule{Title: "a file that goes", Body: "and comes back from its row"})
	expect.OK(t, k.Close())
	expect.OK(t, os.WriteFile(Path(home), []byte(strings.Repeat("no database ", 1000)), 0o600))
	for _, suffix := range []string{"-wal", "-shm"} {
		os.Remove(Path(home) + suffix)
	}
	if _, err := OpenExisting(ctx, home, Options{}); !errors.Is(err, fault.Corrupt) {
		t.Fatalf("a damaged database opens: %v", err)
	}
	r, err := Rebuild(ctx, home, Options{})
	expect.OK(t, err)
	if r.Capsules != 3 || r.Unembedded != 3 || len(r.Added) != 3 {
		t.Errorf("%+v", r)
	}
	if raw, err := os.ReadFile(r.Aside); err != nil || !strings.HasPrefix(string(raw), "no database") {
		t.Errorf("the damaged database is not at %q: %v", r.Aside, err)
	}
	k = openKB(t, home, Options{})
	if c, err := k.Get(ctx, old.ID); err != nil || c.SupersededBy != now.ID || len(c.Tags) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	sound(t, k)
	// A rebuild writes a file that is gone.
	expect.OK(t, os.Remove(k.sidecarPath(gone.ID)))
	k.Close()
	if r, err = Rebuild(ctx, home, Options{}); err != nil || r.Written != 1 || r.Aside != "" {
		t.Fatalf("%+v, %v", r, err)
	}
	k = openKB(t, home, Options{})
	if c, err := k.Get(ctx, gone.ID); err != nil || c.Retired != nil || c.RetiredWhy != "" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := os.Stat(k.sidecarPath(gone.ID)); err != nil {
		t.Error(err)
	}
	sound(t, k)
}
