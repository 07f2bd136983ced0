package checks

import (
	"fmt"
	"strings"

	"blackboard/board/survival"
	"blackboard/tui/cells"
	"blackboard/tui/page"
	"blackboard/tui/prose"
	"blackboard/tui/styles"
)

// carriedVerdict describes the result.
func carriedVerdict(st *styles.Set, s *survival.Result) string {
	switch {
	case s.Passed && s.Warning != "":
		return st.Warn.Render("✓ passed: there was nothing to check") +
			"  no entry must surface, no signal is open or waived"
	case s.Missing == 0 && s.Warning != "":
		return st.Bad.Render("✗ not passed") + ": " + s.Warning
	case s.Passed:
		return st.Good.Render("✓ passed") + ": " + cells.Plural(int64(s.Checked), "item") +
			" checked, none missing"
	}
	return st.Bad.Render("✗ not passed") + ": " + cells.Plural(int64(s.Checked), "item") +
		" checked, " + st.Bad.Render(cells.Count(int64(s.Missing))+" missing")
}

// tally counts the missing items by reason, and tells the limits of the check, if there
// is room.
func (p *CheckPage) tally(s *survival.Result) string {
	st := p.app.Styles
	said := []string{"necessary, not sufficient: words are compared, not meaning", "words are compared, not meaning", "words, not meaning"}
	var why []string
	for _, cause := range []string{survival.MissContradicted, survival.MissAbsent, survival.MissNumber, survival.MissScattered} {
		n := 0
		for i := range s.Items {
			if r := &s.Items[i]; r.IsMissing() && r.Cause == cause {
				n++
			}
		}
		if n > 0 {
			why = append(why, cells.Count(int64(n))+" "+cause)
		}
	}
	if s.Unsure > 0 {
		why = append(why, cells.Count(int64(s.Unsure))+" unsure")
	}
	if n := len(s.Dropped); n > 0 {
		why = append(why, cells.Count(int64(n))+" need not surface any more")
	}
	if len(why) == 0 {
		return cells.Fit(" "+st.Faint.Render(said[0]), p.Width)
	}
	left := " " + strings.Join(why, ", ")
	for _, words := range said {
		if cells.Width(left)+cells.Width(words)+3 <= p.Width {
			return cells.Spread(left, st.Faint.Render(words)+" ", p.Width)
		}
	}
	return cells.Fit(left, p.Width)
}

// carriedRow renders an item as a line.
func carriedRow(st *styles.Set, r *survival.ItemResult, w int) string {
	mark, state := st.Good.Render("✓"), "present"
	if r.Unsure {
		mark, state = st.Warn.Render("?"), "unsure"
	} else if !r.Present {
		mark, state = st.Bad.Render("✗"), r.Cause
	}
	why := ""
	if w >= 64 {
		why = cells.Fit(r.Why, 13) + " "
	}
	return cells.Fit(page.Columns(mark, cells.Fit(r.ID, 6), cells.Fit(state, 14),
		why+cells.OneLine(r.Content, page.RowRunes)), w)
}

// missingLines describes an item, for a page of w cells; closed means that a text editor
// cannot open the report.
func missingLines(a *page.App, it *survival.ItemResult, closed bool, w int) []prose.Line {
	st := a.Styles
	x := prose.NewWriter(st, w)
	if it.Unsure {
		x.Line(st.Warn.Render("? unsure: the passage may say it"))
	} else if it.Present {
		x.Line(st.Good.Render("✓ present"))
	} else {
		x.Line(st.Bad.Render("✗ missing: " + it.Cause))
	}
	switch it.Cause {
	case survival.MissScattered:
		x.Text("Its words are there, but in no one passage.", "")
	case survival.MissContradicted:
		x.Text("The passage says the opposite with its words, or calls it false.", "")
	}
	if len(it.Reasons) > 0 {
		x.Text(cells.Clean(strings.Join(it.Reasons, "; ")), "")
	}
	if len(it.Lacks) > 0 {
		x.Text("The passage leaves out "+cells.Clean(strings.Join(it.Lacks, ", "))+".", "")
	}
	why := it.Why
	if it.Priority != "" {
		why = it.Priority + " " + why
	}
	x.Text(why+" · by "+cells.OneLine(it.Worker, 60), "")
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
	if len(it.MissingTokens) > 0 {
		x.Heading("Words " + lacks)
		x.Text(strings.Join(it.MissingTokens, ", "), "  ")
	}
	if len(it.MissingNumbers) > 0 {
		x.Heading("Numbers " + lacks)
		x.Text(strings.Join(it.MissingNumbers, ", "), "  ")
	}
	if it.Passage == nil {
		x.Heading("The report has nothing similar")
		return x.Lines
	}
	where := page.ShownPath(a, it.Passage.Report)
	if closed {
		where += ", " + cells.Clean(it.Passage.Where)
	} else {
		where += fmt.Sprintf(":%d", it.Passage.Line)
	}
	facts := fmt.Sprintf("   %.0f %% of its words", 100*it.Coverage)
	if !closed {
		facts += "   o opens it"
	}
	x.Heading(map[bool]string{true: "Where", false: "Nearest passage"}[it.Present] +
		st.Faint.Render(facts))
	x.Line("  " + st.Key.Render(cells.FitLeft(where, min(cells.Width(where), max(x.Width-2, 1)))))
	for _, l := range carriedBy(it).mark(st,
		cells.Wrap(cells.Clean(it.Passage.Text), min(x.Width-2, prose.Measure))) {
		x.Line(st.Faint.Render("▏ ") + l)
	}
	return x.Lines
}
