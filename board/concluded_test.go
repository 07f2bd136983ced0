package board

import (
	"os"
	"path/filepath"
	"testing"

	"blackboard/board/verify"
	"blackboard/testdata/expect"
)

// TestConcludedFromEntries: a conclusion may have the figures of the entries that it is linked to.
func TestConcludedFromEntries(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "log.txt")
	expect.OK(t, os.WriteFile(file, []byte("The crane was repaired in May.\n"), 0o600))
	for kind, want := range map[string]int{"": 1, Supports: 0, Contradicts: 0, Supersedes: 0} {
		b := newBoard(t)
		old := Post{Content: "the crane lifts 40 tonnes"}
		p := Post{Type: Analysis, Content: "the crane, repaired in May, lifts no 40 tonnes", SourceDoc: "log.txt",
			Evidence: "The crane was repaired in May."}
		if kind != "" {
			links := Links{}
			*links.List(kind) = []string{"e1"}
			p.SetLinks(links)
		}
		for _, p := range []Post{old, p} {
			expect.Value(b.Post(t.Context(), "w", p))(t)
		}
		v, err := b.Verify(t.Context(), "w", VerifyOptions{Files: []verify.File{{Name: "log.txt", Path: file}}})
		if err != nil || len(v.Concluded) != want {
			t.Errorf("%q: concluded %v, want %d: %v", kind, v.Concluded, want, err)
		}
	}
}
