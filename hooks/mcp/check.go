package mcp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/policy"
	"blackboard/hooks/ops"
)

func (s *Server) addCheckTools() {
	add(s, tool{Tool: "board_check", Short: "Does all of it hold, from source to text?",
		Profile: ProfileRun, Kind: writes,
		About: "Does it hold? Call it with each draft until it passes: gate, quotes, conflicts, " +
			"what the draft lacks or invents."},
		(*call).check)
}

type checkIn struct {
	ops.On
	keepSecret
	Text    string   `json:"text,omitempty" jsonschema:"the draft"`
	Files   []string `json:"files,omitempty" jsonschema:"or its files"`
	Only    string   `json:"only,omitempty" enum:"check_steps" jsonschema:"one step, in full"`
	Sources []string `json:"sources,omitempty" jsonschema:"default: those of board_start"`
}

type checkFindingOut struct {
	Place string `json:"place" jsonschema:"an entry, a signal, a pair of entries, or a line of the text"`
	Text  string `json:"text,omitempty"`
	Why   string `json:"why,omitempty"`
}

type checkStepOut struct {
	Name     string            `json:"name"`
	Passed   bool              `json:"passed"`
	Skipped  bool              `json:"skipped,omitempty"`
	Headline string            `json:"headline"`
	Warnings []string          `json:"warnings,omitempty"`
	Findings []checkFindingOut `json:"findings,omitempty"`
	Further  int               `json:"further_findings,omitempty"`
	clear    string            // how to clear the findings
}

type checkOut struct {
	Run    string         `json:"run"`
	Passed bool           `json:"passed"`
	Policy string         `json:"policy,omitempty" jsonschema:"the file that says what fails"`
	Steps  []checkStepOut `json:"steps"`
}

// How much an answer of board_check lists, so that it stays within some 1,500 tokens.
const (
	checkFindings = 12  // in all of the steps that failed
	checkWarned   = 2   // of a step that passed
	checkWarnings = 3   // of a step
	checkRunes    = 110 // of a finding, and of why
)

func (c *call) check(in checkIn) (out checkOut, text string, err error) {
	if len(in.Files)+len(in.Sources) > 0 {
		if err := c.cfg.Grants.need(Files, "naming files of the server's machine"); err != nil {
			return out, "", err
		}
	}
	run, err := c.runOf(in.Run, false)
	if err != nil {
		return out, "", err
	}
	err = c.onBoard(run, false, func(b *board.Board) error {
		f, given, err := c.checkInput(b, &in)
		if err != nil {
			return err
		}
		if f.Survival.MinCosine > 0 {
			model, done := c.embedder(c.ctx)
			defer done()
			given.Model = model
		}
		if c.cfg.Grants.run(run, true) == nil {
			if given.Worker, err = c.Worker(in.Worker, false); err != nil {
				return err
			}
		}
		r, err := check.Run(c.ctx, b, f, given)
		if err != nil {
			return err
		}
		out = c.checkOf(&r)
		text = out.text()
		return nil
	})
	return out, text, err
}

// checkInput is the policy of a run, and what a call names to check it with.
func (c *call) checkInput(b *board.Board, in *checkIn) (f policy.File, given check.Input, err error) {
	if f, err = c.Policy(c.ctx, b); err != nil {
		return f, given, err
	}
	mayRead := c.cfg.Grants.has[Files]
	if !mayRead || in.Text != "" {
		f.Reports = nil
	}
	if !mayRead {
		f.Sources = nil
	}
	if given, err = check.Open(&f, each(in.Files, c.where), each(in.Sources, c.where)); err != nil {
		return f, given, err
	}
	ops.NameFrom(c.workspace(), given.Sources) // as answers name them
	given.BoardOnly = !mayRead
	if in.Only != "" {
		f.Steps = []string{in.Only}
	} else if in.Text == "" && len(in.Files) == 0 && len(given.Reports) == 0 { // no text yet
		f.Reports, given.Missing = nil, ""
		f.Steps = slices.DeleteFunc(slices.Clone(f.Steps), func(s string) bool {
			return s == policy.Survival || s == policy.Trace
		})
	}
	if in.Text != "" {
		draft, err := readText(in.Text)
		if err != nil {
			return f, given, err
		}
		given.Reports = slices.Insert(given.Reports, 0, draft)
	}
	return f, given, nil
}

// where is path for a list of names.
func (c *call) where(name *string) string { return c.path(*name) }

// checkOf is as much of a result as an agent can use at once.
func (c *call) checkOf(r *check.Result) checkOut {
	out := checkOut{Run: r.Run, Passed: r.Passed, Steps: []checkStepOut{}}
	if r.Policy != "" {
		out.Policy = filepath.Base(r.Policy)
	}
	most := checkFindings / max(len(r.Failed()), 1) // of one step: all of them
	if len(r.Steps) == 1 {
		most = 2 * checkFindings
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		step := checkStepOut{Name: s.Name, Passed: s.Passed, Skipped: s.Skipped,
			Headline: inLine(board.Line(s.Headline, 2*checkRunes))}
		for _, w := range s.Warnings[:min(len(s.Warnings), checkWarnings)] {
			if w = shortLine(w); w != step.Headline {
				step.Warnings = append(step.Warnings, w)
			}
		}
		found, room := s.Findings(), most
		if s.Passed {
			room = checkWarned
		}
		step.Further = max(len(found)-room, 0)
		for j := range found[:len(found)-step.Further] {
			f := &found[j]
			step.Findings = append(step.Findings,
				checkFindingOut{strings.TrimSpace(f.Place() + " " + f.Doubt), shortLine(f.Text), shortLine(f.Why)})
		}
		if len(found) > 0 {
			step.clear = found[0].In(c.words(nil))
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

// shortLine is what a finding has room for.
func shortLine(s string) string { return inLine(board.Line(s, checkRunes)) }

func (o *checkOut) text() string {
	verdict := "passed: words and numbers were compared; whether it is true is yours to judge"
	if !o.Passed {
		var failed []string
		for _, s := range o.Steps {
			if !s.Passed {
				failed = append(failed, s.Name)
			}
		}
		verdict = "FAILED: " + strings.Join(failed, ", ")
	}
	lines := []string{fmt.Sprintf("Check of %s %s.", o.Run, verdict)}
	for _, s := range o.Steps {
		mark := "✓"
		switch {
		case !s.Passed:
			mark = "✗"
		case s.Skipped:
			mark = "–"
		case len(s.Findings)+len(s.Warnings) > 0:
			mark = "!"
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s", mark, s.Name, s.Headline))
		for _, w := range s.Warnings {
			lines = append(lines, "  note: "+w)
		}
		for _, f := range s.Findings {
			lines = append(lines, "  - "+strings.TrimSpace(f.Place+" "+f.Text)+" ("+f.Why+")")
		}
		if s.Further > 0 {
			lines = append(lines, fmt.Sprintf("  and %d more; only: %s lists more of them",
				s.Further, s.Name))
		}
		if s.clear != "" {
			lines = append(lines, "  to clear the first: "+s.clear)
		}
	}
	return strings.Join(lines, "\n")
}
