package checks

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// Limits of the search for reports.
const (
	mostLookedAt   = 2000 // files and directories
	deepestReports = 3    // 1: the directory alone
)

// reportKinds are the extensions of possible reports.
var reportKinds = []string{".md", ".markdown", ".txt", ".html", ".htm", ".docx", ".xlsx", ".pdf", ".csv", ".ipynb"}

// reportFile is a possible report.
type reportFile struct {
	path     string // relative to the directory of the files
	modified time.Time
	size     int64
}

// reportPicker asks for the report: one of the files nearby, newest first, or a typed
// path.
type reportPicker struct {
	app    *page.App
	filter page.Filter
	all    []reportFile
	shown  []reportFile
	more   bool // some files were not searched
	loaded bool
	err    error
	list   page.List
	w      int
}

func newReportPicker(a *page.App) *reportPicker {
	p := &reportPicker{app: a}
	// its line is always shown
	p.filter = page.NewFilter(a, "part of a name, or the path of a file", &p.list, func() {})
	p.list = page.List{App: a, Row: p.row}
	return p
}

// init searches files, for the page that it is on.
func (p *reportPicker) init(on page.Page) tea.Cmd {
	return tea.Batch(p.filter.Start(), p.app.Ask(on, func(ctx context.Context) func() tea.Cmd {
		all, more, err := findReports(ctx, p.app.Files)
		return func() tea.Cmd {
			p.loaded, p.all, p.more, p.err = true, all, more, err
			p.narrow()
			return nil
		}
	}))
}

// findReports lists the possible reports below a directory, newest first; more means that
// the limit was reached. It searches near directories first, and skips hidden ones below
// the start, node_modules and unreadable ones.
func findReports(ctx context.Context, dir string) (all []reportFile, more bool, err error) {
	type level struct {
		dir  string // relative to the start
		deep int
	}
	room := mostLookedAt
	for queue := []level{{".", 1}}; len(queue) > 0 && ctx.Err() == nil; queue = queue[1:] {
		at := queue[0]
		entries, cut, err := readSome(filepath.Join(dir, at.dir), room)
		if err != nil && at.dir == "." {
			return nil, false, err
		}
		room -= len(entries)
		more = more || cut
		for _, e := range entries {
			path, hidden := filepath.Join(at.dir, e.Name()), strings.HasPrefix(e.Name(), ".")
			switch {
			case e.IsDir() && !hidden && e.Name() != "node_modules" && at.deep < deepestReports:
				queue = append(queue, level{path, at.deep + 1})
			case !e.IsDir() && slices.Contains(reportKinds, strings.ToLower(filepath.Ext(path))):
				// links are followed
				if info, err := os.Stat(filepath.Join(dir, path)); err == nil && info.Mode().IsRegular() {
					all = append(all, reportFile{path, info.ModTime(), info.Size()})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b reportFile) int {
		return cmp.Or(b.modified.Compare(a.modified), strings.Compare(a.path, b.path))
	})
	return all, more, ctx.Err()
}

// readSome reads at most n entries of a directory, and reports whether there are more.
func readSome(dir string, n int) (entries []os.DirEntry, more bool, err error) {
	// Stat first: opening and closing a file could drop the locks of a database that this
	// process has open.
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "list", Path: dir, Err: syscall.ENOTDIR}
	}
	if err != nil {
		return nil, false, err
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	entries, err = f.ReadDir(n + 1) // never 0, which means all
	if err == io.EOF {
		err = nil
	}
	if len(entries) > n {
		return entries[:n], true, err
	}
	return entries, false, err
}

func (p *reportPicker) key(msg tea.KeyMsg) tea.Cmd {
	switch msg.Type {
	case tea.KeyTab: // would end the input
		return nil
	case tea.KeyEsc:
		p.filter.Clear()
		cmd := p.filter.Start()
		p.narrow()
		return cmd
	}
	changed, cmd := p.filter.Update(msg)
	if changed {
		p.narrow()
	}
	return cmd
}

// mouse reports a click at the chosen file.
func (p *reportPicker) mouse(msg tea.MouseMsg) bool { return p.list.Mouse(msg, msg.Y-pickTop) }

// narrow shows the files whose path has every typed word.
func (p *reportPicker) narrow() {
	p.shown = p.shown[:0:0]
	for _, r := range p.all {
		if cells.HasWords(r.path, p.filter.Value()) {
			p.shown = append(p.shown, r)
		}
	}
	p.list.SetLen(len(p.shown))
	p.list.MoveTo(0)
}

// chosen returns the selected path: the typed one, if it is that of a file or matches
// none; else the file at the cursor.
func (p *reportPicker) chosen() string {
	typed := strings.TrimSpace(p.filter.Value())
	if p.list.Cursor >= len(p.shown) ||
		slices.ContainsFunc(p.shown, func(r reportFile) bool { return r.path == typed }) {
		return typed
	}
	return p.shown[p.list.Cursor].path
}

// pickTop is the number of lines above the list.
const pickTop = 2

func (p *reportPicker) setSize(w, h int) {
	p.w = w
	p.list.SetSize(w, h-pickTop)
}

func (p *reportPicker) view() []string {
	note := p.list.Place()
	if p.more {
		note += " · there are more files than are looked at"
	}
	switch {
	case p.err != nil:
		p.list.Empty = p.app.Explain(p.err) + " · type the path of the report"
	case !p.loaded:
		p.list.Empty = "looking…"
	case p.filter.Value() != "":
		p.list.Empty = "no file here has this in its path; enter takes it as the path of the report"
	default:
		p.list.Empty = "There is no report (md, html, docx, pdf …) in this directory, nor near below it. Type the path of the report."
	}
	lines := []string{p.app.Styles.Heading("Which report is to carry the run?", note, p.w, true),
		" " + p.filter.View(p.w-1)}
	return append(lines, p.list.View(true)...)
}

func (p *reportPicker) row(i, w int) string {
	r := &p.shown[i]
	facts := cells.Right(sizeOf(r.size), 8) + " " +
		cells.Right(cells.Ago(r.modified, p.app.Now()), 5)
	return cells.Spread(cells.FitLeft(cells.Clean(strings.ReplaceAll(r.path, "\n", " ")),
		max(w-cells.Width(facts)-1, 1)), p.app.Styles.Faint.Render(facts), w)
}

// sizeOf formats the size of a file.
func sizeOf(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return cells.Count(bytes) + " B"
	case bytes < 1<<20:
		return cells.Count(bytes>>10) + " kB"
	default:
		return cells.Count(bytes>>20) + " MB"
	}
}
