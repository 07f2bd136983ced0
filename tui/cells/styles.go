package cells

import (
	"strings"

	"github.com/charmbracelet/lipgloss"

	"blackboard/board"
)

// Styles are the program's, each used with a word or sign: no screen depends on colours.
type Styles struct {
	Plain                                    lipgloss.Style // has no attributes
	Faint, Bold, Title, Focus, selected, Key lipgloss.Style
	Good, Warn, Bad, Info, Accent            lipgloss.Style
	Strike, Found, Badge                     lipgloss.Style
	Bar, BarGood, BarBad                     lipgloss.Style // of the last line

	Priority map[string]lipgloss.Style
	Kind     map[string]lipgloss.Style // by an entry's type

	Mono          bool   // no colours
	reversed      bool   // the selection is
	selectedBegin string // the escape sequence at the start of the selection
}

func looksOfValues(s *Styles) (priority, kind map[string]lipgloss.Style) {
	priority = map[string]lipgloss.Style{"critical": s.Bad.Bold(true), "high": s.Warn,
		"medium": s.Info, "low": s.Faint}
	kind = map[string]lipgloss.Style{board.Observation: s.Info, board.Analysis: s.Accent,
		board.Calculation: s.Good, board.Strategy: s.Key, board.Gap: s.Warn,
		board.Contradiction: s.Bad}
	return priority, kind
}

// Paint formats a text in the style of a value, if it has one.
func Paint(looks map[string]lipgloss.Style, value, text string) string {
	if st, ok := looks[value]; ok {
		return st.Render(text)
	}
	return text
}

func GateWord(open bool, reasons int) string {
	if open {
		return "● gate open"
	}
	return "● gate closed: " + Plural(int64(reasons), "reason")
}

// Heading is the line above a pane. A heavy line marks the focus without colours.
func (s *Styles) Heading(title, note string, w int, focused bool) string {
	line, look := "─", s.Faint
	if focused {
		line, look = "━", s.Focus
	}
	if note != "" {
		note = " " + note + " "
	}
	if Width(title)+Width(note)+6 > w {
		note = ""
	}
	title = Fit(title, min(Width(title), max(w-5, 0)))
	left := look.Render(line+line) + " " + s.TitleOf(title, focused) + " "
	rest := w - Width(left) - Width(note) - 1
	if rest < 0 {
		return Fit(left, w)
	}
	return left + look.Render(strings.Repeat(line, rest)) + s.Faint.Render(note) +
		look.Render(line)
}

// TitleOf renders a title, which is marked if its pane has the keys.
func (s *Styles) TitleOf(title string, focused bool) string {
	if focused {
		return s.Focus.Render(title)
	}
	return s.Title.Render(title)
}

// Pane is a heading and the lines below it: exactly h lines of w cells.
func (s *Styles) Pane(title, note string, body []string, w, h int, focused bool) []string {
	if h < 1 {
		return nil
	}
	return append([]string{s.Heading(title, note, w, focused)}, Fill(body, w, h-1)...)
}

// Box is a frame around lines of w cells, for overlays: it is four cells wider.
func (s *Styles) Box(title, note string, body []string, w int) []string {
	title = Fit(title, min(Width(title), w-4))
	top := "╭─ " + title + " " + strings.Repeat("─", max(w-Width(title)-1, 0)) + "╮"
	out := []string{s.Focus.Render(Fit(top, w+4))}
	side := s.Focus.Render("│")
	for _, l := range body {
		out = append(out, side+" "+Fit(l, w)+" "+side)
	}
	if note != "" {
		note = " " + Fit(note, min(Width(note), w-4)) + " "
	}
	return append(out, s.Focus.Render("╰─"+strings.Repeat("─", max(w-Width(note), 0))+note+"─╯"))
}
