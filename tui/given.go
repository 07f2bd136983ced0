package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/tui/cells"
	"blackboard/tui/keys"
	"blackboard/tui/prose"
)

// givenPage shows the capsules that were given to the workers of a run, latest first:
// until now, or until the moment that the run's page shows.
type givenPage struct {
	plain
	app     *app
	b       *board.Board
	past    *board.Past // nil: now
	all     []board.Retrieval
	read    bool // the data was read
	more    bool // there are older ones
	err     error
	reading once
	doc     document
	w       int
}

// maxGiven is the most retrievals that are shown.
const maxGiven = 500

func newGivenPage(run *runPage) *givenPage {
	return &givenPage{app: run.app, b: run.b, past: run.back.past, doc: document{app: run.app}}
}

func (p *givenPage) init() tea.Cmd { return p.look() }

func (p *givenPage) look() tea.Cmd {
	read := p.b.Retrievals
	if p.past != nil {
		read = p.past.Retrievals
	}
	if !p.reading.begin() {
		return nil
	}
	return p.app.ask(p, func(ctx context.Context) func() tea.Cmd {
		all, err := read(ctx, maxGiven+1)
		return func() tea.Cmd {
			again := p.reading.end()
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

func (p *givenPage) update(msg tea.Msg) tea.Cmd {
	if e, ok := msg.(eventsMsg); ok {
		if e.from.b == p.b && e.err == nil && p.past == nil {
			return p.look()
		}
		return nil
	}
	return p.doc.take(msg, p.actions, p.follow)
}

// follow opens the chosen capsule.
func (p *givenPage) follow() tea.Cmd {
	if id := p.doc.chosen(); id != "" {
		return p.app.push(newCapsulePage(p.app, id))
	}
	return nil
}

func (p *givenPage) setSize(w, h int) {
	p.w = w
	p.doc.setSize(w, h-1)
	p.compose()
}

func (p *givenPage) compose() {
	switch {
	case p.w == 0:
	case p.err != nil:
		p.doc.setText(cells.Wrap(p.app.explain(p.err), p.w-2)...)
	case !p.read:
		p.doc.setText("reading…")
	default:
		p.doc.setLines(p.lines())
	}
}

func (p *givenPage) lines() []prose.Line {
	st := p.app.st
	x := prose.NewWriter(st, p.w)
	for i := range p.all {
		r := &p.all[i]
		when := st.Faint.Render(cells.Clock(r.At) + "  event " + cells.Count(r.Seq))
		x.Line(cells.Fit(when+"  "+cells.OneLine(r.Worker, 60)+"  "+cells.OneLine(r.Describe(), rowRunes), x.Width))
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

func (p *givenPage) view() []string {
	heading := "Given from the knowledge base"
	if p.past != nil {
		heading += ", as of event " + cells.Count(p.past.Seq)
	}
	return append([]string{p.app.st.Heading(heading, p.doc.more(), p.w, true)}, p.doc.view()...)
}

func (p *givenPage) title() string { return "given" }

func (p *givenPage) actions() actions {
	all := p.doc.placeActions(p.follow, "next capsule", "capsule before")
	return append(all, action{keys.Refresh, p.look}).also(keys.Moving()...)
}

// toBoard is the prefix of a link to a run or an entry.
const toBoard = "board:"

// openEntry opens the page of a run, with the entry on it; without an entry the run
// alone.
func (a *app) openEntry(run, entry string) tea.Cmd {
	return a.hold(func(ctx context.Context) (tea.Msg, error) {
		b, err := board.Open(ctx, a.Boards, run)
		if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Invalid) {
			const gone = "the board of the run %s is not here: it was removed, or never was on this machine"
			return nil, fmt.Errorf(gone, cells.OneLine(run, 100))
		}
		if err != nil {
			return nil, err
		}
		defer b.Close()
		if entry != "" {
			if _, err := b.Entry(ctx, entry); err != nil {
				return nil, fmt.Errorf("run %s: %w", run, err)
			}
		}
		p := newRunPage(a, run)
		p.want = entry
		return pushMsg{p}, nil
	})
}

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
