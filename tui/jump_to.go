package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/checks"
	"blackboard/tui/keys"
	"blackboard/tui/knowledge"
	"blackboard/tui/memories"
	"blackboard/tui/page"
)

// The groups of targets.
const (
	groupID      = "by its id"
	groupPage    = "page"
	groupRun     = "run"
	groupWorker  = "worker"
	groupCapsule = "capsule"
	groupMemory  = "memory"
	groupAsk     = "by words"
)

// maxTargets is the most capsules and items of the memory that are offered by name, the
// newest. Others are found by their ids, and by the search.
const maxTargets = 2000

// jump opens the box with all places and keys.
func (m *model) jump() tea.Cmd {
	all := slices.Concat(m.pageTargets(), m.runTargets(), m.workerTargets(), m.keyTargets())
	j := newJump(m.app, "Go to", "an id, a run, a worker, a capsule, a page, a key", all)
	j.typed = m.typedTargets
	j.loads = []func() tea.Cmd{
		func() tea.Cmd { return m.readTargets(j, m.newRunTargets) },
		func() tea.Cmd { return m.readTargets(j, m.capsuleTargets) },
		func() tea.Cmd { return m.readTargets(j, m.memoryTargets) },
	}
	return m.app.Overlay(j)
}

// help opens the box with the keys alone.
func (m *model) help() tea.Cmd {
	note := func(group string, lines ...string) (all []target) {
		for _, l := range lines {
			label, text, _ := strings.Cut(l, "  ")
			all = append(all, target{label: label, text: text, group: group})
		}
		return all
	}
	all := append(m.keyTargets(), note("mouse", "click  chooses; on what is chosen it opens",
		"wheel  scrolls", "shift  with it the mouse marks text (in iTerm2: alt)")...)
	all = append(all, note("signs", "◆ ≠ †  must be in the final artifact, disputed, superseded",
		"■ ● ✓ ○  keeps the gate closed, open, addressed, waived", "→ ←  links to, linked from")...)
	if _, ok := m.top().(*runPage); ok {
		all = append(all, note("timeline", "█ ▄ ▒ ░  questions open: blocking, a part of a cell, other ones, half a cell of them",
			"━ ─ ◆ ▼  gate closed, open, the moment that is shown, the one that is marked",
			"█ ▄ ·  in the lanes: much posted, less, something else done; in the curve ·: later",
			"12 4k tok  beside a name: entries posted, tokens or cost used")...)
	}
	heading := "All keys: " + cells.Clean(m.top().Title())
	return m.app.Overlay(newJump(m.app, heading, "words of what it does; enter does it", all))
}

// keyTargets returns all keys that work here.
func (m *model) keyTargets() (all []target) {
	group := func(name string, some []key.Binding) {
		for _, b := range some {
			if b.Enabled() && b.Help().Key != "" {
				all = append(all, target{b.Help().Key, b.Help().Desc, name, func() tea.Cmd {
					return m.pressKey(b)
				}})
			}
		}
	}
	var special []key.Binding
	moving := keys.Moving()
	for _, b := range m.focus().Actions().Bindings() {
		same := func(other key.Binding) bool { return other.Help() == b.Help() }
		if !slices.ContainsFunc(moving, same) && !slices.ContainsFunc(keys.Global(), same) {
			special = append(special, b)
		}
	}
	group("here", special)
	if len(m.overs) == 0 {
		group("everywhere", keys.Global())
	}
	group("lists and texts", append(moving, keys.Open))
	return all
}

// pressKey does what a key does.
func (m *model) pressKey(b key.Binding) tea.Cmd {
	if msg, ok := keys.Press(b); ok {
		return m.handle(msg)
	}
	return nil
}

// run returns the page of the run on which the current page is, or nil.
func (m *model) run() *runPage {
	for _, p := range slices.Backward(m.pages) {
		if r, ok := p.(*runPage); ok && r.b != nil && r.known {
			return r
		}
	}
	return nil
}

// backTo closes the pages above a page.
func (m *model) backTo(p page.Page) {
	for m.top() != p && len(m.pages) > 1 {
		m.pop()
	}
}

// pageTargets returns the pages that need no name.
func (m *model) pageTargets() (all []target) {
	add := func(name, text string, do func() tea.Cmd) {
		all = append(all, target{name, text, groupPage, do})
	}
	if r := m.run(); r != nil {
		about := [panes]string{"what was posted", "what is asked, and keeps the gate closed",
			"who works on it", "what is chosen, whole"}
		for i, text := range about {
			add(r.tabName(i)[2:], text, func() tea.Cmd { m.backTo(r); return r.focusOn(i) })
		}
		add("check", "what board.yaml asks of the run", func() tea.Cmd {
			return m.app.Push(checks.NewCheckPage(m.app, r.name, r.b))
		})
		add("survival", "does the report carry what was found?", func() tea.Cmd {
			return m.app.Push(checks.NewSurvivalPage(m.app, r.name, r.b))
		})
		add("given", "what the knowledge base gave to the run", func() tea.Cmd {
			return m.app.Push(knowledge.NewGiven(r.app, r.b, r.back.past))
		})
		add("now", "the end of the log", func() tea.Cmd { m.backTo(r); return r.toNow() })
		if n := r.scene.state.Entries.ByStatus[board.Disputed]; n > 0 {
			add("disputed", cells.Plural(n, "entry")+" that others contradict", func() tea.Cmd {
				return m.filterRun(r, "status:disputed")
			})
			add("contradictions", "entries that contradict others", func() tea.Cmd {
				return m.filterRun(r, "type:contradiction")
			})
		}
	}
	add("runs", "all of them", func() tea.Cmd { m.backTo(m.pages[0]); return nil })
	add("search", "the knowledge base and the memory", func() tea.Cmd { return m.app.Overlay(knowledge.NewSearch(m.app)) })
	for s := range memories.Sections {
		add("memory: "+s.String(), "", func() tea.Cmd { return m.openMemory(s) })
	}
	return all
}

// openMemory opens a tab of the memory.
func (m *model) openMemory(s memories.Section) tea.Cmd {
	if p, there := m.top().(*memories.Page); there {
		return p.GoTo(s)
	}
	return m.app.Push(memories.NewAt(m.app, s))
}

// filterRun shows the entries of a run that match a filter.
func (m *model) filterRun(r *runPage, text string) tea.Cmd {
	m.backTo(r)
	r.focusOn(paneFeed)
	return r.feed.filterBy(text)
}

// runTargets returns the runs that the list of runs has.
func (m *model) runTargets() (all []target) {
	runs, ok := m.pages[0].(*runsPage)
	if !ok {
		return nil
	}
	for i := range runs.all {
		info := &runs.all[i]
		text := fmt.Sprintf("%s, %s open  %s", cells.Plural(info.Entries, "entry"),
			cells.Plural(info.OpenSignal, "question"), info.Goal)
		all = append(all, target{info.Run, cells.OneLine(text, page.RowRunes), groupRun, func() tea.Cmd {
			return m.openRun(info.Run)
		}})
	}
	return all
}

// newRunTargets returns the runs that the list of runs does not have yet: it is read only
// while it is shown.
func (m *model) newRunTargets(context.Context) (all []target) {
	names, err := board.RunNames(m.app.Boards)
	known := map[string]bool{}
	for _, t := range m.runTargets() {
		known[t.label] = true
	}
	if err != nil {
		return nil
	}
	for _, name := range names {
		if !known[name] {
			all = append(all, target{name, "", groupRun, func() tea.Cmd { return m.openRun(name) }})
		}
	}
	return all
}

// openRun shows a run: on a page that is open, or a new one.
func (m *model) openRun(name string) tea.Cmd {
	for _, p := range m.pages {
		if r, ok := p.(*runPage); ok && r.name == name {
			m.backTo(r)
			return nil
		}
	}
	m.backTo(m.pages[0])
	return m.app.Push(newRunPage(m.app, name))
}

func (m *model) workerTargets() (all []target) {
	r := m.run()
	if r == nil {
		return nil
	}
	for i := range r.scene.workers {
		w := &r.scene.workers[i]
		text := cells.Plural(w.Entries, "entry")
		all = append(all, target{w.Name, text, groupWorker, func() tea.Cmd {
			return m.filterRun(r, `worker:"`+w.Name+`"`)
		}})
	}
	return all
}

// typedTargets returns what a text itself names: an id, and searches for the text.
func (m *model) typedTargets(text string) (all []target) {
	r := m.run()
	switch id := strings.ToLower(text); {
	case page.EntryOrSignalID.MatchString(id) && r != nil:
		all = append(all, target{id, "of " + r.name, groupID, func() tea.Cmd {
			return m.openID(r, id)
		}})
	case page.CapsuleID.MatchString(id):
		all = append(all, target{id, "a capsule", groupID, func() tea.Cmd {
			return m.app.Push(knowledge.NewCapsule(m.app, id))
		}})
	case page.ItemID.MatchString(id):
		all = append(all, target{id, "an item of the memory", groupID, func() tea.Cmd {
			return m.openItem(memories.Ref{Kind: memories.KindItem, ID: id})
		}})
	}
	if r != nil {
		all = append(all, target{"/ " + text, "the entries of " + r.name + " that have it", groupAsk, func() tea.Cmd {
			return m.filterRun(r, text)
		}})
	}
	return append(all, target{"K " + text, "search the knowledge base for it", groupAsk, func() tea.Cmd {
		m.app.LastSearch.Text = text
		return m.app.Overlay(knowledge.NewSearch(m.app))
	}})
}

// openID shows an entry or a signal of a run. It is also chosen on the run's page, so
// that the way back leads to it.
func (m *model) openID(r *runPage, id string) tea.Cmd {
	if m.top() != page.Page(r) {
		p := newDetailPage(m.app, r.name, r.b, id)
		p.past = r.back.past
		return m.app.Push(p)
	}
	cmd := r.choose(id)
	if r.chosen() != id {
		return tea.Batch(cmd, page.Notice(r.name+" has no "+id))
	}
	return tea.Batch(cmd, m.app.Push(newDetailOf(r, id)))
}

func (m *model) openItem(ref memories.Ref) tea.Cmd {
	return m.app.Push(memories.NewDetail(m.app, m.app.LastAgent, ref, nil))
}

// choose chooses an entry or a signal in its list, and clears a filter that hides it.
func (p *runPage) choose(id string) (cmd tea.Cmd) {
	if page.IsSignal(id) {
		p.focusOn(paneQuestions)
		p.questions.filter.Clear()
		here := func(q concern) bool { return q.id() == id }
		p.questions.every = p.questions.every || !slices.ContainsFunc(p.questions.shown, here)
		p.questions.narrow(id, true)
		p.questions.choose(id)
		return nil
	}
	p.focusOn(paneFeed)
	if p.feed.filter.Shown() {
		cmd = p.feed.clearFilter()
	}
	if n, err := board.ParseEntryID(id); err == nil && int(n) <= p.feed.list.Len {
		p.feed.list.MoveTo(p.feed.list.Len - int(n))
	}
	return tea.Batch(cmd, p.feed.need())
}

// readTargets reads targets for an open box. Errors only mean that they are not offered.
func (m *model) readTargets(j *jumpBox, read func(context.Context) []target) tea.Cmd {
	return m.app.Ask(j, func(ctx context.Context) func() tea.Cmd {
		all := read(ctx)
		return func() tea.Cmd { return j.add(all) }
	})
}

func (m *model) capsuleTargets(ctx context.Context) (all []target) {
	k, err := m.app.KB(ctx)
	if err != nil {
		return nil
	}
	capsules, _, err := k.List(ctx, kb.ListQuery{Limit: maxTargets})
	if err != nil {
		return nil
	}
	for i := range capsules {
		id := capsules[i].ID
		text := cells.OneLine(capsules[i].Title, kb.MaxTitle)
		all = append(all, target{id, text, groupCapsule, func() tea.Cmd {
			return m.app.Push(knowledge.NewCapsule(m.app, id))
		}})
	}
	return all
}

func (m *model) memoryTargets(ctx context.Context) (all []target) {
	add := func(ref memories.Ref, text string) {
		all = append(all, target{ref.ID, text, groupMemory, func() tea.Cmd {
			return m.openItem(ref)
		}})
	}
	_ = m.app.WithMemory(ctx, m.app.LastAgent, func(s *memory.Store) error {
		named, err := s.Named(ctx)
		for i := range named {
			if n := &named[i]; err == nil && n.Revision > 0 {
				ref := memories.Ref{Kind: memories.KindNamed, ID: n.Name, Tier: n.Tier}
				add(ref, n.Tier+": "+cells.OneLine(n.Body, memories.MaxRunes))
			}
		}
		items, _, err := s.List(ctx, memory.ListQuery{Limit: maxTargets})
		for i := range items {
			if err == nil {
				ref := memories.Ref{Kind: memories.KindItem, ID: items[i].ID, Tier: items[i].Tier}
				add(ref, memories.Headline(&items[i]))
			}
		}
		return nil
	})
	return all
}

// idLink returns the link of an id, if it exists.
func idLink(ctx context.Context, a *page.App, in *page.Linked, id string) (l page.TextLink) {
	l.Name = id
	switch {
	case page.EntryOrSignalID.MatchString(id) && in.Board != nil:
		found := readOne(ctx, sourceOf(in.Board, in.Past), id)
		if found.id() == "" {
			return l
		}
		l.Note = found.line()
		l.Open = func() tea.Cmd {
			return a.Push(a.Open.Entry(in.Run, in.Board, id, in.Past))
		}
	case page.EntryOrSignalID.MatchString(id) && in.Run != "" && !page.IsSignal(id):
		l.Note = "of the run " + in.Run
		l.Open = func() tea.Cmd { return a.OpenEntry(in.Run, id) }
	case page.CapsuleID.MatchString(id):
		k, err := a.KB(ctx)
		if err != nil {
			return l
		}
		if c, err := k.Get(ctx, id); err == nil {
			l.Note = cells.OneLine(c.Title, kb.MaxTitle)
			l.Open = func() tea.Cmd { return a.Push(knowledge.NewCapsule(a, id)) }
		}
	case page.ItemID.MatchString(id):
		_ = a.WithMemory(ctx, in.Agent, func(s *memory.Store) error {
			it, err := s.Peek(ctx, id)
			if err == nil {
				ref := memories.Ref{Kind: memories.KindItem, ID: id, Tier: it.Tier}
				l.Note = memories.Headline(&it)
				l.Open = func() tea.Cmd { return a.Push(memories.NewDetail(a, in.Agent, ref, nil)) }
			}
			return err
		})
	}
	return l
}

// openersOf returns how pages open those of other packages.
func openersOf(a *page.App) page.Openers {
	return page.Openers{
		Run: func(name, entry string) page.Page {
			p := newRunPage(a, name)
			p.want = entry
			return p
		},
		Entry: func(run string, b *board.Board, id string, past *board.Past) page.Page {
			p := newDetailPage(a, run, b, id)
			p.past = past
			return p
		},
		Check:    func(run string, b *board.Board) page.Page { return checks.NewCheckPage(a, run, b) },
		Survival: func(run string, b *board.Board) page.Page { return checks.NewSurvivalPage(a, run, b) },
		Given:    func(b *board.Board, past *board.Past) page.Page { return knowledge.NewGiven(a, b, past) },
		Capsule:  func(id string) page.Page { return knowledge.NewCapsule(a, id) },
		Link: func(ctx context.Context, in *page.Linked, id string) page.TextLink {
			return idLink(ctx, a, in, id)
		},
	}
}
