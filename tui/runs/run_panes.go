package runs

import (
	"slices"
	"time"

	"blackboard/board"
	"blackboard/tui/cells"
)

// signalMark returns a sign for a signal's status.
func signalMark(st *cells.Styles, status string) string {
	switch status {
	case board.SignalOpen:
		return st.Warn.Render("●")
	case board.Addressed:
		return st.Good.Render("✓")
	default:
		return st.Faint.Render("○")
	}
}

// moment returns the time for leases: now, or that of the past on the screen.
func (p *Page) moment() time.Time {
	if p.back.past != nil {
		return p.back.past.At
	}
	return p.app.Now()
}

// everyWorker returns the workers that the gate waits for, then the authors of entries,
// latest first, then the other expected ones.
func everyWorker(st *board.State) []board.Worker {
	all := slices.Clone(st.Workers)
	for _, e := range st.Expected {
		if !slices.ContainsFunc(st.Workers, func(w board.Worker) bool { return w.Name == e.Worker }) {
			all = append(all, board.Worker{Name: e.Worker})
		}
	}
	awaited := func(w board.Worker) bool {
		return slices.ContainsFunc(st.Expected, func(e board.Expected) bool {
			return e.Worker == w.Name && e.Status == board.WorkerExpected
		})
	}
	last := slices.Clone(all)
	all = slices.DeleteFunc(all, func(w board.Worker) bool { return !awaited(w) })
	return append(all, slices.DeleteFunc(last, awaited)...)
}

// workersPane lists the authors of entries, latest first, and the expected ones' state.
type workersPane struct {
	paneList
	narrowed[board.Worker]
}

func newWorkersPane(p *Page) *workersPane {
	ws := &workersPane{}
	ws.init(p, PaneWorkers, "part of a name", ws.row)
	ws.of, ws.by = &ws.list, &ws.filter
	ws.all = func() []board.Worker { return p.scene.workers }
	ws.matches = func(w *board.Worker) bool { return cells.HasWords(w.Name, ws.filter.Value()) }
	ws.key = func(w *board.Worker) string { return w.Name }
	return ws
}

func (ws *workersPane) chosen() string { return ws.chosenKey() }

func (ws *workersPane) view(focused bool) []string {
	empty := "nobody wrote yet"
	if ws.filter.Shown() {
		empty = "no worker has this name; esc clears the filter"
	}
	return ws.draw("Workers", ws.list.Place(), empty, focused)
}

// claims returns the open signals that a worker has claimed.
func (s *scene) claims(worker string, at time.Time) (all []*board.Signal) {
	for i := range s.signals {
		if g := s.signals[i]; g.Status == board.SignalOpen && g.ClaimedBy == worker && g.ClaimedAt(at) {
			all = append(all, g)
		}
	}
	return all
}

func (s *scene) expectation(worker string) *board.Expected {
	for i := range s.state.Expected {
		if e := &s.state.Expected[i]; e.Worker == worker {
			return e
		}
	}
	return nil
}

// expected describes the state of an expected worker in a word; "" for others.
func (s *scene) expected(st *cells.Styles, worker string) string {
	e := s.expectation(worker)
	if e == nil {
		return ""
	}
	return map[string]string{board.WorkerExpected: st.Warn.Render("expected"),
		board.WorkerDone:    st.Good.Render("✓ done"),
		board.WorkerDropped: st.Faint.Render("dropped")}[e.Status]
}

func (ws *workersPane) row(i, w int) string {
	st, x := ws.page.app.Styles, &ws.shown[i]
	facts := cells.Right(cells.Plural(x.Entries, "entry"), 11)
	if n := len(ws.page.scene.claims(x.Name, ws.page.moment())); n > 0 {
		facts += st.Accent.Render(" ⚑ " + cells.Count(int64(n)))
	}
	if word := ws.page.scene.expected(st, x.Name); word != "" {
		facts += " " + word
	}
	last := ""
	if !x.Last.IsZero() {
		last = " " + st.Faint.Render(cells.Right(cells.Ago(x.Last, ws.page.moment()), 4))
	}
	if e := ws.page.scene.expectation(x.Name); e != nil && e.Reason != "" {
		if room := w - cells.Width(x.Name) - cells.Width(facts) - cells.Width(last) - 3; room >= 8 {
			facts += st.Faint.Render(": " + cells.OneLine(e.Reason, room))
		}
	}
	return cells.FitName(x.Name, w-cells.Width(facts)-cells.Width(last)-1) + " " + facts + last
}
