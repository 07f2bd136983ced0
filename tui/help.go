package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// helpBox lists all keys that work on a page.
type helpBox struct {
	app *app
	doc document
}

func newHelp(a *app, title string, here []key.Binding) *helpBox {
	h := &helpBox{app: a, doc: document{app: a, at: -1}}
	var lines []docLine
	group := func(name string, keys []key.Binding) {
		lines = append(lines, docLine{text: a.st.title.Render(name)})
		for _, b := range keys {
			if b.Enabled() && b.Help().Key != "" {
				lines = append(lines, docLine{text: "  " + a.st.key.Render(fit(b.Help().Key, 11)) + " " + b.Help().Desc})
			}
		}
		lines = append(lines, docLine{})
	}
	var special []key.Binding
	moving := keys.moving()
	for _, b := range here {
		if !isAmong(b, moving) && !isAmong(b, keys.global()) {
			special = append(special, b)
		}
	}
	group("Here: "+clean(title), special)
	group("Everywhere", keys.global())
	group("Lists and texts", append(moving, keys.open))
	lines = append(lines, docLine{text: a.st.title.Render("Mouse")}, docLine{text: "  A click chooses, a click on what is chosen opens, the wheel scrolls."},
		docLine{text: "  To mark text, hold shift (in iTerm2: alt)."}, docLine{},
		docLine{text: a.st.title.Render("Signs")},
		docLine{text: "  ◆ must be in the final artifact   ≠ disputed   † superseded"},
		docLine{text: "  ● open   ✓ addressed   ○ waived   → links to   ← linked from"})
	h.doc.setLines(lines)
	return h
}

func isAmong(b key.Binding, all []key.Binding) bool {
	for _, m := range all {
		if m.Help() == b.Help() {
			return true
		}
	}
	return false
}

func (h *helpBox) init() tea.Cmd { return nil }

func (h *helpBox) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if key.Matches(msg, keys.back, keys.quit, keys.help) {
			return h.app.closeOver(h)
		}
		h.doc.update(msg)
	case tea.MouseMsg:
		h.doc.mouse(msg, msg.Y-1)
	}
	return nil
}

func (h *helpBox) setSize(w, ht int) { h.doc.setSize(min(w-4, 76), min(len(h.doc.lines), ht-4)) }

func (h *helpBox) view() []string {
	return h.app.st.box("Keys", h.doc.more(), h.doc.view(), h.doc.w)
}

func (h *helpBox) title() string { return "keys" }
func (h *helpBox) actions() actions {
	return actions{}.also(keys.back, keys.up, keys.down)
}
func (h *helpBox) typing() bool { return false }
func (h *helpBox) close()       {}
