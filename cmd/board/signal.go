package main

import (
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/board"
)

func leaseFlag() cli.Flag {
	return &cli.DurationFlag{Name: "lease", Usage: "how long the claim holds", Value: board.DefaultLease}
}

func (p *program) signalCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "signal", Category: catWrite, Usage: "raise an open question", ArgsUsage: "TEXT | -",
			Description: "While a critical or high signal is open, the gate is closed.",
			Flags: flags([]cli.Flag{
				&cli.StringFlag{Name: "priority", Aliases: []string{"p"}, Usage: "`PRIORITY`: critical, high, medium or low", Value: "medium"},
				&cli.StringFlag{Name: "origin", Usage: "the `ENTRY` it arises from"},
				&cli.StringFlag{Name: "key", Aliases: []string{"k"}, Usage: "a `KEY` of your own: raising again under it returns the first signal"},
				quietFlag(), noCreateFlag()}, writeFlags()),
			Action: p.signal,
		},
		{
			Name: "claim", Category: catWrite, Usage: "take a signal to work on, so that nobody else does", ArgsUsage: "[SIGNAL]",
			Description: "Without an id it takes the most urgent open signal that is free. The claim ends with the lease, with `board release`,\nor when the signal is closed. Claiming again extends it. A claim keeps others from claiming, not from answering.\nIt is held under the worker's name: give each shell its own with --worker or $BOARD_WORKER.\nExit 6 when nothing is free, or another worker holds it.",
			Flags: flags([]cli.Flag{leaseFlag(),
				&cli.StringFlag{Name: "min-priority", Usage: "without an id: take none below this `PRIORITY`"}, quietFlag()}, writeFlags()),
			Action: p.claim,
		},
		{
			Name: "release", Category: catWrite, Usage: "give a claimed signal back", ArgsUsage: "SIGNAL",
			Flags: writeFlags(&cli.BoolFlag{Name: "force", Usage: "take it away from another worker"}),
			Action: p.onSignal(func(c *cli.Context, b *board.Board, id string) (board.Signal, error) {
				s, err := b.Release(c.Context, p.workerName(c), id, c.Bool("force"))
				if err == nil {
					p.sayLogin(c, "released")
				}
				return s, err
			}),
		},
		{
			Name: "address", Category: catWrite, Usage: "answer a signal, with a new entry or one that is there", ArgsUsage: "SIGNAL (TEXT | - | --by ENTRY)",
			Flags:  flags([]cli.Flag{&cli.StringFlag{Name: "by", Usage: "the `ENTRY` that answers it"}, quietFlag()}, postFlags(board.Analysis), linkFlags(), writeFlags()),
			Action: p.address,
		},
		{
			Name: "waive", Category: catWrite, Usage: "leave a signal unanswered, with a reason", ArgsUsage: "SIGNAL REASON",
			Description: "The reason and who waived stay on record; survival asks that the artifact mentions the question all the same.",
			Flags:       writeFlags(&cli.StringFlag{Name: "reason", Usage: "why (`TEXT`), if it is not the second argument"}),
			Action: p.onSignal(func(c *cli.Context, b *board.Board, id string) (board.Signal, error) {
				return b.Waive(c.Context, p.workerName(c), id, c.String("reason"))
			}, "reason"),
		},
		{
			Name: "reopen", Category: catWrite, Usage: "open an addressed or waived signal again", ArgsUsage: "SIGNAL",
			Flags: writeFlags(&cli.StringFlag{Name: "note", Aliases: []string{"reason"}, Usage: "why (`TEXT`), for the record"}),
			Action: p.onSignal(func(c *cli.Context, b *board.Board, id string) (board.Signal, error) {
				return b.Reopen(c.Context, p.workerName(c), id, c.String("note"))
			}),
		},
	}
}

func (p *program) signal(c *cli.Context) error {
	content, err := p.text(c, "question", c.Args().Slice())
	if err != nil {
		return err
	}
	if c.String("priority") == "" {
		_, err := board.PriorityRank("")
		return err
	}
	b, err := p.openToPost(c)
	if err != nil {
		return err
	}
	defer b.Close()
	r, err := b.Signal(c.Context, p.workerName(c), board.Raise{Content: content, Priority: c.String("priority"), Origin: c.String("origin"), Key: c.String("key")})
	if err != nil {
		return err
	}
	p.sayMade(b)
	switch {
	case c.Bool("json"):
		return p.json("signal", r.Signal, "existing", r.Existing)
	case c.Bool("quiet"):
		p.printf("%s\n", r.Signal.ID)
	case r.Existing:
		p.printf("%s was on %s already, under this key\n", r.Signal.ID, b.Run())
	default:
		note := ""
		// The signal is raised, whatever is wrong with a policy: the gate says what it is.
		if by, err := p.policy(c); err == nil && by.Gate.Blocks(&r.Signal) {
			note = "; the gate is closed until it is addressed or waived"
		}
		p.printf("%s %s signal raised on %s%s\n", r.Signal.ID, r.Signal.Priority, b.Run(), note)
	}
	return nil
}

// onSignal makes the action of a command that changes the signal named by its argument.
//
// A second argument stands for the flag textFlag, if there is one.
func (p *program) onSignal(change func(*cli.Context, *board.Board, string) (board.Signal, error), textFlag ...string) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.NArg() == 2 && len(textFlag) == 1 && !c.IsSet(textFlag[0]) {
			if err := c.Set(textFlag[0], c.Args().Get(1)); err != nil {
				return err
			}
		} else if c.NArg() != 1 {
			return usagef("`board "+c.Command.Name+" s3 …`", "one signal is needed, but %d arguments are given", c.NArg())
		}
		b, err := p.open(c)
		if err != nil {
			return err
		}
		defer b.Close()
		s, err := change(c, b, c.Args().First())
		if err != nil {
			return err
		}
		return p.changed(c, s)
	}
}

// changed says how a signal is now.
func (p *program) changed(c *cli.Context, s board.Signal) error {
	switch {
	case c.Bool("json"):
		return p.json("signal", s)
	case c.Bool("quiet"):
		p.printf("%s\n", s.ID)
	default:
		p.printf("%s\n", p.signalLine(&s, time.Now()))
	}
	return nil
}

func (p *program) claim(c *cli.Context) error {
	if c.NArg() == 1 {
		if c.IsSet("min-priority") {
			return usagef("leave one out", "--min-priority is for claiming without an id")
		}
	} else if err := noArgs(c); err != nil {
		return err
	}
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	var s board.Claimed
	if c.NArg() == 1 {
		s, err = b.Claim(c.Context, p.workerName(c), c.Args().First(), c.Duration("lease"))
	} else {
		s.Signal, err = b.ClaimNext(c.Context, p.workerName(c), c.String("min-priority"), c.Duration("lease"))
	}
	if err != nil {
		return err
	}
	p.sayLogin(c, "claimed")
	if s.Since != nil {
		p.talk("%s was already claimed by %s, at %s; the lease is extended", s.ID, safe(s.ClaimedBy), s.Since.Format(time.RFC3339))
	}
	if c.Bool("json") {
		return p.json("signal", s.Signal, "since", s.Since)
	}
	return p.changed(c, s.Signal)
}

// sayLogin tells that a claim was made, or ended, under a login name: the name does not tell the shells of a login apart.
func (p *program) sayLogin(c *cli.Context, done string) {
	if p.namedWorker(c) == "" {
		p.talk("%s as login name %s; other shells of this login share that name; use --worker or $BOARD_WORKER", done, safe(p.workerName(c)))
	}
}

func (p *program) address(c *cli.Context) error {
	if c.NArg() == 0 {
		return usagef("`board address s3 \"the answer\"`, or `board address s3 --by e12`", "no signal is given")
	}
	id := c.Args().First()
	if !looksLikeID.MatchString(id) {
		return usagef("`board address s3 \"the answer\"`", "%q is not the id of a signal", board.Line(id, 60))
	}
	if c.IsSet("by") {
		if c.NArg() > 1 {
			return usagef("give one of them", "both --by and a text are given")
		}
		for _, f := range flags(postFlags(""), linkFlags()) {
			if name := f.Names()[0]; c.IsSet(name) {
				return usagef("leave it out, or answer with a new entry", "--%s is for a new entry, but --by names one that is there", name)
			}
		}
		return p.onSignal(func(c *cli.Context, b *board.Board, id string) (board.Signal, error) {
			return b.Address(c.Context, p.workerName(c), id, c.String("by"))
		})(c)
	}
	content, err := p.text(c, "answer", c.Args().Tail())
	if err != nil {
		return err
	}
	post, err := postFrom(c, content)
	if err != nil {
		return err
	}
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	posted, s, err := b.PostAddressing(c.Context, p.workerName(c), id, post)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.json("signal", s, "entry", posted.Entry, "existing", posted.Existing)
	}
	p.posted(c, b.Run(), posted)
	if c.Bool("quiet") {
		return nil // the entry's id is the answer
	}
	return p.changed(c, s)
}
