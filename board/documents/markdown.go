package documents

import (
	"strings"

	txt "blackboard/board/text"
)

// New returns a document of plain or Markdown text, without text that the rendered form
// does not show: comments, ~~struck~~ text, and text that HTML tags strike or hide.
func New(name, text string) *Document {
	p := markdownParser{}
	hidden := false
	for line := range strings.SplitSeq(newlines.Replace(txt.Plain(text)), "\n") {
		line, hidden = withoutComments(line, hidden)
		p.line(line)
	}
	p.flush()
	return p.w.document(name)
}

// NewSource returns a document of plain or Markdown text, all of it.
func NewSource(name, text string) *Document {
	var w writer
	for line := range strings.SplitSeq(newlines.Replace(txt.Plain(text)), "\n") {
		w.add(line, isMarkdownHeading(line), 0)
	}
	return w.document(name)
}

func markdown(name, text string, whole bool) *Document {
	if whole {
		return NewSource(name, text)
	}
	return New(name, text)
}

// newPlain makes a document of source code or data, which has no headings.
func newPlain(name, text string) *Document {
	var w writer
	w.addLines(text)
	return w.document(name)
}

// markdownParser reads Markdown by its paragraphs, as struck text ends within one. What
// is appended to a text as a new paragraph leaves what was there as it is.
type markdownParser struct {
	w         writer
	paragraph []string
	fence     string // what ends the code block that is read; "" outside
	until     string // the element that hides all up to its end tag; "" outside
}

func (p *markdownParser) line(line string) {
	if p.until != "" {
		end := "</" + p.until + ">"
		i := strings.Index(asciiLower(line), end)
		if i < 0 {
			p.w.add("", false, 0)
			return
		}
		line, p.until = line[i+len(end):], ""
	}
	trimmed := strings.TrimLeft(line, " ")
	fence := ""
	begins := strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")
	if begins && len(line)-len(trimmed) <= 3 {
		fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
		rest := trimmed[len(fence):]
		if fence[0] == '`' && strings.Contains(rest, "`") || p.fence != "" &&
			strings.TrimSpace(rest) != "" {
			fence = "" // code in a line, or no end
		}
	}
	if p.fence != "" {
		if strings.HasPrefix(fence, p.fence) {
			p.fence = ""
		}
		p.w.add(line, false, 0)
		return
	}
	blank, heading := strings.TrimSpace(line) == "", isMarkdownHeading(line)
	if blank || heading || fence != "" || startsBlock(trimmed) {
		p.flush()
		if p.until != "" { // the paragraph before hides this line as well
			p.line(line)
			return
		}
	}
	if blank || fence != "" {
		p.fence = fence
		p.w.add(line, false, 0)
		return
	}
	p.paragraph = append(p.paragraph, line)
	if heading {
		p.flush()
	}
}

// startsBlock reports whether a line is the first of a list's item or quotation, or a
// table's row.
func startsBlock(trimmed string) bool {
	switch trimmed[0] {
	case '>', '|':
		return true
	case '-', '*', '+':
		return len(trimmed) > 1 && trimmed[1] == ' '
	}
	digits := len(trimmed) - len(strings.TrimLeft(trimmed, "0123456789"))
	rest := trimmed[digits:]
	return digits > 0 && digits < 10 && (strings.HasPrefix(rest, ". ") ||
		strings.HasPrefix(rest, ") "))
}

// flush adds the paragraph without what is struck or hidden. Its lines stay, so that
// they count.
func (p *markdownParser) flush() {
	if len(p.paragraph) == 0 {
		return
	}
	heading := isMarkdownHeading(p.paragraph[0])
	text := strings.Join(p.paragraph, "\n")
	p.paragraph = p.paragraph[:0]
	if strings.Contains(text, "~~") || strings.Contains(text, "<") {
		s := struck{text: text}
		text, p.until = s.visible()
	}
	for line := range strings.SplitSeq(text, "\n") {
		p.w.add(line, heading, 0)
	}
}

// struck removes struck and hidden text from a paragraph. A mark that nothing closes is
// text.
type struck struct {
	text, lower string
	kept        strings.Builder
	noMore      map[string]bool // what is not found from here on
}

// visible returns the visible text, and the name of an element that also hides the
// following text.
func (s *struck) visible() (text, until string) {
	s.noMore = map[string]bool{}
	for i := 0; i < len(s.text); {
		n := 1
		switch c := s.text[i]; c {
		case '\\':
			n = min(2, len(s.text)-i)
		case '`':
			n = s.code(i)
		case '~':
			n = len(s.text[i:]) - len(strings.TrimLeft(s.text[i:], "~"))
			if end := s.struckEnd(i, n); end > 0 {
				s.hide(i, end)
				i = end
				continue
			}
		case '<':
			end, name := s.element(i)
			if end > 0 {
				s.hide(i, end)
				i = end
				continue
			}
			if name != "" {
				s.hide(i, len(s.text))
				return s.kept.String(), name
			}
		}
		s.kept.WriteString(s.text[i : i+n])
		i += n
	}
	return s.kept.String(), ""
}

// hide leaves only the line breaks.
func (s *struck) hide(from, to int) {
	s.kept.WriteString(strings.Repeat("\n", strings.Count(s.text[from:to], "\n")))
}

// find returns where a mark comes next, or -1. A search that fails is made only once.
func (s *struck) find(from int, mark string) int {
	if s.noMore[mark] {
		return -1
	}
	if s.lower == "" {
		s.lower = asciiLower(s.text)
	}
	i := strings.Index(s.lower[from:], mark)
	if i < 0 {
		s.noMore[mark] = true
		return -1
	}
	return from + i
}

// asciiLower keeps the places of all characters, as strings.ToLower does not.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// code returns the length of the code that begins at i, or of the backticks there.
func (s *struck) code(i int) int {
	n := len(s.text[i:]) - len(strings.TrimLeft(s.text[i:], "`"))
	mark := s.text[i : i+n]
	if s.noMore["code"+mark] {
		return n
	}
	for at := i + n; at < len(s.text); {
		j := strings.IndexByte(s.text[at:], '`')
		if j < 0 {
			break
		}
		at += j
		run := len(s.text[at:]) - len(strings.TrimLeft(s.text[at:], "`"))
		if at += run; run == n {
			return at - i
		}
	}
	s.noMore["code"+mark] = true
	return n
}

// struckEnd returns where the text that n tildes at i strike ends, or 0. One tilde
// stands for "about" too often to count, and three begin a code block.
func (s *struck) struckEnd(i, n int) int {
	if n != 2 || i+n == len(s.text) || strings.IndexByte(" \t\n", s.text[i+n]) >= 0 {
		return 0
	}
	for at := i + n; ; {
		j := s.find(at, "~~")
		if j < 0 {
			return 0
		}
		run := len(s.text[j:]) - len(strings.TrimLeft(s.text[j:], "~"))
		if run == 2 && strings.IndexByte(" \t\n", s.text[j-1]) < 0 {
			return j + 2
		}
		at = j + run
		if strings.IndexByte(s.text[at:], '~') < 0 {
			s.noMore["~~"] = true
		}
	}
}

// element returns where the element that begins at i ends if it strikes or hides its
// text; if it hides but does not end in the paragraph, its name.
func (s *struck) element(i int) (end int, name string) {
	if i+1 == len(s.text) || !isLetter(s.text[i+1]) {
		return 0, ""
	}
	close := s.find(i, ">")
	if close < 0 {
		return 0, ""
	}
	tag := s.text[i : close+1]
	name = tagName(tag)
	if !isHidden(name, tagAttributes(name, tag)) {
		return 0, ""
	}
	endTag := "</" + name + ">"
	if j := s.find(close, endTag); j >= 0 {
		return j + len(endTag), name
	}
	if isStruck(name) {
		return 0, ""
	}
	return 0, name
}

// withoutComments takes out what no reader of the rendered text sees: comments within
// the line, and comments that begin with a line and go on to the line that ends them,
// or to the end of the text. (A comment that begins within a line and does not end
// there is text, as in Markdown.) Whatever is appended to a text, what was visible
// stays so. hidden says whether such a comment goes on: from the line before, and to the next.
func withoutComments(line string, hidden bool) (string, bool) {
	const begin, end = "<!--", "-->"
	if hidden {
		_, rest, ended := strings.Cut(line, end)
		if !ended {
			return "", true
		}
		line = rest
	}
	if !strings.Contains(line, begin) {
		return line, false
	}
	var kept strings.Builder // built once: a line may have many comments
	for {
		before, rest, found := strings.Cut(line, begin)
		kept.WriteString(before)
		if !found {
			return kept.String(), false
		}
		_, after, ended := strings.Cut(rest, end)
		switch {
		case ended:
			line = after
		case strings.TrimSpace(kept.String()) == "":
			return "", true
		default:
			return kept.String() + line[len(before):], false
		}
	}
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// isMarkdownHeading reports whether a line is one such as "## Findings".
func isMarkdownHeading(line string) bool {
	level := len(line) - len(strings.TrimLeft(line, "#"))
	return level >= 1 && level <= 6 && level < len(line) &&
		(line[level] == ' ' || line[level] == '\t')
}
