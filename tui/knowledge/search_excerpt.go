package knowledge

import (
	"strings"

	"blackboard/board/text"
	"blackboard/kb"
)

// excerpt returns about n bytes of a hit's body for the preview: from the start if that
// includes the snippet, else from the block with the snippet. The snippet is one line of
// words from the body.
func excerpt(h *kb.Hit, n int) string {
	snippet := strings.TrimSuffix(strings.TrimPrefix(h.Snippet, "… "), " …")
	from, to := placeOfWords(h.Body, strings.Fields(snippet))
	if from < 0 {
		return h.Snippet
	}
	before := ""
	if to < n/2 {
		from = 0
	} else if from = max(strings.LastIndex(h.Body[:from], "\n\n"), 0); from > 0 {
		before = "…\n\n"
		if strings.Count(h.Body[:from], "\n```")%2 == 1 {
			before += "```\n" // it starts within code
		}
	}
	rest := strings.TrimLeft(h.Body[from:], "\n")
	if len(rest) > max(n, to-from) {
		rest = text.ClipBytes(rest, max(n, to-from))
	}
	return before + rest
}

// placeOfWords returns where words follow each other in a text, with any white space
// between them; from is -1 if they do not.
func placeOfWords(text string, words []string) (from, to int) {
	if len(words) == 0 {
		return -1, -1
	}
	for start := 0; ; {
		i := strings.Index(text[start:], words[0])
		if i < 0 {
			return -1, -1
		}
		from = start + i
		to = from
		for n, w := range words {
			rest := text[to:]
			at := len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
			if n > 0 && at == 0 || !strings.HasPrefix(rest[at:], w) {
				to = -1
				break
			}
			to += at + len(w)
		}
		if to >= 0 {
			return from, to
		}
		start = from + len(words[0])
	}
}
