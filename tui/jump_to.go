package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
	"blackboard/tui/items"
	"blackboard/tui/page"
	"blackboard/tui/runs"
)

const (
	groupID   = "by its id"
	groupPage = "page"
	groupRun  = "run"
	groupAsk  = "by words"
)

func (m *model) jump() tea.Cmd {
	all := slices.Concat(m.pageTargets(), m.runTargets(), m.keyTargets())
	j := page.NewChooser(m.app, "Go to", "an id, a run, a page, a key, words", all)
	j.Typed = m.typedTargets
	return m.app.Overlay(j)
}

func (m *model) help() tea.Cmd {
	note := func(group string, lines ...string) (all []page.Target) {
		for _, l := range lines {
			label, text, _ := strings.Cut(l, "  ")
			all = append(all, page.Target{Label: label, Text: text, Group: group})
		}
		return all
	}
	all := append(m.keyTargets(), note("signs", "◆ ≠ †  must be in the report, disputed, superseded",
		"■ ● ✓ ○  keeps the gate closed, open, addressed, waived", "→ ←  links to, linked from")...)
	heading := "All keys: " + cells.Clean(m.top().Title())
	return m.app.Overlay(page.NewChooser(m.app, heading, "words of what it does; enter does it", all))
}

func (m *model) keyTargets() (all []page.Target) {
	group := func(name string, some []key.Binding) {
		for _, b := range some {
			if b.Enabled() && b.Help().Key != "" {
				all = append(all, page.NewTarget(m.app.KeyName(b), b.Help().Desc, name, func() tea.Cmd {
					return m.pressKey(b)
				}))
			}
		}
	}
	var special []key.Binding
	moving := page.MovingKeys()
	for _, b := range m.focus().Actions().Bindings() {
		same := func(other key.Binding) bool { return other.Help() == b.Help() }
		if !slices.ContainsFunc(moving, same) && !slices.ContainsFunc(page.GlobalKeys(), same) {
			special = append(special, b)
		}
	}
	group("here", special)
	if len(m.overs) == 0 {
		group("everywhere", page.GlobalKeys())
	}
	group("lists and texts", append(moving, page.KeyOpen))
	return all
}

// pressKey does what a key does.
func (m *model) pressKey(b key.Binding) tea.Cmd {
	if msg, ok := m.app.Press(b); ok {
		return m.handle(msg)
	}
	return nil
}

func (m *model) run() *runs.Page {
	for _, p := range slices.Backward(m.pages) {
		if r, ok := p.(*runs.Page); ok && r.IsReady() {
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

func (m *model) pageTargets() (all []page.Target) {
	add := func(name, text string, do func() tea.Cmd) {
		all = append(all, page.NewTarget(name, text, groupPage, do))
	}
	if r := m.run(); r != nil {
		about := [runs.Panes]string{"what was posted", "what is asked, and keeps the gate closed",
			"who works on it", "what is chosen, whole"}
		for i, text := range about {
			add(r.TabName(i)[2:], text, func() tea.Cmd { m.backTo(r); return r.FocusOn(i) })
		}
		check := func(step string) func() tea.Cmd {
			return func() tea.Cmd { return m.app.Push(runs.NewCheckPage(m.app, r.Name, r.Board(), step)) }
		}
		add("check", "what board.yaml asks of the run", check(""))
		add("survival", "does the report carry what was found?", check("survival"))
		add("conflicts", "findings that may contradict each other, in pairs", check("conflicts"))
		add("verify", "findings that their sources do not bear out", check("verify"))
		add("trace", "what the report says and no finding does", check("trace"))
		add("given", "what the knowledge base gave to the run", func() tea.Cmd {
			return m.app.Push(m.app.Open.Given(r.Board(), r.Past()))
		})
		if m.app.Command != nil {
			add("gate", "what keeps it closed, as board gate says it", func() tea.Cmd { return runs.ShowCommand(m.app, r.Name, "gate") })
			add("digest", "all findings by document, as the author of a report gets them", func() tea.Cmd { return runs.ShowCommand(m.app, r.Name, "export", "--format", "md") })
			add("export", "write the run to a file", func() tea.Cmd { return runs.Export(m.app, r.Name) })
		}
		add("now", "the end of the log", func() tea.Cmd { m.backTo(r); return r.ToNow() })
		for _, s := range m.app.Sections {
			add(s.Name, "entries: "+s.Filter, func() tea.Cmd { return m.filterRun(r, s.Filter) })
		}
		if n := r.Disputes(); n > 0 {
			add("disputed", cells.Plural(n, "entry")+" that others contradict", func() tea.Cmd {
				return m.filterRun(r, "status:disputed")
			})
			add("contradictions", "entries that contradict others", func() tea.Cmd {
				return m.filterRun(r, "type:contradiction")
			})
		}
	}
	add("runs", "all of them", func() tea.Cmd { m.backTo(m.pages[0]); return nil })
	add("search", "the knowledge base and the memory", func() tea.Cmd { return m.search("") })
	for s := items.SectionConversation; s < items.Sections; s++ {
		add("memory: "+s.String(), "", func() tea.Cmd { return m.openMemory(s) })
	}
	return all
}

func (m *model) openMemory(s items.Section) tea.Cmd {
	if p, there := m.top().(*items.Page); there {
		return p.GoTo(s)
	}
	return m.app.Push(items.NewAt(m.app, s))
}

// search opens the search, which has the next keys.
func (m *model) search(text string) tea.Cmd {
	if p, there := m.top().(*items.Page); there {
		return p.Search(text)
	}
	return m.app.Push(items.NewSearch(m.app, text))
}

// filterRun shows the entries of a run that match a filter.
func (m *model) filterRun(r *runs.Page, text string) tea.Cmd {
	m.backTo(r)
	return r.ShowMatching(text)
}

func (m *model) runTargets() (all []page.Target) {
	first, ok := m.pages[0].(*runs.List)
	if !ok {
		return nil
	}
	infos := first.Infos()
	for i := range infos {
		info := &infos[i]
		text := fmt.Sprintf("%s, %s open  %s", cells.Plural(info.Entries, "entry"),
			cells.Plural(info.OpenSignal, "question"), info.Goal)
		all = append(all, page.NewTarget(info.Run, cells.OneLine(text, page.RowRunes), groupRun,
			func() tea.Cmd {
				return m.openRun(info.Run)
			}))
	}
	return all
}

func (m *model) openRun(name string) tea.Cmd {
	for _, p := range m.pages {
		if r, ok := p.(*runs.Page); ok && r.Name == name {
			m.backTo(r)
			return nil
		}
	}
	m.backTo(m.pages[0])
	return m.app.Push(runs.New(m.app, name))
}

// typedTargets returns what a text itself names: an id, and searches for the text.
func (m *model) typedTargets(text string) (all []page.Target) {
	r := m.run()
	if at, ok := page.MomentOf(text, m.app.Now()); ok && r != nil {
		when := cells.Minute(at)
		was := page.NewTarget(text, "the run as it was at "+when, groupPage, func() tea.Cmd { m.backTo(r); return r.GoToTime(at) })
		changed := page.NewTarget(text, "what has changed since "+when, groupPage, func() tea.Cmd { return r.ShowChangesSince(at) })
		if all = append(all, changed, was); strings.ContainsAny(text, ":-n") { // a clock
			all = []page.Target{was, changed}
		}
	}
	switch id := strings.ToLower(text); {
	case page.EntryOrSignalID.MatchString(id) && r != nil:
		all = append(all, page.NewTarget(id, "of "+r.Name, groupID, func() tea.Cmd {
			return m.openID(r, id)
		}))
	case page.CapsuleID.MatchString(id):
		all = append(all, page.NewTarget(id, "a capsule", groupID, func() tea.Cmd {
			return m.app.Push(items.NewCapsule(m.app, id))
		}))
	case page.ItemID.MatchString(id):
		all = append(all, page.NewTarget(id, "an item of the memory", groupID, func() tea.Cmd {
			return m.app.Push(items.NewDetail(m.app, m.app.LastAgent, items.Ref{Kind: items.KindItem, ID: id}))
		}))
	}
	if r != nil {
		all = append(all, page.Target{Label: "/ " + text, Text: "the entries of " + r.Name + " that have it",
			Group: groupAsk, Last: true, Do: func() tea.Cmd { return m.filterRun(r, text) }})
	}
	return append(all, page.Target{Label: "K " + text, Text: "search the knowledge base for it", Group: groupAsk, Last: true, Do: func() tea.Cmd {
		return m.search(text)
	}})
}

// openID shows a run's entry or signal, chosen on the run's page too, where the way back leads.
func (m *model) openID(r *runs.Page, id string) tea.Cmd {
	if m.top() != page.Page(r) {
		return m.app.Push(runs.NewEntry(m.app, r.Name, r.Board(), id, r.Past()))
	}
	return r.OpenID(id)
}
