package topics

import (
	"strings"

	"blackboard/board/text"
)

// This file parses the markdown of a spec's sections: headings of all kinds, fenced code,
// comments. In doubt a line is a heading, even indented, quoted or in a list.

// mdLine is a line of a spec.
type mdLine struct {
	text      string
	level     int    // of a heading; 0 for other lines
	heading   string // the heading's text
	underline bool   // the line of = or - below a heading
	code      bool   // in a fenced block, or its fence
}

var (
	marker    = text.NewRegexp(`^\s*(?:>\s?|[-*+]\s+|\d{1,9}[.)]\s+)`)
	atx       = text.NewRegexp(`^\s*(#{1,6})(?:\s+(.*?)|(\pL.*?))?\s*#*\s*$`)
	htmlTitle = text.NewRegexp(`(?i)^\s*<h([1-6])[^>]*>(.*?)(?:</h[1-6]>.*)?$`)
	underline = text.NewRegexp(`^ {0,3}(=+|-+)\s*$`)
	fence     = text.NewRegexp("^\\s*(`{3,}|~{3,})(.*)$")
)

// stripMarkers returns a line without marks of quotes and lists, and whether a list's were there.
func stripMarkers(line string) (text string, listed bool) {
	for {
		m := marker.FindString(line)
		if m == "" {
			return line, listed
		}
		listed = listed || !strings.Contains(m, ">")
		line = line[len(m):]
	}
}

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
		inner, listed := stripMarkers(s)
		if m := atx.FindStringSubmatch(inner); m != nil {
			l.level, l.heading = len(m[1]), m[2]+m[3]
		} else if m := htmlTitle.FindStringSubmatch(inner); m != nil {
			l.level, l.heading = int(m[1][0]-'0'), m[2]
		} else if m := underline.FindStringSubmatch(s); m != nil && i > 0 &&
			lines[i-1].canBeHeading() {
			l.underline = true
			lines[i-1].heading, lines[i-1].level = lines[i-1].text, 2
			if m[1][0] == '=' {
				lines[i-1].level = 1
			}
		}
		if listed && l.level > 0 {
			l.level = 6 // a heading in a list is below all others
		}
	}
	return lines
}

// canBeHeading: whether - below makes this line a heading; after a list or a blank it is a rule.
func (l *mdLine) canBeHeading() bool {
	_, listed := stripMarkers(l.text)
	return !l.code && !l.underline && l.level == 0 && !listed && strings.TrimSpace(l.text) != ""
}

// fenceEnds finds the ends of fenced blocks. For each kind of fence it remembers the
// length from which on there is no end, so that no text takes long to read.
type fenceEnds struct{ none [2]int }

// end is the line that ends the fenced block begun at line i, or i. A fence without an end begins
// no block: else all that follows would be code.
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

// withoutComments removes HTML comments; one without an end reaches to the text's end.
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

// lastHeading returns the text of the last heading, "" if there is none.
func lastHeading(text string) string {
	last := ""
	for _, l := range readMarkdown(text) {
		if l.level > 0 {
			last = l.heading
		}
	}
	return strings.TrimSpace(last)
}
