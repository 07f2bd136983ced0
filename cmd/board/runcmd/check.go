package runcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
	"blackboard/board/policy"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/ci"
)

func (p *program) checkCommand() *cli.Command {
	return &cli.Command{
		Name: "check", Category: base.CategoryJudge, ArgsUsage: "[REPORT…]",
		Usage: "check the run against its policy, from source to report: exit 0 passed, 3 only the " +
			"gate is closed, 4 failed",
		Description: `Runs gate, verify, conflicts, survival and trace, and gives one verdict,
the worst result first. The policy is board.yaml in the working directory or above; --init
writes one that explains every key. Without a policy, gate, verify and survival decide,
and conflicts and trace only warn. A step without its input (no report, no source) is
skipped, and the answer says so.`,
		Flags: base.JoinFlags([]cli.Flag{
			reportFlag(),
			sourcesFlag("check findings and facts against"),
			policyFlag(), outsideFlag(),
			&cli.BoolFlag{Name: "init", Usage: "write board.yaml, with every key and its default"},
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"no-record"}, Usage: "do not write the verdicts on findings to the board"},
		}, formatFlags(), base.WriteFlags()),
		Action: p.check,
	}
}

func sourcesFlag(what string) cli.Flag {
	return &cli.StringSliceFlag{Name: "sources",
		Usage: what + " the files below `DIR` (or a file), repeatable"}
}

func policyFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "policy",
		Usage: "use the policy in `FILE`; none: no policy (default: board.yaml in this directory or " +
			"above)",
	}
}

// policy reads the policy of a command: the one of --policy, else the one that the run has on
// record, else that of the directory. Without a run it is the directory's.
func (p *program) policy(c *cli.Context, b *board.Board) (f policy.File, err error) {
	switch name := c.String("policy"); {
	case name == "none":
		f.Gate = f.Gate.ForCall()
	case name != "":
		f, err = policy.Read(name)
		f.Gate = f.Gate.ForCall()
	case b != nil:
		f, err = policy.Of(c.Context, b, ".")
	default:
		f, err = policy.Find(".")
	}
	if f.Outside = c.Bool("outside"); err == nil && c.IsSet("sources") {
		err = f.UseSources(c.StringSlice("sources"))
	}
	return f, err
}

// outsideFlag allows what a policy or a link names elsewhere.
func outsideFlag() cli.Flag {
	return &cli.BoolFlag{Name: "outside",
		Usage: "read also what board.yaml, or a link, names outside its directory"}
}

// printPolicySource names the policy of a verdict, and says if it is not the directory's.
func (p *program) printPolicySource(f *policy.File) {
	if line := policyLine(&f.Used); line != "" {
		p.Printf("%s\n", p.Paint(base.Dim, "policy: "+line))
	}
	p.printPolicyNote(&f.Used)
}

// printPolicyNote says why the policy may not be the expected one, and what would change it.
func (p *program) printPolicyNote(u *policy.Used) {
	if u.Note != "" {
		p.Printf("%s\n", base.Line(strings.TrimSuffix(u.Note+"; "+fault.Say(u.Next, base.CommandFor),
			"; "), 300))
	}
}

// policyLine says which policy decided, "" for the default one.
func policyLine(f *policy.Used) string {
	switch {
	case f.Recorded != nil && f.Path == "":
		return fmt.Sprintf("the default, on record since event %d", f.Recorded.Seq)
	case f.Recorded != nil:
		return fmt.Sprintf("%s, on record since event %d", base.Safe(f.Path), f.Recorded.Seq)
	}
	return base.Safe(f.Path)
}

func (p *program) check(c *cli.Context) error {
	if c.Bool("init") {
		return p.initPolicy(c)
	}
	format, err := format(c)
	if err != nil {
		return err
	}
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		f, err := p.policy(c, b)
		if err != nil {
			return err
		}
		in, err := p.checkInput(c, &f)
		if err != nil {
			return p.checkNotDone(c, format, &f, b.Run(), err)
		}
		r, err := check.Run(c.Context, b, f, in)
		if err != nil {
			return err
		}
		for _, s := range r.Steps {
			p.Verdicts = append(p.Verdicts, base.Verdict{Name: s.Name, Passed: s.Passed,
				Skipped: s.Skipped, Headline: s.Headline})
		}
		if s := r.Step(policy.Gate); s != nil {
			useCommands(s.Gate)
		}
		if s := r.Step(policy.Verify); s != nil && s.Verify != nil {
			p.noteUnrecorded(s.Verify)
		}
		text := func(q *program) { q.printCheck(&r) }
		report := ci.Check(r, base.CommandFor, base.Version())
		if err := p.verdict(c, format, text, []any{"check", r}, report); err != nil {
			return err
		}
		switch {
		case r.Passed:
			return nil
		case r.GateAlone():
			return base.ExitError(base.ExitGate)
		}
		return base.ExitError(base.ExitSurvival)
	})
}

// checkNotDone returns why a report or a source cannot be read. A CI service has that in the file
// that it reads, as the step that lacks its input.
func (p *program) checkNotDone(c *cli.Context, format string, f *policy.File, run string, err error) error {
	r := check.Result{Run: run, Policy: f.Path, Steps: []check.Step{{Name: policy.Survival,
		Skipped: true, Why: err.Error(), Headline: "not checked: " + err.Error()}}}
	report := ci.Check(r, base.CommandFor, base.Version())
	var failed error
	if format == "text" || format == "json" {
		failed = p.summary(c, report)
	} else {
		failed = p.verdict(c, format, func(*program) {}, nil, report)
	}
	if failed != nil {
		return errors.Join(err, failed)
	}
	return err
}

// checkInput reads the reports and sources that the arguments name, else those of the
// policy.
func (p *program) checkInput(c *cli.Context, f *policy.File) (in check.Input, err error) {
	listed := *f
	names := reports(c)
	if len(names) > 0 {
		listed.Reports = nil
		if err := f.CheckNamed(names); err != nil {
			return in, err
		}
	}
	if in, err = check.Open(&listed, nil, nil); err != nil {
		return in, err
	}
	if len(names) > 0 {
		if in.Reports, in.Skipped, err = p.documents(names); err != nil {
			return in, err
		}
	}
	if !c.Bool("dry-run") {
		in.Worker = p.WorkerName(c)
	}
	if f.Survival.MinCosine > 0 && f.Does(policy.Survival) {
		in.Model, err = p.UsableEmbedder(c.Context)
	}
	return in, err
}

// initPolicy writes board.yaml.
func (p *program) initPolicy(c *cli.Context) error {
	if err := base.NoArgs(c); err != nil {
		return err
	}
	out, err := os.OpenFile(policy.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fault.Conflict.New(policy.Name+" already exists, and was not changed",
			"edit it, or move it away first")
	}
	if err != nil {
		return err
	}
	_, err = out.WriteString(policy.Template)
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, os.Remove(policy.Name))
	}
	return p.Answer(c, nil, func() {
		p.Printf("created %s with the defaults: edit it, and keep it with the run's documents\n",
			policy.Name)
	}, "made", policy.Name)
}

// printCheck prints each step on a line, with what was found below it.
func (p *program) printCheck(r *check.Result) {
	failed, skipped := r.Failed(), r.Skipped()
	warned := 0
	for _, s := range r.Steps {
		warned += len(s.Warnings)
	}
	head := p.Paint(base.Green, "passed")
	if !r.Passed {
		head = p.Paint(base.Red, "FAILED") + ": " + strings.Join(failed, ", ")
	}
	if warned > 0 && r.Passed {
		head += ", with " + base.Count(int64(warned), "warning", "warnings")
	}
	if line := policyLine(&policy.Used{Path: r.Policy, Recorded: r.Recorded}); line != "" {
		head += ", policy " + line
	}
	if len(skipped) > 0 {
		head += "; not checked: " + strings.Join(skipped, ", ")
	}
	p.Printf("check of %s: %s\n", r.Run, head)
	p.printPolicyNote(&policy.Used{Note: r.Note, Next: r.Next})
	for _, s := range r.WorstFirst() {
		p.printStep(&s)
	}
	p.Printf("%s\n", p.Paint(base.Dim, "necessary, not sufficient: words and numbers were "+
		"compared, not meaning; board help check"))
}

func (p *program) printStep(s *check.Step) {
	state, headline := p.Paint(base.Green, "passed "), s.Headline
	switch {
	case !s.Passed:
		state = p.Paint(base.Red, "FAILED ")
	case s.Skipped:
		state, headline = p.Paint(base.Dim, "not checked"), s.Why
	case len(s.Warnings) > 0:
		state = p.Paint(base.Yellow, "warning")
	}
	p.Printf("%s  %s: %s\n", state, s.Name, base.Line(headline, 200))
	if s.Skipped && !s.HadInput() {
		p.Printf("to do it: %s\n", missingFor(s))
		return
	}
	for _, w := range s.Warnings {
		if w != s.Headline {
			p.Printf("  %s\n", base.Line(w, 200))
		}
	}
	if s.Passed && len(s.Warnings) == 0 {
		return
	}
	switch {
	case s.Gate != nil:
		p.printReasons(s.Gate)
	case s.Verify != nil:
		p.printDoubts(s.Verify, false)
	case s.Conflicts != nil:
		p.printPairs(s.Conflicts)
	case s.Survival != nil:
		p.printItems(s.Survival, false)
	case s.Trace != nil:
		p.printFacts(s.Trace)
	default:
		for _, f := range s.Findings() {
			where := f.ID
			if f.Report != "" {
				where = fmt.Sprintf("%s:%d", f.Report, f.Line)
			}
			p.Printf("  %s  %s: %s\n", where, base.Line(f.Text, 160), base.Line(f.Why, 200))
		}
	}
}

// missingFor says what a step needs that was skipped, "" if it was skipped for another
// reason. A skipped step fails if the policy names what it needs, but that is not there.
func missingFor(s *check.Step) string {
	switch s.Name {
	case policy.Verify:
		if !s.Passed {
			return "put the source files there, or name another directory"
		}
		return "--sources DIR, sources: [DIR] in board.yaml, or board source add DIR"
	case policy.Survival, policy.Trace:
		if !s.Passed {
			return "write the report where reports in board.yaml says"
		}
		return "board check report.md, or reports: [report.md] in board.yaml"
	}
	return ""
}
