package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/embed"
	"blackboard/embed/minilm"
	"blackboard/kb"
)

// kbFilters are the flags that say which capsules count.
func kbFilters() []cli.Flag {
	return append(kbPlaces(),
		&cli.BoolFlag{Name: "superseded", Usage: "superseded capsules too"},
		&cli.BoolFlag{Name: "retired", Usage: "retired capsules too"},
	)
}

// kbPlaces are those that say what a capsule is and where it holds.
func kbPlaces() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "kind", Aliases: []string{"k"}, Usage: "`KIND`, repeatable or with commas: " + strings.Join(kb.Kinds, ", ")},
		&cli.StringSliceFlag{Name: "scope", Usage: "`SCOPE`, repeatable or with commas: " + strings.Join(kb.Scopes, ", ")},
		&cli.StringSliceFlag{Name: "tag", Aliases: []string{"tags"}, Usage: "has this `TAG`; repeated: all of them"},
		&cli.StringSliceFlag{Name: "domain", Usage: "has this domain `TAG`, repeatable or with commas: one of them"},
		&cli.StringSliceFlag{Name: "project", Usage: "of this `PROJECT`, repeatable: one of them"},
		&cli.BoolFlag{Name: "here", Usage: "only capsules of this workspace"},
	}
}

func workspaceFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "workspace", Usage: usage + "; default $BOARD_WORKSPACE, else the repository of the working directory"}
}

func (p *program) kbCommand() *cli.Command {
	return &cli.Command{
		Name: "kb", Category: catKnow, Usage: "the knowledge base: remember, search, get, list, edit, ingest, learn, curate and more",
		Description: `Capsules of durable knowledge, shared by all agents and runs: a file each in the data home (kb/capsules), which you may edit, and a database that finds them, with an
embedding model (board model pull) by meaning too. board help capsules says what belongs into one, and how it is written.`,
		Subcommands: slices.Concat(p.kbCoreCommands(), p.kbEditCommands(), p.kbCurateCommands(), p.kbLearnCommands(), p.kbMeasureCommands()),
	}
}

func (p *program) kbCoreCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "remember", Usage: "store a capsule", ArgsUsage: "[BODY | -]",
			Description: `The body is --body, the argument, or standard input. Say what holds, for whom, and how you know: --source is what a reader checks it
against. What is there already, by title or by meaning, is refused with its id (exit 6); --supersedes replaces it.`,
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "title", Aliases: []string{"t"}, Usage: "what it says, in one `LINE`"},
				&cli.StringFlag{Name: "body", Usage: "the `TEXT`, if it is neither an argument nor piped in"},
				&cli.StringFlag{Name: "kind", Aliases: []string{"k"}, Usage: "`KIND`: " + strings.Join(kb.Kinds, ", "), Value: "fact"},
				&cli.StringFlag{Name: "scope", Usage: "how far it holds, `SCOPE`: " + strings.Join(kb.Scopes, ", ") + " (default workspace; universal in your home directory and above)"},
				&cli.StringSliceFlag{Name: "tags", Aliases: []string{"tag"}, Usage: "`TAG`, repeatable or with commas"},
				&cli.StringSliceFlag{Name: "domain", Usage: "domain `TAG` (auth, tmux, rust), repeatable or with commas"},
				&cli.StringFlag{Name: "source", Usage: "`WHERE` it can be checked: file:line, a command, a URL"},
				&cli.StringFlag{Name: "confidence", Aliases: []string{"c"}, Usage: "0 (a guess) to 1 (certain)"},
				&cli.StringFlag{Name: "verified-by", Usage: "`WHO` or what has verified it"},
				&cli.StringSliceFlag{Name: "ref", Usage: "`REFERENCE` to a run, an entry, a file; repeatable"},
				&cli.StringFlag{Name: "project", Usage: "the `PROJECT` it belongs to"},
				workspaceFlag("the `DIRECTORY` it belongs to"),
				&cli.StringSliceFlag{Name: "supersedes", Usage: "`CAPSULE` that it replaces, repeatable"},
				&cli.BoolFlag{Name: "force", Usage: "store it though it looks like one that is there, or holds what looks like a secret"},
				&cli.BoolFlag{Name: "no-embed", Usage: "store it without an embedding; `board kb reembed` adds it"},
				workerFlag(), quietFlag(), jsonFlag(),
			},
			Action: p.kbRemember,
		},
		{
			Name: "search", Usage: "find capsules by words and by meaning", ArgsUsage: "QUESTION | -",
			Description: `Any text is a question; - or a pipe is one too. Filters are applied before ranking. Capsules of your workspace rise a little. --gate answers only if the
best hit is surely about the question, for hooks and others that answer unasked; board kb calibrate measures how sure it must be.`,
			Flags: flags(kbFilters(), []cli.Flag{
				&cli.StringFlag{Name: "mode", Aliases: []string{"m"}, Usage: "`MODE`: auto (hybrid if there is a model), hybrid, bm25, vector", Value: kb.ModeAuto},
				&cli.StringFlag{Name: "fusion", Usage: "how hybrid makes one list of two: `HOW`, convex (scores) or rrf (ranks)", Value: kb.FusionConvex},
				&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "at most `N`", Value: kb.DefaultLimit},
				&cli.Float64Flag{Name: "floor", Usage: "drop hits that score less than this `SHARE` of the best"},
				&cli.BoolFlag{Name: "gate", Usage: "nothing, unless the best hit is surely about it; else at most 3 that are about as good"},
				&cli.BoolFlag{Name: "no-mmr", Usage: "do not push down what says the same as a better hit"},
				&cli.BoolFlag{Name: "explain", Aliases: []string{"x"}, Usage: "say where each hit's score comes from"},
				&cli.BoolFlag{Name: "full", Usage: "print bodies whole"},
				workspaceFlag("the `DIRECTORY` whose capsules rise"), quietIDs(), jsonFlag(),
			}),
			Action: p.kbSearch,
		},
		{
			Name: "get", Usage: "show a capsule", ArgsUsage: "CAPSULE",
			Flags: []cli.Flag{jsonFlag()}, Action: p.kbGet,
		},
		{
			Name: "list", Usage: "list capsules, newest first",
			Flags: flags(kbFilters(), []cli.Flag{
				&cli.StringFlag{Name: "before", Usage: "only those older than this `CAPSULE`: the next page"},
				workspaceFlag("the `DIRECTORY` that --here means"), limitFlag(), quietIDs(), jsonFlag(),
			}),
			Action: p.kbList,
		},
	}
}

func (p *program) kbMeasureCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "eval", Usage: "measure the search on a retrieval set", ArgsUsage: "DIR…",
			Description: `A set is a folder in the layout of BEIR: corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv. The questions are asked of a knowledge base that holds the set
and nothing else, by the code that answers everybody. --per-query writes what each question got, and --against compares with such a file of an
earlier run.`,
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "split", Usage: "the `NAME` of the qrels file"},
				&cli.StringSliceFlag{Name: "mode", Aliases: []string{"m"}, Usage: "`MODE`, repeatable: bm25, vector, hybrid (default all that the model allows)"},
				&cli.StringFlag{Name: "fusion", Usage: "`HOW`: convex or rrf", Value: kb.FusionConvex},
				&cli.BoolFlag{Name: "no-mmr", Usage: "do not push down what says the same as a better hit"},
				&cli.StringFlag{Name: "per-query", Usage: "write a JSON line for each question and mode to `FILE`"},
				&cli.StringFlag{Name: "against", Usage: "compare with a `FILE` that --per-query wrote"},
				jsonFlag(),
			},
			Action: p.kbEval,
		},
		{
			Name: "calibrate", Usage: "measure how sure a hit must be to be given unasked, and store it", ArgsUsage: "[SET.jsonl]",
			Description: `Asks prompts that capsules help with, and prompts that none does, and takes the least evidence that keeps 95 % of the latter unanswered. It differs from
model to model. The set that comes with the program has 60 capsules and 220 prompts; your own has lines like
{"capsule":"c1","kind":"gotcha","title":"…","body":"…"} and {"prompt":"p1","text":"…","relevant":["c1"]}.`,
			Flags: []cli.Flag{jsonFlag()}, Action: p.kbCalibrate,
		},
		{
			Name: "reembed", Usage: "embed the capsules that have no embedding of the installed model",
			Description: `Those that were stored without a model, and all of them after a change of model: vectors of two models cannot be compared. It goes in small
steps, each of them kept, so an interrupted run is continued by the same command.`,
			Flags: []cli.Flag{jsonFlag()}, Action: p.kbReembed,
		},
	}
}

// embedder opens the installed model. Without one it returns nil and no error: whoever needs one says so.
func (p *program) embedder(ctx context.Context) (embed.Embedder, func(), error) {
	home, err := p.dataHome()
	if err != nil {
		return nil, nil, err
	}
	m, err := minilm.Open(ctx, minilm.DefaultDir(home, p.env))
	if errors.Is(err, embed.ErrNoModel) {
		return nil, func() {}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return m, func() { m.Close() }, nil
}

// openKB opens the knowledge base, with the installed model if it is wanted. A model that is broken is no reason not to answer by words.
func (p *program) openKB(c *cli.Context, open func(context.Context, string, kb.Options) (*kb.KB, error), withModel bool) (*kb.KB, func(), error) {
	return p.openKBAs(c, open, withModel, kb.SyncDue)
}

func (p *program) openKBAs(c *cli.Context, open func(context.Context, string, kb.Options) (*kb.KB, error), withModel bool, sync kb.SyncWhen) (*kb.KB, func(), error) {
	home, err := p.dataHome()
	if err != nil {
		return nil, nil, err
	}
	opt := kb.Options{Actor: p.workerName(c), Sync: sync}
	done := func() {}
	if withModel {
		e, closeModel, err := p.embedder(c.Context)
		switch {
		case err != nil && c.Context.Err() != nil:
			return nil, nil, err
		case err != nil:
			p.talk("the embedding model cannot be used: %s", safe(err.Error()))
		default:
			done = closeModel
			if e != nil {
				opt.Embedder = e
			}
		}
	}
	k, err := open(c.Context, home, opt)
	if err != nil {
		done()
		return nil, nil, err
	}
	p.kbNotes(k)
	return k, func() { k.Close(); done() }, nil
}

// openToWrite opens the knowledge base and makes it if there is none. A dry run makes none: it is tried on an empty one that is gone afterwards.
func (p *program) openToWrite(c *cli.Context, dryRun, withModel bool) (*kb.KB, func(), error) {
	if !dryRun {
		return p.openKB(c, kb.Open, withModel)
	}
	k, done, err := p.openKB(c, kb.OpenExisting, false)
	if !errors.Is(err, kb.ErrNotFound) {
		return k, done, err
	}
	dir, err := os.MkdirTemp("", "board-dry-run-*")
	if err != nil {
		return nil, nil, err
	}
	if k, err = kb.Open(c.Context, dir, kb.Options{}); err != nil {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	return k, func() { k.Close(); os.RemoveAll(dir) }, nil
}

// kbNotes says what the knowledge base has to say: files that were edited by hand, or put into quarantine.
func (p *program) kbNotes(k *kb.KB) {
	for _, n := range k.TakeNotes() {
		p.talk("note: %s", safe(n))
	}
}

// workspace is the project that a command is about: --workspace, else $BOARD_WORKSPACE, else that of the working directory; "" for none.
func (p *program) workspace(c *cli.Context) (string, error) {
	dir := c.String("workspace")
	if !c.IsSet("workspace") {
		if dir = p.env("BOARD_WORKSPACE"); dir == "" {
			var err error
			if dir, err = os.Getwd(); err != nil {
				return "", fmt.Errorf("find the workspace: %w", err)
			}
		}
	}
	if dir == "" {
		return "", nil
	}
	return kb.FindWorkspace(dir, p.env("HOME"))
}

func (p *program) kbRemember(c *cli.Context) error {
	body := c.String("body")
	if c.IsSet("body") {
		if c.NArg() > 0 {
			return usagef("give the body once", "both --body and an argument are given")
		}
	} else {
		var err error
		if body, err = p.text(c, "body", c.Args().Slice()); err != nil {
			return err
		}
	}
	ws, err := p.workspace(c)
	if err != nil {
		return err
	}
	capsule := kb.Capsule{Kind: c.String("kind"), Scope: c.String("scope"), Title: c.String("title"), Body: body, Tags: list(c, "tags"), DomainTags: list(c, "domain"),
		Source: c.String("source"), VerifiedBy: c.String("verified-by"), Refs: c.StringSlice("ref"), Project: c.String("project"), Workspace: ws, Supersedes: list(c, "supersedes")}
	if capsule.Confidence, err = confidence(c); err != nil {
		return err
	}
	return p.remember(c, capsule)
}

// remember stores a capsule and says what became of it.
func (p *program) remember(c *cli.Context, capsule kb.Capsule) error {
	if err := capsule.Check(); err != nil {
		return err // before a knowledge base is made for it
	}
	k, done, err := p.openKB(c, kb.Open, !c.Bool("no-embed"))
	if err != nil {
		return err
	}
	defer done()
	r, err := k.Remember(c.Context, capsule, kb.RememberOptions{Force: c.Bool("force"), NoEmbedding: c.Bool("no-embed")})
	p.kbNotes(k)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.json("capsule", r.Capsule, "warnings", r.Warnings)
	}
	if c.Bool("quiet") {
		p.printf("%s\n", r.Capsule.ID)
	} else {
		p.printf("%s %s remembered: %s\n", r.Capsule.ID, r.Capsule.Kind, line(r.Capsule.Title, 100))
	}
	for _, w := range r.Warnings {
		p.talk("  note: %s", safe(w))
	}
	return nil
}

// kbQuery reads the flags that are filters.
func (p *program) kbQuery(c *cli.Context) (q kb.Query, err error) {
	q = kb.Query{Kinds: list(c, "kind"), Scopes: list(c, "scope"), Tags: list(c, "tag"), DomainTags: list(c, "domain"), Projects: c.StringSlice("project"), Superseded: c.Bool("superseded"), Retired: c.Bool("retired")}
	if q.Workspace, err = p.workspace(c); err != nil {
		return q, err
	}
	if c.Bool("here") {
		if q.Workspace == "" {
			return q, usagef("--workspace names a directory", "--here: the working directory is nobody's project")
		}
		q.Workspaces = []string{q.Workspace}
	}
	return q, nil
}

func (p *program) kbSearch(c *cli.Context) error {
	q, err := p.kbQuery(c)
	if err != nil {
		return err
	}
	if q.Text, err = p.question(c); err != nil {
		return err
	}
	q.Mode, q.Fusion, q.Limit, q.Floor = c.String("mode"), c.String("fusion"), c.Int("limit"), c.Float64("floor")
	q.Gate, q.NoMMR, q.Explain = c.Bool("gate"), c.Bool("no-mmr"), c.Bool("explain")
	if q.Gate { // as `board kb calibrate` measures it
		if !c.IsSet("limit") {
			q.Limit = kb.RecallLimit
		}
		if !c.IsSet("floor") {
			q.Floor = kb.RecallFloor
		}
	}
	if c.IsSet("limit") && q.Limit == 0 {
		return usagef("`board kb list` lists everything", "--limit 0 makes no sense for a search")
	}
	k, done, err := p.openKB(c, kb.OpenExisting, q.Mode != kb.ModeBM25)
	if err != nil {
		return err
	}
	defer done()
	res, err := k.Search(c.Context, q)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.json("hits", res.Hits, "mode", res.Mode, "degraded", res.Degraded, "missing", res.Missing, "total", res.Total, "evidence", res.Evidence,
			"threshold", res.Threshold, "gated", res.Gated)
	}
	for i := range res.Hits {
		p.printHit(&res.Hits[i], c)
	}
	for _, d := range res.Degraded {
		p.talk("note: %s", safe(d))
	}
	switch {
	case res.Gated && res.Threshold > 0:
		p.talk("nothing is surely about it: the best has an evidence of %.2f, and %.2f is asked for", res.Evidence, res.Threshold)
	case res.Gated: // not calibrated, as the note says
	case len(res.Hits) == 0:
		p.listEnd(0, false, "capsules")
	}
	return nil
}

// question is the text to search for: the arguments, or standard input.
func (p *program) question(c *cli.Context) (string, error) {
	if c.NArg() > 1 || c.NArg() == 1 && c.Args().First() != "-" {
		return strings.Join(c.Args().Slice(), " "), nil
	}
	if c.NArg() == 0 && isTerminal(p.in) {
		return "", usagef("give it as an argument, or pipe it in", "no question is given")
	}
	const most = 1 << 20
	data, err := p.readAll(c.Context, p.in, most)
	return string(data), err
}

func (p *program) printHit(h *kb.Hit, c *cli.Context) {
	if c.Bool("quiet") {
		p.printf("%s\n", h.ID)
		return
	}
	p.printf("%s  %.2f  %-12s  %s%s\n", h.ID, h.Score, h.Kind, p.paint(bold, line(h.Title, 120)), p.paint(yellow, marks(&h.Capsule)))
	if c.Bool("full") {
		p.printf("%s\n", indent(h.Body, "       | "))
	} else {
		p.printf("       | %s\n", line(h.Snippet, 400))
	}
	if h.Source != "" {
		p.printf("       @ %s\n", p.paint(dim, line(h.Source, 160)))
	}
	if !c.Bool("explain") {
		return
	}
	var why []string
	if h.BM25Score > 0 {
		why = append(why, fmt.Sprintf("bm25 %.2f%s", h.BM25Score, rankMark(h.BM25Rank)))
	}
	if h.CosineScore != nil {
		why = append(why, fmt.Sprintf("cosine %.3f%s", *h.CosineScore, rankMark(h.VectorRank)))
	}
	why = append(why, fmt.Sprintf("rrf %.4f", h.RRFScore))
	why = append(why, h.Boosts...)
	p.printf("       = %s\n", strings.Join(why, ", "))
	var terms []string
	for _, t := range h.Terms {
		terms = append(terms, fmt.Sprintf("%s %.2f", safe(t.Term), t.Score))
	}
	if len(terms) > 0 {
		p.printf("       = words: %s\n", strings.Join(terms, ", "))
	}
}

func rankMark(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (#%d)", n)
}

// marks are what one should know of a capsule at a glance.
func marks(c *kb.Capsule) string {
	s := ""
	if c.SupersededBy != "" {
		s += "  superseded by " + c.SupersededBy
	}
	if c.Retired != nil {
		s += "  retired"
	}
	if c.Confidence != nil && *c.Confidence < 0.5 {
		s += fmt.Sprintf("  confidence %g", *c.Confidence)
	}
	return s
}

func (p *program) kbGet(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("`board kb get CAPSULE`", "one id is needed, but %d are given", c.NArg())
	}
	k, done, err := p.openKB(c, kb.OpenExisting, false)
	if err != nil {
		return err
	}
	defer done()
	capsule, err := k.Look(c.Context, c.Args().First())
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.json("capsule", capsule)
	}
	p.printCapsule(&capsule)
	return nil
}

func (p *program) printCapsule(c *kb.Capsule) {
	p.printf("%s  %s\n", c.ID, p.paint(bold, line(c.Title, 300)))
	row := func(name, value string) {
		if value != "" {
			p.printf("%-11s %s\n", name, line(value, 300))
		}
	}
	row("kind", c.Kind)
	row("scope", c.Scope)
	row("workspace", c.Workspace)
	row("project", c.Project)
	row("tags", strings.Join(c.Tags, ", "))
	row("domains", strings.Join(c.DomainTags, ", "))
	row("source", c.Source)
	if c.Confidence != nil {
		row("confidence", strconv.FormatFloat(*c.Confidence, 'g', -1, 64))
	}
	row("verified by", c.VerifiedBy)
	row("refs", strings.Join(c.Refs, ", "))
	row("supersedes", strings.Join(c.Supersedes, ", "))
	if c.SupersededBy != "" {
		row("superseded", p.paint(yellow, "by "+c.SupersededBy))
	}
	if c.Retired != nil {
		row("retired", p.paint(yellow, strings.TrimSuffix(clock(*c.Retired)+": "+line(c.RetiredWhy, 200), ": ")))
	}
	row("created", clock(c.Created))
	if !c.Updated.Equal(c.Created) {
		row("updated", fmt.Sprintf("%s, revision %d", clock(c.Updated), c.Revision))
	}
	row("embedding", c.Model)
	p.printf("\n%s\n", indent(c.Body, "  | "))
}

func (p *program) kbList(c *cli.Context) error {
	if err := noArgs(c); err != nil {
		return err
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
	all, more, err := k.List(c.Context, kb.ListQuery{Kinds: q.Kinds, Scopes: q.Scopes, Tags: q.Tags, DomainTags: q.DomainTags, Workspaces: q.Workspaces, Projects: q.Projects,
		Superseded: q.Superseded, Retired: q.Retired, Before: c.String("before"), Limit: c.Int("limit")})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		if all == nil {
			all = []kb.Capsule{}
		}
		return p.json("capsules", all, "more", more)
	}
	for i := range all {
		if c.Bool("quiet") {
			p.printf("%s\n", all[i].ID)
			continue
		}
		p.printf("%s  %s  %-12s  %s%s\n", all[i].ID, all[i].Created.Format("2006-01-02"), all[i].Kind, line(all[i].Title, 120), p.paint(yellow, marks(&all[i])))
	}
	switch {
	case len(all) == 0:
		p.listEnd(0, false, "capsules")
	case more:
		p.talk("the newest %d are shown; --before %s shows the next", len(all), all[len(all)-1].ID)
	}
	return nil
}

func (p *program) kbReembed(c *cli.Context) error {
	if err := noArgs(c); err != nil {
		return err
	}
	e, closeModel, err := p.embedder(c.Context)
	if err != nil {
		return err
	}
	defer closeModel()
	if e == nil {
		return &usageHint{"no embedding model is installed", "`board model pull` fetches one"}
	}
	home, err := p.dataHome()
	if err != nil {
		return err
	}
	k, err := kb.OpenExisting(c.Context, home, kb.Options{Embedder: e})
	if err != nil {
		return err
	}
	defer k.Close()
	bar := p.stepBar()
	r, err := k.Reembed(c.Context, func(done, of int) { bar.show("embedding", done, of) })
	bar.clear()
	if err != nil {
		if r.Embedded > 0 {
			p.talk("%s have theirs; the same command continues", count(int64(r.Embedded), "capsule", "capsules"))
		}
		return err
	}
	if c.Bool("json") {
		return p.json("reembed", r)
	}
	p.printf("%s embedded with %s, %d had theirs already\n", count(int64(r.Embedded), "capsule", "capsules"), r.Model, r.Skipped)
	return nil
}
