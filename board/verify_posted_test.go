package board

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/board/verify"
	"blackboard/testdata/expect"
)

// TestVerifyPostedLarge: a source that takes long to read keeps nobody waiting, and is no
// doubt.
func TestVerifyPostedLarge(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.txt")
	text := strings.Repeat("All of it is about the same. ", 2+MaxCheckedAtOnce/29)
	expect.OK(t, os.WriteFile(large, []byte(text), 0o600))
	b := newBoard(t)
	p := expect.Value(b.Post(t.Context(), "w", Post{Content: "It differs", SourceDoc: "large.txt",
		Evidence: "no such words"}))(t)
	files := []verify.File{{Name: "large.txt", Path: large}}
	items, left, err := b.VerifyPosted(t.Context(), "w", VerifyOptions{IDs: []string{p.Entry.ID}, Files: files}, time.Minute)
	if err != nil || left != 0 || len(items) != 1 || items[0].Doubted ||
		!strings.HasPrefix(items[0].Part.Feedback(), "not checked: large.txt has 2 MB") {
		t.Errorf("%v: %d, %+v", err, left, items)
	}
	r, err := b.Verify(t.Context(), "w", VerifyOptions{Files: files, NoRecord: true})
	if err != nil || r.Doubted != 1 {
		t.Errorf("%v: %+v", err, r)
	}
}

// TestVerifyPostedWithin: a batch is held against its sources as far as there is time, and what is left is
// counted, stays without a verdict, and is found by verify.
func TestVerifyPostedWithin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes.txt")
	expect.OK(t, os.WriteFile(file, []byte("Tokens live for one hour.\n"), 0o600))
	b := newBoard(t)
	posts := []Post{{Content: "Tokens live for one hour", SourceDoc: "notes.txt", Evidence: "one hour"},
		{Content: "Tokens live for two hours", SourceDoc: "notes.txt", Evidence: "two hours"}}
	expect.Value(b.PostBatch(t.Context(), "w", posts))(t)
	opt := VerifyOptions{IDs: []string{"e1", "e2"}, Files: []verify.File{{Name: "notes.txt", Path: file}}}
	items, left, err := b.VerifyPosted(t.Context(), "w", opt, -1)
	if err != nil || len(items) != 0 || left != 2 {
		t.Errorf("without time: %v: %d left, %+v", err, left, items)
	}
	items, left, err = b.VerifyPosted(t.Context(), "w", opt, time.Minute)
	if err != nil || left != 0 || len(items) != 2 || items[0].Doubted || !items[1].Doubted {
		t.Errorf("%v: %d left, %+v", err, left, items)
	}
}
