package minilm

import (
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

// unigram is SentencePiece's tokenizer for multilingual models. It replaces characters by
// a table, and splits a word into the pieces with the largest sum of scores.
type unigram struct {
	pieces  map[string]piece
	longest int // the longest piece, in bytes
	unknown piece
	chars   charsmap
	// words: any white space separates words and belongs to none. Otherwise each space is
	// the first character of a word.
	words bool
	// collapse: consecutive spaces count as one.
	collapse bool
}

type piece struct {
	id    uint32
	score float64
}

// wordStart stands for the space before a word.
const wordStart = "▁"

// unknownPenalty is subtracted from the lowest score of all pieces for an unknown
// character.
const unknownPenalty = 10

// next reads the first character of a text and returns its length.
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
		// This much text has more tokens than the model reads: the rest of the word can
		// be ignored.
		if len(s.word) > s.limit*u.longest {
			s.flush()
		}
	}
	s.space = space
}

// step is the best split up to an index of a word.
type step struct {
	score float64
	from  int // the start of its last piece
	id    uint32
}

// cut appends the pieces of a word. Among splits with the same score it takes the one
// with the longest last piece, as other implementations do.
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
			if p, ok := u.pieces[string(word[begin:end])]; ok { // does not allocate
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
			continue // adjacent unknown characters are one token
		}
		ids = append(ids, id)
	}
	slices.Reverse(ids[before:])
	return ids
}
