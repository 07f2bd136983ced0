package tui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/page"
	"blackboard/tui/runs"
)

// Where there is room the chosen entry is shown beside the lists, else in place of them: 4.
func TestPreview(t *testing.T) {
	h := openAudit(t)
	h.lacks("if claims.Exp")
	h.press("G", "4")
	h.wants("if claims.Exp", "1 entries")
	h.lacks("6 of 6")
	h.golden("preview-alone")
	h.press("1")
	h.lacks("if claims.Exp")
	h.size(110, 30)
	h.wants("if claims.Exp", "gate closed")
	h.press("k")
	h.wants("confidence 0.5", "← superseded by")
	h.press("2")
	h.wants("raised by reader-2", "keeps the gate closed")
	h.press("3")
	h.wants("posted", "1 entry", "Works on")
	h.press("1")
	h.goldens("preview")
}

// The preview follows what others do, the past, and the filter, whose words are marked in it.
func TestPreviewFollows(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		fillAudit(h)
		h.cfg.Run = "audit-7"
		h.cfg.Renderer = brightApp().Renderer
	})
	h.size(140, 40)
	h.press("G")
	h.wants("≠ disputed by e3")
	h.press("/")
	h.typeText("NEVER expire")
	if mark := h.m.app.Styles.Found.Render("never"); !strings.Contains(h.m.View(), mark) {
		t.Errorf("there is no %q", mark)
	}
	h.press("esc")
	h.wants("6 of 6", "≠ disputed")
	for range 12 {
		h.press("[")
	}
	h.wants("event 5 of 17", "as it was after event 5")
	h.press("L")
	h.lacks("as it was after")

	p := h.m.top().(*runs.Page)
	b := h.openRun("audit-7")
	posted := must(b.Post(context.Background(), "late", board.Post{Content: "the newest"}))
	var events []board.Event
	for e, err := range b.Events(context.Background(), posted.Entry.Seq-1) {
		events = append(events, must(e, err))
	}
	h.send(page.EventsMsg{From: p, Events: events})
	h.press("g")
	h.wants("── e7 ─") // beside the list
}

// The keys go round through all that is seen, and into the text, which they scroll.
func TestPreviewKeys(t *testing.T) {
	h := openAudit(t)
	h.size(120, 20)
	p := h.m.top().(*runs.Page)
	h.press("G")
	for _, want := range []int{runs.PaneQuestions, runs.PaneWorkers, runs.PanePreview} {
		h.press("tab")
		if p.Here() != want {
			t.Errorf("pane %d has the keys instead of %d", p.Here(), want)
		}
	}
	h.press("1", "4")
	before := h.screen()
	if h.press("j"); h.screen() == before || p.Chosen() != "e1" {
		t.Errorf("the text does not scroll, or %s is chosen:\n%s", p.Chosen(), h.screen())
	}
	h.press("esc")
	if p.Here() != runs.PaneFeed {
		t.Errorf("pane %d has the keys", p.Here())
	}
}

// A filter is that of the list that has the keys, and what is chosen stays chosen without it.
func TestFilterOfTheList(t *testing.T) {
	h := openAudit(t)
	p := h.m.top().(*runs.Page)
	h.press("2", "f", "/")
	h.typeText("failed logins")
	h.press("enter")
	h.wants("1 of 1", "s4")
	h.press("esc")
	h.wants("4 of 4")
	if got := p.Chosen(); got != "s4" {
		t.Errorf("%s is chosen", got)
	}
	h.press("3", "/")
	h.typeText("reader-1")
	h.press("enter")
	h.wants("1 of 1")
	h.lacks("reader-2")
	h.press("esc")
	if row := h.chosenRow(); !strings.Contains(row, "reader-1") {
		t.Errorf("%q is chosen", row)
	}
	h.press("1", "/")
	h.typeText("type:gap")
	h.press("enter", "esc")
	h.wants("2 of 6")
}

// Names that differ at the end are told apart.
func TestLongNames(t *testing.T) {
	for _, c := range []struct {
		name, want string
		w          int
	}{
		{"reader", "reader", 8},
		{"extract-lien-and-debt-information-1", "extract-…mation-1", 17},
		{"令牌的撤销列表没有文档", "令牌…文档", 10},
		{"abcdef", "ab…", 3},
	} {
		if got := cells.ShortName(c.name, c.w); got != c.want || cells.Width(got) > c.w {
			t.Errorf("%q in %d cells is %q", c.name, c.w, got)
		}
	}
}

// A larger window has more rows, which are read without a key.
func TestLargerWindow(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		b := h.openRun("many")
		for i := range 600 {
			must(b.Post(context.Background(), "w", board.Post{Content: fmt.Sprint("finding ", i)}))
		}
		h.cfg.Run = "many"
	})
	for range 40 {
		h.size(60, 18)
		h.press("pgdown")
		h.size(220, 60)
		if row := regexp.MustCompile(`e[0-9]+ …`).FindString(h.m.View()); row != "" {
			t.Fatalf("a row is not read: %s", row)
		}
	}
}

// In tmux, which takes no text from programs, its own command copies.
func TestClipboardCommand(t *testing.T) {
	to := filepath.Join(t.TempDir(), "copied")
	h := openAudit(t)
	h.m.app.Clipboard = func() *exec.Cmd { return exec.Command("sh", "-c", "cat >"+to) }
	h.press("y")
	h.lacks("if the terminal lets")
	if got, err := os.ReadFile(to); err != nil || !strings.HasPrefix(string(got), "e") {
		t.Errorf("copied %q, %v", got, err)
	}
	h.m.app.Clipboard = func() *exec.Cmd { return exec.Command("sh", "-c", "exit 1") }
	h.press("y")
	h.wants("if the terminal lets programs do that")
}
