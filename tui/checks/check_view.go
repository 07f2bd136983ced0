package checks

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/policy"
	"blackboard/board/verify"
	"blackboard/tui/cells"
	"blackboard/tui/keys"
	"blackboard/tui/page"
	"blackboard/tui/prose"
	"blackboard/tui/styles"
)

// SetSize gives three fifths to the steps where the text is below them.
func (p *CheckPage) SetSize(w, h int) {
	fifths := 3
	if p.survival { // there is more to say of each
		fifths = 2
	}
	p.Lay(w, h, fifths)
	if p.pick != nil {
		p.pick.setSize(w, h)
	}
	p.compose()
}

// View shows the steps and what they found, or why there is no result.
func (p *CheckPage) View() []string {
	st := p.app.Styles
	switch {
	case p.pick != nil:
		return p.pick.view()
	case p.err != nil:
		what := p.name
		if p.survival {
			what = page.ShownPath(p.app, p.report)
		}
		lines := []string{st.Bad.Render("✗ " + what + " could not be checked"), ""}
		here := p.app.Files + string(filepath.Separator)
		lines = append(lines, cells.Wrap(strings.ReplaceAll(p.problem(), here, ""), p.Width-2)...)
		lines = append(lines, "",
			st.Faint.Render("r another report · ctrl+r checks it again · esc back"))
		return cells.Fill(cells.Indented(lines), p.Width, p.Height)
	case p.Result == nil:
		return cells.Fill(cells.Indented([]string{"checking…"}), p.Width, p.Height)
	}
	if p.survival {
		return p.carriedView()
	}
	lines := []string{
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

// verdict is the answer in words.
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

// policy names the file that says what fails.
func (p *CheckPage) policy() string {
	if p.Result.Policy == "" {
		return "without a board.yaml"
	}
	return page.ShownPath(p.app, p.Result.Policy)
}

// note says how far the answer goes.
func (p *CheckPage) note() string {
	switch {
	case p.filter.Shown():
		return p.filter.View(p.Width - 24)
	case p.checking.Reading:
		return "checking again…"
	case p.changed:
		return p.app.Styles.Warn.Render("the run has changed since") + ": ctrl+r"
	}
	return p.app.Styles.Faint.Render("it compares words and numbers, not meaning")
}

// stepMark says in a character and its colour how a step came out.
func stepMark(st *styles.Set, s *check.Step) string {
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

// row is a step or a finding in a line.
func (p *CheckPage) row(i, w int) string {
	st, r := p.app.Styles, &p.rows[i]
	f := r.found
	if p.survival {
		return carriedRow(st, f.Missing, w)
	}
	if r.more > 0 {
		return cells.Fit("   "+st.Faint.Render("… and "+cells.Count(int64(r.more))+" more: enter lists them"), w)
	}
	if f == nil {
		name := st.Title.Render(cells.Fit(r.step.Name, 9))
		return cells.Fit(page.Columns(stepMark(st, r.step), name,
			cells.OneLine(r.step.Headline, page.RowRunes)), w)
	}
	said := f.Text
	switch {
	case f.Pair != nil:
		said = f.Why
	case f.Fact != nil || f.Doubted == nil && f.Reason == nil && f.Missing == nil:
		said += ", " + f.Why
	}
	place := f.Place()
	if f.Fact != nil {
		place = fmt.Sprintf("line %d", f.Line)
	}
	return cells.Fit("   "+cells.Fit(place, 9)+" "+cells.OneLine(said, page.RowRunes), w)
}

// compose writes the text about the chosen row. It is done when something changed, not
// for each view.
func (p *CheckPage) compose() {
	p.Items.Empty = p.nothing()
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
}

// rowLines is all about a step, or about something that it found.
func (p *CheckPage) rowLines(r *checkRow) []prose.Line {
	st, f := p.app.Styles, r.found
	if f != nil && f.Missing != nil {
		return missingLines(p.app, f.Missing, noText(f.Report), p.Right.W)
	}
	x := prose.NewWriter(st, p.Right.W)
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
		case r.step.Skipped && r.step.Name == policy.Verify:
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
		pairLines(x, f, false)
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

// findingTexts are what a finding says.
func findingTexts(f *check.Finding) []string {
	texts := []string{f.Text, f.Why}
	if d := f.Doubted; d != nil {
		texts = append(texts, strings.TrimSpace(d.SourceDoc+" "+d.SourceRef), d.Evidence)
	}
	if f.Passage != nil {
		texts = append(append(texts, f.Passage.Text), f.Passage.Entries...)
	}
	if f.Pair != nil {
		texts = append(texts, f.Pair.A.Content, f.Pair.B.Content)
	}
	if f.Missing != nil {
		texts = append(texts, f.Missing.Content)
	}
	return texts
}

// factLines show a fact of the report in its passage, and the entries that the passage
// stands on.
func (p *CheckPage) factLines(x *prose.Writer, f *check.Finding) {
	place := cells.OneLine(filepath.Base(f.Report), 60) + fmt.Sprintf(":%d", f.Line)
	if !noText(f.Report) {
		place += x.Styles.Faint.Render("   o opens it")
	}
	x.Line(x.Styles.Key.Render(place))
	x.Text(f.Passage.Text, "▏ ")
	if len(f.Passage.Entries) > 0 {
		x.Heading("Its other facts stand on")
		x.Text(strings.Join(f.Passage.Entries, ", "), "  ")
	}
}

// doubtedLines show the quote, and what the source has instead.
func doubtedLines(x *prose.Writer, a *page.App, d *verify.ItemResult) {
	if d.Evidence != "" {
		x.Heading("Its quote")
		x.Text(d.Evidence, "▏ ")
	}
	for _, diff := range d.Differences {
		x.Text(fmt.Sprintf("%q, in the source %q", diff.Quote, diff.Source), "  ")
	}
	x.Heading("The source")
	if d.File == "" {
		x.Text(strings.TrimSpace(d.SourceDoc+" "+d.SourceRef), "  ")
	} else {
		x.Text(page.ShownPath(a, d.File), "  ")
	}
	if d.Passage != nil {
		x.Text(d.Passage.Where, "  ")
		x.Text(d.Passage.Text, "▏ ")
	}
}

// pairLines show both entries of a pair; with ways they lead there.
func pairLines(x *prose.Writer, f *check.Finding, ways bool) {
	for i, id := range []string{f.ID, f.Other} {
		head, text := id, ""
		if f.Pair != nil {
			item := &f.Pair.A
			if i == 1 {
				item = &f.Pair.B
			}
			head += "  by " + cells.OneLine(item.Worker, 40) + "  " +
				cells.OneLine(item.Source, 60)
			head, text = strings.TrimSpace(head), item.Content
		}
		if i > 0 {
			x.Line("")
		}
		if ways {
			x.Link(cells.Fit(head, x.Width), id)
		} else {
			x.Line(x.Styles.Key.Render(cells.FitLeft(head, min(cells.Width(head), x.Width))))
		}
		x.Text(text, "▏ ")
	}
	if f.Pair != nil && len(f.Pair.Why) > 1 {
		x.Heading("Also")
		for _, why := range f.Pair.Why[1:] {
			x.Text(why, "  ")
		}
	}
}

// closedKinds are the endings of reports that an editor of text cannot open.
var closedKinds = []string{".docx", ".xlsx", ".pdf"}

// noText says that an editor of text cannot open a report.
func noText(path string) bool {
	return slices.Contains(closedKinds, strings.ToLower(filepath.Ext(path)))
}

// noEditor is the error of a report that an editor of text cannot open.
func noEditor(path string) error {
	return fmt.Errorf("an editor of text cannot open a %s; open it in the program that wrote it",
		strings.TrimPrefix(filepath.Ext(path), "."))
}

// pairPage shows two entries that may contradict each other.
type pairPage struct {
	page.Plain
	app   *page.App
	name  string // of the run
	b     *board.Board
	found *check.Finding
	doc   page.Document
	w     int

	settling *page.Form // that asks why both hold
}

func newPairPage(a *page.App, name string, b *board.Board, f *check.Finding) *pairPage {
	return &pairPage{app: a, name: name, b: b, found: f, doc: page.Document{App: a}}
}

func (p *pairPage) Update(msg tea.Msg) tea.Cmd {
	if done, ok := msg.(page.DoneMsg); ok {
		if done.Err == nil && done.Form != nil && done.Form == p.settling {
			return p.app.Pop(p) // it is a pair no more
		}
		return nil
	}
	return p.doc.Take(msg, p.Actions, p.follow)
}

// settle asks why both entries hold.
func (p *pairPage) settle() tea.Cmd {
	id, other := p.found.ID, p.found.Other
	intro := []string{cells.OneLine(p.found.Why, 300)}
	if c := p.found.Pair; c != nil {
		intro = append(intro, id+": "+cells.OneLine(c.A.Content, 300), other+": "+cells.OneLine(c.B.Content, 300))
	}
	reason := &page.Field{Name: "reason", Label: "Why do both hold? (goes on record)",
		Required: true}
	p.settling = page.NewForm(p.app,
		page.Form{Heading: "Settle " + id + " and " + other, Intro: intro,
			Button: "settle", Fields: []*page.Field{reason}, Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
				_, err := p.b.Settle(ctx, p.app.Worker, id, other, v["reason"])
				return page.Outcome{Text: id + " and " + other + " are settled",
					Kind: page.ChangedRun}, err
			}})
	return p.app.Overlay(p.settling)
}

// follow shows the chosen entry.
func (p *pairPage) follow() tea.Cmd {
	if id := p.doc.Chosen(); id != "" {
		return p.app.Push(p.app.Open.Entry(p.name, p.b, id, nil))
	}
	return nil
}

func (p *pairPage) SetSize(w, h int) {
	p.w = w
	p.doc.SetSize(w, h-1)
	x := prose.NewWriter(p.app.Styles, w)
	x.Text(p.found.Why, "")
	x.Line("")
	pairLines(x, p.found, true)
	if clear := p.found.In(p.app.Words); clear != "" {
		x.Heading("To clear it")
		x.Text(clear, "")
	}
	p.doc.SetLines(x.Lines)
}

func (p *pairPage) View() []string {
	heading := p.found.ID + " and " + p.found.Other + " may contradict each other"
	return append([]string{p.app.Styles.Heading(heading, p.doc.More(), p.w, true)},
		p.doc.View()...)
}

func (p *pairPage) Title() string { return "pair" }

func (p *pairPage) Actions() page.Actions {
	all := p.doc.PlaceActions(p.follow, "the other entry", "the other entry")
	all = append(all, page.On(keys.Settle, p.settle))
	id := func() tea.Cmd { return p.app.CopyText(p.doc.Chosen()) }
	return append(all, page.On(keys.CopyID, id)).Also(keys.Moving()...)
}
