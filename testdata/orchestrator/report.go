package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"blackboard/board/check"
	"blackboard/board/documents"
	"blackboard/board/report"
)

// synthesise writes the report. A model would write it from the digest; here it is the findings,
// as they are. The draft forgets what was left open; survival notices, and the report is mended.
// Then all is checked, from the documents to the report.
func (o *orchestrator) synthesise(ctx context.Context) error {
	snapshot, err := o.board.Snapshot(ctx)
	if err != nil {
		return fmt.Errorf("read the board: %w", err)
	}
	d, err := report.NewDigest(snapshot, beforeSynthesis, report.DigestOptions{Budget: 8000})
	if err != nil {
		return fmt.Errorf("write the digest: %w", err)
	}
	digest := d.Text
	text := "# " + question + "\n\n## Findings\n\n" + required(digest, "! e")
	missing, err := o.survives(ctx, text)
	if err != nil {
		return err
	}
	if missing > 0 {
		text += "\n## Left open\n\n" + required(digest, "! s")
	}
	if err := o.holds(ctx, text); err != nil {
		return err
	}
	return os.WriteFile(o.report, []byte(text), 0o644)
}

// required lists what a digest says the report must have: findings, or questions.
func required(digest, mark string) string {
	var list strings.Builder
	for line := range strings.Lines(digest) {
		if strings.HasPrefix(line, mark) {
			head, says, _ := strings.Cut(line, ": ")
			fmt.Fprintf(&list, "- %s [%s]\n", strings.TrimSuffix(says, "\n"), strings.Fields(head)[1])
		}
	}
	return list.String()
}

// survives holds a report against the board, and returns how many items it lacks.
func (o *orchestrator) survives(ctx context.Context, text string) (missing int, err error) {
	s, err := o.board.Survival(ctx, documents.New(o.report, text))
	if err != nil {
		return 0, fmt.Errorf("check survival: %w", err)
	}
	fmt.Fprintf(o.out, "%s: %d of %d items present\n", o.report, s.Checked-s.Missing, s.Checked)
	for _, r := range s.Items {
		if !r.Present {
			fmt.Fprintf(o.out, "  %s  missing, %s: %s\n", r.ID, r.Cause, r.Content)
		}
	}
	return s.Missing, nil
}

// holds checks the run with a report, under the policy of the working directory if there is one.
func (o *orchestrator) holds(ctx context.Context, text string) error {
	f, err := check.FindPolicy(".")
	if err != nil {
		return fmt.Errorf("read the policy: %w", err)
	}
	in, err := check.Open(&f, nil, []string{o.folder})
	if err != nil {
		return fmt.Errorf("find the documents: %w", err)
	}
	in.Reports, in.Worker, in.Dir = []*documents.Document{documents.New(o.report, text)}, lead, "."
	r, err := check.Run(ctx, o.board, f, in)
	if err != nil {
		return fmt.Errorf("check the run: %w", err)
	}
	if err := check.Record(ctx, o.board, &r, &in); err != nil {
		return fmt.Errorf("record the verdict: %w", err)
	}
	fmt.Fprintf(o.out, "check of %s: passed: %t\n", r.Run, r.Passed)
	for _, s := range r.WorstFirst() {
		fmt.Fprintf(o.out, "  %s  passed: %t, %s\n", s.Name, s.Passed, s.Headline)
	}
	if !r.Passed {
		return errChecked
	}
	return nil
}
