package runcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/report"
	"blackboard/cmd/board/base"
	"blackboard/embed"
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

func policyFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "policy",
		Usage: "use the policy in `FILE`; none: no policy (default: board.yaml in this directory or " +
			"above)",
	}
}

// outsideFlag allows what a policy or a link names elsewhere.
func outsideFlag() cli.Flag {
	return &cli.BoolFlag{Name: "outside",
		Usage: "read also what board.yaml, or a link, names outside its directory"}
}

// policy reads the policy of a command: the one of --policy, else the one that the run has on
// record, else that of the directory. Without a run it is the directory's.
func (p *program) policy(c *cli.Context, b *board.Board) (f check.Policy, err error) {
	switch name := c.String("policy"); {
	case name == "none":
		f.Gate = f.Gate.ForCall()
	case name != "":
		f, err = check.ReadPolicy(name)
		f.Gate = f.Gate.ForCall()
	case b != nil:
		f, err = check.PolicyOf(c.Context, b, ".")
	default:
		f, err = check.FindPolicy(".")
	}
	f.Outside = c.Bool("outside")
	return f, err
}

func (p *program) judgeCommands() []*cli.Command {
	gate := p.judging(&ops.Gate, &cli.BoolFlag{Name: "wait", Usage: "wait until it opens"},
		&cli.DurationFlag{Name: "timeout",
			Usage: "with --wait: give up after this `DURATION`, with the verdict of that moment " +
				"(default: no limit)"})
	check := p.judging(&ops.Check, outsideFlag(),
		&cli.BoolFlag{Name: "init", Usage: "write board.yaml, with every key and its default"})
	once, judge := gate.Action, check.Action
	gate.Action = func(c *cli.Context) error {
		if c.IsSet("timeout") && !c.Bool("wait") {
			return base.Usagef("add --wait", "--timeout needs --wait")
		}
		if !c.Bool("wait") {
			return once(c)
		}
		return p.waitGate(c)
	}
	check.Action = func(c *cli.Context) error {
		if c.Bool("init") {
			return p.initPolicy(c)
		}
		return judge(c)
	}
	return []*cli.Command{gate, p.judging(&ops.Survival, outsideFlag()), p.judging(&ops.Trace,
		outsideFlag()), check}
}

func (p *program) findingCommands() []*cli.Command {
	return []*cli.Command{p.judging(&ops.Verify, outsideFlag()), p.sourceCommand(),
		p.judging(&ops.Conflicts), p.operation(&ops.Accept)}
}

// judging is the command of an operation that judges a run. It answers in all formats.
func (p *program) judging(o op.Any, more ...cli.Flag) *cli.Command {
	c := p.operation(o, append(append(more, policyFlag()), formatFlags()...)...)
	c.Action = func(c *cli.Context) error {
		f, err := format(c)
		if err != nil {
			return err
		}
		a, err := p.Call(c, o, &host{p, c})
		j, _ := a.Data.(ops.Judged)
		if err == nil {
			return p.verdict(c, f, &j)
		}
		if j.Check != nil { // it cannot be read
			failed := p.summary(c, ciReport(&j))
			if f != "text" && f != "json" {
				failed = p.verdict(c, f, &j)
			}
			if !errors.As(failed, new(base.ExitError)) {
				err = errors.Join(err, failed)
			}
		}
		return err
	}
	return c
}

// format is the value of --format; --json is short for --format json. It refuses what
// --output and --summary cannot write to, so that a command says it before its verdict.
func format(c *cli.Context) (string, error) {
	for _, name := range []string{c.String("output"), c.String("summary")} {
		if err := base.CheckOutput(name); err != nil {
			return "", err
		}
	}
	f := cmp.Or(c.String("format"), "text")
	if c.Bool("json") {
		if c.IsSet("format") && f != "json" {
			return "", base.Usagef("leave one out", "--json and --format %s contradict each other", f)
		}
		f = "json"
	}
	if !slices.Contains(Formats, f) {
		return "", base.Usagef("choose one of "+strings.Join(Formats, ", "), "unknown format %q", f)
	}
	return f, nil
}

func ciReport(j *ops.Judged) report.CI {
	if j.Check != nil {
		return report.CIOfCheck(*j.Check, base.CommandFor, base.Version())
	}
	r := report.CIOfStep(&j.Steps()[0], base.CommandFor, base.Version())
	if j.Verdict != nil {
		return r.Under(j.Follows())
	}
	return r
}

// verdict ends a command with a judgement in its format, and writes the summary if one is
// asked for. If the format goes to a file, text is printed as well.
func (p *program) verdict(c *cli.Context, f string, j *ops.Judged) error {
	for _, s := range j.Steps() {
		p.Verdicts = append(p.Verdicts, base.Verdict{Name: s.Name, Passed: s.Passed,
			Skipped: s.Skipped, Headline: s.Headline})
	}
	answer := ops.Gate.Answer(*j)
	ci, out := ciReport(j), c.String("output")
	if out != "" && out != "-" {
		p.PrintText(answer)
	}
	err := p.WriteFile(out, func(w io.Writer) error {
		q := p.Program
		if w != io.Writer(p.Out) { // a file: no colours
			q = &base.Program{Out: &base.CheckedWriter{W: w}, Err: p.Err, Answered: p.Answered}
		}
		switch f {
		case "json":
			return q.PrintJSON(answer)
		case "junit":
			return ci.JUnit(w)
		case "sarif":
			return ci.SARIF(w)
		case "github":
			return ci.GitHub(w)
		}
		q.PrintText(answer)
		return q.Out.Err
	})
	if err = cmp.Or(err, p.summary(c, ci)); err != nil || !j.Failed() {
		return err
	}
	if j.GateAlone() {
		return base.ExitError(base.ExitGate)
	}
	return base.ExitError(base.ExitSurvival)
}

// summary appends the Markdown summary to a file, if one is asked for.
func (p *program) summary(c *cli.Context, verdict report.CI) error {
	name := c.String("summary")
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err == nil {
		err = errors.Join(verdict.Markdown(f), f.Close())
	}
	if err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	return nil
}

// Gather opens what a command line names to be judged. Verdicts have the worker's name.
func (h *host) Gather(ctx context.Context, _ *board.Board, f *check.Policy, m ops.Material) (
	in check.Input, done func(), err error) {
	listed := *f
	if len(m.Reports) > 0 {
		listed.Reports, err = nil, f.CheckNamed(m.Reports)
	}
	if err == nil && len(m.Sources) > 0 {
		err = listed.UseSources(m.Sources)
		f.Sources = listed.Sources
	}
	if err == nil {
		in, err = check.Open(&listed, nil, nil)
	}
	if err == nil && len(m.Reports) > 0 {
		in.Reports, in.Skipped, err = h.documents(m.Reports)
	}
	if m.Records {
		in.Worker = h.WorkerName(h.c)
	}
	if err == nil && !slices.Contains(m.Reports, "-") {
		project, _ := h.Workspace(h.c) // a check needs none
		in.Dir = cmp.Or(project, ".")
	}
	if err == nil && m.Meaning {
		if in.Model, err = h.UsableEmbedder(ctx); err == nil && in.Model == nil && m.Needed {
			err = embed.NoModel()
		}
	}
	return in, func() {}, err
}

// documents reads what arguments name: files, directories, patterns, - for standard input.
func (p *program) documents(names []string) (all []*documents.Document,
	skipped []documents.Skipped, err error) {
	var paths []string
	for _, name := range names {
		if name != "-" {
			paths = append(paths, name)
			continue
		}
		d, err := documents.Read("standard input", p.In)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, d)
	}
	read, skipped, err := documents.OpenAll(paths)
	if e, refused := fault.Refused(err); refused {
		err = e.Then(fault.Step{Text: "`-` reads standard input"})
	}
	return append(all, read...), skipped, err
}

func (p *program) initPolicy(c *cli.Context) error {
	if err := base.NoArgs(c); err != nil {
		return err
	}
	out, err := os.OpenFile(check.PolicyName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fault.Conflict.New(check.PolicyName+" already exists, and was not changed",
			"edit it, or move it away first")
	}
	if err != nil {
		return err
	}
	_, err = out.WriteString(check.PolicyTemplate)
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, os.Remove(check.PolicyName))
	}
	return p.Answer(c, nil, func() {
		p.Printf("created %s with the defaults: edit it, and keep it with the run's documents\n",
			check.PolicyName)
	}, "made", check.PolicyName)
}

// waitGate answers when the gate opens, or with the verdict when time is over.
func (p *program) waitGate(c *cli.Context) error {
	f, err := format(c)
	if err != nil {
		return err
	}
	var in ops.GateIn
	if err := p.Arguments(c, &ops.Gate, &in); err != nil {
		return err
	}
	if _, err := p.policy(c, nil); err != nil { // before a long wait
		return err
	}
	ctx, cancel := p.timeout(c)
	defer cancel()
	return base.OnBoard(p.OpenRunWith(c, p.waitRun(ctx)))(func(b *board.Board) error {
		follow, err := p.policy(c, b)
		if err != nil {
			return err
		}
		v, err := b.WaitGate(ctx, in.Over(follow.Gate))
		if err != nil && !errors.Is(err, fault.Timeout) {
			return err
		}
		j := ops.GateAnswer(&host{p, c}, &follow, v)
		return p.verdict(c, f, &j)
	})
}

// waitRun returns a function that opens the board of a run as soon as it exists, and tells that it waits.
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
			fault.DidYouMean(run, p.RunNames()))
		return kbhome.AwaitRun(ctx, dir, run)
	}
}

// timeout returns the context of a wait: --timeout ends it, if set. While it waits, it tells when the connection to the
// board is lost.
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
