package cells

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"blackboard/board/text"
)

// maxMarkdown is how many bytes of a text are shown: the most of a capsule.
const maxMarkdown = 64 << 10

// What a line of markdown is.
var (
	fence   = text.NewRegexp("^ *(```|~~~)")
	heading = text.NewRegexp(`^ {0,3}#{1,6} `)
	rule    = text.NewRegexp(`^ {0,3}(=+|- *(- *){2,}|\* *(\* *){2,}|_ *(_ *){2,})$`)
	leads   = text.NewRegexp(`^ *(?:(?:[-*+]|[0-9]{1,3}[.)])(?: +|$)|> ?)*`)
	// alone is a line that stays one: the address of a link, and HTML
	alone = text.NewRegexp(`^ *(\[[^\]]+\]: |<[!/a-zA-Z])`)
	spans = text.NewRegexp("`[^`]+`|\\*\\*[^* ][^*]*\\*\\*")
	// markup makes an agent's text markdown: a heading, fence, list item, quote, table head's
	// underline or strong words. Without any, lines are what they are.
	markup = text.NewRegexp("(?m)^ {0,3}(#{1,6} |```|~~~|[-*+] |[0-9]{1,3}[.)] |> |" +
		"\\|?[ \\t]*:?-+:?[ \\t]*\\|)|\\*\\*[^* ][^*\n]*\\*\\*")
)

// Prose lays out an agent's text, markdown if it looks like it. Its line breaks stay.
func (x *Writer) Prose(s string) {
	if !markup.MatchString(s) {
		x.Text(s, "")
		return
	}
	m := layout{st: x.Styles, w: min(x.Width, Measure), breaks: true, mark: x.Mark}
	x.Line(m.lay(s)...)
}

// Markdown lays out a text in lines of w cells. Word marks stay, as nothing depends on colours;
// paragraphs are joined, columns aligned, mark's words highlighted.
func Markdown(st *Styles, src string, w int, mark ...string) []string {
	m := layout{st: st, w: max(w, 1), mark: mark}
	return m.lay(src)
}

// layout is a text during layout.
type layout struct {
	st     *Styles
	w      int
	breaks bool     // line breaks of a paragraph stay
	mark   []string // words to highlight
	out    []string

	// the paragraph that the next lines may belong to
	open bool
	lead string // the marks of a list or quote, and the blanks before it
	text []string
}

func (m *layout) lay(src string) []string {
	more := len(src) - maxMarkdown
	if more > 0 {
		n := maxMarkdown
		for n > 0 && !utf8.RuneStart(src[n]) {
			n--
		}
		src = src[:n]
	}
	lines := strings.Split(strings.TrimRight(Clean(src), "\n"), "\n")
	for i := 0; i < len(lines); {
		switch {
		case fence.MatchString(lines[i]):
			i = m.code(lines, i)
		case isTable(lines[i:]):
			i = m.table(lines, i)
		default:
			m.line(lines[i])
			i++
		}
	}
	m.end()
	if more > 0 {
		m.out = append(m.out, "")
		m.write(fmt.Sprintf("… and %s more, which are not shown", Plural(int64(more), "byte")),
			m.st.Faint)
	}
	return m.out
}

// line lays out a line that is neither code nor of a table.
func (m *layout) line(line string) {
	lead := leads.FindString(line)
	text := line[len(lead):]
	marked := strings.TrimSpace(lead) != ""
	quoted := m.open && lead == m.lead && strings.Trim(lead, "> ") == ""
	switch {
	case rule.MatchString(line):
		m.end()
		m.out = append(m.out, m.st.Faint.Render(strings.Repeat("─", m.w)))
		return
	case heading.MatchString(line):
		m.end()
		m.write(strings.TrimSpace(line), m.st.Title)
		return
	case text == "" && !marked:
		m.end()
		m.out = append(m.out, "")
		return
	case !m.open || m.breaks || text == "" || marked && !quoted,
		alone.MatchString(text):
		m.end()
		m.open, m.lead = true, lead
	}
	m.text = append(m.text, strings.TrimRight(strings.TrimSuffix(text, `\`), " "))
	if strings.HasSuffix(text, `\`) || strings.HasSuffix(text, "  ") {
		m.end()
	}
}

// end lays out the open paragraph. Its further lines stand below its first words.
func (m *layout) end() {
	if !m.open {
		return
	}
	first := strings.NewReplacer(">", "│", "-", "•", "*", "•", "+", "•").Replace(m.lead)
	text := strings.Join(m.text, " ")
	if Width(first) > m.w/2 { // there is no room to indent it
		text, first = strings.TrimSpace(strings.TrimSpace(m.lead)+" "+text), ""
	}
	rest := strings.Map(func(r rune) rune {
		if r == '│' {
			return r
		}
		return ' '
	}, first)
	for _, l := range m.wrap(text, m.w-Width(first)) {
		m.out = append(m.out, m.cut(m.paint(first, m.st.Faint)+m.inline(l, m.st.Plain)))
		first = rest
	}
	m.open, m.text = false, nil
}

func (m *layout) write(text string, as lipgloss.Style) {
	for _, l := range m.wrap(text, m.w) {
		m.out = append(m.out, m.paint(l, as))
	}
}

// inline paints a line, with the code and the strong words in it.
func (m *layout) inline(line string, as lipgloss.Style) string {
	var b strings.Builder
	from := 0
	for _, at := range spans.FindAllStringIndex(line, -1) {
		b.WriteString(m.paint(line[from:at[0]], as))
		look := as.Bold(true)
		if line[at[0]] == '`' {
			look = m.st.Info
		}
		b.WriteString(m.paint(line[at[0]:at[1]], look))
		from = at[1]
	}
	return b.String() + m.paint(line[from:], as)
}

func (m *layout) paint(s string, as lipgloss.Style) string {
	if s == "" {
		return s
	}
	return HighlightIn(s, m.mark, m.st, as.Render)
}

// code lays out fenced lines and returns the line after; a long one goes on after a mark.
func (m *layout) code(lines []string, i int) int {
	m.end()
	mark := fence.FindStringSubmatch(lines[i])[1]
	m.write(strings.TrimSpace(lines[i]), m.st.Faint)
	for i++; i < len(lines); i++ {
		if strings.HasPrefix(strings.TrimLeft(lines[i], " "), mark) {
			m.write(mark, m.st.Faint)
			return i + 1
		}
		before := "  "
		for part := range strings.SplitSeq(ansi.Hardwrap(lines[i], max(m.w-2, 1), true), "\n") {
			m.out = append(m.out, m.cut(m.st.Faint.Render(before)+m.paint(part, m.st.Info)))
			before = "↳ "
		}
	}
	return i
}

// wrap breaks a text into lines of at most w cells.
func (m *layout) wrap(s string, w int) (out []string) {
	for _, l := range Wrap(s, w) {
		if Width(l) > w { // wrapping may leave a line of hyphens as it is
			l = ansi.Hardwrap(l, max(w, 1), false)
		}
		for part := range strings.SplitSeq(l, "\n") {
			out = append(out, m.cut(part))
		}
	}
	return out
}

// cut ends a line that is too wide for even one character.
func (m *layout) cut(line string) string {
	if Width(line) > m.w {
		return ansi.Truncate(line, m.w, "")
	}
	return line
}
