package kbcmd

import (
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	"blackboard/kb"
)

func (p *program) kbCurateCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name:      "ingest",
			Usage:     "split markdown documents into capsules, one for each section",
			ArgsUsage: "FILE | FOLDER…",
			Description: `Documents are split at their H1 and H2 headings into capsules of the kind
doc. A folder gives its .md and .markdown files at any depth, but for those in .git, .hg,
.svn and node_modules, and links that lead out of it; .gitignore is not read. The fields
of the front matter are found like text, and its tags: become tags. A document that is
the same in another worktree of its repository is not stored again.

A document is identified by its path and content. Unchanged documents are skipped. A
changed one gets its new capsules in one step; sections that did not change keep theirs. A
renamed file is a new document with new capsules; --prune removes the old ones. Files that
cannot be ingested (binary, over 4 MB, unreadable) are listed, and the exit code is 1
after the rest is done; documents without any text are counted. What looks like a secret is masked, and its section is named. A
document that was ingested before keeps its tags, scope and workspace unless some are
given.`,
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "scope", Usage: "where it applies, `SCOPE`: " +
					strings.Join(kb.Scopes, ", ") + " (default workspace; universal in your " +
					"home directory " +
					"and above)"},
				&cli.StringSliceFlag{Name: "tag", Aliases: []string{"tags"},
					Usage: "`TAG`, repeatable or with commas"},
				&cli.StringSliceFlag{Name: "domain", Usage: "domain `TAG`, repeatable or with commas"},
				&cli.StringFlag{Name: "project", Usage: "the `PROJECT` it belongs to"},
				base.WorkspaceFlag("the `DIRECTORY` it belongs to"),
				&cli.BoolFlag{Name: "prune",
					Usage: "remove the capsules of documents that are no longer in the folders"},
				base.DryRunFlag(),
				&cli.BoolFlag{Name: "no-embed",
					Usage: "store without embeddings; `board kb reembed` adds them"},
				&cli.BoolFlag{Name: "force", Usage: "do not mask what looks like a secret"},
				base.WorkerFlag(), base.JSONFlag(),
			},
			Action: p.kbIngest,
		},
		p.operation(&ops.KBCurate, base.WorkerFlag()),
	}
}

func (p *program) kbIngest(c *cli.Context) error {
	if c.NArg() == 0 {
		return base.Usagef("`board kb ingest README.md docs`", "no file or folder is given")
	}
	ws, err := p.Workspace(c)
	if err != nil {
		return err
	}
	return base.With(p.openToWrite(c, c.Bool("dry-run"), !c.Bool("no-embed")))(func(k *kb.KB) error {
		bar := p.StepBar()
		r, err := k.Ingest(c.Context, c.Args().Slice(), kb.IngestOptions{Workspace: ws,
			Project: c.String("project"), Scope: c.String("scope"), Tags: base.List(c, "tag"),
			DomainTags: base.List(c, "domain"),
			Force:      c.Bool("force"), Prune: c.Bool("prune"), DryRun: c.Bool("dry-run"),
			NoEmbedding: c.Bool("no-embed"), Progress: bar.Show, Shared: p.SharedPath,
			KeepOptions: !slices.ContainsFunc([]string{"scope", "tag", "domain", "project", "workspace"},
				c.IsSet)})
		bar.Clear()
		p.kbNotes(k)
		if err != nil {
			if n := len(r.New) + len(r.Changed); n > 0 {
				p.Messagef("%s are done; the same command continues", base.Count(int64(n), "document",
					"documents"))
			}
			return err
		}
		if c.Bool("json") {
			if err := p.JSON("ingest", r, "dry_run", c.Bool("dry-run")); err != nil {
				return err
			}
		} else {
			p.Printf("%s%d new, %d changed, %d unchanged; %s written, %d kept, %d removed\n",
				base.WouldBe(c.Bool("dry-run")), len(r.New), len(r.Changed), r.Unchanged,
				base.Count(int64(r.Capsules), "capsule", "capsules"), r.Kept, r.Removed)
			for _, f := range r.Pruned {
				p.Printf("gone: %s\n", base.Safe(f))
			}
			if n := len(r.Empty) + len(r.Refused); n > 0 {
				p.Printf("not taken: %d (%s without text, %d refused)\n", n,
					base.Count(int64(len(r.Empty)), "document", "documents"), len(r.Refused))
			}
		}
		for _, f := range slices.Sorted(maps.Keys(r.Elsewhere)) {
			p.Messagef("note: %s is the same as %s of another worktree, and not stored again",
				base.Safe(f), base.Safe(r.Elsewhere[f]))
		}
		for _, f := range r.Gone {
			p.Messagef("note: %s is gone; --prune removes its capsules", base.Safe(f))
		}
		for _, m := range r.Masked {
			p.Messagef("note: %s; --force ingests it unmasked", base.Safe(m.String()))
		}
		for _, w := range r.Warnings {
			p.Messagef("note: %s", base.Safe(w))
		}
		return p.refused(r.Refused, c.Bool("json"))
	})
}

// refused lists what was not stored. It fails the command after the rest is done.
func (p *program) refused(all []kb.Refused, asJSON bool) error {
	if len(all) == 0 {
		return nil
	}
	if !asJSON {
		for _, r := range all {
			p.Messagef("refused: %s: %s", base.Safe(r.From), base.Safe(r.Why))
		}
	}
	return base.ExitError(base.ExitFailure)
}
