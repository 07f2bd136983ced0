package claims

import (
	"strings"
)

// A flat is a text without blanks, markup and punctuation: its words in lower case and its
// numbers. For each byte it has where its token begins and ends.
type flat struct {
	s       string
	at, end []int
}

var inWord = strings.NewReplacer("’", "", "'", "", "_", "", "-", "")

// flatten makes two ways to write one text equal: line breaks, hyphens, quotation marks,
// emphasis and what parts cells. Numbers stay, and signs that change the meaning.
func flatten(text string) (f flat) {
	var b strings.Builder
	for _, t := range lex(reNote.ReplaceAllString(text, "")) {
		s := inWord.Replace(t.low)
		switch {
		case t.kind == numberToken:
			s = t.text
			if n, ok := parseNumber(s); ok && n.other == 0 {
				s = thinSeparators.Replace(strings.ReplaceAll(s, ",", ""))
			}
			if t.minus {
				s = "-" + s
			}
			s = "\x01" + s + "\x01"
		case t.kind == signToken && (s == "*" || s == "/"), t.kind == markToken && s != "!":
			continue
		}
		b.WriteString(s)
		for range len(s) {
			f.at, f.end = append(f.at, t.at), append(f.end, t.end())
		}
	}
	f.s = b.String()
	return f
}
