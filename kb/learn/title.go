package learn

import (
	"strings"
	"unicode"

	"blackboard/board/text"
	"blackboard/kb"
)

// This file makes titles and printable lines from unchecked texts of transcripts and
// worklogs. It also counts words, to reject texts that are too short.

// sentenceEnd is where a sentence ends: not after "e.g.", nor within v1.2.
var sentenceEnd = text.NewRegexp(`[.!?]["')\]]?[ \n]+[^a-z\s]|[。！？]`)

// TitleOf makes a title for a text: its first sentence with content, cut to the length of a title.
func TitleOf(text string) string {
	text = inOneLine(asUTF8(firstBytes(text, 10*kb.MaxTitle))) // the rest is never shown
	for _, m := range sentenceEnd.FindAllStringIndex(text, -1) {
		first := text[:m[0]]
		if wordCount(first) >= learnWords && !strings.HasSuffix(first, "e.g") &&
			!strings.HasSuffix(first, "i.e") && !strings.HasSuffix(first, " vs") {
			text = first
			break
		}
	}
	return cutTitle(strings.TrimRight(text, ".。 "))
}

// clauseEnd is where a part of a sentence ends.
var clauseEnd = text.NewRegexp(`[,;:] | [–—(]|[，；：、]`)

// cutTitle cuts at the end of a clause, or at a word if that costs half of it.
func cutTitle(title string) string {
	cut := strings.TrimSuffix(clipBytes(clip(title, learnTitle), kb.MaxTitle), "…")
	clauses := clauseEnd.FindAllStringIndex(cut, -1)
	if n := len(clauses); cut != title && n > 0 && clauses[n-1][0] > len(cut)/2 {
		return strings.TrimRight(cut[:clauses[n-1][0]], " ,;:") + "…"
	}
	return text.ClipWords(title, len(cut)+len("…"))
}

// firstBytes is the beginning of a text; unlike clipBytes it adds nothing.
func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// wordCount counts words, in scripts without spaces one for every two characters.
func wordCount(s string) int {
	n, unspaced, in := 0, 0, false
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai,
			unicode.Lao, unicode.Khmer):
			unspaced++
			in = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !in {
				n++
			}
			in = true
		case unicode.IsSpace(r):
			in = false
		}
	}
	return n + unspaced/2
}
