package runcmd

import (
	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/policy"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
)

func (p *program) conflictCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "conflicts", Category: base.CategoryJudge,
			Usage: "propose pairs of findings that may contradict each other",
			Description: `Ranks pairs of active entries that share rare words, by how much both are about one thing and who
says it, and shows the first with what differs: figures, dates, a denial, an opposite, an order.
They are proposals: read both before you decide. Likely pairs differ plainly in one thing, and are
of one kind, time and name; they alone are counted, raised and held against a policy. Words are
compared, not meaning: most pairs are no conflict, and some conflicts are not found. A pair is
left out once a link (contradicts, supersedes) or ` + "`board accept`" + ` has settled it, or its signal
was addressed or waived. --raise raises a signal for each likely pair listed, once. Exit 0; 4 if
more are likely than conflicts.max of board.yaml, or with --strict if any is.`,
			Flags: base.JoinFlags([]cli.Flag{
				&cli.IntFlag{Name: "limit", Aliases: []string{"n"},
					Usage: "list at most `N` pairs; 0: all", Value: 10},
				&cli.StringSliceFlag{Name: "type", Aliases: []string{"t"},
					Usage: "compare entries of this `TYPE` alone, repeatable (default: all but " +
						"contradiction)"},
				&cli.BoolFlag{Name: "raise", Usage: "raise a signal for each likely pair listed that has none"},
				&cli.StringFlag{Name: "priority", Aliases: []string{"p"},
					Usage: "with --raise: `PRIORITY` of the signals: critical, high, medium or low",
					Value: "medium"},
				&cli.BoolFlag{Name: "strict", Usage: "exit 4 if any pair is likely"},
				policyFlag(),
			}, formatFlags(), base.WriteFlags()),
			Action: p.conflicts,
		},
		p.operation(&ops.Accept),
	}
}

func (p *program) conflicts(c *cli.Context) error {
	if err := base.NoArgs(c); err != nil {
		return err
	}
	f, err := format(c)
	if err != nil {
		return err
	}
	if c.IsSet("priority") && !c.Bool("raise") {
		return base.Usagef("add --raise", "--priority needs --raise")
	}
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		follow, err := p.policy(c, b)
		if err != nil {
			return err
		}
		found, err := b.Conflicts(c.Context, board.ConflictQuery{Types: base.List(c, "type"),
			Max: c.Int("limit")})
		if err != nil {
			return err
		}
		pairs := []any{"conflicts", &found}
		raised := []board.Signal{}
		if c.Bool("raise") {
			if raised, err = b.RaiseConflicts(c.Context, p.WorkerName(c), &found,
				c.String("priority")); err != nil {
				return err
			}
			pairs = append(pairs, "raised", raised)
		}
		text := func(q *program) {
			q.printConflicts(&found, c.Bool("raise"), len(raised))
			q.printPolicySource(&follow)
		}
		if err := p.verdict(c, f, text, pairs,
			stepReport(check.Step{Name: policy.Conflicts, Conflicts: &found, Passed: found.Total == 0})); err != nil {
			return err
		}
		if limit := follow.Conflicts.Max; found.Total > 0 && c.Bool("strict") || limit != nil &&
			found.Total > *limit {
			return base.ExitError(base.ExitSurvival)
		}
		return nil
	})
}

func (p *program) printConflicts(found *board.Conflicts, raise bool, raised int) {
	p.Printf("conflicts of %s: looked at %s of %s, %d likely\n", found.Run,
		base.Count(int64(found.Looked), "pair", "pairs"),
		base.Count(int64(found.Compared), "active entry", "active entries"), found.Total)
	p.printPairs(found)
	if raise {
		p.Printf("%s raised\n", base.Count(int64(raised), "signal", "signals"))
	}
	p.Printf("%s\n", p.Paint(base.Dim, "words were compared, not meaning: read both entries of a "+
		"pair before you decide"))
}

// printPairs prints the pairs, and how to settle one.
func (p *program) printPairs(found *board.Conflicts) {
	for i := range found.Pairs {
		c := &found.Pairs[i]
		asked := ""
		if c.Signal != "" {
			asked = p.Paint(base.Dim, "  (asked in "+c.Signal+")")
		}
		likely := ""
		if c.Likely {
			likely = "likely: "
		}
		p.Printf("  %.2f  %s%s%s\n", c.Score, likely, base.Line(c.Why[0], 160), asked)
		for _, e := range []struct{ id, content, source string }{{c.A.ID, c.A.Content, c.A.Source},
			{c.B.ID, c.B.Content, c.B.Source}} {
			from := ""
			if e.source != "" {
				from = p.Paint(base.Dim, "  ["+base.Line(e.source, 60)+"]")
			}
			p.Printf("        %-6s %s%s\n", e.id, base.Line(e.content, 200), from)
		}
	}
	if more := found.Total - likely(found.Pairs); more > 0 {
		p.Printf("  and %d more likely ones; --limit 0 lists all\n", more)
	}
	if len(found.Pairs) > 0 {
		c := &found.Pairs[0]
		p.Printf("both hold: board accept %s %s --reason …; one is wrong: post the corrected entry "+
			"with --supersedes; undecided: board link %s --contradicts %s\n", c.A.ID, c.B.ID, c.B.ID,
			c.A.ID)
	}
}

// likely counts the pairs that are.
func likely(all []board.Conflict) (n int) {
	for i := range all {
		if all[i].Likely {
			n++
		}
	}
	return n
}
