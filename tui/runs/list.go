package runs

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// runsEvery is how often the list of runs is read again without notifications of changes.
const runsEvery = 2 * time.Second

// silenceEvery is how often they are read while another page is on top and nothing changes: who
// is silent depends on the time.
const silenceEvery = time.Minute

// List lists the runs, what needs somebody first, with a text about the chosen one.
type List struct {
	page.TwoPanes
	app    *page.App
	all    []board.Info
	shown  []board.Info // those that match the filter
	loaded bool
	made   string // a new run, to be chosen once it is listed
	err    error
	// described is the run that the text is about.
	described string

	toldSilent map[string]bool // run and worker that a notification was about

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

// NewList shows all runs, what needs somebody first.
func NewList(a *page.App) *List {
	p := &List{app: a, runs: board.Runs{Dir: a.Boards}, toldSilent: map[string]bool{}, now: make(chan struct{}, 1)}
	p.Filter = page.NewFilter(a, "part of a name or a goal", &p.Items,
		func() { p.SetSize(p.Width, p.Height) })
	p.Items = page.List{App: a, Row: p.row}
	p.Doc.App = a
	return p
}

// Init reads the runs even if another page is on top, for the jump box and for notifications.
func (p *List) Init() tea.Cmd { return p.Resume() }

// Resume reads the runs, and reads them again after changes, also while another page is on top:
// some are worth a notification.
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
		by, err := check.FindPolicy(p.app.Files)
		var all []board.Info
		if err == nil {
			all, err = p.runs.List(ctx, by.Gate)
		}
		took := time.Since(start)
		return func() tea.Cmd {
			p.notBefore = time.Now().Add(readShare * took)
			var told tea.Cmd
			if err == nil {
				told = p.tell(p.all, all)
				p.all = all
				p.narrow()
				p.SetSize(p.Width, p.Height)
			}
			if p.loaded, p.err = true, err; p.reading.End() {
				return tea.Batch(told, p.load())
			}
			return told
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
	switch {
	case p.app.Shown != page.Page(p):
		every = silenceEvery // only what is worth a notification counts
	case changed == nil:
		every = runsEvery
	}
	return p.app.Ask(p, func(ctx context.Context) func() tea.Cmd {
		select {
		case <-changed:
		case <-time.After(every):
		case <-ctx.Done():
		}
		return func() tea.Cmd { return tea.Batch(p.load(), p.wait()) }
	})
}

// Close ends a read that waits.
func (p *List) Close() {
	if p.forgo != nil {
		p.forgo()
	}
}

// Update reads the runs again after an action, and handles keys.
func (p *List) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.DoneMsg:
		if msg.Kind == page.ChangedRun && msg.Err == nil {
			return p.reload()
		}
	case tea.KeyMsg:
		return p.TwoPanes.Key(msg, p.Actions, p.narrow, p.describe)
	default:
		if p.Filter.Active {
			_, cmd := p.Filter.Update(msg)
			return cmd
		}
	}
	return nil
}

// Leave clears the filter before the page is closed.
func (p *List) Leave() (tea.Cmd, bool) {
	had := p.Filter.Clear()
	p.narrow()
	return nil, had
}

// narrow shows the runs that match the filter. The one that the person has chosen stays chosen.
func (p *List) narrow() {
	var chosen string
	if p.Items.Cursor < len(p.shown) {
		chosen = p.shown[p.Items.Cursor].Run
	}
	if slices.ContainsFunc(p.all, func(r board.Info) bool { return r.Run == p.made }) {
		chosen, p.made, p.Items.Touched = p.made, "", true
	}
	p.shown = p.shown[:0:0]
	at := -1
	for _, r := range p.sorted() {
		if cells.HasWords(r.Run+" "+r.Goal, p.Filter.Value()) {
			if r.Run == chosen {
				at = len(p.shown)
			}
			p.shown = append(p.shown, r)
		}
	}
	p.Items.SetLen(len(p.shown))
	if at >= 0 && p.Items.Touched {
		p.Items.MoveTo(at)
	}
	p.describe()
}

// openRun opens the chosen run, at the question that is chosen in the text.
func (p *List) openRun() tea.Cmd {
	r := p.chosen()
	switch {
	case r == nil:
		return nil
	case p.InDoc && p.Doc.Chosen() != "":
		return p.app.OpenEntry(r.Run, p.Doc.Chosen())
	}
	return p.app.Push(New(p.app, r.Run))
}

// SetSize lays out the list and the text.
func (p *List) SetSize(w, h int) {
	fifths := 3 // of a narrow screen are the list's
	if len(p.shown) < h/4 {
		fifths = 2
	}
	p.Lay(w, h, 2, fifths)
	p.describe()
}

// View shows how many runs need somebody, the filter, the runs and the chosen one.
func (p *List) View() []string {
	switch {
	case p.err != nil:
		p.Items.Empty = p.app.Explain(p.err)
	case !p.loaded:
		p.Items.Empty = p.app.Waiting("reading…")
	case p.Filter.Value() != "":
		p.Items.Empty = "no run has this in its name or goal; esc clears the filter"
	default:
		p.Items.Empty = "There is no run yet. The first `board post --run NAME …` makes one; `board demo --keep` makes one to look at."
	}
	second := ""
	if p.Filter.Shown() {
		second = " " + p.Filter.View(p.Width-1)
	}
	what := "Runs, "
	if p.app.Away != nil {
		what = "Runs as last known, "
	}
	if !p.InDoc {
		p.Doc.At = -1 // the list has the keys
	} else if p.Doc.At < 0 && len(p.Doc.Links) > 0 {
		p.Doc.At = 0
	}
	about := "Nothing is chosen"
	if r := p.chosen(); r != nil {
		about = r.Run
	}
	above := cells.Fill([]string{p.summary(), second}, p.Width, 2)
	return p.Panes(p.app.Styles, above, what+"what needs you first", about)
}

// Title names the page in the header.
func (p *List) Title() string { return "runs" }

// Actions returns the keys for the chosen run.
func (p *List) Actions() page.Actions {
	if p.Filter.Active {
		return p.Filter.Actions()
	}
	all := page.Actions{page.On(page.KeyOpen, p.openRun), page.On(page.KeyFilter, p.Filter.Start),
		page.On(page.Renamed(page.KeyCreate, "new run"), p.create)}
	all = all.Also(page.KeySearch, page.KeyMemory, page.KeyQuit)
	if p.chosen() != nil {
		all = append(all, page.On(page.Renamed(page.KeyRemove, "delete the run for good"), p.remove),
			page.On(page.Renamed(page.KeyCopyID, "copy name"),
				func() tea.Cmd { return p.app.CopyText(p.chosen().Run) }),
			page.On(page.Renamed(page.KeyCopyText, "copy goal"), p.copyGoal))
	}
	all = append(append(all, page.On(page.KeyRefresh, p.reload)), p.SideActions()...)
	return all.Also(page.MovingKeys()...)
}
