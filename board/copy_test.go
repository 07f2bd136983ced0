package board

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
	"blackboard/board/verify"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// exported is the export of a run.
func exported(t *testing.T, dir, run string) string {
	t.Helper()
	var out bytes.Buffer
	expect.OK(t, mustOpen(t, dir, run).Export(t.Context(), &out))
	return out.String()
}

// TestCopyGoesOn: a copy that is repeated after each change of the run brings what is new, and the
// run at the target is the same each time.
func TestCopyGoesOn(t *testing.T) {
	cost.SkipQuick(t)
	b, ctx := newBoard(t), t.Context()
	to := t.TempDir()
	post := func(p Post) func() error {
		return func() error { _, err := b.Post(ctx, "w", p); return err }
	}
	raise := func(r Raise) func() error {
		return func() error { _, err := b.Signal(ctx, "w", r); return err }
	}
	file := verify.File{Name: "auth.md", Path: filepath.Join(t.TempDir(), "auth.md")}
	expect.OK(t, os.WriteFile(file.Path, []byte("Tokens never expire.\n"), 0o600))
	last := int64(0)
	for i, step := range []func() error{
		post(Post{Content: "first finding", Tags: []string{"a", "b"}, MustSurface: true}),
		raise(Raise{Content: "who?", Priority: "high", Origin: "e1", Key: "k"}),
		post(Post{Content: "second finding", Contradicts: []string{"e1"}, Key: "k"}),
		func() error { _, err := b.Claim(ctx, "w", "s1", record.MaxLease); return err },
		func() error { _, err := b.Release(ctx, "w", "s1", false); return err },
		func() error { _, err := b.Address(ctx, "w", "s1", "e2"); return err },
		func() error { _, err := b.Reopen(ctx, "w", "s1", "not quite"); return err },
		post(Post{Content: "third finding", Supersedes: []string{"e1"}, Addresses: []string{"s1"}}),
		func() error { _, err := b.Link(ctx, "w", "e2", Links{Supports: []string{"e3"}}); return err },
		func() error { _, err := b.Set(ctx, "w", "phase", []byte(`"one"`), AnyVersion); return err },
		func() error { _, err := b.Set(ctx, "w", "phase", []byte(`"two"`), AnyVersion); return err },
		func() error { _, err := b.Delete(ctx, "w", "phase", AnyVersion); return err },
		func() error { _, err := b.Expect(ctx, "lead", []string{"w", "x"}, false); return err },
		func() error { _, err := b.Done(ctx, "w"); return err },
		func() error { _, err := b.Drop(ctx, "lead", "x", "late"); return err },
		post(Post{Content: "fourth finding", MustSurface: true}),
		post(Post{Content: "fifth finding"}),
		func() error {
			_, err := b.LinkDropping(ctx, "w", "e5", Links{Supersedes: []string{"e4"}}, "it was wrong")
			return err
		},
		func() error { _, err := b.Link(ctx, "w", "e2", Links{Supersedes: []string{"e3"}}); return err },
		raise(Raise{Content: "when?"}),
		func() error { _, err := b.Waive(ctx, "w", "s2", "nobody asks"); return err },
		func() error { _, err := b.Settle(ctx, "w", "e2", "e5", "both hold"); return err },
		func() error {
			return b.Retrieved(ctx, "w", Retrieval{Way: record.RetrievalWays[0], Capsules: []Given{{ID: "c"}}})
		},
		func() error { _, err := b.AddSources(ctx, "w", []verify.File{file}, true); return err },
		post(Post{Content: "Tokens never expire", SourceDoc: "auth.md"}),
		func() error { _, err := b.Verify(ctx, "w", VerifyOptions{}); return err },
		func() error { return b.RemoveSources(ctx, "w", "auth.md") },
		nil,
	} {
		if step != nil {
			if err := step(); err != nil {
				t.Fatal(i, err)
			}
		}
		got, err := Copy(ctx, b.dir, to, "test")
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		if got.New != got.Events-last || step != nil && got.New == 0 {
			t.Errorf("step %d: %d of %d events are new, after %d", i, got.New, got.Events, last)
		}
		last = got.Events
		if exported(t, b.dir, "test") != exported(t, to, "test") {
			t.Fatalf("step %d: the run at the target is another", i)
		}
		if err := mustOpen(t, to, "test").Check(ctx); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
}

// TestCopyKeepsOthers: a run at the target that is not how this one began is a conflict, and stays
// as it is.
func TestCopyKeepsOthers(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	to := t.TempDir()
	copied := func() error { _, err := Copy(ctx, b.dir, to, "test"); return err }
	add := func(b *Board, text string) {
		t.Helper()
		expect.Value(b.Post(ctx, "w", Post{Content: text}))(t)
	}
	refused(t, copied(), fault.NotFound, "there is no run test")
	add(b, "one")
	expect.OK(t, copied())
	there := mustOpen(t, to, "test")
	add(there, "theirs")
	before := exported(t, to, "test")
	refused(t, copied(), fault.Conflict, "run test")
	add(b, "ours")
	refused(t, copied(), fault.Conflict, "differ from event 3 on")
	if exported(t, to, "test") != before {
		t.Error("the run at the target was changed")
	}
}

// TestCopyChecks: what is not sound is not copied, and what is not sound at the target is not
// taken for copied.
func TestCopyChecks(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	to := t.TempDir()
	expect.Value(b.Post(ctx, "w", Post{Content: "one"}))(t)
	expect.Value(Copy(ctx, b.dir, to, "test"))(t)
	for _, dir := range []string{to, b.dir} {
		d := mustOpen(t, dir, "test")
		expect.OK(t, d.db.Write(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Exec(`UPDATE entries SET worker = 'x'`)
			return err
		}))
		_, err := Copy(ctx, b.dir, to, "test")
		refused(t, err, fault.Corrupt, "does not agree with its own event log")
	}
	if _, err := Copy(ctx, b.dir, t.TempDir(), "test"); err == nil {
		t.Error("a run that is not sound was copied")
	}
}
