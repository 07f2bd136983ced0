package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/policy"
	"blackboard/board/survival"
	"blackboard/cmd/board/ci"
	"blackboard/embed"
)

// Formats of a verdict. Text is for people; the others are for CI.
var formats = []string{"text", "json", "junit", "sarif", "github"}

func formatFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Usage: "`FORMAT`: " + strings.Join(formats, ", "), Value: "text"},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the format to `FILE`, and text to standard output"},
		&cli.StringFlag{Name: "summary", Usage: "append a markdown summary to `FILE` (in GitHub Actions: $GITHUB_STEP_SUMMARY)"},
	}
}

// policyFlags are the flags of a gate policy.
func policyFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "block", Usage: "`PRIORITY` whose open signals close the gate, repeatable (default critical, high); none: no priority does"},
		&cli.Int64Flag{Name: "max-open", Usage: "close it with more than `N` open signals of any priority"},
		&cli.Int64Flag{Name: "max-disputed", Usage: "close it with more than `N` disputed entries"},
		&cli.Int64Flag{Name: "max-conflicts", Usage: "close it with more than `N` pairs of entries that may contradict each other (see board conflicts)"},
		&cli.Int64Flag{Name: "min-entries", Usage: "close it until `N` entries were posted (default: one, or a signal)"},
		&cli.BoolFlag{Name: "require-source", Usage: "close it while an entry that must surface, or answers a signal, names no source"},
		&cli.BoolFlag{Name: "require-verified", Usage: "close it while a must-surface entry or an answer is not verified (board verify)"},
		&cli.BoolFlag{Name: "require-evidence", Usage: "close it while a must-surface entry or an answer has no quote"},
	}
}

// gatePolicy is what the gate is asked by: the policy that the command follows, and the flags,
// which go before it.
func (p *program) gatePolicy(c *cli.Context) (policy.File, error) {
	f, err := p.policy(c)
	if err != nil {
		return f, err
	}
	g := &f.Gate
	if c.IsSet("block") {
		g.Block = list(c, "block")
		if len(g.Block) == 1 && g.Block[0] == "none" {
			g.Block = []string{}
		}
	}
	if c.IsSet("min-entries") {
		g.MinEntries = c.Int64("min-entries")
	}
	for name, into := range map[string]**int64{"max-open": &g.MaxOpen, "max-disputed": &g.MaxDisputed, "max-conflicts": &g.MaxConflicts} {
		if c.IsSet(name) {
			n := c.Int64(name)
			*into = &n
		}
	}
	for name, into := range map[string]*bool{"require-source": &g.RequireSource, "require-verified": &g.RequireVerified, "require-evidence": &g.RequireEvidence} {
		if c.IsSet(name) {
			*into = c.Bool(name)
		}
	}
	return f, nil
}

func (p *program) judgeCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "gate", Category: catJudge, Usage: "say whether synthesis may proceed: exit 0 open, 3 closed, 5 no such run",
			Description: `By default the gate is closed while nothing was posted or raised, while a worker that is expected (board expect) is
not done, and while a critical or high signal is open. With --wait it blocks until it opens, also for a run that is not there yet.`,
			Flags: flags(policyFlags(), []cli.Flag{
				&cli.BoolFlag{Name: "wait", Usage: "wait until it opens"},
				&cli.DurationFlag{Name: "timeout", Usage: "with --wait: give up after this long, with the verdict of that moment"},
				policyFlag(),
			}, formatFlags(), readFlags()),
			Action: p.gate,
		},
		{
			Name: "survival", Category: catJudge, Usage: "say whether the artifact carries what the run found: exit 0 yes, 4 no", ArgsUsage: "[REPORT…]",
			Description: `Looks for every must-surface entry, every contradiction, and every open or waived signal in the reports: text, Markdown,
HTML, docx, xlsx, pptx, odt, PDF with text, csv, JSON, notebooks, source code; directories and patterns of them; - is standard input.
An item is present if one report has its words and all its numbers in one passage; struck and hidden text does not count. A run
without entries fails; where nothing had to surface it passes, with a warning. Passing is necessary, not sufficient: words and numbers
are compared, not meaning.`,
			Flags: flags([]cli.Flag{
				&cli.StringSliceFlag{Name: "report", Usage: "the same as an argument (`FILE`), repeatable"},
				&cli.BoolFlag{Name: "semantic", Usage: "look for what words did not find by meaning too, with the embedding model of $BOARD_MODEL_DIR"},
				&cli.Float64Flag{Name: "min-cosine", Usage: "with --semantic: how near in meaning a passage must be (`COSINE`, 0 to 1)", Value: defaultMinCosine},
				&cli.IntFlag{Name: "min-items", Usage: "fail with fewer than `N` things to look for"},
				&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "list the items that are present, too"},
				policyFlag(),
			}, formatFlags(), readFlags()),
			Action: p.survival,
		},
		p.traceCommand(),
		p.checkCommand(),
	}
}

// format is the format asked for; --json is short for --format json.
func format(c *cli.Context) (string, error) {
	f := c.String("format")
	if c.Bool("json") {
		if c.IsSet("format") && f != "json" {
			return "", usagef("leave one out", "--json and --format %s contradict each other", f)
		}
		f = "json"
	}
	for _, known := range formats {
		if f == known {
			return f, nil
		}
	}
	return "", usagef("choose one of "+strings.Join(formats, ", "), "unknown format %q", f)
}

// verdict prints a judgement in the format asked for, and the summary if one is wanted. When the format goes to a file, text is printed as well.
func (p *program) verdict(c *cli.Context, f string, text func(*program), jsonPairs []any, report ci.Report) error {
	out := c.String("output")
	if out != "" && out != "-" {
		text(p)
	}
	err := p.writeFile(out, func(w io.Writer) error {
		q := p
		if w != io.Writer(p.out) {
			q = &program{out: &checkedWriter{w: w}} // a file: no colours
		}
		switch f {
		case "json":
			return q.json(jsonPairs...)
		case "junit":
			return report.JUnit(w)
		case "sarif":
			return report.SARIF(w)
		case "github":
			return report.GitHub(w)
		}
		text(q)
		return q.out.err
	})
	if err != nil {
		return err
	}
	return p.summary(c, report)
}

// summary appends the markdown summary, if one is wanted.
func (p *program) summary(c *cli.Context, report ci.Report) error {
	name := c.String("summary")
	if name == "" {
		return nil
	}
	if err := notADatabase(name); err != nil {
		return err
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
		return usagef("add --wait", "--timeout has a meaning only with --wait")
	}
	follow, err := p.gatePolicy(c)
	if err != nil {
		return err
	}
	ctx, cancel := timeout(c)
	defer cancel()
	open := board.Open
	if c.Bool("wait") {
		open = p.waitRun(ctx)
	}
	b, err := p.openWith(c, open)
	if err != nil {
		return err
	}
	defer b.Close()
	v, err := p.judge(ctx, c, b, follow.Gate)
	if err != nil {
		return err
	}
	commanded(&v)
	text := func(q *program) {
		q.printVerdict(&v)
		q.saysWhose(&follow)
	}
	if err := p.verdict(c, f, text, []any{"verdict", v}, ci.Gate(v, versionString())); err != nil {
		return err
	}
	if !v.Open {
		return verdictError(exitGate)
	}
	return nil
}

// judge asks the gate once, or waits for it. A wait that times out gives the verdict of that moment.
func (p *program) judge(ctx context.Context, c *cli.Context, b *board.Board, by board.Policy) (board.Verdict, error) {
	if !c.Bool("wait") {
		return b.Gate(c.Context, by)
	}
	v, err := b.WaitGate(ctx, by)
	if errors.Is(err, fault.Timeout) {
		err = nil
	}
	return v, err
}

// waitRun opens the board of a run, as soon as there is one, and says that it waits.
func (p *program) waitRun(ctx context.Context) func(context.Context, string, string) (*board.Board, error) {
	return func(c context.Context, dir, run string) (*board.Board, error) {
		b, err := board.Open(c, dir, run)
		if !errors.Is(err, fault.NotFound) {
			return b, err
		}
		p.talk("there is no run %s yet; %swaiting for it", run, board.DidYouMean(run, p.runNames()))
		return board.WaitRun(ctx, dir, run)
	}
}

// timeout is the command's context, ended by --timeout if that is set.
func timeout(c *cli.Context) (context.Context, context.CancelFunc) {
	if c.IsSet("timeout") {
		return context.WithTimeout(c.Context, max(0, c.Duration("timeout")))
	}
	return context.WithCancel(c.Context)
}

func (p *program) gateLine(v *board.Verdict) string {
	if v.Open {
		note := ""
		if n := v.Signals.Open.Total(); n > 0 {
			note = fmt.Sprintf(" (%s not block)", count(n, "open signal that does", "open signals that do"))
		}
		return strings.TrimSpace(p.light(true)) + note
	}
	return fmt.Sprintf("%s: %s", p.light(false), count(int64(len(v.Reasons)), "reason", "reasons"))
}

func (p *program) reasonLine(r *board.Reason) string {
	switch r.Rule {
	case board.RuleOpenSignal:
		s := fmt.Sprintf("  %-6s %s %s", r.ID, padded(r.Priority, 9, p.priority), line(r.Content, 160))
		if r.Claimed != "" {
			s += p.paint(dim, "  (claimed by "+safe(r.Claimed)+")")
		}
		return s
	case board.RuleExpected:
		return fmt.Sprintf("  %s  expected, not done", line(r.Worker, board.MaxName))
	case board.RuleMaxOpen, board.RuleEmpty, board.RuleMinEntries:
		return "  " + line(r.Content, 160) + p.paint(dim, ": "+r.Clear)
	case board.RuleConflicts:
		return "  " + line(r.Content, 160)
	default:
		what := map[string]string{board.RuleMaxDisputed: "disputed", board.RuleSource: "no source",
			board.RuleVerified: "not verified", board.RuleEvidence: "no quote"}[r.Rule]
		return fmt.Sprintf("  %-6s %-9s %s", r.ID, what, line(r.Content, 160))
	}
}

// shownReasons and shownSkipped bound the text: a verdict is for people, --json for programs.
const (
	shownReasons = 200
	shownSkipped = 10
)

func (p *program) printVerdict(v *board.Verdict) {
	p.printf("gate of %s: %s\n", v.Run, p.gateLine(v))
	p.printReasons(v)
}

// printReasons prints what keeps a gate closed, and what would clear it.
func (p *program) printReasons(v *board.Verdict) {
	rules := map[string]string{} // the first id of each rule, or its worker, as an example
	for i := len(v.Reasons) - 1; i >= 0; i-- {
		rules[v.Reasons[i].Rule] = strings.TrimSpace(v.Reasons[i].ID + " " + v.Reasons[i].Other)
		if v.Reasons[i].Rule == board.RuleExpected {
			rules[board.RuleExpected] = line(v.Reasons[i].Worker, board.MaxName)
		}
	}
	for i := range v.Reasons {
		if i == shownReasons {
			p.printf("  and %d more; --json lists all\n", len(v.Reasons)-i)
			break
		}
		p.printf("%s\n", p.reasonLine(&v.Reasons[i]))
	}
	if name, ok := rules[board.RuleExpected]; ok {
		p.printf("to wait no longer for a worker: board done %s, or board expect --drop %s --reason …\n", name, name)
	}
	if id, ok := rules[board.RuleOpenSignal]; ok {
		p.printf("to clear a signal: board address %s \"the answer\" --source-doc …, or board waive %s --reason …\n", id, id)
	}
	if id, ok := rules[board.RuleMaxDisputed]; ok {
		p.printf("to settle a dispute: post the corrected entry with --supersedes %s, or with the one that contradicts it\n", id)
	}
	if pair, ok := rules[board.RuleConflicts]; ok {
		p.printf("to settle a pair: board settle %s --reason …, or supersede the entry that is wrong; board conflicts shows both\n", pair)
	}
	if id, ok := rules[board.RuleVerified]; ok {
		p.printf("to verify: board verify %s; if it is doubted, post what the source says with --must-surface and --supersedes %s\n", id, id)
	}
	if id, ok := rules[board.RuleEvidence]; ok {
		p.printf("to give a quote: post the entry again with --source-doc, --evidence, --must-surface and --supersedes %s\n", id)
	}
	if id, ok := rules[board.RuleSource]; ok {
		p.printf("to give a source: post the entry again with --source-doc and --supersedes %s, and --addresses if it is an answer\n", id)
	}
}

func (p *program) survival(c *cli.Context) error {
	f, err := format(c)
	if err != nil {
		return err
	}
	follow, err := p.policy(c)
	if err != nil {
		return err
	}
	names := append(c.StringSlice("report"), c.Args().Slice()...)
	if len(names) == 0 {
		names = follow.Reports
	}
	if len(names) == 0 {
		return usagef("`board survival report.md`", "no report is given")
	}
	if c.Int("min-items") < 0 {
		return usagef("give 0 or more", "%d is not a number of items", c.Int("min-items"))
	}
	b, err := p.open(c) // before the reports: without its board there is nothing to check
	if err != nil {
		return err
	}
	defer b.Close()
	reports, skipped, err := p.documents(names)
	if err != nil {
		return err
	}
	s, err := b.Survival(c.Context, reports...)
	if err != nil {
		return err
	}
	s.Skipped = skipped
	if err := p.addMeaning(c, &s, reports, follow.Survival.MinCosine); err != nil {
		return err
	}
	if c.IsSet("min-items") {
		follow.Survival.MinItems = c.Int("min-items")
	}
	s.Demand(s.Empty, follow.Survival.MinItems)
	text := func(q *program) {
		q.printSurvival(&s, c.Bool("all"))
		q.saysWhose(&follow)
	}
	if err := p.verdict(c, f, text, []any{"survival", s}, ci.Survival(s, versionString())); err != nil {
		return err
	}
	if !s.Passed {
		return verdictError(exitSurvival)
	}
	return nil
}

// documents reads what the arguments name: files, directories, patterns, and - for standard input.
func (p *program) documents(names []string) (all []*documents.Document, skipped []documents.Skipped, err error) {
	var paths []string
	for _, name := range names {
		if name != "-" {
			paths = append(paths, name)
			continue
		}
		d, err := documents.Read("standard input", p.in)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, d)
	}
	read, skipped, err := documents.OpenAll(paths)
	return append(all, read...), skipped, err
}

// defaultMinCosine is high, since what is near enough differs from model to model: a small static model gives .86 to passages that have only their
// subject in common with an item.
const defaultMinCosine = 0.9

// addMeaning looks for the missing items by meaning, if a flag or the policy, by a cosine above 0,
// says so. The policy takes words alone where no model is installed; the flag does not.
func (p *program) addMeaning(c *cli.Context, s *survival.Result, reports []*documents.Document, cosine float64) error {
	switch {
	case c.Bool("semantic"):
		if c.IsSet("min-cosine") || cosine == 0 {
			cosine = c.Float64("min-cosine")
		}
	case c.IsSet("min-cosine"):
		return usagef("add --semantic", "--min-cosine has a meaning only with --semantic")
	case cosine == 0:
		return nil
	}
	model, err := p.embedder(c.Context)
	if err != nil {
		return err
	}
	if model == nil && !c.Bool("semantic") {
		p.talk("no model is installed: words alone were compared, though the policy has survival.min_cosine")
		return nil
	}
	if model == nil {
		return embed.NoModel()
	}
	if isTerminal(p.err) && s.Missing > 0 {
		p.talk("comparing %s with every passage by meaning (%s) …", count(int64(s.Missing), "item", "items"), model.Model().Name)
	}
	return s.AddMeaning(c.Context, model, cosine, reports...)
}

func (p *program) printSurvival(s *survival.Result, all bool) {
	head := p.paint(green, "passed")
	if !s.Passed {
		head = p.paint(red, "FAILED")
	}
	p.printf("survival of %s in %s: %s, %d of %s present\n", s.Run, safe(shortList(s.Reports)), head, s.Checked-s.Missing, count(int64(s.Checked), "item", "items"))
	for i, skipped := range s.Skipped {
		if i == shownSkipped {
			p.printf("and %d more files were not read; --json lists all\n", len(s.Skipped)-i)
			break
		}
		p.printf("not read: %s\n", line(skipped.Reason, 160))
	}
	switch {
	case s.Warning != "" && s.Passed:
		p.printf("%s: %s; --min-items 1 makes that a failure\n", p.paint(yellow, "warning"), s.Warning)
	case s.Warning != "":
		p.printf("%s\n", s.Warning)
	}
	p.printItems(s, all)
	note := "necessary, not sufficient: words and numbers were compared, not meaning"
	if s.Semantic != nil {
		note = fmt.Sprintf("necessary, not sufficient: beyond words and numbers, a cosine of %.2f by %s counted as present", s.Semantic.MinCosine, s.Semantic.Model)
	}
	p.printf("%s\n", p.paint(dim, note))
}

// printItems prints what is missing, with all what is present too, and how to pass.
func (p *program) printItems(s *survival.Result, all bool) {
	for i := range s.Items {
		r := &s.Items[i]
		if r.Present && !all {
			continue
		}
		state := p.paint(green, "present")
		if r.ByMeaning {
			state += fmt.Sprintf(" by meaning, cosine %.2f", *r.Cosine)
		}
		if !r.Present {
			state = p.paint(red, "missing") + ", " + r.Cause
			if len(r.MissingNumbers) > 0 {
				state += ": " + line(strings.Join(r.MissingNumbers, ", "), 80)
			}
		}
		why := r.Why
		if r.Priority != "" {
			why = r.Priority + " " + why
		}
		p.printf("  %-6s %s (%s)\n         | %s\n", r.ID, state, why, line(r.Content, 200))
		if pass := r.Passage; pass != nil {
			p.printf("         %s\n", p.paint(dim, fmt.Sprintf("%s (%s): %s", safe(placeOf(pass)), nearness(r), line(pass.Text, 200))))
		} else if !r.Present {
			p.printf("         %s\n", p.paint(dim, "nothing like it in the report"))
		}
	}
	for _, d := range s.Dropped {
		p.printf("  %-6s need not surface: %s dropped that with %s: %s\n         | %s\n", d.ID, line(d.Worker, board.MaxName), d.By, line(d.Reason, 200), line(d.Content, 200))
	}
	if s.Warning != "" && !s.Passed {
		p.printf("to pass: post what was found, with --must-surface what the report has to carry\n")
	}
	if s.Missing > 0 {
		p.printf("to pass: say it in the report with its numbers; or, if it no longer holds, post what supersedes it%s\n", orAddress(s))
	}
}

// placeOf names the place of a passage: with its line where the file has lines, so that terminals and editors open it there.
func placeOf(p *survival.Passage) string {
	name := filepath.Base(p.Report)
	if strings.HasPrefix(p.Where, "line ") {
		return fmt.Sprintf("%s:%d", name, p.Line)
	}
	return name + ", " + p.Where
}

// shortList joins names, the first ten of them.
func shortList(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// orAddress is the third way to pass, if a signal is missing that can be addressed.
func orAddress(s *survival.Result) string {
	for i := range s.Items {
		if r := &s.Items[i]; !r.Present && r.Why == survival.WhyOpen {
			return "; or address the signal"
		}
	}
	return ""
}

// nearness is how much of an item its passage has, and how near they are in meaning if that was asked.
func nearness(r *survival.ItemResult) string {
	s := fmt.Sprintf("%.0f %%", 100*r.Coverage)
	if r.Cosine != nil && !r.ByMeaning {
		s += fmt.Sprintf(", cosine %.2f at best", *r.Cosine)
	}
	return s
}
