package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"blackboard/kb"
)

// app is what all pages share. It does not change while the program runs, but for the knowledge base, which is opened when it is first needed,
// and lastSearch, which only the search changes, in update.
type app struct {
	Config
	ctx  context.Context // ends with the program
	st   *styles
	keys keyMap
	// still stands in tests: nothing is followed, nothing is asked again by the clock.
	still bool

	out io.Writer // the terminal; nil: none

	lastSearch searchState // what the search was about when it was closed

	mu   sync.Mutex
	base *kb.KB
}

func newApp(ctx context.Context, cfg Config) *app {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Renderer == nil {
		cfg.Renderer = lipgloss.NewRenderer(io.Discard)
	}
	return &app{Config: cfg, ctx: ctx, st: newStyles(cfg.Renderer), keys: newKeyMap()}
}

// do makes a command of something that takes time. It ends early when the program does.
func (a *app) do(fn func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg { return fn(a.ctx) }
}

// after gives a message after a while.
func (a *app) after(d time.Duration, msg tea.Msg) tea.Cmd {
	if a.still {
		return nil
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

// knowledge is the knowledge base, opened once. The error says why there is none.
func (a *app) knowledge(ctx context.Context) (*kb.KB, error) { return a.openKnowledge(ctx, false) }

// knowledgeToWrite is the knowledge base, made if there is none.
func (a *app) knowledgeToWrite(ctx context.Context) (*kb.KB, error) {
	return a.openKnowledge(ctx, true)
}

func (a *app) openKnowledge(ctx context.Context, create bool) (*kb.KB, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.base != nil {
		return a.base, nil
	}
	if a.Config.Knowledge == nil {
		return nil, errors.New("there is no knowledge base here")
	}
	base, err := a.Config.Knowledge(ctx, create)
	if err != nil {
		return nil, err
	}
	a.base = base
	return base, nil
}

func (a *app) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.base != nil {
		a.base.Close()
		a.base = nil
	}
}

// Messages to the model.
type (
	// pushMsg shows a page above the others.
	pushMsg struct{ page page }
	// popMsg leaves the page that is shown.
	popMsg struct{}
	// overlayMsg lays something over the page.
	overlayMsg struct{ over page }
	// closeMsg takes an overlay away.
	closeMsg struct{ over page }
	// noticeMsg says something in the line of the keys, until the next key.
	noticeMsg struct {
		text string
		err  error
	}
	// copyMsg puts a text on the clipboard.
	copyMsg struct{ text string }
	// doneMsg is what an act came to. It reaches every page, so that each can look again at what it shows.
	doneMsg struct {
		form *form // which asked for it; nil: none
		outcome
		err error
	}
)

// outcome is what an act came to.
type outcome struct {
	text string // in a few words, for the notice
	undo *undo  // how to take it back; nil: it cannot be
	page page   // to be shown now; nil: none
	kind changed
}

// changed says what an act changed, for the pages that show it.
type changed int

const (
	changedNothing changed = iota
	changedRun
	changedKnowledge
	changedMemory
)

// undo takes an act back.
type undo struct {
	text string // what it would do: "reopen s3"
	do   func(context.Context) (outcome, error)
}

func push(p page) tea.Cmd        { return func() tea.Msg { return pushMsg{p} } }
func overlay(p page) tea.Cmd     { return func() tea.Msg { return overlayMsg{p} } }
func closeOver(p page) tea.Cmd   { return func() tea.Msg { return closeMsg{p} } }
func notice(text string) tea.Cmd { return func() tea.Msg { return noticeMsg{text: text} } }

// noticeError says what went wrong. A program that ends interrupts what is under way: that is none.
func noticeError(err error) tea.Cmd {
	return func() tea.Msg {
		if err == nil || errors.Is(err, context.Canceled) {
			return nil
		}
		return noticeMsg{err: err}
	}
}

// copyText puts a text on the clipboard of whoever sits at the terminal.
func copyText(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	return func() tea.Msg { return copyMsg{text} }
}

// copyOut asks the terminal to do so (OSC 52), which works over ssh too. It is one write, so it does not fall into the drawing of a screen.
func (a *app) copyOut(text string) tea.Cmd {
	return a.do(func(context.Context) tea.Msg {
		if a.out != nil {
			io.WriteString(a.out, ansi.SetSystemClipboard(text)) // whether the terminal did it cannot be known
		}
		return nil
	})
}

// explain is an error in one line, with its next step.
func explain(err error) string {
	s := oneLine(err.Error(), 300)
	var hint interface{ Try() string }
	if errors.As(err, &hint) && hint.Try() != "" {
		s += " · " + oneLine(hint.Try(), 200)
	}
	return s
}

// editedMsg says that the editor was closed.
type editedMsg struct {
	from any // who asked
	text string
	err  error
}

// editFile shows a file in the editor, at a line if that is above 0. The screen is the editor's meanwhile.
func (a *app) editFile(path string, line int) tea.Cmd {
	cmd, err := a.editor(path, line)
	if err != nil {
		return noticeError(err)
	}
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		if err != nil {
			return noticeMsg{err: fmt.Errorf("the editor %s: %w", cmd.Path, err)}
		}
		return nil
	})
}

// editText has a text written in the editor, and tells from of it in an editedMsg. The file it is in meanwhile is only this user's, and is removed.
func (a *app) editText(from any, text, suffix string) tea.Cmd {
	f, err := os.CreateTemp("", "board-*"+suffix) // mode 0600
	if err != nil {
		return noticeError(err)
	}
	path := f.Name()
	_, err = f.WriteString(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(path)
		return noticeError(err)
	}
	cmd, err := a.editor(path, 0)
	if err != nil {
		os.Remove(path)
		return noticeError(err)
	}
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.Remove(path)
		if err != nil {
			return editedMsg{from: from, err: fmt.Errorf("the editor %s: %w", cmd.Path, err)}
		}
		data, err := os.ReadFile(path)
		return editedMsg{from: from, text: string(data), err: err}
	})
}

func (a *app) editor(path string, line int) (*exec.Cmd, error) {
	if a.Config.Editor == nil {
		return nil, errors.New("no editor is known · set $EDITOR")
	}
	return a.Config.Editor(path, line)
}
