package tui

import (
	"cmp"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb"
	"blackboard/tui/cells"
	"blackboard/tui/keys"
)

// searchSwitch is a setting of the search.
type searchSwitch struct {
	key.Binding
	value func() string
	next  func() tea.Cmd
}

// switches are the settings; their keys also work during input.
func (s *searchBox) switches() []searchSwitch {
	only := func(value, all string) string {
		if value == "" {
			return all
		}
		return value + " only"
	}
	yes := func(is bool) string { return map[bool]string{true: "yes", false: "no"}[is] }
	all := []searchSwitch{
		{keys.Mode, func() string { return cmp.Or(s.mode, kb.ModeAuto) }, s.nextMode},
		{keys.Kind, func() string { return only(s.kind, "all kinds") }, s.nextKind},
		{keys.Scope, func() string { return only(s.scope, "all scopes") }, s.nextScope},
		{keys.Where, func() string { return cmp.Or(s.where, everywhere) }, s.nextWhere},
		{keys.Explain, func() string { return yes(s.explain) }, s.toggleExplain},
	}
	retired := keys.Renamed(keys.Fewer, "retired ones too")
	all = append(all, searchSwitch{retired, func() string { return yes(s.retired) }, s.toggleRetired})
	if s.browsing {
		order := keys.Renamed(keys.Sort, "order")
		all = append(all, searchSwitch{order, func() string { return browseOrders[s.order] }, s.nextOrder})
	}
	return all
}

// switchActions returns the keys of the settings, and of their menu.
func (s *searchBox) switchActions() actions {
	all := actions{{keys.Switches, s.openSwitches}}
	for _, w := range s.switches() {
		if strings.HasPrefix(w.Help().Key, "alt+") {
			all = append(all, action{w.Binding, w.next})
		}
	}
	return all
}

func (s *searchBox) openSwitches() tea.Cmd {
	m := &switchMenu{app: s.app, box: s}
	m.list = list{app: s.app, row: m.row}
	return s.app.overlay(m)
}

func (s *searchBox) nextWhere() tea.Cmd {
	s.where = following(searchPlacesOf, cmp.Or(s.where, everywhere))
	return s.ask()
}

// switchMenu is an overlay with the settings of the search, for terminals that do not
// send alt.
type switchMenu struct {
	plain
	app   *app
	box   *searchBox
	list  list
	inner int
}

func (m *switchMenu) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if cmd, ok := m.actions().press(msg); ok {
			return cmd
		}
		m.list.update(msg)
	case tea.MouseMsg:
		if m.list.mouse(msg, msg.Y-1) {
			return m.turn(m.list.cursor)
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
	m.list.moveTo(i)
	cmd := all[i].next()
	m.box.keep()
	return cmd
}

func (m *switchMenu) setSize(w, h int) {
	m.inner = min(w-6, 50)
	m.list.setLen(len(m.box.switches()))
	m.list.setSize(m.inner, min(m.list.n, max(h-4, 1)))
}

func (m *switchMenu) row(i, _ int) string {
	w := &m.box.switches()[i]
	st := m.app.st
	return columns(st.Key.Render(keys.Parts()[i].Help().Key), cells.Fit(w.Help().Desc, 20), w.value())
}

func (m *switchMenu) view() []string {
	const foot = "enter or its number turns it · esc leaves"
	return m.app.st.Box("How to search", foot, m.list.view(true), m.inner)
}

func (m *switchMenu) title() string { return "switches" }

func (m *switchMenu) actions() actions {
	leave := func() tea.Cmd { return m.app.closeOver(m) }
	turn := func(i int) func() tea.Cmd { return func() tea.Cmd { return m.turn(i) } }
	all := actions{{keys.Renamed(keys.Open, "turn it"), turn(m.list.cursor)},
		{keys.Renamed(keys.Cancel, "leave"), leave},
		action{keys.Quit, leave}.unlisted(), action{keys.Switches, leave}.unlisted()}
	for i, w := range m.box.switches() {
		all = append(all, action{keys.Renamed(keys.Parts()[i], w.Help().Desc), turn(i)})
	}
	return all.also(keys.Moving()...)
}
