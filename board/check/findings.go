package check

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/survival"
	"blackboard/board/trace"
	"blackboard/board/verify"
)

// Finding is one failure or warning of a step.
type Finding struct {
	ID    string // of an entry or a signal, "" for none
	Other string // of a pair the newer entry, else ""
	Text  string // its subject
	Why   string // why it is listed

	Doubt string // its id; "" for what nobody can accept

	Report string // that states it, "" for none
	Line   int    // of the report

	TooMany bool // accepted doubts are, for the policy

	Clear string       // how to clear it
	Next  []fault.Step // the same as operations

	// One of these says all of it; none if a source has changed.
	Reason  *board.Reason
	Doubted *verify.ItemResult
	Pair    *board.Conflict
	Missing *survival.ItemResult
	Fact    *trace.Fact
	Passage *trace.Passage // of the fact
}

// Findings lists a step's findings in its order, the worst first.
func (s *Step) Findings() (all []Finding) {
	switch {
	case s.Ran != nil || s.Citations != nil:
		return s.provenFindings()
	case s.Gate != nil:
		for i := range s.Gate.Reasons {
			r := &s.Gate.Reasons[i]
			why := strings.TrimSpace(r.Rule + " " + r.Priority)
			if r.Claimed != "" {
				why += ", claimed by " + r.Claimed
			}
			all = append(all, Finding{ID: r.ID, Other: r.Other, Text: r.Content, Why: why,
				Clear: r.Clear, Next: r.Next, Reason: r})
		}
	case s.Verify != nil:
		all = doubtedFindings(s.Verify)
	case s.Conflicts != nil:
		for i := range s.Conflicts.Pairs {
			all = append(all, pairFinding(&s.Conflicts.Pairs[i]))
		}
	case s.Survival != nil:
		for i := range s.Survival.Items {
			if m := &s.Survival.Items[i]; m.IsMissing() {
				all = append(all, missingFinding(m))
			}
		}
	case s.Trace != nil:
		for i := range s.Trace.Facts {
			f := &s.Trace.Facts[i]
			if f.Verdict == trace.Unsupported && !f.IsUnsaid() || f.Verdict == trace.Source && !s.Passed {
				all = append(all, Finding{Text: f.Text, Why: f.Kind + ": " + f.Describe(),
					Report: f.Report, Line: f.Line, Fact: f, Passage: &s.Trace.Passages[f.Passage],
					Clear: "correct the report, or post the finding with its source",
					Next: []fault.Step{{Text: "correct the text"}, fault.Do("entry.post",
						"or post the finding: {}", "content", "…", "source_doc", "…")}})
			}
		}
	}
	if s.tooMany != "" {
		f := Finding{Text: "accepted doubts", Why: s.tooMany, TooMany: true}
		f.Clear, f.Next = board.RevokeSteps("…")
		all = append(all, f)
	}
	return all
}

// ToClear returns what has to be cleared for the step to pass: its findings and, if there was
// nothing to check, what has to be posted or named.
func (s *Step) ToClear() []Finding {
	all := s.Findings()
	switch v := s.Verify; {
	case v != nil && v.Checked == 0:
		for i := range v.Items {
			if item := &v.Items[i]; item.Verdict == verify.NothingToCheck {
				f := Finding{ID: item.ID}
				f.Clear, f.Next = Remedy(item)
				all = append(all, f)
			}
		}
		if why := v.NothingChecked(); len(all) == 0 {
			all = append(all, Finding{Clear: why, Next: VerifySteps(why)})
		}
	case s.Survival != nil && s.Survival.Warning != "" && !s.Passed:
		all = append(all, Finding{Clear: "post what was found, and mark what must surface", Next: []fault.Step{
			fault.Do("entry.post", "post what was found, and mark what the report has to carry: {}", "content",
				"…", "must_surface", "")}})
	}
	return all
}

// VerifySteps returns what makes the findings checkable, by the reason why verify had nothing to check.
func VerifySteps(why string) []fault.Step {
	switch why {
	case verify.NoneNamesSource:
		return []fault.Step{fault.Do("entry.post", "post findings with their source and a quote: {}", "content", "…",
			"source_doc", "…", "evidence", "…")}
	case verify.NoSourceFound:
		return []fault.Step{fault.Give("sources", "DIR", "name their directory: {}"),
			fault.Do("source.add", "or {}", "path", "DIR")}
	}
	return []fault.Step{fault.Do("entry.post", "post findings with a quote: {}", "content", "…", "evidence", "…")}
}

// InputStep returns how to give a step the input that is missing. Without it, the step has failed if the policy lists
// that input; otherwise it was skipped.
func (s *Step) InputStep() fault.Step {
	switch {
	case s.Name == Verify && s.Passed:
		return fault.Give("sources", "DIR", "{}, or list it under sources in "+PolicyName)
	case s.Name == Verify:
		return fault.Step{Text: "put the source files there, or name another directory"}
	case s.Passed:
		return fault.Do("run.check", "{}, or list it under reports in "+PolicyName, "report", "report.md")
	}
	return fault.Step{Text: "write the report where reports in " + PolicyName + " says"}
}

// missingFinding describes a missing item by its nearest passage.
func missingFinding(m *survival.ItemResult) Finding {
	f := Finding{ID: m.ID, Text: m.Content, Why: m.Why + ", " + m.Cause, Missing: m,
		Clear: "say it in the report", Doubt: m.Doubt}
	if len(m.Reasons) > 0 {
		f.Why += ": " + strings.Join(m.Reasons, "; ")
	} else if len(m.MissingNumbers) > 0 {
		f.Why += ": without " + strings.Join(m.MissingNumbers, ", ")
	}
	if m.Passage != nil {
		f.Report, f.Line = m.Passage.Report, m.Passage.Line
		f.Why += fmt.Sprintf("; line %d says: %s", f.Line, m.Passage.Text)
	}
	switch {
	case m.Why == survival.WhyOpen:
		f.Clear = "answer the question, or say in the report that it is open"
	case m.Why == survival.WhyWaived:
		f.Clear = "say in the report that the question is open"
	case m.Cause == survival.MissContradicted:
		f.Clear = "correct what the report says there, or supersede the finding if it no longer holds"
	}
	if m.Doubt != "" {
		f.Next = []fault.Step{{Text: f.Clear}, accept(m.Doubt)}
	}
	return f
}

// accept is the step that overrules a doubt.
func accept(doubt string) fault.Step {
	return fault.Do("doubt.accept", "or, if it is no fault, {}", "id", doubt, "reason", "…")
}

// doubtedFindings returns the findings of verify: changed sources, and entries that are not in their source.
func doubtedFindings(r *verify.Result) (all []Finding) {
	for _, s := range r.Sources {
		if s.Changed {
			all = append(all, Finding{Text: cmp.Or(s.Name, s.File),
				Why:   "has changed since it was registered",
				Clear: "register it again, and check the findings that rest on it"})
		}
	}
	listed := 0
	for i := range r.Items {
		item := &r.Items[i]
		if !item.Doubted {
			continue
		}
		why := item.Verdict
		if item.Note != "" {
			why += ": " + item.Note
		}
		f := Finding{ID: item.ID, Text: item.Content, Why: why, Doubted: item, Doubt: item.Doubt}
		f.Clear, f.Next = Remedy(item)
		all = append(all, f)
		listed++
	}
	if more := r.Doubted - listed; more > 0 {
		all = append(all, Finding{Text: count(more, "more finding is", "more findings are") +
			" doubted", Why: "not listed", Clear: "clear those that are listed first",
			Next: []fault.Step{fault.Do("entry.verify", "list all: {}")}})
	}
	return all
}

// Remedy says how to clear a doubt, in words and as operations. It also says how a
// finding that has nothing to check becomes one that can be.
func Remedy(item *verify.ItemResult) (clear string, next []fault.Step) {
	clear, next = mend(item)
	if item.Doubt != "" {
		if next == nil {
			next = fault.Steps(clear)
		}
		next = append(next, accept(item.Doubt))
	}
	return clear, next
}

func mend(item *verify.ItemResult) (clear string, next []fault.Step) {
	switch item.Verdict {
	case verify.Unregistered:
		return "register the source, or correct which one the finding names", nil
	case verify.Unknown: // the finding itself may be right
		return "add the file to the sources, or correct which one the finding names", []fault.Step{
			fault.Give("sources", "DIR", "name the directory of its source, too: {}"),
			Mend(item, "or, if the name is wrong, {}")}
	case verify.Ambiguous:
		return "correct it: name its source by the path",
			[]fault.Step{Mend(item, "name the source by its path: {}")}
	case verify.NothingToCheck:
		return "correct it: give a quote", []fault.Step{Mend(item, "give a quote: {}")}
	}
	return "correct it by what the source says",
		fault.Steps("read the source", Mend(item, "and correct it: {}"))
}

func pairFinding(p *board.Conflict) Finding {
	f := Finding{ID: p.A.ID, Other: p.B.ID, Text: p.A.Content + " / " + p.B.Content,
		Why: p.Why[0], Pair: p,
		Clear: "supersede the entry that is wrong, or settle the pair with a reason",
		Next: []fault.Step{
			fault.Do("entry.post", "{}", "content", "…", "supersedes", p.B.ID),
			fault.Do("entry.settle", "or, if both hold, {}",
				"entry", p.A.ID, "other", p.B.ID, "reason", "…")}}
	if p.Signal != "" {
		f.Next = slices.Insert(f.Next, 0,
			fault.Do("signal.address", "{}", "signal", p.Signal))
		f.Next[1].Text = "or {}"
	}
	return f
}

// Place names where a finding is: the report's file and the line of a fact, else the ids of the
// entries or of the signal; "" for none.
func (f *Finding) Place() string {
	switch {
	case f.Fact != nil:
		return fmt.Sprintf("%s:%d", filepath.Base(f.Report), f.Line)
	case f.Other != "":
		return f.ID + " " + f.Other
	}
	return f.ID
}

// In says how to clear the finding, in the words of an adapter if it has any.
func (f *Finding) In(words fault.Words) string {
	return cmp.Or(fault.Join(f.Next, words, ", "), f.Clear)
}

// Failed names the steps that did not pass.
func (r *Result) Failed() []string {
	return r.names(func(s *Step) bool { return !s.Passed })
}

// Skipped names the steps that passed without being done, in the order of a policy.
func (r *Result) Skipped() []string {
	return r.names(func(s *Step) bool { return s.Passed && s.Skipped })
}

func (r *Result) names(of func(*Step) bool) (names []string) {
	for _, name := range Steps {
		if s := r.Step(name); s != nil && of(s) {
			names = append(names, name)
		}
	}
	return names
}
