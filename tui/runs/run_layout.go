package runs

import (
	"fmt"
	"strings"

	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// tabs reports whether only one pane is shown at a time.
func (p *Page) tabs() bool { return p.w < page.Wide }

// columns returns the visible panes, by column from left to right and top to bottom.
func (p *Page) columns() [][]int {
	switch {
	case p.tabs() && p.previewed():
		return [][]int{{p.focus, PanePreview}}
	case p.tabs():
		return [][]int{{p.focus}}
	case !p.previewed():
		return [][]int{{PaneFeed}, {PaneQuestions, PaneWorkers}}
	case p.w < previewWider:
		return [][]int{{PaneFeed, PaneQuestions, PaneWorkers}, {PanePreview}}
	}
	return [][]int{{PaneFeed}, {PanePreview}, {PaneQuestions, PaneWorkers}}
}

// widths returns the widths of the columns, with a rule between them. A text is not wider
// than is easy to read.
func (p *Page) widths(columns int) []int {
	switch w := p.w - columns + 1; {
	case columns == 1:
		return []int{w}
	case columns == 3:
		text := min(w*42/100, cells.Measure+4)
		return []int{(w - text) * 6 / 10, text, (w - text) - (w-text)*6/10}
	case p.previewed():
		text := min(w*52/100, cells.Measure+4)
		return []int{w - text, text}
	default:
		return []int{p.w * 57 / 100, w - p.w*57/100}
	}
}

// heights returns the heights of the panes of a column. Of two long lists the one that
// has the keys, or had them last, gets more.
func (p *Page) heights(column []int, h int) []int {
	workers := min(max(len(p.scene.workers)+1, 3), h/5)
	switch {
	case len(column) == 1:
		return []int{h}
	case len(column) == 3:
		h -= workers
		questions := h * 2 / 5
		if p.focus == PaneQuestions {
			questions = h * 3 / 5
		}
		return []int{h - questions, questions, workers}
	case column[1] == PanePreview:
		return []int{h * 2 / 5, h - h*2/5}
	default:
		return []int{h - workers, workers}
	}
}

// nameWidth returns the width of the workers' column in a list of w cells: that of the
// longest name, if enough is left for the text.
func (p *Page) nameWidth(w int) int { return min(max(p.longest, 8), max(w/5, 8)) }

// layout sets the place of each pane.
func (p *Page) layout() {
	p.area = [Panes]page.Rect{}
	top, h := 1, p.h-1-p.time.height() // the summary above, the timeline below
	if p.tabs() {
		top, h = 2, h-1
	}
	columns := p.columns()
	x := 0
	for i, w := range p.widths(len(columns)) {
		y := top
		for j, n := range p.heights(columns[i], h) {
			p.area[columns[i][j]] = page.Rect{X: x, Y: y, W: w, H: n}
			y += n
		}
		x += w + 1
	}
	for i, pane := range p.panes {
		pane.rows().SetSize(p.area[i].W, p.area[i].H-pane.above())
	}
	if p.previewed() {
		p.preview.place(p.area[PanePreview])
	}
}

// SetSize sets the places of the panes.
func (p *Page) SetSize(w, h int) {
	p.w, p.h = w, h
	p.layout()
}

// View shows the panes, or a tab with one of them, above the timeline.
func (p *Page) View() []string {
	if p.b == nil || !p.known {
		word := p.app.Waiting("opening " + cells.Clean(p.Name) + "…")
		if p.err != nil && p.app.Away == nil {
			word = p.app.Explain(p.err)
		}
		return cells.Fill(append([]string{""}, cells.Indented(cells.Wrap(word, p.w-2))...), p.w,
			p.h)
	}
	lines := []string{p.summary()}
	if p.loading() && p.back.slow {
		lines[0] = cells.Fit(p.app.Styles.Warn.Render(" reading the board at event "+cells.Count(p.back.seq)+"… "+p.stillShown()), p.w)
	}
	if p.tabs() {
		lines = append(lines, p.tabLine())
	}
	var columns [][]string
	for _, column := range p.columns() {
		var stack []string
		for _, i := range column {
			stack = append(stack, p.paneView(i)...)
		}
		columns = append(columns, stack)
	}
	lines = append(lines, cells.Beside(p.app.Styles.Faint.Render("│"), columns...)...)
	return append(lines, p.time.view()...)
}

func (p *Page) paneView(i int) []string {
	if i == PanePreview {
		return p.preview.draw(p.area[i], p.inPreview)
	}
	return p.panes[i].view(p.Here() == i)
}

// summary describes the run in a line.
func (p *Page) summary() string {
	s := &p.scene.state
	open := s.Signals.Open.Total()
	parts := []string{cells.Plural(s.Entries.Total, "entry")}
	if n := p.Disputes(); n > 0 {
		parts = append(parts, p.app.Styles.Warn.Render(cells.Count(n)+" disputed"))
	}
	parts = append(parts, fmt.Sprintf("%s, %s open", cells.Plural(s.Signals.Total, "signal"), cells.Count(open)),
		cells.Plural(int64(len(s.Workers)), "worker"))
	if more := len(p.scene.workers) - len(s.Workers); more > 0 { // they have done nothing yet
		parts[len(parts)-1] += ", " + cells.Count(int64(more)) + " to come"
	}
	if s.Retrievals > 0 {
		parts = append(parts, "given "+cells.Plural(s.Retrievals, "time"))
	}
	if s.Receipts > 0 {
		parts = append(parts, "ran "+cells.Plural(s.Receipts, "command"))
	}
	if spent := s.Spent("").Describe(); spent != "" {
		parts = append(parts, spent)
	}
	facts := strings.Join(parts, " · ")
	if s.Goal == "" || p.w-cells.Width(facts) < 24 {
		return cells.Fit(" "+facts, p.w)
	}
	return cells.Spread(" "+p.app.Styles.Bold.Render(cells.OneLine(s.Goal, 300)), facts+" ", p.w)
}

// TabName returns the key and the name of a pane.
func (p *Page) TabName(i int) string {
	return [Panes]string{"1 entries", "2 questions", "3 workers", "4 preview"}[i]
}

func (p *Page) tabLine() string {
	parts := make([]string, Panes)
	for i := range parts {
		parts[i] = p.app.Styles.Faint.Render(p.TabName(i))
		if i == p.Here() {
			parts[i] = p.app.Styles.Focus.Render("▸" + p.TabName(i))
		} else {
			parts[i] = " " + parts[i]
		}
	}
	return cells.Fit(strings.Join(parts, "  "), p.w)
}
