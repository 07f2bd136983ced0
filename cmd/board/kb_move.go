package main

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/kb"
	"blackboard/kb/importers"
)

func (p *program) kbMoveCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "export", Usage: "write the capsules as JSON lines", ArgsUsage: "[FILE]",
			Description: `The first line names the schema and its version. Superseded and retired capsules are in it, with their links. Parts of documents are left out unless --documents is
given: they can be ingested again.`,
			Flags:  flags(kbPlaces(), []cli.Flag{&cli.BoolFlag{Name: "documents", Usage: "the parts of documents too"}, workspaceFlag("the `DIRECTORY` that --here means")}),
			Action: p.kbExport,
		},
		{
			Name: "import", Usage: "take in capsules from elsewhere; it only says what it would do until --apply", ArgsUsage: "FILE | FOLDER",
			Description: `Knows by itself: our own JSON lines; markdown files with or without front matter; agent-memory-store, both its store.db and its older chunks and state;
the MCP memory server's JSON lines; Claude Code's memory folders of a project, or of all; ai-kb, its data home, its kb.sqlite3 or its folder capsules.
Everything in the source is accounted for: what it becomes, what is here already, what cannot be taken and why. The exit code is 1 if something cannot.
What was superseded or has decayed in ai-kb comes over as that: give the data home, or keep kb.sqlite3 beside the folder, as only it says all of it.`,
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "apply", Usage: "do it"},
				&cli.StringFlag{Name: "format", Usage: "`FORMAT`: " + strings.Join(importers.Formats, ", "), Value: importers.Formats[0]},
				&cli.BoolFlag{Name: "force", Usage: "take what looks like one that is there, what has the same id and says something else, what looks like a secret"},
				&cli.BoolFlag{Name: "no-embed", Usage: "store without embeddings; `board kb reembed` adds them"},
				limitFlag(), workerFlag(), jsonFlag(),
			},
			Action: p.kbImport,
		},
	}
}

func (p *program) kbExport(c *cli.Context) error {
	if c.NArg() > 1 {
		return usagef("`board kb export FILE`", "one file is needed, but %d are given", c.NArg())
	}
	q, err := p.kbQuery(c)
	if err != nil {
		return err
	}
	k, done, err := p.openKB(c, kb.OpenExisting, false)
	if err != nil {
		return err
	}
	defer done()
	if err := q.CheckFilter(); err != nil {
		return err
	}
	lq := listQuery(&q)
	lq.Superseded, lq.Retired, lq.Documents = true, true, c.Bool("documents")
	n := 0
	if err := p.writeFile(c.Args().First(), func(w io.Writer) (err error) {
		n, err = importers.WriteExport(w, k.Export(c.Context, lq))
		return err
	}); err != nil {
		return err
	}
	s, err := k.Stats(c.Context)
	if err != nil {
		return err
	}
	p.talk("%s written", count(int64(n), "capsule", "capsules"))
	if s.Documents > 0 && !lq.Documents {
		p.talk("note: the parts of %s are left out; --documents writes them too", count(s.Documents, "document", "documents"))
	}
	return nil
}

func (p *program) kbImport(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("`board kb import FILE`", "one file or folder is needed, but %d are given", c.NArg())
	}
	set, err := importers.Read(c.Context, c.Args().First(), c.String("format"))
	if err != nil {
		return err
	}
	opt := kb.ImportOptions{DryRun: !c.Bool("apply"), Force: c.Bool("force"), NoEmbedding: c.Bool("no-embed")}
	k, done, err := p.openToWrite(c, opt.DryRun, !opt.NoEmbedding)
	if err != nil {
		return err
	}
	defer done()
	bar := p.stepBar()
	opt.Progress = bar.show
	out, err := k.Import(c.Context, set, opt)
	bar.clear()
	p.kbNotes(k)
	if err != nil {
		if n := len(out.Stored) + len(out.Changed); n > 0 && !opt.DryRun {
			p.talk("%s stored; the same command continues", count(int64(n), "capsule is", "capsules are"))
		}
		return err
	}
	if c.Bool("json") {
		if err := p.json("import", out, "format", set.Format, "dry_run", opt.DryRun); err != nil {
			return err
		}
		return p.refused(out.Refused, true)
	}
	p.printf("%s: %s %sstored, %d changed, %d here already, %d refused\n", set.Format, count(int64(len(out.Stored)), "capsule", "capsules"), wouldBe(opt.DryRun), len(out.Changed), len(out.Already), len(out.Refused))
	all := append(out.Stored, out.Changed...)
	for _, i := range p.shown(c, len(all)) {
		x := &all[i]
		id := ""
		if !opt.DryRun || x.Capsule.ID != "" && len(out.Stored) <= i {
			id = x.Capsule.ID + "  "
		}
		p.printf("  %s%-12s  %s  (%s)\n", id, x.Capsule.Kind, line(x.Capsule.Title, 100), line(x.From, 100))
		for _, n := range x.Notes {
			p.printf("      %s\n", line(n, 200))
		}
	}
	for _, a := range out.Already {
		p.talk("here already: %s: %s", safe(a.From), safe(a.Why))
	}
	for _, n := range out.Notes {
		p.talk("note: %s", safe(n))
	}
	if opt.DryRun && len(all) > 0 {
		p.talk("nothing was stored: --apply does it")
	}
	return p.refused(out.Refused, false)
}
