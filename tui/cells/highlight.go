package cells

import (
	"strings"
	"unicode/utf8"
)

// Highlight highlights the texts in a line, ignoring case.
func Highlight(st *Styles, line string, texts []string) string {
	return HighlightIn(line, texts, st, func(s ...string) string { return s[0] })
}

// HighlightIn is Highlight with a style for the rest of the line.
func HighlightIn(line string, texts []string, st *Styles, rest func(...string) string) string {
	if len(texts) == 0 {
		return rest(line)
	}
	var out strings.Builder
	from := 0
	for i := 0; i < len(line); {
		n := foldedPrefix(line[i:], texts)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(line[i:])
			i += n
			continue
		}
		if from < i {
			out.WriteString(rest(line[from:i]))
		}
		out.WriteString(st.Found.Render(line[i : i+n]))
		i += n
		from = i
	}
	if from < len(line) {
		out.WriteString(rest(line[from:]))
	}
	return out.String()
}

// foldedPrefix is how many bytes of a line the first text that is its prefix, ignoring case, has.
func foldedPrefix(line string, texts []string) int {
	for _, t := range texts {
		if t != "" && len(line) >= len(t) && strings.EqualFold(line[:len(t)], t) {
			return len(t)
		}
	}
	return 0
}
