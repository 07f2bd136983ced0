package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/claims"
	"blackboard/board/fault"
	"blackboard/board/survival"
	"blackboard/board/text"
	"blackboard/board/verify"
)

// compared is what a pass of the steps that compare words does not say.
const compared = "Words and numbers were compared, not meaning: a pass is necessary, not sufficient."

var caveats = map[string]string{
	check.Conflicts: "Words were compared, not meaning: some pairs are no conflict, and some conflicts are not found.",
	check.Survival:  compared,
	check.Trace:     "Words and numbers were compared, not meaning: a supported fact may still be wrong.",
	check.Verify:    "That the sources are right, and that the findings follow from them, was not checked: a pass is necessary, not sufficient.",
}

// CIOfStep turns the result of one step into what CI formats say: what failed, as check lists it, and what
// passed. The words are those of what would clear a finding.
func CIOfStep(s *check.Step, words fault.Words, version string) CI {
	r := CI{tool: "board " + s.Name, version: version, ok: s.Passed, caveat: caveats[s.Name]}
	for _, f := range s.Findings() {
		if f.Pair == nil || f.Pair.Likely {
			r.findings = append(r.findings, failedFinding(s, &f, words))
		}
	}
	bad := len(r.findings)
	r.addPassed(s)
	skipped := int64(0)
	for _, f := range r.findings {
		if f.skipped != "" {
			skipped++
		}
	}
	word, all := " failed", text.Count(int64(len(r.findings))-skipped, "check", "checks")
	switch {
	case s.Gate != nil:
		word = " closed"
	case s.Conflicts != nil, s.Trace != nil: // which fail only where a policy says so
		word = ""
	}
	r.headline = fmt.Sprintf("%s%s: %d of %s to clear", s.Name, word, bad, all)
	switch {
	case s.Gate != nil && s.Passed:
		r.headline = "gate open: nothing in the policy blocks synthesis"
	case s.Passed:
		r.headline = s.Name + " passed: " + all
	}
	if skipped > 0 {
		r.headline += fmt.Sprintf(", %d not checked", skipped)
	}
	switch {
	case s.Survival != nil:
		r.warn(s.Survival)
	case s.Verify != nil && s.Verify.Checked == 0 && !s.Passed && bad == 0:
		why := s.Verify.NothingChecked()
		r.headline = "verify failed: nothing was checked: " + why
		r.findings = append(r.findings, finding{rule: "quote", label: "nothing was checked", cause: "nothing checked",
			message: why, clear: fault.Join(check.VerifySteps(why), words, ", ")})
	}
	return r.withFailure()
}

// failedFinding returns a finding of a step as CI formats show it.
func failedFinding(s *check.Step, f *check.Finding, words fault.Words) finding {
	id := strings.TrimSpace(f.ID + " " + f.Other)
	n := finding{rule: s.Name, id: id, label: cmp.Or(id, f.Text), cause: s.Name, message: f.Text,
		details: []string{line(f.Why, 2*cellRunes)}, clear: f.In(words), line: f.Line}
	if f.Report != "" {
		n.file = repositoryPath(f.Report)
	}
	switch {
	case f.TooMany:
		n.rule, n.message, n.details = ruleLimited, f.Why, nil
	case f.Reason != nil:
		n.fillFromReason(f.Reason)
	case f.Doubted != nil:
		n.fillFromItem(f.Doubted)
		n.label, n.cause = f.ID+" "+f.Doubted.Verdict, f.Doubted.Verdict
		if f.Doubted.Evidence != "" {
			n.details = append(n.details, "quote: "+line(f.Doubted.Evidence, cellRunes))
		}
		if p := f.Doubted.Passage; p != nil {
			n.details = append(n.details, "source: "+line(verify.At(f.Doubted.SourceDoc, p.Where)+": "+p.Text, cellRunes))
		}
	case s.Verify != nil && f.ID == "":
		n.rule, n.cause, n.file = "source-changed", "changed", repositoryPath(f.Text)
	case f.Pair != nil:
		n.rule, n.cause = ruleConflict, f.Pair.Kind
		n.message, n.details = strings.Join(f.Pair.Why, "; "), []string{sourced(&f.Pair.A), sourced(&f.Pair.B)}
		if f.Pair.Signal != "" {
			n.details = append(n.details, "asked in "+f.Pair.Signal)
		}
	case f.Missing != nil:
		n.fillFromSurvival(f.Missing, s.Survival)
		n.cause = cmp.Or(f.Missing.Cause, survival.MissAbsent)
		if f.Missing.Reason != "" {
			n.details = append(n.details, "waived because: "+line(f.Missing.Reason, cellRunes))
		}
	case f.Fact != nil:
		n.rule, n.cause = ruleFact, f.Fact.Cause
		n.label, n.message = f.Fact.Kind+" "+line(f.Text, titleRunes), f.Passage.Text
	default:
		n.label, n.message, n.details = f.Text, f.Why, nil
	}
	return n
}

func sourced(e *claims.Item) string {
	if e.Source == "" {
		return e.ID + ": " + line(e.Content, cellRunes)
	}
	return fmt.Sprintf("%s: %s (%s)", e.ID, line(e.Content, cellRunes), line(e.Source, titleRunes))
}

// fillFromReason adds a reason of the gate. A worker that it waits for is in its content.
func (f *finding) fillFromReason(r *board.Reason) {
	f.rule, f.cause, f.details = r.Rule, r.Rule, nil
	if r.Rule == board.RuleExpected {
		f.id = line(r.Worker, titleRunes)
	} else if r.Worker != "" {
		f.details = append(f.details, "from "+line(r.Worker, titleRunes))
	}
	if r.To != "" {
		f.details = append(f.details, "for "+line(r.To, titleRunes))
	}
	if r.Claimed != "" {
		f.details = append(f.details, "claimed by "+line(r.Claimed, titleRunes))
	}
	f.label = cmp.Or(strings.TrimSpace(f.id+" "+r.Priority), r.Rule)
}

// aboutSource are the verdicts on the source of a finding, not on what it says.
var aboutSource = []string{verify.Ambiguous, verify.Unregistered, verify.Unknown, verify.NoFile,
	verify.NoSource}

// fillFromItem adds what verify says of an entry. Its test is named alike whatever the verdict is.
func (f *finding) fillFromItem(item *verify.ItemResult) {
	f.test, f.rule, f.file = item.ID, "quote", repositoryPath(cmp.Or(item.File, item.SourceDoc, "-"))
	switch {
	case slices.Contains(aboutSource, item.Verdict):
		f.rule = "source"
	case strings.TrimSpace(item.Evidence) == "" || item.Verdict == verify.ValueMissing:
		f.rule = "value"
	}
	if p := item.Passage; p != nil {
		f.line = max(1, p.Line)
	}
}

// fillFromSurvival adds what survival says of an item. One without a passage is put into the first report.
func (f *finding) fillFromSurvival(item *survival.ItemResult, s *survival.Result) {
	f.rule = strings.ReplaceAll(item.Why, " ", "-")
	f.label = item.ID + " " + strings.TrimSpace(item.Priority+" "+item.Describe())
	if p := item.Passage; p != nil {
		f.file, f.line = repositoryPath(p.Report), max(1, p.Line)
	} else if len(s.Reports) > 0 {
		f.file = repositoryPath(s.Reports[0])
	}
}

// addPassed adds what a step looked at and had nothing against, and the run that it is about.
func (r *CI) addPassed(s *check.Step) {
	pass := func(f finding) { f.ok = true; r.findings = append(r.findings, f) }
	switch {
	case s.Gate != nil:
		r.run, r.seq = s.Gate.Run, s.Gate.Seq
		for _, rule := range rules["board gate"] {
			if hasRule(&s.Gate.Policy, rule.id) && !slices.ContainsFunc(s.Gate.Reasons, func(r board.Reason) bool {
				return r.Rule == rule.id
			}) {
				pass(finding{rule: rule.id, label: rule.text})
			}
		}
	case s.Verify != nil:
		r.run, r.seq = s.Verify.Run, s.Verify.Seq
		for i := range s.Verify.Items {
			if item := &s.Verify.Items[i]; !item.Doubted {
				f := finding{id: item.ID, label: item.ID + " " + item.Verdict, message: item.Content}
				f.fillFromItem(item)
				if !verify.Sound(item.Verdict) {
					f.skipped = "not checked: " + cmp.Or(item.Note, item.Verdict)
				}
				pass(f)
			}
		}
	case s.Conflicts != nil:
		if r.run, r.seq = s.Conflicts.Run, s.Conflicts.Seq; s.Conflicts.Total == 0 {
			pass(finding{rule: ruleConflict, label: "all contradictions between findings are on record"})
		}
	case s.Survival != nil:
		r.run, r.seq = s.Survival.Run, s.Survival.Seq
		for i := range s.Survival.Items {
			if item := &s.Survival.Items[i]; !item.IsMissing() {
				f := finding{id: item.ID, message: item.Content}
				f.fillFromSurvival(item, s.Survival)
				pass(f)
			}
		}
	case s.Trace != nil:
		r.run, r.seq = s.Trace.Run, s.Trace.Seq
		for _, p := range s.Trace.Passages {
			if p.Missing == 0 {
				pass(finding{rule: ruleFact, label: fmt.Sprintf("trace: line %d states only what was found", p.Line),
					message: p.Text, file: repositoryPath(p.Report), line: p.Line})
			}
		}
		if len(s.Trace.Facts) == 0 {
			pass(finding{rule: ruleFact, label: "the report states no fact"})
		}
	case s.HadInput() && len(r.findings) == 0:
		pass(finding{rule: s.Name, label: s.Headline})
	}
}

// hasRule reports whether a gate's policy has a rule.
func hasRule(p *board.Policy, rule string) bool {
	switch rule {
	case board.RuleEmpty:
		return p.MinEntries <= 0
	case board.RuleMinEntries:
		return p.MinEntries > 0
	case board.RuleMaxOpen:
		return p.MaxOpen != nil
	case board.RuleMaxDisputed:
		return p.MaxDisputed != nil
	case board.RuleConflicts:
		return p.MaxConflicts != nil
	case board.RuleSource:
		return p.RequireSource
	case board.RuleVerified:
		return p.RequireVerified
	case board.RuleAccepted:
		return p.RequireVerified && (p.Accept.Max != nil || !slices.Contains(p.Accept.Checks, check.Verify))
	case board.RuleEvidence:
		return p.RequireEvidence
	case board.RuleRan:
		return len(p.RequireRan)+len(p.RequireRanBy) > 0
	}
	return true
}

// warn adds what was dropped, and whether there was enough to look for.
func (r *CI) warn(s *survival.Result) {
	for _, d := range s.Dropped {
		r.notes = append(r.notes, fmt.Sprintf("%s need not surface: %s dropped that with %s: %s", d.ID,
			line(d.Worker, titleRunes), d.By, line(d.Reason, cellRunes)))
	}
	if s.Warning == "" {
		return
	}
	f := finding{rule: ruleEnough, label: s.Warning, warning: s.Warning, ok: true}
	if !s.Passed {
		f = finding{rule: ruleEnough, label: ruleEnough, cause: ruleEnough, message: s.Warning,
			clear: "post what was found, with --must what has to be in the report"}
		if s.Missing == 0 {
			r.headline = "survival failed: " + s.Warning
		}
	}
	if len(s.Reports) > 0 {
		f.file = repositoryPath(s.Reports[0])
	}
	r.findings = append(r.findings, f)
}
