package parse

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"blackboard/board/documents"
	"blackboard/board/text"
)

// A Statement is a sentence of prose, a row of a table or a line of a program.
type Statement struct {
	Text      string
	Line, End int      // its lines, from 1
	At        int      // where its text begins in its document
	Block     int      // statements of one paragraph or table have one number
	Heads     []string // headings and lead-ins that it stands under
	Cells     []Cell   // of a row
	Cites     []string // the entries whose handles stand with it (see ExtractCiting)
	Title     bool     // a heading: only ReadTitled gives them
	Header    bool     // the row that says what the columns of its table are
}

// A Cell is a cell of a table with what the table says about it.
type Cell struct {
	Text   string
	Label  string // the first cell of its row
	Header string // the header of its column
	Corner string // the header of the first column, which often has the unit of all
	Next   string // the text of the cell behind it
	Column int
}

var (
	reHeading = text.NewRegexp(`^(#{1,7})\s+(.*?)\s*#*$`)
	// reBold is a line that is bold as a whole: a heading below all others.
	reBold      = text.NewRegexp(`^\*\*[^*|]{1,80}[^*|.]\*\*$`)
	reNumbering = text.NewRegexp(`^\**(?:(?:[Cc]hapter|[Ss]ection|[Pp]art|[Aa]ppendix|[Aa]nnex)\s+)?` +
		`(?:\d{1,3}(?:\.\d{1,3})*|[A-Z]\.?\d*|[IVX]+)[.):]?\s+`)
	reItem    = text.NewRegexp(`^\s*(?:>\s*)*([-*+•]|\d{1,2}[.)]|\(?[a-z]\))\s+`)
	reRule    = text.NewRegexp(`^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$`)
	reLogLine = text.NewRegexp(
		`^\s*(\[[^\]]{4,25}\]|\d{4}-\d{2}-\d{2}[T ]\d|\d{2}:\d{2}(:\d{2})?\b)`)
	reNumbered = text.NewRegexp(`^\s*(\d{1,2}(\.\d{1,2})+|[A-Z]\.\d{1,2})\.?\s+\S`)
	reLink     = text.NewRegexp(`!?\[([^\]]*)\]\([^)]*\)`)
	reNote     = text.NewRegexp(`\[\^[^\]]*\]:?`)
	reLeadIn   = text.NewRegexp(`^\*\*([^*]{2,60}?)[.:]?\*\*[.:]?\s`)
	emphasis   = strings.NewReplacer("**", "", "__", "", "~~", "", `\%`, "%")
)

var abbreviations = TableSet("abbreviations")

// reader cuts lines into statements.
type reader struct {
	out   []*Statement
	heads []string // by level
	block int

	titles bool // headings are statements, too
}

// line is a line of a text, and where it stands.
type line struct {
	text       string
	at, number int
	heading    bool
}

// Read cuts a text into statements: sentences of paragraphs, rows of tables.
func Read(text string) []*Statement {
	r := reader{}
	r.read(linesOf(text))
	return r.out
}

func linesOf(text string) (lines []line) {
	at := 0
	for s := range strings.Lines(text) {
		lines = append(lines, line{text: strings.TrimRight(s, "\r\n"), at: at, number: len(lines) + 1})
		at += len(s)
	}
	return lines
}

// ReadTitled cuts a text into statements as Read does, and has its headings among them.
func ReadTitled(text string) []*Statement {
	r := reader{titles: true}
	r.read(linesOf(text))
	return r.out
}

// ReadPart cuts the lines of a document that begin at the bytes from ≤ at < to into statements. Lines of
// a program or a log are statements themselves.
func ReadPart(d *documents.Document, from, to int) []*Statement {
	return readPart(d, from, to, reader{})
}

// ReadReport cuts a document into statements, its headings among them.
func ReadReport(d *documents.Document) []*Statement {
	return readPart(d, 0, math.MaxInt, reader{titles: true})
}

func readPart(d *documents.Document, from, to int, r reader) []*Statement {
	var lines []line
	for at, s := range d.Lines() {
		if at >= to {
			break
		}
		if at >= from {
			lines = append(lines, line{s, at, d.Line(at), d.Heading(at)})
		}
	}
	if !reProgram.MatchString(d.Name) {
		r.read(lines)
	} else {
		r.code(lines)
	}
	return r.out
}

// IsProgram reports whether a file is a program, its data or a log by its name: each line says something of its own.
func IsProgram(name string) bool { return reProgram.MatchString(name) }

// reProgram matches the name of what is no prose, which is read by paragraphs.
var reProgram = text.NewRegexp(`(?i)\.(go|py|js|ts|jsx|tsx|java|rs|rb|c|h|cc|cpp|cs|php|sh|` +
	`sql|tf|ya?ml|toml|ini|cfg|conf|env|properties|json|jsonl|xml|css|log|diff|patch|mod|sum)$`)

func (r *reader) add(s *Statement, lead string) {
	for _, h := range append(r.heads, lead) {
		if h != "" {
			s.Heads = append(s.Heads, h)
		}
	}
	s.Text = narrow(s.Text)
	for i := range s.Cells {
		s.Cells[i].Text = narrow(s.Cells[i].Text)
	}
	s.Block = r.block
	r.out = append(r.out, s)
}

// narrow writes digits of all scripts, and full-width signs, as ASCII has them.
func narrow(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r > 0x65f }) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '！' && r <= '～':
			return r - '！' + '!'
		case r < 0x660 || !unicode.IsDigit(r):
			return r
		}
		zero := r
		for zero > r-9 && unicode.IsDigit(zero-1) {
			zero--
		}
		return r - zero + '0'
	}, s)
}

// plain takes the marks of Markdown out of a line.
func plain(s string) string {
	if strings.Contains(s, "[") {
		s = reNote.ReplaceAllString(reLink.ReplaceAllString(s, "$1"), "")
	}
	if !strings.ContainsAny(s, "*_~\\") {
		return s
	}
	return emphasis.Replace(s)
}

// maxParagraph is the number of lines of the longest paragraph: a text without blank lines may be a
// log, or a page, and a statement without a full stop would be all of it.
const maxParagraph = 200

func (r *reader) read(lines []line) {
	var para []line
	flush := func() {
		r.paragraph(para)
		para = nil
	}
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		trimmed := strings.TrimSpace(l.text)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			flush()
			end := i + 1
			for end < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[end].text), "```") {
				end++
			}
			r.code(lines[i+1 : min(end, len(lines))])
			i = end
		case trimmed == "" || strings.IndexByte(":-", trimmed[0]) >= 0 && !strings.Contains(l.text, "|") &&
			reRule.MatchString(l.text):
			flush()
		case trimmed[0] == '#' && reHeading.MatchString(l.text), l.heading && len(trimmed) < 120:
			flush()
			r.heading(l)
		case r.titles && trimmed[0] == '*' && reBold.MatchString(trimmed):
			flush()
			r.heading(line{"####### " + trimmed, l.at, l.number, true})
		case isRow(lines, i):
			flush()
			end := i + 1
			for end < len(lines) && strings.Contains(lines[end].text, "|") {
				end++
			}
			r.table(lines[i:end])
			i = end - 1
		default:
			if mayBegin(trimmed) && (reItem.MatchString(l.text) || reLogLine.MatchString(l.text) ||
				reNumbered.MatchString(l.text)) || len(para) >= maxParagraph {
				flush()
			}
			para = append(para, l)
		}
	}
	flush()
}

// mayBegin reports whether a line may be an item of a list, of a log, or a numbered one, by its first characters.
func mayBegin(s string) bool {
	c, next := s[0], byte(0)
	if len(s) > 1 {
		next = s[1]
	}
	return c >= utf8.RuneSelf || c >= 'a' && c <= 'z' && next == ')' || c >= 'A' && c <= 'Z' && next == '.' ||
		!(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
}

func (r *reader) heading(l line) {
	level, title := 1, strings.TrimSpace(l.text)
	if m := reHeading.FindStringSubmatch(l.text); m != nil {
		level, title = len(m[1]), m[2]
	}
	for len(r.heads) < level {
		r.heads = append(r.heads, "")
	}
	if r.titles {
		r.heads = r.heads[:level-1]
		r.block++
		title = reNumbering.ReplaceAllString(title, "")
		r.add(&Statement{Text: plain(title), Line: l.number, End: l.number, At: l.at, Title: true}, "")
	}
	r.heads = append(r.heads[:level-1:level-1], plain(title))
}

// isRow reports whether a line is a row of a table: of Markdown, or cells that package
// documents has parted, at least two lines of them.
func isRow(lines []line, i int) bool {
	s := lines[i].text
	if strings.HasPrefix(strings.TrimSpace(s), "|") {
		return true
	}
	cell := func(k int) bool {
		return k >= 0 && k < len(lines) && strings.Contains(lines[k].text, " | ")
	}
	return cell(i) && (cell(i+1) || cell(i-1)) ||
		strings.Contains(s, "|") && i+1 < len(lines) && reRule.MatchString(lines[i+1].text) &&
			strings.Contains(lines[i+1].text, "|")
}

func cellsOf(s string) []string {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "|") {
		s = strings.TrimSuffix(s[1:], "|")
	}
	cells := strings.Split(strings.ReplaceAll(s, `\|`, "\x00"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(plain(strings.ReplaceAll(cells[i], "\x00", "|")))
	}
	return cells
}

// table adds rows with their headers.
func (r *reader) table(lines []line) {
	r.block++
	var first []string
	for i, l := range lines {
		if reRule.MatchString(l.text) {
			continue
		}
		row := cellsOf(l.text)
		s := &Statement{Line: l.number, End: l.number, At: l.at}
		s.Header = first == nil && (i+1 < len(lines) && reRule.MatchString(lines[i+1].text) ||
			!strings.ContainsAny(l.text, "0123456789"))
		for k, text := range row {
			cell := Cell{Text: text, Column: k}
			if k > 0 {
				cell.Label = row[0]
			}
			if first != nil {
				if cell.Corner = first[0]; k < len(first) {
					cell.Header = first[k]
				}
			}
			if k+1 < len(row) {
				cell.Next = row[k+1]
			}
			s.Cells = append(s.Cells, cell)
			if text != "" {
				s.Text = strings.TrimPrefix(s.Text+" | "+text, " | ")
			}
		}
		if first == nil {
			first = row
		}
		r.add(s, "")
	}
}

// code adds lines as they are.
func (r *reader) code(lines []line) {
	r.block++
	for _, l := range lines {
		if s := strings.TrimSpace(l.text); s != "" {
			r.add(&Statement{Text: s, Line: l.number, End: l.number, At: l.at}, "")
		}
	}
}

// paragraph cuts lines into sentences.
func (r *reader) paragraph(lines []line) {
	if len(lines) == 0 {
		return
	}
	r.block++
	var b strings.Builder
	starts := make([]int, len(lines)) // of each line, in the paragraph's text
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		starts[i] = b.Len()
		if i == 0 { // its mark counts as before the text
			if s := strings.TrimSpace(l.text); s != "" && mayBegin(s) {
				l.text = reItem.ReplaceAllString(l.text, "")
			}
			starts[0] = len(l.text) - len(lines[0].text)
		}
		b.WriteString(l.text)
	}
	text, lead := b.String(), ""
	if strings.HasPrefix(text, "**") {
		if m := reLeadIn.FindStringSubmatch(text); m != nil {
			lead = m[1]
		}
	}
	begin := 0
	emit := func(end int) {
		raw := strings.Trim(text[begin:end], " \n")
		if s := plain(strings.Join(strings.Fields(strings.ReplaceAll(raw, "-\n", "-")), " ")); s != "" {
			from := begin + strings.Index(text[begin:], raw)
			first, last := lineOf(starts, from), lineOf(starts, from+len(raw))
			r.add(&Statement{Text: s, Line: lines[first].number, End: lines[last].number,
				At: lines[first].at + from - starts[first]}, lead)
		}
		begin = end
	}
	for at := 0; ; {
		m := nextEnd(text, at)
		if m == nil {
			break
		}
		if at = m[1]; m[1] < len(text) && !(text[m[1]] >= 'a' && text[m[1]] <= 'z') && !EndsAbbreviation(text, m[0]) {
			emit(m[0] + strings.IndexAny(text[m[0]:m[1]], " \n"))
		}
	}
	emit(len(text))
}

// nextEnd returns where the next sentence may end from a place of a text on: at its mark, with the quotation marks,
// brackets and reference behind it and the blanks and marks up to the next word; nil if none does.
func nextEnd(text string, at int) []int {
	for ; at < len(text); at++ {
		i := strings.IndexAny(text[at:], ".!?")
		if i < 0 {
			return nil
		}
		at += i
		end := at + 1
		for end < len(text) {
			if strings.IndexByte(`"')*]_`, text[end]) >= 0 {
				end++
			} else if strings.HasPrefix(text[end:], "”") {
				end += len("”")
			} else {
				break
			}
		}
		if strings.HasPrefix(text[end:], "[^") {
			if k := strings.IndexByte(text[end+2:], ']'); k >= 0 {
				end += 2 + k + 1
			}
		}
		blank := end
		for end < len(text) && (text[end] == ' ' || text[end] == '\n') {
			end++
		}
		if end == blank {
			continue
		}
		for end < len(text) && strings.IndexByte(`*("_`, text[end]) >= 0 {
			end++
		}
		return []int{at, end}
	}
	return nil
}

func lineOf(starts []int, at int) int {
	i := 0
	for i+1 < len(starts) && starts[i+1] <= at {
		i++
	}
	return i
}

// EndsAbbreviation reports whether the point at a place ends an abbreviation.
func EndsAbbreviation(text string, at int) bool {
	if text[at] != '.' {
		return false
	}
	w := strings.ToLower(text[strings.LastIndexAny(text[:at], " \n(")+1 : at])
	before := strings.TrimRight(text[:at-min(at, len(w))], " ")
	return abbreviations.Has(w) || len(w) == 1 && w >= "a" && w <= "z" && w != "i" &&
		!(before != "" && digit(rune(before[len(before)-1])) && strings.Contains(loneUnits+"ml", w)) // 30 s
}
