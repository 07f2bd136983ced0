package runcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	kbhome "blackboard/kb/home"
)

func (p *program) runCommands() []*cli.Command {
	return []*cli.Command{
		p.operation(&ops.ListRuns, policyFlag()),
		p.operation(&ops.Start, policyFlag()), p.newCommand(),
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

// namedRun returns the run of a command that takes it as its argument or by --run.
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

// newCommand returns the hidden command `new`, the former name of `start`. It does not join a run that exists: that is
// an error, or no error with --exists-ok.
func (p *program) newCommand() *cli.Command {
	wanted := p.Wanted
	if slices.Contains(wanted, "new") {
		p.Wanted = nil
	}
	c := p.operation(&ops.Start)
	p.Wanted, c.Name, c.Aliases, c.Category, c.Hidden = wanted, "new", nil, base.CategoryRun, true
	c.Flags = append(c.Flags, policyFlag(), &cli.BoolFlag{Name: "exists-ok",
		Usage: "an existing run is no error, and is not changed"})
	return c
}

// Start creates a run, which has the command's policy on record, or joins it.
func (h *host) Start(ctx context.Context, in *ops.StartIn, who string, fn func(*board.Board,
	*check.Policy, bool, bool) error) error {
	c, name := h.c, in.Run
	name = cmp.Or(name, h.Env("BOARD_RUN")) // which a script has set up
	dir, err := h.BoardsDir()
	if err == nil {
		err = board.CheckRun(name)
	}
	if err != nil {
		return err
	}
	follow, err := h.policy(c, nil)
	if err != nil {
		return err
	}
	by, err := follow.ToRecord(in.Reason)
	if err != nil {
		return err
	}
	b, err := kbhome.NewRun(ctx, dir, name, in.Goal, who, by)
	join := c.Command.Name == "start"
	there := errors.Is(err, fault.Conflict) && (join || c.Bool("exists-ok"))
	if there {
		b, err = kbhome.Run(ctx, dir, name)
	}
	if errors.Is(err, fault.Conflict) {
		err = fault.With(err, "choose another name, or use the existing run with --exists-ok")
	}
	return base.OnBoard(b, err)(func(b *board.Board) (err error) {
		recorded := false
		if there && join {
			if recorded, err = h.recordPolicy(c, b, by); err != nil {
				return err
			}
		}
		if follow, err = check.PolicyOf(ctx, b, "."); err != nil {
			return err
		}
		if err = fn(b, &follow, there, recorded); err == nil && h.Env("BOARD_RUN") != name && !c.Bool("json") {
			h.Messagef("export BOARD_RUN=%s makes it the run of every command", name)
		}
		return err
	})
}

func (h *host) Named(paths []string) ([]string, string, error) { return paths, "", nil }

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
				base.Count(st.Signals.Total, "question", "questions"))
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
	return p.Answer(c, board.Remove(c.Context, dir, name, seen), func() { p.Printf("run %s deleted\n", name) },
		"removed", name, "dry_run", false)
}
