package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/keys"
)

// helpBox lists all keys that work on a page.
type helpBox struct {
	plain
	app *app
	doc document
}

func newHelp(a *app, title string, here []key.Binding) *helpBox {
	h := &helpBox{app: a, doc: document{app: a, at: -1}}
	x := newWriter(a.st, 0)
	group := func(name string, keys []key.Binding) {
		x.line(a.st.title.Render(name))
		for _, b := range keys {
			if b.Enabled() && b.Help().Key != "" {
				x.line("  " + a.st.key.Render(fit(b.Help().Key, 11)) + " " + b.Help().Desc)
			}
		}
		x.line("")
	}
	var special []key.Binding
	moving := keys.Moving()
	for _, b := range here {
		same := func(m key.Binding) bool { return m.Help() == b.Help() }
		if !slices.ContainsFunc(moving, same) && !slices.ContainsFunc(keys.Global(), same) {
			special = append(special, b)
		}
	}
	group("Here: "+clean(title), special)
	group("Everywhere", keys.Global())
	group("Lists and texts", append(moving, keys.Open))
	x.line(a.st.title.Render("Mouse"),
		"  A click chooses, a click on what is chosen opens, the wheel scrolls.",
		"  To mark text, hold shift (in iTerm2: alt).")
	x.heading("Signs")
	x.line("  ◆ must be in the final artifact   ≠ disputed   † superseded",
		"  ● open   ✓ addressed   ○ waived   → links to   ← linked from")
	h.doc.setLines(x.lines)
	return h
}

func (h *helpBox) update(msg tea.Msg) tea.Cmd { return h.doc.take(msg, h.actions, nil) } // no place leads anywhere

func (h *helpBox) setSize(w, ht int) { h.doc.setSize(min(w-4, 76), min(len(h.doc.lines), ht-4)) }

func (h *helpBox) view() []string {
	return h.app.st.box("Keys", h.doc.more(), h.doc.view(), h.doc.w)
}

func (h *helpBox) title() string { return "keys" }
func (h *helpBox) actions() actions {
	leave := func() tea.Cmd { return h.app.closeOver(h) }
	all := actions{{keys.Back, leave}}.also(keys.Up, keys.Down)
	return append(all, action{keys.Quit, leave}.unlisted(), action{keys.Help, leave}.unlisted())
}
