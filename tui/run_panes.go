package tui

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"blackboard/board"
)

// signalMark is a signal's status as a sign.
func signalMark(st *styles, status string) string {
	switch status {
	case board.SignalOpen:
		return st.warn.Render("●")
	case board.Addressed:
		return st.good.Render("✓")
	default:
		return st.faint.Render("○")
	}
}

// moment is the time that leases are judged by: now, or that of the past that is shown.
func (p *runPage) moment() time.Time {
	if p.back.on && p.back.shown > 0 {
		return p.back.at
	}
	return p.app.Now()
}

// burndown draws how many signals were open over the log, w cells wide and h high, with a line of scale below: those that block by default full, the
// others shaded, and what came after the moment that is shown dotted. Each column has the most that were open in its stretch of the log, so no peak is lost.
func (s *questionsPane) burndown(w, h int) []string {
	st := s.page.app.st
	last := max(s.page.back.now, 1)
	cols := burnColumns(s.burn, w-1, last)
	peak := int64(1)
	for _, c := range cols {
		peak = max(peak, c.blocking+c.others)
	}
	at := -1
	if s.page.back.on {
		at = int((s.page.back.seq - 1) * int64(w-1) / last)
	}
	lines := make([]string, 0, h+1)
	for row := h; row > 0; row-- {
		lines = append(lines, " "+burnRow(st, cols, row, h, peak, at))
	}
	scale := st.bad.Render("█") + st.faint.Render(" blocking ") + st.info.Render("▒") + st.faint.Render(" other")
	return append(lines, spread(" "+scale, st.faint.Render("at most "+count(peak)+" open at once "), w))
}

// momentAt is the event at a cell of the picture: the last one of its stretch of the log, or that
// with the most questions open, which is what the column shows. It is 0 where the picture is not.
func (s *questionsPane) momentAt(x, y int) int64 {
	n, last := s.page.area[paneQuestions].w-1, max(s.page.back.now, 1)
	const top = 2 // the heading and the light
	if high := s.chart(); high == 0 || y < top || y >= top+high || x < 1 || x > n {
		return 0
	}
	from, to := int64(x-1)*last/int64(n), int64(x)*last/int64(n)
	best, most := max(to, 1), int64(-1)
	for i := range s.burn {
		p := &s.burn[i]
		if open := p.Open[0] + p.Open[1] + p.Open[2] + p.Open[3]; p.Seq > from && p.Seq <= to && open > most {
			best, most = p.Seq, open
		}
	}
	return best
}

// burnColumn is the height of one column, in signals.
type burnColumn struct{ blocking, others int64 }

// burnColumns spreads the points over n columns of a log with so many events: in each the highest count of its stretch.
func burnColumns(points []board.BurnPoint, n int, last int64) []burnColumn {
	cols := make([]burnColumn, max(n, 0))
	var now burnColumn
	next := 0
	for i := range cols {
		end := int64(i+1) * last / int64(n)
		cols[i] = now
		for ; next < len(points) && points[next].Seq <= end; next++ {
			p := &points[next]
			now = burnColumn{p.Open[0] + p.Open[1], p.Open[2] + p.Open[3]}
			if now.blocking+now.others > cols[i].blocking+cols[i].others {
				cols[i] = now
			}
		}
		if next == len(points) && i == len(cols)-1 {
			cols[i] = now // the end is what is open now, not what was just before
		}
	}
	return cols
}

// Kinds of cells of the picture.
const (
	burnNothing = iota
	burnLater
	burnBlocking
	burnOther
)

// burnCell is one cell of the picture: row counts from 1 at the bottom. The top of what blocks is drawn in eighths, that of the others in two shades, so
// that both are told apart without colours.
func burnCell(c burnColumn, row, h int, peak int64, later bool) (cell string, kind int) {
	unit := func(n int64) int { return int((n*int64(h)*8 + peak - 1) / peak) } // in eighths of a cell, and never nothing for something
	total, blocking := unit(c.blocking+c.others), unit(c.blocking)
	base := (row - 1) * 8
	switch {
	case total <= base:
		return " ", burnNothing
	case later:
		return "·", burnLater
	case blocking >= base+4 && total >= base+8:
		return "█", burnBlocking
	case blocking > base && (c.others == 0 || blocking >= base+4):
		return eighths(blocking - base), burnBlocking
	case total >= base+4:
		return "▒", burnOther
	default:
		return "░", burnOther
	}
}

// burnRow is a row of the picture. What follows each other and looks alike is one text: each look
// costs more bytes than a cell, and the whole screen is compared for each frame.
func burnRow(st *styles, cols []burnColumn, row, h int, peak int64, at int) string {
	looks := [...]lipgloss.Style{burnNothing: {}, burnLater: st.faint, burnBlocking: st.bad, burnOther: st.info}
	var line, run strings.Builder
	last := burnNothing
	end := func() {
		if last == burnNothing {
			line.WriteString(run.String())
		} else {
			line.WriteString(looks[last].Render(run.String()))
		}
		run.Reset()
	}
	for i, c := range cols {
		cell, kind := burnCell(c, row, h, peak, at >= 0 && i > at)
		if kind != last {
			end()
			last = kind
		}
		run.WriteString(cell)
	}
	end()
	return line.String()
}

// eighths is a block of so many eighths of a cell; eight and more are full.
func eighths(n int) string { return string([]rune("▁▂▃▄▅▆▇█")[min(max(n, 1), 8)-1]) }

// everyWorker lists who wrote to the board, the latest first, then who is expected and has not.
func everyWorker(st *board.State) []board.Worker {
	all := slices.Clone(st.Workers)
	for _, e := range st.Expected {
		if !slices.ContainsFunc(st.Workers, func(w board.Worker) bool { return w.Name == e.Worker }) {
			all = append(all, board.Worker{Name: e.Worker})
		}
	}
	return all
}

// workersPane lists who wrote to the board, the latest first, and what became of those who are expected.
type workersPane struct {
	page   *runPage
	list   list
	filter filter
	shown  []board.Worker // those of the scene that pass the filter
}

func newWorkersPane(p *runPage) *workersPane {
	ws := &workersPane{page: p}
	ws.filter = newFilter(p.app, "part of a name", &ws.list, p.layout)
	ws.list = list{app: p.app, row: ws.row}
	return ws
}

func (ws *workersPane) rows() *list        { return &ws.list }
func (ws *workersPane) narrowing() *filter { return &ws.filter }

func (ws *workersPane) above() int {
	if ws.filter.shown() {
		return 2
	}
	return 1
}

// show shows the workers of the scene that pass the filter; the chosen one stays chosen.
func (ws *workersPane) show(chosen string) {
	ws.shown = ws.shown[:0:0]
	for _, w := range ws.page.scene.workers {
		if hasWords(w.Name, ws.filter.value()) {
			ws.shown = append(ws.shown, w)
		}
	}
	ws.list.keep(len(ws.shown), slices.IndexFunc(ws.shown, func(w board.Worker) bool { return w.Name == chosen }), false)
}

// typed takes a key of the filter.
func (ws *workersPane) typed(msg tea.KeyMsg) tea.Cmd {
	chosen := ws.chosen()
	changed, cmd := ws.filter.update(msg)
	if changed {
		ws.choose(chosen)
	}
	return cmd
}

// clearFilter shows all workers again; the chosen one stays chosen.
func (ws *workersPane) clearFilter() tea.Cmd {
	chosen := ws.chosen()
	ws.filter.clear()
	ws.choose(chosen)
	return nil
}

// choose shows what passes the filter now, and chooses a worker of it.
func (ws *workersPane) choose(name string) {
	ws.show(name)
	ws.list.moveTo(max(slices.IndexFunc(ws.shown, func(w board.Worker) bool { return w.Name == name }), 0))
}

func (ws *workersPane) view(focused bool) []string {
	r := ws.page.area[paneWorkers]
	ws.list.empty = "nobody wrote yet"
	var body []string
	if ws.filter.shown() {
		ws.list.empty = "nobody is called that; esc takes the filter away"
		body = append(body, " "+ws.filter.view(r.w-1))
	}
	return ws.page.app.st.pane("Workers", ws.list.place(), append(body, ws.list.view(focused)...), r.w, r.h, focused)
}

// at is the chosen worker; nil if there is none.
func (ws *workersPane) at() *board.Worker {
	if i := ws.list.cursor; i < len(ws.shown) && !ws.list.lost {
		return &ws.shown[i]
	}
	return nil
}

func (ws *workersPane) chosen() string {
	if w := ws.at(); w != nil {
		return w.Name
	}
	return ""
}

// claims is how many open signals a worker has claimed.
func (s *scene) claims(worker string, at time.Time) (n int64) {
	for i := range s.signals {
		if g := &s.signals[i]; g.Status == board.SignalOpen && g.ClaimedBy == worker && g.ClaimedAt(at) {
			n++
		}
	}
	return n
}

// expected is what became of a worker that is expected, in a word; "" for the others.
func (s *scene) expected(st *styles, worker string) string {
	for i := range s.state.Expected {
		if e := &s.state.Expected[i]; e.Worker == worker {
			return map[string]string{board.WorkerExpected: st.warn.Render("expected"), board.WorkerDone: st.good.Render("✓ done"),
				board.WorkerDropped: st.faint.Render("dropped")}[e.Status]
		}
	}
	return ""
}

func (ws *workersPane) row(i, w int) string {
	st, x := ws.page.app.st, &ws.shown[i]
	facts := right(plural(x.Entries, "entry"), 11)
	if claims := ws.page.scene.claims(x.Name, ws.page.moment()); claims > 0 {
		facts += st.accent.Render(" ⚑ " + count(claims))
	}
	if word := ws.page.scene.expected(st, x.Name); word != "" {
		facts += " " + word
	}
	last := ""
	if !x.Last.IsZero() {
		last = " " + st.faint.Render(right(ago(x.Last, ws.page.moment()), 4))
	}
	return fitName(x.Name, w-width(facts)-width(last)-1) + " " + facts + last
}
