package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/verify"
	"blackboard/cmd/board/ci"
)

func (p *program) verifyCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "verify", Category: catJudge, Usage: "say whether findings stand in their sources: exit 0 yes, 4 no", ArgsUsage: "[ENTRY…]",
			Description: `Looks for the quote of each entry (--evidence) in the file that its --source-doc names, word for word. Without a quote, each
number, date, identifier and name of the entry must stand in that file. Sources are the files that are registered (board source add)
and those below --sources, found by path, then by base name. Verdicts are written to the board, and shown with the entries.`,
			Flags: flags([]cli.Flag{
				sourcesFlag("look for sources among"),
				policyFlag(),
				&cli.BoolFlag{Name: "no-record", Usage: "do not write the verdicts to the board"},
				&cli.BoolFlag{
					Name:    "all",
					Aliases: []string{"a"},
					Usage:   "list the entries that stand in their sources, too",
				},
			}, formatFlags(), writeFlags()),
			Action: p.verify,
		},
		{
			Name: "source", Category: catWrite, Usage: "register the files that the run reads",
			Description: "A registered source has a name, a SHA-256 and a size. `board verify` then finds it, notices that it changed, and names the entries\nwhose source is not registered.",
			Subcommands: []*cli.Command{
				{
					Name: "add", Usage: "register files, and all files below directories", ArgsUsage: "FILE|DIR…",
					Description: "Its name is its path as you give it; entries may call it by any end of it. Adding it again after it changed makes the new file\nthe registered one, and verdicts on the old one stale.",
					Flags: writeFlags(
						&cli.BoolFlag{
							Name:  "text",
							Usage: "keep its text on the board, so that entries can be verified where the file is not",
						},
						noCreateFlag(),
					),
					Action: p.sourceAdd,
				},
				{
					Name:   "list",
					Usage:  "list the registered sources",
					Flags:  readFlags(),
					Action: p.sourceList,
				},
				{
					Name:      "rm",
					Usage:     "take sources from the list; the log keeps them",
					ArgsUsage: "NAME…",
					Flags:     writeFlags(),
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
	follow, err := p.policy(c)
	if err != nil {
		return err
	}
	opt := board.VerifyOptions{IDs: c.Args().Slice(), NoRecord: c.Bool("no-record")}
	if opt.Files, err = verify.FindFiles(follow.Sources...); err != nil {
		return err
	}
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	r, err := b.Verify(c.Context, p.workerName(c), opt)
	if err != nil {
		return err
	}
	r.Passed = r.Within(follow.Verify.MaxDoubted)
	text := func(q *program) {
		q.printVerified(&r, c.Bool("all"))
		q.saysWhose(&follow)
	}
	if err := p.verdict(c, f, text, []any{"verify", r}, ci.Verify(r, versionString())); err != nil {
		return err
	}
	if !r.Passed {
		return verdictError(exitSurvival)
	}
	return nil
}

func (p *program) printVerified(r *verify.Result, all bool) {
	head := p.paint(green, "passed")
	if !r.Passed {
		head = p.paint(red, "FAILED")
	}
	p.printf(
		"verify of %s: %s, %d of %s doubted",
		r.Run,
		head,
		r.Doubted,
		count(int64(r.Checked), "finding", "findings"),
	)
	if r.Unchecked > 0 {
		p.printf(", %d not checked", r.Unchecked)
	}
	p.printf("\n")
	if r.Checked == 0 && r.Doubted == 0 {
		p.printf("nothing was checked: %s\n", nothingChecked(r))
	}
	p.printDoubts(r, all)
	p.printf(
		"%s\n",
		p.paint(
			dim,
			"necessary, not sufficient: that the source is right, and that the finding follows from it, was not checked",
		),
	)
}

// printDoubts prints what is doubted or was not checked, with all what stands too, and how to pass.
func (p *program) printDoubts(r *verify.Result, all bool) {
	listed := 0
	for i := range r.Items {
		item := &r.Items[i]
		if verify.Sound(item.Verdict) && !all {
			continue
		}
		if listed++; listed > shownReasons && !all {
			continue
		}
		p.printVerdictOn(item)
	}
	if more := listed - shownReasons; more > 0 && !all {
		p.printf("  and %d more; --json lists all\n", more)
	}
	for i := range r.Sources {
		if s := &r.Sources[i]; s.Changed {
			p.printf(
				"%s %s is another file than was registered; read it again, then `board source add %s`\n",
				p.paint(yellow, "changed:"),
				safe(s.Name),
				safe(s.File),
			)
		}
	}
	if r.Doubted > 0 {
		p.printf("to pass: read the source, and post what it says with --supersedes\n")
	}
}

// nothingChecked says why nothing was, and what to do.
func nothingChecked(r *verify.Result) string {
	if r.Unchecked > 0 {
		return "no file of a source was found; name where they lie: --sources DIR, or `board source add DIR`"
	}
	return "no entry names a source; post findings with --source-doc and --evidence"
}

func (p *program) printVerdictOn(item *verify.ItemResult) {
	state := item.Verdict
	switch {
	case item.Doubted:
		state = p.paint(red, state)
	case verify.Sound(item.Verdict):
		state = p.paint(green, state)
	default:
		state = p.paint(yellow, state)
	}
	if item.Note != "" {
		state += ": " + line(item.Note, 300)
	}
	said := item.Evidence
	if strings.TrimSpace(said) == "" {
		said = item.Content
	}
	p.printf("  %-6s %s\n         | %s\n", item.ID, state, line(said, 200))
	switch at := item.Passage; {
	case at != nil:
		p.printf(
			"         %s\n",
			p.paint(
				dim,
				fmt.Sprintf(
					"%s, %s: %s",
					line(item.Source, 100),
					safe(at.Where),
					line(at.Text, 200),
				),
			),
		)
	case item.SourceDoc != "":
		p.printf(
			"         %s\n",
			p.paint(dim, "source: "+line(item.SourceDoc+" "+item.SourceRef, 200)),
		)
	}
}

func (p *program) sourceAdd(c *cli.Context) error {
	if c.NArg() == 0 {
		return usagef("`board source add docs/`", "no file or directory is named")
	}
	files, err := verify.FindFiles(c.Args().Slice()...)
	if err != nil {
		return err
	}
	b, err := p.openToPost(c)
	if err != nil {
		return err
	}
	defer b.Close()
	added, err := b.AddSources(c.Context, p.workerName(c), files, c.Bool("text"))
	if err != nil {
		return err
	}
	p.sayMade(b)
	return p.answer(c, nil, func() {
		for i := range added {
			p.printf("%-9s %s\n", added[i].Change, p.sourceLine(&added[i].Source))
		}
	}, "sources", added)
}

func (p *program) sourceLine(s *board.Source) string {
	text := ""
	if s.Text {
		text = ", with its text"
	}
	return line(
		s.Name,
		board.MaxName,
	) + p.paint(
		dim,
		fmt.Sprintf("  %s, SHA-256 %.12s…%s", count(s.Size, "byte", "bytes"), s.SHA256, text),
	)
}

func (p *program) sourceList(c *cli.Context) error {
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	all, err := b.Sources(c.Context)
	if err != nil {
		return err
	}
	return p.answer(c, nil, func() {
		for i := range all {
			p.printf("%s\n", p.sourceLine(&all[i]))
		}
		if len(all) == 0 {
			p.talk("no sources are registered; `board source add DIR` registers some")
		}
	}, "sources", all)
}

func (p *program) sourceRemove(c *cli.Context) error {
	if c.NArg() == 0 {
		return usagef("`board source list` lists them", "no source is named")
	}
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	names := c.Args().Slice()
	if err := b.RemoveSources(c.Context, p.workerName(c), names...); err != nil {
		return err
	}
	return p.answer(
		c,
		nil,
		func() { p.printf("removed %s\n", safe(strings.Join(names, ", "))) },
		"removed",
		names,
	)
}
