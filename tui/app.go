package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/tui/cells"
	"blackboard/tui/styles"
)

// app has what all pages share. It does not change while the program runs, except for the
// knowledge base, which is opened when first needed, and the fields that only Update
// changes.
type app struct {
	Config
	ctx context.Context // ends with the program
	// reads has a slot for each large read that may run at a time.
	reads chan struct{}
	st    *styles.Set
	// still is set in tests: nothing is followed or polled.
	still bool
	// clock replaces the boards' clock, which is the server's if there is one; nil: no
	// replacement.
	clock func() time.Time

	out io.Writer // the terminal; nil: none
	// Only Update uses the fields below.
	next    []tea.Msg // messages that the model handles first
	shown   page      // the page on top
	focused bool      // the terminal has the focus
	holds   int       // answers for which keys wait

	lastSearch searchState // the state of the last search
	// the preview is shown where it would not be, and the reverse
	previewOther bool
	lastAgent    string            // the agent as which the memory was last viewed
	lastReport   map[string]string // the chosen report of each run

	contact contact
	away    error // the error of the connection to the boards' server; nil: it answers

	mu       sync.Mutex
	base     *kb.KB
	replaced []*kb.KB // opened before the files of the knowledge base were replaced
}

func newApp(ctx context.Context, cfg Config) *app {
	clock := cfg.Now
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Renderer == nil {
		cfg.Renderer = lipgloss.NewRenderer(io.Discard)
	}
	a := &app{Config: cfg, clock: clock, st: styles.New(cfg.Renderer, cfg.Theme), lastReport: map[string]string{}, reads: make(chan struct{}, maxReads)}
	a.contact.turned = make(chan error, 1)
	a.ctx = board.OnContact(ctx, cfg.Boards, a.contact.told)
	return a
}

// setClock sets the clock of a board, if there is one.
func (a *app) setClock(b *board.Board) {
	if a.clock != nil {
		b.SetNow(a.clock)
	}
}

// do returns a command for a slow function. Its context ends with the program.
func (a *app) do(fn func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg { return fn(a.ctx) }
}

// answer is the result of a command. Update applies it, since only Update may change a
// page; if the page was closed, the answer is dropped.
type answer struct {
	to   page // nil: for the program
	take func() tea.Cmd
	drop func() // nil: no cleanup needed
}

// ask runs a slow function, and then applies what it returns. Neither affects a page that
// was closed.
func (a *app) ask(to page, fn func(context.Context) (take func() tea.Cmd)) tea.Cmd {
	return a.do(func(ctx context.Context) tea.Msg { return answer{to: to, take: fn(ctx)} })
}

// maxReads is how many large reads of a run are in progress at a time. Each uses a
// connection, which takes some MB.
const maxReads = 2

// read is ask for large reads, which may wait for each other.
func (a *app) read(to page, fn func(context.Context) (take func() tea.Cmd)) tea.Cmd {
	return a.ask(to, func(ctx context.Context) func() tea.Cmd {
		select {
		case a.reads <- struct{}{}:
			defer func() { <-a.reads }()
		case <-ctx.Done(): // fn returns the error
		}
		return fn(ctx)
	})
}

// after runs a function after a delay.
func (a *app) after(d time.Duration, to page, take func() tea.Cmd) tea.Cmd {
	if a.still {
		return nil
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return answer{to: to, take: take} })
}

// latest is a query that is repeated. A new one cancels the one before, and only the last
// answer is used.
type latest struct {
	n    int
	stop context.CancelFunc
}

func (l *latest) ask(a *app, to page, fn func(context.Context) (take func() tea.Cmd)) tea.Cmd {
	l.drop()
	ctx, stop := context.WithCancel(a.ctx)
	n := l.n
	l.stop = stop
	return func() tea.Msg {
		defer stop()
		take := fn(ctx)
		return answer{to: to, take: func() tea.Cmd {
			if n != l.n {
				return nil
			}
			return take()
		}}
	}
}

// drop cancels the current query.
func (l *latest) drop() {
	l.n++
	if l.stop != nil {
		l.stop()
	}
}

// blink returns the command that makes a cursor blink; nil in tests.
func (a *app) blink(cmd tea.Cmd) tea.Cmd {
	if a.still {
		return nil
	}
	return cmd
}

// once prevents concurrent reads of the same thing. A request during a read starts
// another one afterwards.
type once struct{ reading, again bool }

func (o *once) begin() bool {
	o.reading, o.again = true, o.reading
	return !o.again
}

// end reports whether another read was requested.
func (o *once) end() bool {
	o.reading = false
	return o.again
}

// errNoKnowledge is the error without a knowledge base.
var errNoKnowledge = errors.New("there is no knowledge base here")

// knowledge opens the knowledge base once and returns it.
func (a *app) knowledge(ctx context.Context) (*kb.KB, error) { return a.openKnowledge(ctx, false) }

// openKnowledge is knowledge; with create it creates a missing one.
func (a *app) openKnowledge(ctx context.Context, create bool) (*kb.KB, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.base != nil && a.base.CheckFile() == nil {
		return a.base, nil
	}
	if a.Config.Knowledge == nil {
		return nil, errNoKnowledge
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

func (a *app) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, base := range append(a.replaced, a.base) {
		if base != nil {
			base.Close()
		}
	}
	a.base, a.replaced = nil, nil
}

// Messages to the model.
type (
	// pushMsg shows a page above the others.
	pushMsg struct{ page page }
	// popMsg closes a page if it is on top.
	popMsg struct{ page page }
	// heldMsg is an answer for which keys have waited.
	heldMsg struct{ msg tea.Msg }
	// overlayMsg shows an overlay above the page.
	overlayMsg struct{ over page }
	// closeMsg closes an overlay.
	closeMsg struct{ over page }
	// noticeMsg shows a notice in the line of the keys, until the next key.
	noticeMsg struct {
		text string
		good bool // an action has succeeded
		err  error
	}
	// doneMsg is the result of an action. It goes to every page, so that each can update.
	doneMsg struct {
		form *form // the form of the action; nil: none
		outcome
		err error
	}
)

// outcome is the result of an action.
type outcome struct {
	text string // short, for the notice
	undo *undo  // how to undo it; nil: impossible
	page page   // a page to show now; nil: none
	kind changed
}

// changed is what an action changed, for the pages that show it.
type changed int

const (
	changedNothing changed = iota
	changedRun
	changedKnowledge
	changedMemory
)

// undo reverts an action.
type undo struct {
	text string // what it does: "reopen s3"; without do, the reason why it is impossible
	do   func(context.Context) (outcome, error)
}

// These change the screen at once, before the next key, and not by a command that returns
// later: the keys of a fast typist must reach the new page. They return no command, so
// that callers can return the call.

// push shows a page above the others.
func (a *app) push(p page) tea.Cmd { return a.soon(pushMsg{p}) }

// pop closes a page if it is on top.
func (a *app) pop(p page) tea.Cmd { return a.soon(popMsg{p}) }

// overlay lays something over the page.
func (a *app) overlay(p page) tea.Cmd { return a.soon(overlayMsg{p}) }

// closeOver closes an overlay.
func (a *app) closeOver(p page) tea.Cmd { return a.soon(closeMsg{p}) }

func (a *app) soon(msg tea.Msg) tea.Cmd {
	a.next = append(a.next, msg)
	return nil
}

// hold is do for something that keys must wait for, such as a form that needs to read
// first. Keys are queued meanwhile. An error is shown as a notice.
func (a *app) hold(fn func(context.Context) (tea.Msg, error)) tea.Cmd {
	a.holds++
	return a.do(func(ctx context.Context) tea.Msg {
		msg, err := fn(ctx)
		if err != nil {
			msg = noticeMsg{err: err}
		}
		return heldMsg{msg}
	})
}

func notice(text string) tea.Cmd { return func() tea.Msg { return noticeMsg{text: text} } }

// noticeError shows an error. Errors from cancellation at the program's end are ignored.
func noticeError(err error) tea.Cmd {
	return func() tea.Msg {
		if err == nil || errors.Is(err, context.Canceled) {
			return nil
		}
		return noticeMsg{err: err}
	}
}

// copyText copies a text to the clipboard of the terminal's user. It asks the terminal to
// do so (OSC 52), which also works over ssh. A single write cannot mix with the drawing
// of the screen.
func (a *app) copyText(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	return a.do(func(context.Context) tea.Msg {
		return noticeMsg{good: true, text: text + " copied" + a.copied(text)}
	})
}

// copied copies a text, and returns what is unsure about it: the terminal does not tell
// whether it did.
func (a *app) copied(text string) (unsure string) {
	if a.Clipboard != nil {
		cmd := a.Clipboard()
		cmd.Stdin = strings.NewReader(text)
		if cmd.Run() == nil {
			return ""
		}
	}
	if a.out != nil {
		io.WriteString(a.out, ansi.SetSystemClipboard(text))
	}
	return ", if the terminal lets programs do that"
}

// copyWhole copies the text that read returns, however long.
func (a *app) copyWhole(of string, read func(context.Context) (string, error)) tea.Cmd {
	return a.do(func(ctx context.Context) tea.Msg {
		text, err := read(ctx)
		if err != nil {
			return noticeMsg{err: err}
		}
		if text == "" {
			return noticeMsg{text: "there is no text to copy"}
		}
		n := cells.Plural(int64(utf8.RuneCountInString(text)), "character")
		said := fmt.Sprintf("the text of %s copied, %s", of, n)
		return noticeMsg{good: true, text: said + a.copied(text)}
	})
}

// explain formats an error and its next step on one line.
func (a *app) explain(err error) string {
	s := cells.OneLine(withClocks(err.Error()), 300)
	if try := fault.Try(err, a.words); try != "" {
		s += " · " + cells.OneLine(try, 200)
	}
	return s
}

// Messages about the editor.
type (
	// editorMsg gives the screen to an editor.
	editorMsg struct {
		cmd  *exec.Cmd
		done func(error) tea.Msg
	}
	// screenBackMsg reports that the editor has returned the screen, with the message to
	// handle then.
	screenBackMsg struct{ then tea.Msg }
)

// editFile opens a file in the editor, at a line if that is above 0. The editor has the
// screen meanwhile.
func (a *app) editFile(path string, line int) tea.Cmd {
	cmd, err := a.editor(path, line)
	if err != nil {
		return noticeError(err)
	}
	return func() tea.Msg {
		return editorMsg{cmd, func(err error) tea.Msg { return screenBackMsg{noticeMsg{err: editorError(err)}} }}
	}
}

// editText opens a text in the editor and passes the result to done. With an error,
// nothing may be saved, and the message names the file that has the text. Only this user
// can read the temporary file. It is deleted, unless an editor failed after writing it.
func (a *app) editText(to page, text, suffix string, done func(text string, err error) tea.Cmd) tea.Cmd {
	return a.do(func(context.Context) tea.Msg {
		path, err := writeTemporary(text, suffix)
		if err != nil {
			return noticeMsg{err: err}
		}
		cmd, err := a.editor(path, 0)
		if err != nil {
			os.Remove(path)
			return noticeMsg{err: err}
		}
		return editorMsg{cmd, func(err error) tea.Msg {
			data, readErr := os.ReadFile(path)
			if err = editorError(err); err == nil {
				err = readErr
			}
			if err != nil && readErr == nil && string(data) != text {
				err = fmt.Errorf("%w; nothing is saved, and what was written is in %s", err, path)
			} else {
				os.Remove(path)
			}
			return screenBackMsg{answer{to: to, take: func() tea.Cmd { return done(string(data), err) }}}
		}}
	})
}

// writeTemporary writes a text to a new file that only this user can read.
func writeTemporary(text, suffix string) (string, error) {
	f, err := os.CreateTemp("", "board-*"+suffix) // mode 0600
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// editorError explains the failure of an editor.
func editorError(err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == 127: // the shell's code for it
		return errors.New("the editor was not found · set $VISUAL or $EDITOR to one that is installed")
	default:
		return fmt.Errorf("the editor ended with an error, and nothing is changed: %w", err)
	}
}

func (a *app) editor(path string, line int) (*exec.Cmd, error) {
	if a.Config.Editor == nil {
		return nil, errors.New("no editor is known · set $VISUAL or $EDITOR to one")
	}
	return a.Config.Editor(path, line)
}

// Additional terminal modes. Without line wrapping, a line that the terminal draws wider
// than expected is cut and does not shift the lines below. Terminals differ about the
// width of some emoji and scripts.
const (
	noWrap = "\x1b[?7l"
	doWrap = "\x1b[?7h"
)

// screenAway releases the terminal, for a while or for good.
func (a *app) screenAway() {
	if a.out != nil {
		io.WriteString(a.out, doWrap+a.ofTitle(backTitle))
	}
}

// screenBack takes the terminal again. Bubble Tea does not enable the mouse again.
func (a *app) screenBack() tea.Cmd {
	if a.out != nil {
		io.WriteString(a.out, noWrap+a.ofTitle(keepTitle))
	}
	return func() tea.Msg { return tea.EnableMouseCellMotion() }
}
