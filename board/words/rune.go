package words

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// kind is the class of a character.
type kind uint8

const (
	kindBreak  kind = iota // ends a token
	kindUpper              // a letter in upper case
	kindLower              // a letter in lower case
	kindLetter             // a letter without case
	kindDigit              // a digit or another number
	kindMark               // part of the character before
	kindSkip               // nothing: soft hyphens, joiners, diacritics, points, tatweel
	kindDense              // a letter of a script that puts no blanks between words
	kindEmoji              // a term of its own
	kindQuote              // an apostrophe, if between letters
	kindSoft               // may join words to an identifier or a path
)

func (k kind) inWord() bool   { return k >= kindUpper && k <= kindDigit }
func (k kind) isLetter() bool { return k >= kindUpper && k <= kindLetter }

// next returns the character of s at i, its length and its kind.
func next(s string, i int) (rune, int, kind) {
	if i >= len(s) {
		return 0, 0, kindBreak
	}
	if c := s[i]; c < utf8.RuneSelf {
		return rune(c), 1, asciiKind[c]
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if n == 2 {
		return r, n, twoBytes().kind[r]
	}
	return r, n, kindOf(r)
}

var asciiKind = func() (kinds [utf8.RuneSelf]kind) {
	for c := range kinds {
		switch {
		case c >= 'A' && c <= 'Z':
			kinds[c] = kindUpper
		case c >= 'a' && c <= 'z':
			kinds[c] = kindLower
		case c >= '0' && c <= '9':
			kinds[c] = kindDigit
		}
	}
	kinds['\''] = kindQuote
	for _, c := range `-_./:@\~&` {
		kinds[c] = kindSoft
	}
	return kinds
}()

// kindOf is for characters beyond ASCII.
func kindOf(r rune) kind {
	switch {
	case r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fa, r >= 0x4e00 && r <= 0x9fff,
		r >= 0xac00 && r <= 0xd7a3:
		return kindDense // most of it, without a look into the tables
	case isPoint(r), r == 'ـ': // the last is tatweel, which only makes a word longer
		return kindSkip
	case r == '’', r == '‘', r == '‛', r == 'ʼ', r == 'ʻ':
		return kindQuote
	case r == '‐', r == '–': // the non-breaking hyphen has the first as its normal form
		return kindSoft
	case unicode.IsLower(r):
		return kindLower
	case unicode.IsUpper(r):
		return kindUpper
	case r == 'ー', r == 'ｰ', r == '〇':
		return kindDense // to Unicode of no script, or a number
	case unicode.IsLetter(r):
		if unspaced(r) {
			return kindDense
		}
		return kindLetter
	case unicode.IsNumber(r):
		return kindDigit
	case unicode.IsMark(r):
		return kindMark
	case r == '\u200b': // the zero width space, with which some write the breaks between words
		return kindBreak
	case unicode.Is(unicode.Cf, r):
		return kindSkip
	case (r >= 0x2600 && r <= 0x27bf || r >= 0x1f000 && r <= 0x1faff) && unicode.Is(unicode.So, r):
		return kindEmoji
	}
	return kindBreak
}

// isPoint reports whether r is a mark that people leave out as they please: diacritics,
// the vowel points of Hebrew and Arabic, variation selectors. The marks of Indic
// scripts are not among them: they are vowels.
func isPoint(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r <= 0x36f, r >= 0x483 && r <= 0x487, r >= 0x591 && r <= 0x5c7, r >= 0x610 && r <= 0x61a,
		r >= 0x64b && r <= 0x65f, r == 0x670,
		r >= 0x6d6 && r <= 0x6ed, r >= 0x1ab0 && r <= 0x1aff, r >= 0x1dc0 && r <= 0x1dff,
		r >= 0x20d0 && r <= 0x20ff, r >= 0xfe00 && r <= 0xfe0f,
		r >= 0xfe20 && r <= 0xfe2f, r >= 0xe0100 && r <= 0xe01ef:
		return unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r)
	}
	return false
}

// twoBytes is what is known of characters of two bytes: European scripts, Hebrew,
// Arabic. To look it up in Unicode's tables again and again would take most of the
// time. It is built when first needed, since few processes need it.
var twoBytes = sync.OnceValue(func() *twoByteTable {
	table := new(twoByteTable)
	for r := rune(utf8.RuneSelf); r < 0x800; r++ {
		table.kind[r] = kindOf(r)
		if folded := appendFoldedSlow(nil, r); utf8.RuneCount(folded) == 1 {
			table.folded[r], _ = utf8.DecodeRune(folded)
		}
	}
	return table
})

type twoByteTable struct {
	kind   [0x800]kind
	folded [0x800]rune // 0: more than one character
}

// appendFolded appends the character r without diacritics and in lower case.
func appendFolded(b []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return append(b, byte(r))
	}
	if r < 0x800 {
		if folded := twoBytes().folded[r]; folded != 0 {
			return utf8.AppendRune(b, folded)
		}
	}
	return appendFoldedSlow(b, r)
}

func appendFoldedSlow(b []byte, r rune) []byte {
	if r == 'й' || r == 'Й' { // a letter that all write, and Russian's endings are known by
		return append(b, "й"...)
	}
	if r < 0x700 || r >= 0x1e00 && r <= 0x1fff { // where letters with diacritics are
		if parts := norm.NFD.PropertiesString(string(r)).Decomposition(); parts != nil {
			for len(parts) > 0 {
				part, n := utf8.DecodeRune(parts)
				if !isPoint(part) {
					b = appendLower(b, part)
				}
				parts = parts[n:]
			}
			return b
		}
	}
	return appendLower(b, r)
}

// appendLower appends r in lower case; letters that Unicode does not decompose, but
// people write with others, as those.
func appendLower(b []byte, r rune) []byte {
	switch r = unicode.ToLower(r); r {
	case 'ß':
		return append(b, "ss"...)
	case 'æ':
		return append(b, "ae"...)
	case 'œ':
		return append(b, "oe"...)
	case 'þ':
		return append(b, "th"...)
	case 'ø':
		return append(b, 'o')
	case 'ł':
		return append(b, 'l')
	case 'đ', 'ð':
		return append(b, 'd')
	case 'ı':
		return append(b, 'i')
	case 'ς':
		r = 'σ'
	}
	return utf8.AppendRune(b, r)
}

// unspaced reports whether r belongs to a script that is written without spaces between
// words, or with words too long to compare whole. Its text is compared by pairs of
// neighbouring characters.
func unspaced(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// FoldText puts text in lower case with single blanks, full-width forms narrowed;
// accents stay.
func FoldText(s string) string {
	return strings.Join(strings.Fields(strings.Map(foldRune, s)), " ")
}

// foldRune returns r in lower case, with full-width forms narrowed; accents stay (see
// FoldWord).
func foldRune(r rune) rune {
	switch {
	case r >= '！' && r <= '～':
		r -= '！' - '!'
	case r < utf8.RuneSelf:
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(r)
}

// FoldWord returns a word in lower case without accents and apostrophes.
func FoldWord(s string) string {
	plain := true
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' || c == '\'' {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	b := make([]byte, 0, len(s))
	for _, r := range s {
		switch r = foldRune(r); {
		case r == '\'' || r == '’' || unicode.Is(unicode.Mn, r):
		case r == 'й': // the terms of an index keep it, for its endings
			b = append(b, "и"...)
		case r == 'ħ': // letters that the terms of an index keep as they are
			b = append(b, 'h')
		case r == 'ŀ':
			b = append(b, 'l')
		case r == 'ŋ', r == 'ŉ':
			b = append(b, 'n')
		case r == 'ŧ':
			b = append(b, 't')
		default:
			b = appendFolded(b, r)
		}
	}
	return string(b)
}

// Between reports whether a character separates words: it is not a letter, mark or
// digit.
func Between(r rune) bool {
	return !unicode.IsLetter(r) &&
		!unicode.IsDigit(r) && !unicode.IsMark(r)
}

// Split returns the words of a text in lower case: runs of letters, marks and digits.
// The characters of inside count too, except at the beginning or end of a word.
func Split(s, inside string) []string {
	s = strings.ToLower(strings.ReplaceAll(s, "’", "'"))
	all := strings.FieldsFunc(s, func(r rune) bool {
		return Between(r) &&
			!strings.ContainsRune(inside, r)
	})
	for i, w := range all {
		all[i] = strings.Trim(w, inside)
	}
	return slices.DeleteFunc(all, func(w string) bool { return w == "" })
}

// Digits reports whether a text is ASCII digits and nothing else.
func Digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
