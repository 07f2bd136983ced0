package runs

import (
	"context"
	"errors"
	"slices"
	"sort"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// replay is the state of moving through the past: the board as of an event.
type replay struct {
	on      bool
	seq     int64 // the event up to which the board is to be shown
	now     int64 // the last event
	shown   board.Event
	past    *board.Past // as of the shown event; nil: now
	reading bool
}

// isLoading reports whether the page does not show the requested moment yet.
func (p *Page) isLoading() bool { return p.back.on && p.back.shown.Seq != p.back.seq }

// timeActions move through time. In the past, the way back to now comes first.
func (p *Page) timeActions() page.Actions {
	by := func(n int64) func() tea.Cmd { return func() tea.Cmd { return p.GoTo(p.Place() + n) } }
	leap := max(p.back.now/20, 1)
	all := page.Actions{page.On(page.KeyStepBack, by(-1)), page.On(page.KeyStep, by(1)),
		page.On(page.KeyLeapBack, by(-leap)), page.On(page.KeyLeap, by(leap))}
	live := page.On(page.KeyLive, p.ToNow)
	if !p.back.on {
		return append(all, live)
	}
	here := func(context.Context) (int64, error) { return p.Place(), nil }
	return append(append(page.Actions{live}, all...),
		page.On(page.KeyChanged, func() tea.Cmd { return p.ShowChanges(here) }))
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
	return p.readPast()
}

func (p *Page) GoToTime(at time.Time) tea.Cmd {
	b := p.b
	return p.app.Ask(p, func(ctx context.Context) func() tea.Cmd {
		seq, err := eventAt(ctx, b, at)
		return func() tea.Cmd {
			if err != nil {
				return page.NoticeError(err)
			}
			return p.GoTo(max(seq, 1))
		}
	})
}

// eventAt returns the last event that was not after a time; 0: there is none.
func eventAt(ctx context.Context, b *board.Board, at time.Time) (int64, error) {
	t, err := b.Timeline(ctx)
	if err != nil {
		return 0, err
	}
	later := func(i int) bool { return t.At(int64(i) + 1).After(at) }
	return int64(sort.Search(int(t.Last()), later)), nil
}

func (p *Page) ToNow() tea.Cmd {
	if !p.back.on {
		return nil
	}
	chosen := p.feed.chosen()
	p.back = replay{now: p.back.now}
	p.show(p.newest)
	return tea.Batch(p.Look(), p.feed.showMoment(chosen))
}

// readPast reads the board of the past, one moment at a time.
func (p *Page) readPast() tea.Cmd {
	if p.back.reading || !p.isLoading() {
		return nil
	}
	p.back.reading = true
	seq, b := p.back.seq, p.b
	return p.app.Ask(p, func(ctx context.Context) func() tea.Cmd {
		past, s, err := readMoment(ctx, b, p.app.Files, seq)
		return func() tea.Cmd { return p.takePast(past, s, err) }
	})
}

func readMoment(
	ctx context.Context, b *board.Board, dir string, seq int64,
) (past *board.Past, s scene, err error) {
	by, err := check.PolicyOf(ctx, b, dir)
	if err != nil {
		return nil, s, err
	}
	if past, err = b.At(ctx, seq); err != nil {
		return nil, s, err
	}
	s.state, s.signals = past.State(), byUrgency(past.Signals)
	// to compare all entries takes too long for a walk through time
	s.uncompared = by.Gate.MaxConflicts != nil
	s.verdict, err = past.Gate(ctx, by.Gate.WithoutConflicts())
	return past, s, err
}

func (p *Page) takePast(past *board.Past, s scene, err error) tea.Cmd {
	p.back.reading = false
	switch {
	case !p.back.on:
		return nil
	case err != nil:
		return tea.Batch(p.ToNow(), page.NoticeError(err))
	}
	chosen := p.feed.chosen()
	p.back.past, p.back.shown = past, past.Event
	p.show(s)
	return tea.Batch(p.feed.showMoment(chosen), p.readPast()) // again if the person has moved on
}

// byUrgency is the order in which the board lists signals.
func byUrgency(all []board.Signal) []*board.Signal {
	out := make([]*board.Signal, len(all))
	for i := range all {
		out[i] = &all[i]
	}
	rank := func(s *board.Signal) int {
		at := slices.Index(board.Priorities, s.Priority)
		if s.Status != board.SignalOpen {
			at += len(board.Priorities)
		}
		return at
	}
	slices.SortStableFunc(out, func(a, b *board.Signal) int { return rank(a) - rank(b) })
	return out
}

// timeLine is the place in the log: in words, and on a line as long as the log.
func (p *Page) timeLine() string {
	st, words := p.app.Styles, " "+p.place()+" "
	n := p.w - cells.Width(words) - 1
	if n < 10 {
		return cells.Fit(words, p.w)
	}
	at := int(p.Place() * int64(n-1) / max(p.back.now, 1))
	return words + st.Faint.Render(strings.Repeat("━", at)) + st.Focus.Render("◆") +
		st.Faint.Render(strings.Repeat("─", n-1-at)) + " "
}

func (p *Page) place() string {
	st, b, err := p.app.Styles, &p.back, p.follow.err
	where := " event " + cells.Count(b.now)
	if b.on {
		where = " event " + cells.Count(b.seq) + " of " + cells.Count(b.now)
	}
	switch {
	case p.isLoading():
		shown := "now"
		if b.past != nil {
			shown = "event " + cells.Count(b.past.Seq)
		}
		return st.Warn.Render("back") + st.Faint.Render(where+"… ") + st.Warn.Render("shown is "+shown)
	case b.on:
		e := &b.shown
		what := cells.OneLine(e.Verb+" "+e.ID+" by "+e.Actor, 60)
		return st.Warn.Render("back") + st.Faint.Render(where+" "+cells.Clock(e.At)+" "+what+"  L live")
	case errors.Is(err, fault.Gone):
		return st.Bad.Render("another process deleted this run; this is its last state · esc to the list")
	case p.isUnreachable():
		return st.Bad.Render("connection lost") + st.Faint.Render(where+"; retrying")
	case err != nil:
		return st.Bad.Render("not live: " + cells.OneLine(err.Error(), 120))
	}
	return st.Good.Render("live") + st.Faint.Render(where+"  [ ] back in time")
}
