package runs

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// scrubPause is the delay before the past is read. While a person moves fast through the
// log, only the position matters.
const scrubPause = 60 * time.Millisecond

// replay is the state of moving through the past: the board as of an event.
type replay struct {
	on      bool
	seq     int64 // the event up to which the board is shown
	now     int64 // the last event
	at      time.Time
	what    string // describes the event
	reading bool
	slow    bool        // the read is so slow that the page must say so
	shown   int64       // the event of the scene on the page; 0 is now
	past    *board.Past // of shown
}

// slowReading is the time after which the page says that it does not show the requested
// moment yet. Until then, only the timeline does.
const slowReading = 150 * time.Millisecond

// loading reports whether the page does not show the requested moment yet.
func (p *Page) loading() bool { return p.back.on && p.back.shown != p.back.seq }

// stillShown tells which moment is shown meanwhile.
func (p *Page) stillShown() string {
	if p.back.shown == 0 {
		return "shown is now"
	}
	return "shown is event " + cells.Count(p.back.shown)
}

// timeActions move through time. In the past, the way back to now comes first.
func (p *Page) timeActions() page.Actions {
	by := func(n int64) func() tea.Cmd { return func() tea.Cmd { return p.GoTo(p.Place() + n) } }
	leap := max(p.back.now/20, 1)
	all := page.Actions{page.On(page.KeyStepBack, by(-1)), page.On(page.KeyStep, by(1)),
		page.On(page.KeyLeapBack, by(-leap)), page.On(page.KeyLeap, by(leap))}
	live := page.On(page.KeyLive, p.ToNow)
	if p.back.on {
		return append(page.Actions{live}, all...)
	}
	return append(all, live)
}

// Place returns the event that is shown.
func (p *Page) Place() int64 {
	if p.back.on {
		return p.back.seq
	}
	return p.back.now
}

// GoTo shows the board as of an event; after the last one, now.
func (p *Page) GoTo(seq int64) tea.Cmd {
	if !p.known || p.back.now < 1 {
		return nil
	}
	if seq >= p.back.now {
		return p.ToNow()
	}
	p.back.on, p.back.seq = true, max(seq, 1)
	if p.app.Still {
		return p.readPast()
	}
	seq = p.back.seq
	return p.app.After(scrubPause, p, func() tea.Cmd {
		if seq != p.back.seq { // still moving
			return nil
		}
		return p.readPast()
	})
}

// ToNow returns to the present.
func (p *Page) ToNow() tea.Cmd {
	if !p.back.on {
		return nil
	}
	p.back = replay{now: p.back.now}
	p.show(p.newest)
	p.feed.leavePast()
	return tea.Batch(p.Look(), p.feed.find(), p.feed.need())
}

// readPast reads the board of the past, one moment at a time.
func (p *Page) readPast() tea.Cmd {
	if p.back.reading || !p.back.on || p.back.shown == p.back.seq {
		return nil
	}
	p.back.reading, p.back.slow = true, false
	seq, b := p.back.seq, p.b
	late := p.app.After(slowReading, p, func() tea.Cmd {
		p.back.slow = p.back.reading
		return nil
	})
	return tea.Batch(late, p.app.Ask(p, func(ctx context.Context) func() tea.Cmd {
		m, err := readMoment(ctx, b, p.app.Files, seq)
		return func() tea.Cmd { return p.wentBack(m, err) }
	}))
}

// pastScene is a run as of an event.
type pastScene struct {
	past  *board.Past
	scene scene
	event board.Event
}

func readMoment(ctx context.Context, b *board.Board, dir string, seq int64) (m pastScene, err error) {
	by, err := check.PolicyOf(ctx, b, dir)
	if err != nil {
		return m, err
	}
	if m.past, err = b.At(ctx, seq); err != nil {
		return m, err
	}
	m.scene.state = m.past.State()
	m.scene.signals = byUrgency(m.past.Signals)
	m.event = m.past.Event
	// to compare all entries takes too long for a walk through time
	m.scene.uncompared = by.Gate.MaxConflicts != nil
	m.scene.verdict, err = m.past.Gate(ctx, by.Gate.WithoutConflicts())
	return m, err
}

// wentBack shows a moment that was read.
func (p *Page) wentBack(m pastScene, err error) tea.Cmd {
	p.back.reading, p.back.slow = false, false
	switch {
	case !p.back.on:
		return nil
	case err != nil:
		return tea.Batch(p.ToNow(), page.NoticeError(err))
	}
	p.back.shown, p.back.past, p.back.at = m.past.Seq, m.past, m.event.At
	p.back.what = m.event.Verb + " " + m.event.ID + " by " + m.event.Actor
	p.show(m.scene)
	return tea.Batch(p.feed.showPast(), p.readPast()) // read again if the person has moved on
}

// byUrgency is the order in which the board lists signals.
func byUrgency(all []board.Signal) []*board.Signal {
	out := make([]*board.Signal, 0, len(all))
	for _, open := range []bool{true, false} {
		for _, priority := range board.Priorities {
			for i := range all {
				s := &all[i]
				if (s.Status == board.SignalOpen) == open && s.Priority == priority {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// showPast shows the entries of the past.
func (f *feed) showPast() tea.Cmd {
	if f.page.back.past == nil {
		return nil
	}
	chosen := f.chosen()
	f.past = f.page.back.past
	if f.filter.Value() != "" {
		return f.find()
	}
	f.asked.Drop()
	f.problem, f.more, f.asking, f.narrow, f.found = nil, false, false, false, nil
	f.keepChosen(chosen)
	return f.need()
}

// keepChosen shows all entries; the chosen one stays chosen if it exists.
func (f *feed) keepChosen(id string) {
	at := -1
	if n, err := board.ParseEntryID(id); err == nil && n <= f.posted() {
		at = int(f.posted() - n)
	}
	f.list.Keep(int(f.posted()), at, true)
}

// leavePast shows the current entries again.
func (f *feed) leavePast() {
	f.asked.Drop()
	f.past, f.asking, f.narrow, f.found = nil, false, false, nil
	f.list.SetLen(int(f.total))
	f.list.Follow()
}
