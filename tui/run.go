package tui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"blackboard/board"
	"blackboard/tui/keys"
)

// Panes of a run, in the order of their keys.
const (
	paneFeed = iota
	paneSignals
	paneGate
	paneWorkers
	panes
)

// wide is from how many cells on all panes are seen at once.
const wide = 110

// scene is what there is to see of a run at one moment, but for its entries: now, or as it was.
type scene struct {
	state   board.State
	verdict board.Verdict
	signals []board.Signal
	workers []board.Worker // who wrote, the latest first, then who is expected and has not
}

// runPage shows one run: entries, signals, gate, workers, and when.
type runPage struct {
	app    *app
	name   string
	ctx    context.Context // ends with the page
	stop   func()
	b      *board.Board   // nil until it is open
	before []*board.Board // that were open before the file was replaced
	err    error          // why it is not

	scene   scene // what is shown: now, or the past
	newest  scene // as it is now, as far as it was read
	known   bool  // the scene was read
	follow  follower
	watcher watcher
	aged    int // how often ages were shown anew
	fresh   fresh
	back    replay

	feed    *feed
	signals *signalsPane
	gate    *gatePane
	workers *workersPane
	panes   [panes]pane // these
	focus   int
	w, h    int
	area    [panes]rect // where the panes are; empty: not seen
	acted   bool        // something was just done here: what is chosen may go
	want    string      // the entry to show first; "": none
}

// pane is a list that is a part of the page.
type pane interface {
	rows() *list
	// above is how many lines there are above the list.
	above() int
	view(focused bool) []string
	// chosen is the id of what is chosen, or "".
	chosen() string
}

// rect is a part of the page, in cells.
type rect struct{ x, y, w, h int }

func (r rect) has(x, y int) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }

func newRunPage(a *app, name string) *runPage {
	p := &runPage{app: a, name: name}
	p.ctx, p.stop = context.WithCancel(a.ctx)
	p.feed = newFeed(p)
	p.signals = newSignalsPane(p)
	p.gate = newGatePane(p)
	p.workers = newWorkersPane(p)
	p.panes = [panes]pane{p.feed, p.signals, p.gate, p.workers}
	return p
}

func (p *runPage) init() tea.Cmd {
	return p.app.do(func(ctx context.Context) tea.Msg {
		b, err := board.Open(ctx, p.app.Boards, p.name)
		if err != nil {
			return answer{to: p, take: func() tea.Cmd { p.err = err; return p.app.after(reconnectEvery, p, p.init) }}
		}
		p.app.setClock(b)
		return answer{p, func() tea.Cmd { return p.start(b) }, func() { b.Close() }}
	})
}

func (p *runPage) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case eventsMsg:
		return p.happened(msg)
	case tea.KeyMsg:
		return p.key(msg)
	case tea.MouseMsg:
		return p.mouse(msg)
	case doneMsg:
		if msg.kind != changedRun || msg.err != nil || p.b == nil {
			return nil
		}
		if p.acted = true; p.app.still {
			return p.look() // else the log tells
		}
		return nil
	}
	if p.feed.filter.active {
		_, cmd := p.feed.filter.update(msg) // a blinking cursor
		return cmd
	}
	return nil
}

func (p *runPage) key(msg tea.KeyMsg) tea.Cmd {
	if p.feed.filter.active {
		return p.feed.typed(msg)
	}
	if p.b == nil || !p.known {
		return nil
	}
	if cmd, ok := p.actions().press(msg); ok {
		return cmd
	}
	if cmd, ok := p.acts().key(msg, p.chosen()); ok {
		return cmd
	}
	p.panes[p.focus].rows().update(msg)
	return p.feed.need()
}

func (p *runPage) focusOn(i int) tea.Cmd {
	p.letGo()
	p.focus = (i + panes) % panes
	if p.focus != paneFeed { // a key is about the question that is seen now, also if another one comes before it
		p.panes[p.focus].rows().touched = p.panes[p.focus].rows().n > 0
	}
	p.layout()
	return nil
}

// letGo lets a pane that loses the focus follow its first row again, if that is the chosen one.
func (p *runPage) letGo() {
	if l := p.panes[p.focus].rows(); p.focus != paneFeed && l.cursor == 0 {
		l.touched = false
	}
}

// chosen is the id of the entry or the signal that is chosen, or "".
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
		return p.app.push(newDetailOf(p, id))
	}
	return nil
}

// leave takes away what the page has before the page is left: a filter, or the past.
func (p *runPage) leave() (tea.Cmd, bool) {
	switch {
	case p.feed.filter.shown():
		cmd := p.feed.clearFilter()
		p.feed.filter.stop()
		return cmd, true
	case p.back.on:
		return p.toNow(), true
	}
	return nil, false
}

func (p *runPage) mouse(msg tea.MouseMsg) tea.Cmd {
	if msg.Y == p.h-1 {
		return p.timeMouse(msg)
	}
	if msg.Y == 0 && isClick(msg) {
		return p.summaryMouse(msg.X)
	}
	if p.tabs() && msg.Y == 1 && isClick(msg) {
		for i, x := 0, 1; i < panes; i++ {
			n := len(p.tabName(i))
			if msg.X >= x && msg.X < x+n {
				p.focusOn(i)
			}
			x += n + 2
		}
		return nil
	}
	for i, r := range p.area {
		if !r.has(msg.X, msg.Y) {
			continue
		}
		if seq := p.signals.momentAt(msg.X-r.x, msg.Y-r.y); i == paneSignals && seq > 0 && isClick(msg) {
			return p.goTo(seq)
		}
		was := p.focus
		if isClick(msg) {
			p.letGo()
			p.focus = i
		}
		if p.panes[i].rows().mouse(msg, msg.Y-r.y-p.panes[i].above()) && was == i {
			return p.openChosen()
		}
		return p.feed.need()
	}
	return nil
}

// summaryMouse leads to the disputed entries where the line above says how many there are.
func (p *runPage) summaryMouse(x int) tea.Cmd {
	said := count(p.scene.state.Entries.ByStatus[board.Disputed]) + " disputed"
	before, _, found := strings.Cut(ansi.Strip(p.summary()), said)
	if at := width(before); !found || x < at || x >= at+len(said) {
		return nil
	}
	p.focusOn(paneFeed)
	return p.feed.filterBy("status:disputed")
}

func (p *runPage) setSize(w, h int) {
	p.w, p.h = w, h
	p.layout()
}

// tabs says that one pane is seen at a time.
func (p *runPage) tabs() bool { return p.w < wide }

// layout gives each pane its place: all of them beside each other, or the one with the focus.
func (p *runPage) layout() {
	p.area = [panes]rect{}
	h := p.h - 2 // the summary above, the time below
	if p.tabs() {
		p.area[p.focus] = rect{0, 2, p.w, h - 1}
	} else {
		left := p.w * 57 / 100
		rest := p.w - left - 1
		gate := min(max(len(p.scene.verdict.Reasons)+2, 3), h/4)
		workers := min(max(len(p.scene.workers)+1, 3), h/5)
		p.area[paneFeed] = rect{0, 1, left, h}
		p.area[paneGate] = rect{left + 1, 1, rest, gate}
		p.area[paneSignals] = rect{left + 1, 1 + gate, rest, h - gate - workers}
		p.area[paneWorkers] = rect{left + 1, 1 + h - workers, rest, workers}
	}
	for i, pane := range p.panes {
		pane.rows().setSize(p.area[i].w, p.area[i].h-pane.above())
	}
}

func (p *runPage) view() []string {
	if p.b == nil || !p.known {
		word := "opening " + clean(p.name) + "…"
		if p.err != nil {
			word = p.app.explain(p.err)
		}
		return fill(append([]string{""}, indented(wrap(word, p.w-2))...), p.w, p.h)
	}
	lines := []string{p.summary()}
	if p.loading() && p.back.slow {
		lines[0] = fit(p.app.st.warn.Render(" reading the board at event "+count(p.back.seq)+"… "+p.stillShown()), p.w)
	}
	if p.tabs() {
		lines = append(lines, p.tabLine())
		lines = append(lines, p.paneView(p.focus)...)
	} else {
		side := append(p.paneView(paneGate), p.paneView(paneSignals)...)
		side = append(side, p.paneView(paneWorkers)...)
		lines = append(lines, beside(p.app.st.faint.Render("│"), p.paneView(paneFeed), side)...)
	}
	return append(lines, p.timeline())
}

func (p *runPage) paneView(i int) []string { return p.panes[i].view(p.focus == i) }

// summary is the run in a line.
func (p *runPage) summary() string {
	s := &p.scene.state
	open := s.Signals.Open.Total()
	parts := []string{plural(s.Entries.Total, "entry")}
	if n := s.Entries.ByStatus[board.Disputed]; n > 0 {
		parts = append(parts, p.app.st.warn.Render(count(n)+" disputed"))
	}
	parts = append(parts, fmt.Sprintf("%s, %s open", plural(s.Signals.Total, "signal"), count(open)), plural(int64(len(s.Workers)), "worker"))
	if s.Retrievals > 0 {
		parts = append(parts, "given "+plural(s.Retrievals, "time"))
	}
	facts := strings.Join(parts, " · ")
	if s.Goal == "" || p.w-width(facts) < 24 {
		return fit(" "+facts, p.w)
	}
	return spread(" "+p.app.st.bold.Render(oneLine(s.Goal, 300)), facts+" ", p.w)
}

func (p *runPage) tabName(i int) string {
	return [panes]string{"1 entries", "2 signals", "3 gate", "4 workers"}[i]
}

func (p *runPage) tabLine() string {
	parts := make([]string, panes)
	for i := range parts {
		parts[i] = p.app.st.faint.Render(p.tabName(i))
		if i == p.focus {
			parts[i] = p.app.st.focus.Render("▸" + p.tabName(i))
		} else {
			parts[i] = " " + parts[i]
		}
	}
	return fit(strings.Join(parts, "  "), p.w)
}

func (p *runPage) title() string { return p.name }
func (p *runPage) run() string   { return p.name }

func (p *runPage) light() (string, bool) {
	if !p.known {
		return "", false
	}
	word, open := lightWord(p.scene.verdict.Open, len(p.scene.verdict.Reasons)), p.scene.verdict.Open
	switch {
	case p.loading():
		return "● gate at event " + count(p.back.seq) + "…", false
	case p.back.on:
		word += " at event " + count(p.back.seq)
	}
	return word, open
}

func (p *runPage) actions() actions {
	if p.feed.filter.active {
		return p.feed.filter.actions()
	}
	if p.b == nil || !p.known {
		return actions{}.also(keys.Back)
	}
	to := func(i int) func() tea.Cmd { return func() tea.Cmd { return p.focusOn(i) } }
	all := actions{{keys.Open, p.openChosen}}
	switch p.focus {
	case paneFeed:
		all = append(all, action{keys.Filter, p.feed.startFilter})
	case paneSignals:
		all = append(all, action{keys.AllSignals, p.signals.toggle})
	case paneWorkers:
		all[0].Binding = keys.Renamed(keys.Open, "their entries")
	}
	all = all.also(p.actBindings()...)
	all = append(all, action{keys.Renamed(keys.Next, "next pane"), to(p.focus + 1)}).also(keys.Search)
	all = append(all, action{keys.Survival, func() tea.Cmd { return p.app.push(newSurvivalPage(p.app, p.name, p.b)) }},
		action{keys.Check, func() tea.Cmd { return p.app.push(newCheckPage(p.app, p.name, p.b)) }})
	if p.scene.state.Retrievals > 0 {
		all = append(all, action{keys.Given, func() tea.Cmd { return p.app.push(newGivenPage(p)) }})
	}
	all = append(all, p.timeActions()...).also(keys.Memory)
	all = append(all, action{keys.CopyID, func() tea.Cmd { return p.app.copyText(p.chosen()) }},
		action{keys.Pane1, to(paneFeed)}, action{keys.Pane2, to(paneSignals)},
		action{keys.Pane3, to(paneGate)}, action{keys.Pane4, to(paneWorkers)},
		action{keys.Renamed(keys.Previous, "pane before"), to(p.focus - 1)})
	if p.focus != paneFeed {
		all = append(all, action{keys.Renamed(keys.Filter, "filter entries"), p.feed.startFilter})
	}
	return all.also(keys.Moving()...)
}

func (p *runPage) typing() bool { return p.feed.filter.active }

func (p *runPage) close() {
	p.stop()
	for _, b := range append(p.before, p.b) {
		if b != nil {
			b.Close()
		}
	}
}
