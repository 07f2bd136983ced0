package runs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/testdata/expect"
	"blackboard/tui/page"
)

// TestCheckOnce: there is one check at a time, none keeps the screen, and one that is under way
// ends with the page.
func TestCheckOnce(t *testing.T) {
	dir := t.TempDir()
	b := expect.Value(board.OpenOrCreate(t.Context(), filepath.Join(dir, "boards"), "audit-7"))(t)
	defer b.Close()
	expect.Value(b.Post(t.Context(), "ada", board.Post{Content: "Tokens expire", MustSurface: true}))(t)
	a := page.NewApp(t.Context(), page.Config{Files: dir, Worker: "ada"})
	a.Still = true
	p := NewCheckPage(a, "audit-7", b, "").(*CheckPage)
	p.SetSize(80, 20)
	begun := p.check()
	if begun == nil || p.check() != nil || p.Result != nil {
		t.Fatal("two checks are under way, or one was done on the spot")
	}
	if !strings.Contains(strings.Join(p.View(), "\n"), "checking…") {
		t.Error("nobody is told that it is checked")
	}
	again := answer(begun)
	if again == nil || p.Result != nil {
		t.Fatal("what was asked meanwhile is forgotten")
	}
	p.Close()
	answer(again)
	if !errors.Is(p.err, context.Canceled) {
		t.Errorf("the check went on after the page was left: %v", p.err)
	}
}

// TestLookingWritesNothing: whoever looks at a check leaves no event, and the gate knows the
// verdicts all the same.
func TestLookingWritesNothing(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"auth.md": "Tokens expire after 15 minutes.\n",
		"board.yaml": "sources: [auth.md]\ngate: {require_verified: true}\n"} {
		expect.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	b := expect.Value(board.OpenOrCreate(t.Context(), filepath.Join(dir, "boards"), "audit-7"))(t)
	defer b.Close()
	expect.Value(b.Post(t.Context(), "reader", board.Post{Content: "Tokens expire after 15 minutes",
		Evidence: "Tokens expire after 15 minutes.", SourceDoc: "auth.md", MustSurface: true}))(t)
	before := expect.Value(b.State(t.Context()))(t)
	a := page.NewApp(t.Context(), page.Config{Files: dir, Worker: "ada"})
	a.Still = true
	p := NewCheckPage(a, "audit-7", b, "").(*CheckPage)
	for range 2 {
		r, err := p.ask(t.Context(), "")
		if err != nil || !r.Passed {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	after, err := b.State(t.Context())
	if err != nil || after.Seq != before.Seq || len(after.Workers) != 1 {
		t.Errorf("looking wrote %d events; workers %v, %v", after.Seq-before.Seq, after.Workers, err)
	}
}

// answer carries a command out, as far as it is a question to the run, and applies its answer.
func answer(cmd tea.Cmd) tea.Cmd {
	msg := cmd()
	if all, many := msg.(tea.BatchMsg); many {
		msg = all[len(all)-1]()
	}
	return msg.(page.Answer).Take()
}
