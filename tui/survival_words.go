package tui

import (
	"strings"

	"blackboard/board/survival"
)

// carriedWords are the words of a passage that an item shares with it.
type carriedWords struct {
	words []string
	there []bool // which of the words
}

// carriedBy says which words of an item's passage the item asks for, by the rules of the
// check itself: inflected words, and numbers that are written in another way, count as
// they do there.
func carriedBy(it *survival.ItemResult) *carriedWords {
	f := &carriedWords{words: strings.Fields(clean(it.Passage.Text))}
	carried := survival.Carried(it.Content, strings.Join(f.words, " "))
	at := 0
	for _, w := range f.words {
		end := at + len(w)
		for len(carried) > 0 && carried[0].To <= at {
			carried = carried[1:]
		}
		f.there = append(f.there, len(carried) > 0 && carried[0].From < end)
		at = end + 1
	}
	return f
}

// mark sets the words off that are there, in the wrapped lines of the passage. A word may
// be broken at the end of a line.
func (f *carriedWords) mark(st *styles, lines []string) []string {
	out := make([]string, len(lines))
	at, rest := -1, 0 // the word that is written, and how many of its bytes are still to come
	for i, line := range lines {
		parts := strings.Split(line, " ")
		for j, part := range parts {
			if part == "" {
				continue
			}
			if rest <= 0 && at+1 < len(f.words) {
				at++
				rest = len(f.words[at])
			}
			rest -= len(part)
			if at >= 0 && f.there[at] {
				parts[j] = st.found.Render(part)
			}
		}
		out[i] = strings.Join(parts, " ")
	}
	return out
}
