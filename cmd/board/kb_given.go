package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/kb/secret"
)

// givenTo is the flag of commands that give something of the knowledge base to a run.
func givenTo() cli.Flag {
	return &cli.StringFlag{Name: "run", Aliases: []string{"r"},
		Usage: "the `RUN` that asks, whose board keeps what was given; default $BOARD_RUN"}
}

// asking is the run within which something is asked; "" for none. A $BOARD_RUN that is no name of
// a run keeps no question from its answer.
func (p *program) asking(c *cli.Context) (string, error) {
	name, err := p.runName(c)
	if err == nil || c.IsSet("run") {
		return name, err
	}
	if name != "" {
		p.talk("note: what was given is not kept: %s", safe(err.Error()))
	}
	return "", nil
}

// keepGiven notes on the board of a run what was given. A question is answered whatever
// becomes of that, and makes no run.
func (p *program) keepGiven(c *cli.Context, run string, r board.Retrieval) {
	if run == "" || len(r.Capsules) == 0 {
		return
	}
	r.Task = secret.Redact(r.Task)
	b, err := p.open(c)
	if err == nil {
		defer b.Close()
		err = b.Retrieved(c.Context, p.workerName(c), r)
	}
	if err != nil {
		p.talk("note: what was given is not kept: %s", safe(err.Error()))
	}
}

// usage is to which runs a capsule was given, and what they made of it.
func (p *program) usage(c *cli.Context, k *kb.KB, capsule *kb.Capsule) (board.Usage, error) {
	history, err := k.History(c.Context, capsule.ID)
	if err != nil {
		return board.Usage{}, err
	}
	dir, err := p.boardsDir()
	if err != nil {
		return board.Usage{}, err
	}
	return board.UsageOf(c.Context, dir, capsule.ID, capsule.Created, kb.ConfirmedBy(history))
}

func (p *program) printUsage(g *board.Usage) {
	p.printf("%-11s %s\n", "given", g.Describe())
	for i := range g.Runs {
		u := &g.Runs[i]
		p.printf("  %s  %s, last %s: %s\n", safe(u.Run), count(u.Times, "time", "times"),
			clock(u.Last), safe(u.Made()))
	}
}

// noteUnread names the boards that could not be asked.
func (p *program) noteUnread(runs []string) {
	if len(runs) > 0 {
		p.talk("note: whether it was given to %s is not known: their boards cannot be read; "+
			"`board doctor` says why", safe(strings.Join(runs, ", ")))
	}
}
