package tui

import (
	"context"
	"errors"
	"slices"
	"time"

	"blackboard/board/fault"
	"blackboard/tui/page"
	"blackboard/tui/runs"

	tea "github.com/charmbracelet/bubbletea"
)

// maxUndo is how many actions can be undone, one after the other.
const maxUndo = 50

const statusInterval = 10 * time.Second

type model struct {
	app    *page.App
	pages  []page.Page // the last one is on top
	overs  []page.Page // above the pages; the last one has the keys
	w, h   int
	status page.Status
	notice page.NoticeMsg
	undos  []*page.Undo
	held   []tea.KeyMsg // keys that wait for an answer
	asked  int          // the number of the last status query
	title  string       // of the terminal
}

func newModel(a *page.App) *model {
	a.Open = openersOf(a)
	m := &model{app: a, pages: []page.Page{runs.NewList(a)}, status: page.Status{Capsules: -1}}
	if a.Run != "" {
		m.pages = append(m.pages, runs.New(a, a.Run))
	}
	return m
}

func (m *model) top() page.Page { return m.pages[len(m.pages)-1] }

func (m *model) focus() page.Page {
	if len(m.overs) > 0 {
		return m.overs[len(m.overs)-1]
	}
	return m.top()
}

func (m *model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.askStatus(false), m.app.AwaitTurn()}
	for _, p := range m.pages {
		cmds = append(cmds, p.Init())
	}
	return tea.Batch(cmds...)
}

func (m *model) askStatus(anew bool) tea.Cmd {
	if m.app.Status == nil {
		return nil
	}
	m.asked++
	asked := m.asked
	return m.app.Ask(nil, func(ctx context.Context) func() tea.Cmd {
		status := m.app.Status(ctx, anew)
		return func() tea.Cmd { return m.takeStatus(status, asked) }
	})
}

// takeStatus updates the status bar, and schedules one next query, however many were made.
func (m *model) takeStatus(status page.Status, asked int) tea.Cmd {
	m.status = status
	if asked != m.asked {
		return nil
	}
	return m.app.After(statusInterval, nil, func() tea.Cmd { return m.askStatus(false) })
}

// Update passes a message to its receiver, and applies changes of the screen at once.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	return m, m.handleAll(msg)
}

func (m *model) handleAll(msg tea.Msg) tea.Cmd {
	cmds := []tea.Cmd{m.handle(msg)}
	for len(m.app.Next) > 0 {
		next := m.app.Next[0]
		m.app.Next = m.app.Next[1:]
		cmds = append(cmds, m.handle(next))
	}
	if top := m.top(); m.app.Shown != top {
		m.app.Shown = top
		if r, ok := top.(page.Resumer); ok {
			cmds = append(cmds, r.Resume())
		}
	}
	if s, ok := m.top().(page.Catcher); ok {
		cmds = append(cmds, s.CatchUp())
	}
	return tea.Batch(append(cmds, m.setTitle())...)
}

func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		m.resize()
		return m.broadcast(msg) // a larger page may need more data
	case tea.KeyMsg:
		return m.handleKeys(msg)
	case page.PushMsg:
		m.pages = append(m.pages, msg.Page)
		m.resize()
		return msg.Page.Init()
	case page.OverlayMsg:
		m.overs = append(m.overs, msg.Over)
		m.resize()
		return msg.Over.Init()
	case page.CloseMsg:
		if m.closeOver(msg.Over); m.top() == msg.Over {
			m.pop()
		}
		return nil
	case page.Answer:
		switch {
		case msg.To == nil || slices.Contains(m.pages, msg.To) || slices.Contains(m.overs, msg.To):
			return msg.Take()
		case msg.Drop != nil:
			msg.Drop()
		}
		return nil
	case page.HeldMsg:
		return m.release(msg)
	case page.NoticeMsg:
		m.notice = msg
		return nil

	case page.EditorMsg:
		m.app.RestoreTerminal()
		return tea.ExecProcess(msg.Cmd, msg.Done)
	case page.ScreenBackMsg:
		m.title = "" // must be set again
		m.app.SetupTerminal()
		return m.handle(msg.Then)
	case tea.ResumeMsg:
		m.title = ""
		m.app.SetupTerminal()
		return nil
	case page.DoneMsg:
		return m.handleDone(msg)
	case page.ContactMsg:
		return m.handleContact(msg)
	}
	return m.broadcast(msg)
}

func (m *model) broadcast(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range m.pages {
		cmds = append(cmds, p.Update(msg))
	}
	for _, o := range m.overs {
		cmds = append(cmds, o.Update(msg))
	}
	return tea.Batch(cmds...)
}

// handleDone handles the result of an action. After a success its form closes; else it stays
// with its values and shows the error.
func (m *model) handleDone(msg page.DoneMsg) tea.Cmd {
	var cmds []tea.Cmd
	if msg.Form != nil && msg.Form.Tried != nil {
		cmds = append(cmds, msg.Form.Tried(msg.Err))
	}
	if msg.Err != nil {
		if msg.Form == nil || !slices.Contains(m.overs, page.Page(msg.Form)) {
			m.notice = page.NoticeMsg{Err: msg.Err}
		}
		return tea.Batch(append(cmds, m.broadcast(msg))...)
	}
	if msg.Form != nil {
		m.closeOver(msg.Form)
	}
	m.notice = page.NoticeMsg{Text: msg.Text, Good: true}
	if msg.Undo != nil && msg.Undo.Do != nil {
		m.notice.Text += " · u undoes it"
	}
	if msg.Undo != nil {
		m.undos = append(m.undos, msg.Undo)
		m.undos = m.undos[max(len(m.undos)-maxUndo, 0):]
	}
	cmds = append(cmds, m.broadcast(msg), m.askStatus(true))
	return tea.Batch(cmds...)
}

func (m *model) closeOver(over page.Page) {
	for i, o := range m.overs {
		if o == over {
			o.Close()
			m.overs = append(m.overs[:i], m.overs[i+1:]...)
			return
		}
	}
}

// pop closes the page on top, except for the first one.
func (m *model) pop() {
	if len(m.pages) > 1 {
		m.top().Close()
		m.pages = m.pages[:len(m.pages)-1]
	}
}

// chrome is the number of lines of the header and the last two lines.
const chrome = 3

func (m *model) isTooSmall() bool { return m.w < page.MinWidth || m.h < page.MinHeight }

func (m *model) resize() {
	if m.w == 0 || m.isTooSmall() {
		return
	}
	for _, p := range m.pages {
		p.SetSize(m.w, m.h-chrome)
	}
	for _, o := range m.overs {
		o.SetSize(m.w, m.h-chrome)
	}
}

// handleContact shows that the server is away. Once back, every page reads its data again.
func (m *model) handleContact(msg page.ContactMsg) tea.Cmd {
	m.app.Away = msg.Away
	cmds := []tea.Cmd{m.app.AwaitTurn(), m.broadcast(msg)}
	if msg.Away != nil {
		return tea.Batch(cmds...)
	}
	if errors.Is(m.notice.Err, fault.Away) {
		m.notice = page.NoticeMsg{}
	}
	for _, kind := range []page.Changed{page.ChangedRun, page.ChangedKnowledge,
		page.ChangedMemory} {
		cmds = append(cmds, m.broadcast(page.DoneMsg{Outcome: page.Outcome{Kind: kind}}))
	}
	return tea.Batch(append(cmds, m.askStatus(true))...)
}
