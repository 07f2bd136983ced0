package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/documents"
	"blackboard/board/trace"
	"blackboard/cmd/board/ci"
)

func (p *program) traceCommand() *cli.Command {
	return &cli.Command{
		Name: "trace", Category: catJudge, Usage: "say what the report states that nobody found: exit 0; with --strict 4 if there is any", ArgsUsage: "[REPORT…]",
		Description: `Looks for every number with its unit, date, identifier, name and quote of the reports on the board, and says which entries support
it. A fact that follows from figures of entries by simple arithmetic is derived; one that only a source has is found with --sources.
Words and numbers are compared, not meaning: a supported fact may still be wrong.`,
		Flags: flags([]cli.Flag{
			sourcesFlag("look for what no entry supports in"),
			policyFlag(),
			&cli.BoolFlag{Name: "strict", Usage: "exit 4 if nothing supports a fact (otherwise with more than trace.max_unsupported of board.yaml)"},
			&cli.BoolFlag{
				Name:    "all",
				Aliases: []string{"a"},
				Usage:   "list each passage with the entries that support it, too",
			},
		}, formatFlags(), readFlags()),
		Action: p.trace,
	}
}

func (p *program) trace(c *cli.Context) error {
	f, err := format(c)
	if err != nil {
		return err
	}
	follow, err := p.policy(c)
	if err != nil {
		return err
	}
	names := c.Args().Slice()
	if len(names) == 0 {
		names = follow.Reports
	}
	if c.IsSet("sources") {
		follow.Sources = c.StringSlice("sources")
	}
	if len(names) == 0 {
		return usagef("`board trace report.md`", "no report is given")
	}
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	reports, skipped, err := p.documents(names)
	if err != nil {
		return err
	}
	var sources trace.Sources
	if dirs := follow.Sources; len(dirs) > 0 {
		files, err := documents.Find(dirs...)
		if err != nil {
			return err
		}
		sources = func(read func(*documents.Document) error) error {
			return documents.Each(files, names, read)
		}
	}
	for _, file := range skipped {
		p.talk("not read: %s", line(file.Reason, 160))
	}
	r, err := b.Trace(c.Context, sources, reports...)
	if err != nil {
		return err
	}
	text := func(q *program) {
		q.printTrace(&r, c.Bool("all"))
		q.saysWhose(&follow)
	}
	if err := p.verdict(c, f, text, []any{"trace", r}, ci.Trace(r, versionString())); err != nil {
		return err
	}
	if limit := follow.Trace.MaxUnsupported; c.Bool("strict") && !r.Passed ||
		limit != nil && r.Unsupported > *limit {
		return verdictError(exitSurvival)
	}
	return nil
}

// causes say for people why a fact is unsupported.
var causes = map[string]string{
	trace.Elsewhere:  "said of something else",
	trace.OtherUnit:  "with another unit",
	trace.OtherValue: "another figure",
	trace.Absent:     "on no entry",
}

func (p *program) printTrace(r *trace.Result, all bool) {
	head := p.paint(green, "nothing unsupported")
	if !r.Passed {
		head = p.paint(red, count(int64(r.Unsupported), "UNSUPPORTED fact", "UNSUPPORTED facts"))
	}
	p.printf(
		"trace of %s in %s: %s; %d of %s supported (%.0f %%)\n",
		r.Run,
		safe(strings.Join(r.Reports, ", ")),
		head,
		r.Checked-r.Unsupported,
		count(int64(r.Checked), "fact", "facts"),
		100*r.Share,
	)
	if r.Derived+r.SourceOnly > 0 {
		p.printf(
			"%s\n",
			p.paint(
				dim,
				fmt.Sprintf(
					"  %d by entries, %d derived from their figures, %d by a source alone",
					r.Supported,
					r.Derived,
					r.SourceOnly,
				),
			),
		)
	}
	p.printFacts(r)
	if all {
		p.printPassages(r)
	}
	p.printf(
		"%s\n",
		p.paint(
			dim,
			"words and numbers were compared, not meaning: a supported fact may still be wrong",
		),
	)
}

// printFacts prints the facts that no entry supports, and what to do.
func (p *program) printFacts(r *trace.Result) {
	for i := range r.Facts {
		f := &r.Facts[i]
		if f.Verdict != trace.Unsupported && f.Verdict != trace.Source {
			continue
		}
		if i == shownReasons {
			p.printf("  and more; --json lists all\n")
			break
		}
		where := fmt.Sprintf("%s:%d", safe(filepath.Base(f.Report)), f.Line)
		if f.Verdict == trace.Source {
			p.printf(
				"  %s %s (%s): only in %s:%d\n",
				where,
				line(f.Text, 80),
				f.Kind,
				safe(f.Source.File),
				f.Source.Line,
			)
			continue
		}
		why := causes[f.Cause]
		if f.Why != "" {
			why += ": " + line(f.Why, 120)
		} else if len(f.Entries) > 0 {
			why += "; nearest is " + f.Entries[0]
		}
		p.printf(
			"  %s %s (%s): %s\n         | %s\n",
			where,
			p.paint(red, line(f.Text, 80)),
			f.Kind,
			why,
			line(r.Passages[f.Passage].Text, 200),
		)
	}
	if !r.Passed {
		p.printf(
			"to clear: post the finding with its source, correct the report, or take the fact out\n",
		)
	}
}

// printPassages lists the passages with the entries that they stand on.
func (p *program) printPassages(r *trace.Result) {
	p.printf("passages and their entries:\n")
	for i := range r.Passages {
		s := &r.Passages[i]
		entries := strings.Join(s.Entries, " ")
		if entries == "" {
			entries = "–"
		}
		if s.Missing > 0 {
			entries += p.paint(red, fmt.Sprintf(", %d unsupported", s.Missing))
		}
		p.printf(
			"  %s:%d %s\n         | %s\n",
			safe(filepath.Base(s.Report)),
			s.Line,
			entries,
			line(s.Text, 200),
		)
	}
}
