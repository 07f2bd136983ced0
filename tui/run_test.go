package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/testdata/expect"
	"blackboard/testdata/tuitest"
	"blackboard/tui/cells"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/tui/page"
	"blackboard/tui/runs"
)

// fillAudit makes a run with everything that can be on one: links of all kinds, disputed and
// superseded entries, signals of all priorities and statuses, a claim.
func fillAudit(h *harness) { tuitest.FillAudit(h.t, h.openRun("audit-7")) }

func TestRuns(t *testing.T) {
	h := newHarness(t, nil)
	h.golden("runs-none")
	h = newHarness(t, func(h *harness) {
		fillAudit(h)
		b := h.openRun("release-notes")
		must(b.Post(context.Background(), "writer", board.Post{Content: "nothing is open here"}))
		written := h.openRun("written")
		must(written.Post(context.Background(), "writer", board.Post{Content: "the report is being written"}))
		must("", written.RecordCheck(context.Background(), "ci", failedCheck(h, "docs/report.md")))
		must(board.Create(context.Background(), h.cfg.Boards, "quiet", "Find out what 日本語 does to a table 🙂", "ada", nil)).Close()
	})
	h.goldens("runs")
	h.press("/")
	h.typeText("aud")
	h.golden("runs-filter")
	h.lacks("release-notes")
	h.press("enter", "enter")
	h.wants("audit-7", "never expire")
	h.press("esc", "esc")
	h.wants("release-notes")
	h.press("q")
	if !h.quit {
		t.Error("q on the first page does not leave the program")
	}
}

// TestReportThatFailed: the text about a run leads to the check of the report that failed, in the
// project where it was checked.
func TestReportThatFailed(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		b := h.openRun("written")
		must(b.Post(context.Background(), "writer", board.Post{Content: "the report is being written"}))
		must("", b.RecordCheck(context.Background(), "ci", failedCheck(h, "docs/report.md")))
	})
	h.goldens("runs-failed")
	h.size(80, 24)
	h.press("tab", "enter")
	h.wants("✗ written could not be checked", "there is no file docs/report.md", "r another report")
	h.write("docs/report.md", "Nothing.\n", 1)
	h.press("ctrl+r")
	h.wants("2 of 5 steps passed", "docs/report.md")
	h.press("esc", "esc")
	elsewhere := failedCheck(h, "docs/report.md")
	elsewhere.Dir, elsewhere.SHA256 = "another", "bb"
	must("", h.openRun("written").RecordCheck(context.Background(), "ci", elsewhere))
	h.press("ctrl+r", "C")
	h.wants("no report: r chooses one") // its docs/report.md is another file
}

// failedCheck is a check of a report of the harness's project that failed.
func failedCheck(h *harness, report string) board.ReportCheck {
	return board.ReportCheck{Reports: []string{report}, SHA256: "aa", Dir: check.DirDigest(h.cfg.Workspace),
		Steps: []board.CheckedStep{{Name: "survival", Wrong: 2},
			{Name: "trace", Wrong: 1}}}
}

func openAudit(t *testing.T) *harness {
	t.Helper()
	return newHarness(t, func(h *harness) { fillAudit(h); h.cfg.Run = "audit-7" })
}

func TestRunPanes(t *testing.T) {
	h := openAudit(t)
	h.goldens("run-entries")
	h.press("2")
	h.goldens("run-signals")
	h.press("f")
	h.goldens("run-signals-all")
	h.press("3")
	h.goldens("run-workers")
	h.press("j", "j", "enter")
	h.wants(`worker:"reader-2"`, "Key rotation")
	h.lacks("Tokens do expire")
}

func TestRunThatIsNotThere(t *testing.T) {
	h := newHarness(t, func(h *harness) { h.cfg.Run = "nothing" })
	h.goldens("run-missing")
	h.press("p", "tab", "L", "[", "S")
	h.press("esc")
	h.wants("There is no run yet")
}

func TestFeedFilter(t *testing.T) {
	h := openAudit(t)
	h.press("/")
	h.typeText("type:con")
	h.wants("Tokens do expire", "1 of 1")
	h.lacks("rotation")
	h.golden("run-filter")
	h.press("esc")
	h.wants("rotation")
	h.press("/")
	h.typeText("must status:disputed never")
	h.wants("never expire", "1 of 1")
	h.press("enter", "enter")
	h.wants("if claims.Exp")
	h.press("esc", "esc", "/")
	h.typeText("type:nonsense")
	h.wants("unknown type")
	h.press("esc")
	h.lacks("unknown type")
}

// TestFeedGrows sees that what is chosen stays chosen when entries come, and that the first row
// follows.
func TestFeedGrows(t *testing.T) {
	h := openAudit(t)
	p := h.m.top().(*runs.Page)
	b := h.openRun("audit-7")
	post := func(text string) {
		t.Helper()
		posted := must(b.Post(context.Background(), "late", board.Post{Content: text, Contradicts: []string{"e2"}}))
		var events []board.Event
		for e, err := range b.Events(context.Background(), posted.Entry.Seq-1) {
			events = append(events, must(e, err))
		}
		h.send(page.EventsMsg{From: p, Events: events})
	}
	post("the first that came")
	h.wants("the first that came", "1 of 7")
	h.press("j", "j")
	was := p.Chosen()
	post("the second that came")
	if now := p.Chosen(); now != was {
		t.Errorf("%s was chosen, now it is %s", was, now)
	}
	h.wants("4 of 8")
	h.press("g")
	h.wants("the second that came")
	for _, pane := range []string{"2", "4"} { // while another pane is shown
		h.press(pane)
		post("what came meanwhile " + pane)
		h.press("1")
		h.wants("what came meanwhile " + pane)
	}
}

func TestReplay(t *testing.T) {
	h := openAudit(t)
	last := h.m.top().(*runs.Page).Place()
	for range 3 {
		h.press("{")
	}
	h.press("[")
	h.goldens("run-past")
	h.wants("back", "L live")
	h.press("p")
	h.wants("this is the past")
	h.press("2", "f")
	h.golden("run-past-signals")
	// Each step shows what Replay gives.
	b := h.openRun("audit-7")
	p := h.m.top().(*runs.Page)
	for seq := last - 1; seq >= 1; seq-- {
		h.do(p.GoTo(seq))
		s := must(b.Replay(context.Background(), seq))
		h.wants(fmt.Sprintf("at event %d", seq), cells.Plural(int64(len(s.Entries)), "entry")+" ·",
			"· "+cells.Plural(int64(len(s.Signals)), "question"))
	}
	h.press("1", "/")
	h.typeText("never")
	h.press("enter", "L")
	h.wants("live", "never expire", "1 of 1")
	h.press("esc")
	h.wants("live", "6 of 6")
	h.press("[", "esc")
	h.wants("live")
}

// TestSignalOfPolicy: what keeps the gate closed is what board.yaml says.
func TestSignalOfPolicy(t *testing.T) {
	h := openAudit(t)
	file := filepath.Join(h.cfg.Files, "board.yaml")
	expect.OK(t, os.WriteFile(file, []byte("gate:\n  block: [critical]\n"), 0o600))
	h.press("2", "enter")
	h.wants("rate limited", "raised by")
	h.lacks("keeps the gate closed")
}

// TestHeldKeys sees that keys that arrive together all count, and that a paste is no row of
// commands.
func TestHeldKeys(t *testing.T) {
	h := openAudit(t)
	h.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jjj")})
	h.wants("4 of 6")
	h.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("[[")})
	h.wants("event 15 of 17")
	h.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("Lp"), Paste: true})
	h.wants("event 15 of 17")
}

func TestSizes(t *testing.T) {
	h := openAudit(t)
	for w := 1; w < 200; w += 7 {
		for ht := 1; ht < 60; ht += 3 {
			h.size(w, ht) // the harness sees that every line fits
		}
	}
	h.size(59, 17)
	h.golden("small")
	h.press("?", "K")
	h.size(80, 24)
	h.wants("audit-7")
}

func TestHelp(t *testing.T) {
	h := openAudit(t)
	h.press("?")
	h.goldens("help")
	h.press("esc")
	h.lacks("All keys")
}

// TestHostile sees that nothing that agents wrote reaches the terminal as more than text.
func TestHostile(t *testing.T) {
	evil := "\x1b]0;title\x07\x1b[2J\u202Eabc\u2066 \u009b31m \r\n\t\x00 end"
	h := newHarness(t, func(h *harness) {
		evil := strings.ReplaceAll(evil, "\x00", "")
		b := h.openRun("plain")
		ctx := context.Background()
		p := must(b.Post(ctx, "marker", board.Post{Content: evil, SourceDoc: evil, SourceRef: evil, Evidence: evil, Tags: []string{evil}}))
		must(b.Signal(ctx, "marker", board.Raise{Content: evil, Priority: "critical", Origin: p.Entry.ID}))
		must(b.Claim(ctx, "marker", "s1", time.Hour))
		var lines bytes.Buffer // nobody may have such a name, but one may come with an import
		expect.OK(t, b.Export(ctx, &lines))
		name := must(json.Marshal(evil))
		must(board.Import(ctx, h.cfg.Boards, "ada", bytes.NewReader(bytes.ReplaceAll(lines.Bytes(), []byte(`"marker"`), name)), board.ImportOptions{Run: "evil"}))
		h.cfg.Run = "evil"
	})
	look := func() {
		t.Helper()
		for _, bad := range []string{"\x1b]", "\x1b[2J", "\u202e", "\u2066", "\u009b", "\x07", "\r"} {
			if strings.Contains(h.m.View(), bad) {
				t.Errorf("%q is on the screen %q", bad, h.m.View())
			}
		}
	}
	for _, w := range []int{80, 160} {
		h.size(w, 40)
		for _, k := range []string{"1", "2", "3", "4", "1", "enter", "esc", "2", "enter", "tab", "enter", "esc", "esc", "2", "w", "esc", "a", "esc"} {
			h.press(k)
			look()
		}
	}
}

// TestExpectedWorkers: the gate names each worker that it waits for, and the list of workers says
// what became of them.
func TestExpectedWorkers(t *testing.T) {
	ctx := context.Background()
	var b *board.Board
	h := newHarness(t, func(h *harness) {
		b = h.openRun("audit-8")
		must(b.Post(ctx, "reader-1", board.Post{Content: "Tokens never expire"}))
		must(b.Expect(ctx, "lead", []string{"reader-1", "reader-2", "reader-3"}, false))
		must(b.DoneWithNote(ctx, "reader-1", "the appendix is left open"))
		must(b.Drop(ctx, "lead", "reader-3", "its documents are gone"))
		h.cfg.Run = "audit-8"
	})
	h.press("2")
	h.goldens("run-expected")
	h.wants("reader-2 has not finished yet")
	h.press("3")
	h.goldens("run-expected-workers")
	h.wants("✓ done", "dropped", "expected")
	h.size(80, 24)
	h.wants("dropped: its documents are gone")
	h.size(160, 50)
	h.press("G")
	h.wants("dropped since 2026-01-02 15:04:05Z, says lead", "its documents are gone")
}

// TestActOnExpected says on the screen that a worker has finished, with a note, or that nobody
// waits for it, and takes both back.
func TestActOnExpected(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		b := h.openRun("audit-8")
		must(b.Post(context.Background(), "reader-1", board.Post{Content: "Tokens never expire"}))
		must(b.Expect(context.Background(), "lead", []string{"reader-2"}, false))
		h.cfg.Run = "audit-8"
	})
	h.press("2", "enter") // there is no page of who is waited for
	h.wants(`worker:"reader-2"`)
	h.press("esc", "2")
	h.size(80, 24)
	h.press("a")
	h.typeText("the index of 2019 is left open")
	h.press("enter")
	h.wants("reader-2 is done", "gate open")
	h.press("u", "enter")
	h.wants("waits for reader-2 again", "reader-2 has not finished yet")
	h.press("w", "enter")
	h.wants("why, or a note")
	h.typeText("late")
	h.press("enter")
	h.wants("reader-2 is dropped", "gate open")
	h.press("u", "enter")
	h.wants("waits for reader-2 again")
	h.press("3")
	for !strings.Contains(h.chosenRow(), "reader-2") {
		h.press("j")
	}
	h.press("a")
	h.typeText("late, but complete")
	h.press("enter")
	h.wants("reader-2 is done")
	h.size(160, 50)
	h.wants("note", "late, but complete")
}
