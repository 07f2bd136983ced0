package tui

import (
	"fmt"
	"path/filepath"
	"strings"

	"blackboard/board"
)

func (p *survivalPage) setSize(w, h int) {
	p.w, p.h = w, h
	if p.pick != nil {
		p.pick.setSize(w, h)
	}
	body := h - 2 // the verdict above
	if w >= wide {
		p.left = rect{0, 2, w * 45 / 100, body}
		p.right = rect{p.left.w + 1, 2, w - p.left.w - 1, body}
	} else {
		p.left = rect{0, 2, w, body * 2 / 5}
		p.right = rect{0, 2 + p.left.h, w, body - p.left.h}
	}
	p.items.setSize(p.left.w, p.left.h-1)
	p.doc.setSize(p.right.w, p.right.h-1)
	p.compose()
}

func (p *survivalPage) view() []string {
	st := p.app.st
	switch {
	case p.pick != nil:
		return p.pick.view()
	case p.err != nil:
		lines := []string{st.bad.Render("✗ " + shownPath(p.app, p.report) + " could not be checked"), ""}
		lines = append(lines, wrap(strings.ReplaceAll(explain(p.err), p.report, shownPath(p.app, p.report)), p.w-2)...)
		lines = append(lines, "", st.faint.Render("r another report · ctrl+r checks it again · esc back"))
		return fill(indented(lines), p.w, p.h)
	case p.result == nil:
		return fill(indented([]string{"reading " + shownPath(p.app, p.report) + "…"}), p.w, p.h)
	}
	note := "necessary, not sufficient: words are compared, not meaning"
	lines := []string{spread(" "+p.verdict(), st.faint.Render(shownPath(p.app, p.report))+" ", p.w), fit(" "+st.faint.Render(note), p.w)}
	title := "All items"
	if p.missing {
		title = "Missing items"
	}
	items := st.pane(title, p.items.place(), p.items.view(!p.inDoc), p.left.w, p.left.h, !p.inDoc)
	about := p.chosen()
	if about == "" {
		about = "No item"
	}
	text := st.pane(about, p.doc.more(), p.doc.view(), p.right.w, p.right.h, p.inDoc)
	if p.w >= wide {
		return append(lines, beside(st.faint.Render("│"), items, text)...)
	}
	return append(append(lines, items...), text...)
}

func indented(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = " " + l
	}
	return out
}

// verdict is the answer in words.
func (p *survivalPage) verdict() string {
	st, s := p.app.st, p.result
	switch {
	case s.Checked == 0:
		return st.warn.Render("✓ passed: there was nothing to check") + "  no entry must surface, no signal is open or waived"
	case s.Passed:
		return st.good.Render("✓ passed") + ": " + plural(int64(s.Checked), "item") + " checked, none missing"
	}
	return st.bad.Render("✗ not passed") + ": " + plural(int64(s.Checked), "item") + " checked, " + st.bad.Render(count(int64(s.Missing))+" missing")
}

// row is an item in a line.
func (p *survivalPage) row(i, w int) string {
	st, r := p.app.st, &p.result.Items[p.shown[i]]
	mark, state := st.good.Render("✓"), "present"
	if !r.Present {
		mark, state = st.bad.Render("✗"), r.Cause
	}
	why := ""
	if w >= 64 {
		why = fit(r.Why, 13) + " "
	}
	return fit(columns(mark, fit(r.ID, 6), fit(state, 14), why+oneLine(r.Content, rowRunes)), w)
}

// compose writes the text about the chosen item. It is done when something changed, not for each view.
func (p *survivalPage) compose() {
	p.items.empty = ""
	if p.result != nil {
		p.items.empty = "The run has no must-surface entry, no contradiction, and no open or waived signal: there is nothing that a report must carry."
		if p.result.Checked > 0 {
			p.items.empty = "nothing is missing; f shows all items"
		}
	}
	it := p.item()
	if it == nil {
		p.carried = nil
		p.doc.setLines(nil)
		return
	}
	if p.carried == nil || p.carried.id != it.ID {
		p.carried = carriedBy(it)
		p.doc.top = 0
	}
	p.doc.setLines(p.itemLines(it))
}

func (p *survivalPage) itemLines(it *board.ItemResult) []docLine {
	st := p.app.st
	x := &writer{st: st, w: p.right.w}
	if it.Present {
		x.line(st.good.Render("✓ present"))
	} else {
		x.line(st.bad.Render("✗ missing: " + it.Cause))
	}
	why := it.Why
	if it.Priority != "" {
		why = it.Priority + " " + why
	}
	x.text(why+" · by "+oneLine(it.Worker, 60), "")
	x.line("")
	x.text(it.Content, "")
	if it.Reason != "" {
		x.heading("Waived, because")
		x.text(it.Reason, "▏ ")
	}
	if len(it.MissingTokens) > 0 {
		x.heading("Words that are not there")
		x.text(strings.Join(it.MissingTokens, ", "), "  ")
	}
	if len(it.MissingNumbers) > 0 {
		x.heading("Numbers that are not there")
		x.text(strings.Join(it.MissingNumbers, ", "), "  ")
	}
	if it.Passage == nil {
		x.heading("Nothing like it is in the report")
		return x.lines
	}
	where := fmt.Sprintf("%s:%d", shownPath(p.app, it.Passage.Report), it.Passage.Line)
	x.heading(map[bool]string{true: "Where", false: "Nearest passage"}[it.Present] + st.faint.Render(fmt.Sprintf("   %.0f %% of its words   e opens it", 100*it.Coverage)))
	x.line("  " + st.key.Render(fitLeft(where, min(width(where), max(x.w-4, 1)))))
	for _, l := range p.carried.mark(st, wrap(clean(it.Passage.Text), x.w-4)) {
		x.line(st.faint.Render("▏ ") + l)
	}
	return x.lines
}

// shownPath is a path as it is shown: from the directory of the files on if it is below, else from the home directory.
func shownPath(a *app, path string) string {
	if rel, err := filepath.Rel(a.Files, path); err == nil && filepath.IsLocal(rel) {
		return oneLine(rel, rowRunes)
	}
	if a.Home != "" {
		if rel, err := filepath.Rel(a.Home, path); err == nil && filepath.IsLocal(rel) {
			return "~" + string(filepath.Separator) + oneLine(rel, rowRunes)
		}
	}
	return oneLine(path, rowRunes)
}
