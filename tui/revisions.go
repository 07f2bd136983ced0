package tui

import (
	"context"
	"fmt"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
	"blackboard/tui/keys"
	"blackboard/tui/prose"
)

// revision is an earlier text, and the way to restore it.
type revision struct {
	n       int
	note    string // when, by whom, why
	text    string // for the clipboard
	lines   func(w int) []prose.Line
	restore func(context.Context) (outcome, error)
}

// pickRevision lets the person choose a revision, newest first. It is shown on a page,
// where it can be restored.
func (a *app) pickRevision(id string, all []revision) tea.Msg {
	if len(all) == 0 {
		return noticeMsg{text: id + " has said nothing else before"}
	}
	o := &picker{app: a, heading: "Which revision of " + cells.OneLine(id, 40) + "?"}
	for i := range all {
		label := fmt.Sprintf("revision %d  %s", all[i].n, all[i].note)
		o.choices = append(o.choices, choice{value: strconv.Itoa(i), label: label})
	}
	o.take = func(value string) tea.Cmd {
		i, _ := strconv.Atoi(value)
		return a.push(&revisionPage{app: a, id: id, revision: all[i], doc: document{app: a}})
	}
	return overlayMsg{newPicker(o, "")}
}

// revisionPage shows an earlier revision.
type revisionPage struct {
	plain
	app *app
	id  string
	revision
	restoring bool
	doc       document
	w         int
}

func (p *revisionPage) update(msg tea.Msg) tea.Cmd {
	if done, ok := msg.(doneMsg); ok {
		if p.restoring && done.err == nil {
			return p.app.pop(p)
		}
		p.restoring = false
		return nil
	}
	return p.doc.take(msg, p.actions, nil) // the page has no links
}

func (p *revisionPage) bringBack() tea.Cmd {
	p.restoring = true
	return p.app.hold(func(ctx context.Context) (tea.Msg, error) {
		out, err := p.restore(ctx)
		return doneMsg{outcome: out, err: err}, nil
	})
}

func (p *revisionPage) setSize(w, h int) {
	p.w = w
	p.doc.setSize(w, max(h-1, 0))
	lines := p.lines(w)
	for i := range lines {
		lines[i].To = ""
	}
	p.doc.setLines(lines)
}

func (p *revisionPage) view() []string {
	heading := fmt.Sprintf("%s as it was at revision %d", cells.OneLine(p.id, 40), p.n)
	return append([]string{p.app.st.Heading(heading, p.doc.more(), p.w, true)}, p.doc.view()...)
}

func (p *revisionPage) title() string { return fmt.Sprintf("revision %d", p.n) }

func (p *revisionPage) actions() actions {
	said := func(context.Context) (string, error) { return p.text, nil }
	copyText := func() tea.Cmd { return p.app.copyWhole(p.title(), said) }
	return actions{{keys.Renamed(keys.Reopen, "make it this again"), p.bringBack},
		{keys.CopyText, copyText}}.also(keys.Back).also(keys.Moving()...)
}
