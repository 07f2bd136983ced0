package knowledge

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// givenPage shows the capsules that were given to the workers of a run, latest first:
// until now, or until the moment that the run's page shows.
type givenPage struct {
	page.Plain
	app     *page.App
	b       *board.Board
	past    *board.Past // nil: now
	all     []board.Retrieval
	read    bool // the data was read
	more    bool // there are older ones
	err     error
	reading page.Once
	doc     page.Document
	w       int
}

// maxGiven is the most retrievals that are shown.
const maxGiven = 500

// NewGiven shows what a run was given until a moment; past nil: until now.
func NewGiven(a *page.App, b *board.Board, past *board.Past) page.Page {
	return &givenPage{app: a, b: b, past: past, doc: page.Document{App: a}}
}

func (p *givenPage) Init() tea.Cmd { return p.look() }

func (p *givenPage) look() tea.Cmd {
	read := p.b.Retrievals
	if p.past != nil {
		read = p.past.Retrievals
	}
	if !p.reading.Begin() {
		return nil
	}
	return p.app.Ask(p, func(ctx context.Context) func() tea.Cmd {
		all, err := read(ctx, maxGiven+1)
		return func() tea.Cmd {
			again := p.reading.End()
			if p.took(all, err); again {
				return p.look()
			}
			return nil
		}
	})
}

func (p *givenPage) took(all []board.Retrieval, err error) {
	if p.err = err; err == nil {
		p.all, p.more, p.read = all[:min(len(all), maxGiven)], len(all) > maxGiven, true
	}
	p.compose()
}

func (p *givenPage) Update(msg tea.Msg) tea.Cmd {
	if e, ok := msg.(page.EventsMsg); ok {
		if e.From.Board() == p.b && e.Err == nil && p.past == nil {
			return p.look()
		}
		return nil
	}
	return p.doc.Take(msg, p.Actions, p.follow)
}

// follow opens the chosen capsule.
func (p *givenPage) follow() tea.Cmd {
	if id := p.doc.Chosen(); id != "" {
		return p.app.Push(NewCapsule(p.app, id))
	}
	return nil
}

func (p *givenPage) SetSize(w, h int) {
	p.w = w
	p.doc.SetSize(w, h-1)
	p.compose()
}

func (p *givenPage) compose() {
	switch {
	case p.w == 0:
	case p.err != nil:
		p.doc.SetText(cells.Wrap(p.app.Explain(p.err), p.w-2)...)
	case !p.read:
		p.doc.SetText("reading…")
	default:
		p.doc.SetLines(p.lines())
	}
}

func (p *givenPage) lines() []cells.Line {
	st := p.app.Styles
	x := cells.NewWriter(st, p.w)
	for i := range p.all {
		r := &p.all[i]
		when := st.Faint.Render(cells.Clock(r.At) + "  event " + cells.Count(r.Seq))
		x.Line(cells.Fit(when+"  "+cells.OneLine(r.Worker, 60)+"  "+cells.OneLine(r.Describe(), page.RowRunes), x.Width))
		for _, c := range r.Capsules {
			scores := fmt.Sprintf("  score %.2f, evidence %.2f", c.Score, c.Evidence)
			x.Link(cells.Fit("  "+st.Key.Render(cells.OneLine(c.ID, 40))+scores, x.Width), c.ID)
		}
		x.Line("")
	}
	if p.more {
		x.Line(fmt.Sprintf("These are the latest %d; board watch --since 0 has all.", maxGiven))
	}
	return x.Lines
}

func (p *givenPage) View() []string {
	heading := "Given from the knowledge base"
	if p.past != nil {
		heading += ", as of event " + cells.Count(p.past.Seq)
	}
	return append([]string{p.app.Styles.Heading(heading, p.doc.More(), p.w, true)},
		p.doc.View()...)
}

func (p *givenPage) Title() string { return "given" }

func (p *givenPage) Actions() page.Actions {
	all := p.doc.PlaceActions(p.follow, "next capsule", "capsule before")
	return append(all, page.On(page.KeyRefresh, p.look)).Also(page.MovingKeys()...)
}

// toBoard is the prefix of a link to a run or an entry.
const toBoard = "board:"

// boardRef returns the link of reference i of a list, and its label. A run and the entry
// after it are one link; skip means that the next reference is included.
func boardRef(refs []string, i int) (to, text string, skip bool) {
	run, ok := strings.CutPrefix(refs[i], "run:")
	if !ok || board.CheckRun(run) != nil {
		return "", refs[i], false
	}
	if i+1 < len(refs) {
		if entry, ok := strings.CutPrefix(refs[i+1], "entry:"); ok {
			if _, err := board.ParseEntryID(entry); err == nil {
				return toBoard + run + "/" + entry, refs[i] + " " + refs[i+1], true
			}
		}
	}
	return toBoard + run, refs[i], false
}
