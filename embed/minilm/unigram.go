package minilm

import (
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

// unigram is SentencePiece's tokenizer for models of many languages: each character is
// replaced as a table says, and a word is cut into the pieces whose scores have the
// largest sum.
type unigram struct {
	pieces  map[string]piece
	longest int // piece, in bytes
	unknown piece
	chars   charsmap
	// words: white space of all kinds separates words, and belongs to none. Otherwise
	// each space begins a word, as its first character.
	words bool
	// collapse: several spaces count as one.
	collapse bool
}

type piece struct {
	id    uint32
	score float64
}

// wordStart is the character that stands for the space before a word.
const wordStart = "▁"

// unknownPenalty is how much lower than that of any piece the score of an unknown
// character is.
const unknownPenalty = 10

// next takes the character at the beginning of a text, and returns its length.
func (u *unigram) next(s *scan, text string) int {
	replaced, n, ok := u.chars.replace(text)
	if ok {
		for _, r := range replaced {
			u.rune(s, r)
		}
		return n
	}
	r, n := utf8.DecodeRuneInString(text)
	u.rune(s, r)
	return n
}

func (u *unigram) rune(s *scan, r rune) {
	space := r == ' ' || u.words && unicode.IsSpace(r)
	switch {
	case space && u.words:
		s.flush()
	case space && s.space && u.collapse:
	case space, string(r) == wordStart:
		s.flush()
		s.word = append(s.word, wordStart...)
	default:
		if len(s.word) == 0 {
			s.word = append(s.word, wordStart...)
		}
		s.word = utf8.AppendRune(s.word, r)
		// So much text has more tokens than the model reads: the rest of the word can be
		// left out.
		if len(s.word) > s.limit*u.longest {
			s.flush()
		}
	}
	s.space = space
}

// step is the best way to a place in a word.
type step struct {
	score float64
	from  int // where its last piece begins
	id    uint32
}

// cut appends the pieces of a word. Of those with the same sum of scores it takes the
// one whose last piece is longest, as other implementations do.
func (u *unigram) cut(s *scan, ids []uint32, word []byte) []uint32 {
	s.best = slices.Grow(s.best[:0], len(word)+1)
	best := s.best[:len(word)+1]
	best[0] = step{}
	for i := 1; i < len(best); i++ {
		best[i].score = math.Inf(-1)
	}
	for begin := 0; begin < len(word); {
		_, first := utf8.DecodeRune(word[begin:])
		reach := func(end int, p piece) {
			if sum := best[begin].score + p.score; sum > best[end].score {
				best[end] = step{sum, begin, p.id}
			}
		}
		known := false
		for end := begin + first; end <= min(len(word), begin+u.longest); {
			if p, ok := u.pieces[string(word[begin:end])]; ok { // makes no string
				reach(end, p)
				known = known || end == begin+first
			}
			if end == len(word) {
				break
			}
			_, n := utf8.DecodeRune(word[end:])
			end += n
		}
		if !known {
			reach(begin+first, u.unknown)
		}
		begin += first
	}
	before := len(ids)
	for end := len(word); end > 0; end = best[end].from {
		id := best[end].id
		if id == u.unknown.id && len(ids) > before && ids[len(ids)-1] == id {
			continue // unknown characters side by side are one token
		}
		ids = append(ids, id)
	}
	slices.Reverse(ids[before:])
	return ids
}
