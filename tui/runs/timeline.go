package runs

import (
	"context"
	"errors"
	"slices"
	"sort"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// timeline shows the log below the panes, over the full width of the page: the open
// questions, the state of the gate, who worked when, and the current position. A column
// is the same stretch of the log in all of its lines.
type timeline struct {
	page  *Page
	burn  []board.BurnPoint
	track *board.Timeline // the log as far as it was read; nil: not read yet
	gate  []board.GateChange
	whole bool // gate follows the complete policy
	read  page.Once
	mark  int64 // the marked event; 0: none
	lanes bool  // show the lanes
	drawn lanes
}

// lanes are the workers' activities, rendered for a width.
type lanes struct {
	columns int
	last    int64
	all     []board.Lane
}

// readTimeline reads the activities and computes the gate's state over time. It is a
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

// height is the number of lines: the curve, the gate, the lanes, and the text.
func (t *timeline) height() int { return t.curve() + 1 + len(t.shownLanes()) + 1 }

// curve is the number of lines of the curve.
func (t *timeline) curve() int {
	if len(t.burn) == 0 {
		return 0
	}
	return min(max(t.page.h/9, 1), 6)
}

// gutter is the width of the names before the lanes, and columns the number of cells
// after it.
func (t *timeline) gutter() int {
	if !t.lanes {
		return 1
	}
	return min(max(t.page.longest, 14)+14, t.page.w*2/5)
}

func (t *timeline) columns() int { return max(t.page.w-t.gutter(), 1) }

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

// shownLanes returns the lanes that fit: the busiest workers, and one for all others.
func (t *timeline) shownLanes() []board.Lane {
	if !t.lanes || t.track == nil {
		return nil
	}
	d := &t.drawn
	if n := t.columns(); d.columns != n || d.last != t.track.Last() {
		*d = lanes{n, t.track.Last(), t.track.Lanes(n)}
	}
	room := max(t.page.h/4, 3)
	if len(d.all) <= room {
		return d.all
	}
	shown := slices.Clone(d.all[:room-1])
	rest := board.Lane{Posted: make([]int64, d.columns), Did: make([]bool, d.columns)}
	for i := range d.all[room-1:] {
		l := &d.all[room-1:][i]
		rest.Entries += l.Entries
		rest.Events += l.Events
		for c := range d.columns {
			rest.Posted[c] += l.Posted[c]
			rest.Did[c] = rest.Did[c] || l.Did[c]
		}
	}
	rest.Worker = cells.Plural(int64(len(d.all)-len(shown)), "other")
	return append(shown, rest)
}

func (t *timeline) view() []string {
	p, st := t.page, t.page.app.Styles
	var lines []string
	add := func(name, facts, bars string) {
		lines = append(lines, cells.Fit(t.label(name, facts)+bars, p.w))
	}
	if h := t.curve(); h > 0 {
		cols := burnColumns(t.burn, t.columns(), t.last())
		peak := int64(1)
		for _, c := range cols {
			peak = max(peak, c.blocking+c.others)
		}
		for row := h; row > 0; row-- {
			name := ""
			if row == h {
				name = "open questions"
			}
			add(name, "", burnRow(st, cols, row, h, peak, t.at()))
		}
	}
	add("gate", "", t.line())
	shown := t.shownLanes()
	most := int64(1)
	for i := range shown {
		most = max(most, slices.Max(shown[i].Posted))
	}
	for i := range shown {
		l := &shown[i]
		add(l.Worker, cells.Count(l.Entries)+spentShort(p.scene.state.Spent(l.Worker)), t.laneCells(l, most))
	}
	words := " " + t.words()
	return append(lines, cells.Spread(words, st.Faint.Render(t.scale(p.w-cells.Width(words))),
		p.w))
}

// spentShort formats what a worker has used: tokens, else cost; "" if unknown.
func spentShort(s board.Spent) string {
	switch {
	case s.Tokens == nil && s.Cost == nil:
		return ""
	case s.Tokens == nil:
		return cells.Right("cost "+strconv.FormatFloat(*s.Cost, 'f', 2, 64), 11)
	}
	n, unit := *s.Tokens, ""
	for _, u := range []string{"k", "M", "G"} {
		if n >= 1000 {
			n, unit = n/1000, u
		}
	}
	digits := 0
	if unit != "" && n < 100 {
		digits = 1
	}
	return cells.Right(strconv.FormatFloat(n, 'f', digits, 64)+unit+" tok", 11)
}

// label returns the text before a line.
func (t *timeline) label(name, facts string) string {
	w := t.gutter()
	if w < 3 {
		return cells.Fit("", w)
	}
	return cells.Spread(" "+cells.FitName(name, w-cells.Width(facts)-4),
		t.page.app.Styles.Faint.Render(facts)+"  ", w)
}

// at returns the column of the moment on the screen; -1 is now.
func (t *timeline) at() int {
	if !t.page.back.on {
		return -1
	}
	return t.column(t.page.back.seq)
}

// line renders the gate over time, heavy where closed, with the current and the marked
// moment.
func (t *timeline) line() string {
	st := t.page.app.Styles
	here, mark := t.column(t.page.Place()), -1
	if t.mark > 0 {
		mark = t.column(t.mark)
	}
	const unknown, closed, opened, shown, marked = 1, 2, 3, 4, 5
	looks := []lipgloss.Style{{}, st.Faint, st.Bad, st.Good, st.Focus, st.Accent}
	gate, open := t.gate, false
	return joinCells(looks, t.columns(), func(i int) (string, int) {
		for _, to := t.stretch(i); len(gate) > 0 && gate[0].Seq <= to; gate = gate[1:] {
			open = gate[0].Open
		}
		switch {
		case i == here:
			return "◆", shown
		case i == mark:
			return "▼", marked
		case t.track == nil:
			return "─", unknown
		case open:
			return "─", opened
		}
		return "━", closed
	})
}

// laneCells renders a worker's activity: how much was posted, and a dot for other
// actions. most is the greatest number of posts in a column.
func (t *timeline) laneCells(l *board.Lane, most int64) string {
	st, at := t.page.app.Styles, t.at()
	const now, later = 1, 2
	return joinCells([]lipgloss.Style{{}, st.Info, st.Faint}, len(l.Posted),
		func(i int) (string, int) {
			look := now
			if at >= 0 && i > at {
				look = later
			}
			switch {
			case l.Posted[i] > 0:
				return eighths(int((l.Posted[i]*8 + most - 1) / most)), look
			case l.Did[i]:
				return "·", look
			}
			return " ", 0
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
			st.Faint.Render(" "+where+"  [ ] back in time  T who worked when")
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
	if len(t.shownLanes()) > 0 {
		lanes := "lanes: █ posted · did something else; entries and tokens beside the name  "
		all = append([]string{lanes + all[0], lanes, "█ posted · did something else  "}, all...)
	}
	for _, s := range all {
		if cells.Width(s) < room {
			return s
		}
	}
	return ""
}

// momentAt returns the event at a place of the timeline. In the line of the gate it is
// the last change in its stretch, else the event with the most open questions, which the
// column shows, else the last event of its stretch. It is 0 if there is no event.
func (t *timeline) momentAt(x, y int) int64 {
	c := x - t.gutter()
	if c < 0 || c >= t.columns() || y < 0 || y >= t.height()-1 {
		return 0
	}
	from, to := t.stretch(c)
	best := to
	if y == t.curve() {
		for _, g := range t.gate {
			if g.Seq > from && g.Seq <= to {
				best = g.Seq
			}
		}
		return best
	}
	most := int64(-1)
	for i := range t.burn {
		if p := &t.burn[i]; p.Seq > from && p.Seq <= to && p.Total() > most {
			best, most = p.Seq, p.Total()
		}
	}
	return best
}

// mouse goes to a clicked moment; the wheel moves through the events.
func (t *timeline) mouse(msg tea.MouseMsg) tea.Cmd {
	p, y := t.page, msg.Y-(t.page.h-t.height())
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		return p.GoTo(p.Place() - 1)
	case msg.Button == tea.MouseButtonWheelDown:
		return p.GoTo(p.Place() + 1)
	case msg.Button != tea.MouseButtonLeft || msg.Action == tea.MouseActionRelease:
		return nil
	case y == t.height()-1:
		return p.ToNow()
	}
	if seq := t.momentAt(msg.X, y); seq > 0 {
		return p.GoTo(seq)
	}
	return nil
}

// actions returns the keys of the timeline.
func (t *timeline) actions() page.Actions {
	all := page.Actions{page.On(page.KeyPeak, t.toPeak),
		page.On(page.KeyGateBefore, func() tea.Cmd { return t.toGate(-1) }),
		page.On(page.KeyGateAfter, func() tea.Cmd { return t.toGate(1) }),
		page.On(page.KeyLanes, t.toggle), page.On(page.KeyMark, t.markHere)}
	if t.mark > 0 {
		all = append(all, page.On(page.KeyChanged, t.showChanges))
	}
	return all
}

func (t *timeline) toggle() tea.Cmd {
	t.lanes = !t.lanes
	t.page.layout()
	return t.page.feed.need()
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

// markHere marks the current moment, or removes its mark.
func (t *timeline) markHere() tea.Cmd {
	here := t.page.Place()
	if t.mark == here {
		t.mark = 0
		return page.Notice("the mark is taken away")
	}
	t.mark = here
	const next = " is marked; = shows what has changed between it and the moment you go to"
	return page.Notice("event " + cells.Count(here) + next)
}
