package words

import (
	"strings"
	"unicode/utf8"
)

// A token is an identifier, a path, a number, a word: words held together by
// connectors. Its pieces are terms, its groups extra terms.

// A piece of a token and how it is held to the piece before.
type piece struct {
	start, end int // in Analyzer.text
	bond       bond
	plural     bool // of an acronym: URLs
}

// bond is what holds two pieces together, the closest first. A group is a run of pieces
// held by a bond or closer ones.
type bond uint8

const (
	bondCase   bond = iota // nothing is between them: camelCase, sha256
	bondHyphen             // foo-bar, foo_bar, 1,000
	bondDot                // foo.bar
	bondPath               // foo/bar, foo:bar, foo::bar, foo@bar, foo&bar
	bondNone
)

// maxPieces is where a token ends though a connector follows. All of its groups that
// matter are longer than maxTerm by then.
const maxPieces = 64

// token gives the terms of the token at i. It returns where the token ends.
func (a *Analyzer) token(s string, i int) int {
	a.text, a.pieces = a.text[:0], a.pieces[:0]
	start, suffix := i, ""
	for link := bondNone; ; {
		word := len(a.text)
		i = a.word(s, i, link)
		if suffix = suffixAt(s, i, len(a.text)-word); suffix != "" || len(a.pieces) >= maxPieces {
			break
		}
		var end int
		if end, link = connector(s, i); link == bondNone {
			break
		}
		a.connect(s[i:end])
		i = end
	}
	for _, p := range a.pieces {
		t := a.term(a.text[p.start:p.end])
		a.emit(t, false)
		if a.langs != 0 {
			a.stems(a.text[p.start:p.end])
		}
		if p.plural {
			// The stemmer does not know LLMs and CPUs for plurals. What it makes of
			// llms must stay the term, since people write that too.
			if one := a.term(a.text[p.start : p.end-1]); one != t {
				a.emit(one, true)
			}
		}
		if isHash(a.text[p.start:p.end]) {
			a.emit(a.term(a.text[p.start:p.start+shortHash]), true)
		}
	}
	if len(a.pieces) == 0 {
		return i
	}
	a.groups()
	a.prefixed(s, start)
	if suffix != "" { // C++, C#
		from := len(a.pieces) - 1
		for from > 0 && a.pieces[from].bond == bondCase {
			from--
		}
		a.affixed("", a.text[a.pieces[from].start:], suffix)
	}
	return i + len(suffix)
}

// connect adds a connector to the text. Which kind of slash or hyphen it is makes no
// difference.
func (a *Analyzer) connect(connector string) {
	for _, r := range connector {
		switch r {
		case '\\':
			r = '/'
		case '‐', '–':
			r = '-'
		}
		a.text = utf8.AppendRune(a.text, r)
	}
}

// word adds the word at i to the token. It returns where the word ends.
func (a *Analyzer) word(s string, i int, link bond) int {
	start := len(a.text)
	a.kinds, a.at = a.kinds[:0], a.at[:0]
	last := kindBreak
	for {
		r, n, k := next(s, i)
		switch {
		case k.inWord():
			last = k
			if len(a.text)-start <= maxTerm { // beyond that only the end of the word matters
				a.kinds, a.at = append(a.kinds, k), append(a.at, len(a.text))
				a.text = appendFolded(a.text, r)
			}
		case k == kindMark:
			if len(a.text)-start <= maxTerm {
				a.text = append(a.text, s[i:i+n]...)
			}
		case k == kindSkip:
		case k == kindQuote && last.isLetter():
			after, m, k := next(s, i+n)
			if !k.isLetter() {
				a.split(start, link)
				return i
			}
			if after == 's' || after == 'S' {
				if _, _, k := next(s, i+n+m); !k.inWord() && k != kindMark && k != kindQuote {
					a.split(start, link)
					return i + n + m
				}
			}
		default:
			a.split(start, link)
			return i
		}
		i += n
	}
}

// split cuts the word that begins at start into pieces.
func (a *Analyzer) split(start int, link bond) {
	word := a.text[start:]
	if len(word) == 0 {
		return
	}
	if len(word) > maxTerm {
		a.text = a.text[:start+cut(word)]
		a.pieces = append(a.pieces, piece{start: start, end: len(a.text), bond: link})
		return
	}
	first := len(a.pieces)
	a.pieces = append(a.pieces, piece{start: start, end: len(a.text), bond: link})
	if isHash(word) {
		return
	}
	digits, apart := a.numbers()
	from := 0
	for i := 1; i <= len(a.kinds); i++ {
		if i < len(a.kinds) && !a.isBoundary(i, apart) {
			continue
		}
		p := &a.pieces[len(a.pieces)-1]
		if i < len(a.kinds) {
			p.end = a.at[i]
		}
		p.plural = a.text[p.end-1] == 's' && isPlural(a.kinds[from:i])
		if i < len(a.kinds) {
			a.pieces = append(a.pieces, piece{start: p.end, end: len(a.text)})
			from = i
		}
	}
	// Base64 and the like make many short pieces, of no use to anyone.
	if n := len(a.pieces) - first; digits && n > 4 && len(word) < 5*n {
		a.pieces = append(a.pieces[:first], piece{start: start, end: len(a.text), bond: link})
	}
}

// numbers reports whether the word has digits, and whether they stand apart from its
// letters: sha256 and HTTPServer2 are split there, but p53, k8s, 10ms and x86 are not.
// What they would be split into says nothing.
func (a *Analyzer) numbers() (digits, apart bool) {
	const shortest, most = 3, 4
	runs, letters := 0, 0
	apart = true
	for i, k := range a.kinds {
		if i == 0 || (k == kindDigit) != (a.kinds[i-1] == kindDigit) {
			runs++
			apart = apart && (letters == 0 || letters >= shortest)
			letters = 0
		}
		if k == kindDigit {
			digits = true
		} else {
			letters++
		}
	}
	return digits, apart && (letters == 0 || letters >= shortest) && runs <= most
}

// isBoundary reports whether a piece begins with character i of the word.
func (a *Analyzer) isBoundary(i int, apart bool) bool {
	lower := func(i int) bool { return i < len(a.kinds) && a.kinds[i] == kindLower }
	before, k := a.kinds[i-1], a.kinds[i]
	switch {
	case before == kindDigit && k == kindUpper && lower(i+1): // Go2Rust
		return true
	case before == kindDigit || k == kindDigit:
		return apart && before != k
	case k != kindUpper:
		return false
	case before == kindUpper:
		return lower(i+1) && lower(i+2) // HTTPServer, but neither URLs nor IPv6
	}
	return before == kindLower
}

// isPlural reports whether a word of these kinds, which ends in s, is an acronym but
// for it.
func isPlural(kinds []kind) bool {
	n := len(kinds) - 1
	if n < 2 || kinds[n] != kindLower {
		return false
	}
	for _, k := range kinds[:n] {
		if k != kindUpper {
			return false
		}
	}
	return true
}

// shortHash is how many digits of a hash people and git write at least.
const shortHash = 7

// isHash reports whether a word looks like a hash in hexadecimal digits, longer than a
// short one.
func isHash(word []byte) bool {
	if len(word) <= shortHash {
		return false
	}
	var digits, letters bool
	for _, c := range word {
		switch {
		case c-'0' < 10:
			digits = true
		case c-'a' < 6:
			letters = true
		default:
			return false
		}
	}
	return digits && letters
}

// suffixAt returns the signs that belong to the word of n bytes before i: C++, F#.
func suffixAt(s string, i, n int) string {
	suffix := ""
	switch {
	case strings.HasPrefix(s[i:], "++") && n+2 <= maxTerm:
		suffix = "++"
	case n == 1 && strings.HasPrefix(s[i:], "#"):
		suffix = "#"
	default:
		return ""
	}
	// c++17 is right, but a++b is not.
	if r, _, k := next(s, i+len(suffix)); k.isLetter() || r == '+' || r == '#' ||
		suffix == "#" && k == kindDigit {
		return ""
	}
	return suffix
}

// connector returns the end and the bond of the connector at i; bondNone if there is
// none or no word after it.
func connector(s string, i int) (end int, link bond) {
	if isThousands(s, i) {
		return i + 1, bondHyphen
	}
	for end = i; end < len(s); {
		_, n, k := next(s, end)
		if k != kindSoft {
			break
		}
		end += n
	}
	if _, _, k := next(s, end); !k.inWord() || end == i {
		return i, bondNone
	}
	link = bondNone
	switch c := s[i:end]; c {
	case "-", "‐", "–":
		link = bondHyphen
	case ".":
		link = bondDot
	case "&":
		link = bondPath
	default:
		switch bare := strings.Trim(c, "_"); { // __init__.py
		case bare == "":
			link = bondHyphen
		case bare == ".":
			link = bondDot
		case len(bare) <= 4 && strings.ContainsAny(bare, `/:@\~`) &&
			!strings.Contains(bare, "//") && !strings.Contains(bare, ".."):
			link = bondPath
		}
	}
	return end, link
}

// isThousands reports whether the character of s at i is the comma of 1,000.
func isThousands(s string, i int) bool {
	digit := func(i int) bool { return i < len(s) && s[i]-'0' < 10 }
	return i > 0 && i < len(s) && s[i] == ',' && digit(i-1) && digit(i+1) && digit(i+2) &&
		digit(i+3) && !digit(i+4)
}

// groups gives the extra terms of the token.
func (a *Analyzer) groups() {
	for i := 0; i < len(a.pieces); {
		dotted := a.group(i, bondDot)
		a.dotted(i, dotted)
		for i < dotted {
			begin, compound := i, a.group(i, bondHyphen)
			for i < compound {
				word := a.group(i, bondCase)
				if word-i < compound-begin {
					a.joined(i, word)
				}
				i = word
			}
			a.joined(begin, compound)
		}
	}
	a.paths()
}

// group returns the end of the group that begins with piece i.
func (a *Analyzer) group(i int, most bond) int {
	for i++; i < len(a.pieces) && a.pieces[i].bond <= most; i++ {
	}
	return i
}

// joined gives pieces [i, j) in one word.
func (a *Analyzer) joined(i, j int) {
	if j-i < 2 {
		return
	}
	a.scratch = a.scratch[:0]
	for _, p := range a.pieces[i:j] {
		a.scratch = append(a.scratch, a.text[p.start:p.end]...)
		if len(a.scratch) > maxTerm {
			break
		}
	}
	a.scratch = a.scratch[:cut(a.scratch)]
	a.emit(a.term(a.scratch), true)
	if a.langs != 0 {
		a.stems(a.scratch)
	}
}

// dotted gives pieces [i, j) with the dots between them, if there are any.
func (a *Analyzer) dotted(i, j int) {
	if a.group(i, bondHyphen) == j {
		return
	}
	initials := true
	for _, p := range a.pieces[i:j] {
		initials = initials && p.end-p.start == 1 && a.text[p.start]-'a' < 26
	}
	if initials { // U.S.A.
		a.joined(i, j)
		return
	}
	a.whole(i, j)
	// a version; whole again, without the v
	if t := a.text[a.pieces[i].start:]; t[0] == 'v' && t[1]-'0' < 10 {
		a.pieces[i].start++
		a.whole(i, j)
		a.pieces[i].start--
	}
}

// paths gives the whole of a token with slashes and the like: without a line number at
// the end, its last two segments, and with the number.
func (a *Analyzer) paths() {
	n := len(a.pieces)
	end := n // without numbers of lines
	for end > 1 && a.isLine(a.pieces[end-1]) {
		end--
	}
	var last, secondLast, segments int
	for i, p := range a.pieces[:end] {
		if i == 0 || p.bond == bondPath {
			last, secondLast = i, last
			segments++
		}
	}
	if segments > 1 {
		a.whole(0, end)
	}
	if segments > 2 && last > 0 {
		a.whole(secondLast, end)
	}
	if end < n {
		a.whole(0, n)
	}
}

// isLine reports whether a piece, the last, is :42.
func (a *Analyzer) isLine(p piece) bool {
	if p.bond != bondPath || a.text[p.start-1] != ':' {
		return false
	}
	for _, c := range a.text[p.start:p.end] {
		if c-'0' >= 10 {
			return false
		}
	}
	return true
}

// whole emits the pieces [i, j) with the text between them, as an extra term.
func (a *Analyzer) whole(i, j int) {
	a.affixed("",
		a.text[a.pieces[i].start:a.pieces[j-1].end], "")
}

func (a *Analyzer) affixed(prefix string, word []byte, suffix string) {
	if len(prefix)+len(word)+len(suffix) <= maxTerm {
		a.scratch = append(append(append(a.scratch[:0], prefix...), word...), suffix...)
		a.emit(string(a.scratch), true)
	}
}

// prefixed gives the beginning of the token at start with the sign before it, if people
// take that for part of the name: .NET, .gitignore, #123.
func (a *Analyzer) prefixed(s string, start int) {
	if start == 0 {
		return
	}
	number := a.text[0]-'0' < 10
	switch s[start-1] {
	case '.':
		if !number && (start == 1 || !endsExpression(s[start-2])) {
			a.affixed(".", a.text[:a.pieces[a.group(0, bondHyphen)-1].end], "")
		}
	case '#':
		if number {
			a.affixed("#", a.text[:a.pieces[0].end], "")
		}
	}
}

// endsExpression reports whether a dot after c is that of x().y, which code is full of,
// or of an ellipsis.
func endsExpression(c byte) bool {
	return strings.IndexByte(".)]}", c) >= 0 || c < utf8.RuneSelf && asciiKind[c].inWord()
}

// cut returns how many bytes of a word are kept: maxTerm at most, and no half of a
// character.
func cut(word []byte) int {
	if len(word) <= maxTerm {
		return len(word)
	}
	n := maxTerm
	for !utf8.RuneStart(word[n]) {
		n--
	}
	return n
}
