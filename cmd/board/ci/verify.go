package ci

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/text"
	"blackboard/board/verify"
)

// ToVerify says what to do where nothing was checked, by the reason.
var ToVerify = map[string]string{
	verify.NoneNamesSource: "post findings with --source and --quote",
	verify.NoSourceFound:   "name their directory: --sources DIR, or `board source add DIR`",
	verify.NoneCheckable:   "post findings with --quote QUOTE",
}

// Verify turns a verification into a report: one finding for every entry that was held
// against its source, and one for every source that changed.
func Verify(v verify.Result, version string) Report {
	r := Report{tool: "board verify", version: version, run: v.Run, seq: v.Seq, ok: v.Passed,
		headline: fmt.Sprintf("verify passed: %s in their sources", text.Count(int64(v.Checked),
			"finding stands", "findings stand")),
		caveat: "That the sources are right, and that the findings follow from them, was not checked: a pass is necessary, not sufficient."}
	changed := 0
	for _, s := range v.Sources {
		if s.Changed {
			changed++
			r.findings = append(
				r.findings,
				finding{
					rule:    "source-changed",
					label:   s.Name,
					cause:   "changed",
					file:    repositoryPath(s.File),
					message: s.Name + " is another file than was registered",
					clear:   "read it again, and register it: board source add " + s.File,
				},
			)
		}
	}
	switch {
	case v.Doubted > 0:
		r.headline = fmt.Sprintf("verify failed: %d of %s doubted", v.Doubted,
			text.Count(int64(v.Checked), "finding", "findings"))
	case changed > 0:
		r.headline = fmt.Sprintf("verify failed: %s", text.Count(int64(changed), "source changed",
			"sources changed"))
	case !v.Passed:
		why := v.NothingChecked()
		r.headline = "verify failed: nothing was checked: " + why
		if len(v.Items) == 0 {
			r.findings = append(r.findings, finding{rule: "quote", label: "nothing was checked",
				cause: "nothing checked", message: why, clear: ToVerify[why]})
		}
	}
	if v.Unchecked > 0 && v.Checked > 0 {
		r.caveat = fmt.Sprintf("%s not checked: no source that can be read, or no quote and no values. ",
			text.Count(int64(v.Unchecked), "finding was", "findings were")) + r.caveat
	}
	for i := range v.Items {
		r.findings = append(r.findings, verified(&v.Items[i], v.Checked == 0))
	}
	return r.checked()
}

// aboutSource are the verdicts on the source of a finding, not on what it says.
var aboutSource = []string{verify.Ambiguous, verify.Unregistered, verify.Unknown, verify.NoFile,
	verify.NoSource}

// verified is the finding for one entry. What was not checked fails if nothing was.
func verified(item *verify.ItemResult, nothing bool) finding {
	f := finding{
		rule:    "quote",
		id:      item.ID,
		label:   item.ID + " " + item.Verdict,
		test:    item.ID,
		message: item.Content,
		ok: !item.Doubted &&
			(verify.Sound(item.Verdict) || !nothing),
		file: repositoryPath(cmp.Or(item.File, item.SourceDoc, "-")),
	}
	switch {
	case slices.Contains(aboutSource, item.Verdict):
		f.rule = "source"
	case strings.TrimSpace(item.Evidence) == "" || item.Verdict == verify.ValueMissing:
		f.rule = "value"
	}
	if p := item.Passage; p != nil {
		f.line = max(1, p.Line)
	}
	if f.ok {
		if !verify.Sound(item.Verdict) {
			f.skipped = "not checked: " + cmp.Or(item.Note, item.Verdict)
		}
		return f
	}
	f.cause, f.clear = item.Verdict, "read the source, and post what it says, superseding this one"
	if f.rule == "source" {
		f.clear = "register the source (board source add), or post the finding with the path of its source"
	}
	if item.Note != "" {
		f.details = append(f.details, line(item.Note, cellRunes))
	}
	if item.Evidence != "" {
		f.details = append(f.details, "quote: "+line(item.Evidence, cellRunes))
	}
	if item.Passage != nil {
		f.details = append(f.details, fmt.Sprintf("source, %s: %s", item.Passage.Where,
			line(item.Passage.Text, cellRunes)))
	}
	return f
}
