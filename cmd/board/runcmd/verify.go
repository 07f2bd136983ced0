package runcmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
	"blackboard/board/policy"
	"blackboard/board/verify"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/ci"
)

func (p *program) verifyCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "verify", Category: base.CategoryJudge,
			Usage: "check findings against their sources: exit 0 confirmed, 4 not", ArgsUsage: "[ENTRY…]",
			Description: `Looks for the quote of each entry (--quote) in the file that its
--source names, word for word. Each number, date and identifier of the entry must be in
that file, too, and without a quote each name. Sources are the files that are registered (board
source add) and those below --sources, found by path, then by base name. Verdicts are
written to the board, and shown with the entries.`,
			Flags: base.JoinFlags([]cli.Flag{
				sourcesFlag("look for sources among"),
				policyFlag(), outsideFlag(),
				&cli.BoolFlag{Name: "dry-run", Aliases: []string{"no-record"}, Usage: "do not write the verdicts to the board"},
				&cli.BoolFlag{Name: "all", Aliases: []string{"a"},
					Usage: "list the confirmed entries, too"},
			}, formatFlags(), base.WriteFlags()),
			Action: p.verify,
		},
		{
			Name: "source", Category: base.CategoryWrite, Usage: "register the files that the run reads",
			Description: "A registered source has a name, a SHA-256 and a size. `board verify` then " +
				"finds it, notices that it changed, and names the entries\nwhose source is not " +
				"registered.",
			Subcommands: []*cli.Command{
				{
					Name: "add", Usage: "register files, and all files below directories",
					ArgsUsage: "FILE|DIR…",
					Description: "Its name is its path as you give it; entries may name it by " +
						"any end of that " +
						"path. Adding it again after it changed registers the new\nfile, and " +
						"makes verdicts on " +
						"the old one stale.",
					Flags: base.WriteFlags(
						&cli.BoolFlag{
							Name: "text",
							Usage: "keep its text on the board, so that entries can be " +
								"verified where the file is not",
						},
						base.KeepSecretFlag(),
						noCreateFlag(),
					),
					Action: p.sourceAdd,
				},
				{
					Name:   "list",
					Usage:  "list the registered sources",
					Flags:  base.ReadFlags(),
					Action: p.sourceList,
				},
				{
					Name:      "rm",
					Usage:     "remove sources from the list; the log keeps them",
					ArgsUsage: "NAME…",
					Flags:     base.WriteFlags(),
					Action:    p.sourceRemove,
				},
			},
		},
	}
}

func (p *program) verify(c *cli.Context) error {
	f, err := format(c)
	if err != nil {
		return err
	}
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		follow, err := p.policy(c, b)
		if err != nil {
			return err
		}
		opt := board.VerifyOptions{IDs: c.Args().Slice(), NoRecord: c.Bool("dry-run")}
		dirs, err := follow.SourcePaths()
		if err == nil {
			opt.Files, err = verify.FindFiles(dirs...)
		}
		if err != nil {
			return err
		}
		r, err := b.Verify(c.Context, p.WorkerName(c), opt)
		if err != nil {
			return err
		}
		p.noteUnrecorded(&r)
		r.Passed = r.Within(follow.Verify.MaxDoubted, follow.Verify.MaxConcluded)
		text := func(q *program) {
			q.printVerified(&r, c.Bool("all"))
			q.printPolicySource(&follow)
		}
		if err := p.verdict(c, f, text, []any{"verify", r},
			stepReport(check.Step{Name: policy.Verify, Verify: &r, Passed: r.Passed})); err != nil {
			return err
		}
		if !r.Passed {
			return base.ExitError(base.ExitSurvival)
		}
		return nil
	})
}

// noteUnrecorded tells why new verdicts were not written.
func (p *program) noteUnrecorded(r *verify.Result) {
	if r.NotRecorded != "" {
		p.Messagef("verdicts were not recorded: %s", base.Line(r.NotRecorded, 300))
	}
}

func (p *program) printVerified(r *verify.Result, all bool) {
	head := p.Paint(base.Green, "passed")
	if !r.Passed {
		head = p.Paint(base.Red, "FAILED")
	}
	if r.Checked == 0 {
		p.Printf("verify of %s: %s: %s\n", r.Run, p.Paint(base.Red, "NOTHING CHECKED"),
			r.NothingChecked())
	} else {
		p.Printf("verify of %s: %s, %d of %s doubted", r.Run, head, r.Doubted,
			base.Count(int64(r.Checked), "finding", "findings"))
		if r.Accepted > 0 {
			p.Printf(", %d accepted", r.Accepted)
		}
		if r.Unchecked > 0 {
			p.Printf(", %d not checked", r.Unchecked)
		}
		if r.Unsourced > 0 {
			p.Printf(", %d without a source", r.Unsourced)
		}
		p.Printf("\n")
	}
	if n := len(r.Concluded); n > 0 {
		p.Printf("%s: %s that neither quote nor source has: %s\n", p.Paint(base.Yellow, "warning"),
			base.Count(int64(n), "finding has figures", "findings have figures"),
			shortList(r.Concluded))
	}
	if n := len(r.Unsure); n > 0 {
		p.Printf("%s: %s, to be read: %s\n", p.Paint(base.Yellow, "warning"),
			base.Count(int64(n), "quote may deny its finding", "quotes may deny their findings"), shortList(r.Unsure))
	}
	p.printDoubts(r, all)
	if r.Checked+r.Unchecked == 0 {
		p.Printf("to pass: %s\n", ci.ToVerify[r.NothingChecked()])
	}
	p.Printf(
		"%s\n",
		p.Paint(
			base.Dim,
			"necessary, not sufficient: that the source is right, and that the finding follows from it, "+
				"was not checked",
		),
	)
}

// printDoubts prints what is doubted or was not checked, and how to pass. With all it
// also prints confirmed entries.
func (p *program) printDoubts(r *verify.Result, all bool) {
	listed := 0
	for _, item := range worstFirst(r.Items) {
		if verify.Sound(item.Verdict) && !all {
			continue
		}
		if listed++; listed > shownReasons && !all {
			continue
		}
		p.printVerdictOn(item)
	}
	if more := listed - shownReasons; more > 0 && !all {
		p.Printf("  and %d more; --json lists all\n", more)
	}
	for i := range r.Sources {
		if s := &r.Sources[i]; s.Changed {
			p.Printf(
				"%s %s has changed since it was registered; read it again, then `board source add %s`\n",
				p.Paint(base.Yellow, "changed:"),
				base.Safe(s.Name),
				base.Safe(s.File),
			)
		}
	}
	p.printRemedies(r)
}

// worstFirst puts doubted findings before those that were not checked or lack a figure.
func worstFirst(items []verify.ItemResult) (all []*verify.ItemResult) {
	for i := range items {
		all = append(all, &items[i])
	}
	slices.SortStableFunc(all, func(a, b *verify.ItemResult) int {
		switch {
		case a.Doubted == b.Doubted:
			return 0
		case a.Doubted:
			return -1
		}
		return 1
	})
	return all
}

// printRemedies says how to pass: for each kind of doubt how to clear the first.
func (p *program) printRemedies(r *verify.Result) {
	said := map[string]bool{}
	for i := range r.Items {
		item := &r.Items[i]
		clear, next := check.Remedy(item)
		if said[clear] ||
			!item.Doubted && (r.Checked > 0 || item.Verdict != verify.NothingToCheck) {
			continue
		}
		said[clear] = true
		p.Printf("to pass: %s\n", cmp.Or(fault.Join(next, base.CommandFor, ", "), clear))
	}
	if r.Checked == 0 && r.Unchecked > 0 && len(said) == 0 {
		p.Printf("to pass: %s\n", ci.ToVerify[r.NothingChecked()])
	}
}

func (p *program) printVerdictOn(item *verify.ItemResult) {
	state := item.Verdict
	switch {
	case item.Doubted:
		state = p.Paint(base.Red, state)
	case verify.Sound(item.Verdict):
		state = p.Paint(base.Green, state)
	default:
		state = p.Paint(base.Yellow, state)
	}
	if item.Note != "" {
		state += ": " + base.Line(item.Note, 300)
	}
	if a := item.Accepted; a != nil {
		state += ", " + base.Line(a.String(), 200)
	} else if item.Doubt != "" {
		state += " [" + item.Doubt + "]"
	}
	if item.Earlier != "" {
		doubt := "found"
		if verify.Doubted(item.Earlier) {
			doubt = "doubted"
		}
		state += fmt.Sprintf("; earlier verdict: %s (%s)", doubt, item.Earlier)
	}
	said := item.Evidence
	if strings.TrimSpace(said) == "" || len(item.Missing) > 0 {
		said = item.Content
	}
	p.Printf("  %-6s %s\n         | %s\n", item.ID, state, base.Line(said, 200))
	switch at := item.Passage; {
	case at != nil:
		p.Printf("         %s\n", p.Paint(base.Dim, fmt.Sprintf("%s, %s: %s",
			base.Line(item.Source, 100), base.Safe(at.Where), base.Line(at.Text, 200))))
	case item.SourceDoc != "":
		p.Printf("         %s\n", p.Paint(base.Dim,
			"source: "+base.Line(item.SourceDoc+" "+item.SourceRef, 200)))
	}
}

func (p *program) sourceAdd(c *cli.Context) error {
	if c.NArg() == 0 {
		return base.Usagef("`board source add docs/`", "no file or directory is named")
	}
	files, err := verify.FindFiles(c.Args().Slice()...)
	if err != nil {
		return err
	}
	return base.OnBoard(p.OpenOrCreateRun(c))(func(b *board.Board) error {
		added, err := b.AddSources(c.Context, p.WorkerName(c), files, c.Bool("text"))
		if err != nil {
			return err
		}
		p.noteCreated(b)
		return p.Answer(c, nil, func() {
			for i := range added {
				p.Printf("%-9s %s\n", added[i].Change, p.sourceLine(&added[i].Source))
			}
		}, "sources", added)
	})
}

func (p *program) sourceLine(s *board.Source) string {
	text := ""
	if s.Text {
		text = ", with its text"
	}
	return base.Line(s.Name, board.MaxName) + p.Paint(base.Dim,
		fmt.Sprintf("  %s, SHA-256 %.12s…%s", base.Count(s.Size, "byte", "bytes"), s.SHA256,
			text))
}

func (p *program) sourceList(c *cli.Context) error {
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		all, err := b.Sources(c.Context)
		if err != nil {
			return err
		}
		return p.Answer(c, nil, func() {
			for i := range all {
				p.Printf("%s\n", p.sourceLine(&all[i]))
			}
			if len(all) == 0 {
				p.Messagef("no sources are registered; `board source add DIR` registers some")
			}
		}, "sources", all)
	})
}

func (p *program) sourceRemove(c *cli.Context) error {
	if c.NArg() == 0 {
		return base.Usagef("`board source list` lists them", "no source is named")
	}
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		names := c.Args().Slice()
		if err := b.RemoveSources(c.Context, p.WorkerName(c), names...); err != nil {
			return err
		}
		return p.Answer(c, nil,
			func() { p.Printf("removed %s\n", base.Safe(strings.Join(names, ", "))) }, "removed",
			names)
	})
}
