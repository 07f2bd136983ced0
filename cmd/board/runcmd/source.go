package runcmd

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/verify"
	"blackboard/cmd/board/base"
)

func (p *program) sourceCommand() *cli.Command {
	return &cli.Command{
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
		return p.Answer(c, err, func() {
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
		return p.Answer(c, b.RemoveSources(c.Context, p.WorkerName(c), names...),
			func() { p.Printf("removed %s\n", base.Safe(strings.Join(names, ", "))) }, "removed", names)
	})
}
