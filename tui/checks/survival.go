package checks

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
	"blackboard/tui/page"
)

// reportEvery is how often the page checks whether the report's file has changed.
const reportEvery = 2 * time.Second

// SurvivalPage shows whether a report carries what its run found: the items, missing ones
// first, and for each the passage, or the nearest one.
type SurvivalPage struct {
	app  *page.App
	name string // the name of the run
	b    *board.Board
	pick *reportPicker // nil: a report is chosen

	report   string // its path
	Result   *survival.Result
	state    reportState // the state of the file that result is about
	err      error       // why there is no result
	checking page.Once
	changed  bool // the run has changed since the check

	page.TwoPanes
	shown   []int  // indexes of result.Items
	missing bool   // show only missing ones
	about   string // the id of the item in doc
}

// reportState identifies a version of a file.
type reportState struct {
	modified time.Time
	size     int64
}

// NewSurvivalPage starts with the report that was last chosen for the run, or asks for
// one.
func NewSurvivalPage(a *page.App, name string, b *board.Board) page.Page {
	p := &SurvivalPage{app: a, name: name, b: b}
	p.Doc = page.Document{App: a, At: -1}
	p.Items = page.List{App: a, Row: p.row}
	if p.report = a.LastReport[name]; p.report == "" {
		p.pick = newReportPicker(a)
	}
	return p
}

// Init checks the report, or lists the reports to choose from.
func (p *SurvivalPage) Init() tea.Cmd {
	look := p.app.After(reportEvery, p, p.Look)
	if p.pick != nil {
		return tea.Batch(p.pick.init(p), look)
	}
	return tea.Batch(p.check(), look)
}

// check reads the report and looks for every item in it, once at a time.
func (p *SurvivalPage) check() tea.Cmd {
	if p.report == "" || !p.checking.Begin() {
		return nil
	}
	p.changed = false
	path := p.report
	return p.app.Ask(p, func(ctx context.Context) func() tea.Cmd {
		var result survival.Result
		state := stateOf(path)
		report, err := documents.Open(path)
		if err == nil {
			result, err = p.b.Survival(ctx, report)
		}
		return func() tea.Cmd {
			if again := p.checking.End(); again || path != p.report {
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

// Update notes that the run has changed, and handles keys and the mouse.
func (p *SurvivalPage) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.EventsMsg:
		if msg.From.Board() == p.b && msg.Err == nil {
			p.changed = true
		}
	case page.DoneMsg:
		if msg.Kind == page.ChangedRun {
			return p.check()
		}
	case tea.KeyMsg:
		return p.key(msg)
	case tea.MouseMsg:
		return p.mouse(msg)
	default:
		if p.pick != nil {
			_, cmd := p.pick.filter.Update(msg) // for the cursor
			return cmd
		}
	}
	return nil
}

// Look checks the state of the report without reading it.
func (p *SurvivalPage) Look() tea.Cmd {
	path := p.report
	return p.app.Ask(p, func(context.Context) func() tea.Cmd {
		state := stateOf(path)
		return func() tea.Cmd {
			again := p.app.After(reportEvery, p, p.Look)
			if p.changed || path == p.report && state != p.state {
				return tea.Batch(p.check(), again)
			}
			return again
		}
	})
}

// checked shows a result. The chosen item stays chosen.
func (p *SurvivalPage) checked(result *survival.Result, err error) {
	chosen := p.Chosen()
	if p.Result, p.err = result, err; err != nil {
		p.Result = nil
	}
	p.narrow(chosen)
}

// narrow shows the missing items, and the others unless they are hidden.
func (p *SurvivalPage) narrow(chosen string) {
	p.shown = p.shown[:0:0]
	if p.Result != nil {
		for _, present := range []bool{false, true} {
			for i := range p.Result.Items {
				if p.Result.Items[i].Present == present && !(present && p.missing) {
					p.shown = append(p.shown, i)
				}
			}
		}
	}
	p.Items.SetLen(len(p.shown))
	for i, n := range p.shown {
		if p.Result.Items[n].ID == chosen {
			p.Items.MoveTo(i)
		}
	}
	p.compose()
}

// item returns the chosen item, or nil.
func (p *SurvivalPage) item() *survival.ItemResult {
	if p.Result == nil || p.Items.Cursor >= len(p.shown) {
		return nil
	}
	return &p.Result.Items[p.shown[p.Items.Cursor]]
}

// Chosen returns the id of the chosen item, or "".
func (p *SurvivalPage) Chosen() string {
	if it := p.item(); it != nil {
		return it.ID
	}
	return ""
}

func (p *SurvivalPage) key(msg tea.KeyMsg) tea.Cmd {
	if p.pick != nil {
		return p.pickKey(msg)
	}
	cmd, ok := p.Actions().Press(msg)
	switch {
	case ok:
	case p.InDoc:
		p.Doc.Update(msg)
	case p.Items.Update(msg):
		p.compose()
	}
	return cmd
}

// pickReport asks for another report.
func (p *SurvivalPage) pickReport() tea.Cmd {
	p.pick = newReportPicker(p.app)
	p.SetSize(p.Width, p.Height)
	return p.pick.init(p)
}

func (p *SurvivalPage) toggleMissing() tea.Cmd {
	p.missing = !p.missing
	p.narrow(p.Chosen())
	return nil
}

// pickKey passes a key to the picker, and uses its result.
func (p *SurvivalPage) pickKey(msg tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(msg, keys.Cancel) && p.pick.filter.Value() == "":
		if p.report == "" {
			return p.app.Pop(p)
		}
		p.pick = nil
		return nil
	case key.Matches(msg, keys.Open):
		return p.choose(p.pick.chosen())
	}
	return p.pick.key(msg)
}

// choose takes a report, whose path may be relative to the directory of the files.
func (p *SurvivalPage) choose(path string) tea.Cmd {
	if path == "" {
		return nil
	}
	path = reportPath(p.app, path)
	p.report, p.pick, p.Result, p.err = path, nil, nil, nil
	p.app.LastReport[p.name] = path
	p.narrow("")
	return p.check()
}

func (p *SurvivalPage) openItem() tea.Cmd {
	if id := p.Chosen(); id != "" {
		return p.app.Push(p.app.Open.Entry(p.name, p.b, id, nil))
	}
	return nil
}

// noText reports that a text editor cannot open the report.
func (p *SurvivalPage) noText() bool { return noText(p.report) }

// openReport opens the report in the editor, at the passage of the chosen item or the
// nearest one.
func (p *SurvivalPage) openReport() tea.Cmd {
	if p.Result == nil {
		return nil
	}
	if p.noText() {
		return page.NoticeError(noEditor(p.report))
	}
	line := 0
	if it := p.item(); it != nil && it.Passage != nil {
		line = it.Passage.Line
	}
	return p.app.EditFile(p.report, line)
}

func (p *SurvivalPage) mouse(msg tea.MouseMsg) tea.Cmd {
	if p.pick != nil {
		if p.pick.mouse(msg) {
			return p.choose(p.pick.chosen())
		}
		return nil
	}
	moved, open := p.TwoPanes.Mouse(msg)
	if moved {
		p.compose()
	}
	if open {
		return p.openItem()
	}
	return nil
}

// Title names the page in the header.
func (p *SurvivalPage) Title() string { return "survival" }

// Actions returns the keys of the page, or of the choice of a report.
func (p *SurvivalPage) Actions() page.Actions {
	if p.pick != nil {
		check, back := keys.Renamed(keys.Open, "check it"), keys.Renamed(keys.Cancel, "back")
		return page.Actions{}.Also(check, back, keys.Choose)
	}
	again := page.Actions{page.On(keys.Report, p.pickReport),
		page.On(keys.Renamed(keys.Refresh, "check again"), p.check)}
	if p.Result == nil {
		return again
	}
	report := page.On(keys.Renamed(keys.Source, "open the report"), p.openReport)
	if p.noText() {
		report = report.Unlisted()
	}
	other := "to the text"
	if p.InDoc {
		other = "to the items"
	}
	all := append(page.Actions{page.On(keys.Open, p.openItem),
		page.On(keys.Renamed(keys.Fewer, "missing only, or all"), p.toggleMissing), report},
		again...)
	all = append(all, page.On(keys.Renamed(keys.Next, other), p.OtherSide),
		page.On(keys.Previous, p.OtherSide).Unlisted(),
		page.On(keys.Right, p.ToText), page.On(keys.Left, p.ToItems),
		page.On(keys.CopyID, func() tea.Cmd { return p.app.CopyText(p.Chosen()) }))
	if it := p.item(); it != nil {
		said := func(context.Context) (string, error) { return it.Content, nil }
		all = append(all, page.On(keys.CopyText,
			func() tea.Cmd { return p.app.CopyWhole(it.ID, said) }))
	}
	return all.Also(keys.Moving()...)
}

// Typing reports whether the path of a report is typed.
func (p *SurvivalPage) Typing() bool { return p.pick != nil }

// Close has nothing to end: the program ends its reads.
func (p *SurvivalPage) Close() {}
