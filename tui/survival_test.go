package tui

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/documents"
	"blackboard/tui/checks"
	"blackboard/tui/page"
	"blackboard/tui/runs"
)

// auditReport carries some of what fillReported obliges it to.
const auditReport = `# Audit of the tokens

Access tokens never expire, since the parser ignores the field exp.

The gateway rejects tokens after 20 minutes, so that they expire in practice.

Whether staging shares the production key is not known.

撤销列表没有文档, and nobody documents the list 🙂.

Fees were paid on 1 March 2027 for 12 seats.
`

// write writes a file of the project, so many minutes old.
func (h *harness) write(name, text string, minutes int) {
	h.t.Helper()
	path := filepath.Join(h.cfg.Files, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	at := testNow.Add(-time.Duration(minutes) * time.Minute)
	if err := os.Chtimes(path, at, at); err != nil {
		h.t.Fatal(err)
	}
}

// fillReported adds items of every kind, and reports.
func fillReported(h *harness) {
	fillAudit(h)
	ctx := context.Background()
	b := h.openRun("audit-7")
	must(b.Post(ctx, "reader-2", board.Post{Content: "令牌的撤销列表没有文档 🙂", MustSurface: true}))
	must(b.Post(ctx, "reader-2", board.Post{Content: "Fees of 2027-03-01 were paid for 12 seats", MustSurface: true}))
	must(b.Post(ctx, "reader-1", board.Post{Content: "Backups are encrypted with a passphrase that everybody knows", MustSurface: true}))
	h.write("report.md", auditReport, 3)
	h.write("docs/old.txt", "nothing", 3000)
	h.write("docs/報告書 🙂.html", "<p>Nothing</p>", 90)
	h.write("docs/deep/deeper/hidden.md", "too deep", 1)
	h.write("node_modules/readme.md", "not ours", 1)
	h.write(".cache/readme.md", "not ours", 1)
	h.write("main.go", "package main", 1)
	h.write("empty.md", "\n", 500)
}

// openSurvival opens the run, and asks whether a report carries it.
func openSurvival(t *testing.T) *harness {
	t.Helper()
	h := newHarness(t, func(h *harness) { fillReported(h); h.cfg.Run = "audit-7" })
	h.press("S")
	return h
}

func TestSurvivalPick(t *testing.T) {
	h := openSurvival(t)
	h.goldens("survival-pick")
	h.lacks("hidden.md", "readme.md", "main.go")
	h.size(80, 24)
	h.typeText("OLD docs")
	h.goldens("survival-pick-typed")
	h.size(80, 24)
	h.press("ctrl+u")
	h.typeText("nowhere.md")
	h.wants("enter takes it as the path")
	h.press("esc") // what was typed
	h.wants("report.md")
	h.press("q") // text, not a command
	h.wants("/ q")
	p := h.m.top().(*checks.CheckPage)
	p.Update(tea.KeyMsg{Type: tea.KeyBackspace})
	p.Update(tea.KeyMsg{Type: tea.KeyEsc})
	p.Update(tea.KeyMsg{Type: tea.KeyEsc}) // before the page is gone
	h.size(80, 24)
	if _, there := h.m.top().(*runs.Page); !there {
		t.Errorf("one has come to %T", h.m.top())
	}

	h = newHarness(t, func(h *harness) { fillAudit(h); h.cfg.Run = "audit-7" })
	h.cfg.Files = filepath.Join(h.cfg.Files, "gone")
	h.start()
	h.size(160, 24) // one line, however long the path is
	h.press("S")
	h.wants("directory · type the path")
}

func TestSurvivalPickNone(t *testing.T) {
	h := newHarness(t, func(h *harness) { fillAudit(h); h.cfg.Run = "audit-7"; h.cfg.Home = h.home })
	h.press("S")
	h.golden("survival-pick-none")
}

func TestSurvival(t *testing.T) {
	h := openSurvival(t)
	h.press("enter") // the newest
	h.goldens("survival")
	h.press("down", "down")
	h.goldens("survival-number")
	h.size(160, 50)
	h.press("G")
	h.wants("✓ present", "Where")
	h.press("f", "g")
	h.goldens("survival-missing")
	h.lacks("present")

	// The chosen item stays chosen, when all are shown and when it is checked again.
	h.press("G")
	id := h.m.top().(*checks.CheckPage).Chosen()
	h.press("f")
	if now := h.m.top().(*checks.CheckPage).Chosen(); now != id {
		t.Errorf("%s is chosen, not %s", now, id)
	}
	h.write("report.md", "Nothing of it.\n", 1)
	h.press("ctrl+r")
	if now := h.m.top().(*checks.CheckPage).Chosen(); now != id {
		t.Errorf("%s is chosen, not %s", now, id)
	}
	h.wants("The report has nothing similar")

	h.press("enter") // the entry or signal itself
	h.wants("History")
	h.press("esc", "esc")
	h.press("S") // the report is remembered
	h.wants("report.md", "✗ not passed")
}

func TestSurvivalPassed(t *testing.T) {
	h := openSurvival(t)
	b := h.openRun("audit-7")
	var all strings.Builder
	for _, it := range must(b.Items(context.Background())) {
		all.WriteString(it.Content + "\n\n")
	}
	h.write("report.md", all.String(), 0)
	h.typeText("report.md")
	h.press("enter")
	h.goldens("survival-passed")
	h.press("f")
	h.wants("nothing is missing; f shows all items")

	// Nothing to check is no success to be proud of.
	b = h.openRun("empty")
	must(b.Post(context.Background(), "ada", board.Post{Content: "one"}))
	h.cfg.Run = "empty"
	h.start()
	h.press("S")
	h.typeText("report.md")
	h.press("enter")
	h.golden("survival-nothing")
}

// TestSurvivalErrors: what cannot be read is said, with the way back.
func TestSurvivalErrors(t *testing.T) {
	h := openSurvival(t)
	h.typeText("empty.md")
	h.press("enter")
	h.goldens("survival-empty")
	h.press("r")
	h.write("picture.md", "\x00\x01\x02", 1)
	h.write("large.txt", "x", 1)
	if err := os.Truncate(filepath.Join(h.cfg.Files, "large.txt"), documents.Max+1); err != nil {
		t.Fatal(err)
	}
	for typed, says := range map[string]string{"picture.md": "binary file", "large.txt": "64 MiB", "./docs": "is a directory", "../gone.md": "there is no file"} {
		h.press("ctrl+u")
		h.typeText(typed)
		h.press("enter")
		h.wants(says, "r another report")
		h.press("f", "o", "down", "enter") // there is nothing to do it to
		h.press("r")
	}
	h.press("esc") // back to the report that cannot be read
	h.wants("could not be checked")
	h.write("empty.md", "Now it has a text.\n", 0)
	h.press("r")
	h.typeText("empty.md")
	h.press("enter")
	h.wants("not passed")
}

// TestSurvivalChanged: a report that changed is read again, and so is one whose run did; one that
// did not is left alone.
func TestSurvivalChanged(t *testing.T) {
	h := openSurvival(t)
	h.press("enter")
	p := h.m.top().(*checks.CheckPage)
	before := p.Result
	h.do(p.Look())
	if p.Result != before {
		t.Error("it was checked again though nothing has changed")
	}
	h.write("report.md", auditReport+"\n\nBackups are encrypted with a passphrase that everybody knows.\n", 1)
	h.do(p.Look())
	if p.Result.Steps[0].Survival.Missing != before.Steps[0].Survival.Missing-1 {
		t.Errorf("%d are missing, and %d were before one was added", p.Result.Steps[0].Survival.Missing, before.Steps[0].Survival.Missing)
	}
	checked := p.Result.Steps[0].Survival.Checked
	must(h.openRun("audit-7").Post(context.Background(), "ada", board.Post{Content: "Something else entirely", MustSurface: true}))
	p.Update(page.EventsMsg{From: h.m.pages[1].(*runs.Page)}) // the run's own page would wait for the next one
	h.do(p.Look())
	if p.Result.Steps[0].Survival.Checked != checked+1 {
		t.Errorf("%d items are checked, and %d were before one was posted", p.Result.Steps[0].Survival.Checked, checked)
	}
	if err := os.Remove(filepath.Join(h.cfg.Files, "report.md")); err != nil {
		t.Fatal(err)
	}
	h.do(p.Look())
	h.wants("there is no file report.md")
	h.lacks("standard input")
}

// TestSurvivalStays: what is read stays where it is when the report is checked again.
func TestSurvivalStays(t *testing.T) {
	h := openSurvival(t)
	h.press("enter")
	h.size(60, 18)
	p := h.m.top().(*checks.CheckPage)
	h.press("tab", "down", "down")
	h.press("ctrl+r")
	if p.Doc.Top != 2 {
		t.Errorf("line %d is the first one after the report was checked again", p.Doc.Top)
	}
}

// TestSurvivalScattered: what is scattered is explained, and the reasons are counted.
func TestSurvivalScattered(t *testing.T) {
	far := "\n" + strings.Repeat("The weather over the lake was calm.\n\n", 300) + "\n\n"
	h := newHarness(t, func(h *harness) {
		b := h.openRun("audit-7")
		must(b.Post(context.Background(), "ada", board.Post{Content: "Ironworks refuses subordination entirely", MustSurface: true}))
		must(b.Post(context.Background(), "ada", board.Post{Content: "Backups are encrypted", MustSurface: true}))
		h.write("report.md", "Ironworks is a lender.\n"+far+"It refuses.\n"+far+"Subordination, entirely.\n", 1)
		h.cfg.Run = "audit-7"
	})
	h.press("S")
	h.typeText("report.md")
	h.press("enter")
	h.wants("1 absent, 1 scattered", "✗ missing: scattered", "Its words are there, but in no one passage.", "that the passage below lacks", "o opens it")
	h.write("report.docx", docx(t, "Tokens never."), 0)
	h.press("r")
	h.typeText("report.docx")
	h.press("enter")
	h.lacks("o opens it", "open the report")
}

// docx returns a document of Word with one paragraph.
func docx(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`},
		{"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">` +
			`<w:body><w:p><w:r><w:t>` + text + `</w:t></w:r></w:p></w:body></w:document>`},
	} {
		if _, err := must(z.Create(f[0])).Write([]byte(f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestSurvivalMouse: clicks choose and open; the wheel scrolls what it is over.
func TestSurvivalMouse(t *testing.T) {
	h := openSurvival(t)
	h.clickOn("docs/old.txt")
	h.clickOn("docs/old.txt")
	h.wants("docs/old.txt", "not passed")
	h.press("r")
	h.typeText("report.md")
	h.press("enter")
	h.size(160, 50)
	h.clickOn("present")
	h.wants("✓ present")
	id := h.m.top().(*checks.CheckPage).Chosen()
	h.clickOn("✓ " + id)
	h.wants("History")
}

// TestSurvivalKeys: tab goes to the text, which then scrolls.
func TestSurvivalKeys(t *testing.T) {
	h := openSurvival(t)
	h.press("enter")
	h.size(60, 18)
	p := h.m.top().(*checks.CheckPage)
	h.press("tab", "down")
	if p.Items.Cursor != 0 || p.Doc.Top != 1 {
		t.Errorf("row %d, line %d after a step down in the text", p.Items.Cursor, p.Doc.Top)
	}
	h.press("tab", "down")
	if p.Items.Cursor != 1 || p.Doc.Top != 0 {
		t.Errorf("row %d, line %d after a step down in the list", p.Items.Cursor, p.Doc.Top)
	}
}
