package runs

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// outputPage shows what a command has printed about a run.
type outputPage struct {
	page.Plain
	app  *page.App
	name string // of the command
	text string
	doc  page.Document
	w    int
}

// ShowCommand shows what a command prints about a run.
func ShowCommand(a *page.App, run string, args ...string) tea.Cmd {
	return a.Hold(func(ctx context.Context) (tea.Msg, error) {
		text, err := a.Command(ctx, run, args...)
		return page.PushMsg{Page: &outputPage{app: a, name: args[0], text: text, doc: page.Document{App: a}}}, err
	})
}

// Export asks for the file of an export, and writes it.
func Export(a *page.App, run string) tea.Cmd {
	return a.Overlay(page.NewForm(a, page.Form{Heading: "Export " + run, Button: "export", Fields: []*page.Field{
		{Name: "file", Label: "File, by its ending a digest (.md), a page (.html) or everything (.jsonl)", Value: run + ".md", Required: true},
	}, Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
		_, err := a.Command(ctx, run, "export", "--output", v["file"])
		return page.Outcome{Text: run + " is exported to " + v["file"]}, err
	}}))
}

func (p *outputPage) Update(msg tea.Msg) tea.Cmd { return p.doc.Take(msg, p.Actions, nil) }

func (p *outputPage) SetSize(w, h int) {
	p.w = w
	p.doc.SetSize(w, h-1)
	x := cells.NewWriter(p.app.Styles, w)
	x.Text(p.text, "")
	p.doc.SetLines(x.Lines)
}

func (p *outputPage) View() []string {
	return append([]string{p.app.Styles.Heading("board "+p.name, p.doc.More(), p.w, true)}, p.doc.View()...)
}

func (p *outputPage) Title() string { return p.name }

func (p *outputPage) Actions() page.Actions {
	said := func(context.Context) (string, error) { return p.text, nil }
	return page.Actions{page.On(page.KeyCopyText, func() tea.Cmd { return p.app.CopyWhole("board "+p.name, said) })}.Also(page.KeyBack).Also(page.MovingKeys()...)
}
