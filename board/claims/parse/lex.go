package parse

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"blackboard/board/text"
)

// TokenKind says what a token is.
type TokenKind uint8

const (
	WordToken   TokenKind = iota
	NumberToken           // 41,870, 12.5
	StampToken            // 2026-12-31, 08:07:12, FY2025
	NameToken             // session.go, CVE-2021-25287, 1.12.4, /v2, maxAttempts
	SignToken             // what changes the meaning: % $ < = +
	MarkToken             // what parts clauses and words
)

// A Token is a word, a number or a sign of a text.
type Token struct {
	Kind  TokenKind
	Text  string
	Low   string
	At    int
	Glued bool // nothing stands between it and the one before
	minus bool // of a number
	tied  bool // with a hyphen to the one before
	code  bool // in backticks
	word  *lexeme
}

// has reports whether a word has a trait.
func (t *Token) has(is trait) bool { return t.lexeme().is&is != 0 }

func (t *Token) lexeme() *lexeme {
	if t.word == nil {
		return lexemeOf(t.Text)
	}
	return t.word
}

// End is where a token ends in its text.
func (t *Token) End() int { return t.At + len(t.Text) }

// HasCapital reports whether a token begins with a capital.
func (t *Token) HasCapital() bool {
	r, _ := utf8.DecodeRuneInString(t.Text)
	return unicode.IsUpper(r)
}

// nothing stands before the first token of a text, and after its last.
var nothing = Token{Kind: MarkToken}

// Tokens are those of a text, in order.
type Tokens []Token

// At returns a token, or nothing.
func (t Tokens) At(i int) *Token {
	if i < 0 || i >= len(t) {
		return &nothing
	}
	return &t[i]
}

// word returns a token in lower case, "" if it only parts others.
func (t Tokens) word(i int) string {
	if x := t.At(i); x.Kind != MarkToken {
		return x.Low
	}
	return ""
}

// A lexer cuts a text into tokens.
type lexer struct {
	text string
	out  Tokens
	code bool
}

// Tokenize cuts a text into tokens.
func Tokenize(text string) Tokens { return appendTokens(make(Tokens, 0, len(text)/5+1), text) }

func appendTokens(to Tokens, text string) Tokens {
	l := lexer{text: text, out: to}
	for at := 0; at < len(text); {
		at = l.next(at)
	}
	return l.out
}

func (l *lexer) add(kind TokenKind, text string, at int) {
	n := len(l.out)
	x := Token{Kind: kind, Text: text, At: at, Glued: n > 0 && l.out[n-1].End() == at,
		tied: at > 0 && l.text[at-1] == '-', code: l.code}
	if kind == WordToken {
		x.word = lexemeOf(text)
		x.Low = x.word.low
	} else {
		x.Low = lowered(text)
	}
	l.out = append(l.out, x)
}

func lowered(text string) string { return replace(hyphens, strings.ToLower(text)) }

// replace is r.Replace, which makes a new string of any, but for plain words and numbers, which it leaves as they are.
func replace(r *strings.Replacer, s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] == '\'' || s[i] == ' ' || s[i] == '_' || s[i] == '-' {
			return r.Replace(s)
		}
	}
	return s
}

var hyphens = strings.NewReplacer("‐", "-", "‑", "-", "–", "-", "μ", "µ")

const meaningful = "%‰$€£¥<>=≥≤~≈±°*+/"

var (
	rePlaceholder = text.NewRegexp(`^</?[A-Za-z_][A-Za-z_-]{0,19}>`)
	reURL         = text.NewRegexp(`^https?://[^\s)>"']*[^\s)>"'.,;]`)
	reZone        = text.NewRegexp(`^[+-]\d{2}:?\d{2}\b`)
	reThousand    = text.NewRegexp(`^ \d{3}\b(?:[.,]\d{2}\b)? ?(\p{L}+|[€£¥])?`)
	reThousands   = text.NewRegexp(`^(?:[\x{00a0}\x{202f}\x{2009}]\d{3}\b|( \d{3}\b){2,})+(?:\.\d+\b)?`)
)

// next adds the tokens at a place, and returns where the next ones are.
func (l *lexer) next(at int) int {
	if end := l.letters(at); end > 0 {
		l.add(WordToken, l.text[at:end], at)
		return end
	}
	r, size := utf8.DecodeRuneInString(l.text[at:])
	after, _ := utf8.DecodeRuneInString(l.text[at+size:])
	free := at == 0 || strings.IndexByte(" \n\t(\"'`[|,=", l.text[at-1]) >= 0
	switch {
	case unicode.IsSpace(r):
	case IsUnspaced(r): // a word of its own
		l.add(WordToken, l.text[at:at+size], at)
	case digit(r) && at+4 < len(l.text) && l.text[at+4] >= utf8.RuneSelf && reCJKDate.MatchString(l.text[at:]):
		date := reCJKDate.FindString(l.text[at:])
		l.add(StampToken, date, at)
		return at + len(date)
	case r == '`':
		l.code = !l.code && strings.IndexByte(l.text[at+1:], '`') >= 0
	case r == '<' && rePlaceholder.MatchString(l.text[at:]):
		return at + len(rePlaceholder.FindString(l.text[at:]))
	case inRun(r), free && l.begins(at, r, after):
		return l.run(at, r)
	case free && strings.ContainsRune("-−–", r) && (digit(after) || currencySign(after)):
		return l.negative(at+size, after)
	case strings.ContainsRune(meaningful, r):
		if (r == '<' || r == '>') && after == '=' {
			size++
		}
		l.add(SignToken, l.text[at:at+size], at)
	default:
		l.add(MarkToken, l.text[at:at+size], at)
	}
	return at + size
}

// letters returns where a word ends that is of ASCII's letters, if it begins at a place and is nothing else; most are.
func (l *lexer) letters(at int) int {
	end, humps := at, false
	for ; end < len(l.text) && (l.text[end]|0x20 >= 'a' && l.text[end]|0x20 <= 'z'); end++ {
		humps = humps || end > at && l.text[end] < 'a'
	}
	if end == at || humps || l.code || end < len(l.text) && strings.IndexByte(" \n,;()|!?\"", l.text[end]) < 0 &&
		(l.text[end] != '.' || end+1 < len(l.text) && l.text[end+1] != ' ') {
		return 0
	}
	return end
}

// begins reports whether a sign begins a name: /v2, .pdf, --flag, @home.
func (l *lexer) begins(at int, r, after rune) bool {
	return inRun(after) && (strings.ContainsRune("/.@", r) || r == '-' && unicode.IsLetter(after)) ||
		strings.HasPrefix(l.text[at:], "--")
}

// run adds a run of letters, digits and what joins them.
func (l *lexer) run(at int, r rune) int {
	end := at + runLength(l.text[at:])
	if digit(r) {
		if rest := l.text[end:]; len(rest) > 3 && (rest[0] >= utf8.RuneSelf || rest[0] == ' ' && rest[1] <= '9') {
			if n := len(reThousands.FindString(rest)); n > 0 {
				end += n
			} else if m := reThousand.FindStringSubmatch(rest); m != nil && end-at <= 3 &&
				(currencies()[strings.ToLower(m[1])] != "" ||
					len(l.out) > 0 && currencies()[l.out[len(l.out)-1].Low] != "") {
				end += len(strings.TrimRight(strings.TrimSuffix(m[0], m[1]), " ")) // 12 500 euros
			}
		}
		if isStamp(l.text[at:end]) {
			end += len(reZone.FindString(l.text[end:]))
		}
	}
	first := len(l.out)
	l.classify(l.text[at:end], at)
	if l.code && len(l.out) == first+1 && l.out[first].Kind == WordToken {
		l.out[first].Kind = NameToken // a word in backticks is a name of a program
	}
	return end
}

// negative adds a number with a minus sign: -12, -$4.2 million.
func (l *lexer) negative(at int, r rune) int {
	if currencySign(r) {
		l.add(SignToken, string(r), at)
		at += utf8.RuneLen(r)
	}
	if at >= len(l.text) || !digit(rune(l.text[at])) {
		return at
	}
	first, end := len(l.out), at+runLength(l.text[at:])
	l.classify(l.text[at:end], at)
	if first < len(l.out) {
		l.out[first].minus = true
	}
	return end
}

func digit(r rune) bool        { return r >= '0' && r <= '9' }
func currencySign(r rune) bool { return strings.ContainsRune("$€£¥", r) }
func digits(s string) bool     { return strings.Trim(s, "0123456789") == "" }

func inRun(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || digit(r) || r == '_' ||
		r > 127 && !IsUnspaced(r) && (unicode.IsLetter(r) || unicode.IsMark(r) || strings.ContainsRune("²³", r))
}

// IsUnspaced reports whether a character is of a script that does not part words.
func IsUnspaced(r rune) bool {
	return r > 0xdff && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

var reCJKDate = text.NewRegexp(`^\d{4}[年년]\s?\d{1,2}[月월]\s?\d{1,2}[日일]`)

// runLength returns how many bytes at the beginning of a text belong to one word, number
// or name.
func runLength(s string) int {
	if strings.HasPrefix(s, "http") {
		if url := reURL.FindString(s); url != "" {
			return len(url)
		}
	}
	end, numeric, before := 1, true, rune(0)
	for i, size := 0, 0; i < len(s); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(s[i:])
		after, _ := utf8.DecodeRuneInString(s[i+size:])
		switch {
		case inRun(r):
			end = i + size
		case i == 0, r == '-' && before == '-' && i == 1:
		case !joins(r, before, after, numeric):
			return end
		}
		numeric = numeric && (digit(r) || strings.ContainsRune(".,'’", r))
		before = r
	}
	return end
}

// joins reports whether a sign is inside of a number, word or name.
func joins(r, before, after rune, numeric bool) bool {
	switch r {
	case '.', '-', '‐', '‑', '/', '\'', '’', '@':
		return inRun(after)
	case '–': // OH–2021
		return !numeric && digit(after)
	case ',':
		return numeric && digit(before) && digit(after)
	case ':':
		return digit(after) || after == ':' || before == ':' && inRun(after)
	}
	return false
}

var (
	reStamp = text.NewRegexp(`^(\d{4}-\d{2}-\d{2}([T_]\d{2}:\d{2}.*)?|` +
		`\d{1,2}:\d{2}(:\d{2})?([.,]\d+)?([aApP][mM]|Z)?([+-]\d{2}:?\d{2})?|` +
		`\d{1,2}\.\d{1,2}\.\d{4}|[0-3]\d\.[01]\d\.\d{2}|\d{1,2}-[A-Za-z]{3}-\d{4}|\d{1,2}/\d{1,2}/(\d{4}|\d{2})|\d{4}/\d{1,2}/\d{1,2})$`)
	rePeriod = text.NewRegexp(
		`^(?:(?:FY|fy|CY)(\d{2}|\d{4})|(\d{4})[-/]?Q([1-4])|Q([1-4])|H([12]))$`)
	reDigits  = text.NewRegexp(`^\d{1,3}(?:_\d{3})+$|^\d[\d.,'’\x{00a0}\x{202f}\x{2009} ]*$`)
	reMeasure = text.NewRegexp(`^(\d[\d.,'’]*\d|\d)(-?)([A-Za-zµ]{1,7}[²³]?)$`)
	reVersion = text.NewRegexp(`^\d+(\.\d+){2,}([-+.][0-9.]+)?$`)
	reSpan    = text.NewRegexp(`^(\d[\d.,]*)-([1-9][\d.,]*[A-Za-z%]{0,3})$`)
	reRatio   = text.NewRegexp(`^\d+(\.\d+)?:1$`)
	reOrdinal = text.NewRegexp(`^\d+(st|nd|rd|th)$`)
	reElapsed = text.NewRegexp(`^(?:\d+h)?\d+m(?:\d+(?:\.\d+)?s)?$`)
	reMoney   = text.NewRegexp(`^([A-Z]{2,3})(\d.*)$`)
	reParted  = text.NewRegexp(`^(\d[\d.,]*[A-Za-z]{0,2}|[A-Za-z]+)([-/])([A-Za-z]+|\d{4})$`)
	reCamel   = text.NewRegexp(`^[^-]*\p{L}\p{L}\p{Ll}\p{Lu}\p{Ll}\p{Ll}+$`)
)

func isStamp(s string) bool {
	return digit(rune(s[0])) && (strings.IndexByte(s, ':') > 0 || strings.Count(s, "-") > 1 || strings.Count(s, ".") > 1 ||
		strings.Count(s, "/") > 1) && reStamp.MatchString(s)
}

// isPlainNumber reports whether a run is digits, with a point or commas at most.
func isPlainNumber(s string) bool {
	return digit(rune(s[0])) && strings.Trim(s, "0123456789,.") == "" && strings.Count(s, ".") < 2
}

// plainWord reports whether a run has only letters, and no capital inside as maxAttempts has.
func plainWord(s string) bool {
	humps := false // a capital behind another letter
	for i := range len(s) {
		if c := s[i] | 0x20; (c < 'a' || c > 'z') && s[i] < utf8.RuneSelf {
			return false
		}
		humps = humps || i > 0 && (s[i] >= 'A' && s[i] <= 'Z' || s[i] >= utf8.RuneSelf)
	}
	return !humps || !reCamel.MatchString(s)
}

// classify adds the tokens of a run.
func (l *lexer) classify(s string, at int) {
	switch {
	case s == "":
	case plainWord(s):
		l.add(WordToken, s, at)
	case strings.IndexFunc(s, digit) >= 0:
		l.numeric(s, at)
	case nameLike(s):
		l.add(NameToken, s, at)
	default:
		if i := strings.IndexAny(s, "-/"); i >= 0 {
			l.classify(s[:i], at)
			if s[i] == '/' { // km/h
				l.add(SignToken, "/", at+i)
			}
			l.classify(s[i+1:], at+i+1)
			return
		}
		l.add(WordToken, s, at)
	}
}

// numeric adds the tokens of a run that has digits.
func (l *lexer) numeric(s string, at int) {
	part := func(kind TokenKind, from, to int) { l.add(kind, s[from:to], at+from) }
	rest := func(from int) { l.classify(s[from:], at+from) }
	isNumber, begins := false, digit(rune(s[0])) // no number begins otherwise
	var measure []string
	if isPlainNumber(s) {
		if _, ok := parseNumber(s); ok {
			part(NumberToken, 0, len(s))
			return
		}
	}
	stamp := isStamp(s) || strings.ContainsAny(s, "QHYy") && rePeriod.MatchString(s)
	if begins && !stamp {
		if measure = reMeasure.FindStringSubmatch(s); reDigits.MatchString(s) {
			_, isNumber = parseNumber(s)
		}
	}
	switch {
	case stamp:
		part(StampToken, 0, len(s))
	case strings.HasPrefix(s, "http"), begins && !thousandsByPoints(s) && reVersion.MatchString(s):
		part(NameToken, 0, len(s))
	case isNumber:
		part(NumberToken, 0, len(s))
	case strings.Contains(s, ","): // 7480,2026-12-31 of a list
		from := 0
		for i := range len(s) {
			if s[i] == ',' {
				l.classify(s[from:i], at+from)
				part(MarkToken, i, i+1)
				from = i + 1
			}
		}
		rest(from)
	case begins && reRatio.MatchString(s): // 3.25:1
		part(NumberToken, 0, len(s)-2)
		l.add(WordToken, "x", at+len(s)-2)
	case begins && reSpan.MatchString(s): // 10-15
		i := strings.IndexByte(s, '-')
		part(NumberToken, 0, i)
		l.add(WordToken, "to", at+i)
		rest(i + 1)
	case begins && reOrdinal.MatchString(s), isUnit(s): // 2nd, m3
		part(WordToken, 0, len(s))
	case begins && measure == nil && reElapsed.MatchString(s): // 6h20m, 3m10s
		from := 0
		for i := range len(s) {
			if s[i] > '9' {
				part(NumberToken, from, i)
				part(WordToken, i, i+1)
				from = i + 1
			}
		}
	case measure != nil && !reVersion.MatchString(measure[1]) && (measure[2] == "-" || isUnit(measure[3]) ||
		strings.EqualFold(measure[3], "am") || strings.EqualFold(measure[3], "pm")): // 300ms, 30-day, 5pm
		i := len(measure[1])
		part(NumberToken, 0, i)
		part(WordToken, i+len(measure[2]), len(s))
	case !begins && reMoney.MatchString(s) && currencies()[strings.ToLower(reMoney.FindStringSubmatch(s)[1])] != "":
		i := strings.IndexFunc(s, digit) // EUR18,000
		part(WordToken, 0, i)
		rest(i)
	default:
		l.parted(s, at)
	}
}

var yearWords = NewSet("mid early late end pre post year")

// parted adds a number and a word that a sign joins: 500/month, mid-2028.
func (l *lexer) parted(s string, at int) {
	var m []string
	if i := strings.IndexAny(s, "-/"); i > 0 && (digit(rune(s[0])) || yearWords.Has(strings.ToLower(s[:i]))) {
		m = reParted.FindStringSubmatch(s)
	}
	if m == nil || !(digit(rune(s[0])) && m[3][0] > '9') &&
		!(yearWords.Has(strings.ToLower(m[1])) && m[3][0] <= '9') {
		l.add(NameToken, s, at)
		return
	}
	i := len(m[1])
	l.classify(s[:i], at)
	if s[i] == '/' {
		l.add(SignToken, "/", at+i)
	}
	l.classify(s[i+1:], at+i+1)
}

// nameLike reports whether letters and signs are a name of a program or a file.
func nameLike(s string) bool {
	dotted := strings.Contains(s, ".")
	for part := range strings.SplitSeq(s, ".") { // session.go, but not e.g
		dotted = dotted && len(part) > 1
	}
	return dotted || strings.ContainsAny(s, "_@") || strings.IndexByte("/.-", s[0]) >= 0 ||
		strings.Contains(s, "::") || strings.Count(s, "/") > 1 || reCamel.MatchString(s)
}

// isInitial reports whether a word is a capital letter, as of a name: no sentence or clause ends at the point behind it.
func isInitial(s string) bool { return len(s) == 1 && s >= "A" && s <= "Z" }
