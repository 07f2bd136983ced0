package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/kb"
)

// What `board kb curate` does, in the order in which it does it all.
var curations = []string{"dedupe", "decay", "contradictions"}

func (p *program) kbCurateCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "ingest", Usage: "cut markdown documents into capsules, a section each", ArgsUsage: "FILE | FOLDER…",
			Description: `Documents are cut at their H1 and H2 headings into capsules of the kind doc. A document is known by its path and content: what has not changed is not touched, and a
changed one swaps its capsules in one step; sections that stayed the same keep theirs. What cannot be taken in (binary, over 4 MB, unreadable) is listed,
and the exit code is 1 once all else is done. What looks like a secret is masked in its section, which is named. A document that is known keeps its tags, scope and workspace unless some
are given.`,
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "scope", Usage: "how far it holds, `SCOPE`: " + strings.Join(kb.Scopes, ", ") + " (default workspace; universal in your home directory and above)"},
				&cli.StringSliceFlag{Name: "tags", Aliases: []string{"tag"}, Usage: "`TAG`, repeatable or with commas"},
				&cli.StringSliceFlag{Name: "domain", Usage: "domain `TAG`, repeatable or with commas"},
				&cli.StringFlag{Name: "project", Usage: "the `PROJECT` it belongs to"},
				workspaceFlag("the `DIRECTORY` it belongs to"),
				&cli.BoolFlag{Name: "prune", Usage: "remove the capsules of documents that are gone from the folders"},
				&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be done"},
				&cli.BoolFlag{Name: "no-embed", Usage: "store without embeddings; `board kb reembed` adds them"},
				&cli.BoolFlag{Name: "force", Usage: "take in what looks like a secret as it is, unmasked"},
				workerFlag(), jsonFlag(),
			},
			Action: p.kbIngest,
		},
		{
			Name: "curate", Usage: "dedupe, let dormant capsules sink, list contradictions", ArgsUsage: "[dedupe | decay | contradictions]…",
			Description: `dedupe: of two capsules of one kind that say the same word for word (but for case, markup, the endings of words, "the") the more certain stays, then
the newer, then the longer; the other is superseded. What says nearly the same is listed for you to judge, and stays. Parts of documents are left alone. decay: what nobody has asked for sinks, after 14 days, by up to five places; being found brings it back. contradictions: facts and
gotchas about the same thing that differ in a number, a date or a negation are listed; nothing is changed until you say what holds:

  board kb curate contradictions --resolve K1,K2 --as supersede   K1 replaces K2
  board kb curate contradictions --resolve K1,K2 --as retire      K2 leaves
  board kb curate contradictions --resolve K1,K2 --as stand       both hold

Everything is in the history of the capsules, and ` + "`board kb history CAPSULE --restore N`" + ` takes it back for good.`,
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be done"},
				&cli.StringFlag{Name: "resolve", Usage: "`KEEP,OTHER`: the two capsules that are decided on"},
				&cli.StringFlag{Name: "as", Usage: "`HOW`: " + strings.Join(kb.Resolutions, ", ")},
				&cli.StringFlag{Name: "why", Usage: "the `REASON`, for the history"},
				limitFlag(), workerFlag(), jsonFlag(),
			},
			Action: p.kbCurate,
		},
	}
}

func (p *program) kbIngest(c *cli.Context) error {
	p.embedsMuch = true
	if c.NArg() == 0 {
		return usagef("`board kb ingest README.md docs`", "no file or folder is given")
	}
	ws, err := p.workspace(c)
	if err != nil {
		return err
	}
	k, done, err := p.openToWrite(c, c.Bool("dry-run"), !c.Bool("no-embed"))
	if err != nil {
		return err
	}
	defer done()
	bar := p.stepBar()
	r, err := k.Ingest(c.Context, c.Args().Slice(), kb.IngestOptions{Workspace: ws, Project: c.String("project"), Scope: c.String("scope"), Tags: list(c, "tags"), DomainTags: list(c, "domain"),
		Force: c.Bool("force"), Prune: c.Bool("prune"), DryRun: c.Bool("dry-run"), NoEmbedding: c.Bool("no-embed"), Progress: bar.show,
		KeepOptions: !slices.ContainsFunc([]string{"scope", "tags", "domain", "project", "workspace"}, c.IsSet)})
	bar.clear()
	p.kbNotes(k)
	if err != nil {
		if n := len(r.New) + len(r.Changed); n > 0 {
			p.talk("%s are done; the same command continues", count(int64(n), "document", "documents"))
		}
		return err
	}
	if c.Bool("json") {
		if err := p.json("ingest", r, "dry_run", c.Bool("dry-run")); err != nil {
			return err
		}
	} else {
		p.printf("%s%d new, %d changed, %d unchanged; %s written, %d kept, %d removed\n", wouldBe(c.Bool("dry-run")), len(r.New), len(r.Changed), r.Unchanged,
			count(int64(r.Capsules), "capsule", "capsules"), r.Kept, r.Removed)
		for _, f := range r.Pruned {
			p.printf("gone: %s\n", safe(f))
		}
	}
	for _, f := range r.Gone {
		p.talk("note: %s is gone; --prune removes its capsules", safe(f))
	}
	for _, m := range r.Masked {
		p.talk("note: %s; --force takes it in as it is", safe(m.String()))
	}
	for _, w := range r.Warnings {
		p.talk("note: %s", safe(w))
	}
	return p.refused(r.Refused, c.Bool("json"))
}

// refused lists what could not be taken in. It makes the command fail, after all else was done.
func (p *program) refused(all []kb.Refused, asJSON bool) error {
	if len(all) == 0 {
		return nil
	}
	if !asJSON {
		for _, r := range all {
			p.talk("refused: %s: %s", safe(r.From), safe(r.Why))
		}
	}
	return verdictError(exitFailure)
}

func (p *program) kbCurate(c *cli.Context) error {
	what := c.Args().Slice()
	for i, w := range what {
		if w == "contradiction" {
			w, what[i] = "contradictions", "contradictions"
		}
		if !slices.Contains(curations, w) {
			return usagef("choose among "+strings.Join(curations, ", ")+"; without any, all are done", "there is no curation %q", w)
		}
	}
	if c.IsSet("resolve") || c.IsSet("as") {
		return p.kbResolve(c, what)
	}
	if len(what) == 0 {
		what = curations
	}
	k, done, err := p.openKB(c, kb.OpenExisting, false)
	if err != nil {
		return err
	}
	defer done()
	defer p.kbNotes(k)
	bar := p.stepBar()
	defer bar.clear()
	opt := kb.CurateOptions{DryRun: c.Bool("dry-run"), Progress: bar.show}
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
	return p.answer(c, nil, func() {}, append(pairs, "dry_run", opt.DryRun)...)
}

// howToResolve settles a contradiction.
var howToResolve = "`board kb curate contradictions --resolve KEEP,OTHER --as " + strings.Join(kb.Resolutions, "|") + "`"

// kbResolve settles one contradiction, as a person has decided.
func (p *program) kbResolve(c *cli.Context, what []string) error {
	if !c.IsSet("resolve") || !c.IsSet("as") || c.Bool("dry-run") || slices.ContainsFunc(what, func(w string) bool { return w != "contradictions" }) {
		return usagef(howToResolve, "--resolve needs --as, and is done by itself, at once")
	}
	k, done, err := p.openKB(c, kb.OpenExisting, false)
	if err != nil {
		return err
	}
	defer done()
	defer p.kbNotes(k)
	keep, other, two := strings.Cut(c.String("resolve"), ",")
	if !two || strings.Contains(other, ",") {
		return usagef(howToResolve, "--resolve takes two ids, with a comma between them")
	}
	keep, other = strings.TrimSpace(keep), strings.TrimSpace(other)
	how := c.String("as")
	if err := k.Resolve(c.Context, keep, other, how, c.String("why")); err != nil {
		return err
	}
	return p.answer(c, nil, func() {
		p.printf("%s\n", map[string]string{kb.ResolveStand: keep + " and " + other + " both stand", kb.ResolveSupersede: keep + " supersedes " + other, kb.ResolveRetire: other + " is retired"}[how])
	}, "keep", keep, "other", other, "as", how)
}

func (p *program) dedupe(c *cli.Context, k *kb.KB, opt kb.CurateOptions, bar *stepBar) (any, error) {
	d, err := k.Dedupe(c.Context, opt)
	bar.clear()
	if err != nil || c.Bool("json") {
		return d, err
	}
	p.printf("dedupe: %s compared, %d %ssuperseded\n", count(int64(d.Looked), "capsule", "capsules"), len(d.Duplicates), wouldBe(opt.DryRun))
	for _, x := range p.shown(c, len(d.Duplicates)) {
		dup := &d.Duplicates[x]
		p.printf("  %s  %s\n    by %s  %s\n    %s\n", dup.Drop.ID, line(dup.Drop.Title, 100), dup.Keep.ID, line(dup.Keep.Title, 100), dup.Why)
	}
	if len(d.Alike) > 0 {
		p.printf("alike: %s; both stay: read them, then supersede one (board kb remember --supersedes) or leave them\n", count(int64(len(d.Alike)), "pair says nearly the same", "pairs say nearly the same"))
		for _, x := range p.shown(c, len(d.Alike)) {
			p.printAlike(&d.Alike[x])
		}
	}
	if d.ByWords > 0 {
		p.talk("note: %s no embedding, so their words alone are compared; `board kb reembed` gives them one", count(int64(d.ByWords), "capsule has", "capsules have"))
	}
	return d, nil
}

func (p *program) printAlike(a *kb.AlikePair) {
	how := fmt.Sprintf("%.0f %% of the words", 100*a.Shared)
	if a.Cosine != nil {
		how += fmt.Sprintf(", cosine %.2f", *a.Cosine)
	}
	if len(a.Differ) > 0 {
		how += "; they may differ: " + safe(strings.Join(a.Differ, "; "))
	}
	p.printf("  %s  %s\n  %s  %s\n    %s\n", a.Keep.ID, line(a.Keep.Title, 100), a.Other.ID, line(a.Other.Title, 100), how)
}

func (p *program) decay(c *cli.Context, k *kb.KB, opt kb.CurateOptions) (any, error) {
	d, err := k.Decay(c.Context, opt)
	if err != nil || c.Bool("json") {
		return d, err
	}
	p.printf("decay: %s dormant, %d %schanged\n", count(int64(d.Dormant), "capsule is", "capsules are"), d.Changed, wouldBe(opt.DryRun))
	return d, nil
}

func (p *program) contradictions(c *cli.Context, k *kb.KB, opt kb.CurateOptions, bar *stepBar) (any, error) {
	found, looked, err := k.Contradictions(c.Context, opt)
	bar.clear()
	if err != nil || c.Bool("json") {
		return found, err
	}
	p.printf("contradictions: %s compared, %s\n", count(int64(looked), "fact or gotcha", "facts and gotchas"), count(int64(len(found)), "pair may contradict each other", "pairs may contradict each other"))
	for _, x := range p.shown(c, len(found)) {
		t := &found[x]
		p.printf("  %s  %s\n       | %s\n  %s  %s\n       | %s\n    alike %.2f; %s\n", t.A.ID, line(t.A.Title, 100), line(t.A.Body, 300), t.B.ID, line(t.B.Title, 100), line(t.B.Body, 300),
			t.Cosine, safe(strings.Join(t.Why, "; ")))
	}
	if len(found) > 0 {
		p.talk("note: %s settles one", howToResolve)
	}
	return found, nil
}

// wouldBe stands before what was done, or before what a dry run would do.
func wouldBe(dry bool) string {
	if dry {
		return "would be "
	}
	return ""
}

// shown are the indices of as many of n as --limit allows; it says if some are left out.
func (p *program) shown(c *cli.Context, n int) []int {
	limit := c.Int("limit")
	if limit <= 0 || limit > n {
		limit = n
	}
	if limit < n {
		p.talk("the first %d of %d are shown; --limit 0 shows all", limit, n)
	}
	out := make([]int, limit)
	for i := range out {
		out[i] = i
	}
	return out
}
