package tui

import (
	"context"
	"strings"
	"unicode"

	"blackboard/board"
)

// carriedWords are the words of a passage that an item shares with it.
type carriedWords struct {
	content string // of the item
	passage string
	words   []string
	there   []bool // which of the words
}

// is reports whether these are the words of an item and its passage.
func (f *carriedWords) is(it *board.ItemResult) bool {
	return f != nil && f.content == it.Content && f.passage == passageOf(it)
}

// passageOf is the text of an item's passage, "" if there is none.
func passageOf(it *board.ItemResult) string {
	if it.Passage == nil {
		return ""
	}
	return it.Passage.Text
}

// mostTogether is how many words are tried as one where a number is among them: 1 March 2027.
const mostTogether = 3

// carriedBy asks for each word of an item's passage whether the item is nearer with it than without, by the rules of the check itself: inflected words, and
// numbers that are written in another way, count as they do there. It takes the longer the longer the item is, and gives nil if nobody waits for it any more.
func carriedBy(ctx context.Context, it *board.ItemResult) *carriedWords {
	f := &carriedWords{content: it.Content, passage: passageOf(it)}
	words := strings.Fields(clean(f.passage))
	if len(words) == 0 {
		return f
	}
	f.words, f.there = words, make([]bool, len(words))
	none := missingWith(it, "")
	gain := make([]int, len(words))
	for i, w := range words {
		if ctx.Err() != nil {
			return nil
		}
		gain[i] = none - missingWith(it, w)
		f.there[i] = gain[i] > 0
	}
	for n := 2; n <= mostTogether; n++ {
		for i := 0; i+n <= len(words); i++ {
			together := strings.Join(words[i:i+n], " ")
			if !strings.ContainsFunc(together, unicode.IsDigit) {
				continue
			}
			if ctx.Err() != nil {
				return nil
			}
			alone := 0
			for _, g := range gain[i : i+n] {
				alone += g
			}
			// Only its first and last word may be what makes it more: else a shorter one did.
			if all := none - missingWith(it, together); all > alone && all > none-missingWith(it, strings.Join(words[i+1:i+n], " ")) && all > none-missingWith(it, strings.Join(words[i:i+n-1], " ")) {
				for j := i; j < i+n; j++ {
					f.there[j] = true
				}
			}
		}
	}
	return f
}

// missingWith is how many words and numbers of an item a text lacks.
func missingWith(it *board.ItemResult, text string) int {
	r := board.CheckSurvival([]board.Item{it.Item}, []*board.Report{board.NewReport("", text)})[0]
	return len(r.MissingTokens) + len(r.MissingNumbers)
}

// mark sets the words off that are there, in the wrapped lines of the passage. A word may be broken at the end of a line.
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
