package runcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
	"blackboard/board/policy"
	"blackboard/board/similar"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/ci"
	"blackboard/hooks/ops"
	kbhome "blackboard/kb/home"
)

// Formats of a verdict. Text is for people; the others are for CI.
var Formats = []string{"text", "json", "junit", "sarif", "github"}

func formatFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", Aliases: []string{"f"},
			Usage: "`FORMAT`: " + strings.Join(Formats, ", "), Value: "text"},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"},
			Usage: "write the format to `FILE`, and text to standard output"},
		&cli.StringFlag{Name: "summary",
			Usage: "append a markdown summary to `FILE` (in GitHub Actions: $GITHUB_STEP_SUMMARY)"},
	}
}

// reportFlag names reports, for those who look for a flag; see reports.
func reportFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "report",
		Usage: "the same as an argument (`FILE`), repeatable"}
}

// reports are the reports of --report and of the arguments.
func reports(c *cli.Context) []string {
	return append(c.StringSlice("report"), c.Args().Slice()...)
}

// policyAndReports is the policy of a run, and the reports that a call names, else those of
// the policy.
func (p *program) policyAndReports(c *cli.Context, b *board.Board) (policy.File, []string, error) {
	f, err := p.policy(c, b)
	if err != nil {
		return f, nil, err
	}
	names := reports(c)
	if len(names) > 0 {
		return f, names, f.CheckNamed(names)
	}
	if names, err = f.ReportPaths(); err == nil && len(names) == 0 {
		err = base.Usagef("`board "+c.Command.Name+" report.md`", "no report is given")
	}
	return f, names, err
}

// policyFlags are the flags of a gate policy.
func policyFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "block",
			Usage: "`PRIORITY` whose open signals close the gate, repeatable (default critical, high); " +
				"none: no priority does"},
		&cli.Int64Flag{Name: "max-open",
			Usage: "close it with more than `N` open signals of any priority"},
		&cli.Int64Flag{Name: "max-disputed", Usage: "close it with more than `N` disputed entries"},
		&cli.Int64Flag{Name: "max-conflicts",
			Usage: "close it with more than `N` pairs of entries that may contradict each other (see " +
				"board conflicts)"},
		&cli.Int64Flag{Name: "min-entries",
			Usage: "close it until `N` entries were posted (default: one, or a signal)"},
		&cli.BoolFlag{Name: "require-source",
			Usage: "close it while an entry that must surface, or answers a signal, names no source"},
		&cli.BoolFlag{Name: "require-verified",
			Usage: "close it while a must-surface entry or an answer is not verified (board verify)"},
		&cli.BoolFlag{Name: "require-evidence",
			Usage: "close it while a must-surface entry or an answer has no quote"},
	}
}

// gatePolicy is the policy of a run's gate: that of the command, overridden by its flags.
// What a call asks for never opens a gate that the policy on record keeps shut.
func (p *program) gatePolicy(c *cli.Context, b *board.Board) (policy.File, error) {
	f, err := p.policy(c, b)
	if err != nil {
		return f, err
	}
	g := &f.Gate
	for _, flag := range policyFlags() {
		if c.IsSet(flag.Names()[0]) {
			*g = g.ForCall()
		}
	}
	if c.IsSet("block") {
		g.Block = base.List(c, "block")
		if len(g.Block) == 1 && g.Block[0] == "none" {
			g.Block = []string{}
		}
	}
	if c.IsSet("min-entries") {
		g.MinEntries = c.Int64("min-entries")
	}
	for name, into := range map[string]**int64{"max-open": &g.MaxOpen, "max-disputed": &g.MaxDisputed,
		"max-conflicts": &g.MaxConflicts} {
		if c.IsSet(name) {
			n := c.Int64(name)
			*into = &n
		}
	}
	for name, into := range map[string]*bool{"require-source": &g.RequireSource,
		"require-verified": &g.RequireVerified, "require-evidence": &g.RequireEvidence} {
		if c.IsSet(name) {
			*into = c.Bool(name)
		}
	}
	return f, nil
}

func (p *program) judgeCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "gate", Category: base.CategoryJudge,
			Usage: "tell whether synthesis may proceed: exit 0 open, 3 closed, 5 no such run",
			Description: `By default the gate is closed while nothing was posted or raised, while
an expected worker (board expect) has not finished, and while a critical or high signal is
open. With --wait it blocks until it opens, also for a run that does not exist yet.`,
			Flags: base.JoinFlags(policyFlags(), []cli.Flag{
				&cli.BoolFlag{Name: "wait", Usage: "wait until it opens"},
				&cli.DurationFlag{Name: "timeout",
					Usage: "with --wait: give up after this `DURATION`, with the verdict of that moment " +
						"(default: no limit)"},
				policyFlag(),
			}, formatFlags(), base.ReadFlags()),
			Action: p.gate,
		},
		{
			Name: "survival", Category: base.CategoryJudge,
			Usage:     "check that the report has what the run found: exit 0 yes, 4 no",
			ArgsUsage: "[REPORT…]",
			Description: `Looks for every must-surface entry, every contradiction, and every open
or waived signal in the reports: text, Markdown, HTML, docx, xlsx, PDF with
text, csv, JSON, notebooks, source code; directories and patterns of them; - is standard
input. An item is present if one report has its words and all its numbers in one passage;
struck and hidden text does not count. A run without entries fails; where nothing had to
surface it passes, with a warning. Passing is necessary, not sufficient: words and numbers
are compared, not meaning.`,
			Flags: base.JoinFlags([]cli.Flag{
				reportFlag(),
				&cli.BoolFlag{Name: "semantic",
					Usage: "search by meaning for what words did not find, with the model of " +
						"$BOARD_MODEL_DIR"},
				&cli.Float64Flag{Name: "min-cosine",
					Usage: "with --semantic: how near in meaning a passage must be (`COSINE`, 0 to 1)",
					Value: defaultMinCosine},
				&cli.IntFlag{Name: "min-items", Usage: "fail with fewer than `N` things to look for"},
				&cli.BoolFlag{Name: "all", Aliases: []string{"a"},
					Usage: "list the items that are present, too"},
				policyFlag(), outsideFlag(),
			}, formatFlags(), base.ReadFlags()),
			Action: p.survival,
		},
		p.traceCommand(),
		p.checkCommand(),
	}
}

// format is the value of --format; --json is short for --format json. It refuses what
// --output and --summary cannot write to, so that a command says it before its verdict.
func format(c *cli.Context) (string, error) {
	for _, name := range []string{c.String("output"), c.String("summary")} {
		if err := base.CheckOutput(name); err != nil {
			return "", err
		}
	}
	f := c.String("format")
	if c.Bool("json") {
		if c.IsSet("format") && f != "json" {
			return "", base.Usagef("leave one out", "--json and --format %s contradict each other", f)
		}
		f = "json"
	}
	for _, known := range Formats {
		if f == known {
			return f, nil
		}
	}
	return "", base.Usagef("choose one of "+strings.Join(Formats, ", "), "unknown format %q", f)
}

// stepReport is a step on its own, for the CI formats.
func stepReport(s check.Step) ci.Report { return ci.Step(&s, base.CommandFor, base.Version()) }

// verdict prints a judgement in its format, and writes the summary if one is asked for.
// If the format goes to a file, text is printed as well.
func (p *program) verdict(c *cli.Context, f string, text func(*program), jsonPairs []any,
	report ci.Report) error {
	out := c.String("output")
	if out != "" && out != "-" {
		text(p)
	}
	err := p.WriteFile(out, func(w io.Writer) error {
		q := p
		if w != io.Writer(p.Out) {
			q = &program{&base.Program{Out: &base.CheckedWriter{W: w}}} // a file: no colours
		}
		switch f {
		case "json":
			return q.JSON(jsonPairs...)
		case "junit":
			return report.JUnit(w)
		case "sarif":
			return report.SARIF(w)
		case "github":
			return report.GitHub(w)
		}
		text(q)
		return q.Out.Err
	})
	if err != nil {
		return err
	}
	return p.summary(c, report)
}

// summary appends the Markdown summary, if one is asked for.
func (p *program) summary(c *cli.Context, report ci.Report) error {
	name := c.String("summary")
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	if err := report.Markdown(f); err != nil {
		f.Close()
		return fmt.Errorf("write the summary: %w", err)
	}
	return f.Close()
}

func (p *program) gate(c *cli.Context) error {
	f, err := format(c)
	if err != nil {
		return err
	}
	if c.IsSet("timeout") && !c.Bool("wait") {
		return base.Usagef("add --wait", "--timeout needs --wait")
	}
	if _, err := p.policy(c, nil); err != nil { // before a long wait
		return err
	}
	ctx, cancel := p.timeout(c)
	defer cancel()
	open := kbhome.Run
	if c.Bool("wait") {
		open = p.waitRun(ctx)
	}
	return base.OnBoard(p.OpenRunWith(c, open))(func(b *board.Board) error {
		follow, err := p.gatePolicy(c, b)
		if err != nil {
			return err
		}
		v, err := p.judge(ctx, c, b, follow.Gate)
		if err != nil {
			return err
		}
		useCommands(&v)
		headline := fmt.Sprintf("%d reasons keep it closed", len(v.Reasons))
		if v.Open {
			headline = "open"
		}
		p.Verdicts = append(p.Verdicts, base.Verdict{Name: policy.Gate, Passed: v.Open,
			Headline: headline})
		text := func(q *program) {
			q.printVerdict(&v)
			q.printPolicySource(&follow)
		}
		if err := p.verdict(c, f, text, []any{"verdict", v, "policy", follow.Used},
			stepReport(check.Step{Name: policy.Gate, Gate: &v, Passed: v.Open}).Under(follow.Path)); err != nil {
			return err
		}
		if !v.Open {
			return base.ExitError(base.ExitGate)
		}
		return nil
	})
}

// judge asks the gate once, or waits for it. A wait that times out gives the verdict of
// that moment.
func (p *program) judge(ctx context.Context, c *cli.Context, b *board.Board,
	by board.Policy) (board.Verdict, error) {
	if !c.Bool("wait") {
		return b.Gate(c.Context, by)
	}
	v, err := b.WaitGate(ctx, by)
	if errors.Is(err, fault.Timeout) {
		err = nil
	}
	return v, err
}

// waitRun opens the board of a run as soon as it exists. It tells that it waits.
func (p *program) waitRun(ctx context.Context) func(context.Context, string, string) (*board.Board,
	error) {
	return func(c context.Context, dir, run string) (*board.Board, error) {
		b, err := kbhome.Run(c, dir, run)
		if _, limited := ctx.Deadline(); limited && ctx.Err() == nil && board.Unreachable(err) {
			return kbhome.AwaitRun(ctx, dir, run)
		}
		if !errors.Is(err, fault.NotFound) {
			return b, err
		}
		p.Messagef("run %s does not exist yet; %swaiting for it", run,
			similar.DidYouMean(run, p.RunNames()))
		return kbhome.AwaitRun(ctx, dir, run)
	}
}

// timeout is the context of a wait; --timeout ends it, if set.
func (p *program) timeout(c *cli.Context) (context.Context, context.CancelFunc) {
	var answered, lost atomic.Bool
	dir, _ := p.BoardsDir() // without one, the wait fails by itself
	ctx := board.OnContact(c.Context, dir, func(err error) {
		if err == nil {
			answered.Store(true)
		}
		if away := err != nil && (answered.Load() || board.Unreachable(err)); lost.Swap(away) != away &&
			away {
			p.Messagef("connection lost, waiting")
		}
	})
	if c.IsSet("timeout") {
		return context.WithTimeout(ctx, max(0, c.Duration("timeout")))
	}
	return context.WithCancel(ctx)
}

func (p *program) gateLine(v *board.Verdict) string {
	if v.Open {
		note := ""
		if n := v.Signals.Open.Total(); n > 0 {
			note = fmt.Sprintf(" (%s not block)", base.Count(n, "open signal that does",
				"open signals that do"))
		}
		return strings.TrimSpace(p.gateWord(true)) + note
	}
	return fmt.Sprintf("%s: %s", p.gateWord(false), base.Count(int64(len(v.Reasons)), "reason",
		"reasons"))
}

func (p *program) reasonLine(r *board.Reason) string {
	switch r.Rule {
	case board.RuleOpenSignal:
		s := fmt.Sprintf("  %-6s %s %s", r.ID, ops.PriorityColumn(p.Page(), r.Priority),
			base.Line(r.Content, 160))
		if r.Claimed != "" {
			s += p.Paint(base.Dim, "  (claimed by "+base.Safe(r.Claimed)+")")
		}
		return s
	case board.RuleExpected:
		return "  expected  " + base.Line(r.Content, 160)
	case board.RuleMaxOpen, board.RuleEmpty, board.RuleMinEntries:
		return "  " + base.Line(r.Content, 160) + p.Paint(base.Dim, ": "+r.Clear)
	case board.RuleConflicts:
		return "  " + base.Line(r.Content, 160)
	case board.RuleRan:
		return "  not run   " + base.Line(r.Content, 240) + "\n            " + p.Paint(base.Dim, base.Line(r.Clear, 240))
	default:
		what := map[string]string{board.RuleMaxDisputed: "disputed", board.RuleSource: "no source",
			board.RuleVerified: "not verified", board.RuleEvidence: "no quote"}[r.Rule]
		return fmt.Sprintf("  %-6s %-9s %s", r.ID, what, base.Line(r.Content, 160))
	}
}

// shownReasons and shownSkipped limit the text for people; --json has all.
const (
	shownReasons = 200
	shownSkipped = 10
)

func (p *program) printVerdict(v *board.Verdict) {
	p.Printf("gate of %s: %s\n", v.Run, p.gateLine(v))
	p.printReasons(v)
}

// printReasons prints what keeps a gate closed, and what would clear it.
func (p *program) printReasons(v *board.Verdict) {
	for i := range v.Reasons {
		if i == shownReasons {
			p.Printf("  and %d more; --json lists all\n", len(v.Reasons)-i)
			break
		}
		p.Printf("%s\n", p.reasonLine(&v.Reasons[i]))
	}
	said := map[string]bool{board.RuleMaxOpen: true, board.RuleEmpty: true, board.RuleMinEntries: true,
		board.RuleRan: true} // those say it themselves
	for i := range v.Reasons {
		r := &v.Reasons[i]
		switch {
		case said[r.Rule]:
		case r.Rule == board.RuleExpected:
			p.Printf("to stop waiting for a worker: %s\n", r.Clear)
		case r.Rule == board.RuleOpenSignal:
			p.Printf("to clear a signal: board answer %s \"the answer\" --source …, or board waive %[1]s "+
				"--reason …\n", r.ID)
		default:
			p.Printf("to clear %s: %s\n", strings.TrimSpace(r.ID+" "+r.Other), r.Clear)
		}
		said[r.Rule] = true
	}
}

// useCommands turns the next steps of a gate's reasons into commands. They have no
// backticks, since other formats show them too.
func useCommands(v *board.Verdict) {
	v.In(func(s fault.Step) string { return strings.Trim(base.CommandFor(s), "`") })
}
