package tui

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/files"
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
	cmd := h.m.handleAll(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("w")})
	h.typeText("later")
	h.lacks("Waive")
	h.do(cmd)
	h.wants("Waive s2", "later")
}

// While somebody looks at a list, others change it. What is chosen stays chosen, and when it is gone nothing is.
func TestListsMove(t *testing.T) {
	h := openAudit(t)
	p := h.m.top().(*runPage)
	b := h.openRun("audit-7")
	ctx := context.Background()
	again := func() { t.Helper(); h.do(p.look()) }
	h.press("2", "j")
	if got := p.questions.chosen(); got != "s3" {
		t.Fatalf("%s is chosen", got)
	}
	must(b.Signal(ctx, "x", board.Raise{Content: "more urgent than all", Priority: "critical"}))
	again()
	if got := p.questions.chosen(); got != "s3" {
		t.Errorf("now %s is chosen", got)
	}
	must(b.Waive(ctx, "x", "s3", "somebody else was faster"))
	again()
	if got := p.questions.chosen(); got != "" {
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
	_, _, err := b.PostAddressing(ctx, "x", "s2", board.Post{Content: "ten a minute"})
	if err != nil {
		t.Fatal(err)
	}
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
	h.send(doneMsg{outcome: outcome{text: "something else", undo: &undo{"undo something else", func(context.Context) (outcome, error) { return outcome{}, nil }}}})
	h.press("enter")
	if len(h.m.undos) != 1 || h.m.undos[0].text != "undo something else" {
		t.Errorf("%d can be taken back", len(h.m.undos))
	}
}

// A run that cannot be read at first can be read later, and nothing fails meanwhile.
func TestFirstReadingFails(t *testing.T) {
	h := openAudit(t)
	p := newRunPage(h.m.app, "audit-7")
	h.do(h.m.handleAll(pushMsg{p}))
	p.known = false
	h.do(p.seen(scene{}, nil, errors.New("the disk is busy")))
	h.wants("the disk is busy")
	h.press("j", "w", "[", "tab", "enter")
	h.do(p.age())
	h.wants("never expire")
}

// What follows the log ends: the page does not say that it is live, and tries again.
func TestNotFollowed(t *testing.T) {
	h := openAudit(t)
	p := h.m.top().(*runPage)
	h.send(eventsMsg{from: p, err: errors.New("the file was removed")})
	h.press("j")
	h.wants("not live: the file was removed")
	h.do(p.reconnect())
	h.lacks("not live")
	h.wants("live", "never expire")
}

// A run whose file was replaced is shown as it is now, once it is there again.
func TestReplacedRun(t *testing.T) {
	h := openAudit(t)
	p := h.m.top().(*runPage)
	h.press("2", "1", "[")
	file := files.Path(h.cfg.Boards, "audit-7")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	h.send(eventsMsg{from: p, err: errors.New("the file was removed")})
	h.do(p.reconnect())
	h.wants("back", "never expire") // nothing is lost meanwhile
	must(h.openRun("audit-7").Post(context.Background(), "w", board.Post{Content: "begun anew"}))
	h.do(p.reconnect())
	h.wants("begun anew", "1 of 1", "live event")
	h.lacks("never expire", "not live")
}

// A moment that cannot be read leads back to a present that goes on.
func TestPastFails(t *testing.T) {
	h := openAudit(t)
	p := h.m.top().(*runPage)
	b := h.openRun("audit-7")
	h.press("[")
	h.do(p.wentBack(pastScene{}, errors.New("the log is damaged")))
	h.wants("live", "the log is damaged")
	must(b.Waive(context.Background(), "x", "s2", "covered"))
	h.do(p.look())
	h.wants("gate closed: 1")
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
	h.m.app.still = false
	h.m.asked = 3
	if h.m.statusAnswer(Status{}, 2) != nil {
		t.Error("an answer to an older question asks again")
	}
	if h.m.statusAnswer(Status{}, 3) == nil {
		t.Error("nothing asks again")
	}
	h.m.app.still = true
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
	h.send(popMsg{p})
	if n := len(h.m.pages); n != 3 {
		t.Errorf("%d pages are left", n)
	}
	late := newRunPage(h.m.app, "audit-7")
	opened := late.init()().(answer)
	closed := false
	close := opened.drop
	opened.drop = func() { close(); closed = true }
	h.send(opened)
	if late.b != nil || !closed {
		t.Error("the board of a page that was left stays open")
	}
}

// Who has gone far down in what a filter found stays there when something happens.
func TestFilterKeepsItsPlace(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		b := h.openRun("long")
		var posts []board.Post
		for range 2500 {
			posts = append(posts, board.Post{Content: "alike"})
		}
		must(b.PostBatch(context.Background(), "w", posts))
		h.cfg.Run = "long"
	})
	h.press("/")
	h.typeText("alike")
	h.press("enter")
	f := h.m.top().(*runPage).feed
	for f.list.cursor < 2300 {
		before := f.list.cursor
		h.press("pgdown")
		if f.list.cursor == before {
			t.Fatalf("it ends at %d of %d", before, f.list.n)
		}
	}
	was := f.chosen()
	h.do(f.refind())
	if now := f.chosen(); now != was {
		t.Errorf("%s was chosen, now %s is", was, now)
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
	h.press("n", "N", "c")
	h.wants("this is the past")
	if s := must(h.openRun("audit-7").SignalByID(context.Background(), "s2")).Signal; s.ClaimedBy != "" {
		t.Errorf("%+v", s)
	}
	h.press("esc", "esc", "1", "G", "enter")
	h.lacks("as it was")
	h.press("tab", "tab", "tab", "enter") // the first line of its history
	h.wants("back", "event 3 of 17", "Entries")
	h.press("enter")
	h.wants("as it was after event 3", "e1")
	h.lacks("disputed", "contradicted")
	h.press("tab", "enter", "L") // from its first link
	h.wants("live", "Entries")
}

// n and N go through the list that an entry was opened from.
func TestNextOne(t *testing.T) {
	h := openAudit(t)
	h.press("enter")
	h.wants("e6 ")
	h.press("n", "n")
	h.wants("› e4")
	h.press("N")
	h.wants("› e5")
	h.press("esc")
	h.wants("2 of 6")
}

// An editor that fails keeps what was written; one that is not there is named as that.
func TestEditorFails(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	a := newApp(context.Background(), Config{Editor: func(path string, _ int) (*exec.Cmd, error) { return exec.Command("true", path), nil }})
	var text string
	var problem error
	keep := func(s string, err error) tea.Cmd { text, problem = s, err; return nil }
	msg := a.editText(nil, "before\n", ".md", keep)().(editorMsg)
	ends := func(err error) { msg.done(err).(screenBackMsg).then.(answer).take() }
	file := msg.cmd.Args[1]
	if err := os.WriteFile(file, []byte("written\n"), 0o600); err != nil {
		t.Fatal(err)
	}
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

// A form takes tabs and more lines than it can show, and gives back exactly what it was given.
func TestFormKeepsTexts(t *testing.T) {
	h := openAudit(t)
	text := "a\tb\n" + strings.Repeat("line\n", maxAreaLines+5) + "end"
	fl := &field{name: "x", label: "X", lines: 5, value: text}
	var saved string
	f := newForm(h.m.app, form{heading: "Form", button: "save", fields: []*field{fl}, submit: func(_ context.Context, v values) (outcome, error) {
		saved = v["x"]
		return outcome{text: "saved"}, nil
	}})
	h.do(h.m.handleAll(overlayMsg{f}))
	h.press("ctrl+s")
	if saved != text {
		t.Errorf("%d bytes are saved instead of %d", len(saved), len(text))
	}
	f = newForm(h.m.app, form{heading: "Form", button: "save", fields: []*field{{name: "x", label: "X", lines: 5, value: text}}, submit: f.submit})
	saved = ""
	h.do(h.m.handleAll(overlayMsg{f}))
	h.typeText("more")
	h.press("ctrl+s")
	h.wants("would be lost")
	if saved != "" {
		t.Errorf("%d bytes are saved", len(saved))
	}
}

// The mouse is asked for again after an editor has had the screen.
func TestMouseAfterEditor(t *testing.T) {
	h := openAudit(t)
	var out strings.Builder
	h.m.app.out = &out
	cmd := h.m.handle(screenBackMsg{})
	if cmd == nil || cmd() != tea.EnableMouseCellMotion() || !strings.Contains(out.String(), noWrap) {
		t.Errorf("%v, %q", cmd, out.String())
	}
	h.m.app.out = nil
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

// Ages go by the clock until the moment of the past is known.
func TestAgesOnTheWay(t *testing.T) {
	h := openAudit(t)
	p := h.m.top().(*runPage)
	p.back.on, p.back.seq = true, 3
	if got := p.moment(); !got.Equal(testNow) {
		t.Errorf("it is %v", got)
	}
	if s := since(testNow.Add(-time.Second), testNow); s != "just now" {
		t.Errorf("%q", s)
	}
}

// K comes back with the question of the last time; what is typed then is another question.
func TestNewQuestion(t *testing.T) {
	h := openAudit(t)
	h.press("K")
	h.typeText("who rotates the keys")
	h.press("esc", "K")
	h.wants("› who rotates the keys")
	h.typeText("tokens")
	h.wants("› tokens")
	h.lacks("rotates the keys")
	h.press("esc", "K", "left")
	h.typeText("x")
	h.wants("› tokenxs")
}

// Whoever closes a question that another works on is told.
func TestClaimIsTold(t *testing.T) {
	h := openAudit(t)
	h.press("2", "j", "w")
	h.wants("Waive s3", "reader-3 has claimed it until")
}

// TestActsSayWhatTheyAreFor: a key for questions on an entry, and one for entries on a question, say so and do nothing.
func TestActsSayWhatTheyAreFor(t *testing.T) {
	h := openAudit(t)
	h.press("1", "a")
	h.wants("address is for a question")
	h.press("2", "P")
	h.wants("promote to knowledge is for an entry")
}
