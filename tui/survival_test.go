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

	"blackboard/board"
	"blackboard/testdata/expect"
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
	h.size(80, 24)
	h.typeText("nowhere.md")
	h.wants("the file of this path")
	h.press("esc")
	h.wants("No report is chosen: r chooses one")
	h.press("esc")
	if _, there := h.m.top().(*runs.Page); !there {
		t.Errorf("one has come to %T", h.m.top())
	}
}

func TestSurvival(t *testing.T) {
	h := openSurvival(t)
	h.typeText("report.md")
	h.press("enter", "n") // the first finding
	h.goldens("survival")
	h.toRow("Tokens do")
	h.goldens("survival-number")

	// The chosen item stays chosen when it is checked again.
	id := h.checkPage().Chosen()
	h.write("report.md", "Nothing of it.\n", 1)
	h.press("ctrl+r")
	if now := h.checkPage().Chosen(); now != id {
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
	h.press("esc")
	for typed, says := range map[string]string{"picture.md": "binary file", "../gone.md": "there is no file"} {
		h.press("r")
		h.typeText(typed)
		h.press("enter")
		h.wants(says, "r another report")
		h.press("f", "o", "down", "enter") // there is nothing to do it to
	}
	h.write("empty.md", "Now it has a text.\n", 0)
	h.press("r")
	h.typeText("empty.md")
	h.press("enter")
	h.wants("not passed")
}

// TestSurvivalChanged: that the run has changed is said, and ctrl+r reads both again.
func TestSurvivalChanged(t *testing.T) {
	h := openSurvival(t)
	h.typeText("report.md")
	h.press("enter")
	p := h.m.top().(*runs.CheckPage)
	before := p.Result
	h.write("report.md", auditReport+"\n\nBackups are encrypted with a passphrase that everybody knows.\n", 1)
	h.press("ctrl+r")
	if p.Result.Steps[0].Survival.Missing != before.Steps[0].Survival.Missing-1 {
		t.Errorf("%d are missing, and %d were before one was added", p.Result.Steps[0].Survival.Missing, before.Steps[0].Survival.Missing)
	}
	checked := p.Result.Steps[0].Survival.Checked
	must(h.openRun("audit-7").Post(context.Background(), "ada", board.Post{Content: "Something else entirely", MustSurface: true}))
	p.Update(page.EventsMsg{From: h.m.pages[1].(*runs.Page), Events: []board.Event{{Seq: p.Result.Seq + 1}}}) // the run's own page would wait for the next one
	h.wants("the run has changed since")
	h.press("ctrl+r")
	if p.Result.Steps[0].Survival.Checked != checked+1 {
		t.Errorf("%d items are checked, and %d were before one was posted", p.Result.Steps[0].Survival.Checked, checked)
	}
	expect.OK(t, os.Remove(filepath.Join(h.cfg.Files, "report.md")))
	h.press("ctrl+r")
	h.wants("there is no file report.md")
	h.lacks("standard input")
}

// TestSurvivalStays: what is read stays where it is when the report is checked again.
func TestSurvivalStays(t *testing.T) {
	h := openSurvival(t)
	h.typeText("report.md")
	h.press("enter")
	h.size(60, 18)
	p := h.m.top().(*runs.CheckPage)
	h.press("n", "tab", "down", "down")
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
	h.size(160, 50)
	h.toRow("Ironworks")
	h.wants("✗ missing: scattered", "Its words are there, but in no one passage.", "that the passage below lacks", "o opens it")
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
		expect.Value(must(z.Create(f[0])).Write([]byte(f[1])))(t)
	}
	expect.OK(t, z.Close())
	return out.String()
}
