package tui

import (
	"strings"

	"github.com/charmbracelet/lipgloss"

	"blackboard/board"
	"blackboard/tui/cells"
)

// styles are all styles of the program. Each is used with a word or a sign, so that no
// screen depends on colours.
type styles struct {
	faint, bold, title, focus, selected, key lipgloss.Style
	good, warn, bad, info, accent            lipgloss.Style
	strike, found, badge                     lipgloss.Style
	bar, barGood, barBad                     lipgloss.Style // of the last line

	priority map[string]lipgloss.Style
	kind     map[string]lipgloss.Style // by an entry's type

	mono          bool   // no colours
	selectedBegin string // the escape sequence at the start of the selection
}

// looksOfValues are the styles of priorities and types of entries.
func looksOfValues(s *styles) (priority, kind map[string]lipgloss.Style) {
	priority = map[string]lipgloss.Style{"critical": s.bad.Bold(true), "high": s.warn, "medium": s.info, "low": s.faint}
	kind = map[string]lipgloss.Style{board.Observation: s.info, board.Analysis: s.accent, board.Calculation: s.good, board.Strategy: s.key, board.Gap: s.warn, board.Contradiction: s.bad}
	return priority, kind
}

// paint formats a text in the style of a value, if it has one.
func paint(looks map[string]lipgloss.Style, value, text string) string {
	if st, ok := looks[value]; ok {
		return st.Render(text)
	}
	return text
}

// lightWord describes the state of the gate.
func lightWord(open bool, reasons int) string {
	if open {
		return "● gate open"
	}
	return "● gate closed: " + cells.Plural(int64(reasons), "reason")
}

// heading is the line above a pane. A heavy line marks the focus without colours.
func (s *styles) heading(title, note string, w int, focused bool) string {
	line, look := "─", s.faint
	if focused {
		line, look = "━", s.focus
	}
	if note != "" {
		note = " " + note + " "
	}
	if cells.Width(title)+cells.Width(note)+6 > w {
		note = ""
	}
	title = cells.Fit(title, min(cells.Width(title), max(w-5, 0)))
	left := look.Render(line+line) + " " + s.titleOf(title, focused) + " "
	rest := w - cells.Width(left) - cells.Width(note) - 1
	if rest < 0 {
		return cells.Fit(left, w)
	}
	return left + look.Render(strings.Repeat(line, rest)) + s.faint.Render(note) + look.Render(line)
}

func (s *styles) titleOf(title string, focused bool) string {
	if focused {
		return s.focus.Render(title)
	}
	return s.title.Render(title)
}

// pane is a heading and the lines below it: exactly h lines of w cells.
func (s *styles) pane(title, note string, body []string, w, h int, focused bool) []string {
	if h < 1 {
		return nil
	}
	return append([]string{s.heading(title, note, w, focused)}, cells.Fill(body, w, h-1)...)
}

// box is a frame around lines of w cells, for overlays.
func (s *styles) box(title, note string, body []string, w int) []string {
	title = cells.Fit(title, min(cells.Width(title), w-4))
	top := "╭─ " + title + " " + strings.Repeat("─", max(w-cells.Width(title)-1, 0)) + "╮"
	out := []string{s.focus.Render(cells.Fit(top, w+4))}
	side := s.focus.Render("│")
	for _, l := range body {
		out = append(out, side+" "+cells.Fit(l, w)+" "+side)
	}
	if note != "" {
		note = " " + cells.Fit(note, min(cells.Width(note), w-4)) + " "
	}
	return append(out, s.focus.Render("╰─"+strings.Repeat("─", max(w-cells.Width(note), 0))+note+"─╯"))
}
