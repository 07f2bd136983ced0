package board

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/verify"
	"blackboard/testdata/expect"
)

// TestUndecodedSource: what a source does not tell is not held against an entry without a
// word.
func TestUndecodedSource(t *testing.T) {
	b := newBoard(t)
	path := filepath.Join(t.TempDir(), "a.pdf")
	font := "<< /Subtype /Type1 /Encoding << /Differences [49 /g49 /g50] >> >>"
	page := "stream\nBT /F1 10 Tf (It opens at 12 bar) Tj ET\nendstream"
	expect.OK(t, os.WriteFile(path, []byte("%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj "+
		"2 0 obj << /Kids [3 0 R] >> endobj 3 0 obj << /Contents 4 0 R /Resources << /Font << /F1 "+font+
		" >> >> >> endobj 4 0 obj << >> "+page+" endobj"), 0o600))
	expect.Value(b.Post(t.Context(), "w", Post{Content: "It opens at 12 bar", SourceDoc: "a.pdf",
		Evidence: "opens at 12 bar"}))(t)
	got, err := b.Verify(t.Context(), "w", VerifyOptions{Files: []verify.File{{Name: "a.pdf", Path: path}}})
	if err != nil || len(got.Items) != 1 || !strings.Contains(got.Items[0].Note, "1 word of "+path+" could not be decoded") {
		t.Errorf("%+v, %v", got.Items, err)
	}
}
