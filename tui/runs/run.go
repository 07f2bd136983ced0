// Package runs has the pages of runs: all of them, one run, one of its entries or signals,
// and its check.
//
//	list.go       the page of all runs; needs.go says what they need
//	run.go        the page of a run; run_layout.go has its layout, act.go its actions
//	feed*.go      the list of its entries
//	questions.go  the list of its questions; run_panes.go has that of its workers
//	preview.go    shows the chosen row
//	expected.go   acts on the workers that the run waits for
//	live.go       follows a run
//	replay.go     shows the past; changes.go what has changed since a moment
//	output.go     what a command prints about a run
//	evidence.go   an entry or a signal as a text; detail.go is the page of one
//	check*.go     a run against its policy, board.yaml, and against reports
//	missing.go    what a report lacks; pair.go: two entries that contradict each other
package runs

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/check"
	kbhome "blackboard/kb/home"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// Panes of a run, in the order of their keys.
const (
	PaneFeed = iota
	PaneQuestions
	PaneWorkers
	lists
	PanePreview = lists // not a list, but a text about the chosen row of one
	Panes       = lists + 1
)

// scene is the state of a run at one moment, without its entries: now, or in the past.
type scene struct {
	state   board.State
	verdict board.Verdict
	// uncompared: the verdict leaves out the conflicts that the policy asks for
	uncompared bool
	signals    []*board.Signal // by urgency
	workers    []board.Worker  // authors, latest first, then expected ones without entries
}

// Page shows one run: entries, signals, gate, workers, and the timeline.
type Page struct {
	app    *page.App
	Name   string
	ctx    context.Context // ends with the page
	stop   func()
	b      *board.Board   // nil until it is open
	before []*board.Board // opened before the file was replaced
	err    error          // why it is not open

	scene   scene // on the screen: now, or the past
	newest  scene // the current scene, as far as it was read
	known   bool  // the scene was read
	longest int   // the width of the longest worker's name
	follow  follower
	back    replay

	feed      *feed
	questions *questionsPane
	workers   *workersPane
	panes     [lists]pane // the three lists
	focus     int         // the list that has the keys, or had them before the preview
	preview   *preview
	inPreview bool // the preview has the keys
	w, h      int
	area      [Panes]page.Rect // the sizes of the panes; empty: hidden
	acted     bool             // the person has just acted: the chosen row may disappear
	want      string           // the entry to show first, or toCheck; "": none
}

// pane is a list on the page.
type pane interface {
	rows() *page.List
	// above returns the number of lines above the list.
	above() int
	view(focused bool) []string
	// chosen returns the id of the chosen row, or "".
	chosen() string
	// narrowing returns its filter, whose keys typed handles.
	narrowing() *page.Filter
	typed(tea.KeyMsg) tea.Cmd
	clearFilter() tea.Cmd
}

// New shows a run, which it opens.
func New(a *page.App, name string) *Page {
	p := &Page{app: a, Name: name}
	p.ctx, p.stop = context.WithCancel(a.Context)
	p.feed = newFeed(p)
	p.questions = newQuestionsPane(p)
	p.workers = newWorkersPane(p)
	p.panes = [lists]pane{p.feed, p.questions, p.workers}
	p.preview = &preview{page: p, doc: page.Document{App: p.app}, title: "Nothing is chosen"}
	return p
}

// NewAt shows an entry of the run first; "": the last one.
func NewAt(a *page.App, name, entry string) page.Page {
	p := New(a, name)
	p.want = entry
	return p
}

// Init opens the board, and tries again until that succeeds.
func (p *Page) Init() tea.Cmd {
	return p.open(p.start, func(err error) tea.Cmd {
		p.err = err
		return p.app.After(reconnectEvery, p, p.Init)
	})
}

func (p *Page) open(opened func(*board.Board) tea.Cmd, failed func(error) tea.Cmd) tea.Cmd {
	return p.app.Do(func(ctx context.Context) tea.Msg {
		b, err := kbhome.Run(ctx, p.app.Boards, p.Name)
		if err != nil {
			return page.Answer{To: p, Take: func() tea.Cmd { return failed(err) }}
		}
		p.app.SetClock(b)
		return page.Answer{To: p, Take: func() tea.Cmd { return opened(b) },
			Drop: func() { b.Close() }}
	})
}

func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.ContactMsg:
		if msg.Away == nil && p.b != nil {
			p.preview.of = subject{} // to be read again
			return p.Look()
		}
		return nil
	case page.EventsMsg:
		return p.handleEvents(msg)
	case tea.KeyMsg:
		return p.key(msg)
	case page.DoneMsg:
		if msg.Kind != page.ChangedRun || msg.Err != nil || p.b == nil {
			return nil
		}
		p.acted, p.preview.of = true, subject{}
		if p.app.Still {
			return p.Look() // otherwise the log reports it
		}
		return nil
	}
	if typed := p.typedInto(); typed != nil {
		_, cmd := typed.narrowing().Update(msg) // for the cursor
		return cmd
	}
	return nil
}

func (p *Page) typedInto() pane {
	for _, l := range p.panes {
		if l.narrowing().Active {
			return l
		}
	}
	return nil
}

func (p *Page) key(msg tea.KeyMsg) tea.Cmd {
	if typed := p.typedInto(); typed != nil {
		return typed.typed(msg)
	}
	if p.b == nil || !p.known {
		return nil
	}
	if cmd, ok := p.Actions().Press(msg); ok {
		return cmd
	}
	if p.inPreview {
		p.preview.doc.Update(msg)
		return nil
	}
	p.panes[p.focus].rows().Update(msg)
	return nil
}

func (p *Page) Here() int {
	if p.inPreview {
		return PanePreview
	}
	return p.focus
}

func (p *Page) FocusOn(i int) tea.Cmd {
	p.letGo()
	if p.inPreview = i == PanePreview; !p.inPreview {
		p.focus = i
	}
	if p.Here() == PaneQuestions {
		// keep the chosen question when others are added before it
		p.questions.list.Touched = p.questions.list.Len > 0
	}
	return nil
}

// letGo has a pane without focus follow its first row again, if that is chosen.
func (p *Page) letGo() {
	if l := p.panes[p.focus].rows(); p.focus != PaneFeed && l.Cursor == 0 {
		l.Touched = false
	}
}

// startFilter gives the keys to the filter of the list with the focus.
func (p *Page) startFilter() tea.Cmd {
	p.inPreview = false
	return p.panes[p.focus].narrowing().Start()
}

func (p *Page) Chosen() string {
	if p.focus == PaneWorkers {
		return ""
	}
	return p.panes[p.focus].chosen()
}

func (p *Page) openChosen() tea.Cmd {
	if p.focus == PaneWorkers {
		return p.showWork(p.workers.chosen())
	}
	if id := p.Chosen(); id != "" {
		return p.app.Push(p.entryPage(id))
	}
	if q := p.questions.at(); p.focus == PaneQuestions && q != nil {
		if q.reason.Worker == "" {
			return p.FocusOn(PanePreview) // which says what clears it
		}
		return p.showWork(q.reason.Worker)
	}
	return nil
}

// showWork shows the entries of a worker; "": there is none.
func (p *Page) showWork(name string) tea.Cmd {
	if name == "" {
		return nil
	}
	return p.ShowMatching(`worker:"` + name + `"`)
}

// entryPage is the page of an entry or a signal at the moment that is shown.
func (p *Page) entryPage(id string) page.Page {
	return NewEntry(p.app, p.Name, p.b, id, p.back.past)
}

// Leave clears a filter, or returns from the past, before the page is closed.
func (p *Page) Leave() (tea.Cmd, bool) {
	for _, i := range []int{p.focus, PaneFeed, PaneQuestions, PaneWorkers} {
		if p.panes[i].narrowing().Shown() {
			return p.panes[i].clearFilter(), true
		}
	}
	switch {
	case p.inPreview:
		return p.FocusOn(p.focus), true
	case p.back.on:
		return p.ToNow(), true
	}
	return nil, false
}

func (p *Page) Title() string { return p.Name }

func (p *Page) Run() string { return p.Name }

func (p *Page) Board() *board.Board { return p.b }

// Light returns the state of the gate at the moment that is shown.
func (p *Page) Light() (string, bool) {
	if !p.known {
		return "", false
	}
	word, open := cells.GateWord(p.scene.verdict.Open,
		len(p.scene.verdict.Reasons)), p.scene.verdict.Open
	switch {
	case p.isLoading():
		return "● gate at event " + cells.Count(p.back.seq) + "…", false
	case p.back.on:
		word += " at event " + cells.Count(p.back.seq)
		if p.scene.uncompared {
			word += ", conflicts not compared"
		}
	}
	return word, open
}

// Actions are the keys of pane, time and page; while a filter is typed, only its own.
func (p *Page) Actions() page.Actions {
	if typed := p.typedInto(); typed != nil {
		return typed.narrowing().Actions()
	}
	if p.b == nil || !p.known {
		return page.Actions{}.Also(page.KeyBack)
	}
	to := func(i int) func() tea.Cmd { return func() tea.Cmd { return p.FocusOn(i) } }
	by := func(step int) func() tea.Cmd { return to((p.Here() + step + Panes) % Panes) }
	all := page.Actions{page.On(page.KeyOpen, p.openChosen), page.On(page.KeyFilter, p.startFilter)}
	switch p.focus {
	case PaneQuestions:
		all = append(all, page.On(page.Renamed(page.KeyFewer, "open ones, or all"),
			p.questions.toggle))
	case PaneWorkers:
		all[0].Binding = page.Renamed(page.KeyOpen, "their entries")
	}
	all = append(all, p.rowActions()...)
	all = append(all, page.On(page.Renamed(page.KeyNext, "next pane"), by(1))).Also(page.KeySearch)
	all = append(all, page.On(page.KeySurvival,
		func() tea.Cmd { return p.app.Push(NewCheckPage(p.app, p.Name, p.b, check.Survival)) }),
		page.On(page.KeyCheck, func() tea.Cmd { return p.app.Push(NewCheckPage(p.app, p.Name, p.b, "")) }))
	if p.scene.state.Retrievals > 0 {
		all = append(all, page.On(page.KeyGiven,
			func() tea.Cmd { return p.app.Push(p.app.Open.Given(p.b, p.back.past)) }))
	}
	all = append(all, p.timeActions()...)
	all = append(all.Also(page.KeyMemory), page.On(page.KeyCopyID,
		func() tea.Cmd { return p.app.CopyText(p.panes[p.focus].chosen()) }),
		page.On(page.KeyCopyText, func() tea.Cmd { return copyContent(p.app, p.b, p.Chosen()) }),
		page.On(page.Renamed(page.KeyPrevious, "pane before"), by(-1)),
		page.On(page.Renamed(page.KeyRight, "to the text"), to(PanePreview)),
		page.On(page.Renamed(page.KeyLeft, "to the list"), to(p.focus)))
	for i, b := range page.PartKeys()[:Panes] {
		all = append(all, page.On(page.Renamed(b, p.TabName(i)[2:]), to(i)))
	}
	return all.Also(page.MovingKeys()...)
}

func (p *Page) Typing() bool { return p.typedInto() != nil }

func (p *Page) Close() {
	p.stop()
	for _, b := range append(p.before, p.b) {
		if b != nil {
			b.Close()
		}
	}
}

// choose chooses an entry or a signal in its list, and clears a filter that hides it.
func (p *Page) choose(id string) (cmd tea.Cmd) {
	if page.IsSignal(id) {
		p.FocusOn(PaneQuestions)
		p.questions.filter.Clear()
		here := func(q concern) bool { return q.id() == id }
		p.questions.every = p.questions.every || !slices.ContainsFunc(p.questions.shown, here)
		p.questions.show(id, true)
		p.questions.choose(id)
		return nil
	}
	p.FocusOn(PaneFeed)
	if p.feed.filter.Shown() {
		cmd = p.feed.clearFilter()
	}
	if at := p.feed.rowIndex(id); at >= 0 {
		p.feed.list.MoveTo(at)
	}
	return cmd
}

func (p *Page) OpenID(id string) tea.Cmd {
	cmd := p.choose(id)
	if p.Chosen() != id {
		return tea.Batch(cmd, page.Notice(p.Name+" has no "+id))
	}
	return tea.Batch(cmd, p.app.Push(p.entryPage(id)))
}

func (p *Page) ShowMatching(filter string) tea.Cmd {
	p.FocusOn(PaneFeed)
	return p.feed.filterBy(filter)
}

// IsReady reports whether the run is open and was read.
func (p *Page) IsReady() bool { return p.b != nil && p.known }

func (p *Page) Past() *board.Past { return p.back.past }

// Disputes returns the number of disputed entries at the moment that is shown.
func (p *Page) Disputes() int64 { return p.scene.state.Entries.ByStatus[board.Disputed] }

// Gate describes the gate as it is now; "" if the run was not read.
func (p *Page) Gate() string {
	if !p.known {
		return ""
	}
	v := &p.newest.verdict
	return cells.GateWord(v.Open, len(v.Reasons))
}
