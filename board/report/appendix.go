package report

import (
	"context"
	"fmt"
	"strings"

	"blackboard/board"
	"blackboard/board/survival"
	"blackboard/board/text"
)

// appendixSections are the headings of an appendix, by the reason why an item is in it.
var appendixSections = []struct{ why, title string }{
	{survival.WhyMustSurface, "Findings"},
	{survival.WhyContradiction, "Contradictions"},
	{survival.WhyOpen, "Open questions"},
	{survival.WhyWaived, "Questions left open"},
}

// Appendix writes, as Markdown, everything that a run's report must carry, word for word.
// At the end of a report it makes the report pass [board.Board.Survival]. Each content is
// on one line, and nothing in it can strike out, hide or reformat what follows.
func Appendix(ctx context.Context, b *board.Board) (string, error) {
	list, err := b.Items(ctx)
	if err != nil {
		return "", err
	}
	// These begin, within a line, what Markdown does not show as it is written.
	escapes := strings.NewReplacer("\\", "\\\\", "<", "&lt;", "~", "\\~", "`", "\\`", "[", "\\[", "|", "\\|")
	appendixText := func(s string) string { return escapes.Replace(text.OneLine(s)) }
	var out strings.Builder
	fmt.Fprintf(&out, "# Appendix: what run %s found\n", appendixText(b.Run()))
	for _, sec := range appendixSections {
		head := fmt.Sprintf("\n## %s\n\n", sec.title)
		for _, it := range list {
			if it.Why != sec.why {
				continue
			}
			out.WriteString(head)
			head = ""
			label := it.Type
			if label == "" {
				label = it.Priority
			}
			fmt.Fprintf(&out, "- %s, %s, %s: %s\n", it.ID, appendixText(label),
				appendixText(it.Worker), appendixText(it.Content))
			if it.Reason != "" {
				fmt.Fprintf(&out, "  (left open: %s)\n", appendixText(it.Reason))
			}
			out.WriteString("\n")
		}
	}
	return out.String(), nil
}
