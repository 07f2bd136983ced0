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
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/kb"
)

// app is what all pages share. It does not change while the program runs, but for the
// knowledge base, which is opened when it is first needed, and lastSearch, which only the
// search changes, in update.
type app struct {
	Config
	ctx context.Context // ends with the program
	// reads has a place for each of the larger readings that go on.
	reads chan struct{}
	st    *styles
	// still stands in tests: nothing is followed, nothing is asked again by the clock.
	still bool
	// clock is what boards go by instead of their own clock, which is the server's where
	// one has them; nil: that.
	clock func() time.Time

	out io.Writer // the terminal; nil: none
	// Only Update touches these.
	next    []tea.Msg // what the model does before anything else
	shown   page      // the page on top of the others
	focused bool      // the terminal says that the person looks at it
	holds   int       // answers that keys wait for

	lastSearch searchState // what the search was about when it was closed
	// a run shows the preview where it would not, and does not where it would
	previewOther bool
	lastAgent    string            // through whose eyes the memory was looked at
	lastReport   map[string]string // which report was chosen, by run

	contact contact
	away    error // what the server of the boards says, or the way to it; nil: it answers

	mu       sync.Mutex
	base     *kb.KB
	replaced []*kb.KB // that were there before the files of the knowledge base were replaced
}

func newApp(ctx context.Context, cfg Config) *app {
	clock := cfg.Now
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Renderer == nil {
		cfg.Renderer = lipgloss.NewRenderer(io.Discard)
	}
	a := &app{Config: cfg, clock: clock, st: newStyles(cfg.Renderer, cfg.Theme), lastReport: map[string]string{}, reads: make(chan struct{}, maxReads)}
	a.contact.turned = make(chan error, 1)
	a.ctx = board.OnContact(ctx, cfg.Boards, a.contact.told)
	return a
}

// setClock has a board go by the clock that replaces its own, if one does.
func (a *app) setClock(b *board.Board) {
	if a.clock != nil {
		b.SetNow(a.clock)
	}
}

// do makes a command of something that takes time. It ends early when the program does.
func (a *app) do(fn func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg { return fn(a.ctx) }
}

// answer is made in a command and taken in Update, where alone a page may be changed: if
// the page that it is for is still there, else it is dropped.
type answer struct {
	to   page // nil: the program
	take func() tea.Cmd
	drop func() // nil: there is nothing to do
}

// ask does something that takes time, and then what fn returns. Neither happens to a page
// that was left.
func (a *app) ask(to page, fn func(context.Context) (take func() tea.Cmd)) tea.Cmd {
	return a.do(func(ctx context.Context) tea.Msg { return answer{to: to, take: fn(ctx)} })
}

// maxReads is how many of the larger readings of a run go on at once: each takes a
// connection of its own, which holds some MB.
const maxReads = 2

// read is ask for what reads much of a run, and may wait for others of its kind.
func (a *app) read(to page, fn func(context.Context) (take func() tea.Cmd)) tea.Cmd {
	return a.ask(to, func(ctx context.Context) func() tea.Cmd {
		select {
		case a.reads <- struct{}{}:
			defer func() { <-a.reads }()
		case <-ctx.Done(): // fn says so
		}
		return fn(ctx)
	})
}

// after does something after a while.
func (a *app) after(d time.Duration, to page, take func() tea.Cmd) tea.Cmd {
	if a.still {
		return nil
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return answer{to: to, take: take} })
}

// latest is a question that is asked again and again. Only the last answer is taken, and
// what was asked before is called off.
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

// drop calls the question under way off.
func (l *latest) drop() {
	l.n++
	if l.stop != nil {
		l.stop()
	}
}

// blink is what makes a cursor blink; nothing in tests.
func (a *app) blink(cmd tea.Cmd) tea.Cmd {
	if a.still {
		return nil
	}
	return cmd
}

// once keeps something from being read while it is read already; what happens meanwhile
// makes it be read once more.
type once struct{ reading, again bool }

func (o *once) begin() bool {
	o.reading, o.again = true, o.reading
	return !o.again
}

// end reports whether it has to be read once more.
func (o *once) end() bool {
	o.reading = false
	return o.again
}

// errNoKnowledge is for a screen that was started without a knowledge base.
var errNoKnowledge = errors.New("there is no knowledge base here")

// knowledge is the knowledge base, opened once. The error says why there is none.
func (a *app) knowledge(ctx context.Context) (*kb.KB, error) { return a.openKnowledge(ctx, false) }

// openKnowledge is knowledge, but with create it is made if there is none.
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
		a.replaced = append(a.replaced, a.base) // what is under way with it may go on
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
	// popMsg leaves a page, if it is the one that is shown.
	popMsg struct{ page page }
	// heldMsg is an answer that keys have waited for.
	heldMsg struct{ msg tea.Msg }
	// overlayMsg lays something over the page.
	overlayMsg struct{ over page }
	// closeMsg takes an overlay away.
	closeMsg struct{ over page }
	// noticeMsg says something in the line of the keys, until the next key.
	noticeMsg struct {
		text string
		good bool // it is about something that was done
		err  error
	}
	// doneMsg is what an act came to. It reaches every page, so that each can look again
	// at what it shows.
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
	text string // what it would do: "reopen s3"; without do, why it cannot be done
	do   func(context.Context) (outcome, error)
}

// What changes the screen happens at once, before the next key is looked at, and not by a
// command that comes back later: who types fast types into what comes. These return no
// command, so that they can be returned like one.

// push shows a page above the others.
func (a *app) push(p page) tea.Cmd { return a.soon(pushMsg{p}) }

// pop leaves a page, if it is the one that is shown.
func (a *app) pop(p page) tea.Cmd { return a.soon(popMsg{p}) }

// overlay lays something over the page.
func (a *app) overlay(p page) tea.Cmd { return a.soon(overlayMsg{p}) }

// closeOver takes an overlay away.
func (a *app) closeOver(p page) tea.Cmd { return a.soon(closeMsg{p}) }

func (a *app) soon(msg tea.Msg) tea.Cmd {
	a.next = append(a.next, msg)
	return nil
}

// hold is do for what a key has to wait for, such as a form that needs to read something
// first: keys that are pressed meanwhile wait too. An error is said instead.
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

// noticeError says what went wrong. A program that ends interrupts what is under way:
// that is none.
func noticeError(err error) tea.Cmd {
	return func() tea.Msg {
		if err == nil || errors.Is(err, context.Canceled) {
			return nil
		}
		return noticeMsg{err: err}
	}
}

// copyText puts a text on the clipboard of whoever sits at the terminal. The terminal is
// asked to (OSC 52), which works over ssh too. It is one write, so it does not fall into
// the drawing of a screen.
func (a *app) copyText(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	return a.do(func(context.Context) tea.Msg {
		if a.out != nil {
			// whether the terminal did it cannot be known
			io.WriteString(a.out, ansi.SetSystemClipboard(text))
		}
		return noticeMsg{good: true, text: text + " copied, if the terminal lets programs do that"}
	})
}

// copyWhole copies a text that read gives, however long it is.
func (a *app) copyWhole(of string, read func(context.Context) (string, error)) tea.Cmd {
	return a.do(func(ctx context.Context) tea.Msg {
		text, err := read(ctx)
		if err != nil {
			return noticeMsg{err: err}
		}
		if text == "" {
			return noticeMsg{text: "there is no text to copy"}
		}
		if a.out != nil {
			io.WriteString(a.out, ansi.SetSystemClipboard(text))
		}
		n := plural(int64(utf8.RuneCountInString(text)), "character")
		said := fmt.Sprintf("the text of %s copied, %s, if the terminal lets programs do that", of, n)
		return noticeMsg{good: true, text: said}
	})
}

// explain is an error in one line, with its next step.
func (a *app) explain(err error) string {
	s := oneLine(withClocks(err.Error()), 300)
	if try := fault.Try(err, a.words); try != "" {
		s += " · " + oneLine(try, 200)
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
	// screenBackMsg says that the screen is ours again, and what is to be done then.
	screenBackMsg struct{ then tea.Msg }
)

// editFile shows a file in the editor, at a line if that is above 0. The screen is the
// editor's meanwhile.
func (a *app) editFile(path string, line int) tea.Cmd {
	cmd, err := a.editor(path, line)
	if err != nil {
		return noticeError(err)
	}
	return func() tea.Msg {
		return editorMsg{cmd, func(err error) tea.Msg { return screenBackMsg{noticeMsg{err: editorError(err)}} }}
	}
}

// editText has a text written in the editor, and gives done what was written; with an
// error nothing is to be kept, and it says where what was written still is. The file it
// is in meanwhile is only this user's. It is removed, but for one that an editor left
// which failed.
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

// writeTemporary writes a text into a new file that only this user may read.
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

// editorError says what an editor that failed means.
func editorError(err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == 127: // the shell's word for it
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

// What the terminal is asked for besides what Bubble Tea asks for: lines that turn out
// wider than we take them for, which terminals differ about with some emoji and scripts,
// are cut and do not move everything below them.
const (
	noWrap = "\x1b[?7l"
	doWrap = "\x1b[?7h"
)

// screenAway gives the terminal back for a while, or for good.
func (a *app) screenAway() {
	if a.out != nil {
		io.WriteString(a.out, doWrap+a.ofTitle(backTitle))
	}
}

// screenBack takes it again. Bubble Tea forgets the mouse.
func (a *app) screenBack() tea.Cmd {
	if a.out != nil {
		io.WriteString(a.out, noWrap+a.ofTitle(keepTitle))
	}
	return func() tea.Msg { return tea.EnableMouseCellMotion() }
}
