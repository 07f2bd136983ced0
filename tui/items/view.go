package items

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// tabs arranges the tabs in as many lines as needed, and marks the selected one.
func (p *Page) tabs() (lines []string) {
	st, line := p.app.Styles, ""
	for s := range Sections {
		name := sections[s].name
		if p.about.read && s != SectionSearch && (s.Note() == "" || p.query.Agent != "") {
			name += " " + cells.Count(p.about.counts[s])
		}
		look := st.Faint.Render(" " + name)
		if s == p.query.Section {
			look = st.Focus.Render("▸" + name)
		}
		rule := "  "
		if s == SectionNamed || s == SectionConversation {
			rule = " " + st.Faint.Render("│")
		}
		switch {
		case line == "":
			line = " " + look
		case cells.Width(line+rule+look) > p.Width, s == SectionNamed && p.Width < page.Wide:
			lines = append(lines, cells.Fit(line, p.Width))
			line = " " + look
		default:
			line += rule + look
		}
	}
	return append(lines, cells.Fit(line, p.Width))
}

// context names the agent as which the memory is viewed, and the filters.
func (p *Page) context() string {
	st, who, right := p.app.Styles, "seen without an agent: shared items only", ""
	if p.query.Agent != "" {
		who = "seen as " + cells.OneLine(p.query.Agent, 40) + ", with what is its own"
	}
	switch {
	case p.searching() && p.reading:
		right = "searching… "
	case p.query.forgotten:
		right = "forgotten too "
	}
	return cells.Spread(" "+st.Info.Render(who), st.Accent.Render(right), p.Width)
}

func (p *Page) above() []string {
	lines := append(p.tabs(), p.context())
	if p.Filter.Shown() {
		lines = append(lines, " "+p.Filter.View(p.Width-1))
	}
	return append(lines, p.notes(max(p.Height/8, 2))...)
}

// SetSize puts the text beside the list, or below it on narrow screens.
func (p *Page) SetSize(w, h int) {
	p.Width, p.Height = w, h
	p.layout()
}

func (p *Page) layout() {
	if p.Width == 0 {
		return // the size is unknown yet
	}
	if p.Filter.Aside = "esc clears it"; p.searching() {
		p.Filter.Aside = "/ changes it"
	}
	p.Lay(p.Width, p.Height, len(p.above()), 3)
	p.compose()
}

// compose writes what is known of the chosen row: of a hit first why it was found.
func (p *Page) compose() {
	x := cells.NewWriter(p.app.Styles, p.Right.W)
	switch {
	case p.Right.W == 0:
		return
	case p.factsErr != nil:
		x.Line(cells.Wrap(p.app.Explain(p.factsErr), x.Width)...)
	case p.facts != nil:
		if r := p.at(); r != nil && r.hit != nil && r.Ref == p.facts.ref {
			p.writeWhy(x, r)
		}
		p.facts.writeTo(x, p.app)
	}
	p.Doc.SetLines(x.Lines)
	p.Doc.At = -1 // no key moves to its links
}

func (p *Page) View() []string {
	name := "Nothing is chosen"
	switch {
	case p.factsErr != nil:
		name = cells.OneLine(p.shown.ID, 80)
	case p.facts != nil:
		name = p.facts.title
	case p.shown != Ref{}:
		name = "reading…"
	}
	p.Items.Empty = p.emptyText()
	p.Note = p.note()
	if p.Items.Len == 0 {
		p.Note = strings.TrimPrefix(p.Note, " · ")
	}
	return cells.Fill(p.Panes(p.app.Styles, p.above(), p.heading(), name), p.Width, p.Height)
}

func (p *Page) heading() string {
	at := &sections[p.query.Section]
	switch {
	case p.searching():
		return p.found.heading(p)
	case at.note != "" && p.query.Agent == "":
		return "Nobody's " + at.name
	case at.note != "":
		return at.heading + cells.OneLine(p.query.Agent, 40)
	case at.tier == memory.Workspace && p.app.Workspace != "":
		return at.heading + " " + cells.OneLine(filepath.Base(p.app.Workspace), 60)
	}
	return at.heading
}

func (p *Page) note() (said string) {
	if p.searching() {
		return p.found.note(p)
	}
	if p.more && p.Items.Len > 0 {
		said = "+"
	}
	if len(p.rows) == maxListed && p.query.Section.Tier() == "" {
		said += ", the newest"
	}
	return said
}

func (p *Page) emptyText() string {
	q := &p.query
	switch {
	case errors.Is(p.err, page.ErrNoKnowledge):
		return "There is no knowledge base here."
	case p.searching() && errors.Is(p.err, fault.NotFound):
		return "There is no knowledge base yet. `board kb remember` makes one with the first capsule; so does P on an entry of a run."
	case p.err != nil:
		return p.app.Explain(p.err)
	case !p.known:
		return "reading…"
	case p.searching():
		return p.found.emptyText(q)
	case q.Text != "":
		return "The filters hide all of this. esc clears them, → goes on to the next tier, K searches all of them."
	}
	return sections[q.Section].empty
}

func (p *Page) row(i, w int) string {
	st, r := p.app.Styles, &p.rows[i]
	if r.hit != nil {
		return p.hitRow(r, w)
	}
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
	default:
		left = page.Columns(age, cell(1, 6))
		if w >= 60 {
			left = page.Columns(left, cells.Paint(st.Priority, r.cells[0], cell(0, 8)))
		}
		if of := r.scope.Channel + r.scope.Conversation; of != "" {
			left = page.Columns(left, st.Accent.Render(cells.Fit(cells.OneLine(of, 80), memory.RefLen)))
		}
	}
	return cells.Spread(left+" "+r.Head, badges(p.app, r.marks), w)
}

// hitRow renders what the search has found: how well it matches, or how old it is.
func (p *Page) hitRow(r *Row, w int) string {
	st, h := p.app.Styles, r.hit
	kind, scope := st.Accent, st.Faint
	if h.Weak { // it has words of the question, and is no sure answer
		kind, scope = st.Plain, st.Plain
	}
	lead := cells.Right(cells.Ago(r.At, p.app.Now()), 4)
	switch {
	case h.Weak:
		lead = cells.Fit("weak", 5+scoreCells)
	case !p.found.browsed:
		lead = fmt.Sprintf("%.2f ", h.Score) + st.Info.Render(scoreBar(h.Score))
	}
	left := page.Columns(lead, kind.Render(cells.Fit(cells.Clean(h.Kind), 12)))
	if w >= 64 {
		left = page.Columns(left, scope.Render(cells.Fit(cells.Clean(h.Scope), 9)))
	}
	row := cells.Spread(page.Columns(left, r.Head), badges(p.app, r.marks), w)
	if h.Weak {
		return st.Faint.Render(row)
	}
	return row
}

// scoreCells is the length of a score's bar.
const scoreCells = 5

// scoreBar draws a score from 0 to 1.
func scoreBar(score float64) string {
	n := min(max(int(score*scoreCells+0.5), 0), scoreCells)
	return strings.Repeat("█", n) + strings.Repeat("░", scoreCells-n)
}

// writeWhy says why a hit was found, and where in it.
func (p *Page) writeWhy(x *cells.Writer, r *Row) {
	h := r.hit
	if p.found.browsed {
		return
	}
	said := "found by its meaning"
	if len(h.Terms) > 0 {
		terms := make([]string, len(h.Terms))
		for i, t := range h.Terms {
			terms[i] = cells.OneLine(t.Term, 60)
		}
		said = "found by its words: " + strings.Join(terms, ", ")
	}
	x.Mark = foundWords(p.found.words, h)
	if r.Ref.Kind != KindCapsule {
		said = "of the memory, tier " + h.Kind
		x.Mark = longWords(p.found.words)
	}
	x.Line(x.Styles.Faint.Render(said))
	if at := strings.TrimPrefix(h.Snippet, "… "); at != h.Snippet { // it is not the beginning
		x.Text(cells.OneLine(h.Snippet, 500), "▏ ")
	}
	x.Line("")
}

func badges(a *page.App, marks []string) string {
	out := make([]string, len(marks))
	for i, m := range marks {
		out[i] = a.Styles.Badge.Render("[" + m + "]")
	}
	return strings.Join(out, " ")
}

// capsuleMarks returns the badge of a capsule that searches leave out; nil of others.
func capsuleMarks(c *kb.Capsule) []string {
	switch {
	case c.Retired != nil:
		return []string{"retired"}
	case c.SupersededBy != "":
		return []string{"superseded"}
	}
	return nil
}
