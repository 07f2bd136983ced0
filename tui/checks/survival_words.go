package checks

import (
	"strings"

	"blackboard/board/survival"
	"blackboard/tui/cells"
	"blackboard/tui/styles"
)

// carriedWords are the words that a passage shares with an item.
type carriedWords struct {
	words []string
	there []bool // for each word, whether it is shared
}

// carriedBy returns which words of a passage the item requires, by the rules of the
// check: inflected words and other forms of numbers match.
func carriedBy(it *survival.ItemResult) *carriedWords {
	f := &carriedWords{words: strings.Fields(cells.Clean(it.Passage.Text))}
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

// mark highlights the shared words in the wrapped lines of the passage. A word may be
// broken at the end of a line.
func (f *carriedWords) mark(st *styles.Set, lines []string) []string {
	out := make([]string, len(lines))
	at, rest := -1, 0 // the current word, and how many of its bytes follow
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
				parts[j] = st.Found.Render(part)
			}
		}
		out[i] = strings.Join(parts, " ")
	}
	return out
}
