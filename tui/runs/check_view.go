package runs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/check"
	"blackboard/board/verify"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// SetSize gives three fifths to the steps where the text is below them.
func (p *CheckPage) SetSize(w, h int) {
	p.Lay(w, h, 2, 3)
	p.compose()
}

func (p *CheckPage) View() []string {
	st := p.app.Styles
	var lines []string
	switch {
	case p.err != nil:
		what := p.name
		if p.report != "" {
			what = page.ShownPath(p.app, p.report)
		}
		lines = []string{st.Bad.Render("✗ " + what + " could not be checked"), ""}
		here := p.app.Files + string(filepath.Separator)
		lines = append(lines, cells.Wrap(strings.ReplaceAll(p.app.Explain(p.err), here, ""), p.Width-2)...)
		lines = append(lines, "",
			st.Faint.Render("r another report · ctrl+r checks it again · esc back"))
	case p.Result == nil && p.lacksReport():
		lines = []string{"No report is chosen: r chooses one."}
	case p.Result == nil:
		lines = []string{p.progress(), "", st.Faint.Render("esc calls it off")}
	}
	if lines != nil {
		return cells.Fill(cells.Indented(lines), p.Width, p.Height)
	}
	lines = []string{
		cells.Spread(" "+p.verdict(), st.Faint.Render(p.reports())+" ", p.Width),
		cells.Spread(" "+p.note(), st.Faint.Render(p.policy())+" ", p.Width),
	}
	about := ""
	if r := p.chosen(); r != nil {
		about = r.step.Name
		if r.found != nil {
			about += " " + cells.OneLine(r.found.Place(), 60)
		}
	}
	return p.Panes(st, lines, "Steps", about)
}

// progress says what is checked, which step of how many that is, and how long it has taken.
func (p *CheckPage) progress() string {
	said := "checking…"
	if step := p.doing.Load(); step != nil && p.only == "" {
		at := slices.Index(check.Steps, *step) + 1
		said = fmt.Sprintf("checking… %s, step %d of %d", *step, at, len(check.Steps))
	}
	if took := time.Since(p.began); took >= time.Second {
		said += fmt.Sprintf(", %d s", took/time.Second)
	}
	return said
}

func (p *CheckPage) verdict() string {
	if p.Result.Passed {
		if not := p.Result.Skipped(); len(not) > 0 {
			done := len(p.Result.Steps) - len(not)
			return p.app.Styles.Warn.Render(fmt.Sprintf("%d of %s passed", done,
				cells.Plural(int64(len(p.Result.Steps)), "step"))) + "; not checked: " + strings.Join(not, ", ")
		}
		return p.app.Styles.Good.Render("✓ passed")
	}
	return p.app.Styles.Bad.Render("✗ not passed") + ": " + strings.Join(p.Result.Failed(), ", ")
}

// reports names what is held against the run.
func (p *CheckPage) reports() string {
	switch all := p.Result.Reports; len(all) {
	case 0:
		return "no report: r chooses one"
	case 1:
		return page.ShownPath(p.app, all[0])
	default:
		return cells.Count(int64(len(all))) + " reports"
	}
}

func (p *CheckPage) policy() string {
	if p.Result.Policy == "" {
		return "without a board.yaml"
	}
	return page.ShownPath(p.app, p.Result.Policy)
}

// note is the filter typed or set, how far a check is, that it is old, or what it cannot do.
func (p *CheckPage) note() string {
	switch {
	case p.Filter.Shown():
		return p.Filter.View(p.Width - 24)
	case p.checking.Reading:
		return p.progress() + " · esc calls it off"
	case p.changed:
		return p.app.Styles.Warn.Render("the run has changed since") + ": ctrl+r"
	}
	return p.app.Styles.Faint.Render("it compares words and numbers, not meaning")
}

// stepMark says in a character and its colour how a step came out.
func stepMark(st *cells.Styles, s *check.Step) string {
	switch {
	case !s.Passed:
		return st.Bad.Render("✗")
	case s.Skipped:
		return st.Faint.Render("–")
	case len(s.Warnings) > 0:
		return st.Warn.Render("!")
	}
	return st.Good.Render("✓")
}

func (p *CheckPage) row(i, w int) string {
	st, r := p.app.Styles, &p.rows[i]
	f := r.found
	if r.more > 0 {
		return cells.Fit("   "+st.Faint.Render("… and "+cells.Count(int64(r.more))+" more: enter lists them"), w)
	}
	if f == nil {
		name := st.Title.Render(cells.Fit(r.step.Name, 9))
		return cells.Fit(page.Columns(stepMark(st, r.step), name,
			cells.OneLine(r.step.Headline, page.RowRunes)), w)
	}
	said := cells.OneLine(f.Text, page.RowRunes)
	switch {
	case f.Pair != nil:
		said = cells.OneLine(f.Why, page.RowRunes)
	case f.Missing != nil:
		said = st.Bad.Render(cells.Fit(f.Missing.Cause, 14)) + " " + said
	case f.Fact != nil || f.Doubted == nil && f.Reason == nil && f.Missing == nil:
		said += ", " + cells.OneLine(f.Why, page.RowRunes)
	}
	place := f.Place()
	if f.Fact != nil {
		place = fmt.Sprintf("line %d", f.Line)
	}
	return cells.Fit("   "+cells.Fit(place, 9)+" "+said, w)
}

// compose writes the chosen row's text, when something changed, not for each view.
func (p *CheckPage) compose() {
	r := p.chosen()
	if r == nil {
		p.about = ""
		p.Doc.SetLines(nil)
		return
	}
	if p.about != r.name() {
		p.about, p.Doc.Top = r.name(), 0
	}
	p.Doc.SetLines(p.rowLines(r))
	p.Doc.At = -1 // enter opens the row
}

// rowLines returns all about a step, or about something that it found.
func (p *CheckPage) rowLines(r *checkRow) []cells.Line {
	st, f := p.app.Styles, r.found
	if f != nil && f.Missing != nil {
		return missingLines(p.app, f.Missing, isBinary(f.Report), p.Right.W)
	}
	x := cells.NewWriter(st, p.Right.W)
	if f == nil {
		x.Line(stepMark(st, r.step) + " " +
			cells.Fit(cells.OneLine(r.step.Headline, page.RowRunes), max(x.Width-2, 1)))
		for _, w := range r.step.Warnings {
			if w != r.step.Headline {
				x.Text(w, "! ")
			}
		}
		switch {
		case r.step.HadInput():
		case r.step.Skipped && r.step.Name == check.Verify:
			x.Text("To do it, name a directory of sources in board.yaml (sources: [DIR]), or "+
				"register it: board source add DIR", "")
		case r.step.Skipped:
			x.Text("To do it, choose a report: r", "")
		}
		if n := len(r.step.Findings()); n > 0 {
			x.Line("", cells.Plural(int64(n), "finding")+" below it; enter on one opens it")
		}
		return x.Lines
	}
	x.Text(f.Why, "")
	x.Line("")
	switch {
	case f.Pair != nil:
		pairLines(x, f)
	case f.Fact != nil:
		p.factLines(x, f)
	default:
		x.Text(f.Text, "")
	}
	if f.Doubted != nil {
		doubtedLines(x, p.app, f.Doubted)
	}
	if clear := f.In(p.app.Words); clear != "" {
		x.Heading("To clear it")
		x.Text(clear, "")
	}
	return x.Lines
}

func (p *CheckPage) factLines(x *cells.Writer, f *check.Finding) {
	place := cells.OneLine(filepath.Base(f.Report), 60) + fmt.Sprintf(":%d", f.Line)
	if !isBinary(f.Report) {
		place += x.Styles.Faint.Render("   o opens it")
	}
	x.Line(x.Styles.Key.Render(place))
	x.Text(f.Passage.Text, "▏ ")
	if len(f.Passage.Entries) > 0 {
		x.Heading("Its other facts stand on")
		x.Text(strings.Join(f.Passage.Entries, ", "), "  ")
	}
}

// doubtedLines writes the quote, and what the source has instead.
func doubtedLines(x *cells.Writer, a *page.App, d *verify.ItemResult) {
	if d.Evidence != "" {
		x.Heading("Its quote")
		x.Text(d.Evidence, "▏ ")
	}
	for _, diff := range d.Differences {
		x.Text(fmt.Sprintf("%q, in the source %q", diff.Quote, diff.Source), "  ")
	}
	x.Heading("The source")
	if d.File == "" {
		x.Text(d.Cited.String(), "  ")
	} else if d.Passage == nil {
		x.Text(page.ShownPath(a, d.File), "  ")
	} else {
		x.Text(verify.At(page.ShownPath(a, d.File), d.Passage.Where), "  ")
	}
	if d.Passage != nil {
		x.Text(d.Passage.Text, "▏ ")
	}
}

// binaryExts are the extensions of reports that a text editor cannot open.
var binaryExts = []string{".docx", ".xlsx", ".pdf"}

// isBinary reports whether a text editor cannot open a report.
func isBinary(path string) bool {
	return slices.Contains(binaryExts, strings.ToLower(filepath.Ext(path)))
}
