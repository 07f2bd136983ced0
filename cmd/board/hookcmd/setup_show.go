package hookcmd

import (
	"cmp"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks/setup"
)

type setupFile struct {
	Path   string `json:"path"`
	Action string `json:"action"` // what is done to it, such as create
	Diff   string `json:"diff"`   // the change, as a diff
	Backup string `json:"backup"` // "" if none was made
}

type setupFailure struct {
	Message string `json:"message"`
	Try     string `json:"try"`
}

type setupResult struct {
	Name  string        `json:"name"`
	Level string        `json:"level"` // whose settings: user or project
	Files []setupFile   `json:"files"`
	Notes []string      `json:"notes"`
	Error *setupFailure `json:"error"` // null if there is none
}

func unified(change *setup.Change) string {
	before, after := change.Path, change.Path
	switch change.Action {
	case setup.Create:
		before = "/dev/null"
	case setup.Remove:
		after = "/dev/null"
	}
	text := string(diff.Diff(before, change.Before, after, change.After))
	if _, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(text, "diff ") {
		return rest
	}
	return text
}

// printPlan prints the plan: as diffs, or for --uninstall a line for each file.
func (p *program) printPlan(c *cli.Context, s *setup.Setup, works []*setup.Work) {
	for _, w := range works {
		for _, change := range w.Changes {
			if c.Bool("uninstall") && !c.Bool("dry-run") {
				parts, path := strings.Join(change.Taken, " and "), base.Safe(s.Short(change.Path))
				if change.Action == setup.Remove {
					p.Printf("%s: deletes %s (%s)\n", w.Title, path, parts)
				} else {
					p.Printf("%s: removes %s from %s\n", w.Title, parts, path)
				}
				continue
			}
			for line := range strings.Lines(unified(change)) {
				p.Printf("%s\n", base.Safe(strings.TrimRight(line, "\r\n")))
			}
		}
		for _, note := range w.Notes {
			p.Messagef("%s: %s", w.Title, base.Safe(note))
		}
		if w.Approves {
			p.Messagef("  --no-trust leaves the approval to you, with /hooks in Codex")
		}
	}
}

// printSetup prints the result of a setup or of its dry run, and returns exit code 1 if a harness failed.
func (p *program) printSetup(c *cli.Context, works []*setup.Work, done bool, changes int) (err error) {
	results := []setupResult{}
	for _, w := range works {
		r := setupResult{Name: w.Harness, Level: w.Level, Files: []setupFile{},
			Notes: append([]string{}, w.Notes...)}
		for _, change := range w.Changes {
			r.Files = append(r.Files, setupFile{change.Path, change.Action, unified(change), change.Backup})
		}
		if w.Err != nil {
			err = base.ExitError(base.ExitFailure)
			r.Error = &setupFailure{w.Err.Error(), base.NextStep(w.Err)}
		}
		results = append(results, r)
		if !c.Bool("json") {
			p.printHarness(w, c.Bool("uninstall"), done)
		}
	}
	switch {
	case c.Bool("json"):
		err = cmp.Or(p.JSON("dry_run", !done, "harnesses", results), err)
	case len(works) == 0:
		p.Printf("nothing is installed, so there is nothing to do\n")
	case !done && changes > 0:
		p.Messagef("dry run: nothing was changed")
	}
	return err
}

func (p *program) printHarness(w *setup.Work, uninstall, done bool) {
	switch n := int64(len(w.Changes)); {
	case w.Err != nil:
		p.Messagef("board: %s: %s", w.Title, base.Safe(w.Err.Error()))
		if try := base.NextStep(w.Err); try != "" {
			p.Messagef("  try: %s", base.Safe(try))
		}
	case n == 0:
		p.Printf("%s: nothing to do\n", w.Title)
	case done:
		what := base.Count(n, "file changed", "files changed")
		if uninstall {
			what = "removed from " + base.Count(n, "file", "files")
		}
		p.Printf("%s: %s\n", w.Title, what)
		for _, change := range w.Changes {
			for _, path := range change.Stay {
				p.Messagef("  this backup stays: %s", base.Safe(path))
			}
			if change.Backup != "" && len(change.Stay) == 0 {
				p.Messagef("  before: %s", base.Safe(change.Backup))
			}
		}
	}
}

func (p *program) setupList(c *cli.Context, s *setup.Setup, names []string) error {
	all, err := s.Status(names)
	return p.Answer(c, err, func() {
		for _, h := range all {
			found := "not found"
			if h.Found {
				found = "found"
			}
			var parts []string
			for _, part := range h.Parts {
				parts = append(parts, part.Part+" "+part.State)
			}
			p.Printf("%-10s %-12s %-10s %s\n", h.Name, h.Title, found, strings.Join(parts, ", "))
		}
	}, "harnesses", all)
}

func (p *program) setupCheck(c *cli.Context, s *setup.Setup, names []string, dir string) error {
	reports, err := s.Check(names, dir)
	if err != nil {
		return err
	}
	wrong := 0
	for _, r := range reports {
		wrong += len(r.Problems)
	}
	return p.AnswerFailed(c, wrong > 0, func() {
		for _, r := range reports {
			if len(r.Problems) == 0 {
				p.Printf("%s: OK\n", r.Title)
			}
			for _, problem := range r.Problems {
				p.Printf("%s: %s: %s\n", r.Title, problem.Part, base.Safe(problem.Msg))
				p.Messagef("  try: %s", base.Safe(problem.Hint))
			}
		}
		if len(reports) == 0 {
			p.Printf("nothing is installed; `board setup --list` shows what there is\n")
		}
	}, "ok", wrong == 0, "harnesses", reports)
}
