package report

import (
	"fmt"
	"slices"
	"strings"

	"blackboard/board/check"
	"blackboard/board/fault"
)

// checkTool is the tool whose rules are those of all the others.
const checkTool = "board check"

// ruleSkipped: a step had nothing to hold against; ruleLimited: it passed with a warning.
const (
	ruleSkipped = "skipped"
	ruleLimited = "limited"
)

// rulesOf returns the rules of a tool. Those of a check begin with the step.
func rulesOf(tool string) []rule {
	if tool != checkTool {
		return rules[tool]
	}
	var all []rule
	for _, step := range check.Steps {
		for _, r := range rules["board "+step] {
			all = append(all, rule{step + "/" + r.id, r.text, r.help})
		}
		all = append(all,
			rule{step + "/" + ruleSkipped, "The step had its input", "Name the reports and sources, as arguments or in board.yaml."},
			rule{step + "/" + ruleLimited, "The budget of the step was large enough", "Run board " + step + "."})
	}
	return all
}

// CIOfCheck turns a check into what CI formats say: the findings of its steps, the worst step first.
// What the policy lets through is a warning.
func CIOfCheck(c check.Result, words fault.Words, version string) CI {
	r := CI{tool: checkTool, version: version, run: c.Run, seq: c.Seq, ok: c.Passed,
		caveat: "Words and numbers were compared, not meaning: a pass is necessary, not sufficient."}
	var failed, lines []string
	var steps [][]finding
	for _, s := range c.WorstFirst() {
		if !s.Passed {
			failed = append(failed, s.Name)
		}
		headline := s.Headline // unless a finding says the same
		switch {
		case s.Skipped:
			headline = "not checked"
		case s.Passed && slices.Contains(s.Warnings, headline):
			headline = "warning"
		}
		lines = append(lines, s.Name+": "+headline)
		sub := stepFindings(&s, words, version)
		r.notes = append(r.notes, sub.notes...)
		steps = append(steps, sub.findings)
	}
	r.findings = interleave(steps)
	r.headline = "check passed"
	if !c.Passed {
		r.headline = "check failed: " + strings.Join(failed, ", ")
	}
	by := ""
	if c.Policy != "" {
		by = "; policy " + repositoryPath(c.Policy)
	}
	r.notes = append([]string{strings.Join(lines, "; ") + by}, r.notes...)
	return r.Under(c.Policy).withFailure()
}

// interleave lists failures, of each step in turn, as GitHub shows the first ten; then the rest.
func interleave(steps [][]finding) (all []finding) {
	var rest []finding
	for i := range steps {
		rest = append(rest, slices.DeleteFunc(slices.Clone(steps[i]), func(f finding) bool { return !f.ok })...)
		steps[i] = slices.DeleteFunc(steps[i], func(f finding) bool { return f.ok })
	}
	for more := true; more; {
		more = false
		for i := range steps {
			if len(steps[i]) > 0 {
				all, steps[i], more = append(all, steps[i][0]), steps[i][1:], true
			}
		}
	}
	return append(all, rest...)
}

// stepFindings is the report of one step of a check: its name stands before its rules, and what
// the policy lets through warns.
func stepFindings(s *check.Step, words fault.Words, version string) CI {
	r := CIOfStep(s, words, version)
	if !s.HadInput() {
		f := finding{rule: ruleSkipped, label: s.Name + " was skipped", ok: s.Passed}
		if s.Passed {
			f.warning = fmt.Sprintf("%s was skipped: %s", s.Name, s.Why)
		} else {
			f.cause, f.message, f.clear = ruleSkipped, s.Why, "name it, or write what the policy lists"
		}
		r.findings = []finding{f}
	}
	if s.Passed {
		for i := range r.findings {
			if f := &r.findings[i]; !f.ok {
				f.ok = true
				f.warning = strings.Join(append([]string{f.label + ": " + line(f.message, cellRunes)}, f.details...), "; ")
			}
		}
	}
	if len(s.Warnings) > 0 && !slices.ContainsFunc(r.findings, func(f finding) bool { return f.warning != "" }) {
		for _, w := range s.Warnings {
			r.findings = append(r.findings, finding{rule: ruleLimited, label: w, warning: s.Name + ": " + w, ok: true})
		}
	}
	for i := range r.findings {
		r.findings[i].rule = s.Name + "/" + r.findings[i].rule
	}
	return r
}

// place tells findings without an id apart, for a fingerprint: a line's label, or "".
func (f finding) place() string {
	if f.line == 0 {
		return ""
	}
	return "\n" + f.label
}
