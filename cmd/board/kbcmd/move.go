package kbcmd

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/op"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/kb/importers"
)

func (p *program) kbMoveCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "export", Usage: "write the capsules as JSON lines", ArgsUsage: "[FILE]",
			Description: `The first line names the schema and its version. Superseded and retired
capsules are included, with their links. Parts of documents are left out unless
--all is given: they can be ingested again.`,
			Flags:  append(base.FlagsOf(export.Takes()), base.WorkspaceFlag("the `DIRECTORY` that --here means")),
			Action: p.kbExport,
		},
		{
			Name:  "import",
			Usage: "import capsules from exports and other tools", ArgsUsage: "FILE | FOLDER",
			Description: `Detects the format: our own JSON lines; markdown files with or without
front matter; Claude Code's memory folders of a project, or of all; ai-kb: its data
home, its kb.sqlite3 or its folder capsules.

The answer accounts for everything in the source: what was stored, what exists already,
what was refused and why. The exit code is 1 if anything was refused. Capsules that ai-kb
superseded or let decay stay so: give its data home, or keep kb.sqlite3 beside the folder,
which alone records that.`,
			Flags: []cli.Flag{
				base.DryRunFlag(),
				&cli.StringFlag{Name: "format",
					Usage: "`FORMAT`: " + strings.Join(importers.Formats, ", "),
					Value: importers.Formats[0]},
				&cli.BoolFlag{Name: "force",
					Usage: "import also near-duplicates, other content under an existing id, " +
						"and what looks " + "like a secret"},
				&cli.BoolFlag{Name: "no-embed",
					Usage: "store without embeddings; `board kb reembed` adds them"},
				base.LimitFlag(), base.WorkerFlag(), base.JSONFlag(),
			},
			Action: p.kbImport,
		},
	}
}

type exportIn struct {
	ops.KBPlaces
	All  bool   `json:"all,omitempty" flag:"all,documents" cli:"include the parts of documents"`
	File string `json:"file,omitempty" arg:"[FILE]"`
}

// export has what the command takes: what it answers is no data, but the capsules.
var export op.Op[*host, exportIn, struct{}]

func (p *program) kbExport(c *cli.Context) error {
	var in exportIn
	err := p.Arguments(c, &export, &in)
	if err != nil {
		return err
	}
	lq, err := in.List(&host{p, c})
	if err != nil {
		return err
	}
	return base.With(p.openKB(c, kbhome.Knowledge, false))(func(k *kb.KB) error {
		lq.Superseded, lq.Retired, lq.Documents = true, true, in.All
		n := 0
		if err := p.WriteFile(in.File, func(w io.Writer) (err error) {
			n, err = importers.WriteExport(w, k.Export(c.Context, lq))
			return err
		}); err != nil {
			return err
		}
		s, err := k.Stats(c.Context)
		if err != nil {
			return err
		}
		p.Messagef("%s written", base.Count(int64(n), "capsule", "capsules"))
		if s.Documents > 0 && !lq.Documents {
			p.Messagef("note: the parts of %s are left out; --all includes them",
				base.Count(s.Documents, "document", "documents"))
		}
		return nil
	})
}

func (p *program) kbImport(c *cli.Context) error {
	if c.NArg() != 1 {
		return base.Usagef("`board kb import FILE`", "one file or folder is needed, but %d are given",
			c.NArg())
	}
	set, err := importers.Read(c.Context, c.Args().First(), c.String("format"))
	if err != nil {
		return err
	}
	opt := kb.ImportOptions{DryRun: c.Bool("dry-run"), Force: c.Bool("force"),
		NoEmbedding: c.Bool("no-embed")}
	return base.With(p.openToWrite(c, opt.DryRun, !opt.NoEmbedding))(func(k *kb.KB) error {
		bar := p.StepBar()
		opt.Progress = bar.Show
		out, err := k.Import(c.Context, set, opt)
		bar.Clear()
		p.kbNotes(k)
		if err != nil {
			if n := len(out.Stored) + len(out.Changed); n > 0 && !opt.DryRun {
				p.Messagef("%s stored; the same command continues", base.Count(int64(n), "capsule is",
					"capsules are"))
			}
			return err
		}
		if c.Bool("json") {
			if err := p.JSON("import", out, "format", set.Format, "dry_run", opt.DryRun); err != nil {
				return err
			}
			return p.refused(out.Refused, true)
		}
		p.Printf("%s: %s %sstored, %d changed, %d here already, %d refused\n", set.Format,
			base.Count(int64(len(out.Stored)), "capsule", "capsules"), base.WouldBe(opt.DryRun),
			len(out.Changed), len(out.Already), len(out.Refused))
		all := append(out.Stored, out.Changed...)
		for i := range all {
			if n := c.Int("limit"); n > 0 && i == n {
				p.Messagef("the first %d of %d are shown; --limit 0 shows all", n, len(all))
				break
			}
			x := &all[i]
			id := ""
			if !opt.DryRun || x.Capsule.ID != "" && len(out.Stored) <= i {
				id = x.Capsule.ID + "  "
			}
			p.Printf("  %s%-12s  %s  (%s)\n", id, x.Capsule.Kind, base.Line(x.Capsule.Title, 100),
				base.Line(x.From, 100))
			for _, n := range x.Notes {
				p.Printf("      %s\n", base.Line(n, 200))
			}
		}
		for _, a := range out.Already {
			p.Messagef("here already: %s: %s", base.Safe(a.From), base.Safe(a.Why))
		}
		for _, n := range out.Notes {
			p.Messagef("note: %s", base.Safe(n))
		}
		if opt.DryRun && len(all) > 0 {
			p.Messagef("dry run: nothing was stored")
		}
		return p.refused(out.Refused, false)
	})
}
