package page

import (
	"context"
	"fmt"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
)

// Revision is an earlier text, and the way to restore it.
type Revision struct {
	Number  int
	Note    string // when, by whom, why
	Text    string // for the clipboard
	Lines   func(w int) []cells.Line
	Restore func(context.Context) (Outcome, error)
}

// PickRevision lets the person choose a revision, newest first. It is shown on a page,
// where it can be restored.
func (a *App) PickRevision(id string, all []Revision) tea.Msg {
	if len(all) == 0 {
		return NoticeMsg{Text: id + " has said nothing else before"}
	}
	var choices []Choice
	for i := range all {
		label := fmt.Sprintf("revision %d", all[i].Number)
		choices = append(choices, Choice{strconv.Itoa(i), label, all[i].Note})
	}
	return OverlayMsg{a.Choose("Which revision of "+cells.OneLine(id, 40)+"?", choices, "", func(value string) tea.Cmd {
		i, _ := strconv.Atoi(value)
		return a.Push(&revisionPage{app: a, id: id, Revision: all[i], doc: Document{App: a}})
	})}
}

// revisionPage shows an earlier revision.
type revisionPage struct {
	Plain
	app *App
	id  string
	Revision
	restoring bool
	doc       Document
	w         int
}

func (p *revisionPage) Update(msg tea.Msg) tea.Cmd {
	if done, ok := msg.(DoneMsg); ok {
		if p.restoring && done.Err == nil {
			return p.app.Pop(p)
		}
		p.restoring = false
		return nil
	}
	return p.doc.Take(msg, p.Actions, nil) // the page has no links
}

func (p *revisionPage) bringBack() tea.Cmd {
	p.restoring = true
	return p.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		out, err := p.Restore(ctx)
		return DoneMsg{Outcome: out, Err: err}, nil
	})
}

func (p *revisionPage) SetSize(w, h int) {
	p.w = w
	p.doc.SetSize(w, max(h-1, 0))
	lines := p.Lines(w)
	for i := range lines {
		lines[i].To = ""
	}
	p.doc.SetLines(lines)
}

func (p *revisionPage) View() []string {
	heading := fmt.Sprintf("%s as it was at revision %d", cells.OneLine(p.id, 40), p.Number)
	return append([]string{p.app.Styles.Heading(heading, p.doc.More(), p.w, true)},
		p.doc.View()...)
}

func (p *revisionPage) Title() string { return fmt.Sprintf("revision %d", p.Number) }

func (p *revisionPage) Actions() Actions {
	said := func(context.Context) (string, error) { return p.Text, nil }
	copyText := func() tea.Cmd { return p.app.CopyWhole(p.Title(), said) }
	return Actions{{Renamed(KeyReopen, "make it this again"), p.bringBack},
		{KeyCopyText, copyText}}.Also(KeyBack).Also(MovingKeys()...)
}

// Because writes a reason after what it is for; nothing without one.
func Because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}
