package minilm

import (
	"strings"
	"unicode/utf8"
)

// vocabulary holds the pieces of WordPiece, those that begin a word apart from those that
// go on with one (without their "##"), so that a piece is looked up as it stands in the
// word, without copying it.
type vocabulary struct {
	first, rest       map[string]uint32
	firstMax, restMax int // the longest piece, in bytes: longer ones need no look-up
	unknown           uint32
	maxChars          int // words of more characters are unknown as a whole
}

func newVocabulary(size int) *vocabulary {
	return &vocabulary{first: make(map[string]uint32, size), rest: make(map[string]uint32, size/4)}
}

// add takes a token as it stands in the file. prefix marks the pieces that go on with a
// word.
func (v *vocabulary) add(token, prefix string, id uint32) {
	if rest, ok := strings.CutPrefix(token, prefix); ok && prefix != "" && rest != "" {
		v.rest[rest] = id
		v.restMax = max(v.restMax, len(rest))
		return // it cannot begin a word: the text's own # are split off as punctuation
	}
	v.first[token] = id
	v.firstMax = max(v.firstMax, len(token))
}

// pieces appends the pieces of a word, always the longest that fits, or the unknown token
// if they do not cover the word.
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
			if id, ok := table[string(word[:end])]; ok { // the compiler makes no string for this
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
