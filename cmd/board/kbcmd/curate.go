package kbcmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
)

// curations are the steps of `board kb curate`, in their order.
var curations = []string{"dedupe", "decay", "contradictions"}

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
		{
			Name:      "curate",
			Usage:     "dedupe, let dormant capsules sink, list contradictions",
			ArgsUsage: "[dedupe | decay | contradictions]…",
			Description: `dedupe: two capsules of one kind may say the same word for word, but for case, markup, the endings
of words and "the". Then the more certain one stays, else the newer, else the longer; the other is
superseded. Near-duplicates are listed for you to judge, and stay. Parts of documents are skipped.
decay: capsules that no search found for 14 days sink by up to five places; being found brings them
back. contradictions: lists facts and gotchas about the same thing that differ in a number, a date
or a negation. Nothing is changed until you decide:

  board kb curate contradictions --resolve K1,K2 --as supersede   K1 replaces K2
  board kb curate contradictions --resolve K1,K2 --as retire      K2 is retired
  board kb curate contradictions --resolve K1,K2 --as stand       both are true

Everything is in the history of the capsules, and ` + "`board kb history CAPSULE --restore N`" + ` undoes it for good.`,
			Flags: []cli.Flag{
				base.DryRunFlag(),
				&cli.StringFlag{Name: "resolve", Usage: "`KEEP,OTHER`: the two capsules to decide on"},
				&cli.StringFlag{Name: "as", Usage: "`HOW`: " + strings.Join(kb.Resolutions, ", ")},
				&cli.StringFlag{Name: "reason", Aliases: []string{"why"}, Usage: "the `REASON`, for the history"},
				base.LimitFlag(), base.WorkerFlag(), base.JSONFlag(),
			},
			Action: p.kbCurate,
		},
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

func (p *program) kbCurate(c *cli.Context) error {
	what := c.Args().Slice()
	for i, w := range what {
		if w == "contradiction" {
			w, what[i] = "contradictions", "contradictions"
		}
		if !slices.Contains(curations, w) {
			return base.Usagef("choose among "+strings.Join(curations, ", ")+"; without one, all are run",
				"unknown curation %q", w)
		}
	}
	if c.IsSet("resolve") || c.IsSet("as") {
		return p.kbResolve(c, what)
	}
	if len(what) == 0 {
		what = curations
	}
	return base.With(p.openKB(c, kbhome.Knowledge, false))(func(k *kb.KB) error {
		defer p.kbNotes(k)
		bar := p.StepBar()
		defer bar.Clear()
		opt := kb.CurateOptions{DryRun: c.Bool("dry-run"), Progress: bar.Show}
		var pairs []any
		for _, step := range []struct {
			name string
			do   func() (any, error)
		}{
			{"dedupe", func() (any, error) { return p.dedupe(c, k, opt, bar) }},
			{"decay", func() (any, error) { return p.decay(c, k, opt) }},
			{"contradictions", func() (any, error) { return p.contradictions(c, k, opt, bar) }},
		} {
			if !slices.Contains(what, step.name) {
				continue
			}
			found, err := step.do()
			if err != nil {
				return err
			}
			pairs = append(pairs, step.name, found)
		}
		return p.Answer(c, nil, func() {}, append(pairs, "dry_run", opt.DryRun)...)
	})
}

// resolveCommand is the command that settles a contradiction.
func resolveCommand() string {
	return "`board kb curate contradictions --resolve KEEP,OTHER --as " +
		strings.Join(kb.Resolutions, "|") + "`"
}

// kbResolve resolves one contradiction by a person's decision.
func (p *program) kbResolve(c *cli.Context, what []string) error {
	if !c.IsSet("resolve") || !c.IsSet("as") || c.Bool("dry-run") ||
		slices.ContainsFunc(what, func(w string) bool { return w != "contradictions" }) {
		return base.Usagef(resolveCommand(), "--resolve needs --as, and goes with no other curation "+
			"and no --dry-run")
	}
	return base.With(p.openKB(c, kbhome.Knowledge, false))(func(k *kb.KB) error {
		defer p.kbNotes(k)
		keep, other, two := strings.Cut(c.String("resolve"), ",")
		if !two || strings.Contains(other, ",") {
			return base.Usagef(resolveCommand(), "--resolve takes two ids, with a comma between them")
		}
		keep, other = strings.TrimSpace(keep), strings.TrimSpace(other)
		how := c.String("as")
		if err := k.Resolve(c.Context, keep, other, how, c.String("reason")); err != nil {
			return err
		}
		return p.Answer(c, nil, func() {
			p.Printf("%s\n", map[string]string{kb.ResolveStand: keep + " and " + other + " both stand",
				kb.ResolveSupersede: keep + " supersedes " + other, kb.ResolveRetire: other +
					" is retired"}[how])
		}, "keep", keep, "other", other, "as", how)
	})
}

func (p *program) dedupe(c *cli.Context, k *kb.KB, opt kb.CurateOptions, bar *base.StepBar) (any,
	error) {
	d, err := k.Dedupe(c.Context, opt)
	bar.Clear()
	if err != nil || c.Bool("json") {
		return d, err
	}
	p.Printf("dedupe: %s compared, %d %ssuperseded\n", base.Count(int64(d.Compared), "capsule",
		"capsules"), len(d.Duplicates), base.WouldBe(opt.DryRun))
	for _, x := range p.shown(c, len(d.Duplicates)) {
		dup := &d.Duplicates[x]
		p.Printf("  %s  %s\n    by %s  %s\n    %s\n", dup.Drop.ID, base.Line(dup.Drop.Title, 100),
			dup.Keep.ID, base.Line(dup.Keep.Title, 100), dup.Why)
	}
	if len(d.Alike) > 0 {
		p.Printf("alike: %s; both stay: read them, then supersede one (board kb remember "+
			"--supersedes) or leave them\n", base.Count(int64(len(d.Alike)), "pair says nearly the same",
			"pairs say nearly the same"))
		for _, x := range p.shown(c, len(d.Alike)) {
			p.printAlike(&d.Alike[x])
		}
	}
	if d.ByWords > 0 {
		p.Messagef("note: %s no embedding, so their words alone are compared; `board kb reembed` "+
			"gives them one", base.Count(int64(d.ByWords), "capsule has", "capsules have"))
	}
	return d, nil
}

func (p *program) printAlike(a *kb.AlikePair) {
	how := fmt.Sprintf("%.0f %% of the words", 100*a.Shared)
	if a.Cosine != nil {
		how += fmt.Sprintf(", cosine %.2f", *a.Cosine)
	}
	if len(a.Differ) > 0 {
		how += "; they may differ: " + base.Safe(strings.Join(a.Differ, "; "))
	}
	p.Printf("  %s  %s\n  %s  %s\n    %s\n", a.Keep.ID, base.Line(a.Keep.Title, 100), a.Other.ID,
		base.Line(a.Other.Title, 100), how)
}

func (p *program) decay(c *cli.Context, k *kb.KB, opt kb.CurateOptions) (any, error) {
	d, err := k.Decay(c.Context, opt)
	if err != nil || c.Bool("json") {
		return d, err
	}
	p.Printf("decay: %s dormant, %d %schanged\n", base.Count(int64(d.Dormant), "capsule is",
		"capsules are"), d.Changed, base.WouldBe(opt.DryRun))
	return d, nil
}

func (p *program) contradictions(c *cli.Context, k *kb.KB, opt kb.CurateOptions,
	bar *base.StepBar) (any, error) {
	found, looked, err := k.Contradictions(c.Context, opt)
	bar.Clear()
	if err != nil || c.Bool("json") {
		return found, err
	}
	p.Printf("contradictions: %s compared, %s\n", base.Count(int64(looked), "fact or gotcha",
		"facts and gotchas"), base.Count(int64(len(found)), "pair may contradict each other",
		"pairs may contradict each other"))
	for _, x := range p.shown(c, len(found)) {
		t := &found[x]
		p.Printf("  %s  %s\n       | %s\n  %s  %s\n       | %s\n    alike %.2f; %s\n", t.A.ID,
			base.Line(t.A.Title, 100), base.Line(t.A.Body, 300), t.B.ID, base.Line(t.B.Title, 100),
			base.Line(t.B.Body, 300),
			t.Cosine, base.Safe(strings.Join(t.Why, "; ")))
	}
	if len(found) > 0 {
		p.Messagef("note: %s settles one", resolveCommand())
	}
	return found, nil
}

// shown are the indices of at most --limit of n rows. It tells if some are left out.
func (p *program) shown(c *cli.Context, n int) []int {
	limit := c.Int("limit")
	if limit <= 0 || limit > n {
		limit = n
	}
	if limit < n {
		p.Messagef("the first %d of %d are shown; --limit 0 shows all", limit, n)
	}
	out := make([]int, limit)
	for i := range out {
		out[i] = i
	}
	return out
}
