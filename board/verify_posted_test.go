package board

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/verify"
)

// TestVerifyPostedLarge: a source that takes long to read keeps nobody waiting, and is no
// doubt.
func TestVerifyPostedLarge(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.txt")
	text := strings.Repeat("All of it is about the same. ", 2+MaxCheckedAtOnce/29)
	if err := os.WriteFile(large, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBoard(t)
	p, err := b.Post(t.Context(), "w", Post{Content: "It differs", SourceDoc: "large.txt",
		Evidence: "no such words"})
	if err != nil {
		t.Fatal(err)
	}
	files := []verify.File{{Name: "large.txt", Path: large}}
	item, err := b.VerifyPosted(t.Context(), "w", &p.Entry, VerifyOptions{Files: files})
	if err != nil || item == nil || item.Doubted ||
		!strings.HasPrefix(item.Part.Feedback(), "not checked: large.txt has 2 MB") {
		t.Errorf("%v: %+v", err, item)
	}
	r, err := b.Verify(t.Context(), "w", VerifyOptions{Files: files, NoRecord: true})
	if err != nil || r.Doubted != 1 {
		t.Errorf("%v: %+v", err, r)
	}
}
