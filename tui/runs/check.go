package runs

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// CheckPage shows whether a run holds what its policy asks of it: the steps of the check,
// and below each what it found.
type CheckPage struct {
	app  *page.App
	name string // of the run
	b    *board.Board
	ctx  context.Context
	stop context.CancelFunc // ends with the page

	report   string // its path; "": those of the policy, if it has any
	Result   *check.Result
	state    reportState // of the report that result is about
	err      error       // why there is no result
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

// foldAbove is how many findings of a step are listed; of more only the first foldTo are, until
// the person asks for all.
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

// lacksReport reports whether nothing can be done without a report.
func (p *CheckPage) lacksReport() bool {
	return p.report == "" && (p.only == check.Survival || p.only == check.Trace)
}

// Init checks the run for the first time, or lists the reports to choose from.
func (p *CheckPage) Init() tea.Cmd {
	look := p.app.After(reportEvery, p, p.Look)
	if p.lacksReport() {
		return tea.Batch(p.pickReport(), look)
	}
	return tea.Batch(p.check(), look)
}

// check does the steps, once at a time, until the page is left or the person calls it off.
func (p *CheckPage) check() tea.Cmd {
	if p.lacksReport() || !p.checking.Begin() {
		return nil
	}
	path := p.report
	ctx, callOff := context.WithCancel(p.ctx)
	p.callOff, p.began = callOff, time.Now()
	return tea.Batch(p.tick(), p.app.Ask(p, func(context.Context) func() tea.Cmd {
		defer callOff()
		state := stateOf(path)
		result, err := p.ask(ctx, path)
		return func() tea.Cmd {
			again := p.checking.End()
			switch {
			case errors.Is(err, context.Canceled) && p.ctx.Err() == nil && p.Result != nil:
				return page.Notice("called off: this is the check before")
			case again || path != p.report:
				return p.check()
			}
			p.state, p.changed = state, false
			p.checked(&result, err)
			return nil
		}
	}))
}

// tick shows each second how long the check has taken.
func (p *CheckPage) tick() tea.Cmd {
	return p.app.After(time.Second, p, func() tea.Cmd {
		if !p.checking.Reading {
			return nil
		}
		return p.tick()
	})
}

// ask checks the run with a report, or with those of the policy.
func (p *CheckPage) ask(ctx context.Context, report string) (check.Result, error) {
	f, err := check.PolicyOf(ctx, p.b, p.app.Files)
	if err != nil {
		return check.Result{}, err
	}
	var reports []string
	if report != "" {
		reports = []string{report}
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

// Update notes that the run has changed, and handles keys.
func (p *CheckPage) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.EventsMsg:
		if n := len(msg.Events); msg.From.Board() == p.b && p.Result != nil {
			p.changed = p.changed || p.only != "" || n > 0 && msg.Events[n-1].Seq > p.Result.Seq
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

// Look asks how the report stands, without reading it. A report that was written is
// checked again; a run that goes on is not, since that may take long: a line says so. One
// report alone takes little.
func (p *CheckPage) Look() tea.Cmd {
	path := p.report
	return p.app.Ask(p, func(context.Context) func() tea.Cmd {
		state := stateOf(path)
		return func() tea.Cmd {
			again := p.app.After(reportEvery, p, p.Look)
			stale := state != p.state || p.only != "" && p.changed
			if path == p.report && stale && !p.checking.Reading {
				return tea.Batch(p.check(), again)
			}
			return again
		}
	})
}

// checked shows what was found. The chosen row stays chosen.
func (p *CheckPage) checked(result *check.Result, err error) {
	p.Result, p.err = result, err
	if err != nil {
		p.Result = nil
	}
	p.narrow()
}

// narrow lists what matches the filter. The chosen row stays chosen.
func (p *CheckPage) narrow() {
	chosen := p.chosen()
	p.rows = nil
	if p.Result != nil {
		p.list()
	}
	p.keep(chosen)
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

// foldMore shows all that a step found, or the first again.
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

// keep chooses the row that was chosen before, if it is still there.
func (p *CheckPage) keep(chosen *checkRow) {
	p.Items.SetLen(len(p.rows))
	for i := range p.rows {
		if chosen != nil && p.rows[i].name() == chosen.name() {
			p.Items.MoveTo(i)
		}
	}
	p.compose()
}

// Chosen returns the id of what the chosen row is about, or "".
func (p *CheckPage) Chosen() string {
	if r := p.chosen(); r != nil && r.found != nil {
		return r.found.ID
	}
	return ""
}

// chosen is the chosen row, or nil.
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

// place is the report and the line that the chosen row is about, or the first report; ""
// if there is none.
func (p *CheckPage) place() (report string, line int) {
	if r := p.chosen(); r != nil && r.found != nil && r.found.Report != "" {
		return r.found.Report, r.found.Line
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
	case noText(report):
		return page.NoticeError(noEditor(report))
	}
	return p.app.EditFile(report, line)
}

// openLink opens the report, or what the finding names.
func (p *CheckPage) openLink() tea.Cmd {
	in := page.Linked{Run: p.name, Board: p.b}
	if r := p.chosen(); r != nil && r.found != nil {
		in.Texts = findingTexts(r.found)
	}
	switch report, line := p.place(); {
	case noText(report):
		in.Without = noEditor(report)
	case report != "":
		in.Source, in.Ref = report, strconv.Itoa(line)
	}
	return p.app.OpenLink(func(context.Context) (page.Linked, error) { return in, nil })
}

// Title names the page in the header.
func (p *CheckPage) Title() string {
	return cmp.Or(p.only, "check")
}

// Actions returns the keys of the page, or of the choice of a report.
func (p *CheckPage) Actions() page.Actions {
	chooses := "choose a report"
	if p.report != "" {
		chooses = "another report"
	}
	again := page.Actions{
		page.On(page.Renamed(page.KeyReport, chooses), p.pickReport),
		page.On(page.Renamed(page.KeyRefresh, "check again"), p.check),
	}
	if p.Result == nil {
		return again
	}
	if p.Filter.Active {
		return p.Filter.Actions()
	}
	all := page.Actions{page.On(page.KeyOpen, p.openRow), again[0],
		page.On(page.Renamed(page.KeyNextOne, "next finding"), func() tea.Cmd { return p.toFinding(1) }),
		page.On(page.KeyPreviousOne, func() tea.Cmd { return p.toFinding(-1) }).Unlisted(),
		page.On(page.KeyFilter, p.Filter.Start), again[1],
		page.On(page.Renamed(page.KeyFewer, "all of the step, or fewer"), p.foldMore)}
	r := p.chosen()
	if report, _ := p.place(); report != "" && !noText(report) {
		all = append(all, page.On(page.Renamed(page.KeySource, "open the report, or a link"),
			p.openLink))
	} else if report != "" || r != nil && r.found != nil {
		all = append(all, page.On(page.KeySource, p.openLink))
	}
	all = append(all, p.SideActions()...)
	if r != nil && r.found != nil && r.found.ID != "" {
		if !page.IsSignal(r.found.ID) {
			all = append(all, page.On(page.Renamed(page.KeyEdit, "correct "+r.found.ID),
				func() tea.Cmd { return Correct(p.app, p.name, p.b, r.found.ID) }))
		}
		all = append(all, page.On(page.KeyCopyID,
			func() tea.Cmd { return p.app.CopyText(r.found.ID) }))
	}
	if r != nil && r.found != nil && r.found.Doubt != "" {
		all = append(all, page.On(page.Renamed(page.KeySettle, "accept the doubt"), p.accept))
	}
	if r != nil && r.found != nil {
		said := func(context.Context) (string, error) { return r.found.Text, nil }
		all = append(all, page.On(page.KeyCopyText,
			func() tea.Cmd { return p.app.CopyWhole(r.found.Place(), said) }))
	}
	return all.Also(page.MovingKeys()...)
}

// accept asks why a doubt is no fault. Who is at a screen is a person, and may say so of
// findings of their own.
func (p *CheckPage) accept() tea.Cmd {
	f := p.chosen().found
	return p.app.Overlay(page.NewAct(p.app, page.Act{Heading: "Accept " + f.Doubt + " of " + f.ID, Button: "accept",
		Intro: []string{cells.OneLine(f.Text, 300), cells.OneLine(f.Why, 300)},
		Why:   "What did you compare, and why is it no fault? (goes on record)", Must: true,
		Do: func(ctx context.Context, why string) (page.Outcome, error) {
			a, err := p.b.Accept(ctx, p.app.Worker, board.Accepting{ID: f.Doubt, Person: true, Reason: why})
			return page.Outcome{Text: a.Doubt + " is accepted, until " + f.ID + " or its source changes",
				Kind: page.ChangedRun}, err
		}}))
}

// Close ends a check that is in progress.
func (p *CheckPage) Close() { p.stop() }
