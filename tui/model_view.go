package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/page"
	"blackboard/tui/runs"
)

// placeOf returns the position of an overlay: centred.
func (m *model) placeOf(box []string) (x, y int) {
	if len(box) == 0 {
		return 0, 0
	}
	return (m.w - cells.Width(box[0])) / 2, 1 + (m.h-chrome-len(box))/2
}

func (m *model) View() string {
	if m.w == 0 {
		return "" // the size is unknown yet
	}
	if m.isTooSmall() {
		word := fmt.Sprintf("This needs %d×%d cells; here are %d×%d. Make the window larger; ctrl+c leaves.", page.MinWidth, page.MinHeight, m.w, m.h)
		return strings.Join(cells.Fill(cells.Wrap(word, m.w), m.w, m.h), "\n")
	}
	lines := make([]string, 0, m.h)
	lines = append(lines, m.header())
	lines = append(lines, m.top().View()...)
	lines = append(lines, m.lastLines()...)
	for _, o := range m.overs {
		box := o.View()
		x, y := m.placeOf(box)
		lines = cells.Over(lines, box, x, y)
	}
	return strings.Join(lines, "\n")
}

func (m *model) header() string {
	st := m.app.Styles
	titles := make([]string, 0, len(m.pages))
	for i, p := range m.pages {
		t := cells.OneLine(p.Title(), 100)
		if i == len(m.pages)-1 {
			t = st.Bold.Render(t)
		}
		titles = append(titles, t)
	}
	path := strings.Join(titles, st.Faint.Render(" › "))
	name := st.Title.Render(" board ")
	where := ""
	if database := board.DatabaseName(m.app.Boards); database != "" {
		where = st.Faint.Render(cells.OneLine(database, 200)) + " "
	}
	if room := m.w - cells.Width(name) - cells.Width(where) - 2; where != "" && cells.Width(path) <= room {
		return cells.Spread(name+path, where, m.w)
	}
	if room := m.w - cells.Width(name) - 1; cells.Width(path) > room {
		return name + cells.FitLeft(path, room+1)
	}
	return cells.Fit(name+path, m.w)
}

// lastLines are keys or notice, and status bar; a long error takes both, for its next step.
func (m *model) lastLines() []string {
	if m.notice.Err != nil && m.app.Away == nil {
		if lines := cells.Wrap("✗ "+m.app.Explain(m.notice.Err), m.w-2); len(lines) > 1 {
			return []string{cells.Fit(" "+m.app.Styles.Bad.Render(lines[0]), m.w),
				cells.Fit("   "+m.app.Styles.Bad.Render(strings.Join(lines[1:], " ")), m.w)}
		}
	}
	return []string{m.hints(), m.statusBar()}
}

// hints returns the keys that work here, or the last notice.
func (m *model) hints() string {
	st := m.app.Styles
	switch {
	case m.notice.Err != nil:
		return cells.Fit(" "+st.Bad.Render("✗ "+m.app.Explain(m.notice.Err)), m.w)
	case m.notice.Good:
		return cells.Fit(" "+st.Good.Render("✓ "+cells.OneLine(m.notice.Text, 300)), m.w)
	case m.notice.Text != "":
		return cells.Fit(" "+st.Info.Render("· "+cells.OneLine(m.notice.Text, 300)), m.w)
	}
	focus := m.focus()
	keys := focus.Actions().Bindings()
	if focus.Typing() {
		return cells.Fit(" "+m.keyHints(keys, m.w-1), m.w)
	}
	return cells.Spread(" "+m.keyHints(keys, m.w-len(" ? all keys ")-1), m.hint(page.KeyHelp)+" ", m.w)
}

func (m *model) hint(b key.Binding) string {
	return m.app.Styles.Key.Render(m.app.KeyName(b)) + " " + m.app.Styles.Faint.Render(b.Help().Desc)
}

// keyHints returns as many keys as fit into w cells.
func (m *model) keyHints(all []key.Binding, w int) string {
	var out strings.Builder
	used := 0
	for _, b := range all {
		if !b.Enabled() || b.Help().Key == "" {
			continue
		}
		s := m.hint(b)
		if used+cells.Width(s) > w {
			break
		}
		out.WriteString(s + "  ")
		used += cells.Width(s) + 2
	}
	return strings.TrimRight(out.String(), " ")
}

// statusBar shows run, gate, knowledge base, daemon, model, worker, dropping from the right.
func (m *model) statusBar() string {
	st := m.app.Styles
	left, light, look := " ", "", st.BarBad
	for _, p := range slices.Backward(m.pages) {
		if r, ok := p.(page.RunPlace); ok {
			word, open := r.Light()
			if left, light = " "+cells.ShortName(r.Run(), m.w/3)+"  ", word; open {
				look = st.BarGood
			}
			break
		}
	}
	if m.app.Away != nil {
		light = strings.Replace("connection lost"+light, "● gate", "; gate was", 1)
		look = st.BarBad
	}
	right := []string{"as " + cells.OneLine(m.app.Worker, 60)}
	add := func(has bool, part string) {
		if has {
			right = slices.Insert(right, len(right)-1, part)
		}
	}
	add(m.status.Capsules >= 0, "KB:"+cells.Count(m.status.Capsules))
	add(m.status.Daemon != "", "daemon "+cells.OneLine(m.status.Daemon, 20))
	add(m.status.Model != "", "model "+cells.OneLine(m.status.Model, 60))
	room := m.w - cells.Width(left+light) - 3
	for len(right) > 1 && cells.Width(strings.Join(right, "  ")) > room {
		right = right[:len(right)-1]
	}
	end := cells.Right(strings.Join(right, "  "), max(room, 0)+2) + " "
	return cells.Fit(st.Bar.Render(left)+look.Render(light)+st.Bar.Render(end), m.w)
}

func (m *model) setTitle() tea.Cmd {
	if m.app.Muted("title") || m.app.Out == nil {
		return nil
	}
	title := "board"
	for _, p := range m.pages {
		if run, ok := p.(*runs.Page); ok && run.Gate() != "" {
			title = cells.OneLine(run.Name, 60) + " · " + strings.TrimPrefix(run.Gate(), "● ")
		}
	}
	if title == m.title {
		return nil
	}
	m.title = title
	return m.app.Write(ansi.SetWindowTitle(title))
}
