package runcmd

import (
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/cmd/board/base"
)

func leaseFlag() cli.Flag {
	return &cli.DurationFlag{Name: "lease",
		Usage: "how long the claim holds", Value: board.DefaultLease}
}

func (p *program) signalCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "ask", Aliases: []string{"signal"}, Category: base.CategoryWrite,
			Usage: "raise a question; critical and high ones keep the gate closed", ArgsUsage: "TEXT | -",
			Flags: base.JoinFlags([]cli.Flag{
				&cli.StringFlag{Name: "priority", Aliases: []string{"p"},
					Usage: "`PRIORITY`: critical, high, medium or low", Value: "medium"},
				&cli.StringFlag{Name: "origin", Usage: "the `ENTRY` it arises from"},
				&cli.StringFlag{Name: "key", Aliases: []string{"k"},
					Usage: "a `KEY` of your own: raising again under it returns the first signal"},
				base.QuietFlag(), base.KeepSecretFlag(), noCreateFlag()}, base.WriteFlags()),
			Action: p.signal,
		},
		{
			Name: "claim", Category: base.CategoryWrite,
			Usage: "claim a signal, so that no other worker does", ArgsUsage: "[SIGNAL]",
			Description: "Without an id it claims the most urgent open signal that is free. The claim " +
				"ends with the lease, with `board release`,\nor when the signal is closed. " +
				"Claiming again " +
				"extends it. A claim keeps others from claiming, not from answering.\nIt is " +
				"held under the " +
				"worker's name: give each shell its own with --worker or $BOARD_WORKER.\nExit 6 when " +
				"nothing is free, or another worker holds it.",
			Flags: base.JoinFlags([]cli.Flag{leaseFlag(),
				&cli.StringFlag{Name: "min-priority",
					Usage: "without an id: take none below this `PRIORITY`"}, base.QuietFlag()},
				base.WriteFlags()),
			Action: p.claim,
		},
		{
			Name: "release", Category: base.CategoryWrite,
			Usage: "release a claimed signal", ArgsUsage: "SIGNAL",
			Flags: base.WriteFlags(&cli.BoolFlag{Name: "force", Usage: "also if another worker " +
				"holds it"}),
			Action: p.onSignal(func(c *cli.Context, b *board.Board, id string) (board.Signal, error) {
				s, err := b.Release(c.Context, p.WorkerName(c), id, c.Bool("force"))
				if err == nil {
					p.noteLogin(c, "released")
				}
				return s, err
			}),
		},
		{
			Name: "answer", Aliases: []string{"address"}, Category: base.CategoryWrite,
			Usage:     "answer a question, with a new entry or an existing one",
			ArgsUsage: "SIGNAL (TEXT | - | --entry ENTRY)",
			Flags: base.JoinFlags([]cli.Flag{&cli.StringFlag{Name: "entry",
				Usage: "the `ENTRY` that answers it"}, base.QuietFlag(), base.KeepSecretFlag()}, postFlags(board.Analysis),
				linkFlags(""), base.WriteFlags()),
			Action: p.address,
		},
		{
			Name: "waive", Category: base.CategoryWrite,
			Usage: "leave a signal unanswered, with a reason", ArgsUsage: "SIGNAL REASON",
			Description: "The reason and the worker stay on record. Survival still requires that the " +
				"report mentions the question.",
			Flags: base.WriteFlags(&cli.StringFlag{Name: "reason",
				Usage: "why (`TEXT`), if it is not the second argument"}, base.KeepSecretFlag()),
			Action: p.onSignal(func(c *cli.Context, b *board.Board, id string) (board.Signal, error) {
				return b.Waive(c.Context, p.WorkerName(c), id, c.String("reason"))
			}, "reason"),
		},
		{
			Name: "reopen", Category: base.CategoryWrite,
			Usage: "reopen an addressed or waived signal", ArgsUsage: "SIGNAL",
			Flags: base.WriteFlags(&cli.StringFlag{Name: "reason", Aliases: []string{"note"},
				Usage: "why (`TEXT`), for the record"}, base.KeepSecretFlag()),
			Action: p.onSignal(func(c *cli.Context, b *board.Board, id string) (board.Signal, error) {
				return b.Reopen(c.Context, p.WorkerName(c), id, c.String("reason"))
			}),
		},
	}
}

func (p *program) signal(c *cli.Context) error {
	content, err := p.Content(c, "question", c.Args().Slice())
	if err != nil {
		return err
	}
	if c.String("priority") == "" {
		_, err := board.PriorityRank("")
		return err
	}
	return base.OnBoard(p.OpenOrCreateRun(c))(func(b *board.Board) error {
		r, err := b.Signal(c.Context, p.WorkerName(c), board.Raise{Content: content,
			Priority: c.String("priority"), Origin: c.String("origin"), Key: c.String("key")})
		if err != nil {
			return err
		}
		p.noteCreated(b)
		switch {
		case c.Bool("json"):
			return p.JSON("signal", r.Signal, "existing", r.Existing)
		case c.Bool("quiet"):
			p.Printf("%s\n", r.Signal.ID)
		case r.Existing:
			p.Printf("%s is already on %s, under this key\n", r.Signal.ID, b.Run())
		default:
			note := ""
			// The signal is raised, whatever is wrong with a policy: the gate says what it
			// is.
			if by, err := p.policy(c, b); err == nil && by.Gate.Blocks(&r.Signal) {
				note = "; the gate is closed until it is addressed or waived"
			}
			p.Printf("%s %s signal raised on %s%s\n", r.Signal.ID, r.Signal.Priority, b.Run(), note)
		}
		return nil
	})
}

// onSignal makes the action of a command that changes the signal named by its argument.
//
// A second argument stands for the flag textFlag, if there is one.
func (p *program) onSignal(change func(*cli.Context, *board.Board, string) (board.Signal, error),
	textFlag ...string) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.NArg() == 2 && len(textFlag) == 1 && !c.IsSet(textFlag[0]) {
			if err := c.Set(textFlag[0], c.Args().Get(1)); err != nil {
				return err
			}
		} else if c.NArg() != 1 {
			return base.Usagef("`board "+c.Command.Name+" SIGNAL …`",
				"one signal is needed, but %d arguments are given", c.NArg())
		}
		b, err := p.OpenRun(c)
		if err != nil {
			return err
		}
		defer b.Close()
		s, err := change(c, b, c.Args().First())
		if err != nil {
			return err
		}
		return p.printChanged(c, s)
	}
}

// printChanged prints the new state of a signal.
func (p *program) printChanged(c *cli.Context, s board.Signal) error {
	switch {
	case c.Bool("json"):
		return p.JSON("signal", s)
	case c.Bool("quiet"):
		p.Printf("%s\n", s.ID)
	default:
		p.Printf("%s\n", p.signalLine(&s, time.Now()))
	}
	return nil
}

func (p *program) claim(c *cli.Context) error {
	if c.NArg() == 1 {
		if c.IsSet("min-priority") {
			return base.Usagef("leave one out", "--min-priority is for claiming without an id")
		}
	} else if err := base.NoArgs(c); err != nil {
		return err
	}
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) (err error) {
		var s board.Claimed
		if c.NArg() == 1 {
			s, err = b.Claim(c.Context, p.WorkerName(c), c.Args().First(), c.Duration("lease"))
		} else {
			s.Signal, err = b.ClaimNext(c.Context, p.WorkerName(c), c.String("min-priority"),
				c.Duration("lease"))
		}
		if err != nil {
			return err
		}
		p.noteLogin(c, "claimed")
		if s.Since != nil {
			p.Messagef("%s was already claimed by %s, at %s; the lease is extended", s.ID,
				base.Safe(s.ClaimedBy), s.Since.Format(time.RFC3339))
		}
		if c.Bool("json") {
			return p.JSON("signal", s.Signal, "since", s.Since)
		}
		return p.printChanged(c, s.Signal)
	})
}

// noteLogin tells that a claim is held under a login name, which all shells of the
// login share.
func (p *program) noteLogin(c *cli.Context, done string) {
	if p.NamedWorker(c) == "" {
		p.Messagef("%s as login name %s; other shells of this login share that name; use --worker or "+
			"$BOARD_WORKER", done, base.Safe(p.WorkerName(c)))
	}
}

func (p *program) address(c *cli.Context) error {
	if c.NArg() == 0 {
		return base.Usagef("`board answer SIGNAL \"the answer\"`, or `board answer SIGNAL --entry ENTRY`",
			"no signal is given")
	}
	id := c.Args().First()
	if _, err := board.ParseSignalID(id); err != nil {
		return err
	}
	if c.IsSet("entry") {
		if c.NArg() > 1 {
			return base.Usagef("give one of them", "both --entry and a text are given")
		}
		for _, f := range base.JoinFlags(postFlags(""), linkFlags("")) {
			if name := f.Names()[0]; c.IsSet(name) {
				return base.Usagef("leave it out, or answer with a new entry",
					"--%s is for a new entry, but --entry names an existing one", name)
			}
		}
		return p.onSignal(func(c *cli.Context, b *board.Board, id string) (board.Signal, error) {
			return b.Address(c.Context, p.WorkerName(c), id, c.String("entry"))
		})(c)
	}
	content, err := p.Content(c, "answer", c.Args().Tail())
	if err != nil {
		return err
	}
	post, err := postFrom(c, content)
	if err != nil {
		return err
	}
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		before, _ := b.SignalByID(c.Context, id) // what is wrong with it, the post says
		posted, s, err := b.PostAddressing(c.Context, p.WorkerName(c), id, post)
		if err != nil {
			return err
		}
		checked := p.checkPosted(c, b, posted)
		if c.Bool("json") {
			return p.JSON("signal", s, "entry", posted.Entry, "existing", posted.Existing, "checked",
				checked)
		}
		if by := before.Signal.ClaimedBy; by != "" && by != p.WorkerName(c) && !posted.Existing {
			p.Messagef("note: %s was claimed by %s, who may be at work on it", s.ID, base.Safe(by))
		}
		p.printPosted(c, b.Run(), posted)
		if c.Bool("quiet") {
			return nil // the entry's id is the answer
		}
		p.printFeedback(c, checked)
		return p.printChanged(c, s)
	})
}
