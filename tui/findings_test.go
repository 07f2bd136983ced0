package tui

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/testdata/expect"
	"blackboard/tui/page"
	"blackboard/tui/runs"
)

// What went wrong once, each as a story.

// A key that opens a form and the text for it arrive together over a slow line: the text is text.
func TestTypedAhead(t *testing.T) {
	h := openAudit(t)
	h.press("2")
	h.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("wcovered")})
	h.wants("Waive s2", "covered")
	h.press("esc", "esc")
	if s := must(h.openRun("audit-7").SignalByID(context.Background(), "s2")).Signal; s.ClaimedBy != "" {
		t.Errorf("a letter of the reason claimed it: %+v", s)
	}
	// Keys wait for a form that has to read something first.
	h.press("1")
	cmd := h.m.handleAll(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("e")})
	h.typeText("later")
	h.lacks("Correct e6")
	h.do(cmd)
	h.wants("Correct e6", "later")
}

// While somebody looks at a list, others change it. What is chosen stays chosen, and when it is
// gone nothing is.
func TestListsMove(t *testing.T) {
	h := openAudit(t)
	p := h.m.top().(*runs.Page)
	b := h.openRun("audit-7")
	ctx := context.Background()
	again := func() { t.Helper(); h.do(p.Look()) }
	h.press("2", "j")
	if got := p.Chosen(); got != "s3" {
		t.Fatalf("%s is chosen", got)
	}
	must(b.Signal(ctx, "x", board.Raise{Content: "more urgent than all", Priority: "critical"}))
	again()
	if got := p.Chosen(); got != "s3" {
		t.Errorf("now %s is chosen", got)
	}
	must(b.Waive(ctx, "x", "s3", "somebody else was faster"))
	again()
	if got := p.Chosen(); got != "" {
		t.Errorf("s3 is gone, and %s is chosen in its place", got)
	}
	h.press("w")
	h.lacks("Waive")
	h.press("k", "w")
	h.wants("Waive s")
}

// Undo takes back what was done here, not what others have done since.
func TestUndoLeavesOthers(t *testing.T) {
	h := openAudit(t)
	b := h.openRun("audit-7")
	ctx := context.Background()
	h.press("2", "w")
	h.typeText("not now")
	h.press("enter")
	must(b.Reopen(ctx, "x", "s2", ""))
	expect.Values(b.PostAddressing(ctx, "x", "s2", board.Post{Content: "ten a minute"}, nil))(t)
	h.press("u", "enter")
	h.wants("s2 was changed since")
	if s := must(b.SignalByID(ctx, "s2")).Signal; s.Status != board.Addressed {
		t.Errorf("the answer of another is gone: %+v", s)
	}
	h.press("esc", "u")
	h.wants("nothing to undo")
}

// Undoing what closed a signal does not give a worker its claim back, and says so.
func TestUndoSaysTheClaim(t *testing.T) {
	h := openAudit(t)
	b := h.openRun("audit-7")
	must(b.Claim(context.Background(), "bob-1", "s2", board.DefaultLease))
	h.do(h.m.top().(*runs.Page).Look())
	h.press("2", "w")
	h.typeText("not now")
	h.press("enter", "u")
	h.wants("Reopen s2 of audit-7; the claim of bob-1 is not restored?")
	h.press("enter")
	h.wants("s2 is open again")
	h.press("k", "w")
	h.typeText("not now")
	h.press("enter", "u")
	h.wants("Reopen s2 of audit-7?")
}

// The page of the run is closed, and what was done on it can still be taken back.
func TestUndoAfterThePage(t *testing.T) {
	h := openAudit(t)
	h.press("2", "w")
	h.typeText("not now")
	h.press("enter", "esc")
	h.wants("Runs")
	h.press("u", "enter")
	h.wants("s2 is open again")
}

// An act that ends while the question about undo stands is not lost by it.
func TestUndoOrder(t *testing.T) {
	h := openAudit(t)
	h.press("2", "w")
	h.typeText("not now")
	h.press("enter", "u")
	h.send(page.DoneMsg{Outcome: page.Outcome{Text: "something else", Undo: &page.Undo{Text: "undo something else", Do: func(context.Context) (page.Outcome, error) { return page.Outcome{}, nil }}}})
	h.press("enter")
	if len(h.m.undos) != 1 || h.m.undos[0].Text != "undo something else" {
		t.Errorf("%d can be taken back", len(h.m.undos))
	}
}

// The filter was emptied by backspace, and typing goes on.
func TestFilterEmptied(t *testing.T) {
	h := openAudit(t)
	h.press("/")
	h.typeText("ab")
	h.press("backspace", "backspace")
	h.typeText("rotation")
	h.wants("rotation", "1 of 1")
}

// A screen that is too small to show what a key does, does nothing.
func TestTooSmallForKeys(t *testing.T) {
	h := openAudit(t)
	h.press("2")
	h.size(40, 10)
	h.press("c", "q", "esc")
	h.size(80, 24)
	if s := must(h.openRun("audit-7").SignalByID(context.Background(), "s2")).Signal; s.ClaimedBy != "" {
		t.Errorf("%+v", s)
	}
	h.wants("Questions")
}

// Every act and every refresh asks again; the clock asks once.
func TestOnePoll(t *testing.T) {
	h := openAudit(t)
	h.m.app.Still = false
	h.m.asked = 3
	if h.m.takeStatus(page.Status{}, 2) != nil {
		t.Error("an answer to an older question asks again")
	}
	if h.m.takeStatus(page.Status{}, 3) == nil {
		t.Error("nothing asks again")
	}
	h.m.app.Still = true
}

// Enter twice opens once, and a page that is gone is not left once more.
func TestTwice(t *testing.T) {
	h := openAudit(t)
	p := h.m.top()
	h.m.handleAll(tea.KeyMsg{Type: tea.KeyEnter})
	h.m.handleAll(tea.KeyMsg{Type: tea.KeyEnter}) // nothing is read yet
	if n := len(h.m.pages); n != 3 {
		t.Errorf("%d pages", n)
	}
	h.send(page.CloseMsg{Over: p})
	if n := len(h.m.pages); n != 3 {
		t.Errorf("%d pages are left", n)
	}
	late := runs.New(h.m.app, "audit-7")
	opened := late.Init()().(page.Answer)
	closed := false
	close := opened.Drop
	opened.Drop = func() { close(); closed = true }
	h.send(opened)
	if late.Board() != nil || !closed {
		t.Error("the board of a page that was left stays open")
	}
}

// Filters: names with blanks, parts of names, several words.
func TestFilterWords(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		b := h.openRun("r")
		must(b.Post(context.Background(), "Review Bot", board.Post{Content: "tokens never expire, says the parser"}))
		must(b.Post(context.Background(), "reader-1", board.Post{Content: "sessions expire"}))
		h.cfg.Run = "r"
	})
	for text, want := range map[string]string{`worker:"Review Bot"`: "never", "worker:review": "never", "worker:reader": "sessions", "expire tokens": "never", `"never expire"`: "never", "type:": "sessions"} {
		h.press("/")
		h.typeText(text)
		h.press("enter")
		h.wants(want)
		h.press("[", "esc", "esc")
	}
	for _, name := range []string{"type", "kind"} { // capsules have kinds
		h.press("/")
		h.typeText(name + ":gap")
		h.wants("no entry matches")
		h.press("enter", "esc", "/")
		h.typeText(name + ":obs")
		h.wants("1 of 2")
		h.press("enter", "esc")
	}
	h.press("/")
	h.typeText("expire parser")
	h.wants("1 of 1")
	h.press("enter", "[")
	h.wants("1 of 1")
}

// The past is shown as it was, on every page, and cannot be acted on.
func TestDetailOfThePast(t *testing.T) {
	h := openAudit(t)
	h.press("2", "f")
	for range 7 { // before s1 was answered
		h.press("[")
	}
	h.press("enter")
	h.wants("as it was after event 10", "● open")
	h.press("c")
	h.wants("this is the past")
	if s := must(h.openRun("audit-7").SignalByID(context.Background(), "s2")).Signal; s.ClaimedBy != "" {
		t.Errorf("%+v", s)
	}
	h.press("esc", "esc", "1", "G", "enter")
	h.lacks("as it was")
	h.press("esc")
	h.do(h.m.top().(*runs.Page).GoTo(4))
	h.press("enter")
	h.wants("as it was after event 4", "e2")
	h.lacks("superseded")
	h.press("enter") // its first link
	h.wants("as it was after event 4", "e1")
	h.lacks("disputed", "contradicted")
	h.press("esc", "esc", "L")
	h.wants("live", "Entries")
}

// An editor that fails keeps what was written; one that is not there is named as that.
func TestEditorFails(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	a := page.NewApp(context.Background(), page.Config{Editor: func(path string, _ int) (*exec.Cmd, error) { return exec.Command("true", path), nil }})
	var text string
	var problem error
	keep := func(s string, err error) tea.Cmd { text, problem = s, err; return nil }
	msg := a.EditText(nil, "before\n", ".md", keep)().(page.EditorMsg)
	ends := func(err error) { msg.Done(err).(page.ScreenBackMsg).Then.(page.Answer).Take() }
	file := msg.Cmd.Args[1]
	expect.OK(t, os.WriteFile(file, []byte("written\n"), 0o600))
	failed := exec.Command("sh", "-c", "exit 1").Run()
	ends(failed)
	if problem == nil || !strings.Contains(problem.Error(), file) {
		t.Errorf("%v", problem)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "written\n" {
		t.Errorf("what was written is gone: %q, %v", data, err)
	}
	ends(exec.Command("sh", "-c", "exit 127").Run())
	if problem == nil || !strings.Contains(problem.Error(), "was not found") {
		t.Errorf("%v", problem)
	}
	ends(nil)
	if problem != nil || text != "written\n" {
		t.Errorf("%q, %v", text, problem)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "board-*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// The terminal is taken again after an editor has had it.
func TestScreenAfterEditor(t *testing.T) {
	h := openAudit(t)
	var out strings.Builder
	h.m.app.Out = &out
	if h.m.handle(page.ScreenBackMsg{}); !strings.Contains(out.String(), "\x1b[?7l") {
		t.Errorf("%q", out.String())
	}
	h.m.app.Out = nil
}

// The name of who acts has a line end in it.
func TestOddNames(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		fillAudit(h)
		h.cfg.Worker, h.cfg.Run = "two\nlines\tand a tab", "audit-7"
	})
	h.size(160, 50)
	h.wants("two lines and a tab")
	h.press("p")
	h.wants("as two lines")
}

// K begins anew, whatever was asked before.
func TestNewQuestion(t *testing.T) {
	h := openAudit(t)
	h.press("K")
	h.typeText("who rotates the keys")
	h.press("esc", "K")
	h.lacks("who rotates the keys")
	h.typeText("tokens")
	h.press("tab", "K")
	h.lacks("/ tokens")
	h.typeText("x")
	h.wants("/ x")
}

// Whoever closes a question that another works on is told.
func TestClaimIsTold(t *testing.T) {
	h := openAudit(t)
	h.press("2", "j", "w")
	h.wants("Waive s3", "reader-3 has claimed it until")
}

// TestActsSayWhatTheyAreFor: a key for questions on an entry, and one for entries on a question,
// say so and do nothing.
func TestActsSayWhatTheyAreFor(t *testing.T) {
	h := openAudit(t)
	h.press("1", "a")
	h.wants("address is for a question")
	h.press("2", "P")
	h.wants("promote to knowledge is for an entry")
}
