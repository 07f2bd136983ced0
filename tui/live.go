package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
)

// gatherFor is how long events are gathered before they are shown: one drawing for many, and still at once for the eye.
const gatherFor = 30 * time.Millisecond

// maxGathered is how many events are handed over at once.
const maxGathered = 2000

// follower follows the log of a run. What it tells is only that something happened, and where: what is shown is read from the tables.
type follower struct {
	events  chan board.Event
	failed  chan error
	seq     int64 // of the last event that was told
	looking bool  // the scene is being read
	again   bool  // and has to be read once more
	err     error // why it is not followed any more; nil: it is
}

type (
	eventsMsg struct {
		from   *runPage
		events []board.Event
		err    error // the end of following
	}
	sceneMsg struct {
		from *runPage
		scene
		burn []board.BurnPoint
		err  error
	}
	agesMsg struct{ from *runPage }
)

// agesEvery is how often ages and leases are shown anew when nothing happens.
const agesEvery = 10 * time.Second

// start reads the run for the first time, and begins to follow it.
func (p *runPage) start() tea.Cmd {
	return tea.Batch(p.look(), p.app.after(agesEvery, agesMsg{p}))
}

// followFrom follows the log from after an event on.
func (p *runPage) followFrom(seq int64) tea.Cmd {
	f, ctx := &p.follow, p.ctx
	f.err, f.seq, f.events, f.failed = nil, seq, make(chan board.Event, maxGathered), make(chan error, 1)
	if p.app.still {
		return nil
	}
	go func(b *board.Board, events chan<- board.Event, failed chan<- error) {
		defer close(events)
		for e, err := range b.Watch(ctx, seq) {
			if err != nil {
				failed <- err
				return
			}
			select {
			case events <- e:
			case <-ctx.Done():
				return
			}
		}
	}(p.b, f.events, f.failed)
	return p.gather()
}

// gather waits for an event, and for what comes right after it.
func (p *runPage) gather() tea.Cmd {
	if p.app.still {
		return nil
	}
	events, failed := p.follow.events, p.follow.failed
	return p.app.do(func(ctx context.Context) tea.Msg {
		e, ok := <-events
		if !ok {
			select {
			case err := <-failed:
				return eventsMsg{from: p, err: err}
			default:
				return nil
			}
		}
		msg := eventsMsg{from: p, events: []board.Event{e}}
		timer := time.NewTimer(gatherFor)
		defer timer.Stop()
		for len(msg.events) < maxGathered {
			select {
			case e, ok := <-events:
				if !ok {
					return msg
				}
				msg.events = append(msg.events, e)
			case <-timer.C:
				return msg
			case <-ctx.Done():
				return msg
			}
		}
		return msg
	})
}

// look reads the scene as it is now. It is read once at a time; what happens meanwhile makes it be read once more.
func (p *runPage) look() tea.Cmd {
	if p.follow.looking {
		p.follow.again = true
		return nil
	}
	p.follow.looking, p.follow.again = true, false
	b := p.b
	return p.app.do(func(ctx context.Context) tea.Msg {
		m := sceneMsg{from: p}
		if m.state, m.err = b.State(ctx); m.err != nil {
			return m
		}
		if m.verdict, m.err = b.Gate(ctx, board.Policy{}); m.err != nil {
			return m
		}
		found, err := b.Signals(ctx, board.SignalQuery{})
		if m.signals, m.err = found.Signals, err; err != nil {
			return m
		}
		m.burn, m.err = b.Burndown(ctx)
		return m
	})
}

// followUpdate takes what comes from following.
func (p *runPage) followUpdate(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sceneMsg:
		if msg.from != p {
			return nil
		}
		return p.seen(msg)
	case eventsMsg:
		if msg.from != p {
			return nil
		}
		if msg.err != nil {
			p.follow.err = msg.err // the line of time says so
			return noticeError(msg.err)
		}
		p.follow.seq = msg.events[len(msg.events)-1].Seq
		p.feed.happened(msg.events)
		return tea.Batch(p.look(), p.gather(), p.feed.need(), p.feed.refind())
	case agesMsg:
		if msg.from != p {
			return nil
		}
		cmds := []tea.Cmd{p.look(), p.app.after(agesEvery, msg)}
		if p.follow.err != nil {
			cmds = append(cmds, p.followFrom(p.follow.seq))
		}
		return tea.Batch(cmds...)
	}
	return nil
}

// seen shows a scene that was read.
func (p *runPage) seen(msg sceneMsg) tea.Cmd {
	first := !p.known
	p.follow.looking = false
	var cmds []tea.Cmd
	if p.follow.again {
		cmds = append(cmds, p.look())
	}
	if msg.err != nil {
		p.err = msg.err // what was seen before stays; it is tried again
		return tea.Batch(append(cmds, noticeError(msg.err))...)
	}
	p.err = nil
	p.signals.burn = msg.burn
	p.feed.grow(msg.state.Entries.Total)
	p.back.now = max(p.back.now, msg.state.Seq)
	if p.known = true; !p.back.on {
		p.show(msg.scene)
	}
	if first {
		cmds = append(cmds, p.followFrom(msg.state.Seq))
	}
	return tea.Batch(append(cmds, p.feed.need())...)
}

// show puts a scene on the page.
func (p *runPage) show(s scene) {
	reason, worker := p.gate.chosen(), p.workers.chosen()
	p.scene = s
	p.signals.show(s.signals)
	p.gate.show(s.verdict.Reasons, reason)
	p.workers.show(s.state.Workers, worker)
	p.acted = false
	p.layout()
}
