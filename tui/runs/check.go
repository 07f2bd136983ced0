package runs

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// CheckPage shows whether a run holds what its policy asks: a check's steps with their findings.
type CheckPage struct {
	app  *page.App
	name string // of the run
	b    *board.Board
	ctx  context.Context
	stop context.CancelFunc // ends with the page

	report   string // its path; "": those of the policy, if it has any
	Result   *check.Result
	err      error // why there is no result
	checking page.Once
	callOff  context.CancelFunc     // ends the check that is in progress
	began    time.Time              // of that check
	doing    atomic.Pointer[string] // its step
	changed  bool                   // the run has, since it was checked

	only string // the only step that is done; "": all

	page.TwoPanes
	rows     []checkRow
	about    string          // the row that doc is about
	unfolded map[string]bool // steps that show all that they found
}

// checkRow is a step, something that it found, or that there is more.
type checkRow struct {
	step  *check.Step
	found *check.Finding // nil: the step itself
	more  int            // how many findings are folded away
}

// foldAbove is how many findings of a step are listed; of more the first foldTo, or all if asked.
const foldAbove, foldTo = 6, 4

// name tells a row from the others, also after another check.
func (r *checkRow) name() string {
	if r.more > 0 {
		return r.step.Name + "\x00more"
	}
	if r.found == nil {
		return r.step.Name
	}
	return r.step.Name + "\x00" + r.found.ID + "\x00" + r.found.Other + "\x00" + r.found.Text
}

// maxListed is how many doubted findings, and how many pairs in conflict, the page lists at
// most. Nobody reads more, and those of a long run take much memory.
const maxListed = 1000

// NewCheckPage begins with the report that was chosen last for the run. With a step it shows that
// alone, and asks for a report if the step needs one.
func NewCheckPage(a *page.App, name string, b *board.Board, step string) page.Page {
	p := &CheckPage{app: a, name: name, b: b, only: step, report: a.LastReport[name]}
	p.Doc = page.Document{App: a, At: -1}
	p.ctx, p.stop = context.WithCancel(a.Context)
	p.Items, p.unfolded = page.List{App: a, Row: p.row}, map[string]bool{}
	p.Filter = page.NewFilter(a, "words of what was found, or a step", &p.Items, p.narrow)
	return p
}

func (p *CheckPage) lacksReport() bool {
	return p.report == "" && (p.only == check.Survival || p.only == check.Trace)
}

// Init checks the run for the first time, or asks for a report.
func (p *CheckPage) Init() tea.Cmd {
	if p.lacksReport() {
		return p.askReport()
	}
	return p.check()
}

// check does the steps, one check at a time, until the page is left or the person calls it off.
func (p *CheckPage) check() tea.Cmd {
	if p.lacksReport() || !p.checking.Begin() {
		return nil
	}
	path := p.report
	ctx, callOff := context.WithCancel(p.ctx)
	p.callOff, p.began = callOff, time.Now()
	return tea.Batch(p.tick(), p.app.Ask(p, func(context.Context) func() tea.Cmd {
		defer callOff()
		result, err := p.ask(ctx, path)
		return func() tea.Cmd {
			again := p.checking.End()
			switch {
			case errors.Is(err, context.Canceled) && p.ctx.Err() == nil && p.Result != nil:
				return page.Notice("called off: this is the check before")
			case again || path != p.report:
				return p.check()
			}
			p.Result, p.err, p.changed = &result, err, false
			if err != nil {
				p.Result = nil
			}
			p.narrow()
			return nil
		}
	}))
}

func (p *CheckPage) tick() tea.Cmd {
	return p.app.After(time.Second, p, func() tea.Cmd {
		if !p.checking.Reading {
			return nil
		}
		return p.tick()
	})
}

// ask checks the run with a report, or with those that failed last, or with those of the policy.
func (p *CheckPage) ask(ctx context.Context, report string) (check.Result, error) {
	f, err := check.PolicyOf(ctx, p.b, p.app.Files)
	if err != nil {
		return check.Result{}, err
	}
	reports := []string{report}
	if report == "" {
		reports = p.failedReports(ctx)
	}
	if p.only != "" {
		f.Steps = []string{p.only}
	}
	in, err := check.Open(&f, reports, nil)
	if err != nil {
		return check.Result{}, err
	}
	in.MaxListed = maxListed // without a worker: looking never writes
	in.Tell = func(step string) { p.doing.Store(&step) }
	if f.Survival.MinCosine > 0 && p.app.Model != nil {
		in.Model = p.app.Model()
	}
	// the indexes of a long run are large, and the screen stays open all day
	defer debug.FreeOSMemory()
	return check.Run(ctx, p.b, f, in)
}

// failedReports returns the reports whose last check failed, unless that was in another directory:
// the same names are other files there.
func (p *CheckPage) failedReports(ctx context.Context) (reports []string) {
	st, err := p.b.State(ctx)
	dir := cmp.Or(p.app.Workspace, p.app.Files)
	for _, c := range st.Checks {
		if err == nil && len(reports) == 0 && len(c.Failed()) > 0 && c.Dir == check.DirDigest(dir) {
			for _, name := range c.Reports {
				reports = append(reports, filepath.Join(dir, filepath.FromSlash(name)))
			}
		}
	}
	return reports
}

func (p *CheckPage) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.EventsMsg:
		if n := len(msg.Events); msg.From.Board() == p.b && p.Result != nil {
			p.changed = p.changed || n > 0 && msg.Events[n-1].Seq > p.Result.Seq
		}
	case page.DoneMsg:
		if msg.Kind == page.ChangedRun {
			return p.check()
		}
	case tea.KeyMsg:
		return p.TwoPanes.Key(msg, p.Actions, p.narrow, p.compose)
	default:
		_, cmd := p.Filter.Update(msg) // a blinking cursor
		return cmd
	}
	return nil
}

func (p *CheckPage) narrow() {
	chosen := p.chosen()
	p.rows = nil
	if p.Result != nil {
		p.list()
	}
	p.Items.SetLen(len(p.rows))
	for i := range p.rows {
		if chosen != nil && p.rows[i].name() == chosen.name() {
			p.Items.MoveTo(i)
		}
	}
	p.compose()
}

// Leave calls off a check that is done again, or clears the filter, before the page is closed.
func (p *CheckPage) Leave() (tea.Cmd, bool) {
	if p.checking.Reading && p.Result != nil {
		p.callOff()
		return nil, true
	}
	return nil, p.Filter.Clear()
}

// toFinding chooses the next finding, or the one before.
func (p *CheckPage) toFinding(step int) tea.Cmd {
	for i := p.Items.Cursor + step; i >= 0 && i < len(p.rows); i += step {
		if p.rows[i].found != nil {
			p.Items.MoveTo(i)
			p.compose()
			return nil
		}
	}
	return page.Notice("there is no other finding")
}

func (p *CheckPage) foldMore() tea.Cmd {
	if r := p.chosen(); r != nil {
		p.unfolded[r.step.Name] = !p.unfolded[r.step.Name]
		p.narrow()
	}
	return nil
}

// list makes the rows of the result.
func (p *CheckPage) list() {
	steps := p.Result.WorstFirst()
	for i := range steps {
		s := &steps[i]
		p.rows = append(p.rows, checkRow{step: s})
		findings := s.Findings()
		if words := p.Filter.Value(); words != "" {
			findings = slices.DeleteFunc(findings, func(f check.Finding) bool {
				return !cells.HasWords(s.Name+" "+f.Place()+" "+f.Text+" "+f.Why, words)
			})
		}
		more := 0
		if len(findings) > foldAbove && p.only == "" && !p.unfolded[s.Name] && p.Filter.Value() == "" {
			more, findings = len(findings)-foldTo, findings[:foldTo]
		}
		for _, f := range findings {
			p.rows = append(p.rows, checkRow{step: s, found: &f})
		}
		if more > 0 {
			p.rows = append(p.rows, checkRow{step: s, more: more})
		}
	}
}

func (p *CheckPage) Chosen() string {
	if f := p.found(); f != nil {
		return f.ID
	}
	return ""
}

// found is the finding of the chosen row; nil: it is a step.
func (p *CheckPage) found() *check.Finding {
	if r := p.chosen(); r != nil {
		return r.found
	}
	return nil
}

func (p *CheckPage) chosen() *checkRow {
	if p.Items.Cursor >= len(p.rows) {
		return nil
	}
	return &p.rows[p.Items.Cursor]
}

// openRow opens what was found: an entry or a signal, both entries of a pair, a passage
// of the report. A step, and what has nothing to open, gives the keys to its text.
func (p *CheckPage) openRow() tea.Cmd {
	r := p.chosen()
	switch {
	case r == nil:
		return nil
	case r.more > 0:
		return p.foldMore()
	case r.found == nil || r.found.ID == "" && r.found.Fact == nil:
		p.InDoc = true
		return nil
	case r.found.Fact != nil:
		return p.openReport()
	case r.found.Other != "":
		return p.app.Push(newPairPage(p.app, p.name, p.b, r.found))
	}
	return p.app.Push(NewEntry(p.app, p.name, p.b, r.found.ID, nil))
}

// place is the report and line of the chosen row, or the first report, or "".
func (p *CheckPage) place() (report string, line int) {
	if f := p.found(); f != nil && f.Report != "" {
		return f.Report, f.Line
	}
	if p.Result != nil && len(p.Result.Reports) > 0 {
		return p.Result.Reports[0], 0
	}
	return "", 0
}

// openReport opens the report in the editor, where the chosen row is about it.
func (p *CheckPage) openReport() tea.Cmd {
	report, line := p.place()
	switch {
	case report == "":
		return nil
	case isBinary(report):
		return page.Notice("an editor of text cannot open it; open it in the program that wrote it")
	}
	return p.app.EditFile(report, line)
}

func (p *CheckPage) Title() string {
	return cmp.Or(p.only, "check")
}

// Actions returns the keys of the page; while the filter is typed, only its keys.
func (p *CheckPage) Actions() page.Actions {
	report := page.On(page.Renamed(page.KeyReport, "choose a report"), p.askReport)
	again := page.On(page.Renamed(page.KeyRefresh, "check again"), p.check)
	switch {
	case p.Filter.Active:
		return p.Filter.Actions()
	case p.Result == nil:
		return page.Actions{report, again}
	}
	all := page.Actions{page.On(page.KeyOpen, p.openRow), report,
		page.On(page.Renamed(page.KeyNextOne, "next finding"), func() tea.Cmd { return p.toFinding(1) }),
		page.On(page.KeyPreviousOne, func() tea.Cmd { return p.toFinding(-1) }).Unlisted(),
		page.On(page.KeyFilter, p.Filter.Start), again,
		page.On(page.Renamed(page.KeyFewer, "all of the step, or fewer"), p.foldMore)}
	if path, _ := p.place(); path != "" && !isBinary(path) {
		all = append(all, page.On(page.Renamed(page.KeySource, "open the report"), p.openReport))
	}
	return append(append(all, p.SideActions()...), p.foundActions()...).Also(page.MovingKeys()...)
}

func (p *CheckPage) foundActions() (all page.Actions) {
	f := p.found()
	if f == nil {
		return nil
	}
	if f.ID != "" && !page.IsSignal(f.ID) {
		all = append(all, page.On(page.Renamed(page.KeyEdit, "correct "+f.ID),
			func() tea.Cmd { return Correct(p.app, p.name, p.b, f.ID) }))
	}
	if f.ID != "" {
		all = append(all, page.On(page.KeyCopyID, func() tea.Cmd { return p.app.CopyText(f.ID) }))
	}
	if f.Doubt != "" {
		all = append(all, page.On(page.Renamed(page.KeySettle, "accept the doubt"), p.accept))
	}
	said := func(context.Context) (string, error) { return f.Text, nil }
	return append(all, page.On(page.KeyCopyText,
		func() tea.Cmd { return p.app.CopyWhole(f.Place(), said) }))
}

func (p *CheckPage) askReport() tea.Cmd {
	o := page.NewChooser(p.app, "Which report is to carry the run?", "the path of its file", nil)
	o.Empty = "Type the path of the report: md, html, docx, pdf …"
	o.Typed = func(path string) []page.Target {
		return []page.Target{{Label: path, Text: "the file of this path", Do: func() tea.Cmd { return p.choose(path) }}}
	}
	return p.app.Overlay(o)
}

// choose takes a report; its path may be relative to the files' directory, or to the home.
func (p *CheckPage) choose(path string) tea.Cmd {
	if rest, ok := strings.CutPrefix(path, "~"+string(filepath.Separator)); ok && p.app.Home != "" {
		path = filepath.Join(p.app.Home, rest)
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(p.app.Files, path)
	}
	p.report, p.app.LastReport[p.name] = path, path
	return p.check()
}

// accept asks why a doubt is no fault. A person at a screen may say so of their own findings.
func (p *CheckPage) accept() tea.Cmd {
	f := p.found()
	return p.app.Overlay(page.NewAct(p.app, page.Act{Heading: "Accept " + f.Doubt + " of " + f.ID, Button: "accept",
		Intro: []string{cells.OneLine(f.Text, 300), cells.OneLine(f.Why, 300)},
		Why:   p.app.Form("accept", "reason"),
		Do: func(ctx context.Context, why string) (page.Outcome, error) {
			a, err := p.b.Accept(ctx, p.app.Worker, board.AcceptRequest{ID: f.Doubt, Person: true, Reason: why})
			return changedRun(a.Doubt+" is accepted, until "+f.ID+" or "+a.EndsWith()+" changes", nil), err
		}}))
}

func (p *CheckPage) Close() { p.stop() }
