package runs

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"blackboard/board/survival"
	"blackboard/board/verify"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// missingLines describes an item, for w cells; closed: a text editor cannot open the report.
func missingLines(a *page.App, it *survival.ItemResult, closed bool, w int) []cells.Line {
	st := a.Styles
	x := cells.NewWriter(st, w)
	switch {
	case it.Unsure:
		x.Line(st.Warn.Render("? unsure: the passage may say it"))
	case it.Present:
		x.Line(st.Good.Render("✓ present"))
	default:
		x.Line(st.Bad.Render("✗ missing: " + it.Cause))
	}
	switch it.Cause {
	case survival.MissScattered:
		x.Text("Its words are there, but in no one passage.", "")
	case survival.MissContradicted:
		x.Text("The passage says the opposite with its words, or calls it false.", "")
	}
	if len(it.Reasons) > 0 {
		x.Text(strings.Join(it.Reasons, "; "), "")
	}
	if len(it.Lacks) > 0 {
		x.Text("The passage leaves out "+strings.Join(it.Lacks, ", ")+".", "")
	}
	x.Text(strings.TrimSpace(it.Priority+" "+it.Why)+" · by "+cells.OneLine(it.Worker, 60), "")
	x.Line("")
	x.Text(it.Content, "")
	if it.Reason != "" {
		x.Heading("Waived, because")
		x.Text(it.Reason, "▏ ")
	}
	lacks := "that are not there"
	if it.Passage != nil {
		lacks = "that the passage below lacks"
	}
	for i, all := range [][]string{it.MissingTokens, it.MissingNumbers} {
		if len(all) > 0 {
			x.Heading([]string{"Words ", "Numbers "}[i] + lacks)
			x.Text(strings.Join(all, ", "), "  ")
		}
	}
	if it.Passage == nil {
		x.Heading("The report has nothing similar")
		return x.Lines
	}
	where := verify.At(page.ShownPath(a, it.Passage.Report), cells.Clean(it.Passage.Where))
	facts := fmt.Sprintf("   %.0f %% of its words", 100*it.Coverage)
	if !closed {
		facts += "   o opens it"
	}
	x.Heading(map[bool]string{true: "Where", false: "Nearest passage"}[it.Present] + st.Faint.Render(facts))
	x.Line("  " + st.Key.Render(cells.FitLeft(where, min(cells.Width(where), max(x.Width-2, 1)))))
	x.Mark = carried(it)
	x.Text(it.Passage.Text, "▏ ")
	return x.Lines
}

// carried returns the words of the nearest passage that the item requires, by the rules of the
// check: inflected words and other forms of numbers match.
func carried(it *survival.ItemResult) (words []string) {
	text := cells.Clean(it.Passage.Text)
	for _, at := range survival.Carried(it.Content, text) {
		word := text[at.From:at.To]
		if utf8.RuneCountInString(word) > 2 || strings.ContainsAny(word, "0123456789") { // a shorter one is a part of many
			words = append(words, word)
		}
	}
	return words
}
