package runs

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// questionsPane lists the questions of the run below the state of the gate: first what
// closes the gate, then other open signals by urgency, then the closed ones if wanted.
type questionsPane struct {
	page   *Page
	list   page.List
	filter page.Filter
	all    []concern
	shown  []concern
	every  bool // with closed signals
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

// lets reports whether it has all words of a filter.
func (q *concern) lets(words string) bool {
	if words == "" {
		return true
	}
	var text string
	if s := q.signal; s != nil {
		fields := []string{s.ID, s.Priority, s.Status, s.Worker, s.ClaimedBy, s.Content}
		text = strings.Join(fields, "\n")
	}
	if r := q.reason; r != nil {
		text += "\n" + strings.Join([]string{r.Rule, r.ID, r.Worker, r.Content}, "\n")
	}
	return cells.HasWords(text, words)
}

// questionsOf returns the rows of a scene.
func questionsOf(s *scene) []concern {
	var all []concern
	blocks := map[string]*board.Reason{}
	signals := map[string]*board.Signal{}
	for i := range s.signals {
		signals[s.signals[i].ID] = s.signals[i]
	}
	for i := range s.verdict.Reasons {
		r := &s.verdict.Reasons[i]
		if page.IsSignal(r.ID) {
			blocks[r.ID] = r
		}
		all = append(all, concern{r, signals[r.ID]})
	}
	for i := range s.signals {
		if blocks[s.signals[i].ID] == nil {
			all = append(all, concern{signal: s.signals[i]})
		}
	}
	return all
}

func newQuestionsPane(p *Page) *questionsPane {
	s := &questionsPane{page: p}
	s.filter = page.NewFilter(p.app, "words of a question, a worker, a priority", &s.list,
		p.layout)
	s.list = page.List{App: p.app, Row: s.row}
	return s
}

// show replaces the rows; the chosen one stays chosen.
func (s *questionsPane) show(all []concern) {
	s.all = all
	s.narrow(s.chosenKey(), s.page.acted)
}

func (s *questionsPane) toggle() tea.Cmd {
	s.every = !s.every
	s.narrow(s.chosenKey(), true)
	return nil
}

// narrow shows the rows that match the filter: the open ones, or all.
func (s *questionsPane) narrow(chosen string, expected bool) {
	s.shown = s.shown[:0:0]
	for _, q := range s.all {
		open := q.signal == nil || q.signal.Status == board.SignalOpen
		if (s.every || open) && q.lets(s.filter.Value()) {
			s.shown = append(s.shown, q)
		}
	}
	at := slices.IndexFunc(s.shown, func(q concern) bool { return q.key() == chosen })
	s.list.Keep(len(s.shown), at, expected)
}

// typed handles a key of the filter.
func (s *questionsPane) typed(msg tea.KeyMsg) tea.Cmd {
	chosen := s.chosenKey()
	changed, cmd := s.filter.Update(msg)
	if changed {
		s.narrow(chosen, true)
		s.choose(chosen)
	}
	return cmd
}

// clearFilter shows all rows again; the chosen one stays chosen.
func (s *questionsPane) clearFilter() tea.Cmd {
	chosen := s.chosenKey()
	s.filter.Clear()
	s.narrow(chosen, true)
	s.choose(chosen)
	return nil
}

// choose chooses a row, if it exists.
func (s *questionsPane) choose(key string) {
	if at := slices.IndexFunc(s.shown, func(q concern) bool { return q.key() == key }); at >= 0 {
		s.list.MoveTo(at)
	}
}

// at returns the chosen row, or nil.
func (s *questionsPane) at() *concern {
	if s.list.Cursor < len(s.shown) && !s.list.Lost {
		return &s.shown[s.list.Cursor]
	}
	return nil
}

func (s *questionsPane) chosenKey() string {
	if q := s.at(); q != nil {
		return q.key()
	}
	return ""
}

// chosen returns the id of the chosen row's signal or entry, or "".
func (s *questionsPane) chosen() string {
	if q := s.at(); q != nil {
		return q.id()
	}
	return ""
}

func (s *questionsPane) rows() *page.List        { return &s.list }
func (s *questionsPane) narrowing() *page.Filter { return &s.filter }

// above returns the heading, the state of the gate and the filter.
func (s *questionsPane) above() int {
	lines := 2
	if s.filter.Shown() {
		lines++
	}
	return lines
}

func (s *questionsPane) view(focused bool) []string {
	r, st := s.page.area[PaneQuestions], s.page.app.Styles
	body := []string{s.light()}
	if s.filter.Shown() {
		body = append(body, " "+s.filter.View(r.W-1))
	}
	switch {
	case s.filter.Value() != "" && !s.every:
		s.list.Empty = "no open question has these words; esc clears the filter, then f shows the closed ones"
	case s.filter.Value() != "":
		s.list.Empty = "no question has these words; esc clears the filter"
	case len(s.all) == 0:
		s.list.Empty = "no question was raised yet; s raises one"
	default:
		s.list.Empty = "no question is open; f shows the closed ones"
	}
	title := "Questions, what blocks first"
	if s.every {
		title = "All questions, closed ones too"
	}
	return st.Pane(title, s.list.Place(), append(body, s.list.View(focused)...), r.W, r.H, focused)
}

// light describes the gate in a line: its state, and the priorities that close it.
func (s *questionsPane) light() string {
	st, v := s.page.app.Styles, &s.page.scene.verdict
	word := cells.GateWord(v.Open, len(v.Reasons))
	if s.page.lost() {
		word = strings.Replace(word, "● gate", "○ gate was", 1)
		return " " + st.Faint.Render(word+"  last known")
	}
	if s.page.scene.uncompared {
		look := st.Bad
		if v.Open {
			look = st.Good
		}
		return " " + look.Render(word) + st.Faint.Render("  conflicts not compared")
	}
	if v.Open {
		return " " + st.Good.Render(word) + st.Faint.Render("  synthesis may begin")
	}
	by := ""
	if len(v.Policy.Block) > 0 {
		by = st.Faint.Render("by " + strings.Join(v.Policy.Block, ", "))
	}
	return cells.Spread(" "+st.Bad.Render(word), by+" ", s.page.area[PaneQuestions].W)
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
