package checks

import (
	"errors"
	"os"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/policy"
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

// NewSurvivalPage shows whether a report carries what its run found: the items, missing
// ones first, and for each the passage, or the nearest one. It starts with the report that
// was last chosen for the run, or asks for one.
func NewSurvivalPage(a *page.App, name string, b *board.Board) page.Page {
	p := NewCheckPage(a, name, b).(*CheckPage)
	p.survival = true
	if p.report == "" {
		p.pick = newReportPicker(a)
	}
	return p
}

// carried looks for every item in a report.
func (p *CheckPage) carried(path string) (check.Result, error) {
	report, err := documents.Open(path)
	if err != nil {
		return check.Result{}, err
	}
	found, err := p.b.Survival(p.ctx, report)
	return check.Result{Run: p.name, Seq: found.Seq, Passed: found.Passed, Reports: []string{path},
		Steps: []check.Step{{Name: policy.Survival, Passed: found.Passed, Survival: &found}}}, err
}

// present are the rows of what a report has, or may have.
func present(s *check.Step) (rows []checkRow) {
	for i := range s.Survival.Items {
		if it := &s.Survival.Items[i]; !it.IsMissing() {
			f := check.Finding{ID: it.ID, Text: it.Content, Why: it.Why, Missing: it}
			if it.Passage != nil {
				f.Report, f.Line = it.Passage.Report, it.Passage.Line
			}
			rows = append(rows, checkRow{step: s, found: &f})
		}
	}
	return rows
}

// toggleMissing shows what is missing alone, or all.
func (p *CheckPage) toggleMissing() tea.Cmd {
	chosen := p.chosen()
	p.missing, p.rows = !p.missing, nil
	p.list()
	p.keep(chosen)
	return nil
}

// carriedView shows the items and the chosen one.
func (p *CheckPage) carriedView() []string {
	s := p.Result.Steps[0].Survival
	report := p.app.Styles.Faint.Render(page.ShownPath(p.app, p.report))
	lines := []string{cells.Spread(" "+carriedVerdict(p.app.Styles, s), report+" ", p.Width),
		p.tally(s)}
	title, about := "All items", p.Chosen()
	if p.missing {
		title = "Missing items"
	}
	if about == "" {
		about = "No item"
	}
	return p.Panes(p.app.Styles, lines, title, about)
}

// problem describes why there is no result. The text below tells how to name a missing
// report.
func (p *CheckPage) problem() string {
	if p.survival && errors.Is(p.err, fault.NotFound) {
		return cells.OneLine(p.err.Error(), 300)
	}
	return p.app.Explain(p.err)
}

// nothing says why there are no items.
func (p *CheckPage) nothing() string {
	switch {
	case !p.survival || p.Result == nil:
		return ""
	case p.Result.Steps[0].Survival.Checked > 0:
		return "nothing is missing; f shows all items"
	}
	return "The run has no must-surface entry, no contradiction, and no open or waived signal: " +
		"there is nothing that a report must carry."
}
