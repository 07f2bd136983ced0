package topics

import (
	"strings"

	"blackboard/board/lazyregexp"
)

// This file reads as much of markdown as it takes to know a spec's sections: headings of all kinds, fenced code, comments. It errs towards headings: what is indented, quoted or in a list
// counts too.

// mdLine is a line of a spec.
type mdLine struct {
	text    string
	level   int    // of a heading; 0 for other lines
	heading string // what the heading says
	under   bool   // the line of = or - that makes a heading of the line before
	code    bool   // in a fenced block, or its fence
}

var (
	marker    = lazyregexp.New(`^\s*(?:>\s?|[-*+]\s+|\d{1,9}[.)]\s+)`)
	atx       = lazyregexp.New(`^\s*(#{1,6})(?:\s+(.*?)|(\pL.*?))?\s*#*\s*$`)
	htmlTitle = lazyregexp.New(`(?i)^\s*<h([1-6])[^>]*>(.*?)(?:</h[1-6]>.*)?$`)
	underline = lazyregexp.New(`^ {0,3}(=+|-+)\s*$`)
	fence     = lazyregexp.New("^\\s*(`{3,}|~{3,})(.*)$")
)

// unmarked is a line without the marks of quotes and lists before it, and whether there were any of a list.
func unmarked(line string) (text string, listed bool) {
	for {
		m := marker.FindString(line)
		if m == "" {
			return line, listed
		}
		listed = listed || !strings.Contains(m, ">")
		line = line[len(m):]
	}
}

// readMarkdown tells what the lines of a text are.
func readMarkdown(text string) []mdLine {
	texts := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	lines := make([]mdLine, len(texts))
	var open fenceEnds
	codeUntil := -1
	for i, s := range texts {
		l := &lines[i]
		l.text = s
		if i <= codeUntil {
			l.code = true
			continue
		}
		if end := open.end(texts, i); end > i {
			l.code, codeUntil = true, end
			continue
		}
		inner, listed := unmarked(s)
		if m := atx.FindStringSubmatch(inner); m != nil {
			l.level, l.heading = len(m[1]), m[2]+m[3]
		} else if m := htmlTitle.FindStringSubmatch(inner); m != nil {
			l.level, l.heading = int(m[1][0]-'0'), m[2]
		} else if m := underline.FindStringSubmatch(s); m != nil && i > 0 && lines[i-1].plain() {
			l.under = true
			lines[i-1].heading, lines[i-1].level = lines[i-1].text, 2
			if m[1][0] == '=' {
				lines[i-1].level = 1
			}
		}
		if listed && l.level > 0 {
			l.level = 6 // a heading in a list is one below all others
		}
	}
	return lines
}

// plain says whether a line of - below it makes it a heading: after a list or a blank line it is a rule.
func (l *mdLine) plain() bool {
	_, listed := unmarked(l.text)
	return !l.code && !l.under && l.level == 0 && !listed && strings.TrimSpace(l.text) != ""
}

// fenceEnds finds the ends of fenced blocks. For each sort of fence it keeps the length from which on there is none any more, so that no text takes long.
type fenceEnds struct{ none [2]int }

// end is the line that ends the fenced block which line i begins; i itself if it begins none. One without an end is none: else all that follows would pass for code.
func (f *fenceEnds) end(lines []string, i int) int {
	m := fence.FindStringSubmatch(lines[i])
	if m == nil || m[1][0] == '`' && strings.Contains(m[2], "`") {
		return i
	}
	sort, long := 0, len(m[1])
	if m[1][0] == '~' {
		sort = 1
	}
	if f.none[sort] > 0 && long >= f.none[sort] {
		return i
	}
	for j := i + 1; j < len(lines); j++ {
		if e := strings.TrimSpace(lines[j]); len(e) >= long && strings.Trim(e, m[1][:1]) == "" {
			return j
		}
	}
	f.none[sort] = long
	return i
}

// withoutComments is a text without its HTML comments; one that has no end goes to the end of the text.
func withoutComments(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "<!--")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, text, _ = strings.Cut(rest, "-->")
	}
}

// lastHeading is what the last heading of a text says, "" if it has none.
func lastHeading(text string) string {
	last := ""
	for _, l := range readMarkdown(text) {
		if l.level > 0 {
			last = l.heading
		}
	}
	return strings.TrimSpace(last)
}
