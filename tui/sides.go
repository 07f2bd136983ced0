package tui

import (
	"slices"
	"strings"

	"blackboard/board"
)

// gatePane shows the gate's light, and everything that keeps it closed.
type gatePane struct {
	page *runPage
	list list
}

func newGatePane(p *runPage) *gatePane {
	g := &gatePane{page: p}
	g.list = list{app: p.app, row: g.row}
	return g
}

func (g *gatePane) rows() *list { return &g.list }

// above is the heading and the light.
func (g *gatePane) above() int { return 2 }

// show keeps the chosen reason chosen among others.
func (g *gatePane) show(all []board.Reason, chosen string) {
	g.list.keep(len(all), slices.IndexFunc(all, func(r board.Reason) bool { return r.ID == chosen }), g.page.acted)
}

func (g *gatePane) view(focused bool) []string {
	r, v, st := g.page.area[paneGate], &g.page.scene.verdict, g.page.app.st
	light := lightWord(v.Open, len(v.Reasons))
	if v.Open {
		light = st.good.Render(light) + st.faint.Render("  synthesis may begin")
	} else {
		light = st.bad.Render(light) + st.faint.Render("  enter shows one, a addresses, w waives")
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
	tail := st.faint.Render("by " + oneLine(r.Worker, 20))
	if r.Claimed != "" {
		tail = st.accent.Render("⚑ " + oneLine(r.Claimed, 20))
	}
	return spread(columns(fit(r.ID, 5), paint(st.priority, r.Priority, fit(r.Priority, 8)), oneLine(r.Content, rowRunes)), tail, w)
}

// workersPane lists who wrote to the board, the latest first.
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
	if i := ws.list.cursor; i < len(ws.page.scene.state.Workers) && !ws.list.lost {
		return ws.page.scene.state.Workers[i].Name
	}
	return ""
}

func (ws *workersPane) row(i, w int) string {
	st, x := ws.page.app.st, &ws.page.scene.state.Workers[i]
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
	return spread(fit(oneLine(x.Name, 60), max(w-32, 8))+" "+facts, st.faint.Render(ago(x.Last, ws.page.moment())), w)
}
