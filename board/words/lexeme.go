package words

import (
	"math/big"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Lexeme is a word, a number or a pair of characters of an unspaced script, with its
// position in a text.
type Lexeme struct {
	Kind       Kind
	Start, End int
	Keys       []string // what a text that has the lexeme answers to
	Want       []string // what satisfies a finding that has it: any one of these
	Plain      string   // the folded word

	unit      *unit  // of a number
	bareValue string // the number without it
	until     int    // where the unit ends
	scale     int    // how many zeros a word added to it: million
}

// Kind is the kind of a lexeme.
type Kind uint8

// The kinds of lexemes.
const (
	Word Kind = iota // of letters
	// two neighbouring characters of an unspaced script, or one that stands alone
	Pair
	Number // a number, date, time or identifier
	Part   // a word that belongs to a number: "March", "million"
)

// Scanner splits texts into lexemes, in the order of their start.
type Scanner struct {
	Text    string
	Lexemes []Lexeme            // of Text; the next Scan writes over them
	keys    map[string][]string // of the words met so far
}

// ScanEnd returns how much of a text is scanned at a time: up to an empty line, which nothing that
// makes up one number crosses, or a good deal of it if there is none.
func ScanEnd(text string) int {
	head := text[:min(len(text), 64<<10)]
	if i := strings.LastIndex(head, "\n\n"); i >= 0 && len(head) < len(text) {
		return i + 2
	} else if len(head) == len(text) {
		return len(text)
	} else if i := strings.LastIndexAny(head, "\n "); i > 0 {
		return i + 1
	}
	end := len(head)
	for end > len(head)-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// Scan returns the lexemes of a text, in the order of their start. The next call overwrites them.
func (s *Scanner) Scan(text string) []Lexeme {
	s.Text, s.Lexemes = text, s.Lexemes[:0]
	s.splitChunks()
	s.group()
	s.join()
	s.spell()
	s.readFractions()
	s.readChances()
	s.measure()
	s.readRanges()
	s.joinDurations()
	return s.Lexemes
}

// Surface returns a lexeme as written in the text.
func (s *Scanner) Surface(l Lexeme) string { return s.Text[l.Start:l.End] }

// Shown returns a lexeme as its reader knows it: a number with its currency and percent sign.
func (s *Scanner) Shown(l Lexeme) string {
	start, end := l.Start, l.End
	if l.Kind != Number {
		return s.Text[start:end]
	}
	if r, size := utf8.DecodeLastRuneInString(s.Text[:start]); unicode.Is(unicode.Sc, r) {
		start -= size
	}
	if rest := strings.TrimLeft(s.Text[end:], " \u00a0"); strings.HasPrefix(rest, "%") {
		end = len(s.Text) - len(rest) + 1
	}
	return s.Text[start:end]
}

// splitChunks makes the first pass: words, numbers and identifiers as they stand.
func (s *Scanner) splitChunks() {
	for i := 0; i < len(s.Text); {
		r, size := utf8.DecodeRuneInString(s.Text[i:])
		switch {
		case unspaced(r):
			i = s.pairs(i)
		case alnum(r):
			end := s.chunkEnd(i)
			s.classify(i, end)
			i = end
		default:
			i += size
		}
	}
}

func alnum(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z'
	}
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unspaced(r)
}

// joint returns the mark that r is inside a chunk, with all dashes and apostrophes made
// equal, or 0 if r ends a chunk.
func joint(r rune) byte {
	switch r {
	case '-', '‐', '‑', '‒', '–', '—', '−':
		return '-'
	case '.', ',', '/', ':', '\'':
		return byte(r)
	case '’':
		return '\''
	}
	return 0
}

// maxChunk bounds a chunk with joints in it. Only nonsense is longer.
const maxChunk = 200

// chunkEnd returns the end of the chunk that begins at i: letters and digits, and
// single joints between them.
func (s *Scanner) chunkEnd(i int) int {
	for begin := i; i < len(s.Text); {
		r, size := utf8.DecodeRuneInString(s.Text[i:])
		switch {
		case alnum(r) || unicode.Is(unicode.Mn, r) || i > begin && power(r) != 0:
			i += size
		case joint(r) != 0:
			next, _ := utf8.DecodeRuneInString(s.Text[i+size:])
			if !alnum(next) || i-begin > maxChunk {
				return i
			}
			i += size
		default:
			return i
		}
	}
	return i
}

// pairs adds the pairs of a run of unspaced characters and returns its end.
func (s *Scanner) pairs(i int) int {
	start, prev := i, -1
	for i < len(s.Text) {
		r, size := utf8.DecodeRuneInString(s.Text[i:])
		if !unspaced(r) {
			break
		}
		if prev >= 0 {
			s.addPair(prev, i+size)
		}
		prev = i
		i += size
	}
	if prev == start {
		s.addPair(start, i)
	}
	return i
}

func (s *Scanner) addPair(start, end int) {
	s.Lexemes = append(s.Lexemes, Lexeme{Kind: Pair, Start: start, End: end,
		Keys: []string{"c:" + s.Text[start:end]}})
}

// classify adds the lexemes of the chunk text[start:end].
func (s *Scanner) classify(start, end int) {
	raw := s.Text[start:end]
	if !strings.ContainsFunc(raw, func(r rune) bool {
		return r >= '0' && r <= '9' || r >= utf8.RuneSelf && (unicode.IsDigit(r) || power(r) != 0)
	}) {
		s.words(start, end)
		return
	}
	// Digits are narrowed and dashes made equal; lengths change then, so places inside
	// the chunk are those of the whole chunk.
	norm := strings.Map(func(r rune) rune {
		if j := joint(r); j != 0 {
			return rune(j)
		}
		if p := power(r); p != 0 {
			return p
		}
		if d := decimalDigit(r); d >= 0 {
			return '0' + d
		}
		return foldRune(r)
	}, raw)
	s.number(start, end, norm)
}

// decimalDigit returns the value of a digit in any script, or -1.
func decimalDigit(r rune) rune {
	if r < utf8.RuneSelf || !unicode.IsDigit(r) {
		return -1
	}
	for d := rune(0); d < 10; d++ {
		if !unicode.IsDigit(r - d - 1) {
			return d
		}
	}
	return -1
}

// number adds the lexemes of a normalised chunk with digits.
func (s *Scanner) number(start, end int, c string) {
	add := func(keys, want []string) {
		s.Lexemes = append(s.Lexemes, Lexeme{Kind: Number, Start: start, End: end,
			Keys: keys, Want: want, Plain: c})
	}
	day, at, ok := strings.Cut(c, "t") // 2026-03-23T10:00:00Z
	if !ok || len(day) != 10 {
		day, at = c, ""
	}
	if keys, want := numericDate(day); want != nil {
		add(append(keys, times(strings.TrimSuffix(at, "z"), "")...), want)
		return
	}
	bare := strings.TrimSuffix(strings.TrimSuffix(c, "am"), "pm")
	if keys := times(bare, c[len(bare):]); keys != nil {
		add(keys, keys[:1:1])
		return
	}
	if keys := period(strings.ReplaceAll(c, "-", "")); keys != nil {
		add(keys, keys[:1:1])
		return
	}
	if letter := strings.IndexAny(c, "hmsnu"); letter > 0 && len(c) < 20 &&
		strings.ContainsAny(c[letter:], "0123456789") {
		if d, err := time.ParseDuration(c); err == nil { // 1h30m
			key := "u:time:" + big.NewRat(int64(d), int64(time.Second)).RatString()
			add([]string{key}, []string{key})
			return
		}
	}
	if q, ok := parseQuantity(c); ok {
		s.quantity(start, end, q)
		return
	}
	for _, sep := range []string{"/", ":", ","} {
		if strings.Contains(c, sep) {
			for p := range strings.SplitSeq(c, sep) {
				if p != "" {
					s.part(start, end, p)
				}
			}
			return
		}
	}
	parts := strings.Split(c, "-")
	if len(parts) > 1 && s.addCompound(start, end, parts) {
		return
	}
	// a file name
	if len(parts) == 1 && strings.Contains(c, ".") && strings.Trim(c, "v0123456789.") != "" {
		for p := range strings.SplitSeq(c, ".") {
			s.part(start, end, p)
		}
		return
	}
	id := strings.ReplaceAll(c, "-", "")
	if n := len(id); n > 2 && id[n-1] == 's' && Digits(id[n-2:n-1]) { // several UCC-1s
		id = id[:n-1]
	}
	add([]string{"i:" + id}, []string{"i:" + id})
}

// part adds one piece of a chunk that was split.
func (s *Scanner) part(start, end int, p string) {
	if strings.ContainsAny(p, "0123456789") {
		s.number(start, end, p)
	} else {
		s.word(start, end, p)
	}
}

// addCompound adds chunks with dashes that are not identifiers: 10-month, 10-15, $37.5-million, mid-2025, first-2. It
// reports whether a chunk is one.
func (s *Scanner) addCompound(start, end int, parts []string) bool {
	var numbers, words int
	bounds := parts[0] == "over" || parts[0] == "under" // over-75
	for i, p := range parts {
		q, ok := parseQuantity(p)
		switch {
		case ok && (q.unit == "" || scaleOf(q.unit) > 0 || i > 0 && words == 0 && isUnit(q.unit)):
			numbers++
			if i > 0 && (words == 0 && len(parts) > 2 || words > 0 &&
				len(q.value) != 4 && !bounds) {
				return false
			}
			if strings.Trim(p, "0123456789") == "" && (len(p) > 4 || i == 0 && len(parts) == 2 &&
				Digits(parts[1]) && len(p) > 1 && len(parts[1]) > 4) {
				return false
			}
		case len(p) >= 2 && !strings.ContainsAny(p, "0123456789"):
			// Letters in capitals make an identifier of it: OH-2021. A surface of two
			// letters or less does so too.
			if raw := s.Text[start:end]; len(p) < 3 || raw == strings.ToUpper(raw) {
				return false
			}
			words++
		default:
			return false
		}
	}
	if words > 0 && numbers > 0 {
		// Names such as covid-19 begin with a word and end with a number that is no
		// year.
		if first, ok := parseQuantity(parts[0]); (!ok || first.value == "") && !bounds {
			if last := parts[len(parts)-1]; len(last) != 4 || !Digits(last) ||
				last < "1800" || last > "2199" {
				return false
			}
		}
	}
	first := len(s.Lexemes)
	for _, p := range parts {
		s.part(start, end, p)
	}
	if numbers > 0 {
		for i := first; i < len(s.Lexemes); i++ {
			l := &s.Lexemes[i]
			if n := numerals()[l.Plain]; l.Kind == Word && n.value == 0 &&
				n.scale == 0 && l.Plain != "percent" {
				l.Kind = Part // the unit, as in 10-month
			}
		}
	}
	return true
}

// quantity adds a number with what is attached to it.
func (s *Scanner) quantity(start, end int, q quantity) {
	key, scale := "", 0
	switch q.unit {
	case "st", "nd", "rd", "th":
		key = "o:" + decimal(q.value, 0)
	case "am", "pm":
		key = clock(q.value+":00", q.unit)
	default:
		if scale = scaleOf(q.unit); q.unit == "mm" && !s.hasCurrencyBefore(start) {
			scale = 0 // millimetres
		}
	}
	if key == "" {
		key = "n:" + decimal(q.value, scale)
	}
	l := Lexeme{Kind: Number, Start: start, End: end, Keys: []string{key}, Want: []string{key},
		Plain: q.value, scale: scale}
	// metres as well as millions
	if q.unit == "m" && s.Text[end-1] == 'm' && !s.hasCurrencyBefore(start) {
		metre := units()["metre"]
		l.addKeys(metre.keys(q.value)...)
		l.Want = append(l.Want, l.Keys[1])
	}
	s.Lexemes = append(s.Lexemes, l)
	if q.unit != "" && scale == 0 && key[0] == 'n' {
		s.word(start, end, strings.TrimLeft(q.unit, "/:-"))
	}
}

// words adds the words of a chunk without digits.
func (s *Scanner) words(start, end int) {
	from := start
	for i := start; i <= end; {
		r, size := utf8.RuneError, 1
		if i < end {
			r, size = utf8.DecodeRuneInString(s.Text[i:end])
		}
		if j := joint(r); i == end || j != 0 && j != '\'' {
			if i > from {
				w := s.Text[from:i]
				if cut := strings.LastIndexAny(w, "'’"); cut > 0 &&
					strings.TrimLeft(w[cut:], "'’sS") == "" {
					w = w[:cut] // the company's
				}
				s.word(from, i, FoldWord(w))
			}
			from = i + size
		}
		i += size
	}
}

func (s *Scanner) word(start, end int, w string) {
	if w == "" {
		return
	}
	keys := s.keys[w]
	if keys == nil {
		if keys = []string{"w:" + Stem(w)}; s.keys == nil {
			s.keys = map[string][]string{}
		}
		s.keys[w] = keys
	}
	s.Lexemes = append(s.Lexemes, Lexeme{Kind: Word, Start: start, End: end,
		Keys: keys[:1:1], Plain: w})
}
