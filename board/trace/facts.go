package trace

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"blackboard/board/claims/parse"
	"blackboard/board/documents"
	"blackboard/board/text"
	"blackboard/board/words"
)

// unit is a sentence, a heading or a row of a report, in which facts are read.
type unit struct {
	*parse.Claim
	report *documents.Document
	row    int      // of a table, from 1; 0: no row, or its header
	before int      // the unit before, in the same block, or that introduces a table; -1
	header int      // the unit of the table's header, or -1
	cells  []int    // where the cells of a row begin in its text
	heads  []int32  // the words of the headings above it, the nearest first
	own    []int32  // its words
	words  []string // as they are written, made at first use
}

// fact is a fact to look for.
type fact struct {
	kind       string
	unit       int
	start, end int           // in the unit's text
	detail     *parse.Detail // nil of a quote, a citation, a statement
	origin     *parse.Detail // of a part of a detail: that one
	amount     amount
	runs       []string // of a name, an identifier or a quote: the words that must follow one another
	optional   bool     // a word that may be capitalised because a sentence begins with it
	near, far  []int32  // words around it, and in headings above it
	titled     int      // how many of the far ones are of headings
	names      uint64   // which of both are names, as a mask
	hits       []hit
	support    []int32  // the records that support it
	from       []amount // the figures that it follows from
	verdict    Fact
	cites      *citation
	refuted    bool // package claims says what a record has in its place
}

// Bits of a mask of shared words: the near ones, then the far ones.
const (
	nearBits = 20
	farBits  = 20

	mostTitled = 12 // words of headings
)

func (f *fact) text(t *tracer) string { return t.units[f.unit].Text[f.start:f.end] }

// isFigure reports whether a fact is a number, a date or a time.
func (f *fact) isFigure() bool { return f.detail != nil && len(f.runs) == 0 }

func (f *fact) isAmount() bool { return f.isFigure() && f.detail.Q != nil }

// factReader reads the facts of a unit.
type factReader struct {
	*tracer
	u       *unit
	unit    int
	taken   [][2]int // what belongs to a fact, or is none
	names   []int32  // the words of its names
	skipped int      // where the number ends that was passed over last, or -1
}

// readReport adds a report's units and facts.
func (t *tracer) readReport(r *documents.Document) {
	first := len(t.units)
	var intro, header, row int
	block := -1
	all := parse.ReadReport(r)
	said := make([]*parse.Claim, len(all))
	atOnce(len(all), func(i int) { said[i] = parse.ExtractFacts(all[i], "") })
	for i, s := range all {
		n := first + i
		u := unit{Claim: said[i], report: r, before: -1, header: -1}
		if s.Block != block {
			block, row, header, intro = s.Block, 0, -1, -1
			if i > 0 && !t.units[n-1].Title {
				intro = n - 1
			}
		} else if s.Cells == nil {
			u.before = n - 1
		}
		if s.Cells != nil {
			at := 0
			for k := range s.Cells {
				if u.cells = append(u.cells, at); s.Cells[k].Text != "" {
					at += len(s.Cells[k].Text) + len(" | ")
				}
			}
			if s.Header {
				header = n
			} else {
				row++
				u.row, u.before, u.header = row, intro, header
			}
		}
		t.units = append(t.units, u)
	}
	from := len(t.facts)
	for i := first; i < len(t.units); i++ {
		(&factReader{tracer: t, u: &t.units[i], unit: i, skipped: -1}).read()
	}
	for i := from; i < len(t.facts); i++ {
		t.surround(&t.facts[i])
	}
}

func (fr *factReader) read() {
	u := fr.u
	fr.readMarkup()
	for k := range u.Details {
		d := &u.Details[k]
		f := fact{detail: d}
		if f.start, f.end = u.place(d); fr.isTaken(f.start, f.end) {
			continue
		}
		switch {
		case d.T != nil:
			fr.readDate(f)
		case d.Q != nil:
			fr.readNumber(f)
		case d.Kind == parse.Name:
			fr.readName(f)
		default:
			fr.readIdentifier(f)
		}
	}
	for k := range u.Words {
		stem, low, capital := u.Words[k].Stem, u.Words[k].Low, u.Words[k].Capital
		if u.Stems[stem] { // no is a word, and stands for nothing
			u.own = append(u.own, fr.word(stem))
		}
		if !capital {
			fr.lower[low] = true
		}
	}
	for i := len(u.Heads) - 1; i >= 0; i-- {
		for _, s := range parse.Stems(u.Heads[i]) {
			if len(s) > 1 { // a letter is no word of a record
				u.heads = append(u.heads, fr.word(s))
			}
		}
	}
	for _, id := range fr.names {
		fr.isName[id] = true
	}
}

// stemsOf returns the stems of a name, or an identifier as a whole.
func stemsOf(d *parse.Detail) []string {
	if d.Kind == parse.Identifier {
		return []string{"#" + d.Words[0]}
	}
	return parse.Stems(d.Text)
}

// place is where a detail stands in the text of its unit.
func (u *unit) place(d *parse.Detail) (start, end int) {
	if start = d.At; d.Cell != nil {
		start += u.cells[d.Cell.Column]
	}
	if end = start + len(d.Text); d.Text[0] == '-' && u.Text[start] != '-' { // its sign stands before it
		end--
	}
	return start, end
}

func (fr *factReader) add(f fact) {
	f.unit = fr.unit
	if len(f.runs) > 0 && (cuts(fr.u.Text, f.start) || cuts(fr.u.Text, f.end)) { // no run of a record would be equal
		return
	}
	fr.facts = append(fr.facts, f)
}

// cuts reports whether a place is inside a run of letters and digits.
func cuts(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return ofRun(before) && ofRun(after)
}

func (fr *factReader) take(start, end int) { fr.taken = append(fr.taken, [2]int{start, end}) }

func (fr *factReader) isTaken(start, end int) bool {
	return slices.ContainsFunc(fr.taken, func(s [2]int) bool { return start < s[1] && end > s[0] })
}

var (
	quoteSpan = text.NewRegexp(`"[^"“”\n]{3,600}"|“[^“”]{3,600}”|«[^«»]{3,600}»|„[^„“”]{3,600}[“”]`)
	omission  = text.NewRegexp(`…|\.\.\.|\[[^\]]{0,40}\]`)
	noteSpan  = text.NewRegexp(`\[\^?\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\]|\(\d{1,2}\)|\[\^[\w-]+\]`)
)

// shortestQuote is from how many words on what stands in quotation marks is taken for
// somebody's words.
const shortestQuote = 3

// readMarkup reads what marks set apart: notes, citations, quotes.
func (fr *factReader) readMarkup() {
	all := fr.u.Text
	for _, m := range noteSpan.FindAllStringIndex(all, -1) {
		fr.take(m[0], m[1])
	}
	for _, m := range citeSpan.FindAllStringIndex(all, -1) {
		start, end := inBackticks(all, m[0], m[1])
		if !fr.isTaken(start, end) {
			fr.add(fact{kind: KindIdentifier, start: start, end: end, cites: citationOf(all[start:end]),
				runs: runsOf(all[start:end])})
			fr.take(start, end)
		}
	}
	for _, m := range quoteSpan.FindAllStringIndex(all, -1) {
		var runs []string // of the longest part: "we were … not told"
		for at := m[0]; at < m[1]; {
			end, next := m[1], m[1]
			if o := omission.FindStringSubmatchIndex(all[at:m[1]]); o != nil {
				end, next = at+o[0], at+o[1]
			}
			if r := runsOf(all[at:end]); len(r) > len(runs) {
				runs = r
			}
			at = next
		}
		if len(runs) >= shortestQuote && !fr.isTaken(m[0], m[1]) {
			fr.add(fact{kind: KindQuote, start: m[0], end: m[1], runs: runs})
			fr.take(m[0], m[1])
		}
	}
}

// inBackticks widens a place of a text by the backticks around it.
func inBackticks(text string, start, end int) (int, int) {
	if start > 0 && end < len(text) && text[start-1] == '`' && text[end] == '`' {
		return start - 1, end + 1
	}
	return start, end
}

// readIdentifier reads a path, a name of a file or a function, a code, a version, an address.
func (fr *factReader) readIdentifier(f fact) {
	text := fr.u.Text[f.start:f.end]
	if f.detail.Weak || fr.ownName() || strings.Trim(text, "0123456789/-,:–.") == "" && strings.Count(text, ".") < 2 ||
		quarter.MatchString(text) || utf8.RuneCountInString(text) < 2 || ofWords(text) {
		return
	}
	fr.names = append(fr.names, fr.word(stemsOf(f.detail)[0]))
	f.start, f.end = inBackticks(fr.u.Text, f.start, f.end)
	if f.runs = runsOf(text); len(f.runs) > 0 && !(len(f.runs) == 1 && knownWord(text)) {
		f.kind = KindIdentifier
		fr.add(f)
	}
}

// ownName reports whether a unit is the title of its report, or says under which name it is filed: such names say
// what the report is about.
func (fr *factReader) ownName() bool {
	first := fr.unit
	for first > 0 && fr.units[first-1].report == fr.u.report {
		first--
	}
	return fr.u.Title && fr.unit == first || fr.unit-first <= 3 &&
		slices.ContainsFunc(words.Split(fr.u.Text, ""), func(w string) bool { return w == "reference" || w == "ref" })
}

// ofWords reports whether a text is made of common words and a number: over-75, 22-year-old.
func ofWords(text string) bool {
	return strings.Contains(text, "-") && !slices.ContainsFunc(strings.Split(text, "-"), func(w string) bool {
		return strings.Trim(w, "0123456789") != "" && (w != strings.ToLower(w) || !knownWord(w))
	})
}

var quarter = text.NewRegexp(`^[QH][1-4]$`)

// noNames are words in capitals that name no thing of which a report could be wrong.
var noNames = lazySet(words.FunctionWords + ` tbd tbc n/a na ok yes no none total note however therefore thus
	also both each all any some most many few several other another such only even still yet mr mrs ms
	dr prof ceo cto cfo coo christmas easter ramadan passover thanksgiving vp inc ltd llc gmbh corp co
	plc ag sa utc gmt cet cest est edt pst pdt`)

// endings of words that are hardly names.
var commonEndings = strings.Fields(`ing ly ed tion tions sion sions ment ments ness ity ities ous ive
	able ible ance ence ers ies ism ful less wards`)

// looksCommon reports whether a word that a sentence begins with is likely no name.
func looksCommon(low string) bool {
	return knownWord(low) || words.IsCommon(low) ||
		slices.ContainsFunc(commonEndings, func(e string) bool {
			return len(low) > len(e)+2 && strings.HasSuffix(low, e)
		})
}

// knownWord reports whether a word is common in texts in general.
func knownWord(w string) bool {
	terms, known := 0, false
	new(words.Analyzer).Terms(w, func(term string, extra bool) {
		if !extra {
			terms++
			known = words.Prior(term) > words.Prior("\x02")
		}
	})
	return terms == 1 && known && strings.ContainsFunc(w, unicode.IsLetter)
}

// readName reads the name of a product, a company, a person, a place.
func (fr *factReader) readName(f fact) {
	d, text := f.detail, fr.u.Text
	names := d.Words
	begins := d.Begins
	for len(names) > 0 && (noNames()[names[0]] ||
		begins && len(names) > 1 && looksCommon(names[0]) && !acronym(firstWord(text[f.start:]))) {
		rest := text[f.start:f.end]
		if first := strings.IndexFunc(rest, between); first >= 0 {
			f.start = f.end - len(strings.TrimLeftFunc(rest[first:], between))
		}
		names, begins = names[1:], false
	}
	for len(names) > 0 && noNames()[names[len(names)-1]] {
		rest := strings.TrimRightFunc(text[f.start:f.end], between)
		if last := strings.LastIndexFunc(rest, between); last >= 0 {
			f.end = f.start + len(strings.TrimRightFunc(rest[:last+1], between))
		}
		names = names[:len(names)-1]
	}
	for _, possessive := range []string{"'s", "’s"} {
		f.end = f.start + len(strings.TrimSuffix(text[f.start:max(f.start, f.end)], possessive))
	}
	if len(names) == 0 || f.end <= f.start {
		return
	}
	surface := text[f.start:f.end]
	f.optional = begins && len(names) == 1
	if f.optional && (looksCommon(names[0]) || !fr.isSubject(&f)) {
		return
	}
	f.kind, f.runs = KindName, runsOf(surface)
	for _, w := range names {
		fr.names = append(fr.names, fr.word(parse.Stem(w)))
	}
	if fr.u.Title || fr.u.Header || fr.titleCase() || len(f.runs) == 0 || len(names) == 1 &&
		(utf8.RuneCountInString(surface) < 2 || acronym(surface) && (knownWord(surface) || fr.explains(surface, f.start))) {
		return
	}
	fr.add(f)
}

// explains reports whether the report itself says, here or before, what an abbreviation stands for: the plan of the
// clinical investigation (PCI).
func (fr *factReader) explains(short string, at int) bool {
	if before, is := strings.CutSuffix(fr.u.Text[:at], "("); is {
		initials := ""
		for _, w := range strings.FieldsFunc(before, func(r rune) bool { return r == ' ' || r == '-' }) {
			if !parse.Stopwords.Has(w) {
				initials += strings.ToUpper(w[:1])
			}
		}
		fr.explained[short] = fr.explained[short] || strings.HasSuffix(initials, short)
	}
	return fr.explained[short]
}

func between(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’'
}

func firstWord(text string) string {
	if i := strings.IndexFunc(text, between); i >= 0 {
		return text[:i]
	}
	return text
}

// isSubject reports whether a word that a sentence begins with is followed by what a name
// at its beginning is followed by, or ends a cell.
func (fr *factReader) isSubject(f *fact) bool {
	surface, after := fr.u.Text[f.start:f.end], fr.u.Text[f.end:]
	next := firstWord(strings.TrimLeft(after, " "))
	switch {
	case after == "", strings.HasPrefix(after, "'s"), strings.HasPrefix(after, "’s"),
		strings.ContainsFunc(surface[1:], unicode.IsUpper), strings.ContainsAny(after[:min(len(after), 2)], "|,("):
		return true
	case !strings.HasPrefix(after, " "):
		return false
	}
	return verbs()[next] || strings.HasSuffix(next, "ed") || strings.HasSuffix(next, "s") && !strings.HasSuffix(next, "ss")
}

var verbs = lazySet(`is was has had will would can could may might did does and said says told sold
	bought won lost made paid built took gave wrote ran`)

func acronym(s string) bool {
	return len(s) >= 2 && len(s) <= 6 && strings.ToUpper(s) == s && !strings.ContainsAny(s, "0123456789")
}

// titleCase reports whether a unit is written like a title, in which capitals say nothing.
func (fr *factReader) titleCase() bool {
	capital := 0
	for k := range fr.u.Words {
		if fr.u.Words[k].Capital {
			capital++
		}
	}
	return len(fr.u.Words) >= 4 && capital*5 >= len(fr.u.Words)*4
}

// surround collects what is said around a fact.
func (t *tracer) surround(f *fact) {
	u := &t.units[f.unit]
	var near []int32
	names := map[int32]bool{}
	if f.isFigure() {
		for _, s := range f.detail.About() {
			if u.Stems[s] || u.Context[s] {
				near = append(near, t.word(s))
			}
		}
	}
	near = append(near, u.own...)
	for k := range u.Details {
		d := &u.Details[k]
		at, _ := u.place(d)
		if d == f.detail || d.Q != nil || d.T != nil ||
			at >= f.end && u.row == 0 && strings.ContainsAny(u.Text[f.end:at], ",;:") { // of another clause
			continue
		}
		for _, s := range stemsOf(d) {
			if id := t.word(s); t.isName[id] {
				near, names[id] = append(near, id), true
			}
		}
	}
	f.near, f.names = addWords(nil, nil, near, names, nearBits, 0)
	far := slices.Clone(u.heads)
	titles, _ := addWords(nil, f.near, far, nil, mostTitled, 0)
	f.titled = len(titles)
	var before, after []int32 // what is said before and after it
	if u.before >= 0 {
		before = t.units[u.before].own
	}
	if next := f.unit + 1; next < len(t.units) && t.units[next].before == f.unit && u.row == 0 {
		after = t.units[next].own
	}
	for i := range max(len(before), len(after)) {
		far = append(far, before[min(i, len(before)):min(i+1, len(before))]...)
		far = append(far, after[min(i, len(after)):min(i+1, len(after))]...)
	}
	for next := f.unit + 1; u.Header && next < len(t.units) && t.units[next].header == f.unit; next++ {
		far = append(far, t.units[next].own...)
	}
	farNames := map[int32]bool{}
	for _, id := range far {
		farNames[id] = t.isName[id]
	}
	var mask uint64
	f.far, mask = addWords(nil, f.near, far, farNames, farBits, nearBits)
	f.names |= mask
}

func addWords(ids, but, from []int32, names map[int32]bool, most, shift int) ([]int32, uint64) {
	var mask uint64
	for _, id := range from {
		if len(ids) == most {
			break
		}
		if !slices.Contains(ids, id) && !slices.Contains(but, id) {
			if names[id] {
				mask |= 1 << (len(ids) + shift)
			}
			ids = append(ids, id)
		}
	}
	return ids, mask
}

// columnOf returns the column of a fact in a row, from 1; 0 if it stands in none.
func (t *tracer) columnOf(f *fact) int {
	if f.detail == nil || f.detail.Cell == nil {
		return 0
	}
	return f.detail.Cell.Column + 1
}

// lineOf is the line of the report that a fact stands on: that of its first word.
func (t *tracer) lineOf(f *fact) int {
	u := &t.units[f.unit]
	if u.End == u.Line {
		return u.Line
	}
	before := len(strings.Fields(u.Text[:f.start]))
	for at, in := u.At, false; at < len(u.report.Text()); at++ {
		if word := strings.IndexByte(" \n\t", u.report.Text()[at]) < 0; word && !in {
			if before--; before < 0 {
				return u.report.Line(at)
			}
			in = true
		} else if !word {
			in = false
		}
	}
	return u.End
}
