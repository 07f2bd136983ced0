package prose

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"blackboard/board/lazyregexp"
	"blackboard/tui/cells"
	"blackboard/tui/styles"
)

const (
	// maxMarkdown is how many bytes of a text are shown: the most of a capsule.
	maxMarkdown = 64 << 10
	// maxNesting is how many nested lists and quotes are indented.
	maxNesting = 8
	// Limits of what a person writes. Beyond them, the parser would take seconds, so the
	// text is shown as it is.
	maxMarkers  = 16
	maxBrackets = 3000
)

// newMarkdown returns a parser for CommonMark without link definitions, which stay
// visible as text.
func newMarkdown() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...), parser.WithInlineParsers(parser.DefaultInlineParsers()...))
}

// markup is what makes a text of an agent markdown: a heading, a fence, an item of a list,
// a quote, the line below the head of a table, or strong words. In a text without any of
// these, asterisks and the like are what they are: count(*) and sum(*).
var markup = lazyregexp.New("(?m)^ {0,3}(#{1,6} |```|~~~|[-*+] |[0-9]{1,3}[.)] |> |" +
	"\\|?[ \\t]*:?-+:?[ \\t]*\\|)|\\*\\*[^* ][^*\n]*\\*\\*")

// Prose lays out a text of an agent, which is markdown if it looks like that. Its line
// breaks stay.
func (x *Writer) Prose(s string) {
	w := min(x.Width, Measure)
	if !markup.MatchString(s) {
		x.Text(s, "")
		return
	}
	x.Line(layOut(&layout{st: x.Styles, breaks: true, mark: x.Mark}, s, w)...)
}

// Markdown lays out a text in lines of at most w cells. Without colours and bold, the
// markup stays visible.
func Markdown(st *styles.Set, src string, w int) []string {
	return layOut(&layout{st: st}, src, w)
}

func layOut(m *layout, src string, w int) []string {
	more := len(src) - maxMarkdown
	if more > 0 {
		n := maxMarkdown
		for n > 0 && !utf8.RuneStart(src[n]) {
			n--
		}
		src = src[:n]
	}
	w = max(w, 1)
	m.src, m.plain = []byte(cells.Clean(src)), m.st.Mono || m.st.Bold.Render("x") == "x"
	var lines []string
	if overloaded(string(m.src)) {
		lines = m.wrap([]piece{{text: strings.TrimRight(string(m.src), "\n")}}, w)
	} else {
		lines = m.blocks(newMarkdown().Parse(text.NewReader(m.src)), w, 0, false)
	}
	if more > 0 {
		lines = append(lines, "")
		lines = append(lines, m.wrap([]piece{{text: fmt.Sprintf("… and %s more, which are not shown", cells.Plural(int64(more), "byte")), look: lookFaint}}, w)...)
	}
	return lines
}

// overloaded reports whether a text would slow down the parser.
func overloaded(src string) bool {
	if strings.Count(src, "[") > maxBrackets {
		return true
	}
	for line := range strings.Lines(src) {
		head := line[:len(line)-len(strings.TrimLeft(line, " >*+-.)0123456789"))]
		if strings.Count(head, ">") > maxMarkers || len(strings.Fields(head)) > maxMarkers {
			return true
		}
	}
	return false
}

// layout is a text during layout.
type layout struct {
	st      *styles.Set
	src     []byte
	inTable bool     // within a table, where bars end cells
	plain   bool     // no styles: the markup stays
	breaks  bool     // line breaks of a paragraph stay
	mark    []string // words to highlight
}

// blocks lays out the children of a block. A tight list has no empty lines.
func (m *layout) blocks(parent ast.Node, w, depth int, tight bool) []string {
	var out []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if len(out) > 0 && !tight {
			out = append(out, "")
		}
		out = append(out, m.block(n, w, depth)...)
	}
	return out
}

func (m *layout) block(n ast.Node, w, depth int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		spans := []piece{{text: strings.Repeat("#", n.Level) + " ", look: lookTitle}}
		return m.wrap(m.inline(spans, n, lookTitle, false), w)
	case *ast.ThematicBreak:
		return []string{m.paint(lookFaint, strings.Repeat("─", w))}
	case *ast.CodeBlock:
		return m.code(n.Lines(), w)
	case *ast.FencedCodeBlock:
		return m.fenced(n, w)
	case *ast.HTMLBlock:
		return m.html(n, w)
	case *ast.Blockquote:
		return m.indented(n, m.paint(lookFaint, "│ "), m.paint(lookFaint, "│ "), w, depth, false)
	case *ast.List:
		return m.list(n, w, depth)
	}
	if at := tableRuleAt(n, m.src); at > 0 {
		return m.table(n, at, w)
	}
	return m.wrap(m.inline(nil, n, 0, m.breaks || keepsLines(n, m.src)), w)
}

// indented lays out a block with a prefix: first for its first line, rest for the others.
// If too little width is left, the text is not indented: an item's mark gets a line of
// its own, and a quote's mark is left out.
func (m *layout) indented(n ast.Node, first, rest string, w, depth int, tight bool) []string {
	by := cells.Width(first)
	if depth >= maxNesting || w-by < 4 {
		lines := m.blocks(n, w, depth+1, tight)
		if first != rest && by <= w {
			lines = append([]string{first}, lines...)
		}
		return lines
	}
	lines := m.blocks(n, w-by, depth+1, tight)
	if len(lines) == 0 {
		return []string{first}
	}
	for i := range lines {
		lines[i] = rest + lines[i]
	}
	lines[0] = first + lines[0][len(rest):]
	return lines
}

func (m *layout) list(l *ast.List, w, depth int) []string {
	digits := len(fmt.Sprint(l.Start + l.ChildCount() - 1))
	var out []string
	number := l.Start
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		if len(out) > 0 && !l.IsTight {
			out = append(out, "")
		}
		mark := "• "
		if l.IsOrdered() {
			mark = fmt.Sprintf("%*d%c ", digits, number, l.Marker)
			number++
		}
		out = append(out, m.indented(item, m.paint(lookFaint, mark), strings.Repeat(" ", cells.Width(mark)), w, depth, l.IsTight)...)
	}
	return out
}

// code lays out preformatted lines. The rest of a long one follows after a mark.
func (m *layout) code(lines *text.Segments, w int) []string {
	var out []string
	for i := range lines.Len() {
		seg := lines.At(i)
		mark := "  "
		for _, part := range hardWrap(strings.TrimRight(cells.Clean(string(seg.Value(m.src))),
			"\n"), max(w-2, 1)) {
			out = append(out, m.cut(m.paint(lookFaint, mark)+m.paint(lookCode, part), w))
			mark = "↳ "
		}
	}
	return out
}

func (m *layout) fenced(n *ast.FencedCodeBlock, w int) []string {
	info := ""
	if n.Info != nil {
		info = m.literal(n.Info.Segment.Value(m.src))
	}
	body := m.code(n.Lines(), w)
	switch {
	case m.plain:
		body = append(m.wrap([]piece{{text: "```" + info}}, w), append(body, m.cut("```", w))...)
	case info != "":
		body = append(m.wrap([]piece{{text: info, look: lookFaint}}, w), body...)
	case len(body) == 0:
		return []string{""}
	}
	return body
}

// html shows HTML as text.
func (m *layout) html(n *ast.HTMLBlock, w int) []string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		b.Write(seg.Value(m.src))
	}
	if n.HasClosure() {
		b.Write(n.ClosureLine.Value(m.src))
	}
	return m.wrap([]piece{{text: strings.TrimRight(cells.Clean(b.String()), "\n"), look: lookFaint}}, w)
}

// tableRule is the line below the head of a table, which may begin without a bar.
var tableRule = lazyregexp.New(`^\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?\s*$`)

// keepsLines reports whether the line breaks of a paragraph have a meaning: in tables and
// link definitions.
func keepsLines(n ast.Node, src []byte) bool {
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		line := strings.TrimLeft(string(seg.Value(src)), " ")
		if strings.HasPrefix(line, "|") || strings.Contains(line, "|") && tableRule.MatchString(line) || strings.HasPrefix(line, "[") && strings.Contains(line, "]: ") {
			return true
		}
	}
	return false
}

// inline appends the inline content of a block.
func (m *layout) inline(to []piece, parent ast.Node, as look, keep bool) []piece {
	marked := func(n ast.Node, mark string, as look) {
		if !m.plain {
			mark = ""
		}
		to = append(to, piece{mark, as})
		to = m.inline(to, n, as, keep)
		to = append(to, piece{mark, as})
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			to = m.inlineText(to, n, as)
			switch {
			case n.HardLineBreak(), n.SoftLineBreak() && keep:
				to = append(to, piece{"\n", as})
			case n.SoftLineBreak():
				to = append(to, piece{" ", as})
			}
		case *ast.CodeSpan:
			to = append(to, piece{m.codeSpan(n), as | lookCode})
		case *ast.Emphasis:
			if n.Level == 1 {
				marked(n, "*", as|lookItalic)
			} else {
				marked(n, "**", as|lookBold)
			}
		case *ast.Link:
			from := len(to)
			to = m.inline(to, n, as|lookLink, keep)
			to = append(to, m.destination(to[from:], n.Destination, n.Title, as)...)
		case *ast.Image:
			to = append(to, piece{"image: ", as | lookFaint})
			from := len(to)
			to = m.inline(to, n, as, keep)
			to = append(to, m.destination(to[from:], n.Destination, n.Title, as)...)
		case *ast.AutoLink:
			to = append(to, piece{cells.Clean(string(n.Label(m.src))), as | lookLink})
		case *ast.RawHTML:
			to = append(to, piece{cells.Clean(string(n.Segments.Value(m.src))), as | lookFaint})
		default:
			to = m.inline(to, n, as, keep)
		}
	}
	return to
}

// inlineText appends a text; in a table, cell by cell.
func (m *layout) inlineText(to []piece, n *ast.Text, as look) []piece {
	source := n.Segment.Value(m.src)
	switch {
	case n.IsRaw():
		return append(to, piece{cells.Clean(string(source)), as})
	case !m.inTable:
		return append(to, piece{m.literal(source), as})
	}
	for i, part := range splitCells(string(source)) {
		if i > 0 {
			to = append(to, piece{cellEnd, as})
		}
		to = append(to, piece{m.literal([]byte(part)), as})
	}
	return to
}

// destination returns the target of a link, unless its text has it.
func (m *layout) destination(shown []piece, dest, title []byte, as look) []piece {
	var said strings.Builder
	for _, s := range shown {
		said.WriteString(s.text)
	}
	to := m.literal(dest)
	if len(title) > 0 {
		to = strings.TrimLeft(to+` "`+m.literal(title)+`"`, " ")
	}
	if to == "" || to == said.String() {
		return nil
	}
	return []piece{{" (" + to + ")", as | lookFaint}}
}

func (m *layout) codeSpan(n *ast.CodeSpan) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(m.src))
		}
	}
	s := strings.ReplaceAll(cells.Clean(b.String()), "\n", " ")
	switch {
	case !m.plain:
		return s
	case strings.Contains(s, "`"):
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

// escape matches the escapes in a text: \* and &amp;
var escape = lazyregexp.New("\\\\[!-/:-@\\[-`{-~]|&#?[0-9A-Za-z]{1,32};")

// literal returns a text with its escapes resolved, cleaned.
func (m *layout) literal(s []byte) string {
	return cells.Clean(escape.ReplaceAllStringFunc(string(s), func(e string) string {
		if e[0] == '\\' {
			return e[1:]
		}
		return html.UnescapeString(e)
	}))
}
