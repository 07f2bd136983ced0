package page

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/cells"
)

// App has what all pages share, unchanging while the program runs, but for the knowledge base,
// opened when first needed, and the fields that only Update changes.
type App struct {
	Config
	Context context.Context // ends with the program
	// reads has a slot for each large read that may run at a time.
	reads  chan struct{}
	Styles *cells.Styles
	// Still is set in tests: nothing is followed or polled.
	Still bool
	// clock replaces the boards' clock, a server's if there is one; nil: it does not.
	clock func() time.Time

	Out io.Writer // the terminal; nil: none
	// Only Update uses the fields below.
	Next  []tea.Msg // messages that the model handles first
	Shown Page      // the page on top
	Held  int       // answers for which keys wait

	LastAgent  string            // the agent as which the memory was last viewed
	LastReport map[string]string // the chosen report of each run

	Open    Openers
	contact contact
	Away    error // the error of the connection to the boards' server; nil: it answers

	mu       sync.Mutex
	base     *kb.KB
	replaced []*kb.KB // opened before the files of the knowledge base were replaced
}

// NewApp returns what all pages of a program share. Its context ends with the program.
func NewApp(ctx context.Context, cfg Config) *App {
	clock := cfg.Now
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Renderer == nil {
		cfg.Renderer = lipgloss.NewRenderer(io.Discard)
	}
	a := &App{Config: cfg, clock: clock, Styles: cells.NewStyles(cfg.Renderer, cfg.Theme),
		LastReport: map[string]string{}, reads: make(chan struct{}, maxReads)}
	a.contact.turned = make(chan error, 1)
	a.Context = board.OnContact(ctx, cfg.Boards, a.contact.record)
	return a
}

func (a *App) SetClock(b *board.Board) {
	if a.clock != nil {
		b.SetNow(a.clock)
	}
}

// Blink returns the command that makes a cursor blink; nil in tests.
func (a *App) Blink(cmd tea.Cmd) tea.Cmd {
	if a.Still {
		return nil
	}
	return cmd
}

// ErrNoKnowledge is the error without a knowledge base.
var ErrNoKnowledge = errors.New("there is no knowledge base here")

// KB returns the knowledge base. It opens it if it is not open, or if its file was replaced.
func (a *App) KB(ctx context.Context) (*kb.KB, error) { return a.OpenKB(ctx, false) }

// OpenKB is KB; with create it creates a missing one.
func (a *App) OpenKB(ctx context.Context, create bool) (*kb.KB, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.base != nil && a.base.CheckFile() == nil {
		return a.base, nil
	}
	if a.Config.Knowledge == nil {
		return nil, ErrNoKnowledge
	}
	base, err := a.Config.Knowledge(ctx, create)
	if err != nil {
		return nil, err
	}
	if a.base != nil {
		a.replaced = append(a.replaced, a.base) // running operations may still use it
	}
	a.base = base
	return base, nil
}

func (a *App) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, base := range append(a.replaced, a.base) {
		if base != nil {
			base.Close()
		}
	}
	a.base, a.replaced = nil, nil
}

// Explain formats an error and its next step on one line.
func (a *App) Explain(err error) string {
	if errors.Is(err, fault.Gone) {
		return "another process deleted this, and perhaps made it anew; nothing was written · " +
			"close this, and look at it again"
	}
	s := cells.OneLine(WithClocks(err.Error()), 300)
	if try := fault.Try(err, a.words); try != "" {
		s += " · " + cells.OneLine(try, 200)
	}
	return s
}

// WithMemory opens the memory as an agent, calls fn and closes it.
func (a *App) WithMemory(ctx context.Context, agent string, fn func(*memory.Store) error) error {
	if a.Memory == nil {
		return errors.New("there is no memory here")
	}
	s, err := a.Memory(ctx, agent)
	if err != nil {
		return err
	}
	return errors.Join(fn(s), s.Close())
}
