package runcmd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/policy"
	"blackboard/board/survival"
	"blackboard/cmd/board/base"
	"blackboard/embed"
)

func (p *program) survival(c *cli.Context) error {
	f, err := format(c)
	if err != nil {
		return err
	}
	if c.Int("min-items") < 0 {
		return base.Usagef("give 0 or more", "%d is not a number of items", c.Int("min-items"))
	}
	// before the reports: without its board there is nothing to check
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		follow, names, err := p.policyAndReports(c, b)
		if err != nil {
			return err
		}
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
			q.printPolicySource(&follow)
		}
		if err := p.verdict(c, f, text, []any{"survival", s},
			stepReport(check.Step{Name: policy.Survival, Survival: &s, Passed: s.Passed})); err != nil {
			return err
		}
		if !s.Passed {
			return base.ExitError(base.ExitSurvival)
		}
		return nil
	})
}

// documents reads what the arguments name: files, directories, patterns, and - for
// standard input.
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

// defaultMinCosine is high, since models differ: a small static model gives .86 to
// passages that share only their subject with an item.
const defaultMinCosine = 0.9

// addMeaning searches by meaning for missing items, if a flag or a cosine above 0 in
// the policy asks for it. Without a model the policy accepts words alone; the flag does
// not.
func (p *program) addMeaning(c *cli.Context, s *survival.Result, reports []*documents.Document,
	cosine float64) error {
	switch {
	case c.Bool("semantic"):
		if c.IsSet("min-cosine") || cosine == 0 {
			cosine = c.Float64("min-cosine")
		}
	case c.IsSet("min-cosine"):
		return base.Usagef("add --semantic", "--min-cosine needs --semantic")
	case cosine == 0:
		return nil
	}
	model, err := p.Embedder(c.Context)
	if err != nil {
		return err
	}
	if model == nil && !c.Bool("semantic") {
		p.Messagef("no model is installed: words alone were compared, though the policy has " +
			"survival.min_cosine")
		return nil
	}
	if model == nil {
		return embed.NoModel()
	}
	if base.IsTerminal(p.Err) && s.Missing > 0 {
		p.Messagef("comparing %s with every passage by meaning (%s) …",
			base.Count(int64(s.Missing), "item", "items"), model.Model().Name)
	}
	return s.AddMeaning(c.Context, model, cosine, reports...)
}

func (p *program) printSurvival(s *survival.Result, all bool) {
	head := p.Paint(base.Green, "passed")
	if !s.Passed {
		head = p.Paint(base.Red, "FAILED")
	}
	unsure := ""
	if s.Unsure > 0 {
		unsure = fmt.Sprintf(", %d unsure", s.Unsure)
	}
	if s.Accepted > 0 {
		unsure += fmt.Sprintf(", %d accepted", s.Accepted)
	}
	p.Printf("survival of %s in %s: %s, %d of %s present%s\n", s.Run, base.Safe(shortList(s.Reports)),
		head, s.Present(), base.Count(int64(s.Checked), "item", "items"), unsure)
	for i, skipped := range s.Skipped {
		if i == shownSkipped {
			p.Printf("and %d more files were not read; --json lists all\n", len(s.Skipped)-i)
			break
		}
		p.Printf("not read: %s\n", base.Line(skipped.Reason, 160))
	}
	switch {
	case s.Warning != "" && s.Passed:
		p.Printf("%s: %s; --min-items 1 makes that a failure\n", p.Paint(base.Yellow, "warning"),
			s.Warning)
	case s.Warning != "":
		p.Printf("%s\n", s.Warning)
	}
	p.printItems(s, all)
	if ids := s.UnmarkedAnswers; len(ids) > 0 {
		p.Printf("not looked for: %s, since not posted with --must: %s\n",
			base.Count(int64(len(ids)), "answer to a critical or high question",
				"answers to critical or high questions"), shortList(ids))
	}
	note := "necessary, not sufficient: words and numbers were compared, not meaning"
	if s.Semantic != nil {
		note = fmt.Sprintf("necessary, not sufficient: beyond words and numbers, a cosine of %.2f by "+
			"%s counted as present", s.Semantic.MinCosine, s.Semantic.Model)
	}
	p.Printf("%s\n", p.Paint(base.Dim, note))
}

// unsureLast lists what is missing, then what is unsure, with all what is present too.
func unsureLast(s *survival.Result, all bool) (items []*survival.ItemResult) {
	rank := func(r *survival.ItemResult) int {
		switch {
		case r.IsMissing():
			return 0
		case r.Unsure, !r.Present:
			return 1
		}
		return 2
	}
	for i := range s.Items {
		if r := &s.Items[i]; all || rank(r) < 2 {
			items = append(items, r)
		}
	}
	slices.SortStableFunc(items, func(a, b *survival.ItemResult) int { return rank(a) - rank(b) })
	return items
}

// printItems prints what is missing or unsure, with all what is present too, and how to pass.
func (p *program) printItems(s *survival.Result, all bool) {
	for _, r := range unsureLast(s, all) {
		state := p.Paint(base.Green, "present")
		if r.ByMeaning {
			state += fmt.Sprintf(" by meaning, cosine %.2f", *r.Cosine)
		}
		if r.Unsure {
			state = p.Paint(base.Yellow, "unsure") + ", read the passage"
			if len(r.Reasons) > 0 {
				state += ": " + base.Line(strings.Join(r.Reasons, "; "), 160)
			}
		} else if !r.Present {
			state = p.Paint(base.Red, "missing") + ", " + r.Cause
			if r.Accepted != nil {
				state = p.Paint(base.Yellow, r.Cause) + ", " + base.Line(r.Accepted.String(), 200)
			} else if r.Doubt != "" {
				state += " [" + r.Doubt + "]"
			}
			if len(r.Reasons) > 0 {
				state += ": " + base.Line(strings.Join(r.Reasons, "; "), 160)
			} else if len(r.MissingNumbers) > 0 {
				state += ": " + base.Line(strings.Join(r.MissingNumbers, ", "), 80)
			}
		}
		if len(r.Lacks) > 0 {
			state += ", lacks " + base.Line(strings.Join(r.Lacks, ", "), 80)
		}
		why := r.Why
		if r.Priority != "" {
			why = r.Priority + " " + why
		}
		p.Printf("  %-6s %s (%s)\n         | %s\n", r.ID, state, why, base.Line(r.Content, 200))
		if pass := r.Passage; pass != nil {
			p.Printf("         %s\n", p.Paint(base.Dim, fmt.Sprintf("%s (%s): %s",
				base.Safe(placeOf(pass)), nearness(r), base.Line(pass.Text, 200))))
		} else if !r.Present {
			p.Printf("         %s\n", p.Paint(base.Dim, "nothing like it in the report"))
		}
	}
	for _, d := range s.Dropped {
		p.Printf("  %-6s need not surface: %s dropped that with %s: %s\n         | %s\n", d.ID,
			base.Line(d.Worker, board.MaxName), d.By, base.Line(d.Reason, 200), base.Line(d.Content, 200))
	}
	if s.Warning != "" && !s.Passed {
		p.Printf("to pass: post what was found, with --must what the report has to carry\n")
	}
	if s.Missing > 0 {
		p.Printf("to pass: %s\n", strings.Join(waysToPass(s), "; "))
	}
}

// placeOf names the place of a passage: with its line where the file has lines, so that
// terminals and editors open it there.
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

// waysToPass says what to do about each kind of item that is missing.
func waysToPass(s *survival.Result) (ways []string) {
	missing := map[string]bool{}
	for i := range s.Items {
		if r := &s.Items[i]; r.IsMissing() {
			missing[r.Why], missing["doubt"] = true, missing["doubt"] || r.Doubt != ""
		}
	}
	if missing[survival.WhyMustSurface] || missing[survival.WhyContradiction] {
		ways = append(ways, "say it in the report with its numbers; or, if it no longer holds, "+
			"post what supersedes it")
	}
	switch {
	case missing[survival.WhyOpen]:
		ways = append(ways, "answer the question, or say in the report that it is open")
	case missing[survival.WhyWaived]:
		ways = append(ways, "say in the report that the question is open")
	}
	if missing["doubt"] {
		ways = append(ways, "or, if it is no fault, board accept DOUBT --reason …")
	}
	return ways
}

// nearness is how much of an item its passage has, and its cosine if it was compared by
// meaning.
func nearness(r *survival.ItemResult) string {
	s := fmt.Sprintf("%.0f %% of its words", 100*r.Coverage)
	if r.Cosine != nil && !r.ByMeaning {
		s += fmt.Sprintf(", cosine %.2f at best", *r.Cosine)
	}
	return s
}
