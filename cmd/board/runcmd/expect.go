package runcmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/similar"
	"blackboard/cmd/board/base"
)

func (p *program) expectCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "expect", Category: base.CategoryWrite,
			Usage: "make the gate wait for workers; without a name, list them", ArgsUsage: "[WORKER…]",
			Description: `The gate stays closed until each worker is done (board done) or dropped
with a reason. Naming a worker that is done or dropped changes nothing, so a start script
may run twice; --again expects it again. Without a worker, lists the expected workers and
their status.`,
			Flags: base.JoinFlags([]cli.Flag{
				&cli.BoolFlag{Name: "again", Usage: "expect workers again that are done or dropped"},
				&cli.StringFlag{Name: "drop", Usage: "stop waiting for this `WORKER`; needs --reason"},
				&cli.StringFlag{Name: "reason",
					Usage: "why it is dropped (`TEXT`), for the record"},
				base.KeepSecretFlag(), noCreateFlag()},
				base.WriteFlags()),
			Action: p.expect,
		},
		{
			Name: "done", Category: base.CategoryWrite,
			Usage: "mark workers as done: you, or those you name", ArgsUsage: "[WORKER…]",
			Description: `Without a name it is the worker of --worker or $BOARD_WORKER. A worker
that is done may still post, and stays done. A worker that is not expected is recorded as
done. A note says what is left open; a later note replaces it.`,
			Flags: base.WriteFlags(&cli.StringFlag{Name: "reason", Aliases: []string{"note"},
				Usage: "what others should know (`TEXT`), for the record"}, base.KeepSecretFlag()),
			Action: p.done,
		},
	}
}

func (p *program) expect(c *cli.Context) error {
	names, drop := c.Args().Slice(), c.IsSet("drop")
	switch {
	case drop && (len(names) > 0 || c.Bool("again")):
		return base.Usagef("do one after the other", "--drop takes one worker, and no further names")
	case !drop && c.IsSet("reason"):
		return base.Usagef("add --drop WORKER", "--reason needs --drop")
	case !drop && len(names) == 0 && c.Bool("again"):
		return base.Usagef("`board expect --again reader-1`", "no worker is named")
	}
	if drop || len(names) == 0 {
		b, err := p.OpenRun(c)
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
	return base.OnBoard(p.OpenOrCreateRun(c))(func(b *board.Board) error {
		if _, err := b.Expect(c.Context, p.WorkerName(c), names, c.Bool("again")); err != nil {
			return err
		}
		p.noteCreated(b)
		return p.listExpected(c, b, names)
	})
}

func (p *program) done(c *cli.Context) error {
	names := c.Args().Slice()
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		before, err := b.State(c.Context)
		if err != nil {
			return err
		}
		if _, err := b.DoneWithNote(c.Context, p.WorkerName(c), c.String("reason"),
			names...); err != nil {
			return err
		}
		if len(names) == 0 {
			p.noteLogin(c, "done")
			names = []string{p.WorkerName(c)}
		}
		p.noteUnknown(&before, names)
		return p.listExpected(c, b, names)
	})
}

// noteUnknown names workers that the run does not expect, or that have not posted to one
// that expects nobody: the name may be misspelled.
func (p *program) noteUnknown(st *board.State, names []string) {
	known, what, lists := []string{}, "was not expected", "the run expects"
	for _, e := range st.Expected {
		known = append(known, e.Worker)
	}
	if len(known) == 0 {
		what, lists = "has posted nothing", "the workers of this run are"
		for _, w := range st.Workers {
			known = append(known, w.Name)
		}
	}
	for _, name := range names {
		if len(known) > 0 && !slices.Contains(known, name) {
			p.Messagef("note: %s %s; %s%s %s", base.Line(name, board.MaxName), what,
				similar.DidYouMean(name, known), lists, base.Line(strings.Join(known, ", "), 200))
		}
	}
}

// listExpected prints the status of expected workers, of all for nil.
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
	return p.Answer(c, nil, func() {
		width := 0
		for _, e := range shown {
			width = max(width, len(e.Worker))
		}
		for i := range shown {
			e := &shown[i]
			p.Printf("%-*s  %s\n", width, base.Line(e.Worker, board.MaxName),
				p.expectedStatus(e, posted[e.Worker]))
		}
		if len(shown) == 0 {
			p.Messagef("no worker is expected; `board expect reader-1` makes the gate wait for one")
		}
	}, "expected", shown)
}

// expectedStatus is the status of an expected worker.
func (p *program) expectedStatus(e *board.Expected, posted int64) string {
	entries := "nothing posted"
	if posted > 0 {
		entries = base.Count(posted, "entry", "entries")
	}
	switch e.Status {
	case board.WorkerDropped:
		return fmt.Sprintf("dropped by %s: %s", base.Line(e.By, board.MaxName), base.Line(e.Reason, 200))
	case board.WorkerDone:
		said := p.Paint(base.Green, e.Status) + ", " + entries
		if e.Reason != "" {
			said += ": " + base.Line(e.Reason, 200)
		}
		return said
	}
	return p.Paint(base.Red, e.Status) + ", " + entries
}
