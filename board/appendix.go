package board

import (
	"context"
	"fmt"
	"strings"

	"blackboard/board/store"
	"blackboard/board/survival"
	"blackboard/board/text"
)

// appendixSections are the headings of an appendix, by why an item is in it.
var appendixSections = []struct{ why, title string }{
	{survival.WhyMustSurface, "Findings"},
	{survival.WhyContradiction, "Contradictions"},
	{survival.WhyOpen, "Open questions"},
	{survival.WhyWaived, "Questions left open"},
}

// Appendix writes as Markdown what the board obliges its final artifact to carry, word for word, to
// stand at the end of a report: a report with it passes Survival. A content is put on one line,
// and nothing in it strikes, hides or renders what follows.
func (b *Board) Appendix(ctx context.Context) (string, error) {
	var run string
	var list []survival.Item
	err := b.read(ctx, func(tx *store.Tx) (err error) {
		run = b.run
		list, err = items(tx)
		return err
	})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# Appendix: what run %s found\n", appendixText(run))
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

// appendixEscapes are the characters that begin, within a line, what Markdown does not show as it
// is written.
var appendixEscapes = strings.NewReplacer("\\", "\\\\", "<", "&lt;",
	"~", "\\~", "`", "\\`", "[", "\\[", "|", "\\|")

// appendixText is a text on one line, as Markdown that shows it.
func appendixText(s string) string { return appendixEscapes.Replace(text.OneLine(s)) }
