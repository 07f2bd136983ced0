package verify

import (
	"slices"
	"strconv"
	"strings"

	"blackboard/board/text"
)

// reference is the place in the source that a finding names.
type reference struct {
	units   map[string][]span // "line", "page", "slide", …: any of these numbers
	sheet   string
	section []string // headings, in lower case words; numbers of sections
}

type span struct{ from, to int }

// What a reference says of a place.
const (
	unknown = iota // nothing that can be held against the source
	there
	elsewhere
)

var (
	refUnits = text.NewRegexp(
		`(?i)\b(lines?|ll?\.?|pages?|pp?\.?|slides?|cells?|paragraphs?|para\.?)\s*(\d{1,7})(?:\s*(?:-|–|to)\s*[Ll]?(\d{1,7}))?`,
	)
	// a file's line, and no time of day
	refColon = text.NewRegexp(`[^\s\d:]:(\d{1,7})(?::\d+)?(?:\s*[-–]\s*(\d{1,7}))?$`)
	refBare  = text.NewRegexp(`^#?[Ll]?(\d{1,7})(?::\d+)?(?:\s*[-–]\s*[Ll]?(\d{1,7}))?$`)
	refSheet = text.NewRegexp(`^'?([^!']+)'?!\$?[A-Za-z]{0,3}\$?\d*`)
)

// parseReference reads "42", "lines 3-9", "auth.go:42", "p. 7", "Totals!B7", "§ 4.2",
// "Install > Linux".
func parseReference(ref string) reference {
	r := reference{units: map[string][]span{}}
	ref = strings.TrimSpace(ref)
	if ref == "" {
		return r
	}
	add := func(unit, from, to string) {
		a, _ := strconv.Atoi(from) // at most seven digits
		b := a
		if to != "" {
			b, _ = strconv.Atoi(to)
		}
		r.units[unit] = append(r.units[unit], span{a, max(a, b)})
	}
	if m := refBare.FindStringSubmatch(ref); m != nil {
		for _, unit := range []string{"line", "page", "slide", "cell", "paragraph"} {
			add(unit, m[1], m[2])
		}
		return r
	}
	for _, m := range refUnits.FindAllStringSubmatch(ref, -1) {
		add(unitOf(m[1]), m[2], m[3])
	}
	if m := refColon.FindStringSubmatch(ref); m != nil && len(r.units) == 0 {
		add("line", m[1], m[2])
	}
	if m := refSheet.FindStringSubmatch(ref); m != nil {
		r.sheet = m[1]
	} else if len(ref) > 6 && strings.EqualFold(ref[:6], "sheet ") {
		r.sheet, _, _ = strings.Cut(ref[6:], ",")
		r.sheet = strings.Trim(r.sheet, "\"'“” ")
	}
	r.sheet = strings.ToLower(strings.TrimSpace(r.sheet))
	if len(r.units) == 0 && r.sheet == "" {
		for part := range strings.FieldsFuncSeq(ref,
			func(c rune) bool { return strings.ContainsRune(">›→;", c) }) {
			if s := headingWords(part); s != "" {
				r.section = append(r.section, s)
			}
		}
	}
	return r
}

func unitOf(s string) string {
	switch s = strings.ToLower(s); {
	case strings.HasPrefix(s, "para"):
		return "paragraph"
	case s[0] == 'l':
		return "line"
	case s[0] == 'p':
		return "page"
	}
	return strings.TrimSuffix(s, "s")
}

// headingWords is how headings are compared: in lower case, without marks and the word
// "section".
func headingWords(s string) string {
	fields := strings.FieldsFunc(strings.ToLower(s),
		func(r rune) bool { return r != '.' && classOf(r) != inWord })
	for len(fields) > 1 && slices.Contains([]string{"section", "sec.", "chapter", "the"},
		fields[0]) {
		fields = fields[1:]
	}
	return strings.Trim(strings.Join(fields, " "), ".")
}

// slackLines is the tolerance of a reference to a line, which often names the line
// above or below.
const slackLines = 2

// at returns there or elsewhere for a match, or unknown if the reference does not decide.
func (s *Source) at(r reference, m match) int {
	x := s.words()
	first, last := int(x.words[m.from].start), int(x.words[m.to-1].end)-1
	place := where(s.doc, first)
	unit, number, _ := strings.Cut(place, " ")
	n, err := strconv.Atoi(number)
	if err != nil { // Totals!B7
		sheet, _, _ := strings.Cut(strings.ToLower(place), "!")
		switch {
		case r.sheet == "":
			return unknown
		case strings.Trim(sheet, "'") == r.sheet:
			return there
		}
		return elsewhere
	}
	if spans := r.units[unit]; len(spans) > 0 {
		end, slack := n, 0
		if unit == "line" {
			end, slack = s.lastLine(last), slackLines
		}
		for _, span := range spans {
			if n <= span.to+slack && end >= span.from-slack {
				return there
			}
		}
		return elsewhere
	}
	if len(r.section) > 0 {
		return s.inSection(r.section, first)
	}
	return unknown
}

// lastLine returns the last source line of the line of text that holds a place: a
// paragraph of HTML is one line of text.
func (s *Source) lastLine(at int) int {
	text := s.words().text
	line := s.doc.Line(at)
	if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
		return max(line, s.doc.Line(at+end+1)-1)
	}
	return line
}

// inSection returns there if a place is under a heading, elsewhere if the heading is another one's, and unknown if
// there is no such heading. Of headings whose level is not known only the order counts.
func (s *Source) inSection(names []string, at int) int {
	name := names[len(names)-1]
	result := unknown
	under, level := false, 0
	for start, line := range s.doc.Lines() {
		if !s.doc.Heading(start) {
			continue
		}
		if start > at {
			break
		}
		marks := len(line) - len(strings.TrimLeft(line, "#"))
		if under && (marks == 0 || marks > level) {
			// A part of the section, for all that is known.
		} else {
			under = false
		}
		if h := headingWords(line); h == name ||
			strings.HasPrefix(h, name+" ") && strings.ContainsAny(name, "0123456789") {
			under, level = true, marks
		}
	}
	if under {
		return there
	}
	for start, line := range s.doc.Lines() {
		if s.doc.Heading(start) && headingWords(line) == name {
			result = elsewhere
		}
	}
	return result
}
