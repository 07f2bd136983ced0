package tui

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// The least size of a screen, in cells.
const (
	MinWidth  = 60
	MinHeight = 18
)

// page fills the screen, or is an overlay. Only update may change it.
type page interface {
	init() tea.Cmd
	update(tea.Msg) tea.Cmd
	// view returns as many lines of as many cells as setSize set. An overlay may return
	// fewer of both; its lines have the same width.
	view() []string
	setSize(w, h int)
	// title is the page's name in the header.
	title() string
	// actions are the current actions, most useful first.
	actions() actions
	// typing reports whether keys are text input now.
	typing() bool
	// close ends what the page has started.
	close()
}

// plain has the methods of most pages.
type plain struct{}

func (plain) init() tea.Cmd { return nil }
func (plain) typing() bool  { return false }
func (plain) close()        {}

// runPlace is a page about a run, as the status bar shows it.
type runPlace interface {
	run() string
	light() (word string, open bool) // the gate's state; "" if unknown
}

// leaver is a page that undoes something of its own before it closes, such as a filter or
// a view of the past. leave reports whether there was something.
type leaver interface{ leave() (tea.Cmd, bool) }

// resumer is a page that updates when it is on top again.
type resumer interface{ resume() tea.Cmd }

// catcher is a page that updates after each message while it is on top, since a part of
// it follows other parts.
type catcher interface{ catchUp() tea.Cmd }

// maxUndo is how many actions can be undone, one after the other.
const maxUndo = 50

// statusEvery is how often the status bar is updated.
const statusEvery = 10 * time.Second

// model is the whole program.
type model struct {
	app    *app
	pages  []page // the last one is on top
	overs  []page // above the pages; the last one has the keys
	w, h   int
	status Status
	notice noticeMsg
	undos  []*undo
	held   []tea.KeyMsg // keys that wait for an answer
	asked  int          // the number of the last status query
	title  string       // of the terminal
}

func newModel(a *app) *model {
	m := &model{app: a, pages: []page{newRunsPage(a)}, status: Status{Capsules: -1}}
	if a.Run != "" {
		m.pages = append(m.pages, newRunPage(a, a.Run))
	}
	return m
}

func (m *model) top() page { return m.pages[len(m.pages)-1] }

// focus returns the page or overlay with the keys.
func (m *model) focus() page {
	if len(m.overs) > 0 {
		return m.overs[len(m.overs)-1]
	}
	return m.top()
}

// Init starts the pages and the status bar.
func (m *model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.askStatus(false), m.app.awaitTurn()}
	for _, p := range m.pages {
		cmds = append(cmds, p.init())
	}
	return tea.Batch(cmds...)
}

func (m *model) askStatus(anew bool) tea.Cmd {
	if m.app.Status == nil {
		return nil
	}
	m.asked++
	asked := m.asked
	return m.app.ask(nil, func(ctx context.Context) func() tea.Cmd {
		status := m.app.Status(ctx, anew)
		return func() tea.Cmd { return m.statusAnswer(status, asked) }
	})
}

// statusAnswer updates the status bar, and schedules the next query: only one, however
// many were made.
func (m *model) statusAnswer(status Status, asked int) tea.Cmd {
	m.status = status
	if asked != m.asked {
		return nil
	}
	return m.app.after(statusEvery, nil, func() tea.Cmd { return m.askStatus(false) })
}

// Update passes a message to its receiver, and applies changes of the screen at once.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	return m, m.handleAll(msg)
}

func (m *model) handleAll(msg tea.Msg) tea.Cmd {
	cmds := []tea.Cmd{m.handle(msg)}
	for len(m.app.next) > 0 {
		next := m.app.next[0]
		m.app.next = m.app.next[1:]
		cmds = append(cmds, m.handle(next))
	}
	if top := m.top(); m.app.shown != top {
		m.app.shown = top
		if r, ok := top.(resumer); ok {
			cmds = append(cmds, r.resume())
		}
	}
	if s, ok := m.top().(catcher); ok {
		cmds = append(cmds, s.catchUp())
	}
	return tea.Batch(append(cmds, m.titled())...)
}

func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.FocusMsg, tea.BlurMsg:
		_, m.app.focused = msg.(tea.FocusMsg)
		return nil
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		m.resize()
		return m.broadcast(msg) // a larger page may need more data
	case tea.KeyMsg:
		return m.keyPresses(msg)
	case tea.MouseMsg:
		return m.mouse(msg)
	case pushMsg:
		m.pages = append(m.pages, msg.page)
		m.resize()
		return msg.page.init()
	case popMsg:
		if m.top() == msg.page {
			m.pop()
		}
		return nil
	case overlayMsg:
		m.overs = append(m.overs, msg.over)
		m.resize()
		return msg.over.init()
	case closeMsg:
		m.closeOver(msg.over)
		return nil
	case jumpMsg:
		return msg.do()
	case momentMsg:
		return m.toMoment(msg)
	case answer:
		switch {
		case msg.to == nil || m.shows(msg.to):
			return msg.take()
		case msg.drop != nil:
			msg.drop()
		}
		return nil
	case heldMsg:
		return m.release(msg)
	case noticeMsg:
		m.notice = msg
		return nil

	case editorMsg:
		m.app.screenAway()
		return tea.ExecProcess(msg.cmd, msg.done)
	case screenBackMsg:
		m.title = "" // must be set again
		return tea.Batch(m.app.screenBack(), m.handle(msg.then))
	case tea.ResumeMsg:
		m.title = ""
		return m.app.screenBack()
	case doneMsg:
		return m.done(msg)
	case contactMsg:
		return m.turned(msg)
	}
	return m.broadcast(msg)
}

// shows reports whether a page or overlay is open.
func (m *model) shows(p page) bool {
	return slices.Contains(m.pages, p) || slices.Contains(m.overs, p)
}

// broadcast passes a message to every page.
func (m *model) broadcast(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range m.pages {
		cmds = append(cmds, p.update(msg))
	}
	for _, o := range m.overs {
		cmds = append(cmds, o.update(msg))
	}
	return tea.Batch(cmds...)
}

// done handles the result of an action. After a success its form closes; else it stays
// with its values and shows the error.
func (m *model) done(msg doneMsg) tea.Cmd {
	var cmds []tea.Cmd
	if msg.form != nil && msg.form.tried != nil {
		cmds = append(cmds, msg.form.tried(msg.err))
	}
	if msg.err != nil {
		if msg.form == nil || !slices.Contains(m.overs, page(msg.form)) {
			m.notice = noticeMsg{err: msg.err}
		}
		return tea.Batch(append(cmds, m.broadcast(msg))...)
	}
	if msg.form != nil {
		m.closeOver(msg.form)
	}
	m.notice = noticeMsg{text: msg.text, good: true}
	if msg.undo != nil && msg.undo.do != nil {
		m.notice.text += " · u undoes it"
	}
	if msg.undo != nil {
		m.undos = append(m.undos, msg.undo)
		m.undos = m.undos[max(len(m.undos)-maxUndo, 0):]
	}
	cmds = append(cmds, m.broadcast(msg), m.askStatus(true))
	if msg.page != nil {
		cmds = append(cmds, m.app.push(msg.page))
	}
	return tea.Batch(cmds...)
}

func (m *model) closeOver(over page) {
	for i, o := range m.overs {
		if o == over {
			o.close()
			m.overs = append(m.overs[:i], m.overs[i+1:]...)
			return
		}
	}
}

// toMoment returns to the page of a run, at a moment of the past.
func (m *model) toMoment(msg momentMsg) tea.Cmd {
	for i := len(m.pages) - 1; i >= 0; i-- {
		run, ok := m.pages[i].(*runPage)
		if !ok || run.b != msg.b {
			continue
		}
		for len(m.pages) > i+1 {
			m.pop()
		}
		return run.goTo(msg.seq)
	}
	return nil
}

// pop closes the page on top, except for the first one.
func (m *model) pop() {
	if len(m.pages) > 1 {
		m.top().close()
		m.pages = m.pages[:len(m.pages)-1]
	}
}

// chrome is the number of lines of the header and the last two lines.
const chrome = 3

func (m *model) tooSmall() bool { return m.w < MinWidth || m.h < MinHeight }

func (m *model) resize() {
	if m.w == 0 || m.tooSmall() {
		return
	}
	for _, p := range m.pages {
		p.setSize(m.w, m.h-chrome)
	}
	for _, o := range m.overs {
		o.setSize(m.w, m.h-chrome)
	}
}
