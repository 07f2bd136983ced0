package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/hooks/harness"
	"blackboard/kb"
	"blackboard/kb/learn"
)

func (p *program) kbLearnCommands() []*cli.Command {
	roles := strings.Join(kb.Roles, ", ")
	return []*cli.Command{
		{
			Name: "learn", Usage: "store what the workers of a run say they have learned", ArgsUsage: "[TRANSCRIPT | -]",
			Description: `Reads LEARNING: lines and lists below "Learnings:" of a transcript (text, or a harness's JSONL, where only what the assistant said counts), or the JSON list of a
reflector. A line may say its kind, "LEARNING (gotcha): …"; else the role tells. What is there already is confirmed: run and role are noted with it, and a reviewer,
re_reviewer or reflector raises its confidence. What is no capsule is listed with the reason, what only looks like a learning is counted, and the others are stored.`,
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "role", Usage: "whose words they are, `ROLE`: " + roles},
				&cli.StringFlag{Name: "run", Aliases: []string{"r"}, Usage: "the `RUN` they are of; default $BOARD_RUN"},
				&cli.StringFlag{Name: "project", Usage: "the `PROJECT` they hold for; default the name of the workspace"},
				workspaceFlag("the `DIRECTORY` they hold for"),
				&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be stored"},
				&cli.BoolFlag{Name: "force", Usage: "store what looks like one that is there, or holds what looks like a secret"},
				workerFlag(), quietIDs(), jsonFlag(),
			},
			Action: p.kbLearn,
		},
		{
			Name: "harvest", Usage: "find what a worklog could teach, as ready remember lines", ArgsUsage: "[WORKLOG.jsonl | -]",
			Description: "A worklog has a JSON object a line: the command (or tool) that was run, its exit_code, its output or error, the file that was edited.\nLooks for a failure that was fixed, an error that comes back, a command that is run again and again. It stores nothing: read what it prints, keep what is true, and run it.",
			Flags:       []cli.Flag{jsonFlag()}, Action: p.kbHarvest,
		},
		{
			Name: "brief", Usage: "print what a role should know before a task, for its prompt", ArgsUsage: "[TASK | -]",
			Description: `Prints a block "## RECENT LEARNINGS" within a budget of tokens (4 bytes each): what is surely about the task, or else up to three that come nearest, and says so. It prints nothing
where nothing has anything to do with it. The lines around the block say that it is records of others, not instructions. The role decides on the kinds: an executor gets facts, recipes,
gotchas, patterns and anti-patterns, a reviewer gotchas and anti-patterns, a re_reviewer principles too; a planner, a reflector and nobody in particular get everything but sections of
documents. Left out are capsules of other workspaces, and those that were promoted from the run that asks: its board has them. --json has the retrieval log. Within a run (--run,
$BOARD_RUN) the board keeps what was given, to whom and for which task.`,
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "role", Usage: "`ROLE`: " + roles},
				&cli.StringFlag{Name: "task", Usage: "the `TASK`, if it is neither an argument nor piped in"},
				&cli.IntFlag{Name: "budget", Usage: "`TOKENS` of the block", Value: kb.DefaultBudget},
				&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "at most `N` capsules", Value: 8},
				&cli.StringFlag{Name: "mode", Aliases: []string{"m"}, Usage: "`MODE`: auto, hybrid, bm25", Value: kb.ModeAuto},
				&cli.StringFlag{Name: "project", Usage: "the `PROJECT` it is about"},
				workspaceFlag("the `DIRECTORY` it is about"), givenTo(), workerFlag(), jsonFlag(),
			},
			Action: p.kbBrief,
		},
		{
			Name: "promote", Usage: "make a capsule of a board's entry, with where it is from", ArgsUsage: "ENTRY",
			Description: `The capsule gets the entry's content, source, evidence, confidence and tags, and refers to the run, the entry and the worker. Observations, analyses and
calculations become facts, strategies patterns, gaps and contradictions gotchas; --kind says otherwise.`,
			Flags: flags([]cli.Flag{
				&cli.StringFlag{Name: "title", Aliases: []string{"t"}, Usage: "what it says, in one `LINE`; default the beginning of the content"},
				&cli.StringFlag{Name: "kind", Aliases: []string{"k"}, Usage: "`KIND`: " + strings.Join(kb.Kinds, ", ")},
				&cli.StringFlag{Name: "scope", Usage: "`SCOPE`: " + strings.Join(kb.Scopes, ", ") + " (default workspace; universal in your home directory and above)"},
				&cli.StringSliceFlag{Name: "tags", Aliases: []string{"tag"}, Usage: "`TAG` beside those of the entry, repeatable or with commas"},
				&cli.StringSliceFlag{Name: "domain", Usage: "domain `TAG`, repeatable or with commas"},
				&cli.StringFlag{Name: "confidence", Aliases: []string{"c"}, Usage: "0 to 1; default the entry's"},
				&cli.StringFlag{Name: "verified-by", Usage: "`WHO` or what has verified it"},
				&cli.StringFlag{Name: "project", Usage: "the `PROJECT` it belongs to"},
				workspaceFlag("the `DIRECTORY` it belongs to"),
				&cli.StringSliceFlag{Name: "supersedes", Usage: "`CAPSULE` that it replaces, repeatable"},
				&cli.BoolFlag{Name: "force", Usage: "store it though it looks like one that is there, or holds what looks like a secret"},
				&cli.BoolFlag{Name: "no-embed", Usage: "store it without an embedding"},
				quietFlag(),
			}, writeFlags()),
			Action: p.kbPromote,
		},
	}
}

// input opens the one file that a command reads, or standard input.
func (p *program) input(c *cli.Context, what string) (io.Reader, func(), error) {
	switch {
	case c.NArg() > 1:
		return nil, nil, usagef("`board kb "+c.Command.Name+" --help` shows what it takes", "one %s is needed, but %d are given", what, c.NArg())
	case c.NArg() == 1 && c.Args().First() != "-":
		return p.named(c.Args().First(), what)
	case c.NArg() == 0 && isTerminal(p.in):
		return nil, nil, usagef("give its file, or pipe it in", "no %s is given", what)
	}
	return p.in, func() {}, nil
}

func (p *program) kbLearn(c *cli.Context) error {
	in, closeInput, err := p.input(c, "transcript")
	if err != nil {
		return err
	}
	defer closeInput()
	ws, err := p.workspace(c)
	if err != nil {
		return err
	}
	set, err := learn.Read(in, c.String("role"), harness.Said)
	if err != nil {
		return err
	}
	run := c.String("run")
	if run == "" {
		run = p.env("BOARD_RUN")
	}
	opt := kb.LearnOptions{Role: c.String("role"), Run: run, Workspace: ws, Project: c.String("project"), Force: c.Bool("force"), DryRun: c.Bool("dry-run")}
	out := kb.Learned{Stored: []kb.Capsule{}, Confirmed: []kb.Confirmed{}}
	if len(set.Learnings) > 0 {
		k, done, err := p.openToWrite(c, opt.DryRun, true)
		if err != nil {
			return err
		}
		defer done()
		if out, err = k.Learn(c.Context, set.Learnings, opt); err != nil {
			return err
		}
	}
	refused := append(set.Refused, out.Refused...)
	if c.Bool("json") {
		return p.json("stored", out.Stored, "confirmed", out.Confirmed, "refused", append([]kb.Refused{}, refused...), "unsure", set.Unsure, "said_again", set.Again,
			"format", set.Format, "lines", set.Lines, "spoken", set.Spoken, "dry_run", opt.DryRun)
	}
	p.tellLearned(c, &out, opt.DryRun)
	for _, r := range refused {
		p.talk("refused: %s: %s", safe(r.From), safe(r.Why))
	}
	p.tellUnsure(set.Unsure)
	switch {
	case len(out.Stored)+len(out.Confirmed)+len(refused) > 0:
	case set.Format == "jsonl" && set.Spoken == 0:
		p.talk("nothing was learned: of %s none is known as the words of an assistant; is it the transcript of a harness?", count(int64(set.Lines), "line", "lines"))
	default:
		p.talk("nothing was learned: there is no LEARNING: line in it, and no list below Learnings:")
	}
	return nil
}

// tellLearned prints what was stored, and what was there.
func (p *program) tellLearned(c *cli.Context, out *kb.Learned, dryRun bool) {
	for i := range out.Stored {
		s := &out.Stored[i]
		switch {
		case c.Bool("quiet"):
			p.printf("%s\n", s.ID)
		case dryRun:
			p.printf("would be remembered: %s: %s\n", s.Kind, line(s.Title, 100))
		default:
			p.printf("%s %s remembered: %s\n", s.ID, s.Kind, line(s.Title, 100))
		}
	}
	for i := range out.Confirmed {
		s := &out.Confirmed[i]
		switch {
		case c.Bool("quiet"):
		case s.Unchanged:
			p.printf("%s is there already: %s\n", s.ID, line(s.Title, 100))
		case s.Raised():
			p.printf("%s confirmed by %s, confidence now %.2f: %s\n", s.ID, safe(s.By), *s.After, line(s.Title, 100))
		default:
			p.printf("%s confirmed by %s: %s\n", s.ID, safe(s.By), line(s.Title, 100))
		}
	}
}

// tellUnsure counts what looks like a learning and was not taken, and shows some of it.
func (p *program) tellUnsure(all []kb.Refused) {
	if len(all) == 0 {
		return
	}
	var some []string
	for _, u := range all[:min(len(all), 5)] {
		some = append(some, safe(u.From)+": "+safe(u.Why))
	}
	p.talk("%s, and not taken (--json has all):\n  %s", count(int64(len(all)), "text that looks like a learning was seen", "texts that look like learnings were seen"), strings.Join(some, "\n  "))
}

func (p *program) kbHarvest(c *cli.Context) error {
	in, closeInput, err := p.input(c, "worklog")
	if err != nil {
		return err
	}
	defer closeInput()
	set, err := learn.Harvest(in)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		type candidate struct {
			learn.Candidate
			Remember string `json:"remember"`
		}
		all := []candidate{}
		for _, x := range set.Candidates {
			all = append(all, candidate{x, x.RememberLine()})
		}
		return p.json("candidates", all, "lines", set.Lines, "entries", set.Entries, "failures", set.Failures, "not_json", set.NotJSON, "left", set.Left, "refused", append([]kb.Refused{}, set.Refused...))
	}
	for _, x := range set.Candidates {
		p.printf("# %s\n", line(x.Why, 200))
		for _, e := range x.Evidence {
			p.printf("#   %s\n", line(e, 200))
		}
		p.printf("%s\n\n", x.RememberLine())
	}
	p.talk("%s read, %s found%s", count(int64(set.Entries), "entry", "entries"), count(int64(len(set.Candidates)), "candidate", "candidates"),
		map[bool]string{true: fmt.Sprintf("; %d lines are no JSON objects", set.NotJSON), false: ""}[set.NotJSON > 0])
	return nil
}

func (p *program) kbBrief(c *cli.Context) error {
	task, cut := c.String("task"), []string{}
	if !c.IsSet("task") {
		var err error
		if task, cut, err = p.question(c); err != nil {
			return err
		}
	} else if c.NArg() > 0 {
		return usagef("give the task once", "both --task and an argument are given")
	}
	ws, err := p.workspace(c)
	if err != nil {
		return err
	}
	mode := c.String("mode")
	if mode == kb.ModeVector {
		return usagef("choose auto, hybrid or bm25", "a brief is not made by meaning alone")
	}
	run, err := p.asking(c)
	if err != nil {
		return err
	}
	k, done, err := p.openToRead(c, mode != kb.ModeBM25)
	if err != nil {
		return err
	}
	defer done()
	b, err := k.Brief(c.Context, kb.BriefOptions{Role: c.String("role"), Task: task, Workspace: ws, Project: c.String("project"), Run: run, Budget: c.Int("budget"), Limit: c.Int("limit"), Mode: mode})
	if err != nil {
		return err
	}
	var given []board.Given
	for _, l := range b.Log {
		if l.Included {
			given = append(given, board.Given{ID: l.ID, Score: l.Score, Evidence: l.Evidence})
		}
	}
	p.keepGiven(c, run, board.Retrieval{Way: board.ByBrief, Role: b.Role, Task: task, Capsules: given})
	b.Degraded = append(cut, b.Degraded...)
	return p.answer(c, nil, func() {
		p.printf("%s", safe(b.Block))
		for _, d := range b.Degraded {
			p.talk("note: %s", safe(d))
		}
		switch kinds := ""; {
		case b.Block == "" && len(b.Log) > 0 && b.Log[0].Evidence > 0:
			p.talk("nothing is given; of the best, %s: %s", b.Log[0].ID, safe(b.Log[0].Why))
		case b.Block == "":
			if len(b.Kinds) > 0 {
				kinds = " (among " + strings.Join(b.Kinds, ", ") + ")"
			}
			p.talk("nothing that is known has anything to do with it%s", kinds)
		}
	}, "brief", b)
}

// promotedKinds are the kinds of capsules that entries become.
var promotedKinds = map[string]string{board.Observation: "fact", board.Analysis: "fact", board.Calculation: "fact", board.Strategy: "pattern", board.Gap: "gotcha", board.Contradiction: "gotcha"}

func (p *program) kbPromote(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("`board kb promote --run RUN e12`", "one entry is needed, but %d are given", c.NArg())
	}
	conf, err := confidence(c)
	if err != nil {
		return err
	}
	ws, err := p.workspace(c)
	if err != nil {
		return err
	}
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	detail, err := b.Entry(c.Context, c.Args().First())
	if err != nil {
		return err
	}
	run, err := p.runName(c)
	if err != nil {
		return err
	}
	if status := detail.Entry.Status; status != board.Active {
		p.talk("note: %s is %s on the board: does the capsule hold? `board show %s` has what stands against it", detail.Entry.ID, status, detail.Entry.ID)
	}
	capsule := promoted(run, &detail.Entry)
	capsule.Workspace, capsule.Scope, capsule.Project, capsule.VerifiedBy = ws, c.String("scope"), c.String("project"), c.String("verified-by")
	capsule.Tags, capsule.DomainTags, capsule.Supersedes = append(capsule.Tags, list(c, "tags")...), list(c, "domain"), list(c, "supersedes")
	if kind := c.String("kind"); kind != "" {
		capsule.Kind = kind
	}
	if title := c.String("title"); title != "" {
		capsule.Title = title
	}
	if conf != nil {
		capsule.Confidence = conf
	}
	return p.remember(c, capsule)
}

// promoted drafts the capsule that an entry of a run becomes.
func promoted(run string, e *board.Entry) kb.Capsule {
	c := kb.Capsule{Kind: promotedKinds[e.Type], Title: learn.TitleOf(e.Content), Body: e.Content, Tags: slices.Clone(e.Tags), Source: strings.TrimSuffix(e.SourceDoc+":"+e.SourceRef, ":"), Confidence: e.Confidence,
		Refs: []string{"run:" + run, "entry:" + e.ID, "worker:" + e.Worker}}
	if e.SourceDoc == "" {
		c.Source = "run " + run + ", " + e.ID
	}
	if e.Evidence != "" {
		c.Body = kb.WithEvidence(c.Body, safe(e.Evidence))
	}
	return c
}
