package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/embed"
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
		Subcommands: slices.Concat(p.kbCoreCommands(), p.kbEditCommands(), p.kbCurateCommands(), p.kbLearnCommands(), p.kbMoveCommands(), p.kbMeasureCommands()),
	}
}

func (p *program) kbCoreCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "remember", Usage: "store a capsule", ArgsUsage: "[BODY | -]",
			Description: `The body is --body, the argument, or standard input. Say what holds, for whom, and how you know: --source is what a reader checks it
against. What is there already, by title or word for word, is refused with its id (exit 6); --supersedes replaces it. What it is only like is named.`,
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
				workspaceFlag("the `DIRECTORY` whose capsules rise"), givenTo(), workerFlag(), quietIDs(), jsonFlag(),
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
model to model, and rises with the number of capsules. Three sets come with the program, with 520 capsules and 520 prompts; your own has lines like
{"capsule":"c1","kind":"gotcha","title":"…","body":"…"}, {"prompt":"p1","text":"…","relevant":["c1"]} and {"prompt":"p2","class":"off","text":"…"}; classes are off, vague and technical
(of which 90 % are to stay unanswered). Your own capsules are asked for too, by their titles and by prompts whose "relevant" has their ids, and prompts about something else are asked of them.`,
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
	return p.answer(c, nil, func() {
		if c.Bool("quiet") {
			p.printf("%s\n", r.Capsule.ID)
		} else {
			p.printf("%s %s remembered: %s\n", r.Capsule.ID, r.Capsule.Kind, line(r.Capsule.Title, 100))
		}
		for _, w := range r.Warnings {
			p.talk("  note: %s", safe(w))
		}
		p.printLike(r.Alike)
	}, "capsule", r.Capsule, "warnings", r.Warnings, "alike", r.Alike)
}

// printLike names the capsules that a new one is like.
func (p *program) printLike(alike []kb.Alike) {
	for _, a := range alike {
		how := ""
		if a.Cosine != nil {
			how = fmt.Sprintf(" (cosine %.2f)", *a.Cosine)
		}
		if len(a.Differ) > 0 {
			how += "; they may differ: " + safe(strings.Join(a.Differ, "; "))
		}
		p.talk("  note: it is like %s %s%s", a.ID, line(a.Title, 80), how)
	}
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
	var cut []string
	if filtered(&q) && c.NArg() == 0 && isTerminal(p.in) {
		return p.kbList(c)
	}
	if q.Text, cut, err = p.question(c); err != nil {
		return err
	}
	if filtered(&q) && strings.TrimSpace(q.Text) == "" {
		return p.kbList(c)
	}
	q.Mode, q.Fusion, q.Limit, q.Floor = c.String("mode"), c.String("fusion"), c.Int("limit"), c.Float64("floor")
	q.Gate, q.NoMMR, q.Explain = c.Bool("gate"), c.Bool("no-mmr"), c.Bool("explain")
	if q.Gate { // as `board kb calibrate` measures it
		q.NoDocs = len(q.Kinds) == 0
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
	run, err := p.asking(c)
	if err != nil {
		return err
	}
	res, err := p.search(c, q)
	if err != nil {
		return err
	}
	given := make([]board.Given, len(res.Hits))
	for i := range res.Hits {
		h := &res.Hits[i]
		given[i] = board.Given{ID: h.ID, Score: h.Score, Evidence: h.Evidence}
	}
	p.keepGiven(c, run, board.Retrieval{Way: board.BySearch, Task: q.Text, Capsules: given})
	res.Degraded = append(cut, res.Degraded...)
	if c.Bool("json") {
		return p.json("hits", res.Hits, "mode", res.Mode, "degraded", res.Degraded, "missing", res.Missing, "total", res.Total, "evidence", res.Evidence,
			"threshold", res.Threshold, "gated", res.Gated, "expanded", res.Expanded)
	}
	for i := range res.Hits {
		p.printHit(&res.Hits[i], c)
	}
	for _, e := range res.Expanded {
		p.talk("note: searched for %s instead of %s", line(strings.Join(e.Terms, ", "), 200), line(e.Missing, 80))
	}
	for _, d := range res.Degraded {
		p.talk("note: %s", safe(d))
	}
	switch {
	case res.Gated:
		p.talk("nothing is surely about it: the best has an evidence of %.2f, and %.2f is asked for", res.Evidence, res.Threshold)
	case len(res.Hits) == 0:
		p.listEnd(0, false, "capsules")
	}
	return nil
}

// filtered reports whether a query says which capsules it wants without saying what about.
func filtered(q *kb.Query) bool {
	return len(q.Kinds)+len(q.Scopes)+len(q.Tags)+len(q.DomainTags)+len(q.Workspaces)+len(q.Projects) > 0
}

// question is the text to search for: the arguments, or standard input. Of standard input at most a megabyte
// is taken; degraded says so where there was more.
func (p *program) question(c *cli.Context) (text string, degraded []string, err error) {
	degraded = []string{}
	if c.NArg() > 1 || c.NArg() == 1 && c.Args().First() != "-" {
		return strings.Join(c.Args().Slice(), " "), degraded, nil
	}
	if c.NArg() == 0 && isTerminal(p.in) {
		return "", nil, usagef("give it as an argument, or pipe it in", "no question is given")
	}
	data, err := p.readAll(c.Context, p.in, mostText+1)
	if len(data) > mostText {
		data = data[:mostText]
		degraded = append(degraded, fmt.Sprintf("the question has more than 1 MiB: only its first %d bytes are searched for", mostText))
	}
	return string(data), degraded, err
}

func (p *program) kbReembed(c *cli.Context) error {
	e, err := p.ownEmbedder(c.Context)
	if err != nil {
		return err
	}
	if e == nil {
		return embed.NoModel()
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
	return p.answer(c, nil, func() {
		p.printf("%s embedded with %s, %d had theirs already\n", count(int64(r.Embedded), "capsule", "capsules"), r.Model, r.Skipped)
	}, "reembed", r)
}
