package runs

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// gatherFor is how long events gather for one redraw, without a delay that one sees.
const gatherFor = 30 * time.Millisecond

// maxGathered is the most events in a message.
const maxGathered = 2000

// follower follows a run's log. It only reports changes; pages read the tables.
type follower struct {
	seq  int64     // of the last event that was reported
	look page.Once // the read of the scene
	err  error     // why following has stopped; nil: it has not
}

// agesEvery is how often a run without events is read again: ages, leases and policy change.
const agesEvery = 20 * time.Second

// start reads the run for the first time and starts to follow it.
func (p *Page) start(b *board.Board) tea.Cmd {
	p.b, p.err = b, nil
	return tea.Batch(p.Look(), p.app.After(agesEvery, p, p.age))
}

// age reads the run again, as far as it can be read.
func (p *Page) age() tea.Cmd {
	again := p.app.After(agesEvery, p, p.age)
	if p.follow.err != nil { // the board may be closed
		return again
	}
	return tea.Batch(again, p.Look())
}

// reconnectEvery is how often a run that cannot be read or followed is opened again.
const reconnectEvery = 2 * time.Second

// reconnect opens the run again after its file or disk came back; till then old data is shown.
func (p *Page) reconnect() tea.Cmd {
	return p.open(p.reconnected, func(error) tea.Cmd {
		return p.app.After(reconnectEvery, p, p.reconnect)
	})
}

// reconnected shows the reopened run, perhaps a new one of that name; open pages keep the old.
func (p *Page) reconnected(b *board.Board) tea.Cmd {
	p.before = append(p.before, p.b)
	p.b, p.err, p.known, p.want = b, nil, false, ""
	p.follow, p.back = follower{}, replay{}
	p.feed.forget()
	return p.Look()
}

// gather waits for an event after the last one, and collects those that follow shortly. In a test
// that holds the screen still, it does nothing.
func (p *Page) gather() tea.Cmd {
	if p.app.Still {
		return nil
	}
	b, seq := p.b, p.follow.seq
	return p.app.Do(func(context.Context) tea.Msg {
		for _, err := range b.Watch(p.ctx, seq) {
			if err != nil {
				return page.EventsMsg{From: p, Err: err}
			}
			break
		}
		time.Sleep(gatherFor)
		msg := page.EventsMsg{From: p}
		for e, err := range b.Events(p.ctx, seq) {
			if err != nil {
				return page.EventsMsg{From: p, Err: err}
			}
			if msg.Events = append(msg.Events, e); len(msg.Events) == maxGathered {
				break
			}
		}
		return msg
	})
}

func (p *Page) Look() tea.Cmd {
	if !p.follow.look.Begin() {
		return nil
	}
	b := p.b
	return p.app.Read(p, func(ctx context.Context) func() tea.Cmd {
		s, err := readScene(ctx, b, p.app.Files)
		return func() tea.Cmd { return p.takeScene(s, err) }
	})
}

func readScene(ctx context.Context, b *board.Board, dir string) (s scene, err error) {
	by, err := check.PolicyOf(ctx, b, dir)
	if err != nil {
		return s, err
	}
	if s.state, err = b.State(ctx); err != nil {
		return s, err
	}
	if s.verdict, err = b.Gate(ctx, by.Gate); err != nil {
		return s, err
	}
	found, err := b.Signals(ctx, board.SignalQuery{})
	if err != nil {
		return s, err
	}
	for i := range found.Signals {
		s.signals = append(s.signals, &found.Signals[i])
	}
	return s, nil
}

func (p *Page) handleEvents(msg page.EventsMsg) tea.Cmd {
	switch {
	case msg.From != p:
		return nil
	case msg.Err != nil:
		p.follow.err = msg.Err // the line of time shows it
		return tea.Batch(page.Unread(msg.Err), p.app.After(reconnectEvery, p, p.reconnect))
	case len(msg.Events) == 0:
		return p.gather()
	}
	p.follow.seq = msg.Events[len(msg.Events)-1].Seq
	p.preview.of = subject{} // to be read again
	p.feed.markStale(msg.Events)
	return tea.Batch(p.Look(), p.gather(), p.feed.refind())
}

func (p *Page) takeScene(s scene, err error) tea.Cmd {
	first := !p.known
	var cmds []tea.Cmd
	if p.follow.look.End() {
		cmds = append(cmds, p.Look())
	}
	if p.err = err; err != nil { // the old data stays; retrying
		return tea.Batch(append(cmds, page.Unread(err))...)
	}
	p.feed.grow(s.state.Entries.Total)
	p.back.now = max(p.back.now, s.state.Seq)
	p.newest = s
	if p.known = true; !p.back.on {
		p.show(s)
	}
	if first {
		p.follow.err, p.follow.seq = nil, s.state.Seq
		cmds = append(cmds, p.gather())
		switch p.want {
		case "":
		case toCheck:
			cmds = append(cmds, p.app.Push(NewCheckPage(p.app, p.Name, p.b, "")))
		default:
			cmds = append(cmds, p.OpenID(p.want))
		}
	}
	return tea.Batch(cmds...)
}

func (p *Page) show(s scene) {
	worker, question := p.workers.chosen(), p.questions.chosenKey()
	s.workers = everyWorker(&s.state)
	p.scene = s
	p.questions.show(question, p.acted)
	if p.focus == PaneWorkers { // one that has finished moves down, chosen as it is
		p.workers.list.Touched = true
	}
	p.workers.show(worker, false)
	p.longest = 0
	for i := range s.workers {
		p.longest = max(p.longest, cells.Width(cells.OneLine(s.workers[i].Name, 80)))
	}
	p.acted = false
}

// isUnreachable reports whether the server does not answer, so that the page may be out of date.
func (p *Page) isUnreachable() bool {
	return p.app.Away != nil || errors.Is(p.err, fault.Away) || errors.Is(p.follow.err, fault.Away)
}
