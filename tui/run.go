package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/keys"
	"blackboard/tui/page"
	"blackboard/tui/styles"
)

// Panes of a run, in the order of their keys.
const (
	paneFeed = iota
	paneQuestions
	paneWorkers
	lists
	panePreview = lists // not a list, but a text about the chosen row of one
	panes       = lists + 1
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

// runPage shows one run: entries, signals, gate, workers, and the timeline.
type runPage struct {
	app    *page.App
	name   string
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
	watcher watcher
	aged    int // how often ages were updated
	fresh   fresh
	back    replay
	time    timeline

	feed      *feed
	questions *questionsPane
	workers   *workersPane
	panes     [lists]pane // the three lists
	focus     int         // the list that has the keys, or had them before the preview
	preview   *preview
	inPreview bool // the preview has the keys
	w, h      int
	area      [panes]page.Rect // where the panes are; empty: hidden
	acted     bool             // the person has just acted: the chosen row may disappear
	want      string           // the entry to show first; "": none
}

// pane is a list on the page.
type pane interface {
	rows() *page.List
	// above returns the lines above the list.
	above() int
	view(focused bool) []string
	// chosen returns the id of the chosen row, or "".
	chosen() string
	// narrowing returns its filter, whose keys typed handles.
	narrowing() *page.Filter
	typed(tea.KeyMsg) tea.Cmd
	clearFilter() tea.Cmd
}

func newRunPage(a *page.App, name string) *runPage {
	p := &runPage{app: a, name: name}
	p.ctx, p.stop = context.WithCancel(a.Context)
	p.feed = newFeed(p)
	p.questions = newQuestionsPane(p)
	p.workers = newWorkersPane(p)
	p.panes = [lists]pane{p.feed, p.questions, p.workers}
	p.preview = newPreview(p)
	p.time.page = p
	return p
}

func (p *runPage) Init() tea.Cmd {
	return p.app.Do(func(ctx context.Context) tea.Msg {
		b, err := board.Open(ctx, p.app.Boards, p.name)
		if err != nil {
			return page.Answer{To: p, Take: func() tea.Cmd { p.err = err; return p.app.After(reconnectEvery, p, p.Init) }}
		}
		p.app.SetClock(b)
		return page.Answer{To: p, Take: func() tea.Cmd { return p.start(b) }, Drop: func() { b.Close() }}
	})
}

func (p *runPage) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.ContactMsg:
		if msg.Away == nil && p.b != nil {
			return tea.Batch(p.look(), p.preview.changed())
		}
		return nil
	case tea.WindowSizeMsg: // rows that came into view
		return tea.Batch(p.feed.need(), p.CatchUp())
	case page.EventsMsg:
		return tea.Batch(p.happened(msg), p.preview.Update(msg))
	case tea.KeyMsg:
		return p.key(msg)
	case tea.MouseMsg:
		return p.mouse(msg)
	case page.DoneMsg:
		if msg.Kind != page.ChangedRun || msg.Err != nil || p.b == nil {
			return nil
		}
		if p.acted = true; p.app.Still {
			return tea.Batch(p.look(), p.preview.changed()) // otherwise the log reports it
		}
		return nil
	}
	if typed := p.typedInto(); typed != nil {
		_, cmd := typed.narrowing().Update(msg) // for the cursor
		return cmd
	}
	return nil
}

// Resume reads what has changed while another page was shown.
func (p *runPage) Resume() tea.Cmd { return p.preview.Resume() }

// typedInto returns the list whose filter has the keys, or nil.
func (p *runPage) typedInto() pane {
	for _, l := range p.panes {
		if l.narrowing().Active {
			return l
		}
	}
	return nil
}

func (p *runPage) key(msg tea.KeyMsg) tea.Cmd {
	if typed := p.typedInto(); typed != nil {
		return typed.typed(msg)
	}
	if p.b == nil || !p.known {
		return nil
	}
	if cmd, ok := p.Actions().Press(msg); ok {
		return cmd
	}
	if cmd, ok := p.acts().awaitedKey(msg, p.awaited()); ok {
		return cmd
	}
	if cmd, ok := p.acts().key(msg, p.chosen()); ok {
		return cmd
	}
	if p.inPreview {
		p.preview.doc.Update(msg)
		return nil
	}
	if p.focus == paneFeed {
		if cmd, ok := p.feed.edge(msg); ok {
			return cmd
		}
	}
	if !p.panes[p.focus].rows().Update(msg) {
		return nil
	}
	return p.feed.need()
}

// here returns the pane with the keys.
func (p *runPage) here() int {
	if p.inPreview {
		return panePreview
	}
	return p.focus
}

func (p *runPage) focusOn(i int) tea.Cmd {
	p.letGo()
	if p.inPreview = i == panePreview; p.inPreview {
		if !p.previewed() {
			p.togglePreview()
			p.inPreview = true
		}
	} else {
		p.focus = i
	}
	if p.here() == paneQuestions {
		// keep the chosen question when others are added before it
		p.questions.list.Touched = p.questions.list.Len > 0
	}
	p.layout()
	return nil
}

// letGo makes a pane that loses the focus follow its first row again, if that is the
// chosen one.
func (p *runPage) letGo() {
	if l := p.panes[p.focus].rows(); p.focus != paneFeed && l.Cursor == 0 {
		l.Touched = false
	}
}

// focusBy moves the focus to another pane, in their order on the screen.
func (p *runPage) focusBy(step int) tea.Cmd {
	order := []int{paneFeed, paneQuestions, paneWorkers}
	if !p.tabs() {
		order = slices.Concat(p.columns()...)
	} else if p.previewed() {
		order = append(order, panePreview)
	}
	at := slices.Index(order, p.here()) + step
	return p.focusOn(order[(at+len(order))%len(order)])
}

// focusBeside moves the focus to the next column, or to the tab.
func (p *runPage) focusBeside(step int) tea.Cmd {
	if p.tabs() {
		return p.focusBy(step)
	}
	columns := p.columns()
	at := slices.IndexFunc(columns, func(c []int) bool { return slices.Contains(c, p.here()) })
	next := columns[min(max(at+step, 0), len(columns)-1)]
	if slices.Contains(next, p.focus) {
		return p.focusOn(p.focus)
	}
	return p.focusOn(next[0])
}

// startFilter gives the keys to the filter of the list with the focus.
func (p *runPage) startFilter() tea.Cmd {
	p.inPreview = false
	return p.panes[p.focus].narrowing().Start()
}

// chosen returns the id of the chosen entry or signal, or "".
func (p *runPage) chosen() string {
	if p.focus == paneWorkers {
		return ""
	}
	return p.panes[p.focus].chosen()
}

func (p *runPage) openChosen() tea.Cmd {
	if p.focus == paneWorkers {
		if name := p.workers.chosen(); name != "" {
			p.focusOn(paneFeed)
			return p.feed.filterBy(`worker:"` + name + `"`)
		}
		return nil
	}
	if id := p.chosen(); id != "" {
		return p.app.Push(newDetailOf(p, id))
	}
	return nil
}

// Leave clears a filter, or returns from the past, before the page is closed.
func (p *runPage) Leave() (tea.Cmd, bool) {
	for _, i := range []int{p.focus, paneFeed, paneQuestions, paneWorkers} {
		if p.panes[i].narrowing().Shown() {
			return p.panes[i].clearFilter(), true
		}
	}
	switch {
	case p.inPreview:
		return p.focusOn(p.focus), true
	case p.back.on:
		return p.toNow(), true
	}
	return nil, false
}

func (p *runPage) mouse(msg tea.MouseMsg) tea.Cmd {
	if msg.Y >= p.h-p.time.height() {
		return p.time.mouse(msg)
	}
	if msg.Y == 0 && page.IsClick(msg) && p.onDisputed(msg.X) {
		p.focusOn(paneFeed)
		return p.feed.filterBy("status:" + board.Disputed)
	}
	if p.tabs() && msg.Y == 1 && page.IsClick(msg) {
		for i, x := 0, 1; i < panes; i++ {
			n := len(p.tabName(i))
			if msg.X >= x && msg.X < x+n {
				return p.focusOn(i)
			}
			x += n + 2
		}
		return nil
	}
	for i, r := range p.area {
		switch {
		case !r.Has(msg.X, msg.Y):
		case i == panePreview:
			return p.previewMouse(msg, msg.Y-r.Y-1)
		default:
			return p.listMouse(msg, i)
		}
	}
	return nil
}

// listMouse handles the mouse in a list: a click at the chosen row opens it.
func (p *runPage) listMouse(msg tea.MouseMsg, i int) tea.Cmd {
	was := p.here()
	y := msg.Y - p.area[i].Y - p.panes[i].above()
	open := p.panes[i].rows().Mouse(msg, y)
	if page.IsClick(msg) {
		p.focusOn(i)
	}
	if open && was == i {
		return p.openChosen()
	}
	return p.feed.need()
}

// previewMouse scrolls the preview, and opens a link in it.
func (p *runPage) previewMouse(msg tea.MouseMsg, y int) tea.Cmd {
	if page.IsClick(msg) {
		p.focusOn(panePreview)
	}
	if p.preview.doc.Mouse(msg, y) {
		return p.preview.follow()
	}
	return nil
}

// disputed returns the number of disputed entries as text; "" if there are none.
func (p *runPage) disputed() string {
	n := p.scene.state.Entries.ByStatus[board.Disputed]
	if n == 0 {
		return ""
	}
	return cells.Count(n) + " disputed"
}

// onDisputed reports whether a cell of the summary has the number of disputed entries.
func (p *runPage) onDisputed(x int) bool {
	before, _, said := strings.Cut(ansi.Strip(p.summary()), p.disputed())
	return said && p.disputed() != "" && x >= cells.Width(before) && x < cells.Width(before+p.disputed())
}

// summary describes the run in a line.
func (p *runPage) summary() string {
	s := &p.scene.state
	open := s.Signals.Open.Total()
	parts := []string{cells.Plural(s.Entries.Total, "entry")}
	if said := p.disputed(); said != "" {
		parts = append(parts, p.app.Styles.Warn.Render(said))
	}
	parts = append(parts, fmt.Sprintf("%s, %s open", cells.Plural(s.Signals.Total, "signal"), cells.Count(open)),
		cells.Plural(int64(len(p.scene.workers)), "worker"))
	if s.Retrievals > 0 {
		parts = append(parts, "given "+cells.Plural(s.Retrievals, "time"))
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

func (p *runPage) tabName(i int) string {
	return [panes]string{"1 entries", "2 questions", "3 workers", "4 preview"}[i]
}

func (p *runPage) tabLine() string {
	parts := make([]string, panes)
	for i := range parts {
		parts[i] = p.app.Styles.Faint.Render(p.tabName(i))
		if i == p.here() {
			parts[i] = p.app.Styles.Focus.Render("▸" + p.tabName(i))
		} else {
			parts[i] = " " + parts[i]
		}
	}
	return cells.Fit(strings.Join(parts, "  "), p.w)
}

func (p *runPage) Title() string { return p.name }
func (p *runPage) Run() string   { return p.name }

// Board returns the open board of the run.
func (p *runPage) Board() *board.Board { return p.b }

func (p *runPage) Light() (string, bool) {
	if !p.known {
		return "", false
	}
	word, open := styles.Gate(p.scene.verdict.Open, len(p.scene.verdict.Reasons)), p.scene.verdict.Open
	switch {
	case p.loading():
		return "● gate at event " + cells.Count(p.back.seq) + "…", false
	case p.back.on:
		word += " at event " + cells.Count(p.back.seq)
		if p.scene.uncompared {
			word += ", conflicts not compared"
		}
	}
	return word, open
}

func (p *runPage) Actions() page.Actions {
	if typed := p.typedInto(); typed != nil {
		return typed.narrowing().Actions()
	}
	if p.b == nil || !p.known {
		return page.Actions{}.Also(keys.Back)
	}
	to := func(i int) func() tea.Cmd { return func() tea.Cmd { return p.focusOn(i) } }
	by := func(step int) func() tea.Cmd { return func() tea.Cmd { return p.focusBy(step) } }
	all := page.Actions{page.On(keys.Open, p.openChosen), page.On(keys.Filter, p.startFilter)}
	switch p.focus {
	case paneQuestions:
		all = append(all, page.On(keys.Renamed(keys.Fewer, "open ones, or all"), p.questions.toggle))
	case paneWorkers:
		all[0].Binding = keys.Renamed(keys.Open, "their entries")
	}
	all = all.Also(p.actBindings()...)
	all = append(all, page.On(keys.Renamed(keys.Next, "next pane"), by(1)),
		page.On(keys.Preview, p.togglePreview)).Also(keys.Search)
	all = append(all, page.On(keys.Survival, func() tea.Cmd { return p.app.Push(p.app.Open.Survival(p.name, p.b)) }),
		page.On(keys.Check, func() tea.Cmd { return p.app.Push(p.app.Open.Check(p.name, p.b)) }))
	if p.scene.state.Retrievals > 0 {
		all = append(all, page.On(keys.Given, func() tea.Cmd { return p.app.Push(p.app.Open.Given(p.b, p.back.past)) }))
	}
	all = append(all, p.timeActions()...)
	all = append(all, p.time.actions()...).Also(keys.Memory)
	all = append(all, page.On(keys.CopyID, func() tea.Cmd { return p.app.CopyText(p.panes[p.focus].chosen()) }),
		page.On(keys.CopyText, func() tea.Cmd { return copyContent(p.app, p.b, p.chosen()) }),
		page.On(keys.Renamed(keys.Previous, "pane before"), by(-1)),
		page.On(keys.Right, func() tea.Cmd { return p.focusBeside(1) }),
		page.On(keys.Left, func() tea.Cmd { return p.focusBeside(-1) }))
	for i, b := range keys.Parts()[:panes] {
		all = append(all, page.On(keys.Renamed(b, p.tabName(i)[2:]), to(i)))
	}
	return all.Also(keys.Moving()...)
}

func (p *runPage) Typing() bool { return p.typedInto() != nil }

func (p *runPage) Close() {
	p.stop()
	for _, b := range append(p.before, p.b) {
		if b != nil {
			b.Close()
		}
	}
}
