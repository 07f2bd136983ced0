package runs

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// reportEvery is how often the page checks whether the report's file has changed.
const reportEvery = 2 * time.Second

// reportState identifies a version of a file.
type reportState struct {
	modified time.Time
	size     int64
}

// stateOf returns the state of a file; zero if that fails.
func stateOf(path string) reportState {
	info, err := os.Stat(path)
	if err != nil {
		return reportState{}
	}
	return reportState{info.ModTime(), info.Size()}
}

// pickReport asks for a report: one of the files nearby, newest first, or a typed path.
func (p *CheckPage) pickReport() tea.Cmd {
	target := func(path, note string, last bool) page.Target {
		return page.Target{Label: path, Text: note, Last: last, Do: func() tea.Cmd { return p.choose(path) }}
	}
	o := page.NewChooser(p.app, "Which report is to carry the run?", "part of a name, or the path of a file", nil)
	o.Empty = "There is no report (md, html, docx, pdf …) in this directory, nor near below it. Type the path of the report."
	o.Typed = func(path string) []page.Target {
		isPath := strings.HasPrefix(path, ".") || strings.HasPrefix(path, "~") || filepath.IsAbs(path)
		return []page.Target{target(path, "the file of this path", !isPath)}
	}
	o.Loads = []func() tea.Cmd{func() tea.Cmd {
		return p.app.Ask(o, func(ctx context.Context) func() tea.Cmd {
			var all []page.Target
			for _, r := range findReports(ctx, p.app.Files) {
				all = append(all, target(r.path, cells.Since(r.modified, p.app.Now()), false))
			}
			return func() tea.Cmd { return o.Add(all) }
		})
	}}
	return p.app.Overlay(o)
}

// choose takes a report, whose path may be relative to the directory of the files, or to the
// home directory.
func (p *CheckPage) choose(path string) tea.Cmd {
	if rest, ok := strings.CutPrefix(path, "~"+string(filepath.Separator)); ok && p.app.Home != "" {
		path = filepath.Join(p.app.Home, rest)
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(p.app.Files, path)
	}
	p.report = path
	p.app.LastReport[p.name] = path
	return p.check()
}

// Limits of the search for reports.
const (
	maxLookedAt = 2000 // files and directories
	maxDepth    = 3    // 1: the directory alone
)

// reportKinds are the extensions of possible reports.
var reportKinds = []string{".md", ".markdown", ".txt", ".html", ".htm", ".docx", ".xlsx", ".pdf", ".csv", ".ipynb"}

// reportFile is a possible report, below the directory of the files.
type reportFile struct {
	path     string
	modified time.Time
}

// findReports lists the possible reports below a directory, newest first. It searches near
// directories first, and skips hidden ones, node_modules and unreadable ones.
func findReports(ctx context.Context, dir string) (all []reportFile) {
	room := maxLookedAt
	for level, depth := []string{"."}, 1; len(level) > 0 && depth <= maxDepth && ctx.Err() == nil; depth++ {
		var below []string
		for _, at := range level {
			entries, _ := os.ReadDir(filepath.Join(dir, at))
			entries = entries[:min(len(entries), room)]
			room -= len(entries)
			for _, e := range entries {
				path := filepath.Join(at, e.Name())
				switch {
				case e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "node_modules":
					below = append(below, path)
				case !e.IsDir() && slices.Contains(reportKinds, strings.ToLower(filepath.Ext(path))):
					// links are followed
					if info, err := os.Stat(filepath.Join(dir, path)); err == nil && info.Mode().IsRegular() {
						all = append(all, reportFile{path, info.ModTime()})
					}
				}
			}
		}
		level = below
	}
	slices.SortFunc(all, func(a, b reportFile) int {
		return cmp.Or(b.modified.Compare(a.modified), strings.Compare(a.path, b.path))
	})
	return all
}
