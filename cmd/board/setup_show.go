package main

import (
	"bytes"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v2"

	"blackboard/hooks/setup"
)

// setupFile is a changed file in JSON.
type setupFile struct {
	Path   string `json:"path"`
	Action string `json:"action"`
	Diff   string `json:"diff"`
	Backup string `json:"backup"` // "" if none was made
}

type setupFailure struct {
	Message string `json:"message"`
	Try     string `json:"try"`
}

// setupResult is what was done for a harness.
type setupResult struct {
	Name  string        `json:"name"`
	Level string        `json:"level"`
	Files []setupFile   `json:"files"`
	Notes []string      `json:"notes"`
	Error *setupFailure `json:"error"` // null if there is none
}

// unified is the difference that a change makes.
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

// showWorks shows what is to be done: as differences, or, of what is taken out, in a line for each
// file.
func (p *program) showWorks(c *cli.Context, s *setup.Setup, works []*setup.Work) {
	for _, w := range works {
		for _, change := range w.Changes {
			if c.Bool("uninstall") && !c.Bool("dry-run") {
				goes := ""
				if change.Action == setup.Remove {
					goes = ", which goes"
				}
				p.printf("%s: %s from %s%s\n", w.Title, strings.Join(change.Taken, " and "), safe(s.Short(change.Path)), goes)
				continue
			}
			for line := range strings.Lines(unified(change)) {
				p.printf("%s\n", safe(strings.TrimRight(line, "\r\n")))
			}
		}
		for _, note := range w.Notes {
			p.talk("%s: %s", w.Title, safe(note))
		}
	}
}

// setupDone tells what was done, and ends with 1 if anything failed.
func (p *program) setupDone(c *cli.Context, works []*setup.Work, done bool, changes int) error {
	results, failed := []setupResult{}, false
	for _, w := range works {
		r := setupResult{Name: w.Harness, Level: w.Level, Files: []setupFile{}, Notes: append([]string{}, w.Notes...)}
		for _, change := range w.Changes {
			r.Files = append(r.Files, setupFile{change.Path, change.Action, unified(change), change.Backup})
		}
		if w.Err != nil {
			failed = true
			r.Error = &setupFailure{Message: w.Err.Error(), Try: try(w.Err)}
		}
		results = append(results, r)
	}
	if c.Bool("json") {
		if err := p.json("dry_run", !done, "harnesses", results); err != nil {
			return err
		}
	} else {
		p.tellSetup(works, results, c.Bool("uninstall"), done, changes)
	}
	if failed {
		return verdictError(exitFailure)
	}
	return nil
}

func (p *program) tellSetup(works []*setup.Work, results []setupResult, uninstall, done bool, changes int) {
	for i, r := range results {
		switch {
		case r.Error != nil:
			p.talk("board: %s: %s", works[i].Title, safe(r.Error.Message))
			if r.Error.Try != "" {
				p.talk("  try: %s", safe(r.Error.Try))
			}
		case len(r.Files) == 0:
			p.printf("%s: nothing to do\n", works[i].Title)
		case done:
			what := count(int64(len(r.Files)), "file changed", "files changed")
			if uninstall {
				what = "taken out of " + count(int64(len(r.Files)), "file", "files")
			}
			p.printf("%s: %s\n", works[i].Title, what)
			for _, f := range r.Files {
				if f.Backup != "" {
					p.talk("  before: %s", safe(f.Backup))
				}
			}
		}
	}
	switch {
	case len(works) == 0:
		p.printf("nothing is set up, so there is nothing to do\n")
	case !done && changes > 0:
		p.talk("nothing was changed: this is what would be")
	}
}

func (p *program) setupList(c *cli.Context, s *setup.Setup, names []string) error {
	all, err := s.Status(names)
	return p.answer(c, err, func() {
		for _, h := range all {
			found := "not found"
			if h.Found {
				found = "found"
			}
			var parts bytes.Buffer
			for _, part := range h.Parts {
				if parts.Len() > 0 {
					parts.WriteString(", ")
				}
				parts.WriteString(part.Part + " " + part.State)
			}
			p.printf("%-10s %-12s %-10s %s\n", h.Name, h.Title, found, parts.String())
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
	if c.Bool("json") {
		if err := p.json("ok", wrong == 0, "harnesses", reports); err != nil {
			return err
		}
	} else {
		for _, r := range reports {
			if len(r.Problems) == 0 {
				p.printf("%s: well\n", r.Title)
			}
			for _, problem := range r.Problems {
				p.printf("%s: %s: %s\n", r.Title, problem.Part, safe(problem.Msg))
				p.talk("  try: %s", safe(problem.Hint))
			}
		}
		if len(reports) == 0 {
			p.printf("nothing is set up; `board setup --list` shows what there is\n")
		}
	}
	if wrong > 0 {
		return verdictError(exitFailure)
	}
	return nil
}
