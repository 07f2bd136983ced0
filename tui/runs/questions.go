package runs

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// questionsPane lists the questions of the run below the state of the gate: first what
// closes the gate, then other open signals by urgency, then the closed ones if wanted.
type questionsPane struct {
	paneList
	narrowed[concern]
	every bool // with closed signals
}

// concern is a row: a reason why the gate is closed, a signal, or both.
type concern struct {
	reason *board.Reason // nil: it does not close the gate
	signal *board.Signal // nil: the reason is not about a signal
}

// id returns the id of its signal or entry, or "".
func (q *concern) id() string {
	if q.signal != nil {
		return q.signal.ID
	}
	return q.reason.ID
}

// key identifies the row, whether or not it closes the gate.
func (q *concern) key() string {
	if q.signal != nil {
		return q.signal.ID
	}
	return strings.Join([]string{q.reason.Rule, q.reason.ID, q.reason.Other, q.reason.Worker}, "\n")
}

// matches reports whether it has all words of a filter.
func (q *concern) matches(words string) bool {
	if words == "" {
		return true
	}
	var text string
	if s := q.signal; s != nil {
		fields := []string{s.ID, s.Priority, s.Status, s.Worker, s.ClaimedBy, s.To, s.Content}
		text = strings.Join(fields, "\n")
	}
	if r := q.reason; r != nil {
		text += "\n" + strings.Join([]string{r.Rule, r.ID, r.Worker, r.Content}, "\n")
	}
	return cells.HasWords(text, words)
}

// questionsOf returns the rows of a scene.
func questionsOf(s *scene) (all []concern) {
	signals, blocks := map[string]*board.Signal{}, map[string]bool{}
	for _, g := range s.signals {
		signals[g.ID] = g
	}
	for i := range s.verdict.Reasons {
		r := &s.verdict.Reasons[i]
		blocks[r.ID] = true
		all = append(all, concern{r, signals[r.ID]})
	}
	for _, g := range s.signals {
		if !blocks[g.ID] {
			all = append(all, concern{signal: g})
		}
	}
	return all
}

func newQuestionsPane(p *Page) *questionsPane {
	s := &questionsPane{}
	s.init(p, PaneQuestions, "words of a question, a worker, a priority", s.row)
	s.lines = 2 // the state of the gate, too
	s.of, s.by = &s.list, &s.filter
	s.all = func() []concern { return questionsOf(&p.scene) }
	s.matches = func(q *concern) bool {
		open := q.signal == nil || q.signal.Status == board.SignalOpen
		return (s.every || open) && q.matches(s.filter.Value())
	}
	s.key = (*concern).key
	return s
}

func (s *questionsPane) toggle() tea.Cmd {
	s.every = !s.every
	s.show(s.chosenKey(), true)
	return nil
}

func (s *questionsPane) chosen() string {
	if q := s.at(); q != nil {
		return q.id()
	}
	return ""
}

func (s *questionsPane) view(focused bool) []string {
	empty := "no question is open; f shows the closed ones"
	switch {
	case s.filter.Value() != "" && !s.every:
		empty = "no open question has these words; esc clears the filter, then f shows the closed ones"
	case s.filter.Value() != "":
		empty = "no question has these words; esc clears the filter"
	case len(s.all()) == 0:
		empty = "no question was raised yet; s raises one"
	}
	title := "Questions, what blocks first"
	if s.every {
		title = "All questions, closed ones too"
	}
	return s.draw(title, s.list.Place(), empty, focused, s.light())
}

// light describes the gate in a line: its state, and the priorities that close it.
func (s *questionsPane) light() string {
	st, v := s.page.app.Styles, &s.page.scene.verdict
	word, look, note := cells.GateWord(v.Open, len(v.Reasons)), st.Bad, ""
	if v.Open {
		look = st.Good
	}
	switch {
	case s.page.isUnreachable():
		word, look, note = strings.Replace(word, "● gate", "○ gate was", 1), st.Faint, "last known"
	case s.page.scene.uncompared:
		note = "conflicts not compared"
	case v.Open:
		note = "synthesis may begin"
	case len(v.Policy.Block) > 0:
		note = "by " + strings.Join(v.Policy.Block, ", ")
	}
	return cells.Spread(" "+look.Render(word), st.Faint.Render(note)+" ", s.page.area[PaneQuestions].W)
}

func (s *questionsPane) row(i, w int) string {
	st, q := s.page.app.Styles, &s.shown[i]
	mark := st.Bad.Render("■")
	if q.reason == nil {
		mark = signalMark(st, q.signal.Status)
	}
	if sig := q.signal; sig != nil {
		tail := ""
		switch {
		case sig.ClaimedAt(s.page.moment()):
			tail = st.Accent.Render("⚑ " + cells.ShortName(sig.ClaimedBy, w/4))
		case sig.To != "" && w >= 60:
			tail = st.Faint.Render("for " + cells.ShortName(sig.To, w/4))
		case q.reason != nil && w >= 60:
			tail = st.Faint.Render("by " + cells.ShortName(sig.Worker, w/4))
		}
		priority := cells.Paint(st.Priority, sig.Priority, cells.Fit(sig.Priority, 8))
		left := page.Columns(mark, cells.Fit(sig.ID, 5), priority,
			cells.OneLine(sig.Content, page.RowRunes))
		return cells.Spread(left, tail, w)
	}
	r := q.reason
	if r.Rule == board.RuleExpected { // its text repeats that
		return cells.Fit(page.Columns(mark, st.Warn.Render(r.Rule),
			cells.OneLine(r.Worker, page.RowRunes)+" has not finished yet"), w)
	}
	if r.ID == "" { // such a text says what is needed
		return cells.Fit(page.Columns(mark, st.Warn.Render(r.Rule),
			cells.OneLine(r.Content, page.RowRunes)), w)
	}
	tail := st.Faint.Render("by " + cells.ShortName(r.Worker, w/4))
	left := page.Columns(mark, cells.Fit(r.ID, 5), st.Warn.Render(r.Rule),
		cells.OneLine(r.Content, page.RowRunes))
	return cells.Spread(left, tail, w)
}
