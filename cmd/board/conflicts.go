package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/cmd/board/ci"
)

func (p *program) conflictCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "conflicts", Category: catJudge, Usage: "list findings that may contradict each other, and nobody said so",
			Description: `Compares active entries about one thing: other numbers or dates, a negation, an opposite. The best candidates come first; read
both before you decide. Words are compared, not meaning: some pairs are no conflict, and some conflicts are not found.
Left out are pairs that a link (contradicts, supersedes) or ` + "`board settle`" + ` has settled, and those whose signal was
addressed or waived. --raise makes a signal of each pair that is listed, once. Exit 0; 4 with --strict if there is any, or if there
are more than conflicts.max of board.yaml.`,
			Flags: flags([]cli.Flag{
				&cli.IntFlag{Name: "max", Aliases: []string{"n"}, Usage: "list at most `N` pairs; 0: all", Value: 50},
				&cli.StringSliceFlag{Name: "type", Aliases: []string{"t"}, Usage: "compare entries of this `TYPE` alone, repeatable (default: all but contradiction)"},
				&cli.BoolFlag{Name: "raise", Usage: "raise a signal for each pair listed that has none"},
				&cli.StringFlag{Name: "priority", Aliases: []string{"p"}, Usage: "with --raise: `PRIORITY` of the signals: critical, high, medium or low", Value: "medium"},
				&cli.BoolFlag{Name: "strict", Usage: "exit 4 if there is any pair"},
				policyFlag(),
			}, formatFlags(), writeFlags()),
			Action: p.conflicts,
		},
		{
			Name: "settle", Category: catWrite, Usage: "say why two entries that seem to contradict each other are no conflict", ArgsUsage: "ENTRY OTHER REASON",
			Description: "For entries that both hold: of other years, on other bases. If one is wrong, supersede it instead. The reason and who settled\nstay on record.",
			Flags:       writeFlags(&cli.StringFlag{Name: "reason", Usage: "why (`TEXT`), if it is not the third argument"}, quietFlag()),
			Action:      p.settle,
		},
	}
}

func (p *program) conflicts(c *cli.Context) error {
	if err := noArgs(c); err != nil {
		return err
	}
	f, err := format(c)
	if err != nil {
		return err
	}
	if c.IsSet("priority") && !c.Bool("raise") {
		return usagef("add --raise", "--priority has a meaning only with --raise")
	}
	follow, err := p.policy(c)
	if err != nil {
		return err
	}
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	found, err := b.Conflicts(c.Context, board.ConflictQuery{Types: list(c, "type"), Max: c.Int("max")})
	if err != nil {
		return err
	}
	pairs := []any{"conflicts", &found}
	raised := []board.Signal{}
	if c.Bool("raise") {
		if raised, err = b.RaiseConflicts(c.Context, p.workerName(c), &found, c.String("priority")); err != nil {
			return err
		}
		pairs = append(pairs, "raised", raised)
	}
	text := func(q *program) {
		q.printConflicts(&found, c.Bool("raise"), len(raised))
		q.saysWhose(&follow)
	}
	if err := p.verdict(c, f, text, pairs, ci.Conflicts(found, versionString())); err != nil {
		return err
	}
	if limit := follow.Conflicts.Max; found.Total > 0 && c.Bool("strict") || limit != nil && found.Total > *limit {
		return verdictError(exitSurvival)
	}
	return nil
}

func (p *program) printConflicts(found *board.Conflicts, raise bool, raised int) {
	p.printf("conflicts of %s: %s in %s\n", found.Run, count(int64(found.Total), "pair", "pairs"), count(int64(found.Compared), "active entry", "active entries"))
	p.printPairs(found)
	if raise {
		p.printf("%s raised\n", count(int64(raised), "signal", "signals"))
	}
	p.printf("%s\n", p.paint(dim, "words were compared, not meaning: read both entries of a pair before you decide"))
}

// printPairs prints the pairs, and how to settle one.
func (p *program) printPairs(found *board.Conflicts) {
	for i := range found.Pairs {
		c := &found.Pairs[i]
		asked := ""
		if c.Signal != "" {
			asked = p.paint(dim, "  (asked in "+c.Signal+")")
		}
		p.printf("  %.2f  %s%s\n", c.Score, line(c.Why[0], 160), asked)
		for _, e := range []struct{ id, content, source string }{{c.A.ID, c.A.Content, c.A.Source}, {c.B.ID, c.B.Content, c.B.Source}} {
			from := ""
			if e.source != "" {
				from = p.paint(dim, "  ["+line(e.source, 60)+"]")
			}
			p.printf("        %-6s %s%s\n", e.id, line(e.content, 200), from)
		}
	}
	if more := found.Total - len(found.Pairs); more > 0 {
		p.printf("  and %d more; --max 0 lists all\n", more)
	}
	if len(found.Pairs) > 0 {
		c := &found.Pairs[0]
		p.printf("both hold: board settle %s %s --reason …; one is wrong: post the corrected entry with --supersedes; undecided: board link %s --contradicts %s\n", c.A.ID, c.B.ID, c.B.ID, c.A.ID)
	}
}

func (p *program) settle(c *cli.Context) error {
	args := c.Args().Slice()
	reason := c.String("reason")
	if len(args) == 3 && !c.IsSet("reason") {
		reason, args = args[2], args[:2]
	}
	if len(args) != 2 {
		return usagef("`board settle e3 e9 --reason \"other years\"`", "two entries are needed, but %s given", given(len(args)))
	}
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	s, err := b.Settle(c.Context, p.workerName(c), args[0], args[1], reason)
	if err != nil {
		return err
	}
	switch {
	case c.Bool("json"):
		return p.json("settlement", s)
	case c.Bool("quiet"):
		p.printf("%s %s\n", s.A, s.B)
	default:
		p.printf("settled %s and %s on %s: %s\n", s.A, s.B, b.Run(), line(s.Reason, 160))
	}
	return nil
}

// given says how many arguments there are.
func given(n int) string {
	if n == 1 {
		return "1 argument is"
	}
	return fmt.Sprintf("%d arguments are", n)
}
