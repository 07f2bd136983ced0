package ci

import (
	"fmt"
	"strings"

	"blackboard/board/text"
	"blackboard/board/trace"
)

// ruleFact is the one rule of a trace.
const ruleFact = "unsupported-fact"

// Trace turns a trace into a report: a failed finding for every fact that nothing
// supports, a passed one for every passage whose facts are all supported.
func Trace(t trace.Result, version string) Report {
	r := Report{tool: "board trace", version: version, run: t.Run, seq: t.Seq, ok: t.Passed,
		headline: fmt.Sprintf("trace passed: %s supported", text.Count(int64(t.Checked), "fact",
			"facts")),
		caveat: "Words and numbers were compared, not meaning: a supported fact may still be wrong."}
	if !t.Passed {
		r.headline = fmt.Sprintf("trace: nothing supports %d of %s", t.Unsupported,
			text.Count(int64(t.Checked), "fact", "facts"))
	}
	for _, f := range t.Facts {
		if f.Verdict != trace.Unsupported {
			continue
		}
		n := finding{
			rule:    ruleFact,
			label:   f.Kind + " " + line(f.Text, titleRunes),
			cause:   f.Cause,
			message: t.Passages[f.Passage].Text,
			clear:   "post the finding with its source, correct the report, or take the fact out",
			file:    repositoryPath(f.Report),
			line:    f.Line,
		}
		n.details = append(n.details, f.Cause+": "+line(f.Text, cellRunes))
		if f.Why != "" {
			n.details = append(n.details, line(f.Why, cellRunes))
		} else if len(f.Entries) > 0 {
			n.details = append(n.details, "nearest: "+strings.Join(f.Entries, ", "))
		}
		r.findings = append(r.findings, n)
	}
	for _, p := range t.Passages {
		if p.Missing == 0 {
			r.findings = append(
				r.findings,
				finding{rule: ruleFact, label: fmt.Sprintf("trace: line %d states only what was found", p.Line), message: p.Text,
					file: repositoryPath(p.Report), line: p.Line, ok: true},
			)
		}
	}
	if len(t.Facts) == 0 {
		r.findings = append(r.findings, finding{rule: ruleFact,
			label: "the report states no fact", ok: true})
	}
	return r.checked()
}
