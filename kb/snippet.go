package kb

import (
	"strings"
	"unicode/utf8"

	"blackboard/board/words"
)

// snippetRunes is how long a snippet is, about.
const snippetRunes = 200

// snippet returns the part of a body that has most of the question's different words, on one line. The question's terms are those in the languages.
func (k *KB) snippet(body string, terms map[string]bool, langs words.Languages) string {
	const most = 16 << 10 // of a long document, the beginning is enough
	if len(body) > most {
		body = strings.ToValidUTF8(body[:most], "")
	}
	fields := strings.Fields(body)
	size := func(w string) int { return utf8.RuneCountInString(w) + 1 }
	hits := make([][]string, len(fields))
	for i, w := range fields {
		for _, t := range k.index.TermsIn(langs, w) {
			if terms[t] {
				hits[i] = append(hits[i], t)
			}
		}
	}
	have := map[string]int{}
	bestFrom, bestTo, best := 0, 0, -1
	length, from := 0, 0
	for to, w := range fields {
		length += size(w)
		for _, t := range hits[to] {
			have[t]++
		}
		for length > snippetRunes && from < to {
			length -= size(fields[from])
			for _, t := range hits[from] {
				if have[t]--; have[t] == 0 {
					delete(have, t)
				}
			}
			from++
		}
		if len(have) > best || from == bestFrom && len(have) == best {
			bestFrom, bestTo, best = from, to+1, len(have)
		}
	}
	// Begin a little before the first word that counts, not with it.
	s := strings.Join(fields[bestFrom:bestTo], " ")
	if utf8.RuneCountInString(s) > snippetRunes*2 {
		s = clip(s, snippetRunes*2)
	}
	if bestFrom > 0 {
		s = "… " + s
	}
	if bestTo < len(fields) {
		s += " …"
	}
	return s
}
