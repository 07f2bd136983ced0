package runcmd

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
)

func (p *program) watchCommands() []*cli.Command {
	timeoutFlag := func(what string) cli.Flag {
		return &cli.DurationFlag{Name: "timeout", Usage: what}
	}
	return []*cli.Command{
		{
			Name: "watch", Category: base.CategoryRead, Usage: "print events as they happen",
			Description: "Ends with Ctrl-C, --limit or --timeout. --since 0 begins with the first event.",
			Flags: base.ReadFlags(&cli.Int64Flag{Name: "since",
				Usage: "begin after event `SEQ`; default: only what happens from now on",
				Value: board.FromNow},
				&cli.IntFlag{Name: "limit", Aliases: []string{"n"},
					Usage: "end after `N` events"},
				timeoutFlag("end after this long; 0s: after all past events")),
			Action: p.watch,
		},
		{
			Name: "wait", Category: base.CategoryRead,
			Usage:     "wait for a question to close, the gate to open, or the next event",
			ArgsUsage: "[QUESTION | --gate]",
			Description: "Without --timeout it waits as long as it takes. " +
				"Exit codes: 0 it happened; 1 timed out; 3 timed out with --gate.",
			Flags: base.ReadFlags(append(gateFlags(), &cli.BoolFlag{Name: "gate",
				Usage: "wait for the gate"}, timeoutFlag("give up after this `DURATION` (default: no limit)"),
				&cli.Int64Flag{Name: "since",
					Usage: "the next event after `SEQ`; default: after now", Value: board.FromNow})...),
			Action: p.wait,
		},
		{
			Name: "replay", Category: base.CategoryRead,
			Usage: "show the board as it was after an event", ArgsUsage: "--at SEQ [ID]",
			Description: "The board is rebuilt from the event log alone. With an id: that entry or " +
				"question as it was then.",
			Flags:  base.ReadFlags(&cli.Int64Flag{Name: "at", Usage: "the event (`SEQ`); required"}),
			Action: p.replay,
		},
	}
}

// gateFlags are those that say when a gate is closed.
func gateFlags() []cli.Flag { return base.FlagsOf(reflect.TypeFor[ops.GatePolicy]()) }

func (p *program) watch(c *cli.Context) error {
	if c.IsSet("since") && c.Int64("since") < 0 || c.Int("limit") < 0 {
		return base.Usagef("events count from 1; --since 0 shows all", "a number of events is negative")
	}
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		show := func(e *board.Event) error {
			if c.Bool("json") {
				return p.JSON("event", e)
			}
			p.Printf("%s\n", ops.EventLine(p.Page(), e))
			return p.Out.Err // a reader that went away ends the watch
		}
		st, err := b.State(c.Context)
		if err != nil {
			return err
		}
		if since := c.Int64("since"); since > st.Seq {
			return fault.NotFound.New(fmt.Sprintf("there is no event %d yet: the last one is %d", since,
				st.Seq), "leave --since out to see only what happens from now on")
		}
		if c.IsSet("timeout") && c.Duration("timeout") <= 0 {
			n := 0
			if c.Int64("since") == board.FromNow {
				return nil // nothing has happened from now on
			}
			for e, err := range b.Events(c.Context, c.Int64("since")) {
				if err != nil {
					return err
				}
				if err := show(&e); err != nil {
					return err
				}
				if n++; n == c.Int("limit") {
					break
				}
			}
			return nil
		}
		ctx, cancel := p.timeout(c)
		defer cancel()
		n := 0
		for e, err := range b.Watch(ctx, c.Int64("since")) {
			if ctx.Err() != nil && err != nil {
				return nil // the time is over, or Ctrl-C: how a watch ends
			}
			if err != nil {
				return err
			}
			if err := show(&e); err != nil {
				return err
			}
			if n++; n == c.Int("limit") {
				return nil
			}
		}
		return nil
	})
}

func (p *program) wait(c *cli.Context) error {
	if c.NArg() > 1 || c.NArg() == 1 && c.Bool("gate") {
		return base.Usagef("wait for one thing",
			"a wait is for one question, or for the gate, or for the next event")
	}
	if c.IsSet("since") && (c.NArg() == 1 || c.Bool("gate")) {
		return base.Usagef("leave it out", "--since goes with waiting for the next event")
	}
	if c.Bool("gate") {
		return p.waitGate(c)
	}
	for _, f := range gateFlags() {
		if name := f.Names()[0]; c.IsSet(name) {
			return base.Usagef("add --gate", "--%s is about the gate", name)
		}
	}
	ctx, cancel := p.timeout(c)
	defer cancel()
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		switch {
		case c.NArg() == 1:
			s, err := b.WaitSignal(ctx, c.Args().First())
			return p.Answer(c, err, func() { p.Printf("%s\n", ops.SignalLine(p.Page(), &s, time.Now())) }, "signal", s)
		default:
			if !c.IsSet("timeout") {
				p.Messagef("waiting for the next event; a question's id waits for that one, --gate " +
					"for the gate")
			}
			next, err := b.WaitEvents(ctx, c.Int64("since"), 1)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return p.JSON("event", next[0])
			}
			p.Printf("%s\n", ops.EventLine(p.Page(), &next[0]))
			return nil
		}
	})
}

func (p *program) replay(c *cli.Context) error {
	at := c.Int64("at")
	args := c.Args().Slice()
	if !c.IsSet("at") && len(args) > 0 {
		if n, err := strconv.ParseInt(args[0], 10, 64); err == nil {
			at, args = n, args[1:]
		}
	}
	if !c.IsSet("at") && len(args) == c.NArg() {
		const try = "`board replay 12`; `board watch --since 0 --timeout 0s` lists the events"
		if len(args) > 0 {
			return base.Usagef(try, "%q is not the number of an event", base.Line(args[0], 40))
		}
		return base.Usagef(try, "no event is given")
	}
	if len(args) > 1 {
		return base.Usagef("show them one by one", "one id is needed, but %d are given", len(args))
	}
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		s, err := b.Replay(c.Context, at)
		if err != nil {
			return err
		}
		if len(args) == 1 {
			was, err := b.At(c.Context, s.Seq)
			if err != nil {
				return err
			}
			out, err := ops.Shown(c.Context, was, args[0])
			return p.AnswerWith(c, ops.Show.Answer(out), err)
		}
		follow, err := p.policy(c, b)
		if err != nil {
			return err
		}
		v, err := board.GateOf(c.Context, s, follow.Gate)
		if err != nil {
			return err
		}
		ops.InWords(&host{p, c}, &v)
		st, latest := s.State(), slices.Clone(s.Retrievals)
		slices.Reverse(latest)
		return p.Answer(c, nil, func() {
			page := p.Page()
			ops.GlanceText(page, &ops.Glance{State: &st, Gate: &v, Retrievals: latest})
			p.Printf("%s", page)
		}, "snapshot", s, "gate", v)
	})
}
