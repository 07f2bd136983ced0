// Package memories has the pages of the memory: its tabs, and all of one item.
//
//	memory.go  the page with its tabs; read.go reads the rows, view.go renders them
//	detail.go  one item, note, named entry or conversation; facts.go has its fields
//	pick.go    chooses an agent, a source, a channel or a conversation
//	hands.go   the actions on an item; write.go writes, back.go restores
package memories

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/page"
)

// Page shows the memory of the workspace and the account: tabs with the tiers and
// the agents' notes, a list, and the details of the chosen row.
type Page struct {
	hands *memoryHands
	app   *page.App

	query  Query
	filter page.Filter
	rows   []Row
	more   bool // there are more rows than were read
	wanted Ref  // the chosen row before a query for other rows
	about  memorySummary
	known  bool // data was read for the tab
	err    error

	last    page.Latest // the last query
	reading bool        // it is not answered yet

	list   page.List
	detail *Detail // of the chosen row; shown beside the list if there is room
	w, h   int
}

// memoryRows is the result of one read.
type memoryRows struct {
	rows  []Row
	more  bool
	about memorySummary
}

// New begins with the items of the workspace.
func New(a *page.App) *Page {
	p := &Page{app: a}
	p.filter = page.NewFilter(a, "words  tag:x  curator:author  source:ada  in:general  since:7d", &p.list,
		func() { p.SetSize(p.w, p.h) })
	p.query.Section, p.query.Agent = SectionWorkspace, a.LastAgent
	p.hands = &memoryHands{a, p.query.Agent, p}
	if a.Workspace == "" {
		p.query.Section = SectionAccount
	}
	p.list = page.List{App: a, Row: p.row}
	p.detail = NewDetail(a, p.query.Agent, Ref{}, p)
	return p
}

// NewAt begins with a tab.
func NewAt(a *page.App, s Section) *Page {
	p := New(a)
	p.query.Section = s
	return p
}

// Init reads the first rows.
func (p *Page) Init() tea.Cmd { return p.read() }

// memoryStep is the number of rows in a read.
const memoryStep = 200

// read reads the rows again from the start, as many as there were.
func (p *Page) read() tea.Cmd {
	return p.readFrom(false, "", max(memoryStep, len(p.rows)))
}

// need reads more rows when the cursor is near the last one.
func (p *Page) need() tea.Cmd {
	show := p.showChosen()
	if !p.more || p.reading || p.list.Cursor+2*max(p.list.Height, 1) < len(p.rows) {
		return show
	}
	return tea.Batch(show, p.readFrom(true, p.rows[len(p.rows)-1].Ref.ID, memoryStep))
}

// readFrom reads rows, with next those after the last row. It cancels the query before.
func (p *Page) readFrom(next bool, before string, limit int) tea.Cmd {
	p.reading = true
	q := p.query
	return p.last.Ask(p.app, p, func(ctx context.Context) func() tea.Cmd {
		var found memoryRows
		err := p.app.WithMemory(ctx, q.Agent, func(s *memory.Store) (err error) {
			if found.about, err = summarise(ctx, s); err != nil {
				return err
			}
			found.rows, found.more, err = q.Read(ctx, s, p.app.Now(), before, limit)
			return err
		})
		return func() tea.Cmd { return p.answered(found, next, err) }
	})
}

// Update reads the rows again after a change of the memory.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.DoneMsg:
		if msg.Err == nil && msg.Kind == page.ChangedMemory {
			return p.readAgain()
		}
		return nil
	case tea.WindowSizeMsg:
		return p.showChosen()
	case tea.KeyMsg:
		return p.key(msg)
	case tea.MouseMsg:
		return p.mouse(msg)
	}
	if p.filter.Active {
		_, cmd := p.filter.Update(msg)
		return cmd
	}
	return nil
}

// answered shows rows; next means that they follow the earlier ones. The chosen row stays
// chosen if it still exists.
func (p *Page) answered(found memoryRows, next bool, err error) tea.Cmd {
	p.reading, p.known, p.err = false, true, err
	if found.about.read {
		p.about = found.about
	}
	chosen := p.Chosen()
	if p.wanted != (Ref{}) && !next {
		chosen, p.wanted = p.wanted, Ref{}
	}
	switch {
	case err != nil && !next:
		p.rows, p.more = nil, false
	case err == nil && next:
		p.rows, p.more = append(p.rows, found.rows...), found.more
	case err == nil:
		p.rows, p.more = found.rows, found.more
	}
	p.list.SetLen(len(p.rows))
	if at := slices.IndexFunc(p.rows, func(r Row) bool { return r.Ref == chosen }); at >= 0 {
		p.list.MoveTo(at)
	}
	p.SetSize(p.w, p.h) // counts may have widened the tabs
	if next && err != nil {
		return page.NoticeError(err)
	}
	return p.showChosen()
}

// Chosen returns what the chosen row is about; the zero ref without rows.
func (p *Page) Chosen() Ref {
	if p.list.Cursor < len(p.rows) {
		return p.rows[p.list.Cursor].Ref
	}
	return Ref{}
}

// showChosen shows the details of the chosen row beside the list, if there is room.
func (p *Page) showChosen() tea.Cmd {
	if p.w < page.Wide {
		return nil
	}
	return p.detail.show(p.Chosen())
}

func (p *Page) key(msg tea.KeyMsg) tea.Cmd {
	if p.filter.Active {
		return p.typed(msg)
	}
	if cmd, ok := p.Actions().Press(msg); ok {
		return cmd
	}
	p.list.Update(msg)
	return p.need()
}

func (p *Page) readAgain() tea.Cmd { return tea.Batch(p.read(), p.detail.again()) }

// typed handles a key of the filter. The list is narrowed during input, and can be walked
// meanwhile.
func (p *Page) typed(msg tea.KeyMsg) tea.Cmd {
	changed, cmd := p.filter.Update(msg)
	if changed {
		return tea.Batch(cmd, p.narrow())
	}
	return tea.Batch(cmd, p.need())
}

// narrow reads what matches the filters, from the first row.
func (p *Page) narrow() tea.Cmd {
	p.query.Text = strings.TrimSpace(p.filter.Value())
	return p.readFresh()
}

// readFresh reads other rows. The old ones are shown until then, to avoid flicker. The
// chosen row stays chosen if it is among the first new ones.
func (p *Page) readFresh() tea.Cmd {
	p.wanted = p.Chosen()
	p.rows, p.more, p.known, p.err = p.rows[:min(len(p.rows), memoryStep)], false, false, nil
	p.list.SetLen(len(p.rows))
	p.list.MoveTo(0)
	return p.read()
}

// Section returns the tab that is shown.
func (p *Page) Section() Section { return p.query.Section }

// GoTo opens another tab. Filters stay.
func (p *Page) GoTo(s Section) tea.Cmd {
	if s == p.query.Section {
		return nil
	}
	p.query.Section = s
	return p.readFresh()
}

// open opens the chosen row on a page of its own.
func (p *Page) open() tea.Cmd {
	if ref := p.Chosen(); ref != (Ref{}) {
		return p.app.Push(NewDetail(p.app, p.query.Agent, ref, nil))
	}
	return nil
}

// Leave clears the filters before the page is closed.
func (p *Page) Leave() (tea.Cmd, bool) {
	if !p.filter.Shown() && !p.query.forgotten {
		return nil, false
	}
	p.filter.Clear()
	p.query.forgotten = false
	return p.narrow(), true
}

func (p *Page) create() tea.Cmd {
	q := &p.query
	switch q.Section {
	case SectionNamed:
		return p.hands.newNamed()
	case SectionJournal, SectionCore:
		if q.Agent == "" {
			return page.NoticeError(errNoAgent)
		}
		return p.hands.newNote(q.Section.Note())
	case SectionConversations:
		return page.Notice("an agent begins its conversations itself: board memory conversation start")
	}
	return p.hands.newItem(p.places(), p.scope().String())
}

// places returns the known scopes that can be written to, widest first.
func (p *Page) places() []string {
	all := []string{memory.Workspace, memory.Account}
	if p.about.workspace == "" {
		all = all[1:]
	}
	for _, c := range p.about.channels {
		all = append(all, memory.Scope{Tier: memory.Channel, Channel: c.Name}.String())
	}
	if s := p.scope(); s.Conversation != "" {
		all = append(all, s.String())
	}
	return all
}

// scope returns the current scope: that of the tab; in tiers with several scopes the
// selected one, or that of the chosen row.
func (p *Page) scope() memory.Scope {
	s := memory.Scope{Tier: memory.Workspace}
	if p.about.workspace == "" {
		s.Tier = memory.Account
	}
	var row memory.Scope
	if p.list.Cursor < len(p.rows) {
		row = p.rows[p.list.Cursor].scope
	}
	switch p.query.Section {
	case SectionAccount:
		s.Tier = memory.Account
	case SectionChannel:
		s.Tier, s.Channel = memory.Channel, row.Channel
		if p.query.place() != "" {
			s.Channel = p.query.place()
		}
		if s.Channel == "" {
			s.Channel = memory.DefaultChannel
		}
	case SectionConversation, SectionConversations:
		ref := row.Conversation
		if p.query.place() != "" {
			ref = p.query.place()
		}
		if ref != "" {
			s = memory.Scope{Tier: memory.Conversation, Conversation: ref}
		}
	}
	return s
}

// Title names the page in the header.
func (p *Page) Title() string { return "memory" }

// Actions returns the keys of the tab and of its chosen row.
func (p *Page) Actions() page.Actions {
	if p.filter.Active {
		return p.filter.Actions()
	}
	at := p.query.Section
	to := func(s Section) func() tea.Cmd {
		return func() tea.Cmd { return p.GoTo((s + Sections) % Sections) }
	}
	all := page.Actions{page.On(page.KeyOpen, p.open),
		page.On(page.Renamed(page.KeyRight, "next tier"), to(at+1)),
		page.On(page.KeyAgent, p.chooseAgent)}
	if at != SectionConversations {
		all = append(all, page.On(page.KeyCreate, p.create))
	}
	all = append(append(all, p.hands.actions(p.Chosen())...), page.On(page.KeyFilter, p.filter.Start))
	if at.Tier() != "" {
		all = append(all, page.On(page.Renamed(page.KeyFewer, "forgotten too, or not"), p.toggleForgotten))
	}
	for s, b := range page.PartKeys() {
		all = append(all, page.On(page.Renamed(b, memorySections[s].name), to(Section(s))))
	}
	all = append(all, page.On(page.Renamed(page.KeyLeft, "tier before"), to(at-1)),
		page.On(page.Renamed(page.KeyNext, "next tier"), to(at+1)),
		page.On(page.Renamed(page.KeyPrevious, "tier before"), to(at-1)),
		page.On(page.KeyRefresh, p.readAgain))
	return all.Also(page.MovingKeys()...)
}

// Typing reports whether a filter is typed.
func (p *Page) Typing() bool { return p.filter.Active }

// Close cancels the reads.
func (p *Page) Close() {
	p.last.Drop()
	p.detail.Close()
}
