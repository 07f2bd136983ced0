package verify

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A stream is a text without what does not count in a quote.
type stream struct {
	text  string
	exact string // the characters that count, as they are written
	fold  string // the same in lower case; a character begins at the same byte as in exact
	words []word
}

// A word is a run of characters of a stream between which the text has nothing, or one
// character of a script without blanks.
type word struct {
	at         int32 // in the stream
	start, end int32 // in the text
}

// end returns where a word ends in the stream.
func (s *stream) end(i int) int {
	if i+1 < len(s.words) {
		return int(s.words[i+1].at)
	}
	return len(s.exact)
}

// word returns a word in lower case.
func (s *stream) word(i int) string { return s.fold[s.words[i].at:s.end(i)] }

// written returns words as the text has them.
func (s *stream) written(from, to int) string {
	if from >= to {
		return ""
	}
	return s.text[s.words[from].start:s.words[to-1].end]
}

// index returns the word that holds a place of the stream.
func (s *stream) index(at int) int {
	return sort.Search(len(s.words), func(i int) bool { return int(s.words[i].at) > at }) - 1
}

// tagOf reports whether an element's tags are markup within Markdown, and whether they part words.
func tagOf(name string) (is, parts bool) {
	switch name {
	case "a", "b", "code", "del", "em", "font", "i", "img", "ins", "kbd", "s", "samp", "small", "span", "strong",
		"sub", "sup", "tt", "u", "var":
		return true, false
	case "blockquote", "br", "center", "dd", "details", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
		"li", "ol", "p", "pre", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul":
		return true, true
	}
	return false, false
}

// entity returns what a character reference stands for, of those in Markdown and code
// comments.
func entity(name string) (as string, known bool) {
	switch name {
	case "amp":
		return "&", true
	case "lt":
		return "<", true
	case "gt":
		return ">", true
	case "quot", "#34", "apos", "#39":
		return "'", true
	case "nbsp":
		return " ", true
	case "shy":
		return "", true
	case "mdash":
		return "—", true
	case "ndash":
		return "–", true
	case "hellip":
		return "…", true
	}
	return "", false
}

// What a character is to a stream.
type class uint8

const (
	gap     class = iota // between words
	inWord               // a letter, mark or digit
	alone                // a word of its own: a character of an unspaced script, a sign
	nothing              // not there: a soft hyphen
)

func classOf(r rune) class {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return inWord
	case r < utf8.RuneSelf:
		if strings.IndexByte("$%&@^", byte(r)) >= 0 {
			return alone
		}
		return gap
	case r == 0xad,
		r >= 0x200b && r <= 0x200d,
		r == 0x2060,
		r == 0xfeff,
		r >= 0xfe00 && r <= 0xfe0f,
		r == utf8.RuneError:
		return nothing
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return alone
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r):
		return inWord
	case strings.ContainsRune("−©®™†‡●○■□▪▫◦‣", r):
		return gap
	case unicode.Is(unicode.S, r), r == '§', r == '‰':
		return alone
	}
	return gap
}

// streamer makes a stream.
type streamer struct {
	stream
	exact, fold []byte
	open        bool // the last word may go on
}

// newStream reads a text of any content. The texts of documents are short enough for offsets of
// 32 bits.
func newStream(text string) *stream {
	s := &streamer{stream: stream{text: text}}
	s.exact, s.fold = make([]byte, 0, len(text)*4/5), make([]byte, 0, len(text)*4/5)
	s.words = make([]word, 0, len(text)/6)
	for at := 0; at < len(text); {
		r, size := rune(text[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[at:])
		}
		c := classOf(r)
		if c == gap || r == '&' {
			if n, as := s.markup(at, r); n > 0 {
				s.unescaped(as, at, at+n)
				at += n
				continue
			}
			if r != '&' {
				c, r = s.joined(at, r, size)
			}
		}
		s.put(c, r, at, at+size)
		at += size
	}
	s.stream.exact, s.stream.fold = string(s.exact), string(s.fold)
	return &s.stream
}

// put adds a character of the text, with its place there.
func (s *streamer) put(c class, r rune, from, to int) {
	switch c {
	case nothing:
		return
	case gap:
		s.open = false
		return
	case alone:
		s.open = false
	}
	if !s.open {
		s.words = append(s.words, word{at: int32(len(s.exact)), start: int32(from)})
	}
	s.words[len(s.words)-1].end = int32(to)
	s.open = c == inWord
	if r < utf8.RuneSelf {
		s.exact = append(s.exact, byte(r))
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		s.fold = append(s.fold, byte(r))
		return
	}
	if !unicode.Is(unicode.No, r) { // 10² is not 102
		if d := norm.NFKD.PropertiesString(string(r)).Decomposition(); d != nil {
			for _, part := range norm.NFKD.String(string(r)) {
				s.rune(part)
			}
			return
		}
	}
	s.rune(r)
}

func (s *streamer) rune(r rune) {
	s.exact = utf8.AppendRune(s.exact, r)
	if low := unicode.ToLower(r); utf8.RuneLen(low) == utf8.RuneLen(r) {
		r = low
	}
	s.fold = utf8.AppendRune(s.fold, r)
}

// unescaped adds what markup stands for: nothing for most of it.
func (s *streamer) unescaped(as string, from, to int) {
	for _, r := range as {
		if c := classOf(r); c != inWord {
			s.put(c, r, from, to)
		}
	}
}

// markup returns how long the markup is that begins at a place, and what it stands for.
// The text of markup is not what a reader sees: tags, the targets of links, references.
func (s *streamer) markup(at int, r rune) (length int, as string) {
	rest := s.text[at:]
	switch r {
	case '&':
		if end := strings.IndexByte(rest[:min(len(rest), 10)], ';'); end > 1 {
			if as, known := entity(rest[1:end]); known {
				return end + 1, as
			}
		}
	case '<':
		name := strings.TrimPrefix(rest[1:min(len(rest), 16)], "/")
		end := strings.IndexFunc(name,
			func(r rune) bool { return r < '0' || r > 'z' || r > '9' && r < 'A' })
		if strings.HasPrefix(rest, "<!--") || end <= 0 {
			return 0, ""
		}
		is, parts := tagOf(strings.ToLower(name[:end]))
		if n, ended := within(rest[1:], '>', "<"); is && ended {
			if parts {
				as = " "
			}
			return n + 2, as
		}
	case ']':
		if strings.HasPrefix(rest, "](") {
			if n, ended := within(rest[2:], ')', "\n \t("); ended {
				return n + 3, ""
			}
		}
	}
	return 0, ""
}

// within returns where a mark comes before any of the characters in not, and near. One
// of these begins what is looked for, so that no text is searched again and again.
func within(s string, mark byte, not string) (int, bool) {
	const most = 400
	for i := range min(len(s), most) {
		switch {
		case s[i] == mark:
			return i, true
		case strings.IndexByte(not, s[i]) >= 0:
			return i, false
		}
	}
	return min(len(s), most), false
}

// joined reads punctuation that belongs to what stands right beside it: the marks in a
// number, a sign, an apostrophe.
func (s *streamer) joined(at int, r rune, size int) (class, rune) {
	switch r {
	case '.', ',', ':', '/', '-', '+', '\'', '’', '−', '–':
	default:
		return gap, r
	}
	before := ' '
	if at > 0 {
		before, _ = utf8.DecodeLastRuneInString(s.text[:at])
	}
	after, _ := utf8.DecodeRuneInString(s.text[at+size:])
	switch r {
	case '\'', '’':
		if s.open && unicode.IsLetter(after) && classOf(after) == inWord {
			return inWord, '\''
		}
	case '.', ',', ':', '/':
		if !digit(after) {
			return gap, r
		}
		if s.open && digit(before) {
			return inWord, r
		}
		if r == '.' && classOf(before) == gap && before != '.' && before != ']' &&
			before != ')' { // .5
			s.begin()
			return inWord, r
		}
	default: // a sign
		if digit(after) && classOf(before) == gap && !strings.ContainsRune("-–−+)]", before) ||
			r == '−' && digit(after) && !s.open {
			s.begin()
			if r != '+' {
				r = '-'
			}
			return inWord, r
		}
	}
	return gap, r
}

// begin makes the next character begin a word.
func (s *streamer) begin() { s.open = false }

func digit(r rune) bool { return r >= '0' && r <= '9' }

// between returns what the text has between a word and the one before it; before the
// first word and after the last, what stands there up to the next blank.
func (s *stream) between(i int) string {
	from, to := 0, len(s.text)
	if i > 0 {
		from = int(s.words[i-1].end)
	}
	if i < len(s.words) {
		to = int(s.words[i].start)
	}
	return s.text[min(from, to):to]
}

// withoutMarkup returns what stands between words without tags and the targets of links.
func withoutMarkup(between string) string {
	if !strings.ContainsAny(between, "<]&") {
		return between
	}
	s := streamer{stream: stream{text: between}}
	var b strings.Builder
	for at := 0; at < len(between); {
		n, as := 0, ""
		switch c := between[at]; c {
		case '<', ']', '&':
			n, as = s.markup(at, rune(c))
		}
		if n == 0 {
			n, as = 1, between[at:at+1]
		}
		b.WriteString(as)
		at += n
	}
	return b.String()
}

// lineMarks begin a line without being part of what it says: of quotations, headings,
// lists, tables and comments.
const lineMarks = ">#*-+|/;"

// signs returns the punctuation in a gap that changes what is said. With plain, marks
// at the beginning of a line are left out.
func signs(between string, plain bool) string {
	if !strings.ContainsAny(between, "<>=+!?~#&") {
		return ""
	}
	between = withoutMarkup(between)
	var b strings.Builder
	start := false
	var run rune
	n := 0
	end := func() {
		if n > 0 && n < 3 {
			for range n {
				b.WriteRune(run)
			}
		}
		n = 0
	}
	for _, r := range between {
		switch {
		case r == '\n':
			end()
			start = true
			continue
		case plain && start && (strings.ContainsRune(lineMarks, r) || unicode.IsSpace(r)):
			end()
			continue
		case !significant(r):
			end()
			start = start && unicode.IsSpace(r)
			continue
		}
		start = false
		if r != run {
			end()
		}
		run, n = r, n+1
	}
	end()
	return strings.ReplaceAll(b.String(), "~~", "")
}

func significant(r rune) bool {
	switch r {
	case '<', '>', '=', '+', '!', '?', '~', '#':
		return true
	}
	return false
}

// soft reports whether a word may be written together with the one before it: both are
// letters, and there is only a hyphen between them, at the end of a line or within it.
func (s *stream) soft(i int) bool {
	if i <= 0 || i >= len(s.words) {
		return false
	}
	a, _ := utf8.DecodeLastRuneInString(s.exact[:s.words[i].at])
	b, _ := utf8.DecodeRuneInString(s.exact[s.words[i].at:])
	between := s.between(i)
	if !unicode.IsLetter(a) || !unicode.IsLetter(b) {
		return false
	}
	if between == " " { // a page of a PDF may lose a blank: anyQuarter
		return unicode.IsLower(a) && unicode.IsUpper(b)
	}
	hyphen, size := utf8.DecodeRuneInString(between)
	switch hyphen {
	case '-', '\u2010', '\u2011', '\u2012', '–', '\u00ad':
		rest := strings.TrimSpace(between[size:])
		return strings.Trim(rest, lineMarks) == "" &&
			(rest == "" || strings.Contains(between, "\n"))
	}
	return between == ""
}
