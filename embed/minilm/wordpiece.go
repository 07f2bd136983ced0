package minilm

import (
	"strings"
	"unicode/utf8"
)

// vocabulary has the pieces of WordPiece. Pieces that begin a word and pieces that
// continue one (without their "##") are separate, so that a part of a word can be looked
// up without copying it.
type vocabulary struct {
	first, rest       map[string]uint32
	firstMax, restMax int // the longest piece, in bytes; longer parts need no look-up
	unknown           uint32
	maxChars          int // longer words are unknown as a whole
}

func newVocabulary(size int) *vocabulary {
	return &vocabulary{first: make(map[string]uint32, size), rest: make(map[string]uint32, size/4)}
}

// add adds a token as it is in the file. prefix marks the pieces that continue a word.
func (v *vocabulary) add(token, prefix string, id uint32) {
	if rest, ok := strings.CutPrefix(token, prefix); ok && prefix != "" && rest != "" {
		v.rest[rest] = id
		v.restMax = max(v.restMax, len(rest))
		return // it cannot begin a word, since # is split off as punctuation
	}
	v.first[token] = id
	v.firstMax = max(v.firstMax, len(token))
}

// pieces appends the pieces of a word, always the longest match, or the unknown token if
// they do not cover the word.
func (v *vocabulary) pieces(ids []uint32, word []byte) []uint32 {
	before := len(ids)
	table, longest := v.first, v.firstMax
	for len(word) > 0 {
		end := min(len(word), longest)
		for end > 0 && end < len(word) && !utf8.RuneStart(word[end]) {
			end--
		}
		found := false
		for end > 0 {
			if id, ok := table[string(word[:end])]; ok { // does not allocate a string
				ids, found = append(ids, id), true
				break
			}
			_, n := utf8.DecodeLastRune(word[:end])
			end -= n
		}
		if !found {
			return append(ids[:before], v.unknown)
		}
		word, table, longest = word[end:], v.rest, v.restMax
	}
	return ids
}
