package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"blackboard/board"
)

func (p *program) expectCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "expect", Category: catWrite, Usage: "have the gate wait for workers; alone, list them", ArgsUsage: "[WORKER…]",
			Description: `The gate is closed until each has said that it is done (board done), or is dropped with a reason.
One that is done or dropped stays so when it is named again, so a start script may run twice;
--again expects it anew. Without a worker it lists who is expected, and what became of each.`,
			Flags: flags([]cli.Flag{
				&cli.BoolFlag{Name: "again", Usage: "expect those anew that are done or dropped"},
				&cli.StringFlag{Name: "drop", Usage: "wait no longer for this `WORKER`; needs --reason"},
				&cli.StringFlag{Name: "reason", Usage: "why it is dropped (`TEXT`), for the record"}, noCreateFlag()}, writeFlags()),
			Action: p.expect,
		},
		{
			Name: "done", Category: catWrite, Usage: "say that a worker is through: you, or those you name", ArgsUsage: "[WORKER…]",
			Description: `You are who --worker or $BOARD_WORKER names. Whoever is done may still post, and stays done;
one that nobody expects yet is noted as done.`,
			Flags:  writeFlags(),
			Action: p.done,
		},
	}
}

func (p *program) expect(c *cli.Context) error {
	names, drop := c.Args().Slice(), c.IsSet("drop")
	switch {
	case drop && (len(names) > 0 || c.Bool("again")):
		return usagef("do one after the other", "--drop takes one worker away, and no other can be named with it")
	case !drop && c.IsSet("reason"):
		return usagef("add --drop WORKER", "--reason is for a worker that is dropped")
	case !drop && len(names) == 0 && c.Bool("again"):
		return usagef("`board expect --again reader-1`", "no worker is named")
	}
	if drop || len(names) == 0 {
		b, err := p.open(c)
		if err != nil {
			return err
		}
		defer b.Close()
		if !drop {
			return p.listExpected(c, b, nil)
		}
		if err := p.dropExpected(c, b, c.String("drop"), c.String("reason")); err != nil {
			return err
		}
		return p.listExpected(c, b, []string{c.String("drop")})
	}
	b, err := p.openToPost(c)
	if err != nil {
		return err
	}
	defer b.Close()
	if _, err := b.Expect(c.Context, p.workerName(c), names, c.Bool("again")); err != nil {
		return err
	}
	p.sayMade(b)
	return p.listExpected(c, b, names)
}

func (p *program) done(c *cli.Context) error {
	names := c.Args().Slice()
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	if _, err := b.Done(c.Context, p.workerName(c), names...); err != nil {
		return err
	}
	if len(names) == 0 {
		p.sayLogin(c, "done")
		names = []string{p.workerName(c)}
	}
	return p.listExpected(c, b, names)
}

// listExpected prints what became of some workers that are expected, nil for all.
func (p *program) listExpected(c *cli.Context, b *board.Board, names []string) error {
	st, err := b.State(c.Context)
	if err != nil {
		return err
	}
	posted := map[string]int64{}
	for _, w := range st.Workers {
		posted[w.Name] = w.Entries
	}
	shown := []board.Expected{}
	for _, e := range st.Expected {
		if names == nil || slices.Contains(names, e.Worker) {
			shown = append(shown, e)
		}
	}
	return p.answer(c, nil, func() {
		width := 0
		for _, e := range shown {
			width = max(width, len(e.Worker))
		}
		for i := range shown {
			e := &shown[i]
			p.printf("%-*s  %s\n", width, line(e.Worker, board.MaxName), p.became(e, posted[e.Worker]))
		}
		if len(shown) == 0 {
			p.talk("no worker is expected; `board expect reader-1` has the gate wait for one")
		}
	}, "expected", shown)
}

// became says what became of a worker that is expected.
func (p *program) became(e *board.Expected, posted int64) string {
	entries := "nothing posted"
	if posted > 0 {
		entries = count(posted, "entry", "entries")
	}
	switch e.Status {
	case board.WorkerDropped:
		return fmt.Sprintf("dropped by %s: %s", line(e.By, board.MaxName), line(e.Reason, 200))
	case board.WorkerDone:
		return p.paint(green, e.Status) + ", " + entries
	}
	return p.paint(red, e.Status) + ", " + entries
}
