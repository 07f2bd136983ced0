package check

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// TestBelow: what a policy or a link names outside its directory is refused.
func TestBelow(t *testing.T) {
	root := t.TempDir()
	outside := write(t, filepath.Join(root, "secret.txt"), "s3cr3t")
	repo := filepath.Join(root, "repo")
	write(t, filepath.Join(repo, "docs", "a.md"), "a")
	for name, target := range map[string]string{"report.md": outside, "up": root, "in.md": "docs/a.md",
		"nowhere": "gone"} {
		if err := os.Symlink(target, filepath.Join(repo, name)); err != nil {
			t.Skip(err)
		}
	}
	for list, ok := range map[string]bool{"docs": true, "docs/*.md": true, "in.md": true,
		"docs/none.md": true, "docs/../docs": true, "report.md": false, "*.md": false, "up": false,
		"up/repo/docs": true, "up/secret.txt": false, "../secret.txt": false, "nowhere": false,
		outside: false, "/": false} {
		f := expect.Value(ReadPolicy(write(t, filepath.Join(repo, PolicyName), "sources: ['"+list+"']")))(t)
		if _, err := f.SourcePaths(); (err == nil) != ok || err != nil && !errors.Is(err, fault.Invalid) {
			t.Errorf("%s: %v, want it to be read: %v", list, err, ok)
		}
		f.Outside = true
		if _, err := f.SourcePaths(); err != nil {
			t.Errorf("%s with Outside: %v", list, err)
		}
	}
	t.Chdir(repo)
	var f Policy
	if err := f.CheckNamed([]string{"docs/a.md", "-", outside, "../secret.txt"}); err != nil {
		t.Errorf("what a caller names outside is refused: %v", err)
	}
	if err := f.CheckNamed([]string{"report.md"}); !errors.Is(err, fault.Invalid) {
		t.Errorf("a link that leads out is read: %v", err)
	}
}

// TestOf: a run is judged by the policy that it has on record, from whatever directory.
func TestOf(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	strict := filepath.Join(dir, "strict")
	write(t, filepath.Join(strict, PolicyName), "gate: {block: [low]}\nsources: [docs]")
	loose := filepath.Join(dir, "loose")
	write(t, filepath.Join(loose, PolicyName), "gate: {block: []}")
	own := expect.Value(FindPolicy(strict))(t)
	by := expect.Value(own.ToRecord(""))(t)
	b := expect.Value(board.Create(ctx, dir, "r", "", "lead", by))(t)
	defer b.Close()
	for _, at := range []string{strict, loose, dir, ""} {
		f, err := PolicyOf(ctx, b, at)
		if err != nil || f.Recorded == nil || len(f.Gate.Block) != 1 ||
			f.Sources[0] != filepath.Join(strict, "docs") {
			t.Errorf("%s: %+v, %v", at, f, err)
		}
		if (f.Note != "") != (at == loose) {
			t.Errorf("%s: note %q", at, f.Note)
		}
	}
	if _, err := b.RecordPolicy(ctx, "lead", board.NewPolicy{Text: "gate: {block: []}"}); !errors.Is(err,
		fault.Invalid) {
		t.Errorf("it is replaced without a reason: %v", err)
	}
	// A record whose file is not there says nothing about files.
	moved := *by
	moved.Path, moved.Reason = filepath.Join(dir, "gone", PolicyName), "moved"
	moved.Text += "\n# changed"
	expect.Value(b.RecordPolicy(ctx, "lead", moved))(t)
	f := expect.Value(PolicyOf(ctx, b, loose))(t)
	if _, err := f.SourcePaths(); !errors.Is(err, fault.NotFound) ||
		!strings.Contains(err.Error(), "on record") {
		t.Errorf("sources of a policy that is gone: %v", err)
	}
}
