package tui

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/tui/page"
	"blackboard/tui/runs"
)

// fillChecked is a run of ten sites: one quote is wrong, two findings contradict each other, and
// the report has an invented number.
func fillChecked(h *harness) {
	ctx := context.Background()
	b := h.openRun("audit-7")
	at := testNow
	b.SetNow(func() time.Time { return at })
	post := func(worker string, p board.Post) { must(b.Post(ctx, worker, p)) }
	post("reader-1", board.Post{Content: "Tokens expire once a day", SourceDoc: "auth.md", Evidence: "Tokens expire once a day", MustSurface: true})
	post("reader-2", board.Post{Content: "Keys are rotated every 90 days", SourceDoc: "auth.md", Evidence: "Keys are rotated every 90 days", MustSurface: true})
	post("reader-2", board.Post{Content: "Ironworks has 98 sites in Iowa 🙂", SourceDoc: "sites.md"})
	post("reader-3", board.Post{Content: "Ironworks has 99 sites in Iowa", SourceDoc: "sites.md"})
	post("reader-3", board.Post{Content: "令牌的撤销列表没有文档", MustSurface: true})
	must(b.Signal(ctx, "reader-1", board.Raise{Content: "Who rotates the signing keys?", Priority: "high"}))
	must(b.Expect(ctx, "lead", []string{"reader-4"}, false))
	h.write("docs/auth.md", "# Auth\n\nTokens expire once a day. Keys are rotated every 30 days.\n", 60)
	h.write("docs/sites.md", "Ironworks has 98 sites in Iowa, or 99 sites.\n", 60)
	h.write("report.md", "# Audit\n\nTokens expire once a day.\n\nIt costs $9.25 at Ironworks, and keys are rotated.\n", 3)
	h.write("board.yaml", "sources: [docs]\ntrace: {max_unsupported: 0}\n", 90)
}

func openCheck(t *testing.T) *harness {
	t.Helper()
	h := newHarness(t, func(h *harness) { fillChecked(h); h.cfg.Run = "audit-7" })
	h.press("C")
	return h
}

func (h *harness) checkPage() *runs.CheckPage { return h.m.top().(*runs.CheckPage) }

// toRow chooses the first row that has a text.
func (h *harness) toRow(text string) {
	h.t.Helper()
	p := h.checkPage()
	h.press("g")
	for range p.Items.Len {
		if strings.Contains(p.Items.Row(p.Items.Cursor, 200), text) {
			return
		}
		h.press("down")
	}
	h.t.Fatalf("no row has %q:\n%s", text, h.screen())
}

// TestCheckWithoutReport: gate, verify and conflicts are shown, and how to choose a report.
func TestCheckWithoutReport(t *testing.T) {
	h := openCheck(t)
	h.goldens("check-no-report")
	h.size(80, 24)
	h.wants("no report: r chooses one", "✗ not passed: gate, verify", "– survival", "– trace", "board.yaml")
	h.press("o") // there is none to open
	h.wants("✗ not passed")
}

// TestCheck: every step with what it found, and all about the chosen one.
func TestCheck(t *testing.T) {
	h := openCheck(t)
	h.press("r")
	h.typeText("report.md")
	h.press("enter")
	h.goldens("check")
	h.size(160, 50)
	h.wants("✗ not passed: gate, verify, survival, trace", "! conflicts", "report.md")
	for row, wants := range map[string][]string{
		"Who rotates":    {"open-signal high", "signal address"},
		"reader-4":       {"reader-4 has not finished yet"},
		"Keys are":       {"nearly", "Its quote", "▏ Keys are rotated every 90 days", "docs/auth.md", "every 30 days", "correct --id e2"},
		"98 sites and":   {"e3  by reader-2  sites.md", "e4  by reader-3", "99 sites in Iowa", "entry settle"},
		"令牌":             {"✗ missing"},
		"$9.25":          {"report.md:5", "o opens it", "▏ It costs $9.25", "Its other facts stand on", "e3, e4"},
		"nothing suppor": {"1 finding below it"},
	} {
		h.toRow(row)
		h.wants(wants...)
	}
	h.toRow("Keys are")
	h.goldens("check-doubted")
	h.toRow("98 sites and")
	h.goldens("check-conflict")
	h.size(160, 50)
	h.toRow("$9.25")
	h.goldens("check-fact")
}

// TestCheckFolds: of a step with many findings the first are listed; n and N go from one to the
// next, and words narrow them.
func TestCheckFolds(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		fillChecked(h)
		b := h.openRun("audit-7")
		for i := range 9 {
			must(b.Signal(context.Background(), "reader-1", board.Raise{Content: fmt.Sprintf("Open question number %d?", i), Priority: "high"}))
		}
		h.cfg.Run = "audit-7"
	})
	h.press("C")
	h.size(160, 50)
	h.wants("… and 7 more: enter lists them")
	h.lacks("Open question number 8")
	h.press("n", "n", "n", "n")
	h.wants("Open question number 1")
	h.press("n") // over the line that says there is more
	if row := h.chosenRow(); !strings.Contains(row, "Keys are rotated") {
		t.Errorf("n chose %q", row)
	}
	h.press("N", "j", "enter")
	h.wants("Open question number 8")
	h.press("f")
	h.lacks("Open question number 8")
	h.press("/")
	h.typeText("number 8")
	h.press("enter")
	h.wants("Open question number 8")
	h.lacks("Open question number 1", "Keys are rotated")
	h.press("esc")
	h.wants("… and 7 more")
	h.press("esc") // the filter first, then the page
	h.lacks("… and 7 more")
}

// TestCheckOpens: enter opens what a row is about.
func TestCheckOpens(t *testing.T) {
	h := newHarness(t, func(h *harness) { fillChecked(h); h.cfg.Run = "audit-7" })
	var opened []string
	h.cfg.Editor = func(path string, line int) (*exec.Cmd, error) {
		opened = append(opened, fmt.Sprintf("%s:%d", filepath.ToSlash(strings.TrimPrefix(path, h.cfg.Files)), line))
		return nil, errors.New("no editor in tests")
	}
	h.start()
	h.press("C", "r")
	h.typeText("report.md")
	h.press("enter")
	h.toRow("Keys are")
	h.press("enter")
	h.wants("e2", "History")
	h.press("esc")
	h.toRow("Who rotates")
	h.press("enter")
	h.wants("s1", "History")
	h.press("esc")
	h.toRow("$9.25")
	h.press("enter", "o")
	h.toRow("survival")
	h.press("o")
	if want := []string{"/report.md:5", "/report.md:5", "/report.md:0"}; !slices.Equal(opened, want) {
		t.Errorf("the editor was given %q", opened)
	}
}

// TestCheckPair: a pair shows both entries, and the way to each.
func TestCheckPair(t *testing.T) {
	h := openCheck(t)
	h.toRow("98 sites and")
	h.press("enter")
	h.goldens("check-pair")
	h.size(80, 24)
	h.press("enter")
	h.wants("reader-2", "History")
	h.press("esc", "tab", "enter")
	h.wants("reader-3", "History")
	h.press("esc", "shift+tab", "esc")
	if row := h.checkPage().Items; !strings.Contains(row.Row(row.Cursor, 200), "98 sites and") {
		t.Errorf("the row is %q", row.Row(row.Cursor, 200))
	}
}

// TestCheckSettle: who knows why both of a pair hold says so where it is seen, and the pair is
// gone.
func TestCheckSettle(t *testing.T) {
	h := openCheck(t)
	h.toRow("98 sites and")
	h.press("enter", "b")
	h.wants("Settle e3 and e4", "98 sites in Iowa")
	h.press("ctrl+s") // without a reason
	h.wants("Settle e3 and e4")
	h.typeText("one is of 2024")
	h.press("ctrl+s")
	h.wants("e3 and e4 are settled", "✓ conflicts")
	h.lacks("98 sites and")
	got := must(h.openRun("audit-7").Snapshot(context.Background())).Settled
	if len(got) != 1 || got[0].A != "e3" || got[0].B != "e4" || got[0].Reason != "one is of 2024" || got[0].Worker != "ada" {
		t.Errorf("the board has %+v", got)
	}
}

// TestCheckSupersede: who knows which of a pair is wrong says so there, and the pair is gone.
func TestCheckSupersede(t *testing.T) {
	h := openCheck(t)
	h.toRow("98 sites and")
	h.press("enter", "tab", "d")
	h.wants("e3 supersedes e4", "stays on the board")
	h.press("enter")
	h.wants("✓ conflicts")
	h.lacks("98 sites and")
	if e := must(h.openRun("audit-7").Entry(context.Background(), "e4")); e.Entry.Status != board.Superseded {
		t.Errorf("e4 is %s", e.Entry.Status)
	}
}

// TestCheckKeys: tab goes to the text, which then scrolls; a row that has nothing to open gives it
// the keys, too.
func TestCheckKeys(t *testing.T) {
	h := openCheck(t)
	h.size(60, 18)
	h.toRow("98 sites and")
	p := h.checkPage()
	at := p.Items.Cursor
	h.press("tab", "down")
	if p.Items.Cursor != at || p.Doc.Top != 1 {
		t.Errorf("row %d, line %d after a step down in the text", p.Items.Cursor, p.Doc.Top)
	}
	h.press("ctrl+r")
	if p.Items.Cursor != at || p.Doc.Top != 1 || !p.InDoc {
		t.Error("what is read moved when the run was checked again")
	}
	h.press("shift+tab", "up")
	if p.Items.Cursor != at-1 || p.Doc.Top != 0 {
		t.Errorf("row %d, line %d after a step up in the list", p.Items.Cursor, p.Doc.Top)
	}
	h.press("g", "enter")
	if !p.InDoc {
		t.Error("the text of a step does not get the keys")
	}
	h.press("tab", "r", "esc")
	h.wants("Steps") // the picker is left, not the page
	h.press("esc")
	if _, there := h.m.top().(*runs.Page); !there {
		t.Errorf("one has come to %T", h.m.top())
	}
}

// TestCheckAgain: that the run goes on is said, and ctrl+r checks it and the report again.
func TestCheckAgain(t *testing.T) {
	h := openCheck(t)
	h.press("r")
	h.typeText("report.md")
	h.press("enter")
	p := h.checkPage()
	h.write("report.md", "Tokens expire once a day.\n", 1)
	h.press("ctrl+r")
	if s := p.Result.Step(check.Trace); s == nil || !s.Passed {
		t.Errorf("trace is %+v after the report was written", s)
	}
	p.Update(page.EventsMsg{From: h.m.pages[1].(*runs.Page), Events: []board.Event{{Seq: p.Result.Seq}}}) // its own verdicts
	h.lacks("the run has changed since")
	must(h.openRun("audit-7").Done(context.Background(), "lead", "reader-4"))
	p.Update(page.EventsMsg{From: h.m.pages[1].(*runs.Page), Events: []board.Event{{Seq: p.Result.Seq + 1}}})
	h.wants("the run has changed since", "reader-4")
	h.press("ctrl+r")
	h.lacks("the run has changed since", "reader-4")
}

// TestCheckErrors: what cannot be read is said, with the way back.
func TestCheckErrors(t *testing.T) {
	h := openCheck(t)
	h.write("board.yaml", "tarce: {}\n", 1)
	h.press("ctrl+r")
	for _, size := range [][2]int{{60, 18}, {160, 50}, {80, 24}} {
		h.size(size[0], size[1])
		h.wants("could not be checked", "board.yaml: line 1: unknown key tarce", "ctrl+r checks it again")
	}
	h.press("f", "o", "down", "enter", "tab", "y") // there is nothing to do it to
	h.write("board.yaml", "reports: [out.md]\n", 1)
	h.press("ctrl+r")
	h.wants("✗ survival", "there is no file")
	h.write("picture.md", "\x00\x01\x02", 1)
	for typed, says := range map[string]string{"picture.md": "binary file", "../gone.md": "there is no file"} {
		h.press("r")
		h.typeText(typed)
		h.press("enter")
		h.wants(says)
	}
	h.write("board.yaml", "", 1)
	h.start() // no report is chosen
	h.press("C")
	h.wants("✗ not passed", "no report: r chooses one")
}

// TestCheckPassed: a run without fault, and no policy.
func TestCheckPassed(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		must(h.openRun("audit-7").Post(context.Background(), "ada", board.Post{Content: "Tokens of Ironworks expire", MustSurface: true}))
		h.write("report.md", "Tokens of Ironworks expire.\n", 1)
		h.cfg.Run = "audit-7"
	})
	h.press("S")
	h.typeText("report.md")
	h.press("enter", "esc", "C") // the report is the one of the survival page
	h.goldens("check-passed")
	h.wants("4 of 5 steps passed; not checked: verify", "without a board.yaml", "✓ trace")
}
