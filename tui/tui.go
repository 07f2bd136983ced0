package tui

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/dark"
)

func init() { dark.Restore() } // Bubble Tea has not asked the terminal

// Config says what the program shows, and whose hands it works with.
type Config struct {
	Boards    string // the directory of the runs' files
	Run       string // opened at once; "": the list of runs is shown
	Worker    string // who acts
	Workspace string // the project whose capsules rise, and whose memory is shown; "": none
	Files     string // the directory that source documents and reports are named from
	Home      string // the user's home directory, which paths are shown from as ~; "": as they are

	// Search answers questions to the knowledge base, by a daemon or not.
	Search kb.Searcher
	// Knowledge opens the knowledge base for all that is not a search. It is asked when
	// it is first needed, and again only if it failed. With create it is made if there is
	// none.
	Knowledge func(ctx context.Context, create bool) (*kb.KB, error)
	// Memory opens the workspace's memory as an agent sees it; "" is no agent. The caller
	// closes it.
	Memory func(ctx context.Context, agent string) (*memory.Store, error)
	// Model is the model that a policy may have meaning compared with; nil, or a nil
	// Embedder: there is none.
	Model func() embed.Embedder
	// Status says what the status bar shows besides the run. It is asked every few
	// seconds, and with anew when something was just done that changes it: nothing that
	// is remembered will do then.
	Status func(ctx context.Context, anew bool) Status
	// Editor makes the command that opens a file in the person's editor, at a line if
	// that is above 0; the error says why there is none.
	Editor func(path string, line int) (*exec.Cmd, error)
	// Browser makes the command that shows a URL to the person; nil: there is none, and
	// URLs are copied.
	Browser func(url string) *exec.Cmd

	// Promoted drafts the capsule that an entry of a run becomes.
	Promoted func(run string, e *board.Entry) kb.Capsule

	// Words say the next step of an error.
	Words fault.Words
	// Renderer knows the terminal's colours, and whether it is dark; nil writes no looks
	// at all.
	Renderer *lipgloss.Renderer
	Theme    string   // one of Themes; "" is auto
	Mute     []string // what is not told to somebody who looks elsewhere: of Mutes
	// Now replaces the clock.
	Now func() time.Time
}

// Status is how things stand around the runs.
type Status struct {
	Capsules int64  // that stand in the knowledge base; -1: not known, or there is none
	Daemon   string // in a word: on, off
	Model    string // its name; "": there is none
}

// Run shows the program on a terminal until the person leaves it or ctx ends, whose error
// it then returns. The terminal is as it was afterwards, even after a panic.
func Run(ctx context.Context, in io.Reader, out io.Writer, cfg Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends what the pages have under way
	a := newApp(ctx, cfg)
	a.out = out
	lipgloss.SetDefaultRenderer(a.Renderer) // for the cursor of what is typed into
	defer a.close()
	m := newModel(a)
	defer m.close()
	return runProgram(ctx, in, out, m)
}

func runProgram(ctx context.Context, in io.Reader, out io.Writer, m *model) error {
	m.app.screenBack()
	defer m.app.screenAway()
	_, err := tea.NewProgram(&drawn{model: m}, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithAltScreen(), tea.WithMouseCellMotion(), tea.WithReportFocus(), tea.WithoutSignalHandler()).Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, tea.ErrInterrupted) {
		return nil // ctrl+c is how one leaves
	}
	return err
}

// drawn is the model as Bubble Tea draws it. Bubble Tea holds a screen that is drawn
// again and has not changed against the last one sixty times a second, until one differs,
// and copies it each time: for hours, if nobody does anything. Looks that end nothing
// make each screen differ from the last.
type drawn struct {
	*model
	last string
	same int // how often it was drawn
}

func (d *drawn) Update(msg tea.Msg) (tea.Model, tea.Cmd) { return d, d.handleAll(msg) }

func (d *drawn) View() string {
	s := d.model.View()
	if d.same++; s != d.last {
		d.last, d.same = s, 0
	}
	return s + strings.Repeat(reset, d.same%8) // several may be made before one is drawn
}

func (m *model) close() {
	for _, p := range slices.Concat(m.pages, m.overs) {
		p.close()
	}
}
