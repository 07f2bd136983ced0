package runs

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board/op"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// ShowCommand shows what a command prints about a run.
func ShowCommand(a *page.App, run string, args ...string) tea.Cmd {
	return a.Hold(func(ctx context.Context) (tea.Msg, error) {
		text, err := a.Command(ctx, run, args...)
		name, said := "board "+args[0], func(context.Context) (string, error) { return text, nil }
		return page.PushMsg{Page: &page.Text{App: a, Name: args[0], Heading: func() string { return name },
			Write: func(x *cells.Writer) { x.Text(text, "") },
			Keys: func() page.Actions {
				return page.Actions{page.On(page.KeyCopyText, func() tea.Cmd { return a.CopyWhole(name, said) })}.Also(page.KeyBack)
			}}}, err
	})
}

// Export asks for the file of an export, and writes it.
func Export(a *page.App, run string) tea.Cmd {
	return a.Overlay(page.NewForm(a, page.Form{Heading: "Export " + run, Button: "export",
		Intro:  []string{"By its ending the file becomes a digest (.md), a page (.html) or everything (.jsonl)."},
		Fields: []*page.Field{{Asked: op.Asked{Name: "file", Label: "File", Value: run + ".md", Required: true}}},
		Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
			_, err := a.Command(ctx, run, "export", "--output", v["file"])
			return page.Outcome{Text: run + " is exported to " + v["file"]}, err
		}}))
}
