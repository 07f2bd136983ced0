package runcmd

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/documents"
	"blackboard/board/policy"
	"blackboard/board/trace"
	"blackboard/cmd/board/base"
)

func (p *program) traceCommand() *cli.Command {
	return &cli.Command{
		Name: "trace", Category: base.CategoryJudge,
		Usage: "list facts of a report that no entry supports: exit 0; with --strict 4 if " +
			"there is any",
		ArgsUsage: "[REPORT…]",
		Description: `Looks for every number with its unit, date, identifier, name and quote of
the reports on the board, and says which entries support it. A fact that follows from
figures of entries by simple arithmetic is derived; one that only a source has is found
with --sources. Words and numbers are compared, not meaning: a supported fact may still be
wrong.`,
		Flags: base.JoinFlags([]cli.Flag{
			reportFlag(),
			sourcesFlag("look up facts that no entry supports in"),
			policyFlag(), outsideFlag(),
			&cli.BoolFlag{Name: "strict",
				Usage: "exit 4 if nothing supports a fact (otherwise with more than " +
					"trace.max_unsupported " + "of board.yaml)"},
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"},
				Usage: "list each passage with the entries that support it, too"},
		}, formatFlags(), base.ReadFlags()),
		Action: p.trace,
	}
}

func (p *program) trace(c *cli.Context) error {
	f, err := format(c)
	if err != nil {
		return err
	}
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		follow, names, err := p.policyAndReports(c, b)
		if err != nil {
			return err
		}
		r, err := p.traceReports(c, b, names, &follow)
		if err != nil {
			return err
		}
		text := func(q *program) {
			q.printTrace(&r, c.Bool("all"))
			q.printPolicySource(&follow)
		}
		if err := p.verdict(c, f, text, []any{"trace", r},
			stepReport(check.Step{Name: policy.Trace, Trace: &r, Passed: r.Passed})); err != nil {
			return err
		}
		if limit := follow.Trace.MaxUnsupported; c.Bool("strict") && !r.Passed ||
			limit != nil && r.Unsupported+r.SourceOnly > *limit {
			return base.ExitError(base.ExitSurvival)
		}
		return nil
	})
}

// traceReports traces the reports to the board, and to sources in files and
// directories.
func (p *program) traceReports(
	c *cli.Context, b *board.Board, names []string, by *policy.File,
) (trace.Result, error) {
	dirs, err := by.SourcePaths()
	if err != nil {
		return trace.Result{}, err
	}
	reports, skipped, err := p.documents(names)
	if err != nil {
		return trace.Result{}, err
	}
	var sources trace.Sources
	if len(dirs) > 0 {
		files, err := documents.Find(dirs...)
		if err != nil {
			return trace.Result{}, err
		}
		sources = func(read func(*documents.Document) error) error {
			return documents.Each(files, names, read)
		}
	}
	for _, file := range skipped {
		p.Messagef("not read: %s", base.Line(file.Reason, 160))
	}
	return b.Trace(c.Context, sources, reports...)
}

func (p *program) printTrace(r *trace.Result, all bool) {
	head := p.Paint(base.Green, "nothing unsupported")
	if !r.Passed {
		head = p.Paint(base.Red, base.Count(int64(r.Unsupported), "UNSUPPORTED fact",
			"UNSUPPORTED facts"))
	}
	p.Printf("trace of %s in %s: %s; %d of %s supported (%.0f %%)\n", r.Run,
		base.Safe(strings.Join(r.Reports, ", ")), head, r.Checked-r.Unsupported,
		base.Count(int64(r.Checked), "fact", "facts"), 100*r.Share)
	if r.Derived+r.SourceOnly > 0 {
		p.Printf("%s\n", p.Paint(base.Dim,
			fmt.Sprintf("  %d by entries, %d derived from their figures, %d by a source alone",
				r.Supported, r.Derived, r.SourceOnly)))
	}
	p.printFacts(r)
	if all {
		p.printPassages(r)
	}
	p.Printf("%s\n", p.Paint(base.Dim,
		"words and numbers were compared, not meaning: a supported fact may still be wrong"))
}

// printFacts prints the facts that no entry supports, and what to do.
func (p *program) printFacts(r *trace.Result) {
	for i := range r.Facts {
		f := &r.Facts[i]
		if f.Verdict != trace.Unsupported && f.Verdict != trace.Source {
			continue
		}
		if i == shownReasons {
			p.Printf("  and more; --json lists all\n")
			break
		}
		where := fmt.Sprintf("%s:%d", base.Safe(filepath.Base(f.Report)), f.Line)
		text := base.Line(f.Text, 80)
		if f.Verdict == trace.Unsupported {
			text = p.Paint(base.Red, text)
		}
		p.Printf("  %s %s (%s): %s\n", where, text, f.Kind, base.Line(f.Describe(), 160))
		if f.Verdict == trace.Unsupported {
			p.Printf("         | %s\n", base.Line(r.Passages[f.Passage].Text, 200))
		}
	}
	if !r.Passed {
		p.Printf(
			"to clear: post the finding with its source, correct the report, or take the fact out\n",
		)
	}
}

// printPassages lists the passages with the entries that support them, and below them the
// figures that follow from others, and from which.
func (p *program) printPassages(r *trace.Result) {
	p.Printf("passages and their entries:\n")
	derived := map[int][]*trace.Fact{}
	for i := range r.Facts {
		if f := &r.Facts[i]; f.Verdict == trace.Derived {
			derived[f.Passage] = append(derived[f.Passage], f)
		}
	}
	for i := range r.Passages {
		s := &r.Passages[i]
		entries := strings.Join(s.Entries, " ")
		if entries == "" {
			entries = "–"
		}
		if s.Missing > 0 {
			entries += p.Paint(base.Red, fmt.Sprintf(", %d unsupported", s.Missing))
		}
		p.Printf("  %s:%d %s\n         | %s\n", base.Safe(filepath.Base(s.Report)), s.Line,
			entries, base.Line(s.Text, 200))
		for _, f := range derived[i] {
			p.Printf("         %s %s\n", base.Line(f.Text, 80), base.Line(f.Describe(), 160))
		}
	}
}
