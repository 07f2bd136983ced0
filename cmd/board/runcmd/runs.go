package runcmd

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/policy"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	kbhome "blackboard/kb/home"
)

func (p *program) runCommands() []*cli.Command {
	return []*cli.Command{
		p.operation(&ops.ListRuns, policyFlag()),
		{
			Name: "new", Category: base.CategoryRun, Hidden: true,
			Usage: "create a run (the first post does it too)", ArgsUsage: "[RUN]",
			Flags: base.WriteFlags(&cli.StringFlag{Name: "goal", Aliases: []string{"g"},
				Usage: "what the run is to find out (`TEXT`)"},
				&cli.BoolFlag{Name: "exists-ok",
					Usage: "an existing run is no error, and is not changed"},
				base.KeepSecretFlag(), policyFlag()),
			Action: p.newRun,
		},
		{
			Name: "start", Category: base.CategoryWrite,
			Usage: "open a run: its goal, its workers, its sources", ArgsUsage: "[RUN]",
			Description: `Creates the run, with the policy of this directory on record: it is judged
by that one, wherever it is asked. A run that is there is joined; one without a policy on
record takes the directory's. --policy FILE with --reason records another one.`,
			Flags: base.WriteFlags(&cli.StringFlag{Name: "goal", Aliases: []string{"g"},
				Usage: "what the run is to find out (`TEXT`)"},
				&cli.StringSliceFlag{Name: "expect",
					Usage: "`WORKER` that the gate waits for, repeatable or with commas"},
				&cli.StringSliceFlag{Name: "sources",
					Usage: "`PATH` of files that quotes are checked against, repeatable"},
				base.KeepSecretFlag(), policyFlag(),
				&cli.StringFlag{Name: "reason",
					Usage: "why the policy on record is replaced (`TEXT`)"}),
			Action: p.newRun,
		},
		{
			Name: "rm", Category: base.CategoryRun,
			Usage: "delete a run and everything on it", ArgsUsage: "RUN",
			Description: "Asks first; without a terminal it needs --yes. The run must be named: " +
				"$BOARD_RUN does not count. `board export` before it keeps what was found.",
			Flags:  base.ReadFlags(base.DeleteFlags()...),
			Action: p.rm,
		},
	}
}

// namedRun is the run of a command that takes it as its argument, or by the flag.
func namedRun(c *cli.Context) (string, error) {
	switch {
	case c.NArg() > 1:
		return "", base.Usagef("name one", "`board %s` takes one run, but got %d", c.Command.Name,
			c.NArg())
	case c.NArg() == 1 && c.IsSet("run") && c.String("run") != c.Args().First():
		return "", base.Usagef("name one", "two runs are named: %q and %q", c.Args().First(),
			c.String("run"))
	case c.NArg() == 1:
		return c.Args().First(), board.CheckRun(c.Args().First())
	case c.IsSet("run"):
		return c.String("run"), board.CheckRun(c.String("run"))
	}
	return "", base.Usagef("`board "+c.Command.Name+" NAME`", "no run is named")
}

func (p *program) newRun(c *cli.Context) error {
	if c.NArg() == 0 && !c.IsSet("run") {
		name, err := p.RunName(c) // $BOARD_RUN is what a script has set up
		if err != nil {
			return err
		}
		return p.createRun(c, name)
	}
	name, err := namedRun(c)
	if err != nil {
		return err
	}
	return p.createRun(c, name)
}

// createRun creates a run, which has the command's policy on record and expects its workers.
func (p *program) createRun(c *cli.Context, name string) error {
	dir, err := p.BoardsDir()
	if err != nil {
		return err
	}
	follow, err := p.policy(c, nil)
	if err != nil {
		return err
	}
	sources, err := ops.Sources("", c.StringSlice("sources")) // before anything is made
	if err != nil {
		return err
	}
	p.MaskSecrets(c)
	by, err := follow.ToRecord(c.String("reason"))
	if err != nil {
		return err
	}
	b, err := kbhome.NewRun(c.Context, dir, name, c.String("goal"), p.WorkerName(c), by)
	join := c.Command.Name == "start"
	there := errors.Is(err, fault.Conflict) && (join || c.Bool("exists-ok"))
	if there {
		b, err = kbhome.Run(c.Context, dir, name)
	}
	if errors.Is(err, fault.Conflict) {
		err = fault.With(err, "choose another name, or use the existing run with --exists-ok")
	}
	if err != nil {
		return err
	}
	defer b.Close()
	recorded := false
	if there && join {
		if recorded, err = p.recordPolicy(c, b, by); err != nil {
			return err
		}
	}
	if follow, err = policy.Of(c.Context, b, "."); err != nil {
		return err
	}
	st, err := ops.Join(c.Context, b, p.WorkerName(c), &follow, base.List(c, "expect"), sources)
	if err != nil {
		return err
	}
	if goal := c.String("goal"); there && goal != "" && goal != st.Goal {
		p.Messagef("note: %s has another goal, which stays: %s", name, base.Line(cmp.Or(st.Goal, "none"),
			200))
	}
	if c.Bool("json") {
		return p.JSON("state", st, "existed", there, "policy", follow.Used)
	}
	if there {
		p.Printf("run %s already exists, and is used\n", name)
	} else {
		p.Printf("created run %s\n", name)
	}
	if own := follow.Gate.Expect; len(own) > 0 {
		p.Printf("its gate waits for %s, as %s says\n", base.Safe(strings.Join(own, ", ")),
			base.Safe(follow.Path))
	}
	if named := base.List(c, "expect"); len(named) > 0 {
		p.Printf("its gate waits for %s\n", base.Safe(strings.Join(named, ", ")))
	}
	if len(sources) > 0 {
		p.Printf("%s registered\n", base.Count(int64(len(sources)), "source", "sources"))
	}
	if recorded || !there && follow.Path != "" || follow.Note != "" {
		page := p.Page()
		ops.PolicyText(page, &follow.Used)
		p.Printf("%s", page)
	}
	if p.Env("BOARD_RUN") != name {
		p.Messagef("export BOARD_RUN=%s makes it the run of every command", name)
	}
	return nil
}

// recordPolicy records a policy for a run that is there: the one that the call names, else the
// directory's if the run has none.
func (p *program) recordPolicy(c *cli.Context, b *board.Board, by *board.NewPolicy) (bool, error) {
	had, err := b.RecordedPolicy(c.Context)
	if err != nil || !c.IsSet("policy") && (had != nil || by == nil) {
		return false, err
	}
	if by == nil { // --policy none
		by = &board.NewPolicy{Reason: c.String("reason")}
	}
	return b.RecordPolicy(c.Context, p.WorkerName(c), *by)
}

func (p *program) rm(c *cli.Context) error {
	name, err := namedRun(c) // never $BOARD_RUN: what is deleted is said
	if err != nil {
		return err
	}
	dir, err := p.BoardsDir()
	if err != nil {
		return err
	}
	seen, what := int64(0), "the run "+name // --yes: whatever is on it
	if !c.Bool("yes") || c.Bool("dry-run") {
		err := kbhome.OnRun(c.Context, dir, name, func(b *board.Board) error {
			st, err := b.State(c.Context)
			seen = st.Seq
			what += fmt.Sprintf(" with %s and %s", base.Count(st.Entries.Total, "entry", "entries"),
				base.Count(st.Signals.Total, "signal", "signals"))
			return err
		})
		if err != nil {
			return err
		}
	}
	if c.Bool("dry-run") {
		return p.Answer(c, nil, func() { p.Printf("would be deleted for good: %s\n", what) }, "removed",
			name, "dry_run", true)
	}
	if err := p.ConfirmDelete(c, what); err != nil {
		return err
	}
	if err := board.Remove(c.Context, dir, name, seen); err != nil {
		return err
	}
	return p.Answer(c, nil, func() { p.Printf("run %s deleted\n", name) }, "removed", name, "dry_run",
		false)
}
