package page

import (
	"context"
	"os/exec"
	"time"

	"github.com/charmbracelet/lipgloss"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/embed"
	"blackboard/kb"
	"blackboard/kb/memory"
)

// The least size of a screen, in cells.
const (
	MinWidth  = 60
	MinHeight = 18
)

type Config struct {
	Boards    string // the directory of the runs' files
	Run       string // opened at the start; "": the list of runs
	Worker    string // the name of the person's actions
	Workspace string // the project whose capsules rank higher, and whose memory is shown; "": none
	Files     string // the directory for relative paths of documents and reports
	Home      string // the user's home directory, shown as ~; "": not shortened

	// Search searches the knowledge base, with or without a daemon.
	Search kb.Searcher
	// Knowledge opens the knowledge base for everything but searches. It is called when
	// first needed, and again only after an error. With create it creates a missing one.
	Knowledge func(ctx context.Context, create bool) (*kb.KB, error)
	// Memory opens the workspace's memory as an agent, or none (""). The caller closes it.
	Memory func(ctx context.Context, agent string) (*memory.Store, error)
	// Model is the model for policies that compare meaning; nil, or a nil Embedder: none.
	Model func() embed.Embedder
	// Status returns the contents of the status bar. It is called every few seconds, and
	// with anew after an action that changes it, when cached values are out of date.
	Status func(ctx context.Context, anew bool) Status
	// Editor returns the command that opens a file in the person's editor, at a line if
	// that is above 0, or why there is none.
	Editor func(path string, line int) (*exec.Cmd, error)
	// Clipboard returns a command that copies its standard input; nil: the terminal is asked.
	Clipboard func() *exec.Cmd

	// Command runs a command of the program on a run, and returns what it prints; nil: none.
	Command func(ctx context.Context, run string, args ...string) (string, error)

	// Form returns what a screen asks for the operation of a command: the named arguments, or
	// without names those that many callers give.
	Form func(command string, names ...string) op.Form

	// Promoted returns the draft of a capsule from a run's entry.
	Promoted func(run string, e *board.Entry) kb.Capsule

	Words fault.Words
	// Renderer has the terminal's colours and background; nil: no styles at all.
	Renderer *lipgloss.Renderer
	Settings // the theme is one of Themes, "" is auto; mute has some of Mutes
	// Now replaces the clock in tests.
	Now func() time.Time
}

// Status is the contents of the status bar, apart from the run.
type Status struct {
	Capsules int64  // active ones; -1: unknown, or no knowledge base
	Daemon   string // in a word: on, off
	Model    string // its name; "": none
}
