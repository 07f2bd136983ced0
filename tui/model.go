package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// The least screen that the pages are made for, in cells.
const (
	MinWidth  = 60
	MinHeight = 18
)

// page is what fills the screen, or lies over it. It is changed by update alone.
type page interface {
	init() tea.Cmd
	update(tea.Msg) tea.Cmd
	// view is as many lines as setSize said, each of as many cells; an overlay may give fewer of both, all lines of the same width.
	view() []string
	setSize(w, h int)
	// title is its name in the header.
	title() string
	// bindings are the keys that it answers to now, the most useful first.
	bindings() []key.Binding
	// typing says that keys are text just now, not commands.
	typing() bool
	// close ends what it has under way.
	close()
}

// runPlace is a page about a run: what the status bar says of it.
type runPlace interface {
	run() string
	light() (word string, open bool) // the gate's light, "" if it is not known yet
}

// leaver is a page that has something of its own to leave before it is left itself: a filter, the past. leave reports whether there was something.
type leaver interface{ leave() (tea.Cmd, bool) }

// resumer is a page that has something to do when it is on top again.
type resumer interface{ resume() tea.Cmd }

// maxUndo is how many acts can be taken back, one after the other.
const maxUndo = 50

// statusEvery is how often the status bar asks what it shows.
const statusEvery = 5 * time.Second

// model is the whole program.
type model struct {
	app    *app
	pages  []page // the last one is shown
	overs  []page // above it; the last one has the keys
	w, h   int
	status Status
	notice noticeMsg
	undos  []*undo
	held   []tea.KeyMsg // keys that wait for an answer
	asked  int          // the number of the last question about the status
}

type statusMsg struct {
	Status
	asked int
}

func newModel(a *app) *model {
	m := &model{app: a, pages: []page{newRunsPage(a)}, status: Status{Capsules: -1}}
	if a.Run != "" {
		m.pages = append(m.pages, newRunPage(a, a.Run))
	}
	return m
}

func (m *model) top() page { return m.pages[len(m.pages)-1] }

// focus is who has the keys.
func (m *model) focus() page {
	if len(m.overs) > 0 {
		return m.overs[len(m.overs)-1]
	}
	return m.top()
}

// Init starts the pages and the status bar.
func (m *model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.askStatus()}
	for _, p := range m.pages {
		cmds = append(cmds, p.init())
	}
	return tea.Batch(cmds...)
}

func (m *model) askStatus() tea.Cmd {
	if m.app.Status == nil {
		return nil
	}
	m.asked++
	asked := m.asked
	return m.app.do(func(ctx context.Context) tea.Msg { return statusMsg{m.app.Status(ctx), asked} })
}

// statusAnswer shows how things stand, and asks again after a while: once, however often it was asked.
func (m *model) statusAnswer(msg statusMsg) tea.Cmd {
	m.status = msg.Status
	if msg.asked != m.asked {
		return nil
	}
	return m.app.after(statusEvery, askStatusMsg{})
}

// Update hands a message to whom it is for, and does at once what that asks of the screen.
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
	return tea.Batch(cmds...)
}

func (m *model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		m.resize()
		return m.broadcast(msg) // a page that has more room now may have to read more
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
			return m.pop()
		}
		return nil
	case overlayMsg:
		m.overs = append(m.overs, msg.over)
		m.resize()
		return msg.over.init()
	case closeMsg:
		m.closeOver(msg.over)
		return nil
	case momentMsg:
		return m.toMoment(msg)
	case heldMsg:
		return m.release(msg)
	case noticeMsg:
		m.notice = msg
		return nil
	case openFileMsg:
		return m.app.editFile(msg.path, msg.line)
	case copyMsg:
		m.notice = noticeMsg{good: true, text: msg.text + " copied, if the terminal lets programs do that"}
		return m.app.copyOut(msg.text)
	case editorMsg:
		m.app.screenAway()
		return tea.ExecProcess(msg.cmd, msg.done)
	case screenBackMsg:
		m.notice = noticeMsg{err: msg.err}
		return m.app.screenBack()
	case tea.ResumeMsg:
		return m.app.screenBack()
	case editedMsg:
		return tea.Batch(m.app.screenBack(), m.broadcast(msg))
	case statusMsg:
		return m.statusAnswer(msg)
	case askStatusMsg:
		return m.askStatus()
	case doneMsg:
		return m.done(msg)
	case openedMsg:
		if !m.shows(msg.from) { // it was left meanwhile: nobody takes the board
			msg.drop()
			return nil
		}
	case runsAgainMsg:
		if m.top() != page(msg.from) { // nobody looks at it
			return m.app.after(runsEvery, msg)
		}
	}
	return m.broadcast(msg)
}

// shows reports whether a page is among those of the stack.
func (m *model) shows(p page) bool { return slices.Contains(m.pages, p) }

type askStatusMsg struct{}

// broadcast gives a message to every page; each takes its own.
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

// done ends an act: its form goes if it succeeded, else it stays with what was typed, and says what is wrong.
func (m *model) done(msg doneMsg) tea.Cmd {
	if msg.form != nil && msg.form.tried != nil {
		msg.form.tried()
	}
	if msg.err != nil {
		if msg.form == nil || !slices.Contains(m.overs, page(msg.form)) {
			m.notice = noticeMsg{err: msg.err}
		}
		return m.broadcast(msg)
	}
	if msg.form != nil {
		m.closeOver(msg.form)
	}
	m.notice = noticeMsg{text: msg.text, good: true}
	if msg.undo != nil && msg.undo.do != nil {
		m.notice.text += " · u takes it back"
	}
	if msg.undo != nil {
		m.undos = append(m.undos, msg.undo)
		m.undos = m.undos[max(len(m.undos)-maxUndo, 0):]
	}
	cmds := []tea.Cmd{m.broadcast(msg), m.askStatus()}
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

// toMoment goes back to the page of a run, and there to a moment of the past.
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

func (m *model) pop() tea.Cmd {
	if len(m.pages) == 1 {
		return nil
	}
	m.top().close()
	m.pages = m.pages[:len(m.pages)-1]
	return nil
}

// keyPresses takes keys that arrived together, as they do when a key is held down over a slow line, one after the other; what follows a key that asks for text is
// text. Keys that come while an answer is waited for wait as well.
func (m *model) keyPresses(msg tea.KeyMsg) tea.Cmd {
	if m.app.holds > 0 && !key.Matches(msg, m.app.keys.leave) {
		m.held = append(m.held, msg)
		return nil
	}
	if msg.Type != tea.KeyRunes || len(msg.Runes) < 2 || m.focus().typing() {
		return m.key(msg)
	}
	if msg.Paste {
		return nil // nobody means a text that is pasted as commands
	}
	first, rest := msg, msg
	first.Runes, rest.Runes = msg.Runes[:1], msg.Runes[1:]
	return tea.Batch(m.handleAll(first), m.handleAll(rest))
}

// release takes an answer that keys have waited for, and then the keys.
func (m *model) release(msg heldMsg) tea.Cmd {
	m.app.holds--
	cmds := []tea.Cmd{m.handleAll(msg.msg)}
	for m.app.holds == 0 && len(m.held) > 0 {
		next := m.held[0]
		m.held = m.held[1:]
		cmds = append(cmds, m.handleAll(next))
	}
	return tea.Batch(cmds...)
}

func (m *model) key(msg tea.KeyMsg) tea.Cmd {
	k, focus := &m.app.keys, m.focus()
	m.notice = noticeMsg{}
	switch {
	case key.Matches(msg, k.leave):
		return tea.Quit
	case key.Matches(msg, k.suspend):
		m.app.screenAway()
		return tea.Suspend
	case key.Matches(msg, k.redraw):
		return tea.ClearScreen
	case m.tooSmall():
		return nil // nobody sees what a key would do
	case focus.typing():
		return focus.update(msg)
	case key.Matches(msg, k.help):
		return m.app.overlay(newHelp(m.app, m.top().title(), focus.bindings()))
	case len(m.overs) > 0:
		return focus.update(msg)
	case key.Matches(msg, k.search):
		_, cmd := m.Update(overlayMsg{newSearch(m.app)}) // at once: the next key is text already
		return cmd
	case key.Matches(msg, k.memory):
		if _, there := m.top().(*memoryPage); there {
			return nil
		}
		return m.app.push(newMemoryPage(m.app))
	case key.Matches(msg, k.undo):
		return m.undo()
	case key.Matches(msg, k.quit), key.Matches(msg, k.back):
		return m.back(msg)
	}
	return focus.update(msg)
}

// back leaves the page, after it had its chance: a page may have something of its own to leave first, such as a filter.
func (m *model) back(msg tea.KeyMsg) tea.Cmd {
	if l, ok := m.top().(leaver); ok {
		if cmd, left := l.leave(); left {
			return cmd
		}
	}
	if len(m.pages) > 1 {
		return m.pop()
	}
	if key.Matches(msg, m.app.keys.quit) {
		return tea.Quit
	}
	return notice("q leaves the program")
}

// undo asks whether the last act shall be taken back.
func (m *model) undo() tea.Cmd {
	if len(m.undos) == 0 {
		return notice("nothing was done yet that could be taken back")
	}
	last := m.undos[len(m.undos)-1]
	forget := func() { m.undos = slices.DeleteFunc(m.undos, func(u *undo) bool { return u == last }) }
	if last.do == nil {
		forget() // the next key is about what was done before
		return notice(last.text)
	}
	f := newForm(m.app, form{heading: "Undo", intro: []string{strings.ToUpper(last.text[:1]) + last.text[1:] + "?"}, button: "undo", submit: func(ctx context.Context, _ values) (outcome, error) {
		return last.do(ctx)
	}})
	f.tried = forget // what cannot be taken back is not in the way of the others
	return m.app.overlay(f)
}

func (m *model) mouse(msg tea.MouseMsg) tea.Cmd {
	if m.tooSmall() {
		return nil
	}
	if len(m.overs) > 0 {
		over := m.focus()
		x, y := m.placeOf(over.view())
		msg.X, msg.Y = msg.X-x, msg.Y-y
		return over.update(msg)
	}
	msg.Y-- // the header
	if msg.Y < 0 || msg.Y >= m.h-chrome {
		return nil
	}
	return m.top().update(msg)
}

// chrome is how many lines the header and the last two lines take.
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

// placeOf is where an overlay lies: in the middle.
func (m *model) placeOf(box []string) (x, y int) {
	if len(box) == 0 {
		return 0, 0
	}
	return (m.w - width(box[0])) / 2, 1 + (m.h-chrome-len(box))/2
}

// View is the whole screen.
func (m *model) View() string {
	if m.w == 0 {
		return "" // the size is not known yet
	}
	if m.tooSmall() {
		word := fmt.Sprintf("This needs %d×%d cells; here are %d×%d. Make the window larger; ctrl+c leaves.", MinWidth, MinHeight, m.w, m.h)
		return strings.Join(fill(wrap(word, m.w), m.w, m.h), "\n")
	}
	lines := make([]string, 0, m.h)
	lines = append(lines, m.header())
	lines = append(lines, m.top().view()...)
	lines = append(lines, m.lastLines()...)
	for _, o := range m.overs {
		box := o.view()
		x, y := m.placeOf(box)
		lines = over(lines, box, x, y)
	}
	return strings.Join(lines, "\n")
}

// header says where we are.
func (m *model) header() string {
	st := m.app.st
	titles := make([]string, 0, len(m.pages))
	for i, p := range m.pages {
		t := oneLine(p.title(), 100)
		if i == len(m.pages)-1 {
			t = st.bold.Render(t)
		}
		titles = append(titles, t)
	}
	path := strings.Join(titles, st.faint.Render(" › "))
	name := st.title.Render(" board ")
	if room := m.w - width(name) - 1; width(path) > room {
		return name + fitLeft(path, room+1)
	}
	return fit(name+path, m.w)
}

// lastLines are the keys that work here, or the last notice, and the status bar. A long error takes both lines: its end says what to do.
func (m *model) lastLines() []string {
	if m.notice.err != nil {
		if lines := wrap("✗ "+explain(m.notice.err), m.w-2); len(lines) > 1 {
			return []string{fit(" "+m.app.st.bad.Render(lines[0]), m.w), fit("   "+m.app.st.bad.Render(strings.Join(lines[1:], " ")), m.w)}
		}
	}
	return []string{m.hints(), m.statusBar()}
}

// hints are the keys that work here, or the last notice.
func (m *model) hints() string {
	st := m.app.st
	switch {
	case m.notice.err != nil:
		return fit(" "+st.bad.Render("✗ "+explain(m.notice.err)), m.w)
	case m.notice.good:
		return fit(" "+st.good.Render("✓ "+oneLine(m.notice.text, 300)), m.w)
	case m.notice.text != "":
		return fit(" "+st.info.Render("· "+oneLine(m.notice.text, 300)), m.w)
	}
	focus := m.focus()
	help := m.app.keys.help
	left := m.keyHints(focus.bindings(), m.w-len(" ? all keys ")-1)
	if focus.typing() {
		return fit(" "+left, m.w)
	}
	return spread(" "+left, m.hint(help)+" ", m.w)
}

func (m *model) hint(b key.Binding) string {
	return m.app.st.key.Render(b.Help().Key) + " " + m.app.st.faint.Render(b.Help().Desc)
}

// keyHints are as many keys as fit into w cells.
func (m *model) keyHints(all []key.Binding, w int) string {
	var out strings.Builder
	used := 0
	for _, b := range all {
		if !b.Enabled() || b.Help().Key == "" {
			continue
		}
		s := m.hint(b)
		if used+width(s) > w {
			break
		}
		out.WriteString(s + "  ")
		used += width(s) + 2
	}
	return strings.TrimRight(out.String(), " ")
}

// statusBar says how things stand: run, gate, knowledge base, daemon, model, and who acts. What there is no room for is left out from the right.
func (m *model) statusBar() string {
	st := m.app.st
	left, light, look := "", "", st.barBad
	for i := len(m.pages) - 1; i >= 0; i-- {
		if r, ok := m.pages[i].(runPlace); ok {
			word, open := r.light()
			if left, light = " "+oneLine(r.run(), 100)+"  ", word; open {
				look = st.barGood
			}
			break
		}
	}
	var right []string
	if m.status.Capsules >= 0 {
		right = append(right, "KB:"+count(m.status.Capsules))
	}
	if m.status.Daemon != "" {
		right = append(right, "daemon "+oneLine(m.status.Daemon, 20))
	}
	if m.status.Model != "" {
		right = append(right, "model "+oneLine(m.status.Model, 60))
	}
	right = append(right, "as "+oneLine(m.app.Worker, 60))
	room := func() int { return m.w - width(left) - width(light) - width(strings.Join(right, "  ")) - 1 }
	for len(right) > 1 && room() < 2 {
		right = right[:len(right)-1]
	}
	if room() < 2 { // a long name of a run gives way
		left = fit(left, max(width(left)+room()-2, 0)) + "  "
	}
	return fit(st.bar.Render(left)+look.Render(light)+st.bar.Render(strings.Repeat(" ", max(room(), 0))+strings.Join(right, "  ")+" "), m.w)
}
