package kbcmd

import (
	"cmp"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/text"
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
		p.operation(&ops.Promote, base.WorkspaceFlag("the `DIRECTORY` it belongs to")),
	}
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
	run = cmp.Or(run, p.Env("BOARD_RUN"))
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

// printUnsure counts text like a learning that was not stored, and shows some.
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
