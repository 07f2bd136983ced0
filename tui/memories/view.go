package memories

import (
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// memoryTab is the position of a tab in the lines of tabs.
type memoryTab struct {
	section Section
	x, y, w int
}

// tabs arranges the tabs in as many lines as needed, and marks the selected one.
func (p *Page) tabs() (lines []string, places []memoryTab) {
	st := p.app.Styles
	var names [Sections]string
	all := 1
	for s := range Sections {
		names[s] = memorySections[s].name
		if p.about.read && (s.Note() == "" || p.query.Agent != "") {
			names[s] += " " + cells.Count(p.about.counts[s])
		}
		all += cells.Width(names[s]) + 3
	}
	var line strings.Builder
	used := 1
	for s, name := range names {
		s := Section(s)
		before, look, n := "  ", st.Faint.Render(" "+name), cells.Width(name)+1
		if s == p.query.Section {
			look = st.Focus.Render("▸" + name)
		}
		switch {
		case used == 1:
			before = ""
		// other tabs than tiers start a line, if there are several lines
		case used+2+n > p.w, s == SectionNamed && all > p.w:
			lines = append(lines, cells.Fit(" "+line.String(), p.w))
			line.Reset()
			used, before = 1, ""
		case s == SectionNamed:
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
func (p *Page) context() string {
	st, q := p.app.Styles, &p.query
	who, with := "seen without an agent", []string{": shared items only", ""}
	if q.Agent != "" {
		who, with = "seen as "+cells.OneLine(q.Agent,
			40), []string{", with its private items, journal, core and working notes",
			", with what is its own", ""}
	}
	right := ""
	if q.Section.Tier() != "" && q.forgotten {
		right = "forgotten too"
	}
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
func (p *Page) above() int {
	lines, _ := p.tabs()
	n := len(lines) + 2
	if p.filter.Shown() {
		n++
	}
	return n
}

func (p *Page) listWidth() int {
	if p.w < page.Wide {
		return p.w
	}
	return p.w * 45 / 100
}

// SetSize puts the details beside the list if there is room.
func (p *Page) SetSize(w, h int) {
	p.w, p.h = w, h
	above := p.above()
	p.list.SetSize(p.listWidth(), h-above)
	if w >= page.Wide {
		p.detail.SetSize(w-p.listWidth()-1, h-above+1)
	}
}

// View shows the tabs, the list, and the details if there is room.
func (p *Page) View() []string {
	lines, _ := p.tabs()
	lines = append(lines, p.context())
	if p.filter.Shown() {
		lines = append(lines, " "+p.filter.View(p.w-1))
	}
	p.list.Empty = p.emptyWord()
	left := append([]string{p.app.Styles.Heading(p.heading(), p.note(), p.listWidth(), true)},
		p.list.View(true)...)
	if p.w < page.Wide {
		return cells.Fill(append(lines, left...), p.w, p.h)
	}
	return cells.Fill(append(lines,
		cells.Beside(p.app.Styles.Faint.Render("│"), left, p.detail.View())...), p.w, p.h)
}

func (p *Page) heading() string {
	at := &memorySections[p.query.Section]
	switch {
	case at.note != "" && p.query.Agent == "":
		return "Nobody's " + at.name
	case at.note != "":
		return at.heading + cells.OneLine(p.query.Agent, 40)
	case at.tier == memory.Workspace && p.about.workspace != "":
		return at.heading + " " + cells.OneLine(filepath.Base(p.about.workspace), 60)
	}
	return at.heading
}

// note returns the position in the list, and the number of private items of other agents
// in the tier.
func (p *Page) note() string {
	at := p.list.Place()
	if at != "" && p.more {
		at += "+"
	}
	if len(p.rows) == memoryMost && p.query.Section.Tier() == "" {
		at += ", the newest"
	}
	also := ""
	if n := p.about.private[p.query.Section]; n > 0 {
		also = cells.Count(n) + " private to agents"
	} else if n := p.about.unwritten; n > 0 && p.query.Section == SectionNamed {
		also = cells.Count(n) + " not written yet"
	}
	if at != "" && also != "" {
		at += " · "
	}
	return at + also
}

// emptyWord explains why there are no rows.
func (p *Page) emptyWord() string {
	q := &p.query
	switch {
	case p.err != nil:
		return p.app.Explain(p.err)
	case !p.known:
		return "reading…"
	case q.Text != "":
		return "The filters hide all of this. esc clears them, → goes on to the next tier, K searches all of them."
	}
	return memorySections[q.Section].empty
}

// row renders a line of the list.
func (p *Page) row(i, w int) string {
	st, r := p.app.Styles, &p.rows[i]
	age := cells.Right(cells.Ago(r.At, p.app.Now()), 4)
	cell := func(n, w int) string { return cells.Fit(cells.OneLine(r.cells[n], 80), w) }
	var left string
	switch r.Ref.Kind {
	case KindNamed:
		left = page.Columns(cell(0, 14), cell(1, 9), cell(2, 6), age)
	case KindNote:
		left = page.Columns(age, cell(0, 9))
	case KindConversation:
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
			left = page.Columns(left, cells.Paint(st.Priority, r.cells[0], cell(0, 8)))
		}
		if p.query.place() == "" && r.scope.Channel+r.scope.Conversation != "" {
			left = page.Columns(left,
				st.Accent.Render(cells.Fit(cells.OneLine(r.scope.Channel+r.scope.Conversation, 80),
					memory.RefLen)))
		}
	}
	return cells.Spread(left+" "+r.Head, Badges(p.app, r.marks), w)
}

// Badges renders marks, with colours and brackets.
func Badges(a *page.App, marks []string) string {
	out := make([]string, len(marks))
	for i, m := range marks {
		out[i] = a.Styles.Badge.Render("[" + m + "]")
	}
	return strings.Join(out, " ")
}

func (p *Page) mouse(msg tea.MouseMsg) tea.Cmd {
	lines, places := p.tabs()
	if page.IsClick(msg) && msg.Y < len(lines) {
		for _, t := range places {
			if t.y == msg.Y && msg.X >= t.x && msg.X < t.x+t.w {
				return p.GoTo(t.section)
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
