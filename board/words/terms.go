package words

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// TermVersion is raised when the terms of a text change, so that indexes are rebuilt.
const TermVersion = 2

// maxTerm is the most bytes that a term has. Longer words are cut; longer wholes (see
// Analyzer) are left out.
const maxTerm = 64

// Analyzer turns texts, documents and queries alike, into terms. The zero value is
// ready. It is not safe for concurrent use: it remembers the stems of words, which is
// what makes it fast, so keep one for each goroutine that indexes.
//
// Words are runs of letters, marks and digits in compatibility normal form, without
// diacritics, in lower case. Those of ASCII letters are stemmed as English, those of
// Russian's as Russian, all of them: there are no stop words, a search gives function
// words little weight. Apostrophes are dropped, and an 's with them. For stems of other
// languages see TermsIn.
//
// Identifiers are split, and the whole is given beside the parts as an extra term:
//
//	capturePane, capture-pane, capture_pane    captur pane +capturepan
//	capturepane                                capturepan
//	kb/scripts/foo.py:42                       kb script foo py 42 +foo.py +kb/scripts/foo.py
//	                                           +scripts/foo.py +kb/scripts/foo.py:42
//
// What is joined is stemmed as if it had been written in one word, so all spellings
// meet in it. What is joined by dots, slashes and the like stays as written, in lower
// case.
//
// Scripts that put no blanks between words (Han, kana, hangul, Thai, Lao, Khmer,
// Burmese) give overlapping pairs of characters; a character alone gives itself. An
// emoji is a term.
type Analyzer struct {
	emit func(term string, extra bool) // of the call under way

	// The token under way (token.go).
	text   []byte  // its folded text
	pieces []piece // of text, in order
	kinds  []kind  // of the characters of the word under way
	at     []int   // where they begin in text

	scratch []byte

	langs  Languages // of the call under way
	marked []byte

	// Terms of words: recent ones, and those that were recent before. A word that is
	// used stays.
	young, old map[string]string
}

// memoSize is how many words either half of the memo holds: about 3 MB each if full.
const memoSize = 1 << 15

// Terms calls emit for each term of text, in order. An extra term stands at the same
// place as those before it: it counts for matching, but not for the length of a
// document. A term is valid UTF-8 of 1 to maxTerm bytes and does not hold on to text.
// emit must not call Terms.
func (a *Analyzer) Terms(text string, emit func(term string, extra bool)) {
	a.TermsIn(0,
		text, emit)
}

// TermsIn is Terms for a text that may be in some languages: after each word come its
// stems in these as extra terms, which begin with StemMark. A document has them of its
// own language, and a question asks for those of all that it may be in.
func (a *Analyzer) TermsIn(langs Languages, text string, emit func(term string, extra bool)) {
	a.emit, a.langs = emit, langs
	for i := 0; i < len(text); {
		if isBlank(text[i]) {
			i++
			continue
		}
		if end := a.plain(text, i); end > i {
			i = end
			continue
		}
		end := i
		for end < len(text) && !isBlank(text[end]) {
			end++
		}
		a.chunk(normal(text[i:end]))
		i = end
	}
	a.emit = nil
}

// normal returns the compatibility normal form of s.
func normal(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return norm.NFKC.String(s)
		}
	}
	return s
}

func isBlank(c byte) bool { return c <= ' ' || c == 0x7f }

// plain is the short cut for most words of English prose: ASCII letters in lower case,
// but perhaps the first, between blanks and common punctuation. It returns where the
// word and its punctuation end; start if there is no such word. The terms are those of
// chunk.
func (a *Analyzer) plain(text string, start int) int {
	i := start
	for i < len(text) && asciiQuote[text[i]]&opens != 0 {
		i++
	}
	word := i
	if i < len(text) && text[i]-'A' < 26 {
		i++
	}
	for i < len(text) && text[i]-'a' < 26 {
		i++
	}
	end := i
	for i < len(text) && asciiQuote[text[i]]&closes != 0 {
		i++
	}
	if end == word || end-word > maxTerm || i < len(text) && !isBlank(text[i]) {
		return start
	}
	a.scratch = append(a.scratch[:0], text[word:end]...)
	a.scratch[0] |= 'a' - 'A'
	a.emit(a.term(a.scratch), false)
	if a.langs != 0 {
		a.stems(a.scratch)
	}
	return i
}

const (
	opens = 1 << iota
	closes
)

// asciiQuote tells the punctuation that may stand round a plain word.
var asciiQuote = [256]byte{
	'"': opens | closes, '\'': opens | closes, '*': opens | closes, '`': opens | closes,
	'(': opens, '[': opens, '{': opens, '<': opens,
	')': closes, ']': closes, '}': closes, '>': closes, ',': closes, '.': closes, ';': closes,
	':': closes, '!': closes, '?': closes,
}

// chunk gives the terms of s, which is in normal form. It may hold blanks: some
// characters have them in their normal form.
func (a *Analyzer) chunk(s string) {
	for i := 0; i < len(s); {
		_, n, k := next(s, i)
		switch {
		case k.inWord():
			i = a.token(s, i)
		case k == kindDense:
			i = a.dense(s, i)
		case k == kindEmoji:
			a.scratch = append(a.scratch[:0], s[i:i+n]...)
			a.emit(a.term(a.scratch), false)
			i += n
		default:
			i += n
		}
	}
}

// dense gives the pairs of the characters of a script without blanks, from i on. It
// returns where they end.
func (a *Analyzer) dense(s string, i int) int {
	var pair []byte // the last character and the one before, with their marks
	var second int  // where the last begins
	pair = a.text[:0]
	count := 0
	for i < len(s) {
		_, n, k := next(s, i)
		switch k {
		case kindDense:
			if count > 1 {
				a.emit(a.term(pair), false)
				pair = pair[:copy(pair, pair[second:])]
			}
			second = len(pair)
			pair = append(pair, s[i:i+n]...)
			count++
		case kindMark:
			if len(pair)+n <= second+maxTerm/2 {
				pair = append(pair, s[i:i+n]...)
			}
		case kindSkip:
		default:
			n = 0
		}
		if n == 0 {
			break
		}
		i += n
	}
	a.emit(a.term(pair), false)
	a.text = pair
	return i
}

// term returns the term for a word of at most maxTerm bytes, folded.
func (a *Analyzer) term(word []byte) string {
	if t, ok := a.young[string(word)]; ok {
		return t
	}
	w := string(word)
	t, ok := a.old[w]
	if !ok {
		t = termStem(w)
	}
	if a.young == nil {
		a.young, a.old = make(map[string]string), make(map[string]string)
	} else if len(a.young) >= memoSize {
		a.young, a.old = a.old, a.young
		clear(a.young)
	}
	a.young[w] = t
	return t
}
