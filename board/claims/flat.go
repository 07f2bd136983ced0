package claims

import (
	"sort"
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

// after returns what stands from a place of the text on.
func (f flat) after(at int) flat {
	i := sort.SearchInts(f.at, at)
	return flat{f.s[i:], f.at[i:], f.end[i:]}
}

// in returns where a text stands in another one, by whole words; -1 if it does not.
func (f flat) in(text flat) (from, to int) {
	want := strings.TrimRight(f.s, "!")
	for at := 0; want != ""; {
		i := strings.Index(text.s[at:], want)
		if i < 0 {
			break
		}
		i += at
		j := i + len(want)
		if (i == 0 || text.at[i-1] != text.at[i]) && (j == len(text.s) || text.at[j] != text.at[j-1]) {
			return text.at[i], text.end[j-1]
		}
		at = i + 1
	}
	return -1, -1
}
