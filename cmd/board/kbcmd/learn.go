package kbcmd

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/text"
	"blackboard/board/verify"
	"blackboard/cmd/board/base"
	"blackboard/hooks/harness"
	"blackboard/hooks/ops"
	"blackboard/kb"
	"blackboard/kb/learn"
)

func (p *program) kbLearnCommands() []*cli.Command {
	roles := strings.Join(kb.Roles, ", ")
	return []*cli.Command{
		{
			Name:  "learn",
			Usage: "store what the workers of a run say they have learned", ArgsUsage: "[TRANSCRIPT | -]",
			Description: `Reads LEARNING: lines, and lists below "Learnings:", from a transcript:
text, or a harness's JSONL, where only the assistant's words count. It also reads the JSON
list of a reflector. A line may name its kind, "LEARNING (gotcha): …"; else the role
decides. A known learning is confirmed: run and role are recorded with it, and a reviewer,
re_reviewer or reflector raises its confidence. New ones are stored. Invalid ones are
listed with the reason; text that only resembles a learning is counted.`,
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "role", Usage: "`ROLE` of the worker who said them: " + roles},
				&cli.StringFlag{Name: "run", Aliases: []string{"r", "board"},
					Usage: "the `RUN` they are of; default $BOARD_RUN"},
				&cli.StringFlag{Name: "project",
					Usage: "the `PROJECT` they hold for; default the name of the workspace"},
				base.WorkspaceFlag("the `DIRECTORY` they hold for"),
				base.DryRunFlag(),
				&cli.BoolFlag{Name: "force",
					Usage: "store also what resembles an existing one or seems to hold a secret"},
				base.WorkerFlag(), base.QuietFlag(), base.JSONFlag(),
			},
			Action: p.kbLearn,
		},
		p.operation(&ops.KBBrief, base.WorkspaceFlag("the `DIRECTORY` it is about"), base.WorkerFlag()),
		p.operation(&promote, base.WorkspaceFlag("the `DIRECTORY` it belongs to")),
	}
}

type promoteIn struct {
	Entry      string   `json:"entry" arg:"ENTRY"`
	Title      string   `json:"title,omitempty" value:"LINE" cli:"title; default the beginning of the content"`
	Kind       string   `json:"kind,omitempty" enum:"kinds" cli:" "`
	Scope      string   `json:"scope,omitempty" enum:"scopes" cli:"where it holds (default workspace; universal in your home directory and above)"`
	Tags       []string `json:"tags,omitempty" flag:"tag,tags" value:"TAG" cli:"beside those of the entry"`
	Domains    []string `json:"domains,omitempty" flag:"domain" cli:"domains (auth, tmux, rust)"`
	Confidence *float64 `json:"confidence,omitempty" min:"0" max:"1" flag:"confidence,c" cli:"0 to 1; default the entry's"`
	VerifiedBy string   `json:"verified_by,omitempty" value:"WHO" cli:"who or what verified it"`
	Project    string   `json:"project,omitempty" cli:"that it belongs to"`
	Supersedes []string `json:"supersedes,omitempty" value:"CAPSULE" cli:"capsules it replaces"`
	Force      bool     `json:"force,omitempty" cli:"store it even if it resembles an existing one or seems to hold a secret"`
	NoEmbed    bool     `json:"no_embed,omitempty" cli:"store it without an embedding"`
	ops.On
}

type promoted struct {
	ops.RememberOut
	before bool // it was made from the entry before
}

var promote = op.Op[*host, promoteIn, promoted]{
	Info: op.Info{Command: "kb promote", Short: "make a capsule from an entry of a board, with its origin",
		Long: `The capsule gets the entry's content, source, evidence, confidence and
tags, and refers to the run, the entry and the worker. Observations, analyses and
calculations become facts; strategies become patterns; gaps and contradictions become
gotchas. --kind overrides it.`},
	Do: func(ctx context.Context, h *host, in promoteIn) (out promoted, err error) {
		ws, err := h.Workspace(h.c)
		if err != nil {
			return out, err
		}
		run, _ := h.RunName(h.c) // which opening it says
		err = base.OnBoard(h.OpenRun(h.c))(func(b *board.Board) error {
			detail, err := b.Entry(ctx, in.Entry)
			if err != nil {
				return err
			}
			switch status := detail.Entry.Status; {
			case status == board.Superseded && !in.Force:
				return superseded(&detail)
			case status != board.Active:
				h.Messagef("note: %s is %s on the board: is the capsule still true? `board show %s` shows "+
					"what contradicts it", detail.Entry.ID, status, detail.Entry.ID)
			}
			if v := detail.Entry.Verified; v != nil && !v.Stale && v.Accepted == nil && verify.Doubted(v.Verdict) {
				h.Messagef("note: %s is doubted: its source does not confirm it; `board show %s` shows why",
					detail.Entry.ID, detail.Entry.ID)
			}
			capsule := CapsuleOf(run, &detail.Entry)
			capsule.Workspace, capsule.Scope, capsule.Project, capsule.VerifiedBy = ws, in.Scope,
				in.Project, in.VerifiedBy
			capsule.Tags, capsule.DomainTags = append(capsule.Tags, in.Tags...), in.Domains
			capsule.Supersedes, capsule.Kind = in.Supersedes, cmp.Or(in.Kind, capsule.Kind)
			capsule.Title = cmp.Or(in.Title, capsule.Title)
			capsule.Confidence = cmp.Or(in.Confidence, capsule.Confidence)
			if err := capsule.Check(); err != nil {
				return err // before a knowledge base is made for it
			}
			return h.KB(ctx, ops.Create, true, func(k *kb.KB) (err error) {
				out, err = store(ctx, k, capsule, &in)
				return err
			})
		})
		return out, err
	},
	Text: func(p *op.Page, o promoted) {
		if !o.before {
			ops.RememberText(p, o.RememberOut)
			return
		}
		p.Printf("%s %s was made from this entry before: %s\n", o.Capsule.ID, o.Capsule.Kind,
			p.Line(o.Capsule.Title, 100))
		p.Note("  note: nothing was stored; board kb edit " + o.Capsule.ID + " changes it, --force makes another")
	},
}

// store stores the capsule of an entry. If the entry was made into a capsule before, it returns that one and stores
// nothing, unless Force is set.
func store(ctx context.Context, k *kb.KB, capsule kb.Capsule, in *promoteIn) (out promoted, err error) {
	if !in.Force {
		if there, err := k.MadeFrom(ctx, &capsule); err != nil || there != nil {
			out.before = true
			if there != nil {
				out.RememberOut = ops.RememberOut{Capsule: *there, Warnings: []string{}, Alike: []kb.Alike{}}
			}
			return out, err
		}
	}
	r, err := k.Remember(ctx, capsule, kb.RememberOptions{Force: in.Force, NoEmbedding: in.NoEmbed})
	out.RememberOut = ops.RememberOut{Capsule: r.Capsule, Warnings: r.Warnings, Alike: r.Alike}
	return out, err
}

// input opens the file that the argument names, or stdin for "-" or none. It refuses more arguments, and none on a
// terminal.
func (p *program) input(c *cli.Context, what string) (io.Reader, func(), error) {
	switch {
	case c.NArg() > 1:
		return nil, nil, base.Usagef("`board kb "+c.Command.Name+" --help` shows what it takes",
			"one %s is needed, but %d are given", what, c.NArg())
	case c.NArg() == 1 && c.Args().First() != "-":
		return p.OpenNamed(c.Args().First(), what)
	case c.NArg() == 0 && base.IsTerminal(p.In):
		return nil, nil, base.Usagef("give its file, or pipe it in", "no %s is given", what)
	}
	return text.Reader(p.In), func() {}, nil
}

func (p *program) kbLearn(c *cli.Context) error {
	in, closeInput, err := p.input(c, "transcript")
	if err != nil {
		return err
	}
	defer closeInput()
	ws, err := p.Workspace(c)
	if err != nil {
		return err
	}
	set, err := learn.Read(in, c.String("role"), harness.Said)
	if err != nil {
		return err
	}
	run := c.String("run")
	if run == "" {
		run = p.Env("BOARD_RUN")
	}
	opt := learn.Options{Role: c.String("role"), Run: run, Workspace: ws,
		Project: c.String("project"), Force: c.Bool("force"), DryRun: c.Bool("dry-run")}
	out := learn.Learned{Stored: []kb.Capsule{}, Confirmed: []kb.Confirmed{}}
	if len(set.Learnings) > 0 {
		k, done, err := p.openToWrite(c, opt.DryRun, true)
		if err != nil {
			return err
		}
		defer done()
		if out, err = learn.Store(c.Context, k, set.Learnings, opt); err != nil {
			return err
		}
	}
	refused := append(set.Refused, out.Refused...)
	return p.Answer(c, nil, func() {
		p.printLearned(c, &out, opt.DryRun)
		for _, r := range refused {
			p.Messagef("refused: %s: %s", base.Safe(r.From), base.Safe(r.Why))
		}
		p.printUnsure(set.Unsure)
		switch {
		case len(out.Stored)+len(out.Confirmed)+len(refused) > 0:
		case set.Format == "jsonl" && set.Spoken == 0:
			p.Messagef("nothing was learned: of %s none is known as words of an assistant; is it a "+
				"harness's transcript?", base.Count(int64(set.Lines), "line", "lines"))
		default:
			p.Messagef("nothing was learned: no LEARNING: line was found, and no list below Learnings:")
		}
	}, "stored", out.Stored, "confirmed", out.Confirmed, "refused",
		append([]kb.Refused{}, refused...), "unsure", set.Unsure, "said_again", set.Again,
		"format", set.Format, "lines", set.Lines, "spoken", set.Spoken, "dry_run", opt.DryRun)
}

// printLearned prints what was stored and confirmed.
func (p *program) printLearned(c *cli.Context, out *learn.Learned, dryRun bool) {
	for i := range out.Stored {
		s := &out.Stored[i]
		switch {
		case c.Bool("quiet"):
			p.Printf("%s\n", s.ID)
		case dryRun:
			p.Printf("would be remembered: %s: %s\n", s.Kind, base.Line(s.Title, 100))
		default:
			p.Printf("%s %s remembered: %s\n", s.ID, s.Kind, base.Line(s.Title, 100))
		}
	}
	for i := range out.Confirmed {
		s := &out.Confirmed[i]
		switch {
		case c.Bool("quiet"):
		case s.Unchanged:
			p.Printf("%s exists already: %s\n", s.ID, base.Line(s.Title, 100))
		case s.Changed():
			p.Printf("%s confirmed by %s, confidence now %.2f: %s\n", s.ID, base.Safe(s.By), *s.After,
				base.Line(s.Title, 100))
		default:
			p.Printf("%s confirmed by %s: %s\n", s.ID, base.Safe(s.By), base.Line(s.Title, 100))
		}
	}
}

// printUnsure counts text that resembles a learning but was not stored, and shows some
// of it.
func (p *program) printUnsure(all []kb.Refused) {
	if len(all) == 0 {
		return
	}
	var some []string
	for _, u := range all[:min(len(all), 5)] {
		some = append(some, base.Safe(u.From)+": "+base.Safe(u.Why))
	}
	p.Messagef("%s, and not taken (--json has all):\n  %s", base.Count(int64(len(all)),
		"text that looks like a learning was seen", "texts that look like learnings were seen"),
		strings.Join(some, "\n  "))
}

// promotedKind is the kind of the capsule that an entry of a type becomes.
func promotedKind(entryType string) string {
	switch entryType {
	case board.Strategy:
		return "pattern"
	case board.Gap, board.Contradiction:
		return "gotcha"
	}
	return "fact"
}

// superseded returns the error for an entry that no longer holds.
func superseded(d *board.EntryDetail) error {
	hint := "--force promotes it all the same"
	for _, l := range d.Linked {
		if l.Kind == board.Supersedes {
			hint = "promote " + l.From + " instead; " + hint
			break
		}
	}
	return fault.Conflict.New(d.Entry.ID+" is superseded on the board", hint)
}

// CapsuleOf returns a draft of the capsule for an entry of a run.
func CapsuleOf(run string, e *board.Entry) kb.Capsule {
	c := kb.Capsule{Kind: promotedKind(e.Type), Title: learn.TitleOf(e.Content), Body: e.Content,
		Tags:       slices.Clone(e.Tags),
		Confidence: e.Confidence,
		Refs:       []string{"run:" + run, "entry:" + e.ID, "worker:" + e.Worker}}
	var places, quotes []string
	for _, from := range e.Cites() {
		places = append(places, from.String())
		if from.Evidence != "" {
			quotes = append(quotes, base.Safe(from.Evidence))
		}
	}
	if c.Source = strings.Join(places, " and "); e.SourceDoc == "" {
		c.Source = "run " + run + ", " + e.ID
	}
	if len(quotes) > 0 {
		c.Body = kb.WithEvidence(c.Body, strings.Join(quotes, "\n"))
	}
	return c
}
