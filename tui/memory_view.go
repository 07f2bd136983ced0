package tui

import (
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
	"blackboard/tui/styles"
)

// memoryTab is the position of a tab in the lines of tabs.
type memoryTab struct {
	section memorySection
	x, y, w int
}

// tabs arranges the tabs in as many lines as needed, and marks the selected one.
func (p *memoryPage) tabs() (lines []string, places []memoryTab) {
	st := p.app.Styles
	var names [sections]string
	all := 1
	for s := range sections {
		names[s] = memorySections[s].name
		if p.about.read && (s.note() == "" || p.query.agent != "") {
			n := cells.Count(p.about.counts[s])
			if p.query.text != "" && p.found.text == p.query.text {
				n = cells.Count(p.found.counts[s]) + "/" + n
			}
			names[s] += " " + n
		}
		all += cells.Width(names[s]) + 3
	}
	var line strings.Builder
	used := 1
	for s, name := range names {
		s := memorySection(s)
		before, look, n := "  ", st.Faint.Render(" "+name), cells.Width(name)+1
		if s == p.query.section {
			look = st.Focus.Render("▸" + name)
		}
		switch {
		case used == 1:
			before = ""
		// other tabs than tiers start a line, if there are several lines
		case used+2+n > p.w, s == sectionNamed && all > p.w:
			lines = append(lines, cells.Fit(" "+line.String(), p.w))
			line.Reset()
			used, before = 1, ""
		case s == sectionNamed:
			before = " " + st.Faint.Render("│")
		}
		line.WriteString(before)
		used += cells.Width(before)
		places = append(places, memoryTab{s, used, len(lines), n})
		line.WriteString(look)
		used += n
	}
	return append(lines, cells.Fit(" "+line.String(), p.w)), places
}

// context names the agent as which the memory is viewed, and the filters.
func (p *memoryPage) context() string {
	st, q := p.app.Styles, &p.query
	who, with := "seen without an agent", []string{": shared items only", ""}
	if q.agent != "" {
		who, with = "seen as "+cells.OneLine(q.agent, 40), []string{", with its private items, journal, core and working notes", ", with what is its own", ""}
	}
	var only []string
	switch q.section {
	case sectionChannel, sectionConversation:
		if q.place != "" {
			only = append(only, q.section.tier()+" "+q.place)
		}
	}
	if q.section.tier() != "" {
		if q.curator != "" {
			only = append(only, "curator "+q.curator)
		}
		if q.source != "" {
			only = append(only, "source "+cells.OneLine(q.source, 20))
		}
		if q.forgotten {
			only = append(only, "forgotten too")
		}
	}
	right := strings.Join(only, " · ")
	// filters have priority over details of the agent
	for len(with) > 1 && cells.Width(who+with[0])+cells.Width(right)+4 > p.w {
		with = with[1:]
	}
	who += with[0]
	if right == "" {
		return cells.Fit(" "+st.Info.Render(who), p.w)
	}
	return cells.Spread(" "+st.Info.Render(who), st.Accent.Render(right)+" ", p.w)
}

// above returns the number of lines above the list, with its heading.
func (p *memoryPage) above() int {
	lines, _ := p.tabs()
	n := len(lines) + 2
	if p.filter.Shown() {
		n++
	}
	return n
}

func (p *memoryPage) listWidth() int {
	if p.w < page.Wide {
		return p.w
	}
	return p.w * 45 / 100
}

func (p *memoryPage) SetSize(w, h int) {
	p.w, p.h = w, h
	above := p.above()
	p.list.SetSize(p.listWidth(), h-above)
	if w >= page.Wide {
		p.detail.SetSize(w-p.listWidth()-1, h-above+1)
	}
}

func (p *memoryPage) View() []string {
	lines, _ := p.tabs()
	lines = append(lines, p.context())
	if p.filter.Shown() {
		lines = append(lines, " "+p.filter.View(p.w-1))
	}
	p.list.Empty = p.emptyWord()
	left := append([]string{p.app.Styles.Heading(p.heading(), p.note(), p.listWidth(), true)}, p.list.View(true)...)
	if p.w < page.Wide {
		return cells.Fill(append(lines, left...), p.w, p.h)
	}
	return cells.Fill(append(lines, cells.Beside(p.app.Styles.Faint.Render("│"), left, p.detail.View())...), p.w, p.h)
}

func (p *memoryPage) heading() string {
	at := &memorySections[p.query.section]
	switch {
	case at.note != "" && p.query.agent == "":
		return "Nobody's " + at.name
	case at.note != "":
		return at.heading + cells.OneLine(p.query.agent, 40)
	case at.tier == memory.Workspace && p.about.workspace != "":
		return at.heading + " " + cells.OneLine(filepath.Base(p.about.workspace), 60)
	}
	return at.heading
}

// note returns the position in the list, and the number of private items of other agents
// in the tier.
func (p *memoryPage) note() string {
	at := p.list.Place()
	if at != "" && p.more {
		at += "+"
	}
	if len(p.rows) == memoryMost && p.query.section.tier() == "" {
		at += ", the newest"
	}
	also := ""
	if n := p.about.private[p.query.section]; n > 0 {
		also = cells.Count(n) + " private to agents"
	} else if n := p.about.unwritten; n > 0 && p.query.section == sectionNamed {
		also = cells.Count(n) + " not written yet"
	}
	if at != "" && also != "" {
		at += " · "
	}
	return at + also
}

// emptyWord explains why there are no rows.
func (p *memoryPage) emptyWord() string {
	q := &p.query
	switch {
	case p.err != nil:
		return p.app.Explain(p.err)
	case !p.known:
		return "reading…"
	case q.text != "" && p.elsewhere() != "":
		return "Nothing here passes the filters: " + p.elsewhere() + ". → goes on to the next; esc clears the filters."
	case q.text != "" || q.section.tier() != "" && q.filtered():
		return "The filters hide all of this. esc clears them."
	}
	return memorySections[q.section].empty
}

// row renders a line of the list.
func (p *memoryPage) row(i, w int) string {
	st, r := p.app.Styles, &p.rows[i]
	age := cells.Right(cells.Ago(r.at, p.app.Now()), 4)
	cell := func(n, w int) string { return cells.Fit(cells.OneLine(r.cells[n], 80), w) }
	var left string
	switch r.ref.kind {
	case kindNamed:
		left = page.Columns(cell(0, 14), cell(1, 9), cell(2, 6), age)
	case kindNote:
		left = page.Columns(age, cell(0, 9))
	case kindConversation:
		left = page.Columns(age, cell(0, memory.RefLen), st.Info.Render(cell(1, 8)))
		if w >= 66 {
			left = page.Columns(left, cell(2, 10))
		}
		if w >= 90 {
			left = page.Columns(left, cell(3, 10))
		}
	default:
		left = page.Columns(age, cell(1, 6))
		if w >= 60 {
			left = page.Columns(left, styles.Paint(st.Priority, r.cells[0], cell(0, 8)))
		}
		if p.query.place == "" && r.scope.Channel+r.scope.Conversation != "" {
			left = page.Columns(left, st.Accent.Render(cells.Fit(cells.OneLine(r.scope.Channel+r.scope.Conversation, 80), memory.RefLen)))
		}
	}
	return cells.Spread(left+" "+r.head, markBadges(p.app, r.marks), w)
}

// markBadges renders marks, with colours and brackets.
func markBadges(a *page.App, marks []string) string {
	out := make([]string, len(marks))
	for i, m := range marks {
		out[i] = a.Styles.Badge.Render("[" + m + "]")
	}
	return strings.Join(out, " ")
}

func (p *memoryPage) mouse(msg tea.MouseMsg) tea.Cmd {
	lines, places := p.tabs()
	if page.IsClick(msg) && msg.Y < len(lines) {
		for _, t := range places {
			if t.y == msg.Y && msg.X >= t.x && msg.X < t.x+t.w {
				return p.goTo(t.section)
			}
		}
		return nil
	}
	if msg.X >= p.listWidth() {
		return p.detail.mouseAt(msg, msg.Y-p.above())
	}
	if p.list.Mouse(msg, msg.Y-p.above()) {
		return p.open()
	}
	return p.need()
}
