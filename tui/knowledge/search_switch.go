package knowledge

import (
	"cmp"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb"
	"blackboard/tui/cells"
	"blackboard/tui/keys"
	"blackboard/tui/page"
)

// searchSwitch is a setting of the search.
type searchSwitch struct {
	key.Binding
	value func() string
	next  func() tea.Cmd
}

// switches are the settings; their keys also work during input.
func (s *SearchBox) switches() []searchSwitch {
	only := func(value, all string) string {
		if value == "" {
			return all
		}
		return value + " only"
	}
	yes := func(is bool) string { return map[bool]string{true: "yes", false: "no"}[is] }
	all := []searchSwitch{
		{keys.Mode, func() string { return cmp.Or(s.Mode, kb.ModeAuto) }, s.nextMode},
		{keys.Kind, func() string { return only(s.Kind, "all kinds") }, s.nextKind},
		{keys.Scope, func() string { return only(s.Scope, "all scopes") }, s.nextScope},
		{keys.Where, func() string { return cmp.Or(s.Where, everywhere) }, s.nextWhere},
		{keys.Explain, func() string { return yes(s.Explain) }, s.toggleExplain},
	}
	retired := keys.Renamed(keys.Fewer, "retired ones too")
	all = append(all, searchSwitch{retired, func() string { return yes(s.Retired) },
		s.toggleRetired})
	if s.browsing {
		order := keys.Renamed(keys.Sort, "order")
		all = append(all, searchSwitch{order, func() string { return browseOrders[s.Order] },
			s.nextOrder})
	}
	return all
}

// switchActions returns the keys of the settings, and of their menu.
func (s *SearchBox) switchActions() page.Actions {
	all := page.Actions{page.On(keys.Switches, s.openSwitches)}
	for _, w := range s.switches() {
		if strings.HasPrefix(w.Help().Key, "alt+") {
			all = append(all, page.On(w.Binding, w.next))
		}
	}
	return all
}

func (s *SearchBox) openSwitches() tea.Cmd {
	m := &switchMenu{app: s.app, box: s}
	m.list = page.List{App: s.app, Row: m.row}
	return s.app.Overlay(m)
}

func (s *SearchBox) nextWhere() tea.Cmd {
	s.Where = page.Following(searchPlacesOf, cmp.Or(s.Where, everywhere))
	return s.ask()
}

// switchMenu is an overlay with the settings of the search, for terminals that do not
// send alt.
type switchMenu struct {
	page.Plain
	app   *page.App
	box   *SearchBox
	list  page.List
	inner int
}

func (m *switchMenu) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if cmd, ok := m.Actions().Press(msg); ok {
			return cmd
		}
		m.list.Update(msg)
	case tea.MouseMsg:
		if m.list.Mouse(msg, msg.Y-1) {
			return m.turn(m.list.Cursor)
		}
	}
	return nil
}

// turn changes a setting to its next value. The menu stays open, since most are changed
// more than once.
func (m *switchMenu) turn(i int) tea.Cmd {
	all := m.box.switches()
	if i >= len(all) {
		return nil
	}
	m.list.MoveTo(i)
	cmd := all[i].next()
	m.box.keep()
	return cmd
}

func (m *switchMenu) SetSize(w, h int) {
	m.inner = min(w-6, 50)
	m.list.SetLen(len(m.box.switches()))
	m.list.SetSize(m.inner, min(m.list.Len, max(h-4, 1)))
}

func (m *switchMenu) row(i, _ int) string {
	w := &m.box.switches()[i]
	st := m.app.Styles
	return page.Columns(st.Key.Render(keys.Parts()[i].Help().Key), cells.Fit(w.Help().Desc, 20),
		w.value())
}

func (m *switchMenu) View() []string {
	const foot = "enter or its number turns it · esc leaves"
	return m.app.Styles.Box("How to search", foot, m.list.View(true), m.inner)
}

func (m *switchMenu) Title() string { return "switches" }

func (m *switchMenu) Actions() page.Actions {
	leave := func() tea.Cmd { return m.app.CloseOverlay(m) }
	turn := func(i int) func() tea.Cmd { return func() tea.Cmd { return m.turn(i) } }
	all := page.Actions{page.On(keys.Renamed(keys.Open, "turn it"), turn(m.list.Cursor)),
		page.On(keys.Renamed(keys.Cancel, "leave"), leave),
		page.On(keys.Quit, leave).Unlisted(), page.On(keys.Switches, leave).Unlisted()}
	for i, w := range m.box.switches() {
		all = append(all, page.On(keys.Renamed(keys.Parts()[i], w.Help().Desc), turn(i)))
	}
	return all.Also(keys.Moving()...)
}
