package documents

import (
	"html"
	"slices"
	"strings"
	"sync"
)

// readHTML takes the text out of HTML: what is shown, or if it is read whole also hidden
// elements, comments, scripts, and attributes that hold text. It reads tags as they come,
// builds no tree, and never fails.
func readHTML(name, text string, whole bool) *Document {
	p := htmlParser{text: newlines.Replace(text), line: 1, whole: whole}
	p.parse()
	return p.w.document(name)
}

type htmlParser struct {
	text    string
	at      int
	line    int // of the source, at place at
	w       writer
	b       strings.Builder // the line being read
	from    int             // the source line it begins on
	heading bool
	row     bool // in a table row
	pre     bool
	whole   bool
	noMore  [256]bool // characters that do not come any more
	open    htmlOpen
}

// htmlBlocks are the elements that begin and end a line, sorted.
var htmlBlocks = sync.OnceValue(func() []string {
	return strings.Fields(`address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure footer form
		h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol option p pre section summary table tbody tfoot thead tr ul`)
})

// htmlRaw are the elements whose text is not shown, and holds no tags.
var htmlRaw = []string{"script", "style", "template", "title", "noembed",
	"noframes", "iframe", "object"}

// htmlTexts are the attributes that hold text.
var htmlTexts = []string{"alt", "title", "content", "value", "placeholder", "label",
	"summary", "aria-label", "datetime"}

func (p *htmlParser) parse() {
	for p.at < len(p.text) {
		open := strings.IndexByte(p.text[p.at:], '<')
		if open < 0 {
			open = len(p.text) - p.at
		}
		p.add(p.take(open))
		if p.at == len(p.text) {
			break
		}
		switch rest := p.text[p.at:]; {
		case strings.HasPrefix(rest, "<!--"):
			p.comment()
		case strings.HasPrefix(rest, "<!"), strings.HasPrefix(rest, "<?"):
			p.skipPast(2, ">")
		default:
			if n := p.tagLength(rest); n > 0 {
				p.tag(p.take(n))
			} else { // a bare <, as in 3 < 4
				p.add(p.take(1))
			}
		}
	}
	p.flush()
}

// take returns the next n bytes.
func (p *htmlParser) take(n int) string {
	s := p.text[p.at : p.at+n]
	p.at += n
	p.line += strings.Count(s, "\n")
	return s
}

// skipPast goes on after the next mark that comes at least n bytes on.
func (p *htmlParser) skipPast(n int, mark string) {
	rest := p.text[p.at:]
	n = min(n, len(rest))
	if i := strings.Index(rest[n:], mark); i >= 0 {
		p.take(n + i + len(mark))
	} else {
		p.take(len(rest))
	}
}

// tagLength returns the length of the tag that s begins with, or 0 if it begins with
// none. Each search that fails is made only once, so that broken markup takes no longer
// than sound markup.
func (p *htmlParser) tagLength(s string) int {
	if len(s) < 2 || s[1] != '/' && !isLetter(s[1]) || s[1] == '/' &&
		(len(s) < 3 || !isLetter(s[2])) || p.noMore['>'] {
		return 0
	}
	for i := 1; i < len(s); i++ {
		c := s[i]
		if c == '>' {
			return i + 1
		}
		if (c == '"' || c == '\'') && s[i-1] == '=' && !p.noMore[c] {
			if j := strings.IndexByte(s[i+1:], c); j >= 0 {
				i += j + 1
			} else {
				p.noMore[c] = true
			}
		}
	}
	p.noMore['>'] = true
	return 0
}

// comment reads past a comment, and adds its lines if they count.
func (p *htmlParser) comment() {
	from, line := p.at, p.line
	p.skipPast(4, "-->")
	if p.whole {
		p.addAside(strings.TrimSuffix(p.text[from+4:p.at], "-->"), line)
	}
}

// addAside adds lines that are not part of the text around them.
func (p *htmlParser) addAside(text string, line int) {
	p.flush()
	for s := range strings.SplitSeq(text, "\n") {
		p.appendText(s, line)
		p.flush()
		line++
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (p *htmlParser) tag(tag string) {
	closing := tag[1] == '/'
	name := tagName(tag)
	attributes := tagAttributes(name, tag)
	if p.whole && !closing {
		for _, a := range attributes {
			if slices.Contains(htmlTexts, a[0]) && a[1] != "" {
				p.add(" " + a[1] + " ")
			}
		}
	}
	if slices.Contains(htmlRaw, name) && !closing && !strings.HasSuffix(tag, "/>") {
		from, line := p.at, p.line
		end := p.skipElement(name)
		if p.whole && name != "style" {
			p.addAside(p.text[from:end], line)
		}
		return
	}
	block := isBlock(name)
	switch {
	case closing:
		p.open.end(name)
	case !strings.HasSuffix(tag, "/>") && !slices.Contains(htmlVoid, name):
		p.open.start(name, block, !p.whole && isHidden(name, attributes))
	}
	switch {
	case name == "td" || name == "th":
		if !closing && p.b.Len() > 0 && p.open.hiding == 0 {
			p.b.WriteString(" | ")
		}
	case p.row && block && name != "tr" && name != "table":
		if p.b.Len() > 0 {
			p.b.WriteByte(' ') // a paragraph in a cell
		}
	case block:
		p.flush()
		p.row = name == "tr" && !closing
		p.heading = !closing && len(name) == 2 && name[0] == 'h' &&
			name[1] >= '1' && name[1] <= '6'
		if name == "pre" {
			p.pre = !closing
		}
	}
}

// skipElement goes on after the end tag of an element whose text is not shown, and
// returns where the text ends.
func (p *htmlParser) skipElement(name string) int {
	for p.at < len(p.text) {
		p.skipPast(0, "</")
		if n := len(name); p.at+n <= len(p.text) && strings.EqualFold(p.text[p.at:p.at+n], name) {
			end := p.at - len("</")
			p.skipPast(0, ">")
			return end
		}
	}
	return len(p.text)
}

// add adds text to the line, with single blanks; in <pre> its lines stay.
func (p *htmlParser) add(s string) {
	if s == "" || p.open.hiding > 0 {
		return
	}
	begin := p.line - strings.Count(s, "\n")
	s = html.UnescapeString(s)
	if p.pre {
		for i, line := range strings.Split(s, "\n") {
			if i > 0 {
				p.flush()
			}
			p.appendText(line, begin+i)
		}
		return
	}
	words := strings.Fields(s)
	if len(words) == 0 {
		if p.b.Len() > 0 {
			p.b.WriteByte(' ')
		}
		return
	}
	first := strings.Index(s, words[0])
	text := strings.Join(words, " ")
	if first > 0 {
		text = " " + text
	}
	if !strings.HasSuffix(s, words[len(words)-1]) {
		text += " "
	}
	p.appendText(text, begin+strings.Count(s[:first], "\n"))
}

func (p *htmlParser) appendText(s string, line int) {
	if p.b.Len() == 0 {
		s, p.from = strings.TrimLeft(s, " "), line
	}
	p.b.WriteString(s)
}

// flush ends the line.
func (p *htmlParser) flush() {
	if text := strings.Join(strings.Fields(p.b.String()), " "); text != "" {
		p.w.add(text, p.heading, p.from)
	}
	p.b.Reset()
}
