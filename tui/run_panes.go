package tui

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"blackboard/board"
)

// signalsPane lists the questions: open ones first, the most urgent first, under a picture of how many were open over time.
type signalsPane struct {
	page  *runPage
	list  list
	all   []board.Signal
	shown []board.Signal
	every bool // closed ones too
	burn  []board.BurnPoint
}

func newSignalsPane(p *runPage) *signalsPane {
	s := &signalsPane{page: p}
	s.list = list{app: p.app, row: s.row, changed: func(i int) bool { return p.isFresh(s.shown[i].ID) }}
	return s
}

// show replaces the signals; the chosen one stays chosen.
func (s *signalsPane) show(all []board.Signal) {
	s.all = all
	s.narrow(s.chosen(), s.page.acted)
}

func (s *signalsPane) toggle() tea.Cmd {
	s.every = !s.every
	s.narrow(s.chosen(), true)
	return nil
}

// narrow shows the open signals, or all.
func (s *signalsPane) narrow(chosen string, expected bool) {
	s.shown = s.shown[:0:0]
	for _, sig := range s.all {
		if s.every || sig.Status == board.SignalOpen {
			s.shown = append(s.shown, sig)
		}
	}
	s.list.keep(len(s.shown), slices.IndexFunc(s.shown, func(sig board.Signal) bool { return sig.ID == chosen }), expected)
}

// chosen is the id of the chosen signal, or "".
func (s *signalsPane) chosen() string {
	if s.list.cursor < len(s.shown) && !s.list.lost {
		return s.shown[s.list.cursor].ID
	}
	return ""
}

// chart is how many lines the picture has, none where there is no room.
func (s *signalsPane) chart() int {
	switch h := s.page.area[paneSignals].h; {
	case len(s.burn) == 0 || h < 9:
		return 0
	case h < 18:
		return 2
	default:
		return min(6, h/4)
	}
}

func (s *signalsPane) rows() *list { return &s.list }

// above is the heading, the picture and its scale.
func (s *signalsPane) above() int {
	if n := s.chart(); n > 0 {
		return n + 2
	}
	return 1
}

func (s *signalsPane) view(focused bool) []string {
	r := s.page.area[paneSignals]
	var body []string
	if n := s.chart(); n > 0 {
		body = append(body, s.burndown(r.w, n)...)
	}
	if len(s.all) == 0 {
		s.list.empty = "no question was raised yet; s raises one"
	} else {
		s.list.empty = "no question is open; f shows the closed ones"
	}
	title := "Open signals"
	if s.every {
		title = "All signals"
	}
	return s.page.app.st.pane(title, s.list.place(), append(body, s.list.view(focused)...), r.w, r.h, focused)
}

func (s *signalsPane) row(i, w int) string {
	st, sig := s.page.app.st, &s.shown[i]
	tail := ""
	if sig.ClaimedAt(s.page.moment()) {
		tail = st.accent.Render("⚑ " + oneLine(sig.ClaimedBy, 20))
	}
	mark := signalMark(st, sig.Status)
	priority := paint(st.priority, sig.Priority, fit(sig.Priority, 8))
	left := columns(mark, fit(sig.ID, 5), priority, oneLine(sig.Content, rowRunes))
	return spread(left, tail, w)
}

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
func (s *signalsPane) burndown(w, h int) []string {
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
func (s *signalsPane) momentAt(x, y int) int64 {
	n, last := s.page.area[paneSignals].w-1, max(s.page.back.now, 1)
	if high := s.chart(); high == 0 || y < 1 || y > high || x < 1 || x > n {
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

// gatePane shows the gate's light, and everything that keeps it closed.
type gatePane struct {
	page *runPage
	list list
}

func newGatePane(p *runPage) *gatePane {
	g := &gatePane{page: p}
	g.list = list{app: p.app, row: g.row, changed: func(i int) bool { return p.isFresh(p.scene.verdict.Reasons[i].ID) }}
	return g
}

func (g *gatePane) rows() *list { return &g.list }

// above is the heading and the light.
func (g *gatePane) above() int { return 2 }

// show keeps the chosen reason chosen among others.
func (g *gatePane) show(all []board.Reason, chosen reasonKey) {
	g.list.keep(len(all), slices.IndexFunc(all, func(r board.Reason) bool { return reasonKeyOf(&r) == chosen }), g.page.acted)
}

// reasonKey tells a reason from others: not each is about a signal or an entry.
type reasonKey struct{ rule, id, worker string }

func reasonKeyOf(r *board.Reason) reasonKey { return reasonKey{r.Rule, r.ID, r.Worker} }

func (g *gatePane) chosenReason() (key reasonKey) {
	if i := g.list.cursor; i < len(g.page.scene.verdict.Reasons) && !g.list.lost {
		key = reasonKeyOf(&g.page.scene.verdict.Reasons[i])
	}
	return key
}

func (g *gatePane) view(focused bool) []string {
	r, v, st := g.page.area[paneGate], &g.page.scene.verdict, g.page.app.st
	light := lightWord(v.Open, len(v.Reasons))
	if v.Open {
		light = st.good.Render(light) + st.faint.Render("  synthesis may begin")
	} else {
		light = st.bad.Render(light)
		if g.chosen() != "" { // a signal or an entry
			light += st.faint.Render("  enter shows one, a addresses, w waives")
		}
	}
	body := append([]string{" " + light}, g.list.view(focused)...)
	note := "blocks: " + strings.Join(v.Policy.Block, ", ")
	if !v.Open {
		note = g.list.place() + " that block"
	}
	return st.pane("Gate", note, body, r.w, r.h, focused)
}

// chosen is the id of the signal or entry of the chosen reason, or "".
func (g *gatePane) chosen() string {
	if i := g.list.cursor; i < len(g.page.scene.verdict.Reasons) && !g.list.lost {
		return g.page.scene.verdict.Reasons[i].ID
	}
	return ""
}

func (g *gatePane) row(i, w int) string {
	st, r := g.page.app.st, &g.page.scene.verdict.Reasons[i]
	if r.ID == "" { // what is needed is said by itself
		return fit(st.warn.Render(fit(r.Rule, 12))+" "+oneLine(r.Content, rowRunes), w)
	}
	tail := st.faint.Render("by " + oneLine(r.Worker, 20))
	if r.Claimed != "" {
		tail = st.accent.Render("⚑ " + oneLine(r.Claimed, 20))
	}
	priority := paint(st.priority, r.Priority, fit(r.Priority, 8))
	return spread(columns(fit(r.ID, 5), priority, oneLine(r.Content, rowRunes)), tail, w)
}

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
	page *runPage
	list list
}

func newWorkersPane(p *runPage) *workersPane {
	ws := &workersPane{page: p}
	ws.list = list{app: p.app, row: ws.row, empty: "nobody wrote yet"}
	return ws
}

func (ws *workersPane) rows() *list { return &ws.list }
func (ws *workersPane) above() int  { return 1 }

// show keeps the chosen worker chosen among others.
func (ws *workersPane) show(all []board.Worker, chosen string) {
	ws.list.keep(len(all), slices.IndexFunc(all, func(w board.Worker) bool { return w.Name == chosen }), false)
}

func (ws *workersPane) view(focused bool) []string {
	r := ws.page.area[paneWorkers]
	return ws.page.app.st.pane("Workers", ws.list.place(), ws.list.view(focused), r.w, r.h, focused)
}

func (ws *workersPane) chosen() string {
	if i := ws.list.cursor; i < len(ws.page.scene.workers) && !ws.list.lost {
		return ws.page.scene.workers[i].Name
	}
	return ""
}

func (ws *workersPane) row(i, w int) string {
	st, x := ws.page.app.st, &ws.page.scene.workers[i]
	claims := 0
	for j := range ws.page.scene.signals {
		if s := &ws.page.scene.signals[j]; s.Status == board.SignalOpen && s.ClaimedBy == x.Name && s.ClaimedAt(ws.page.moment()) {
			claims++
		}
	}
	facts := right(plural(x.Entries, "entry"), 13)
	if claims > 0 {
		facts += st.accent.Render(" ⚑ " + count(int64(claims)))
	}
	for j := range ws.page.scene.state.Expected {
		if e := &ws.page.scene.state.Expected[j]; e.Worker == x.Name {
			facts += " " + map[string]string{board.WorkerExpected: st.warn.Render("expected"), board.WorkerDone: st.good.Render("✓ done"),
				board.WorkerDropped: st.faint.Render("dropped")}[e.Status]
		}
	}
	last := ""
	if !x.Last.IsZero() {
		last = ago(x.Last, ws.page.moment())
	}
	return spread(fit(oneLine(x.Name, 60), max(w-32, 8))+" "+facts, st.faint.Render(last), w)
}
