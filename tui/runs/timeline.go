package runs

import (
	"context"
	"errors"
	"slices"
	"sort"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// timeline shows the log below the panes, over the full width of the page: the open
// questions, the state of the gate, and the current position. A column is the same stretch of
// the log in all of its lines.
type timeline struct {
	page  *Page
	burn  []board.BurnPoint
	track *board.Timeline // the log as far as it was read; nil: not read yet
	gate  []board.GateChange
	whole bool // gate follows the complete policy
	read  page.Once
}

// readTimeline reads the log and computes the gate's state over time. It is a
// separate query, so that a long run is shown without waiting for it.
func (p *Page) readTimeline() tea.Cmd {
	t := &p.time
	if !t.read.Begin() {
		return nil
	}
	b, by, burn := p.b, p.newest.verdict.Policy, t.burn
	return p.app.Read(p, func(ctx context.Context) func() tea.Cmd {
		track, err := b.Timeline(ctx)
		var gate []board.GateChange
		whole := false
		if err == nil {
			gate, whole = track.GateChanges(by, burn)
		}
		return func() tea.Cmd {
			again := t.read.End()
			if err == nil && b == p.b {
				t.track, t.gate, t.whole = track, gate, whole
				p.layout()
			}
			if again {
				return p.readTimeline()
			}
			return page.Unread(err)
		}
	})
}

// height is the number of lines: the curve, the gate, and the text.
func (t *timeline) height() int { return t.curve() + 2 }

// curve is the number of lines of the curve.
func (t *timeline) curve() int {
	if len(t.burn) == 0 {
		return 0
	}
	return min(max(t.page.h/9, 1), 6)
}

// columns is the number of cells of a line, after a blank.
func (t *timeline) columns() int { return max(t.page.w-1, 1) }

// last is the end of the log as drawn.
func (t *timeline) last() int64 { return max(t.page.back.now, 1) }

// eventAt returns the last event until a moment; 0: none, or the log was not read yet.
func (t *timeline) eventAt(at time.Time) int64 {
	if t.track == nil {
		return 0
	}
	return int64(sort.Search(int(t.track.Last()), func(i int) bool { return t.track.At(int64(i + 1)).After(at) }))
}

// column returns the column of an event.
func (t *timeline) column(seq int64) int {
	return min(max(board.Stretch(seq, t.last(), t.columns()), 0), t.columns()-1)
}

// stretch returns the events of a column: those after from, up to to.
func (t *timeline) stretch(column int) (from, to int64) {
	n := int64(t.columns())
	return int64(column) * t.last() / n, max(int64(column+1)*t.last()/n, 1)
}

func (t *timeline) view() (lines []string) {
	p, st := t.page, t.page.app.Styles
	if h := t.curve(); h > 0 {
		cols := burnColumns(t.burn, t.columns(), t.last())
		peak := int64(1)
		for _, c := range cols {
			peak = max(peak, c.blocking+c.others)
		}
		for row := h; row > 0; row-- {
			lines = append(lines, cells.Fit(" "+burnRow(st, cols, row, h, peak, t.at()), p.w))
		}
	}
	words := " " + t.words()
	return append(lines, cells.Fit(" "+t.line(), p.w),
		cells.Spread(words, st.Faint.Render(t.scale(p.w-cells.Width(words))), p.w))
}

// at returns the column of the moment on the screen; -1 is now.
func (t *timeline) at() int {
	if !t.page.back.on {
		return -1
	}
	return t.column(t.page.back.seq)
}

// line renders the gate over time, heavy where closed, with the current moment.
func (t *timeline) line() string {
	st := t.page.app.Styles
	here := t.column(t.page.Place())
	const unknown, closed, opened, shown = 1, 2, 3, 4
	looks := []lipgloss.Style{{}, st.Faint, st.Bad, st.Good, st.Focus}
	gate, open := t.gate, false
	return joinCells(looks, t.columns(), func(i int) (string, int) {
		for _, to := t.stretch(i); len(gate) > 0 && gate[0].Seq <= to; gate = gate[1:] {
			open = gate[0].Open
		}
		switch {
		case i == here:
			return "◆", shown
		case t.track == nil:
			return "─", unknown
		case open:
			return "─", opened
		}
		return "━", closed
	})
}

// words describe the position in the log, and its time.
func (t *timeline) words() string {
	p := t.page
	st, b := p.app.Styles, &p.back
	where := "event " + cells.Count(b.now)
	if b.on {
		where = "event " + cells.Count(b.seq) + " of " + cells.Count(b.now)
	}
	switch {
	case !b.on && errors.Is(p.follow.err, fault.Gone):
		return st.Bad.Render("another process deleted this run; this is its last state · esc to the list")
	case !b.on && p.follow.err != nil && !p.lost():
		return st.Bad.Render("not live: " + cells.OneLine(p.follow.err.Error(), 120))
	case !b.on && p.lost():
		return st.Bad.Render("connection lost") + st.Faint.Render(" "+where+"; retrying")
	case !b.on:
		return st.Good.Render("live") +
			st.Faint.Render(" "+where+"  [ ] back in time")
	case p.loading():
		return st.Warn.Render("back") + st.Faint.Render(" "+where+"… ") +
			st.Warn.Render(p.stillShown())
	}
	return st.Warn.Render("back") +
		st.Faint.Render(" "+where+" "+cells.Clock(b.at)+" "+cells.OneLine(b.what, 60)+"  L live")
}

// scale explains the symbols, if there is room.
func (t *timeline) scale(room int) string {
	peak := int64(0)
	for i := range t.burn {
		peak = max(peak, t.burn[i].Total())
	}
	gate := "━ gate closed ─ open "
	if t.track != nil && !t.whole {
		gate = "━ gate closed ─ open, or closed by a rule that is not about questions "
	}
	all := []string{gate}
	if peak > 0 {
		most := "at most " + cells.Count(peak) + " open  "
		all = []string{"█ blocking ▒ other, " + most + gate, most + gate, gate, most}
	}
	for _, s := range all {
		if cells.Width(s) < room {
			return s
		}
	}
	return ""
}

// actions returns the keys of the timeline.
func (t *timeline) actions() page.Actions {
	all := page.Actions{page.On(page.KeyPeak, t.toPeak),
		page.On(page.KeyGateBefore, func() tea.Cmd { return t.toGate(-1) }),
		page.On(page.KeyGateAfter, func() tea.Cmd { return t.toGate(1) }),
	}
	if t.page.back.on {
		all = append(all, page.On(page.KeyChanged, func() tea.Cmd { return t.page.ShowChanges(t.page.Place(), t.page.Last()) }))
	}
	return all
}

// toPeak goes to the first moment with the most open questions.
func (t *timeline) toPeak() tea.Cmd {
	var peak board.BurnPoint
	for _, p := range t.burn {
		if p.Total() > peak.Total() {
			peak = p
		}
	}
	if peak.Seq == 0 {
		return page.Notice("no question was open yet")
	}
	said := cells.Plural(peak.Total(), "question") + " open: the most there were at once"
	return tea.Batch(t.page.GoTo(peak.Seq), page.Notice(said))
}

// toGate goes to the previous or next change of the gate.
func (t *timeline) toGate(by int) tea.Cmd {
	here := t.page.Place()
	if by < 0 {
		for _, g := range slices.Backward(t.gate) {
			if g.Seq < here {
				return t.page.GoTo(g.Seq)
			}
		}
		return page.Notice("the gate did not change before this")
	}
	for _, g := range t.gate {
		if g.Seq > here {
			return t.page.GoTo(g.Seq)
		}
	}
	return page.Notice("the gate did not change after this")
}
