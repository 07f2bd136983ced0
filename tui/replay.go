package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/policy"
	"blackboard/tui/keys"
)

// scrubPause is how long the hand has to rest before the past is read: who goes through the log fast wants to see where it is, not each moment.
const scrubPause = 60 * time.Millisecond

// replay is the way back in time: the board as it was after an event.
type replay struct {
	on      bool
	seq     int64 // the event up to which the board is shown
	now     int64 // the last event there is
	at      time.Time
	what    string // what the event was
	reading bool
	slow    bool            // the reading takes so long that it has to be said above what is shown
	shown   int64           // the event that the scene on the page belongs to; 0 is now
	past    *board.Snapshot // of shown
}

// slowReading is from when on the page says that it shows another moment than the one that was
// asked for. Before, the line of time says it.
const slowReading = 150 * time.Millisecond

// loading reports whether what is shown is not the moment that was asked for.
func (p *runPage) loading() bool { return p.back.on && p.back.shown != p.back.seq }

// stillShown says which moment is shown meanwhile.
func (p *runPage) stillShown() string {
	if p.back.shown == 0 {
		return "shown is now"
	}
	return "shown is event " + count(p.back.shown)
}

// timeActions go through time. The way back to now comes first for who is not there.
func (p *runPage) timeActions() actions {
	by := func(n int64) func() tea.Cmd { return func() tea.Cmd { return p.goTo(p.place() + n) } }
	leap := max(p.back.now/20, 1)
	all := actions{{keys.StepBack, by(-1)}, {keys.Step, by(1)}, {keys.LeapBack, by(-leap)}, {keys.Leap, by(leap)}}
	live := action{keys.Live, p.toNow}
	if p.back.on {
		return append(actions{live}, all...)
	}
	return append(all, live)
}

// place is the event that is looked at.
func (p *runPage) place() int64 {
	if p.back.on {
		return p.back.seq
	}
	return p.back.now
}

// goTo shows the board as it was after an event; after the last one that is now.
func (p *runPage) goTo(seq int64) tea.Cmd {
	if !p.known || p.back.now < 1 {
		return nil
	}
	if seq >= p.back.now {
		return p.toNow()
	}
	p.back.on, p.back.seq = true, max(seq, 1)
	if p.app.still {
		return p.readPast()
	}
	seq = p.back.seq
	return p.app.after(scrubPause, p, func() tea.Cmd {
		if seq != p.back.seq { // the hand does not rest
			return nil
		}
		return p.readPast()
	})
}

// toNow goes back to the present.
func (p *runPage) toNow() tea.Cmd {
	if !p.back.on {
		return nil
	}
	p.back = replay{now: p.back.now}
	p.show(p.newest)
	p.feed.leavePast()
	return tea.Batch(p.look(), p.feed.find(), p.feed.need())
}

// readPast reads the board as it was, one moment at a time.
func (p *runPage) readPast() tea.Cmd {
	if p.back.reading || !p.back.on || p.back.shown == p.back.seq {
		return nil
	}
	p.back.reading, p.back.slow = true, false
	seq, b := p.back.seq, p.b
	late := p.app.after(slowReading, p, func() tea.Cmd {
		p.back.slow = p.back.reading
		return nil
	})
	return tea.Batch(late, p.app.ask(p, func(ctx context.Context) func() tea.Cmd {
		m := pastScene{seq: seq}
		err := m.read(ctx, b, p.app.Files)
		return func() tea.Cmd { return p.wentBack(m, err) }
	}))
}

// pastScene is a run as it was after an event.
type pastScene struct {
	seq   int64
	past  *board.Snapshot
	scene scene
	event board.Event
}

func (m *pastScene) read(ctx context.Context, b *board.Board, dir string) (err error) {
	by, err := policy.Find(dir)
	if err != nil {
		return err
	}
	if m.past, err = b.Replay(ctx, m.seq); err != nil {
		return err
	}
	m.scene.state = m.past.State()
	if m.scene.verdict, err = m.past.Gate(by.Gate); err != nil {
		return err
	}
	m.scene.signals = byUrgency(m.past.Signals)
	for e, err := range b.Events(ctx, m.seq-1) {
		m.event = e
		return err
	}
	return nil
}

// wentBack shows a moment that was read.
func (p *runPage) wentBack(m pastScene, err error) tea.Cmd {
	p.back.reading, p.back.slow = false, false
	switch {
	case !p.back.on:
		return nil
	case err != nil:
		return tea.Batch(p.toNow(), noticeError(err))
	}
	p.back.shown, p.back.past, p.back.at = m.seq, m.past, m.event.At
	p.back.what = m.event.Verb + " " + m.event.ID + " by " + m.event.Actor
	p.show(m.scene)
	return tea.Batch(p.feed.showPast(), p.readPast()) // read on if the hand has gone on
}

// byUrgency is the order in which the board lists signals.
func byUrgency(all []board.Signal) []board.Signal {
	out := make([]board.Signal, 0, len(all))
	for _, open := range []bool{true, false} {
		for _, priority := range board.Priorities {
			for _, s := range all {
				if (s.Status == board.SignalOpen) == open && s.Priority == priority {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// showPast shows the entries of the past. With a filter they are gone through in a command: they may be many.
func (f *feed) showPast() tea.Cmd {
	past, q, chosen := f.page.back.past, f.query(), f.chosen()
	f.asked.drop()
	f.problem, f.more, f.earlier, f.asking, f.narrow, f.found = nil, false, false, false, false, nil
	f.marked = q.words
	if f.past = past; past == nil {
		return nil
	}
	if f.filter.value() == "" {
		f.picked = nil
		at := -1
		if n, err := board.ParseEntryID(chosen); err == nil && n <= int64(len(past.Entries)) {
			at = len(past.Entries) - int(n)
		}
		f.list.keep(len(past.Entries), at, true)
		return nil
	}
	f.picked = []int32{}
	f.list.setLen(0)
	f.asking = true
	return f.asked.ask(f.page.app, f.page, func(context.Context) func() tea.Cmd {
		picked := []int32{}
		for i := len(past.Entries) - 1; i >= 0; i-- {
			if passes(&past.Entries[i], &q) {
				picked = append(picked, int32(i))
			}
		}
		return func() tea.Cmd {
			f.asking, f.picked = false, picked
			at := slices.IndexFunc(picked, func(i int32) bool { return past.Entries[i].ID == chosen })
			f.list.keep(len(picked), at, true)
			return nil
		}
	})
}

// leavePast shows the entries of now again.
func (f *feed) leavePast() {
	f.asked.drop()
	f.past, f.picked, f.asking, f.narrow, f.found, f.earlier = nil, nil, false, false, nil, false
	f.list.setLen(int(f.total))
	f.list.follow()
}

// passes is what Board.Query asks of an entry, for one that is at hand.
func passes(e *board.Entry, q *feedQuery) bool {
	among := func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
	lacksTag := func(tag string) bool { return !slices.Contains(e.Tags, tag) }
	content := strings.ToLower(e.Content)
	lacksWord := func(w string) bool { return !strings.Contains(content, strings.ToLower(w)) }
	return among(q.Types, e.Type) && among(q.Statuses, e.Status) && among(q.Workers, e.Worker) &&
		(!q.MustSurface || e.MustSurface) &&
		!slices.ContainsFunc(q.Tags, lacksTag) && !slices.ContainsFunc(q.words, lacksWord)
}

// timeline is the log as a line: where we are in it, and when that was.
func (p *runPage) timeline() string {
	st, b := p.app.st, &p.back
	where := "event " + count(b.now)
	if b.on {
		where = "event " + count(b.seq) + " of " + count(b.now)
	}
	var word string
	switch {
	case !b.on && p.follow.err != nil:
		word = st.bad.Render("not live: " + oneLine(p.follow.err.Error(), 120))
	case !b.on && errors.Is(p.err, fault.Away):
		word = st.bad.Render("connection lost") + st.faint.Render(" "+where+"; it is tried again")
	case !b.on:
		word = st.good.Render("live") + st.faint.Render(" "+where+"  [ ] back in time")
	case p.loading():
		word = st.warn.Render("back") + st.faint.Render(" "+where+"… ") + st.warn.Render(p.stillShown())
	default:
		word = st.warn.Render("back") + st.faint.Render(" "+where+" "+clock(b.at)+" "+oneLine(b.what, 60)+"  L live")
	}
	w := p.timeBar()
	at := w - 1
	if b.now > 1 {
		at = int((p.place() - 1) * int64(w-1) / (b.now - 1))
	}
	at = min(max(at, 0), w-1)
	bar := st.focus.Render(strings.Repeat("━", at)+"◆") + st.faint.Render(strings.Repeat("─", w-at-1))
	return fit(" "+bar+" "+word, p.w)
}

// timeBar is how wide the line of time is.
func (p *runPage) timeBar() int { return max(p.w*3/10, 12) }

// timeMouse goes to the moment that was clicked.
func (p *runPage) timeMouse(msg tea.MouseMsg) tea.Cmd {
	x, w := msg.X-1, p.timeBar()
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		return p.goTo(p.place() - 1)
	case msg.Button == tea.MouseButtonWheelDown:
		return p.goTo(p.place() + 1)
	case msg.Button != tea.MouseButtonLeft || msg.Action == tea.MouseActionRelease:
		return nil
	case x >= w:
		return p.toNow()
	case x >= 0 && w > 1:
		return p.goTo(1 + int64(x)*(p.back.now-1)/int64(w-1))
	}
	return nil
}
