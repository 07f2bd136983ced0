package runs

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/policy"
	"blackboard/tui/cells"
	"blackboard/tui/keys"
	"blackboard/tui/page"
)

// runsEvery is how often the list of runs is read again without notifications of changes.
const runsEvery = 2 * time.Second

// List lists the runs, latest activity first.
type List struct {
	app    *page.App
	filter page.Filter
	all    []board.Info
	shown  []board.Info // those that match the filter
	list   page.List
	loaded bool
	order  int    // an index of runOrders
	made   string // a new run, to be chosen once it is listed
	err    error
	w, h   int

	runs      board.Runs
	reading   page.Once
	notBefore time.Time       // the earliest time of the next read
	now       chan struct{}   // ends the wait for it
	waits     bool            // a read waits for a change
	changed   <-chan struct{} // nil: no notifications
	forgo     func()
}

// Infos returns all runs, as far as they were read.
func (p *List) Infos() []board.Info { return p.all }

// NewList shows all runs, the latest first.
func NewList(a *page.App) *List {
	p := &List{app: a, runs: board.Runs{Dir: a.Boards}, now: make(chan struct{}, 1)}
	p.filter = page.NewFilter(a, "part of a name or a goal", &p.list,
		func() { p.SetSize(p.w, p.h) })
	p.list = page.List{App: a, Row: p.row}
	return p
}

// Init reads the runs even if another page is on top, for the jump box.
func (p *List) Init() tea.Cmd { return p.load() }

// Resume reads the runs, and reads them again after changes while they are shown.
func (p *List) Resume() tea.Cmd {
	p.notBefore = time.Time{}
	if p.app.Still || p.waits {
		return p.load()
	}
	p.waits = true
	return tea.Batch(p.load(), p.wait())
}

// load reads the runs, one read at a time. It uses at most a twentieth of the time,
// however many runs there are and however often they change.
func (p *List) load() tea.Cmd {
	if !p.reading.Begin() {
		return nil
	}
	pause := time.Until(p.notBefore)
	return p.app.Ask(p, func(ctx context.Context) func() tea.Cmd {
		select {
		case <-time.After(pause):
		case <-p.now:
		case <-ctx.Done():
		}
		start := time.Now()
		by, err := policy.Find(p.app.Files)
		var all []board.Info
		if err == nil {
			all, err = p.runs.List(ctx, by.Gate)
		}
		took := time.Since(start)
		return func() tea.Cmd {
			p.notBefore = time.Now().Add(readShare * took)
			if p.loaded, p.err = true, err; err == nil {
				p.all = all
				p.narrow()
			}
			if p.reading.End() {
				return p.load()
			}
			return nil
		}
	})
}

// reload reads at once, also if a read that has not begun waits.
func (p *List) reload() tea.Cmd {
	p.notBefore = time.Time{}
	select {
	case p.now <- struct{}{}:
	default:
	}
	return p.load()
}

// readShare is the length of the pause after a read, in reads.
const readShare = 20

// wait waits until a run changes, or until the ages must be updated.
func (p *List) wait() tea.Cmd {
	if p.changed == nil {
		p.changed, p.forgo = board.RunsChange(p.app.Boards) // again, once the directory exists
	}
	changed, every := p.changed, agesEvery
	if changed == nil {
		every = runsEvery
	}
	return p.app.Ask(p, func(ctx context.Context) func() tea.Cmd {
		select {
		case <-changed:
		case <-time.After(every):
		case <-ctx.Done():
		}
		return func() tea.Cmd {
			if p.app.Shown != page.Page(p) {
				p.waits = false
				return nil
			}
			return tea.Batch(p.load(), p.wait())
		}
	})
}

// Close ends a read that waits.
func (p *List) Close() {
	if p.forgo != nil {
		p.forgo()
	}
}

// Update reads the runs again after an action, and handles keys and the mouse.
func (p *List) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.DoneMsg:
		if msg.Kind == page.ChangedRun && msg.Err == nil {
			return p.reload()
		}
	case tea.KeyMsg:
		return p.key(msg)
	case tea.MouseMsg:
		if p.list.Mouse(msg, msg.Y-p.listTop()) {
			return p.openRun()
		}
	default:
		if p.filter.Active {
			_, cmd := p.filter.Update(msg)
			return cmd
		}
	}
	return nil
}

func (p *List) key(msg tea.KeyMsg) tea.Cmd {
	if p.filter.Active {
		changed, cmd := p.filter.Update(msg)
		if changed {
			p.narrow()
		}
		return cmd
	}
	if cmd, ok := p.Actions().Press(msg); ok {
		return cmd
	}
	p.list.Update(msg)
	return nil
}

// Leave clears the filter before the page is closed.
func (p *List) Leave() (tea.Cmd, bool) {
	had := p.filter.Clear()
	p.narrow()
	return nil, had
}

// narrow shows the runs that match the filter. The chosen one stays chosen.
func (p *List) narrow() {
	var chosen string
	if p.list.Cursor < len(p.shown) {
		chosen = p.shown[p.list.Cursor].Run
	}
	if slices.ContainsFunc(p.all, func(r board.Info) bool { return r.Run == p.made }) {
		chosen, p.made = p.made, ""
	}
	p.shown = p.shown[:0:0]
	at := -1
	for _, r := range p.sorted(p.all) {
		if cells.HasWords(r.Run+" "+r.Goal, p.filter.Value()) {
			if r.Run == chosen {
				at = len(p.shown)
			}
			p.shown = append(p.shown, r)
		}
	}
	p.list.SetLen(len(p.shown))
	if at >= 0 {
		p.list.MoveTo(at)
	}
}

func (p *List) openRun() tea.Cmd {
	if r := p.chosen(); r != nil {
		return p.app.Push(New(p.app, r.Run))
	}
	return nil
}

func (p *List) listTop() int {
	if p.filter.Shown() {
		return 3
	}
	return 2
}

// SetSize leaves room for the lines above the list.
func (p *List) SetSize(w, h int) {
	p.w, p.h = w, h
	p.list.SetSize(w, h-p.listTop())
}

// View shows the filter and the runs that match it.
func (p *List) View() []string {
	st := p.app.Styles
	note, what := p.list.Place(), "Runs, "
	if p.app.Away != nil {
		what = "Runs as last known, "
	}
	lines := []string{st.Heading(what+runOrders[p.order].name, note, p.w, true)}
	if p.filter.Shown() {
		lines = append(lines, " "+p.filter.View(p.w-1))
	}
	lines = append(lines, st.Faint.Render(cells.Fit("   "+p.columns("run", "gate", "entries", "open", "workers", "last", "goal"), p.w)))
	switch {
	case p.err != nil:
		p.list.Empty = p.app.Explain(p.err)
	case !p.loaded:
		p.list.Empty = p.app.Waiting("reading…")
	case p.filter.Value() != "":
		p.list.Empty = "no run has this in its name or goal; esc clears the filter"
	default:
		p.list.Empty = "There is no run yet. The first `board post --run NAME …` makes one; `board demo --keep` makes one to look at."
	}
	return cells.Fill(append(lines, p.list.View(true)...), p.w, p.h)
}

// columns arranges the fields of a row. The goal gets the rest.
func (p *List) columns(run, gate, entries, open, workers, last, goal string) string {
	name := 8
	for i := range p.shown {
		name = max(name, cells.Width(p.shown[i].Run))
	}
	name = min(name, max(p.w-54, 14)) // keep room for the goal
	s := page.Columns(cells.FitName(run, name), cells.Fit(gate, 9), cells.Right(entries, 8), cells.Right(open, 6), cells.Right(workers, 7), cells.Right(last, 5))
	if rest := p.w - cells.Width(s) - 6; rest >= 8 {
		s += "  " + cells.Fit(goal, rest)
	}
	return s
}

func (p *List) row(i, w int) string {
	st, r := p.app.Styles, p.shown[i]
	if r.Error != "" {
		return cells.Fit(st.Bad.Render("✗ ")+cells.FitName(r.Run,
			20)+" "+st.Bad.Render(cells.OneLine(r.Error, w)), w)
	}
	light, gate := st.Bad.Render("●"), st.Bad.Render("closed "+cells.Count(int64(r.Reasons)))
	if r.Open {
		light, gate = st.Good.Render("●"), st.Good.Render("open")
	}
	return cells.Fit(light+" "+p.columns(r.Run, gate, cells.Count(r.Entries),
		cells.Count(r.OpenSignal), cells.Count(int64(r.Workers)),
		cells.Ago(r.Updated, p.app.Now()), st.Faint.Render(cells.OneLine(r.Goal, 200))), w)
}

// Title names the page in the header.
func (p *List) Title() string { return "runs" }

// Actions returns the keys for the chosen run.
func (p *List) Actions() page.Actions {
	if p.filter.Active {
		return p.filter.Actions()
	}
	all := page.Actions{page.On(keys.Open, p.openRun), page.On(keys.Filter, p.filter.Start),
		page.On(keys.Renamed(keys.Create, "new run"), p.create), page.On(keys.Sort, p.nextOrder)}
	all = all.Also(keys.Search, keys.Memory, keys.Quit)
	if p.chosen() != nil {
		all = append(all, page.On(keys.Renamed(keys.Remove, "delete the run for good"), p.remove),
			page.On(keys.Renamed(keys.CopyID, "copy name"),
				func() tea.Cmd { return p.app.CopyText(p.chosen().Run) }),
			page.On(keys.Renamed(keys.CopyText, "copy goal"), p.copyGoal))
	}
	all = append(all, page.On(keys.Refresh, p.reload))
	return all.Also(keys.Moving()...)
}

// Typing reports whether a filter is typed.
func (p *List) Typing() bool { return p.filter.Active }
