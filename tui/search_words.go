package tui

import (
	"slices"
	"strings"
	"unicode/utf8"

	"blackboard/board/words"
	"blackboard/kb"
)

// typedWords are the words of a question that what the index makes of words comes from: the stem befor from before. What comes from none, such as an identifier in one word, is given as
// it is; words of one or two ASCII letters say nothing and are left out.
func typedWords(asked string, stems []string) []string {
	typed := words.Split(asked, "")
	var out []string
	for _, stem := range stems {
		word := stem
		for _, made := range []string{stem, stem[:max(len(stem)-1, 0)]} { // happi of happy
			at := slices.IndexFunc(typed, func(w string) bool { return strings.HasPrefix(w, made) })
			if at >= 0 && (made == stem || len(made) >= stemRunes) {
				word = typed[at]
				break
			}
		}
		if short := len(word) <= 2 && utf8.RuneCountInString(word) == len(word); !short && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// snippetLines is what the snippet of a hit says, with the lines of a table kept. The snippet itself is one line of the body's words.
func snippetLines(h *kb.Hit) []string {
	words := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(h.Snippet, "… "), " …"))
	from, to := placeOfWords(h.Body, words)
	if from < 0 || !strings.Contains(h.Body[from:to], "|") {
		return []string{h.Snippet}
	}
	var lines []string
	inTable := true // what follows a table begins a line
	for line := range strings.SplitSeq(h.Body[from:to], "\n") {
		line = strings.TrimSpace(line)
		switch row := strings.HasPrefix(line, "|"); {
		case line == "":
		case row || inTable:
			lines, inTable = append(lines, line), row
		default:
			lines[len(lines)-1] += " " + line
		}
	}
	if len(lines) > 0 && strings.HasPrefix(h.Snippet, "… ") {
		lines[0] = "… " + lines[0]
	}
	if len(lines) > 0 && strings.HasSuffix(h.Snippet, " …") {
		lines[len(lines)-1] += " …"
	}
	return lines
}

// placeOfWords is where words follow each other in a text, with any blanks between them; from is -1 if they do not.
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
