// Package items has the page of what is known, capsules and the memory alike, and the page of
// one thing of it.
//
//	items.go    the list with its tabs, and what is said about the chosen row; view.go renders it
//	query.go    the rows of a tab of the memory; search.go those of the search, of both
//	detail.go   one thing; facts.go and capsule.go write what is known of it
//	hands.go    the actions on one thing; write.go writes and restores
//	capsules.go the same for capsules
//	given.go    the capsules that a run was given
package items

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// Page shows what is known: a tab that searches all of it, and tabs with the tiers of the
// memory and the agents' notes; a list, and what is known of the chosen row.
type Page struct {
	page.TwoPanes
	hands *hands
	app   *page.App

	query Query
	asked Query // the query of the last read
	answer
	fresh bool // other rows are awaited
	keep  Ref  // the one of them to choose
	known bool // data was read for the tab
	err   error

	last    page.Latest // the last read of rows
	reading bool        // it is not answered yet

	shown    Ref    // what the text is about
	facts    *facts // of it, or of what was chosen before, to avoid flicker
	factsErr error
	look     page.Latest // the last read of facts
}

type answer struct {
	rows  []Row
	more  bool // there are more than were read
	about summary
	found findings // of the search
}

func New(a *page.App) *Page {
	p := &Page{app: a}
	p.Filter = page.NewFilter(a, filterHint, &p.Items, p.layout)
	p.query.Section, p.query.Agent = home(a), a.LastAgent
	p.hands = &hands{a, p.query.Agent, p}
	p.Items, p.Doc.App = page.List{App: a, Row: p.row}, a
	return p
}

func home(a *page.App) Section {
	if a.Workspace == "" {
		return SectionAccount
	}
	return SectionWorkspace
}

func NewAt(a *page.App, s Section) *Page {
	p := New(a)
	p.query.Section = s
	return p
}

func NewSearch(a *page.App, text string) *Page {
	p := NewAt(a, SectionSearch)
	p.query.Text = text
	return p
}

// Search goes to the search and gives the keys to its input.
func (p *Page) Search(text string) tea.Cmd {
	p.query.Section, p.query.Text = SectionSearch, text
	p.Filter.Set(text)
	p.fresh, p.keep = true, Ref{}
	return tea.Batch(p.Filter.Start(), p.readFresh())
}

// Memory goes from the search to the memory.
func (p *Page) Memory() tea.Cmd {
	if p.query.Section != SectionSearch {
		return nil
	}
	return p.GoTo(home(p.app))
}

func (p *Page) Init() tea.Cmd {
	if p.searching() {
		return p.Search(p.query.Text)
	}
	return p.read()
}

// read reads the rows again. It cancels the query before.
func (p *Page) read() tea.Cmd {
	p.reading, p.asked = true, p.query
	q, counted := p.query, p.about.read
	return p.last.Ask(p.app, p, func(ctx context.Context) func() tea.Cmd {
		var got answer
		var err error
		if q.Section == SectionSearch {
			got, err = q.search(ctx, p.app, !counted)
		} else {
			err = p.app.WithMemory(ctx, q.Agent, func(s *memory.Store) (err error) {
				if got.about, err = summarise(ctx, s); err != nil {
					return err
				}
				got.rows, got.more, err = q.Read(ctx, s, p.app.Now(), browseLimit)
				return err
			})
		}
		return func() tea.Cmd { return p.answered(got, err) }
	})
}

// Update reads the rows again after a change of what is known.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.DoneMsg:
		if msg.Err == nil && (msg.Kind == page.ChangedMemory || msg.Kind == page.ChangedKnowledge) {
			return p.readAgain()
		}
		return nil
	case tea.KeyMsg:
		return p.key(msg)
	}
	if p.Filter.Active {
		_, cmd := p.Filter.Update(msg) // for the cursor
		return cmd
	}
	return nil
}

// answered shows rows. The chosen row stays chosen if it still exists.
func (p *Page) answered(got answer, err error) tea.Cmd {
	p.reading, p.known, p.err = false, true, err
	if !got.about.read {
		got.about = p.about
	}
	want := p.Chosen()
	if p.fresh {
		want, p.fresh = p.keep, false
		p.Items.MoveTo(0)
	}
	if err != nil {
		got.rows, got.more, got.found = nil, false, findings{}
	}
	p.answer = got
	p.Items.SetLen(len(p.rows))
	if at := slices.IndexFunc(p.rows, func(r Row) bool { return r.Ref == want }); at >= 0 {
		p.Items.MoveTo(at)
	}
	p.layout() // counts may have widened the tabs
	return p.describe()
}

func (p *Page) at() *Row {
	if p.Items.Cursor < len(p.rows) {
		return &p.rows[p.Items.Cursor]
	}
	return nil
}

func (p *Page) Chosen() Ref {
	if r := p.at(); r != nil {
		return r.Ref
	}
	return Ref{}
}

func (p *Page) Rows() []Row { return p.rows }

func (p *Page) searching() bool { return p.query.Section == SectionSearch }

// describe shows what is known of the chosen row. Looking is no access: it says nothing of agents.
func (p *Page) describe() tea.Cmd {
	if ref := p.Chosen(); ref == p.shown && ref.Kind != KindCapsule {
		return nil
	}
	return p.describeAgain()
}

func (p *Page) describeAgain() tea.Cmd {
	p.look.Drop()
	ref, was := p.Chosen(), p.shown
	p.shown = ref
	took := func(f *facts, err error) tea.Cmd {
		p.facts, p.factsErr = f, err
		if p.compose(); ref != was {
			p.Doc.Top = 0
		}
		return nil
	}
	switch r := p.at(); {
	case r == nil:
		return took(nil, nil)
	case r.hit != nil && ref.Kind == KindCapsule: // all that is wanted here came with it
		return took((&facts{ref: ref}).setCapsule(&r.hit.Capsule, nil), nil)
	}
	agent := p.query.Agent
	return p.look.Ask(p.app, p, func(ctx context.Context) func() tea.Cmd {
		f, err := readFacts(ctx, p.app, agent, ref, false)
		return func() tea.Cmd { return took(f, err) }
	})
}

func (p *Page) key(msg tea.KeyMsg) tea.Cmd {
	if p.Filter.Active {
		return p.typed(msg)
	}
	if cmd, ok := p.Actions().Press(msg); ok {
		return cmd
	}
	p.Items.Update(msg)
	return p.describe()
}

func (p *Page) readAgain() tea.Cmd { return tea.Batch(p.read(), p.describeAgain()) }

// typed handles a key of the filter. The list is narrowed during input, and can be walked
// meanwhile. In the search, enter opens what is chosen, and esc leaves.
func (p *Page) typed(msg tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(msg, page.KeyInEditor):
		return p.editChosen()
	case !p.searching():
	case key.Matches(msg, page.KeyCancel):
		return p.app.Pop(p)
	case key.Matches(msg, page.KeyOpen) && (p.query != p.asked || p.err != nil):
		return p.read()
	case key.Matches(msg, page.KeyOpen) && p.reading:
		return nil
	case key.Matches(msg, page.KeyOpen):
		p.Filter.Stop()
		return p.open()
	}
	changed, cmd := p.Filter.Update(msg)
	if changed {
		return tea.Batch(cmd, p.narrow())
	}
	return tea.Batch(cmd, p.describe())
}

// typePause is the delay from key to query, which further keys make useless.
const typePause = 120 * time.Millisecond

// narrow reads what matches the filter, after a short pause. Another question begins with its
// best answer; in a tab the chosen row stays chosen.
func (p *Page) narrow() tea.Cmd {
	p.query.Text = strings.TrimSpace(p.Filter.Value())
	text := p.query.Text
	if p.searching() {
		p.fresh, p.keep = true, Ref{}
	}
	if p.app.Still || text == "" {
		return p.readFresh()
	}
	return p.app.After(typePause, p, func() tea.Cmd { return p.rested(text) })
}

// rested asks for a text if it has not changed since.
func (p *Page) rested(text string) tea.Cmd {
	if text != p.query.Text || p.query == p.asked {
		return nil
	}
	return p.readFresh()
}

// readFresh reads other rows. The old ones are shown until then, to avoid flicker.
func (p *Page) readFresh() tea.Cmd {
	if !p.fresh {
		p.fresh, p.keep = true, p.Chosen()
	}
	p.known, p.err = false, nil
	return p.read()
}

func (p *Page) Section() Section { return p.query.Section }

func (p *Page) GoTo(s Section) tea.Cmd {
	if s == p.query.Section {
		return nil
	}
	p.query.Section = s
	return p.readFresh()
}

func (p *Page) open() tea.Cmd {
	if ref := p.Chosen(); ref != (Ref{}) {
		return p.app.Push(NewDetail(p.app, p.query.Agent, ref))
	}
	return nil
}

func (p *Page) editChosen() tea.Cmd {
	ref := p.Chosen()
	if ref == (Ref{}) || p.query != p.asked || p.reading {
		return nil
	}
	d := NewDetail(p.app, p.query.Agent, ref)
	p.Filter.Stop()
	return tea.Batch(p.app.Push(d), (&hands{p.app, p.query.Agent, d}).edit(ref))
}

// Leave clears the filters before the page is closed; the search closes at once.
func (p *Page) Leave() (tea.Cmd, bool) {
	if p.searching() || !p.Filter.Shown() && !p.query.forgotten {
		return nil, false
	}
	p.Filter.Clear()
	p.query.forgotten = false
	return p.narrow(), true
}

func (p *Page) toggleForgotten() tea.Cmd {
	p.query.forgotten = !p.query.forgotten
	return p.narrow()
}

func (p *Page) chooseAgent() tea.Cmd {
	target := func(name, label, note string, last bool) page.Target {
		return page.Target{Label: label, Text: note, Last: last, Do: func() tea.Cmd { return p.lookAs(name) }}
	}
	all := []page.Target{target("", "no agent", "shared items only", false)}
	for _, name := range p.about.agentNames(p.app.Worker) {
		note := "nothing of its own"
		if n := p.about.agents[name]; n > 0 {
			note = cells.Plural(int64(n), "thing") + " of its own"
		}
		all = append(all, target(name, name, note, false))
	}
	o := page.NewChooser(p.app, "As which agent?", "a part of a name", all)
	o.Typed = func(name string) []page.Target {
		return []page.Target{target(name, name, "an agent of this name", true)}
	}
	return p.app.Overlay(o)
}

// lookAs shows the memory as another agent sees it, and drops the data before at once.
func (p *Page) lookAs(agent string) tea.Cmd {
	p.query.Agent, p.app.LastAgent = agent, agent
	p.hands = &hands{p.app, agent, p}
	p.rows, p.about = nil, summary{}
	p.Items.SetLen(0)
	return tea.Batch(p.describeAgain(), p.narrow())
}

func (p *Page) Title() string {
	if p.searching() {
		return "search"
	}
	return "memory"
}

// Actions are the keys of the tab and its chosen row; while the filter is typed, only its own.
func (p *Page) Actions() page.Actions {
	if p.Filter.Active && p.searching() {
		return page.Actions{}.Also(page.KeyOpen, page.Renamed(page.KeyInEditor, "edit"), page.KeyChoose,
			page.Renamed(page.KeyNext, "to the results"), page.Renamed(page.KeyCancel, "close"), page.KeyClear)
	}
	if p.Filter.Active {
		return p.Filter.Actions()
	}
	at := p.query.Section
	to := func(s Section) func() tea.Cmd {
		return func() tea.Cmd { return p.GoTo((s + Sections) % Sections) }
	}
	all := page.Actions{page.On(page.KeyOpen, p.open),
		page.On(page.Renamed(page.KeyRight, "next tier"), to(at+1)),
		page.On(page.KeyAgent, p.chooseAgent)}
	all = append(append(all, p.hands.actions(p.Chosen(), p.facts)...), page.On(page.KeyFilter, p.Filter.Start))
	if at.Tier() != "" || p.searching() {
		all = append(all, page.On(page.Renamed(page.KeyFewer, "forgotten too, or not"), p.toggleForgotten))
	}
	for s, b := range page.PartKeys() {
		all = append(all, page.On(page.Renamed(b, sections[s+1].name), to(Section(s)+1)))
	}
	all = append(all, page.On(page.Renamed(page.KeyLeft, "tier before"), to(at-1)),
		page.On(page.Renamed(page.KeyNext, "next tier"), to(at+1)),
		page.On(page.Renamed(page.KeyPrevious, "tier before"), to(at-1)),
		page.On(page.KeyRefresh, p.readAgain))
	return all.Also(page.MovingKeys()...)
}

func (p *Page) Close() {
	p.last.Drop()
	p.look.Drop()
}
