package tui

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"blackboard/tui/cells"
	"blackboard/tui/dark"
	"blackboard/tui/page"
)

func init() { dark.Restore() } // Bubble Tea has been initialised without asking the terminal

// Run runs the program on a terminal until the person quits, or ctx ends, whose error it
// then returns. It always restores the terminal, even after a panic.
func Run(ctx context.Context, in io.Reader, out io.Writer, cfg page.Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends what the pages have started
	a := page.NewApp(ctx, cfg)
	a.Out = out
	lipgloss.SetDefaultRenderer(a.Renderer) // for the cursors of inputs
	defer a.Close()
	m := newModel(a)
	defer m.close()
	return runProgram(ctx, in, out, m)
}

func runProgram(ctx context.Context, in io.Reader, out io.Writer, m *model) error {
	m.app.SetupTerminal()
	defer m.app.RestoreTerminal()
	_, err := tea.NewProgram(&drawn{model: m}, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithAltScreen(), tea.WithoutSignalHandler()).Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, tea.ErrInterrupted) {
		return nil // ctrl+c is a normal way to quit
	}
	return err
}

// drawn renders the model for Bubble Tea. Bubble Tea compares an unchanged screen that
// was drawn again with the last one sixty times a second, until one differs, and copies
// it each time. That would go on for hours while idle, so style resets make each screen
// differ from the last.
type drawn struct {
	*model
	last string
	same int // the number of renderings
}

func (d *drawn) Update(msg tea.Msg) (tea.Model, tea.Cmd) { return d, d.handleAll(msg) }

func (d *drawn) View() string {
	s := d.model.View()
	if d.same++; s != d.last {
		d.last, d.same = s, 0
	}
	return s + strings.Repeat(cells.Reset, d.same%8) // several renderings may come before one is drawn
}

func (m *model) close() {
	for _, p := range slices.Concat(m.pages, m.overs) {
		p.Close()
	}
}
