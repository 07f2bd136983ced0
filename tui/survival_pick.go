package tui

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
)

// Bounds of the search for reports.
const (
	mostLookedAt   = 2000 // files and directories
	deepestReports = 3    // 1: only the directory itself
)

// reportKinds are the endings of files that can be a report.
var reportKinds = []string{".md", ".markdown", ".txt", ".html", ".htm", ".docx", ".xlsx", ".pptx", ".odt", ".pdf", ".csv", ".ipynb"}

// reportFile is a file that may be the report.
type reportFile struct {
	path     string // from the directory of the files on
	modified time.Time
	size     int64
}

// reportPicker asks which file is the report: one of those that are near, the newest
// first, or one whose path is typed.
type reportPicker struct {
	app    *app
	filter filter
	all    []reportFile
	shown  []reportFile
	more   bool // there are files that were not looked at
	loaded bool
	err    error
	list   list
	w      int
}

func newReportPicker(a *app) *reportPicker {
	p := &reportPicker{app: a}
	// it always has its line
	p.filter = newFilter(a, "part of a name, or the path of a file", &p.list, func() {})
	p.list = list{app: a, row: p.row}
	return p
}

// init looks for files, for the page it is on.
func (p *reportPicker) init(on page) tea.Cmd {
	return tea.Batch(p.filter.start(), p.app.ask(on, func(ctx context.Context) func() tea.Cmd {
		all, more, err := findReports(ctx, p.app.Files)
		return func() tea.Cmd {
			p.loaded, p.all, p.more, p.err = true, all, more, err
			p.narrow()
			return nil
		}
	}))
}

// findReports lists the files below a directory that can be reports, the newest first;
// more says that there was more than is looked at. Near ones are looked at first. Hidden
// directories, node_modules and what cannot be read are left out, but for the directory
// itself.
func findReports(ctx context.Context, dir string) (all []reportFile, more bool, err error) {
	type level struct {
		dir  string // from the top on
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

// readSome reads at most n entries of a directory, and says whether there are more.
func readSome(dir string, n int) (entries []os.DirEntry, more bool, err error) {
	// A file is not opened to find out that it is none: it may be a database that this
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
	entries, err = f.ReadDir(n + 1) // never 0, which would be all
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
	case tea.KeyTab: // would end the typing
		return nil
	case tea.KeyEsc:
		p.filter.clear()
		cmd := p.filter.start()
		p.narrow()
		return cmd
	}
	changed, cmd := p.filter.update(msg)
	if changed {
		p.narrow()
	}
	return cmd
}

// mouse reports whether a file that was chosen already was clicked.
func (p *reportPicker) mouse(msg tea.MouseMsg) bool { return p.list.mouse(msg, msg.Y-pickTop) }

// narrow shows the files whose path has every word that was typed.
func (p *reportPicker) narrow() {
	p.shown = p.shown[:0:0]
	for _, r := range p.all {
		if hasWords(r.path, p.filter.value()) {
			p.shown = append(p.shown, r)
		}
	}
	p.list.setLen(len(p.shown))
	p.list.moveTo(0)
}

// chosen is the path that is meant: what is typed, if that is the path of one of the
// files or of none of them; else the file under the cursor.
func (p *reportPicker) chosen() string {
	typed := strings.TrimSpace(p.filter.value())
	if p.list.cursor >= len(p.shown) || slices.ContainsFunc(p.shown, func(r reportFile) bool { return r.path == typed }) {
		return typed
	}
	return p.shown[p.list.cursor].path
}

// pickTop is how many lines are above the list.
const pickTop = 2

func (p *reportPicker) setSize(w, h int) {
	p.w = w
	p.list.setSize(w, h-pickTop)
}

func (p *reportPicker) view() []string {
	note := p.list.place()
	if p.more {
		note += " · there are more files than are looked at"
	}
	switch {
	case p.err != nil:
		p.list.empty = p.app.explain(p.err) + " · type the path of the report"
	case !p.loaded:
		p.list.empty = "looking…"
	case p.filter.value() != "":
		p.list.empty = "no file here has this in its path; enter takes it as the path of the report"
	default:
		p.list.empty = "There is no report (md, html, docx, pdf …) in this directory, nor near below it. Type the path of the report."
	}
	lines := []string{p.app.st.heading("Which report is to carry the run?", note, p.w, true), " " + p.filter.view(p.w-1)}
	return append(lines, p.list.view(true)...)
}

func (p *reportPicker) row(i, w int) string {
	r := &p.shown[i]
	facts := right(sizeOf(r.size), 8) + " " + right(ago(r.modified, p.app.Now()), 5)
	return spread(fitLeft(clean(strings.ReplaceAll(r.path, "\n", " ")), max(w-width(facts)-1, 1)), p.app.st.faint.Render(facts), w)
}

// sizeOf is the size of a file in a few cells.
func sizeOf(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return count(bytes) + " B"
	case bytes < 1<<20:
		return count(bytes>>10) + " kB"
	default:
		return count(bytes>>20) + " MB"
	}
}
