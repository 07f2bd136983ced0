package tui

import (
	"context"
	"os"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/documents"
	"blackboard/board/survival"
	"blackboard/tui/keys"
)

// reportEvery is how often the page checks whether the report's file has changed.
const reportEvery = 2 * time.Second

// survivalPage shows whether a report carries what its run found: the items, missing ones
// first, and for each the passage, or the nearest one.
type survivalPage struct {
	app  *app
	name string // the name of the run
	b    *board.Board
	pick *reportPicker // nil: a report is chosen

	report   string // its path
	result   *survival.Result
	state    reportState // the state of the file that result is about
	err      error       // why there is no result
	checking once
	changed  bool // the run has changed since the check

	twoPanes
	shown   []int  // indexes of result.Items
	missing bool   // show only missing ones
	about   string // the id of the item in doc
}

// reportState identifies a version of a file.
type reportState struct {
	modified time.Time
	size     int64
}

// newSurvivalPage starts with the report that was last chosen for the run, or asks for
// one.
func newSurvivalPage(a *app, name string, b *board.Board) page {
	p := &survivalPage{app: a, name: name, b: b}
	p.doc = document{app: a, at: -1}
	p.items = list{app: a, row: p.row}
	if p.report = a.lastReport[name]; p.report == "" {
		p.pick = newReportPicker(a)
	}
	return p
}

func (p *survivalPage) init() tea.Cmd {
	look := p.app.after(reportEvery, p, p.look)
	if p.pick != nil {
		return tea.Batch(p.pick.init(p), look)
	}
	return tea.Batch(p.check(), look)
}

// check reads the report and looks for every item in it, once at a time.
func (p *survivalPage) check() tea.Cmd {
	if p.report == "" || !p.checking.begin() {
		return nil
	}
	p.changed = false
	path := p.report
	return p.app.ask(p, func(ctx context.Context) func() tea.Cmd {
		var result survival.Result
		state := stateOf(path)
		report, err := documents.Open(path)
		if err == nil {
			result, err = p.b.Survival(ctx, report)
		}
		return func() tea.Cmd {
			if again := p.checking.end(); again || path != p.report {
				return p.check()
			}
			p.state = state
			p.checked(&result, err)
			return nil
		}
	})
}

// stateOf returns the state of a file; zero if that fails.
func stateOf(path string) reportState {
	info, err := os.Stat(path)
	if err != nil {
		return reportState{}
	}
	return reportState{info.ModTime(), info.Size()}
}

func (p *survivalPage) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case eventsMsg:
		if msg.from.b == p.b && msg.err == nil {
			p.changed = true
		}
	case doneMsg:
		if msg.kind == changedRun {
			return p.check()
		}
	case tea.KeyMsg:
		return p.key(msg)
	case tea.MouseMsg:
		return p.mouse(msg)
	default:
		if p.pick != nil {
			_, cmd := p.pick.filter.update(msg) // for the cursor
			return cmd
		}
	}
	return nil
}

// look checks the state of the report without reading it.
func (p *survivalPage) look() tea.Cmd {
	path := p.report
	return p.app.ask(p, func(context.Context) func() tea.Cmd {
		state := stateOf(path)
		return func() tea.Cmd {
			again := p.app.after(reportEvery, p, p.look)
			if p.changed || path == p.report && state != p.state {
				return tea.Batch(p.check(), again)
			}
			return again
		}
	})
}

// checked shows a result. The chosen item stays chosen.
func (p *survivalPage) checked(result *survival.Result, err error) {
	chosen := p.chosen()
	if p.result, p.err = result, err; err != nil {
		p.result = nil
	}
	p.narrow(chosen)
}

// narrow shows the missing items, and the others unless they are hidden.
func (p *survivalPage) narrow(chosen string) {
	p.shown = p.shown[:0:0]
	if p.result != nil {
		for _, present := range []bool{false, true} {
			for i := range p.result.Items {
				if p.result.Items[i].Present == present && !(present && p.missing) {
					p.shown = append(p.shown, i)
				}
			}
		}
	}
	p.items.setLen(len(p.shown))
	for i, n := range p.shown {
		if p.result.Items[n].ID == chosen {
			p.items.moveTo(i)
		}
	}
	p.compose()
}

// item returns the chosen item, or nil.
func (p *survivalPage) item() *survival.ItemResult {
	if p.result == nil || p.items.cursor >= len(p.shown) {
		return nil
	}
	return &p.result.Items[p.shown[p.items.cursor]]
}

// chosen returns the id of the chosen item, or "".
func (p *survivalPage) chosen() string {
	if it := p.item(); it != nil {
		return it.ID
	}
	return ""
}

func (p *survivalPage) key(msg tea.KeyMsg) tea.Cmd {
	if p.pick != nil {
		return p.pickKey(msg)
	}
	cmd, ok := p.actions().press(msg)
	switch {
	case ok:
	case p.inDoc:
		p.doc.update(msg)
	case p.items.update(msg):
		p.compose()
	}
	return cmd
}

// pickReport asks for another report.
func (p *survivalPage) pickReport() tea.Cmd {
	p.pick = newReportPicker(p.app)
	p.setSize(p.w, p.h)
	return p.pick.init(p)
}

func (p *survivalPage) toggleMissing() tea.Cmd {
	p.missing = !p.missing
	p.narrow(p.chosen())
	return nil
}

// pickKey passes a key to the picker, and uses its result.
func (p *survivalPage) pickKey(msg tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(msg, keys.Cancel) && p.pick.filter.value() == "":
		if p.report == "" {
			return p.app.pop(p)
		}
		p.pick = nil
		return nil
	case key.Matches(msg, keys.Open):
		return p.choose(p.pick.chosen())
	}
	return p.pick.key(msg)
}

// choose takes a report, whose path may be relative to the directory of the files.
func (p *survivalPage) choose(path string) tea.Cmd {
	if path == "" {
		return nil
	}
	path = p.app.reportPath(path)
	p.report, p.pick, p.result, p.err = path, nil, nil, nil
	p.app.lastReport[p.name] = path
	p.narrow("")
	return p.check()
}

func (p *survivalPage) openItem() tea.Cmd {
	if id := p.chosen(); id != "" {
		return p.app.push(newDetailPage(p.app, p.name, p.b, id))
	}
	return nil
}

// noText reports that a text editor cannot open the report.
func (p *survivalPage) noText() bool { return noText(p.report) }

// openReport opens the report in the editor, at the passage of the chosen item or the
// nearest one.
func (p *survivalPage) openReport() tea.Cmd {
	if p.result == nil {
		return nil
	}
	if p.noText() {
		return noticeError(noEditor(p.report))
	}
	line := 0
	if it := p.item(); it != nil && it.Passage != nil {
		line = it.Passage.Line
	}
	return p.app.editFile(p.report, line)
}

func (p *survivalPage) mouse(msg tea.MouseMsg) tea.Cmd {
	if p.pick != nil {
		if p.pick.mouse(msg) {
			return p.choose(p.pick.chosen())
		}
		return nil
	}
	moved, open := p.twoPanes.mouse(msg)
	if moved {
		p.compose()
	}
	if open {
		return p.openItem()
	}
	return nil
}

func (p *survivalPage) title() string { return "survival" }

func (p *survivalPage) actions() actions {
	if p.pick != nil {
		check, back := keys.Renamed(keys.Open, "check it"), keys.Renamed(keys.Cancel, "back")
		return actions{}.also(check, back, keys.Choose)
	}
	again := actions{{keys.Report, p.pickReport}, {keys.Renamed(keys.Refresh, "check again"), p.check}}
	if p.result == nil {
		return again
	}
	report := action{keys.Renamed(keys.Source, "open the report"), p.openReport}
	if p.noText() {
		report = report.unlisted()
	}
	other := "to the text"
	if p.inDoc {
		other = "to the items"
	}
	all := append(actions{{keys.Open, p.openItem}, {keys.Renamed(keys.Fewer, "missing only, or all"), p.toggleMissing}, report}, again...)
	all = append(all, action{keys.Renamed(keys.Next, other), p.otherSide}, action{keys.Previous, p.otherSide}.unlisted(),
		action{keys.Right, p.toText}, action{keys.Left, p.toItems},
		action{keys.CopyID, func() tea.Cmd { return p.app.copyText(p.chosen()) }})
	if it := p.item(); it != nil {
		said := func(context.Context) (string, error) { return it.Content, nil }
		all = append(all, action{keys.CopyText, func() tea.Cmd { return p.app.copyWhole(it.ID, said) }})
	}
	return all.also(keys.Moving()...)
}

func (p *survivalPage) typing() bool { return p.pick != nil }
func (p *survivalPage) close()       {}
