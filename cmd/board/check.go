package main

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
	"blackboard/board/policy"
	"blackboard/cmd/board/ci"
)

func (p *program) checkCommand() *cli.Command {
	return &cli.Command{
		Name: "check", Category: catJudge, ArgsUsage: "[REPORT…]",
		Usage: "hold the run against its policy, from source to report: exit 0 passed, 3 the gate alone is closed, 4 failed",
		Description: `Does what gate, verify, conflicts, survival and trace do, with one verdict, the worst first. The policy is board.yaml in
the working directory or in one above it; --init writes one in which every key is explained. Without one the gate, verify and survival
decide, and conflicts and trace warn. What is not named (no report, no source) is skipped, and said.`,
		Flags: flags([]cli.Flag{
			sourcesFlag("hold findings against, and look for facts in,"),
			policyFlag(),
			&cli.BoolFlag{Name: "init", Usage: "write board.yaml, with every key and its default"},
			&cli.BoolFlag{Name: "no-record", Usage: "do not write the verdicts on findings to the board"},
		}, formatFlags(), writeFlags()),
		Action: p.check,
	}
}

func sourcesFlag(what string) cli.Flag {
	return &cli.StringSliceFlag{
		Name:  "sources",
		Usage: what + " the files below `DIR` (or a file), repeatable",
	}
}

func policyFlag() cli.Flag {
	return &cli.StringFlag{
		Name:  "policy",
		Usage: "follow this `FILE`; none: no file (default: board.yaml in this directory or in one above)",
	}
}

// policy is the policy that a command follows.
func (p *program) policy(c *cli.Context) (f policy.File, err error) {
	switch name := c.String("policy"); name {
	case "":
		f, err = policy.Find(".")
	case "none":
	default:
		f, err = policy.Read(name)
	}
	if c.IsSet("sources") {
		f.Sources = c.StringSlice("sources")
	}
	return f, err
}

// saysWhose names the policy that a verdict follows, if it is a file's.
func (p *program) saysWhose(f *policy.File) {
	if f.Path != "" {
		p.printf("%s\n", p.paint(dim, "as "+safe(f.Path)+" says"))
	}
}

func (p *program) check(c *cli.Context) error {
	if c.Bool("init") {
		return p.initPolicy(c)
	}
	format, err := format(c)
	if err != nil {
		return err
	}
	f, err := p.policy(c)
	if err != nil {
		return err
	}
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	in, err := p.checkInput(c, &f)
	if err != nil {
		return err
	}
	r, err := check.Run(c.Context, b, f, in)
	if err != nil {
		return err
	}
	if s := r.Step(policy.Gate); s != nil {
		commanded(s.Gate)
	}
	text := func(q *program) { q.printCheck(&r) }
	report := ci.Check(r, versionString())
	if err := p.verdict(c, format, text, []any{"check", r}, report); err != nil {
		return err
	}
	switch {
	case r.Passed:
		return nil
	case r.GateAlone():
		return verdictError(exitGate)
	}
	return verdictError(exitSurvival)
}

// checkInput reads what the arguments name and, where they name nothing, what the policy does.
func (p *program) checkInput(c *cli.Context, f *policy.File) (in check.Input, err error) {
	listed := *f
	names := c.Args().Slice()
	if len(names) > 0 {
		listed.Reports = nil
	}
	if in, err = check.Open(&listed, nil, nil); err != nil {
		return in, err
	}
	if len(names) > 0 {
		if in.Reports, in.Skipped, err = p.documents(names); err != nil {
			return in, err
		}
	}
	if !c.Bool("no-record") {
		in.Worker = p.workerName(c)
	}
	if f.Survival.MinCosine > 0 && f.Does(policy.Survival) {
		in.Model, err = p.usableEmbedder(c.Context)
	}
	return in, err
}

// initPolicy writes board.yaml.
func (p *program) initPolicy(c *cli.Context) error {
	if err := noArgs(c); err != nil {
		return err
	}
	out, err := os.OpenFile(policy.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fault.Conflict.New(policy.Name+" is there already, and stays as it is",
			"edit it, or move it away first")
	}
	if err != nil {
		return err
	}
	_, err = out.WriteString(policy.Template)
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, os.Remove(policy.Name))
	}
	return p.answer(c, nil, func() {
		p.printf("made %s; it says what holds without it: edit it, and keep it with the run's documents\n", policy.Name)
	}, "made", policy.Name)
}

// printCheck prints each step on a line, with what was found below it.
func (p *program) printCheck(r *check.Result) {
	var failed, skipped []string
	for _, s := range r.Steps {
		switch {
		case !s.Passed:
			failed = append(failed, s.Name)
		case s.Skipped:
			skipped = append(skipped, s.Name)
		}
	}
	head := p.paint(green, "passed")
	if !r.Passed {
		head = p.paint(red, "FAILED") + ": " + strings.Join(failed, ", ")
	}
	if len(skipped) > 0 {
		head += ", without " + strings.Join(skipped, ", ")
	}
	if r.Policy != "" {
		head += ", as " + safe(r.Policy) + " says"
	}
	p.printf("check of %s: %s\n", r.Run, head)
	for _, s := range r.WorstFirst() {
		p.printStep(&s)
	}
	p.printf("%s\n", p.paint(dim, "necessary, not sufficient: words and numbers were compared, not meaning; board help check"))
}

func (p *program) printStep(s *check.Step) {
	state, headline := p.paint(green, "passed "), s.Headline
	switch {
	case !s.Passed:
		state = p.paint(red, "FAILED ")
	case s.Skipped:
		state, headline = p.paint(dim, "skipped"), s.Why
	case len(s.Warnings) > 0:
		state = p.paint(yellow, "warning")
	}
	p.printf("%s  %s: %s\n", state, s.Name, line(headline, 200))
	if s.Skipped {
		p.printf("to do it: %s\n", missingFor[s.Name])
		return
	}
	for _, w := range s.Warnings {
		if w != s.Headline {
			p.printf("  %s\n", line(w, 200))
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
	}
}

const nameReport = "board check report.md, or reports: [report.md] in board.yaml"

// missingFor says what a step needs that was skipped.
var missingFor = map[string]string{
	policy.Verify:   "--sources DIR, sources: [DIR] in board.yaml, or board source add DIR",
	policy.Survival: nameReport,
	policy.Trace:    nameReport,
}

// dropExpected has the gate no longer wait for a worker, also for one that only the policy expects.
func (p *program) dropExpected(c *cli.Context, b *board.Board, name, reason string) error {
	_, err := b.Drop(c.Context, p.workerName(c), name, reason)
	if !errors.Is(err, fault.NotFound) {
		return err
	}
	f, findErr := p.policy(c)
	if findErr != nil || !slices.Contains(f.Gate.Expect, name) {
		return err
	}
	if _, err := b.Expect(c.Context, p.workerName(c), []string{name}, false); err != nil {
		return err
	}
	_, err = b.Drop(c.Context, p.workerName(c), name, reason)
	return err
}
