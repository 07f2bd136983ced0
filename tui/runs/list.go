package runs

import (
	"cmp"
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

type List struct {
	page.TwoPanes
	narrowed[board.Info]
	app       *page.App
	infos     []board.Info
	loaded    bool
	err       error
	described string // the run that the text is about

	toldSilent map[string]bool // run and worker that a notification was about

	runs    board.Runs
	reading page.Once
	took    time.Duration   // the last read
	waits   bool            // a read waits for a change
	changed <-chan struct{} // nil: no notifications
	forgo   func()
}

func (p *List) Infos() []board.Info { return p.infos }

func NewList(a *page.App) *List {
	p := &List{app: a, runs: board.Runs{Dir: a.Boards}, toldSilent: map[string]bool{}}
	p.Filter = page.NewFilter(a, "part of a name or a goal", &p.Items,
		func() { p.SetSize(p.Width, p.Height) })
	p.Items = page.List{App: a, Row: p.row}
	p.Doc.App = a
	p.narrowed = narrowed[board.Info]{of: &p.Items, by: &p.Filter, all: p.sorted,
		matches: func(r *board.Info) bool { return cells.HasWords(r.Run+" "+r.Goal, p.Filter.Value()) },
		key:     func(r *board.Info) string { return r.Run }}
	return p
}

// Init reads the runs even if another page is on top, for the jump box and for notifications.
func (p *List) Init() tea.Cmd { return p.Resume() }

// Resume reads the runs, and reads them again after changes, also while another page is on top:
// some are worth a notification.
func (p *List) Resume() tea.Cmd {
	if p.app.Still || p.waits {
		return p.load()
	}
	p.waits = true
	return tea.Batch(p.load(), p.wait())
}

func (p *List) load() tea.Cmd {
	if !p.reading.Begin() {
		return nil
	}
	return p.app.Ask(p, func(ctx context.Context) func() tea.Cmd {
		start := time.Now()
		by, err := check.FindPolicy(p.app.Files)
		var all []board.Info
		if err == nil {
			all, err = p.runs.List(ctx, by.Gate)
		}
		took := time.Since(start)
		return func() tea.Cmd {
			p.loaded, p.err, p.took = true, err, took
			again := p.reading.End()
			var told tea.Cmd
			if err == nil {
				told = p.tell(p.infos, all)
				p.infos = all
				p.narrow()
				p.SetSize(p.Width, p.Height)
			}
			if again {
				return tea.Batch(told, p.load())
			}
			return told
		}
	})
}

// readShare is the length of the pause after a read, in reads: the runs are read in at most
// a twentieth of the time, however many there are and however often they change.
const readShare = 20

// wait waits until a run changes, or until the ages must be updated.
func (p *List) wait() tea.Cmd {
	if p.changed == nil {
		p.changed, p.forgo = board.RunsChange(p.app.Boards) // again, once the directory exists
	}
	changed, every, pause := p.changed, agesEvery, readShare*p.took
	switch {
	case p.app.Shown != page.Page(p):
		every = silenceEvery // only what is worth a notification counts
	case changed == nil:
		every = runsEvery
	}
	return p.app.Ask(p, func(ctx context.Context) func() tea.Cmd {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
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
			return p.load()
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

func (p *List) Leave() (tea.Cmd, bool) {
	had := p.Filter.Clear()
	p.narrow()
	return nil, had
}

// narrow shows the runs that match the filter. The one that the person has chosen stays chosen.
func (p *List) narrow() {
	p.show(p.chosenKey(), true)
	p.describe()
}

// sorted returns the runs: what needs somebody first, and the latest first among equals.
func (p *List) sorted() []board.Info {
	all, now := slices.Clone(p.infos), p.app.Now()
	slices.SortFunc(all, func(a, b board.Info) int {
		return cmp.Or(pressing(&a, now)-pressing(&b, now), b.Updated.Compare(a.Updated))
	})
	return all
}

// openRun opens the chosen run, at the question that is chosen in the text.
func (p *List) openRun() tea.Cmd {
	r := p.at()
	switch {
	case r == nil:
		return nil
	case p.InDoc && p.Doc.Chosen() == toCheck:
		return p.openCheck()
	case p.InDoc && p.Doc.Chosen() != "":
		return p.app.OpenEntry(r.Run, p.Doc.Chosen())
	}
	return p.app.Push(New(p.app, r.Run))
}

func (p *List) openCheck() tea.Cmd {
	r := p.at()
	delete(p.app.LastReport, r.Run) // and not with what was chosen before
	return p.app.Push(NewAt(p.app, r.Run, toCheck))
}

func (p *List) SetSize(w, h int) {
	fifths := 3 // of a narrow screen are the list's
	if len(p.shown) < h/4 {
		fifths = 2
	}
	p.Lay(w, h, 2, fifths)
	p.describe()
}

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
	if r := p.at(); r != nil {
		about = r.Run
	}
	above := cells.Fill([]string{p.summary(), second}, p.Width, 2)
	return p.Panes(p.app.Styles, above, what+"what needs you first", about)
}

func (p *List) Title() string { return "runs" }

// Actions are the keys of the page and its chosen run; while the filter is typed, only its own.
func (p *List) Actions() page.Actions {
	if p.Filter.Active {
		return p.Filter.Actions()
	}
	all := page.Actions{page.On(page.KeyOpen, p.openRun), page.On(page.KeyFilter, p.Filter.Start)}
	all = all.Also(page.KeySearch, page.KeyMemory, page.KeyQuit)
	if r := p.at(); r != nil {
		if slices.ContainsFunc(r.Needs, func(n board.Need) bool { return n.Kind == board.NeedFailed }) {
			all = slices.Insert(all, 1, page.On(page.Renamed(page.KeyCheck, "check the report"), p.openCheck))
		}
		all = append(all, page.On(page.Renamed(page.KeyCopyID, "copy name"),
			func() tea.Cmd { return p.app.CopyText(r.Run) }))
	}
	all = append(append(all, page.On(page.KeyRefresh, p.load)), p.SideActions()...)
	return all.Also(page.MovingKeys()...)
}
