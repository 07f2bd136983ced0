package runs

import (
	"fmt"
	"strings"

	"blackboard/tui/cells"
	"blackboard/tui/page"
)

func (p *Page) isTabbed() bool { return p.w < page.Wide }

func (p *Page) hasPreview() bool { return !p.isTabbed() || p.inPreview }

// layout sizes each pane: the one with the keys, or lists beside a preview. Questions take what
// they need; of two long lists the last with keys gets more. Text stays readable.
func (p *Page) layout() {
	h := p.h - 2 // the summary above, the place in time below
	if p.area = [Panes]page.Rect{}; p.isTabbed() {
		p.area[p.Here()] = page.Rect{W: p.w, H: h - 1}
	} else {
		text := min(p.w*52/100, cells.Measure+4)
		workers := min(max(len(p.scene.workers)+1, 3), h/5)
		questions := (h - workers) * 2 / 5
		if p.focus == PaneQuestions {
			questions = (h - workers) * 3 / 5
		}
		questions = min(questions, max(len(p.questions.shown), 2)+p.questions.above())
		for i, height := range [Panes]int{h - questions - workers, questions, workers, h} {
			p.area[i] = page.Rect{W: p.w - text - 1, H: height}
		}
		p.area[PanePreview].W = text
	}
	for i, pane := range p.panes {
		pane.rows().SetSize(p.area[i].W, max(p.area[i].H-pane.above(), 0))
	}
	if p.hasPreview() {
		p.preview.place(p.area[PanePreview])
	}
}

func (p *Page) SetSize(w, h int) {
	p.w, p.h = w, h
	p.layout()
}

// View shows the panes, or a tab with one of them, above the place in time.
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
	if p.isTabbed() {
		lines = append(append(lines, p.tabLine()), p.paneView(p.Here())...)
	} else {
		var left []string
		for i := range p.panes {
			left = append(left, p.paneView(i)...)
		}
		lines = append(lines, cells.Beside(p.app.Styles.Faint.Render("│"), left,
			p.paneView(PanePreview))...)
	}
	return append(lines, p.timeLine())
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
	questions := cells.Plural(s.Signals.Total, "question")
	if s.Signals.Total > 0 {
		questions += fmt.Sprintf(", %s open", cells.Count(open))
	}
	parts = append(parts, questions, cells.Plural(int64(len(s.Workers)), "worker"))
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
