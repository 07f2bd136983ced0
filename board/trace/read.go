package trace

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"blackboard/board/documents"
	"blackboard/board/text"
)

// unit is a sentence, a heading or a row of a report, in which facts are read.
type unit struct {
	report     *documents.Document
	start, end int // in its text
	block      int // the paragraph, list or table that it stands in
	heading    bool
	row        int   // of a table, from 1; 0: no row. The header is row -1
	cells      []int // where the cells of a row begin
	header     int   // the unit of the table's header, or -1
	headings   []int // the units of the headings that it stands under, the nearest last
	before     int   // the unit before, in the same block, or that introduces a table; -1
}

func (u *unit) text() string { return u.report.Text()[u.start:u.end] }

// layout cuts a report into units.
type layout struct {
	report   *documents.Document
	units    []unit
	base     int // the first unit of the report
	block    int
	headings []int // by level
	levels   []int
	lines    []textLine
}

type textLine struct {
	start int
	text  string
}

var (
	listMark = text.NewRegexp(
		`^\s*(?:>\s*)*(?:[-*+•‣–]\s+(?:\[[ xX]\]\s+)?|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]\s+)?`)
	separator = text.NewRegexp(`^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$`)
	numbering = text.NewRegexp(
		`^#{0,6}\s*\**(?:(?:[Cc]hapter|[Ss]ection|[Pp]art|[Aa]ppendix|[Aa]nnex)\s+)?(?:\d{1,3}(?:\.\d{1,3})*|[A-Z]\.?\d*|[IVX]+)[.):]?\s+`,
	)
)

func (l *layout) read() {
	for start, text := range l.report.Lines() {
		l.lines = append(l.lines, textLine{start, text})
	}
	code := false
	for i := 0; i < len(l.lines); {
		line := l.lines[i]
		trimmed := strings.TrimSpace(line.text)
		switch {
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			code = !code
			i++
		case trimmed == "" || separator.MatchString(trimmed):
			i++
		case code:
			l.block++
			l.add(unit{start: line.start, end: line.start + len(line.text), row: 0})
			i++
		case l.report.Heading(line.start):
			l.heading(line, max(1, len(line.text)-len(strings.TrimLeft(line.text, "#"))))
			i++
		case boldLine.MatchString(trimmed):
			l.heading(line, boldLevel)
			i++
		case isRow(line.text):
			i = l.table(i)
		default:
			i = l.paragraph(i)
		}
	}
}

// add adds a unit. A very long one is cut where the window of a record would end, so
// that no fact stands in two windows.
func (l *layout) add(u unit) {
	u.report, u.block = l.report, l.block
	if u.header == 0 {
		u.header = -1
	}
	if !u.heading {
		u.headings = append([]int(nil), l.headings...)
	}
	text := l.report.Text()[:u.end]
	for {
		u.end, u.before = windowEnd(text, u.start), -1
		if n := len(l.units); n > l.base && l.units[n-1].block == l.block {
			u.before = n - 1
		}
		l.units = append(l.units, u)
		if u.start = u.end; u.start == len(text) {
			return
		}
	}
}

// boldLine is a line that is bold as a whole: a heading of those who write none. It is below all
// others.
var boldLine = text.NewRegexp(`^\*\*[^*|]{1,80}[^*|.]\*\*$`)

const boldLevel = 7

func (l *layout) heading(line textLine, level int) {
	for len(l.levels) > 0 && l.levels[len(l.levels)-1] >= level {
		l.levels, l.headings = l.levels[:len(l.levels)-1], l.headings[:len(l.headings)-1]
	}
	l.block++
	skip := len(numbering.FindString(line.text))
	l.add(unit{start: line.start + skip, end: line.start + len(line.text), heading: true})
	l.levels, l.headings = append(l.levels, level), append(l.headings, len(l.units)-1)
	l.block++
}

func isRow(text string) bool {
	t := strings.TrimSpace(text)
	return strings.HasPrefix(t, "|") && strings.Count(t, "|") > 1 || strings.Contains(t, " | ")
}

// table reads the rows from line i on, and returns the line after them.
func (l *layout) table(i int) int {
	intro := len(l.units) - 1
	if intro < l.base || l.units[intro].heading {
		intro = -1
	}
	l.block++
	first := i
	header, row := -1, 0
	for ; i < len(l.lines) && isRow(l.lines[i].text); i++ {
		line := l.lines[i]
		if separator.MatchString(line.text) {
			continue
		}
		u := unit{
			start:  line.start,
			end:    line.start + len(line.text),
			header: header,
			cells:  cells(line),
		}
		if i == first &&
			(i+1 < len(l.lines) && separator.MatchString(l.lines[i+1].text) ||
				!strings.ContainsAny(line.text, "0123456789")) {
			u.row = -1
			header = len(l.units)
			l.add(u)
			continue
		}
		row++
		u.row = row
		from := len(l.units)
		l.add(u)
		for k := from; k < len(l.units); k++ {
			if l.units[k].header = header; intro >= 0 {
				l.units[k].before = intro
			}
		}
	}
	l.block++
	return i
}

// cells returns where the cells of a row begin in the report's text.
func cells(line textLine) (at []int) {
	text := line.text
	from := len(text) - len(strings.TrimLeft(text, " \t"))
	if strings.HasPrefix(text[from:], "|") {
		from++
	}
	at = append(at, line.start+from)
	for i := from; i < len(text); i++ {
		if text[i] == '|' && (i == 0 || text[i-1] != '\\') &&
			strings.TrimSpace(text[i+1:]) != "" {
			at = append(at, line.start+i+1)
		}
	}
	return at
}

// paragraph reads a list item or a paragraph from line i on, and returns the line after it: lines that go on in the
// next are joined.
func (l *layout) paragraph(i int) int {
	line := l.lines[i]
	mark := len(listMark.FindString(line.text))
	if mark == 0 || len(l.units) == l.base || strings.TrimSpace(line.text[:mark]) == "" {
		l.block++
	}
	start, end := line.start+mark, line.start+len(line.text)
	i++
	for ; i < len(l.lines); i++ {
		next := l.lines[i]
		text := strings.TrimSpace(next.text)
		if text == "" || l.report.Heading(next.start) || isRow(next.text) ||
			strings.HasPrefix(text, "```") ||
			strings.TrimSpace(listMark.FindString(next.text)) != "" ||
			!goesOn(l.lines[i-1].text) {
			break
		}
		end = next.start + len(next.text)
	}
	text := l.report.Text()
	for at := start; at < end; {
		n := sentenceEnd(text[at:end])
		if strings.TrimSpace(text[at:at+n]) != "" {
			l.add(unit{start: at, end: at + n})
		}
		at += n
	}
	return i
}

// goesOn reports whether a line is so long that it was likely broken, not ended.
func goesOn(line string) bool {
	line = strings.TrimRight(line, " \t*_")
	return len(line) >= 40
}

// shortForms end with a full stop that ends no sentence.
var shortForms = lazySet(`e.g i.e vs dr mr mrs ms inc ltd co corp approx no nr st fig sec p pp cf
	etc ca jan feb mar apr jun jul aug sep sept oct nov dec a.m p.m u.s prof`)

// afterNumber reports whether a text ends with a number and blanks: what follows is a unit.
func afterNumber(text string) bool {
	text = strings.TrimRight(text, " \u00a0\u202f")
	return text != "" && text[len(text)-1] >= '0' && text[len(text)-1] <= '9'
}

// sentenceEnd returns where the first sentence of a text ends, with the blanks after
// it.
func sentenceEnd(text string) int {
	for i, r := range text {
		if !strings.ContainsRune(".!?。！？", r) {
			continue
		}
		rest := strings.TrimLeft(text[i+utf8.RuneLen(r):], "\"'”’)*_]")
		after := strings.TrimLeft(rest, " \t\n\v")
		if r < utf8.RuneSelf && (len(after) == len(rest) && rest != "") {
			continue
		}
		if after != "" && r == '.' {
			next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, "\"'“‘(*_`["))
			if unicode.IsLower(next) {
				continue
			}
			word := strings.ToLower(text[strings.LastIndexAny(text[:i], " \t\n(")+1 : i])
			if shortForms()[strings.Trim(word, "*_\"“(")] ||
				len(word) == 1 && unicode.IsLetter(rune(word[0])) && !afterNumber(text[:i-1]) {
				continue
			}
		}
		return len(text) - len(after)
	}
	return len(text)
}
