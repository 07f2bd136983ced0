package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/kb/secret"
)

// givenTo is the flag of commands that give something of the knowledge base to a run.
func givenTo() cli.Flag {
	return &cli.StringFlag{Name: "run", Aliases: []string{"r"}, Usage: "the `RUN` that asks, whose board keeps what was given; default $BOARD_RUN"}
}

// asking is the run within which something is asked; "" for none.
func (p *program) asking(c *cli.Context) (string, error) {
	name, err := p.runName(c)
	if name == "" && !c.IsSet("run") {
		return "", nil
	}
	return name, err
}

// keepGiven notes on the board of a run what was given. A question is answered whatever becomes of that, and makes no run.
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

// given tells to which runs a capsule was given, and what they made of it.
type given struct {
	Times  int64       `json:"times"`
	Runs   []board.Use `json:"runs"`
	Unread []string    `json:"unread"` // runs whose boards cannot be read
}

func (p *program) givenTo(c *cli.Context, k *kb.KB, capsule *kb.Capsule) (g given, err error) {
	history, err := k.History(c.Context, capsule.ID)
	if err != nil {
		return g, err
	}
	dir, err := p.boardsDir()
	if err != nil {
		return g, err
	}
	if g.Runs, g.Unread, err = board.Uses(c.Context, dir, capsule.ID, capsule.Created, kb.ConfirmedBy(history)); err != nil {
		return g, err
	}
	for i := range g.Runs {
		g.Times += g.Runs[i].Times
	}
	return g, nil
}

func (p *program) printGiven(g *given) {
	used := 0
	for i := range g.Runs {
		if g.Runs[i].Used {
			used++
		}
	}
	by := "none"
	if used > 0 {
		by = fmt.Sprint(used)
	}
	if len(g.Runs) == 0 {
		p.printf("%-11s to no run\n", "given")
	} else {
		p.printf("%-11s %s to %s, used by %s\n", "given", count(g.Times, "time", "times"), count(int64(len(g.Runs)), "run", "runs"), by)
	}
	for i := range g.Runs {
		u := &g.Runs[i]
		p.printf("  %s  %s, last %s: %s\n", safe(u.Run), count(u.Times, "time", "times"), clock(u.Last), safe(u.Made()))
	}
}

// noteUnread names the boards that could not be asked.
func (p *program) noteUnread(runs []string) {
	if len(runs) > 0 {
		p.talk("note: whether it was given to %s is not known: their boards cannot be read; `board doctor` says why", safe(strings.Join(runs, ", ")))
	}
}
