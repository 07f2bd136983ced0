package minilm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// tokenizer is that of a multilingual model if it has a unigram, else BERT's: clean the
// text, put spaces round CJK characters, strip accents, lower the case, split at white
// space and punctuation, cut the words into pieces. It does all that in one pass over the
// text and stops when it has as many tokens as the model reads, so its time grows with
// the part of the text that is read, and never faster than that. It does not change after
// loading.
//
// Where implementations of these tokenizers differ it does as the Rust one (Hugging Face
// tokenizers), with which models are published: a capital sigma becomes σ also at the end
// of a word, and ideographs beyond U+FFFF are words of their own. One thing is as in
// SentencePiece, with which multilingual models were trained: of a sequence of characters
// the longest part that the model's table has is replaced, not the shortest.
type tokenizer struct {
	vocab          *vocabulary // of WordPiece
	unigram        *unigram    // instead of all that is BERT's, if it is not nil
	prefix, suffix []uint32    // the special tokens round a text
	limit          int         // tokens of a text at most, prefix and suffix included
	known          bool        // words that WordPiece does not know have no token

	clean, cjk, accents, lower bool // what is done to the text; accents: they are stripped

	// tokens that stand for themselves wherever they occur in a text, longest first
	added     []addedToken
	addedByte [256]bool // the bytes that one of them begins with
}

type addedToken struct {
	text string
	id   uint32
}

// encode returns the token ids of a text, special ones included: never more than t.limit.
// The result may be empty.
func (t *tokenizer) encode(text string) []uint32 {
	s := scan{tokenizer: t, room: t.limit - len(t.suffix)}
	s.ids = append(make([]uint32, 0, min(t.limit, len(text)/3+len(t.prefix)+len(t.suffix)+1)), t.prefix...)
	for i := 0; i < len(text) && len(s.ids) < s.room; {
		if t.addedByte[text[i]] {
			if a, ok := t.addedAt(text[i:]); ok {
				s.flush()
				s.ids = append(s.ids, a.id)
				i += len(a.text)
				continue
			}
		}
		if t.unigram != nil {
			i += t.unigram.next(&s, text[i:])
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		s.rune(r)
		i += n
	}
	s.flush()
	s.ids = s.ids[:min(len(s.ids), s.room)]
	return append(s.ids, t.suffix...)
}

func (t *tokenizer) addedAt(text string) (addedToken, bool) {
	for _, a := range t.added {
		if strings.HasPrefix(text, a.text) {
			return a, true
		}
	}
	return addedToken{}, false
}

// scan is the state of one pass over a text.
type scan struct {
	*tokenizer
	ids   []uint32
	room  int
	word  []byte // of the word under way: lower case, without accents
	chars int    // its characters; those beyond the vocabulary's maxChars are counted, not kept
	space bool   // what came last was a space; this and best are a unigram's
	best  []step // scratch space

	one [utf8.UTFMax]byte // scratch space of normal, here because it would escape there
}

// rune adds a character.
func (s *scan) rune(r rune) {
	switch {
	case r >= 'a' && r <= 'z': // the most frequent case
		s.split(r)
	case s.clean && (r == utf8.RuneError || isControl(r)):
	case unicode.IsSpace(r): // the cleaner counts two of these as control characters
		s.flush()
	case r < utf8.RuneSelf:
		s.lowered(r)
	case s.cjk && isCJK(r):
		s.flush()
		s.normal(r)
		s.flush()
	default:
		s.normal(r)
	}
}

// normal strips the accents of r. Combining accents that follow are stripped as
// characters of their own.
func (s *scan) normal(r rune) {
	const hangul, hangulEnd, vowels, tails = 0xac00, 0xd7a3, 21, 28
	switch {
	case !s.accents:
		s.lowered(r)
	case r >= hangul && r <= hangulEnd: // decomposed by rule instead of a table
		n := r - hangul
		s.lowered(0x1100 + n/(vowels*tails))
		s.lowered(0x1161 + n%(vowels*tails)/tails)
		if n %= tails; n > 0 {
			s.lowered(0x11a7 + n)
		}
	default:
		parts := norm.NFD.Properties(s.one[:utf8.EncodeRune(s.one[:], r)]).Decomposition()
		if parts == nil && !unicode.Is(unicode.Mn, r) {
			s.lowered(r)
		}
		for len(parts) > 0 {
			part, n := utf8.DecodeRune(parts)
			if !unicode.Is(unicode.Mn, part) {
				s.lowered(part)
			}
			parts = parts[n:]
		}
	}
}

func (s *scan) lowered(r rune) {
	if s.lower {
		if r == 'İ' { // the only character whose lower case has two
			s.split('i')
			r = '\u0307'
		} else {
			r = unicode.ToLower(r)
		}
	}
	s.split(r)
}

// split adds r to the word, or ends the word if r is punctuation.
func (s *scan) split(r rune) {
	if isPunct(r) {
		s.alone(r)
		return
	}
	if s.chars++; s.chars <= s.vocab.maxChars {
		s.word = utf8.AppendRune(s.word, r)
	}
}

// alone makes r a word of its own.
func (s *scan) alone(r rune) {
	s.flush()
	s.word, s.chars = utf8.AppendRune(s.word, r), 1
	s.flush()
}

// flush splits the current word into pieces.
func (s *scan) flush() {
	switch {
	case s.unigram != nil:
		s.ids = s.unigram.cut(s, s.ids, s.word)
	case s.chars == 0:
		return
	case s.chars > s.vocab.maxChars:
		s.ids = append(s.ids, s.vocab.unknown)
	default:
		s.ids = s.vocab.pieces(s.ids, s.word)
	}
	if last := len(s.ids) - 1; s.known && last >= 0 && s.ids[last] == s.vocab.unknown {
		s.ids = s.ids[:last]
	}
	s.word, s.chars = s.word[:0], 0
}

// isPunct reports whether r is a word of its own. In ASCII that is everything but
// letters, digits and control characters.
func isPunct(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < 0x7f && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}
	return unicode.IsPunct(r)
}

// isControl reports whether the cleaner drops r.
func isControl(r rune) bool {
	if r < utf8.RuneSelf {
		return r == 0x7f || r < ' ' && r != '\t' && r != '\n' && r != '\r'
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs)
}

// isCJK reports whether r is in the blocks that BERT's code calls CJK: Han ideographs,
// but not kana or hangul.
func isCJK(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r >= 0xf900 && r <= 0xfaff ||
		r >= 0x20000 && r <= 0x2a6df || r >= 0x2a700 && r <= 0x2b73f || r >= 0x2b740 && r <= 0x2b81f || r >= 0x2b920 && r <= 0x2ceaf ||
		r >= 0x2f800 && r <= 0x2fa1f
}
