package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/documents"
	"blackboard/board/survival"
	"blackboard/cmd/board/ci"
	"blackboard/embed"
)

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
