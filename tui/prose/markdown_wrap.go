package prose

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"blackboard/tui/cells"
	"blackboard/tui/styles"
)

// look is a set of styles of a piece of text.
type look uint8

const (
	lookBold look = 1 << iota
	lookItalic
	lookCode
	lookLink
	lookFaint
	lookTitle
)

// piece is a text with one look. Its line breaks are kept.
type piece struct {
	text string
	look look
}

// paint applies its look to a text, and highlights the words of mark.
func (m *layout) paint(as look, s string) string {
	if s == "" {
		return s
	}
	st := m.st
	if as == 0 {
		return styles.Highlight(st, s, m.mark)
	}
	style := m.st.Plain
	switch {
	case as&lookTitle != 0:
		style = st.Title
	case as&lookFaint != 0:
		style = st.Faint
	case as&lookCode != 0:
		style = st.Info
	case as&lookLink != 0:
		style = st.Key
	}
	style = paintMore(style, as)
	return styles.HighlightIn(s, m.mark, st, style.Render)
}

func paintMore(style lipgloss.Style, as look) lipgloss.Style {
	if as&lookBold != 0 {
		style = style.Bold(true)
	}
	if as&lookItalic != 0 {
		style = style.Italic(true)
	}
	return style
}

// wrap breaks pieces of text into lines of at most w cells, at blanks if possible. Each
// line has complete escape sequences.
func (m *layout) wrap(spans []piece, w int) []string {
	b := breaker{m: m, w: w}
	for _, s := range spans {
		for rest := s.text; rest != ""; {
			n := strings.IndexAny(rest, " \n")
			if n != 0 {
				if n < 0 {
					n = len(rest)
				}
				b.word = append(b.word, piece{rest[:n], s.look})
				rest = rest[n:]
				continue
			}
			b.endWord()
			if rest[0] == '\n' {
				b.endLine()
			} else {
				b.blanks = append(b.blanks, piece{" ", s.look})
			}
			rest = rest[1:]
		}
	}
	b.endWord()
	if len(b.line) > 0 || len(b.lines) == 0 {
		b.endLine()
	}
	return b.lines
}

// breaker breaks words into lines.
type breaker struct {
	m      *layout
	w      int
	lines  []string
	line   []piece
	used   int     // cells used in line
	blanks []piece // between line and word
	word   []piece
}

// endWord adds the word to the line, or to a new one; a word longer than a line is cut.
func (b *breaker) endWord() {
	if len(b.word) == 0 {
		return
	}
	size := 0
	for _, s := range b.word {
		size += cells.Width(s.text)
	}
	switch {
	case len(b.line) == 0:
	case b.used+len(b.blanks)+size > b.w:
		b.endLine()
	default:
		b.line = append(b.line, b.blanks...)
		b.used += len(b.blanks)
	}
	b.blanks = nil
	for _, s := range b.word {
		for i, part := range hardWrap(s.text, b.w) {
			n := cells.Width(part)
			if i > 0 || b.used+n > b.w && b.used > 0 {
				b.endLine()
			}
			b.line = append(b.line, piece{part, s.look})
			b.used += n
		}
	}
	b.word = nil
}

func (b *breaker) endLine() {
	var out strings.Builder
	for i := 0; i < len(b.line); {
		as := b.line[i].look
		var run strings.Builder
		for ; i < len(b.line) && b.line[i].look == as; i++ {
			run.WriteString(b.line[i].text)
		}
		out.WriteString(b.m.paint(as, run.String()))
	}
	b.lines = append(b.lines, b.m.cut(out.String(), b.w))
	b.line, b.used, b.blanks = nil, 0, nil
}

// avoids a loop where not even one character fits
func (m *layout) cut(line string, w int) string {
	if cells.Width(line) > w {
		return ansi.Truncate(line, w, "")
	}
	return line
}

// hardWrap cuts a text into pieces of at most w cells, at least one.
func hardWrap(s string, w int) []string {
	if cells.Width(s) <= w {
		return []string{s}
	}
	return strings.Split(ansi.Hardwrap(s, w, true), "\n")
}
