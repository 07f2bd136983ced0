package markdown

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"blackboard/board/text"
	"blackboard/board/words"
)

const (
	// sectionSize is the approximate most bytes of a section: a model reads some 256
	// tokens. A longer section is cut at headings below H2, between paragraphs and
	// between items of lists, unless it is only a little longer.
	sectionSize = 1500
	maxSection  = sectionSize * 4 / 3
	// maxBlock is the size from which a code block, table or paragraph is cut between its lines.
	maxBlock    = 6000
	MaxSections = 8000
	maxTitle    = 300
)

// Section is a part of a markdown document under an H1 or H2.
type Section struct {
	Title string // the document's title, then the headings: "Guide › Install"
	Body  string // including its heading
	Line  int    // first line, from 1
}

// Sections cuts a markdown document at its H1 and H2 headings outside code blocks, and long sections
// further, "(1 of 3)". A heading that only has headings below it is no section. A section's title is
// the document's, from front matter, its only H1 or the file name, and its headings. The fields of
// the front matter begin the first section, or are sections of their own if that gets too long.
func Sections(file, text string) []Section {
	meta, body, found := Split(text)
	line := 1
	doc, front := FileTitle(file), Front{}
	if found {
		line += strings.Count(meta, "\n") + 2
		front = ReadFront(text)
	}
	called := front.Title
	lines := strings.SplitAfter(body, "\n")
	headings := sectionHeadings(lines)
	if called != "" {
		doc = called
	}
	lone := called == "" && hasOnlyTitle(headings)
	var out []Section
	h1, h2 := "", ""
	start, first := line, 0 // of the section being read
	flush := func(end int) {
		section := strings.Join(lines[first:end], "")
		skipped := len(section) - len(strings.TrimLeft(section, "\n"))
		at := start + strings.Count(section[:skipped], "\n")
		title := doc
		if lone && h1 != "" {
			title = ""
		}
		out = append(out, cut(TitlePath(title, h1, h2), section[skipped:], at)...)
	}
	for i, h := range headings {
		if h.at > first && (i == 0 || !isParent(lines[first:h.at], headings[i-1], h)) {
			flush(h.at)
		}
		start, first = line+h.at, h.at
		if h.level == 1 {
			h1, h2 = h.text, ""
		} else {
			h2 = h.text
		}
	}
	flush(len(lines))
	out = slices.DeleteFunc(out, func(c Section) bool { return strings.TrimSpace(c.Body) == "" })
	switch {
	case front.Fields == "":
		return out
	case len(out) > 0 && len(front.Fields)+len(out[0].Body) <= sectionSize:
		out[0].Body, out[0].Line = front.Fields+"\n\n"+out[0].Body, 1
		return out
	}
	return slices.Concat(cut(doc, front.Fields, 1), out)
}

// isParent: the section has only its heading, which the titles of those below include.
func isParent(lines []string, heading, next sectionHeading) bool {
	return next.level > heading.level && heading.text != "" &&
		strings.TrimSpace(strings.Join(lines[heading.size:], "")) == ""
}

// H1 returns the first H1 of a text, and the text, without it if it begins with it.
func H1(text string) (title, rest string) {
	lines := strings.SplitAfter(text, "\n")
	for _, h := range sectionHeadings(lines) {
		if h.level == 1 && h.text != "" {
			if strings.TrimSpace(strings.Join(lines[:h.at], "")) == "" {
				text = strings.Join(lines[h.at+h.size:], "")
			}
			return h.text, text
		}
	}
	return "", text
}

// FileTitle returns a file's name. One that says nothing (index) follows the folder's.
func FileTitle(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	switch strings.ToLower(name) {
	case "readme", "index", "_index":
		if dir := filepath.Base(filepath.Dir(file)); dir != "." &&
			dir != string(filepath.Separator) {
			name = dir + " " + name
		}
	}
	return plainTitle(name)
}

type sectionHeading struct {
	at, level, size int // size is its number of lines
	text            string
}

func sectionHeadings(lines []string) (all []sectionHeading) {
	var code fence
	for i := 0; i < len(lines); i++ {
		if code.line(lines[i]) {
			continue
		}
		level, text, size := headingAt(lines, i)
		if level == 1 || level == 2 {
			all = append(all, sectionHeading{i, level, size, text})
			i += size - 1
		}
	}
	return all
}

// hasOnlyTitle reports whether the first heading is the only H1, and so the document's title.
func hasOnlyTitle(headings []sectionHeading) bool {
	return len(headings) > 0 && headings[0].level == 1 && headings[0].text != "" &&
		!slices.ContainsFunc(headings[1:], func(h sectionHeading) bool { return h.level == 1 })
}

// TitlePath joins titles, the outermost first. It leaves out a title whose words the next one has.
func TitlePath(titles ...string) string {
	path := ""
	for _, t := range slices.Backward(titles) {
		switch {
		case t == "" || hasAllWords(path, t):
		case path == "":
			path = t
		default:
			path = t + " › " + path
		}
	}
	return path
}

func hasAllWords(title, other string) bool {
	has := words.Split(title, "")
	return title != "" && !slices.ContainsFunc(
		words.Split(other, ""), func(w string) bool { return !slices.Contains(has, w) })
}

type fence struct {
	mark byte // ` or ~; 0 outside a code block
	n    int
}

// line reads the next line and reports whether it belongs to a code block.
func (f *fence) line(l string) bool {
	t := strings.TrimLeft(l, " ")
	indent := len(l) - len(t)
	n := 0
	for n < len(t) && (t[n] == '`' || t[n] == '~') && t[n] == t[0] {
		n++
	}
	switch {
	case f.mark != 0:
		if n >= f.n && t[0] == f.mark && indent < 4 && strings.TrimSpace(t[n:]) == "" {
			f.mark = 0
		}
		return true
	case n >= 3 && indent < 4 && !(t[0] == '`' && strings.Contains(t[n:], "`")):
		f.mark, f.n = t[0], n
		return true
	}
	return false
}

// headingAt reads the heading at a line: level (0: none), text, number of lines.
func headingAt(lines []string, i int) (level int, text string, size int) {
	l := strings.TrimRight(lines[i], " \t\n")
	t := strings.TrimLeft(l, " ")
	if len(l)-len(t) > 3 || t == "" {
		return 0, "", 0
	}
	for level < len(t) && t[level] == '#' {
		level++
	}
	if level > 0 {
		if rest := t[level:]; level <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			rest = strings.TrimSpace(rest)
			if bare := strings.TrimRight(rest, "#"); bare == "" || strings.HasSuffix(bare, " ") {
				rest = strings.TrimSpace(bare)
			}
			return level, plainTitle(rest), 1
		}
		return 0, "", 0
	}
	// A setext heading: a paragraph of one line, then = or -.
	if i+1 < len(lines) && (i == 0 || strings.TrimSpace(lines[i-1]) == "") &&
		!strings.ContainsAny(t[:1], "-*+>|=~`0123456789") {
		u := strings.TrimRight(lines[i+1], " \t\n")
		switch {
		case len(u) >= 2 && strings.Trim(u, "=") == "":
			return 1, plainTitle(t), 2
		case len(u) >= 2 && strings.Trim(u, "-") == "":
			return 2, plainTitle(t), 2
		}
	}
	return 0, "", 0
}

// plainTitle removes line breaks, control characters and addresses of links from a title.
func plainTitle(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	for _, m := range titleMarks {
		s = m.is.ReplaceAllString(s, m.becomes)
	}
	return strings.Join(strings.Fields(s), " ")
}

// titleMarks match markup in a heading: images, addresses of links, tags, emphasis.
var titleMarks = []struct {
	is      *text.Regexp
	becomes string
}{
	{text.NewRegexp(`!\[[^\]]*\](\([^)]*\)|\[[^\]]*\])`), " "},
	{text.NewRegexp(`\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])`), "$1"},
	{text.NewRegexp(`</?[a-zA-Z][^>]*>`), " "},
	{text.NewRegexp(`\{#[^}]*\}`), " "},
	{text.NewRegexp(`(\*\*|__)`), ""},
}

// cut makes one section, or several of one too long, titled by their headings.
func cut(title, section string, line int) []Section {
	section = strings.TrimRight(section, " \t\n")
	parts := []string{section}
	if len(section) > maxSection {
		parts = split(section)
	}
	var out []Section
	under := ""
	for i, p := range parts {
		t := title
		if len(parts) > 1 {
			below := headingsBelow(p)
			if under != "" && (len(below) == 0 || !strings.HasPrefix(p, "#")) {
				below = slices.Insert(below, 0, under)
			}
			if len(below) > 0 {
				under = below[len(below)-1]
				t = text.ClipBytes(title, maxTitle/2) + " › " + strings.Join(below, ", ")
			}
			t = fmt.Sprintf("%s (%d of %d)", text.ClipBytes(t, maxTitle-30), i+1, len(parts))
		}
		lead := len(p) - len(strings.TrimLeft(p, "\n"))
		out = append(out, Section{
			text.ClipBytes(t, maxTitle), strings.TrimRight(strings.TrimLeft(p, "\n"), " \t\n"),
			line + strings.Count(p[:lead], "\n")})
		line += strings.Count(p, "\n")
	}
	return out
}

// headingsBelow lists the headings of a text that are below H2.
func headingsBelow(text string) (all []string) {
	var code fence
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if code.line(l) {
			continue
		}
		if level, heading, _ := headingAt(lines, i); level > 2 && heading != "" {
			all = append(all, heading)
		}
	}
	return all
}

// split cuts a long section at the best places; the pieces joined are the section.
func split(section string) []string {
	var out []string
	piece := ""
	for _, b := range blocks(section) {
		full := len(piece)+len(b.text) > sectionSize
		if piece != "" && (full || b.heading && len(piece) > sectionSize/2) {
			out = append(out, piece)
			piece = ""
		}
		piece += b.text
	}
	if n := len(out); n > 0 && len(piece) < sectionSize/4 &&
		len(out[n-1])+len(piece) <= maxSection {
		out[n-1] += piece // a few words alone are not useful
	} else {
		out = append(out, piece)
	}
	return out
}

// block is a unit that is not divided, with the heading or line that introduces it.
type block struct {
	text    string
	heading bool // it begins with a heading
}

// blocks divides a section; a block larger than maxBlock is cut between or within lines.
func blocks(section string) []block {
	var all []block
	var b block
	var code fence
	headed, leads, blank := false, false, false // state of the previous lines
	lines := strings.SplitAfter(section, "\n")
	end := func() {
		if b.text != "" {
			all = append(all, b)
		}
		b = block{}
	}
	for i, l := range lines {
		inside := code.mark != 0
		level := 0
		if !code.line(l) {
			level, _, _ = headingAt(lines, i)
			inside = false
		}
		empty := strings.TrimSpace(l) == ""
		switch {
		case len(b.text)+len(l) > maxBlock, level > 2 && !headed:
			end()
		case !inside && !leads && !empty && (blank || isListItem(l)):
			end()
		}
		for len(l) > maxBlock {
			n := maxBlock
			for n > maxBlock-utf8.UTFMax && !utf8.RuneStart(l[n]) {
				n-- // stop there: binary data may have no start of a character
			}
			b.text, l = l[:n], l[n:]
			end()
		}
		b.heading = b.heading || b.text == "" && level > 0
		b.text += l
		if blank = empty; !empty {
			headed = level > 0
			leads = headed || !inside && strings.HasSuffix(strings.TrimSpace(l), ":")
		}
	}
	end()
	return all
}

// isListItem reports whether a line begins an item of a top-level list.
func isListItem(l string) bool {
	mark := strings.TrimLeft(l, "0123456789")
	if len(mark) < len(l) {
		return strings.HasPrefix(mark, ". ") || strings.HasPrefix(mark, ") ")
	}
	return strings.HasPrefix(l, "- ") || strings.HasPrefix(l, "* ") || strings.HasPrefix(l, "+ ")
}
