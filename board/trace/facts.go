package trace

import (
	"slices"
	"strings"
	"unicode"

	"blackboard/board/documents"
	"blackboard/board/text"
	"blackboard/board/words"
)

// fact is a fact to look for.
type fact struct {
	kind       string
	unit       int
	start, end int // in the report's text
	amount     amount
	keys       []string // of a date or a time: what it answers to
	// of a name, an identifier or a quote: the words that must follow one another
	tokens    []string
	optional  bool    // a word that may be capitalised because a sentence begins with it
	near, far []int32 // words around it, and in headings above it
	titled    int     // how many of the far ones are of headings
	names     uint64  // which of both are names, as a mask
	hits      []hit
	support   []int32  // the records that support it
	from      []amount // the figures that it follows from
	verdict   Fact
	cites     *citation
	refuted   bool // package claims says what a record has in its place
}

// Bits of a mask of shared words: the near ones, then the far ones.
const (
	nearBits = 20
	farBits  = 20

	mostTitled = 12 // words of headings
)

// A contextWord is a word of a unit that says what its facts are about.
type contextWord struct {
	id   int32
	at   int
	name bool
}

// factReader reads the facts of a unit.
type factReader struct {
	*tracer
	scan  words.Scanner
	unit  int
	base  int      // where the unit's text begins in the report's
	taken [][2]int // what belongs to a fact, or is none
	found []amount
}

// readReport adds a report's units and facts.
func (t *tracer) readReport(r *documents.Document) {
	l := layout{report: r, units: t.units, base: len(t.units)}
	l.read()
	first := len(t.units)
	t.units = l.units
	t.context = append(t.context, make([][]contextWord, len(t.units)-first)...)
	fr := factReader{tracer: t}
	from := len(t.facts)
	for i := first; i < len(t.units); i++ {
		fr.read(i)
	}
	for i := from; i < len(t.facts); i++ {
		t.surround(&t.facts[i])
	}
}

func (fr *factReader) read(i int) {
	u := &fr.units[i]
	fr.unit, fr.base, fr.taken = i, u.start, fr.taken[:0]
	text := u.text()
	fr.scan.Scan(text)
	fr.readMarkup(text)
	fr.readIdentifiers(text)
	fr.readNumbers(u)
	names := fr.readNames(u)
	for k := range fr.scan.Lexemes {
		l := &fr.scan.Lexemes[k]
		if l.Kind == words.Word && !fr.scan.Capital(*l) {
			fr.lower[l.Plain] = true
		}
		if key := contextKey(l); key != "" {
			w := contextWord{
				id:   fr.word(key),
				at:   u.start + l.Start,
				name: slices.Contains(names, k) || key[0] == 'i',
			}
			fr.context[i] = append(fr.context[i], w)
			if w.name {
				fr.isName[w.id] = true
			}
		}
	}
}

// contextKey is the key of a lexeme that says what a text is about, or "".
func contextKey(l *words.Lexeme) string {
	switch {
	case len(l.Keys) == 0:
		return ""
	case l.Kind == words.Pair:
		return l.Keys[0]
	case l.Kind == words.Number:
		if l.Keys[0][0] == 'i' {
			return l.Keys[0]
		}
		return ""
	case isContentWord(l):
		return l.Keys[0]
	}
	return ""
}

// isContentWord reports whether a lexeme is a word that says what a text is about.
func isContentWord(l *words.Lexeme) bool {
	return l.Kind <= words.Part && l.Kind != words.Number && len(l.Keys) > 0 &&
		l.Keys[0][0] == 'w' &&
		len(l.Plain) > 2 &&
		!words.IsCommon(l.Plain) &&
		!functionWords()[l.Plain]
}

func (fr *factReader) add(f fact) {
	if f.kind == KindIdentifier {
		f.cites = citationOf(fr.scan.Text[f.start:f.end])
	}
	f.unit, f.start, f.end = fr.unit, fr.base+f.start, fr.base+f.end
	fr.facts = append(fr.facts, f)
}

func (fr *factReader) take(start, end int) { fr.taken = append(fr.taken, [2]int{start, end}) }

func (fr *factReader) isTaken(l *words.Lexeme) bool {
	return slices.ContainsFunc(fr.taken,
		func(s [2]int) bool { return l.Start < s[1] && l.End > s[0] })
}

// token is what a lexeme is compared by when words must follow one another; "" for
// none.
func token(l *words.Lexeme) string {
	switch {
	case l.Kind == words.Part:
		return ""
	case l.Kind == words.Word:
		return l.Plain
	}
	key := l.Keys[0]
	if l.Kind == words.Number {
		key = l.Want[0]
	}
	if v, ok := strings.CutPrefix(key, "i:v"); ok && v != "" && v[0] >= '0' && v[0] <= '9' {
		return "i:" + v
	}
	if v, ok := strings.CutPrefix(key, "n:"); ok && strings.Contains(v, ".") {
		return "i:" + v // version 1.2
	}
	return key
}

// phrase returns the tokens between two places of the scanned text.
func (fr *factReader) phrase(start, end int) (tokens []string) {
	for i := range fr.scan.Lexemes {
		l := &fr.scan.Lexemes[i]
		if l.Start >= start && l.End <= end {
			if t := token(l); t != "" {
				tokens = append(tokens, t)
			}
		}
	}
	return tokens
}

var (
	codeSpan  = text.NewRegexp("``?[^`\n]+``?")
	quoteSpan = text.NewRegexp(`"[^"“”\n]{3,600}"|“[^“”]{3,600}”|«[^«»]{3,600}»|„[^„“”]{3,600}[“”]`)
	linkSpan  = text.NewRegexp(`!?\[([^\]]*)\]\(([^)\s]*)[^)]*\)`)
	urlSpan   = text.NewRegexp(`(?:https?|ftp|file)://[^\s)>\]"'|]+`)
	omission  = text.NewRegexp(`…|\.\.\.|\[[^\]]{0,40}\]`)
	noteSpan  = text.NewRegexp(`\[\^?\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\]|\(\d{1,2}\)|\[\^[\w-]+\]`)
)

// shortestQuote is from how many words on what stands in quotation marks is taken for
// somebody's words.
const shortestQuote = 3

// readMarkup reads what marks set apart: addresses, links, code, quotes, notes.
func (fr *factReader) readMarkup(text string) {
	for _, m := range noteSpan.FindAllStringIndex(text, -1) {
		if m[1] == len(text) || text[m[1]] != '(' {
			fr.take(m[0], m[1])
		}
	}
	for _, m := range linkSpan.FindAllStringSubmatchIndex(text, -1) {
		if text[m[0]] == '!' || m[5] > m[4] && text[m[4]] == '#' {
			fr.take(m[0], m[1])
		} else if tokens := fr.phrase(m[4], m[5]); len(tokens) > 0 {
			fr.add(fact{kind: KindIdentifier, start: m[4], end: m[5], tokens: tokens})
			fr.take(m[4], m[5])
		}
	}
	span := func(kind string, start, end, inside, least int) {
		s := words.Lexeme{Start: start, End: end}
		if fr.isTaken(&s) {
			return
		}
		tokens := fr.phrase(start+inside, end-inside)
		if kind == KindQuote {
			tokens = fr.longestPart(start+inside, end-inside)
		}
		if len(tokens) >= least {
			fr.add(fact{kind: kind, start: start, end: end, tokens: tokens})
			fr.take(start, end)
		}
	}
	for _, m := range urlSpan.FindAllStringIndex(text, -1) {
		end := m[0] + len(strings.TrimRight(text[m[0]:m[1]], ".,;:!?*_`"))
		span(KindIdentifier, m[0], end, 0, 1)
	}
	for _, m := range codeSpan.FindAllStringIndex(text, -1) {
		span(KindIdentifier, m[0], m[1], 1, 1)
	}
	for _, m := range citeSpan.FindAllStringSubmatchIndex(text, -1) {
		span(KindIdentifier, m[0], m[1], 0, 1)
	}
	for _, m := range quoteSpan.FindAllStringIndex(text, -1) {
		span(KindQuote, m[0], m[1], 1, shortestQuote)
	}
}

// longestPart returns the tokens of the longest part of a quote that leaves words out:
// "we were … not told".
func (fr *factReader) longestPart(start, end int) (longest []string) {
	text := fr.scan.Text[:end]
	for at := start; at < end; {
		next := end
		if m := omission.FindStringSubmatchIndex(text[at:]); m != nil {
			next = at + m[1]
		}
		if tokens := fr.phrase(at, next); len(tokens) > len(longest) {
			longest = tokens
		}
		at = next
	}
	return longest
}

// readIdentifiers reads paths, names of files and functions, codes, versions,
// addresses.
func (fr *factReader) readIdentifiers(text string) {
	for at := 0; at < len(text); {
		r := strings.IndexFunc(text[at:],
			func(r rune) bool { return !unicode.IsSpace(r) && r != '|' })
		if r < 0 {
			break
		}
		start := at + r
		end := len(text)
		if n := strings.IndexFunc(text[start:], func(r rune) bool {
			return unicode.IsSpace(r) ||
				r == '|' || r == '—'
		}); n >= 0 {
			end = start + n
		}
		at = max(end, start+1)
		word := text[start:end]
		trimmed := strings.TrimLeft(word, "\"'“‘([{<*,;:!?")
		from := start + len(word) - len(trimmed)
		trimmed = strings.TrimRight(trimmed, "\"'”’)]}>*.,;:!?")
		trimmed = strings.TrimSuffix(strings.TrimSuffix(trimmed, "'s"), "’s")
		to := from + len(trimmed)
		l := words.Lexeme{Start: from, End: to}
		if !isIdentifier(trimmed) || fr.isTaken(&l) {
			continue
		}
		if tokens := fr.phrase(from, to); len(tokens) > 0 {
			fr.add(fact{kind: KindIdentifier, start: from, end: to, tokens: tokens})
			fr.take(from, to)
		}
	}
	for i := range fr.scan.Lexemes {
		l := &fr.scan.Lexemes[i]
		if l.Kind != words.Number || l.Keys[0][0] != 'i' || fr.isTaken(l) {
			continue
		}
		surface := fr.scan.Surface(*l)
		if knownWord(surface) || quarter.MatchString(surface) ||
			strings.Trim(surface, "0123456789/-,:–") == "" {
			fr.take(l.Start, l.End)
			continue
		}
		fr.add(fact{kind: KindIdentifier, start: l.Start, end: l.End, tokens: []string{token(l)}})
		fr.take(l.Start, l.End)
	}
}

var (
	quarter  = text.NewRegexp(`^[QH][1-4]$`)
	fileName = text.NewRegexp(`^[\w./~-]*[\w-]{2,}\.[a-z][a-z0-9]{0,5}(?::\d+)*$`)
	camel    = text.NewRegexp(`[a-z][A-Z]`)
)

// isIdentifier reports whether a word without blanks is a path, a file, an address, an
// option or a name of code.
func isIdentifier(w string) bool {
	switch {
	case len(w) < 3 || len(w) > 300 || !strings.ContainsFunc(w, unicode.IsLetter):
		return false
	case strings.Contains(strings.Trim(w, "_"), "_") && !strings.Contains(w, "__ "),
		strings.Contains(w, "::"),
		strings.HasSuffix(w, "()"),
		strings.HasPrefix(w, "--"):
		return true
	case strings.Contains(w, "@") && strings.Contains(w, "."):
		return true
	case strings.Contains(w, "/"):
		return strings.ContainsAny(w, "0123456789._~") && !unicode.IsDigit(rune(w[0])) &&
			w[0] != '$' ||
			strings.Count(w, "/") > 1 ||
			w[0] == '/'
	case fileName.MatchString(w):
		return !shortForms()[strings.ToLower(w)] &&
			strings.ContainsFunc(w[:strings.LastIndex(w, ".")], unicode.IsLetter)
	}
	return camel.MatchString(w) && !strings.ContainsAny(w, " $€£%")
}

// surround collects what is said around a fact.
func (t *tracer) surround(f *fact) {
	u := &t.units[f.unit]
	near, far := t.near[:0], t.far[:0]
	for _, w := range t.context[f.unit] {
		if w.at >= f.end && u.row == 0 &&
			strings.ContainsAny(u.report.Text()[f.end:w.at], ",;:") {
			w.name = false // of another clause
		}
		if w.at >= f.end || w.at < f.start || f.kind == KindNumber && w.at >= f.start {
			near = append(near, w)
		}
	}
	distance := func(w contextWord) int { return max(f.start-w.at, w.at-f.end) }
	slices.SortStableFunc(near, func(a, b contextWord) int { return distance(a) - distance(b) })
	if u.row > 0 && u.header >= 0 {
		near = append(t.column(u, f.start), near...)
	}
	f.near, f.names = addWords(nil, nil, near, nearBits, 0)
	for i := len(u.headings) - 1; i >= 0; i-- {
		far = append(far, t.context[u.headings[i]]...)
	}
	titles, _ := addWords(nil, f.near, far, mostTitled, 0)
	f.titled = len(titles)
	var before, after []contextWord // what is said before and after it
	if u.before >= 0 {
		before = t.context[u.before]
	}
	if next := f.unit + 1; next < len(t.units) && t.units[next].block == u.block && u.row == 0 &&
		t.units[next].report == u.report {
		after = t.context[next]
	}
	for i := range max(len(before), len(after)) {
		far = append(far, before[min(i, len(before)):min(i+1, len(before))]...)
		far = append(far, after[min(i, len(after)):min(i+1, len(after))]...)
	}
	for next := f.unit + 1; u.row < 0 && next < len(t.units); next++ {
		if t.units[next].header != f.unit {
			break
		}
		far = append(far, t.context[next]...)
	}
	var names uint64
	t.near, t.far = near, far
	f.far, names = addWords(nil, f.near, far, farBits, nearBits)
	f.names |= names
}

func addWords(ids, but []int32, from []contextWord, most, shift int) ([]int32, uint64) {
	var names uint64
	for _, w := range from {
		if len(ids) == most {
			break
		}
		if !slices.Contains(ids, w.id) && !slices.Contains(but, w.id) {
			if w.name {
				names |= 1 << (len(ids) + shift)
			}
			ids = append(ids, w.id)
		}
	}
	return ids, names
}

// column is the words of the header above a place in a row.
func (t *tracer) column(u *unit, at int) (out []contextWord) {
	n := 0
	for n+1 < len(u.cells) && u.cells[n+1] <= at {
		n++
	}
	h := &t.units[u.header]
	if n >= len(h.cells) {
		return nil
	}
	from, to := h.cells[n], h.end
	if n+1 < len(h.cells) {
		to = h.cells[n+1]
	}
	for _, w := range t.context[u.header] {
		if w.at >= from && w.at < to {
			out = append(out, w)
		}
	}
	return out
}
