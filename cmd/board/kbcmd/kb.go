package kbcmd

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/cmd/board/base"
	"blackboard/embed"
	"blackboard/kb"
)

// kbFilters are the flags that filter capsules.
func kbFilters() []cli.Flag {
	return append(kbPlaces(),
		&cli.BoolFlag{Name: "superseded", Usage: "include superseded capsules"},
		&cli.BoolFlag{Name: "retired", Usage: "include retired capsules"},
	)
}

// kbPlaces are the filters by kind, scope, tags and project.
func kbPlaces() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "kind",
			Usage: "`KIND`, repeatable or with commas: " + strings.Join(kb.Kinds, ", ")},
		&cli.StringSliceFlag{Name: "scope",
			Usage: "`SCOPE`, repeatable or with commas: " + strings.Join(kb.Scopes, ", ")},
		&cli.StringSliceFlag{Name: "tag", Aliases: []string{"tags"},
			Usage: "has this `TAG`; repeated: all of them"},
		&cli.StringSliceFlag{Name: "domain",
			Usage: "has this domain `TAG`, repeatable or with commas: one of them"},
		&cli.StringSliceFlag{Name: "project", Usage: "of this `PROJECT`, repeatable: one of them"},
		&cli.BoolFlag{Name: "here", Usage: "only capsules of this workspace"},
	}
}

func (p *program) kbCommand() *cli.Command {
	return &cli.Command{
		Name: "kb", Category: base.CategoryKnow,
		Usage: "the knowledge base: remember, search, get, list, edit, ingest, learn, curate and more",
		Description: `Capsules of durable knowledge, shared by all agents and runs. Each is a
file in the data home (kb/capsules), which you may edit. A database finds them by words,
and with an embedding model (board model pull) also by meaning. board help capsules
explains what belongs in a capsule.`,
		Subcommands: slices.Concat(p.kbCoreCommands(), p.kbEditCommands(), p.kbCurateCommands(),
			p.kbLearnCommands(), p.kbMoveCommands(), p.kbMeasureCommands()),
	}
}

func (p *program) kbCoreCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "remember", Usage: "store a capsule", ArgsUsage: "[BODY | -]",
			Description: `The body is --body, the argument, or standard input. Say what is true,
for whom, and how you know it; --source lets readers verify it. If a capsule with the same
title or the same words exists, the new one is refused with that id (exit 6); --supersedes
replaces it. Similar capsules are listed.`,
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "title", Usage: "title, one `LINE`"},
				&cli.StringFlag{Name: "body", Usage: "the `TEXT`, if it is neither an argument " +
					"nor piped in"},
				&cli.StringFlag{Name: "kind", Usage: "`KIND`: " + strings.Join(kb.Kinds, ", "),
					Value: "fact"},
				&cli.StringFlag{Name: "scope", Usage: "where it applies, `SCOPE`: " +
					strings.Join(kb.Scopes, ", ") + " (default workspace; universal in your " +
					"home directory " +
					"and above)"},
				&cli.StringSliceFlag{Name: "tags", Aliases: []string{"tag"},
					Usage: "`TAG`, repeatable or with commas"},
				&cli.StringSliceFlag{Name: "domain",
					Usage: "domain `TAG` (auth, tmux, rust), repeatable or with commas"},
				&cli.StringFlag{Name: "source",
					Usage: "`WHERE` it can be checked: file:line, a command, a URL"},
				&cli.StringFlag{Name: "confidence", Aliases: []string{"c"},
					Usage: "0 (a guess) to 1 (certain)"},
				&cli.StringFlag{Name: "verified-by", Usage: "`WHO` or what verified it"},
				&cli.StringSliceFlag{Name: "ref", Usage: "`REFERENCE` to a run, an entry, a " +
					"file; repeatable"},
				&cli.StringFlag{Name: "project", Usage: "the `PROJECT` it belongs to"},
				base.WorkspaceFlag("the `DIRECTORY` it belongs to"),
				&cli.StringSliceFlag{Name: "supersedes", Usage: "`CAPSULE` that it replaces, repeatable"},
				&cli.BoolFlag{Name: "force",
					Usage: "store it even if it resembles an existing one or seems to hold a secret"},
				&cli.BoolFlag{Name: "no-embed",
					Usage: "store it without an embedding; `board kb reembed` adds it"},
				base.WorkerFlag(), base.QuietFlag(), base.JSONFlag(),
			},
			Action: p.kbRemember,
		},
		{
			Name: "search", Usage: "find capsules by words and by meaning", ArgsUsage: "QUESTION | -",
			Description: `Any text is a question, also from a pipe (-). Filters apply before
ranking. Capsules of your workspace rank a little higher. --gate answers only with a
confident match, for hooks and other callers that answer unasked; board kb calibrate
measures the threshold.`,
			Flags: base.JoinFlags(kbFilters(), []cli.Flag{
				&cli.StringFlag{Name: "mode", Aliases: []string{"m"},
					Usage: "`MODE`: auto (hybrid if there is a model), hybrid, bm25, vector",
					Value: kb.ModeAuto},
				&cli.StringFlag{Name: "fusion",
					Usage: "how hybrid fuses its two lists: `HOW`, convex (scores) or rrf (ranks)",
					Value: kb.FusionConvex},
				&cli.IntFlag{Name: "limit", Aliases: []string{"n"},
					Usage: "at most `N`", Value: kb.DefaultLimit},
				&cli.Float64Flag{Name: "floor",
					Usage: "drop hits that score less than this `SHARE` of the best"},
				&cli.BoolFlag{Name: "gate",
					Usage: "answer only with a confident match: at most 3 hits of about the same score"},
				&cli.BoolFlag{Name: "no-docs", Usage: "leave out sections of documents"},
				&cli.BoolFlag{Name: "no-mmr", Usage: "do not rank down near-duplicates of a better hit"},
				&cli.BoolFlag{Name: "explain", Aliases: []string{"x"},
					Usage: "say where each hit's score comes from"},
				&cli.BoolFlag{Name: "full", Usage: "print full bodies"},
				base.WorkspaceFlag("the `DIRECTORY` whose capsules rank higher"), givenToFlag(),
				base.WorkerFlag(), base.QuietIDsFlag(), base.JSONFlag(),
			}),
			Action: p.kbSearch,
		},
		{
			Name: "get", Usage: "show a capsule", ArgsUsage: "CAPSULE",
			Flags: []cli.Flag{base.JSONFlag()}, Action: p.kbGet,
		},
		{
			Name: "list", Usage: "list capsules, newest first",
			Flags: base.JoinFlags(kbFilters(), []cli.Flag{
				&cli.StringFlag{Name: "before", Usage: "only those older than this `CAPSULE`: " +
					"the next page"},
				base.WorkspaceFlag("the `DIRECTORY` that --here means"), base.LimitFlag(),
				base.QuietIDsFlag(),
				base.JSONFlag(),
			}),
			Action: p.kbList,
		},
	}
}

func (p *program) kbMeasureCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name:  "calibrate",
			Usage: "measure the threshold of a confident match, and store it", ArgsUsage: "[SET.jsonl]",
			Description: `Words and the models that board knows have a threshold already. It is
measured here with 330 prompts about other things, and raised if too many of them get an
answer. Of another model, prompts of three sets that come with the program are asked, and
the threshold is the least evidence that leaves 95 % of those that no capsule answers
without an answer. It rises with the number of capsules. A set of your own has lines like

  {"capsule":"c1","kind":"gotcha","title":"…","body":"…"}
  {"prompt":"p1","text":"…","relevant":["c1"]}
  {"prompt":"p2","class":"off","text":"…"}

Classes are off, vague and technical; of technical prompts, 90 % shall stay without an
answer. Your own capsules are measured too: by their titles, by prompts whose "relevant"
has their ids, and by prompts about something else.`,
			Flags: []cli.Flag{base.JSONFlag()}, Action: p.kbCalibrate,
		},
		{
			Name: "reembed", Usage: "embed the capsules that have no embedding of the installed model",
			Description: `These are capsules that were stored without a model, and all of them
after a change of the model: vectors of two models cannot be compared. Each small step is
saved. If it is interrupted, run the same command again.`,
			Flags: []cli.Flag{base.JSONFlag()}, Action: p.kbReembed,
		},
	}
}

func (p *program) kbRemember(c *cli.Context) error {
	body := c.String("body")
	if c.IsSet("body") {
		if c.NArg() > 0 {
			return base.Usagef("give the body once", "both --body and an argument are given")
		}
	} else {
		var err error
		if body, err = p.Content(c, "body", c.Args().Slice()); err != nil {
			return err
		}
	}
	ws, err := p.Workspace(c)
	if err != nil {
		return err
	}
	capsule := kb.Capsule{Kind: c.String("kind"), Scope: c.String("scope"), Title: c.String("title"),
		Body: body, Tags: base.List(c, "tags"), DomainTags: base.List(c, "domain"),
		Source: c.String("source"), VerifiedBy: c.String("verified-by"), Refs: c.StringSlice("ref"),
		Project: c.String("project"), Workspace: ws, Supersedes: base.List(c, "supersedes")}
	if capsule.Confidence, err = confidence(c); err != nil {
		return err
	}
	return p.remember(c, capsule, nil)
}

// remember stores a capsule and prints the result.
//
// If there is already the capsule that known returns, nothing is stored, unless with
// --force.
func (p *program) remember(c *cli.Context, capsule kb.Capsule,
	known func(*kb.KB, context.Context, *kb.Capsule) (*kb.Capsule, error)) error {
	if err := capsule.Check(); err != nil {
		return err // before a knowledge base is made for it
	}
	return base.With(p.openKB(c, kb.Open, !c.Bool("no-embed")))(func(k *kb.KB) error {
		if known != nil && !c.Bool("force") {
			if there, err := known(k, c.Context, &capsule); err != nil {
				return err
			} else if there != nil {
				return p.answerPromoted(c, there)
			}
		}
		r, err := k.Remember(c.Context, capsule, kb.RememberOptions{Force: c.Bool("force"),
			NoEmbedding: c.Bool("no-embed")})
		p.kbNotes(k)
		if err != nil {
			return err
		}
		return p.Answer(c, nil, func() {
			if c.Bool("quiet") {
				p.Printf("%s\n", r.Capsule.ID)
			} else {
				place := r.Capsule
				if filepath.IsAbs(place.Workspace) { // the name is enough here
					place.Workspace = filepath.Base(place.Workspace)
				}
				p.Printf("%s %s remembered: %s%s\n", r.Capsule.ID, r.Capsule.Kind,
					base.Line(r.Capsule.Title, 100),
					p.Paint(base.Dim, "  scope "+base.Line(place.Place(), 100)))
			}
			for _, w := range r.Warnings {
				p.Messagef("  note: %s", base.Safe(w))
			}
			p.printLike(r.Alike)
		}, "capsule", r.Capsule, "warnings", r.Warnings, "alike", r.Alike)
	})
}

// printLike names capsules that are similar to a new one.
func (p *program) printLike(alike []kb.Alike) {
	for _, a := range alike {
		how := ""
		if a.Cosine != nil {
			how = fmt.Sprintf(" (cosine %.2f)", *a.Cosine)
		}
		if len(a.Differ) > 0 {
			how += "; they may differ: " + base.Safe(strings.Join(a.Differ, "; "))
		}
		p.Messagef("  note: it is similar to %s %s%s", a.ID, base.Line(a.Title, 80), how)
	}
}

// kbQuery reads the filters.
func (p *program) kbQuery(c *cli.Context) (q kb.Query, err error) {
	q = kb.Query{Kinds: base.List(c, "kind"), Scopes: base.List(c, "scope"),
		Tags: base.List(c, "tag"), DomainTags: base.List(c, "domain"),
		Projects: c.StringSlice("project"), Superseded: c.Bool("superseded"), Retired: c.Bool("retired")}
	if q.Workspace, err = p.Workspace(c); err != nil {
		return q, err
	}
	if c.Bool("here") {
		if q.Workspace == "" {
			return q, base.Usagef("--workspace names a directory",
				"--here: the working directory is nobody's project")
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
	if filtered(&q) && c.NArg() == 0 && base.IsTerminal(p.In) {
		return p.kbList(c)
	}
	if q.Text, cut, err = p.question(c); err != nil {
		return err
	}
	if filtered(&q) && strings.TrimSpace(q.Text) == "" {
		return p.kbList(c)
	}
	q.Mode, q.Fusion, q.Limit, q.Floor = c.String("mode"), c.String("fusion"), c.Int("limit"),
		c.Float64("floor")
	q.Gate, q.NoMMR, q.Explain = c.Bool("gate"), c.Bool("no-mmr"), c.Bool("explain")
	q.NoDocs = c.Bool("no-docs")
	if q.Gate { // as `board kb calibrate` measures it
		q.NoDocs = q.NoDocs || len(q.Kinds) == 0
		if !c.IsSet("limit") {
			q.Limit = kb.RecallLimit
		}
		if !c.IsSet("floor") {
			q.Floor = kb.RecallFloor
		}
	}
	if c.IsSet("limit") && q.Limit == 0 {
		return base.Usagef("`board kb list` lists everything", "--limit 0 is invalid for a search")
	}
	run, err := p.askingRun(c)
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
	p.recordGiven(c, run, board.Retrieval{Way: board.BySearch, Task: q.Text, Capsules: given})
	res.Degraded = append(cut, res.Degraded...)
	return p.Answer(c, nil, func() {
		for i := range res.Hits {
			p.printHit(&res.Hits[i], c)
		}
		for _, e := range res.Expanded {
			p.Messagef("note: searched for %s instead of %s", base.Line(strings.Join(e.Terms, ", "), 200),
				base.Line(e.Missing, 80))
		}
		p.Notes(res.Degraded)
		switch {
		case res.Gated:
			p.Messagef("no confident match: the best hit has an evidence of %.2f, and the threshold is "+
				"%.2f", res.Evidence, res.Threshold)
		case len(res.Hits) == 0:
			p.EndList(0, false, "capsules")
		}
	}, "hits", res.Hits, "mode", res.Mode, "degraded", res.Degraded, "missing", res.Missing, "total",
		res.Total, "evidence", res.Evidence,
		"threshold", res.Threshold, "gated", res.Gated, "expanded", res.Expanded)
}

// filtered reports whether a query has filters.
func filtered(q *kb.Query) bool {
	return len(q.Kinds)+len(q.Scopes)+len(q.Tags)+len(q.DomainTags)+
		len(q.Workspaces)+len(q.Projects) > 0
}

// question is the text to search for: the arguments, or at most 1 MiB of stdin.
// degraded tells if there was more.
func (p *program) question(c *cli.Context) (text string, degraded []string, err error) {
	degraded = []string{}
	if c.NArg() > 1 || c.NArg() == 1 && c.Args().First() != "-" {
		return strings.Join(c.Args().Slice(), " "), degraded, nil
	}
	if c.NArg() == 0 && base.IsTerminal(p.In) {
		return "", nil, base.Usagef("give it as an argument, or pipe it in", "no question is given")
	}
	data, err := p.ReadAll(c.Context, p.In, base.MaxText+1)
	if len(data) > base.MaxText {
		data = data[:base.MaxText]
		degraded = append(degraded, fmt.Sprintf("the question has more than 1 MiB: only its first %d "+
			"bytes are searched for", base.MaxText))
	}
	return string(data), degraded, err
}

func (p *program) kbReembed(c *cli.Context) error {
	e, err := p.OwnEmbedder(c.Context)
	if err != nil {
		return err
	}
	if e == nil {
		return embed.NoModel()
	}
	home, err := p.KBHome()
	if err != nil {
		return err
	}
	k, err := kb.OpenExisting(c.Context, home, kb.Options{Embedder: e})
	if err != nil {
		return err
	}
	defer k.Close()
	bar := p.StepBar()
	r, err := k.Reembed(c.Context, func(done, of int) { bar.Show("embedding", done, of) })
	bar.Clear()
	if err != nil {
		if r.Embedded > 0 {
			p.Messagef("%s have theirs; the same command continues", base.Count(int64(r.Embedded),
				"capsule", "capsules"))
		}
		return err
	}
	return p.Answer(c, nil, func() {
		p.Printf("%s embedded with %s, %d had theirs already\n", base.Count(int64(r.Embedded), "capsule",
			"capsules"), r.Model, r.Skipped)
	}, "reembed", r)
}
