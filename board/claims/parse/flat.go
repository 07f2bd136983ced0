package parse

import (
	"sort"
	"strings"
)

// A FlatText is a text without blanks, markup and punctuation: its words in lower case and its
// numbers. For each byte it has where its token begins and ends.
type FlatText struct {
	Text    string
	at, end []int
}

var inWord = strings.NewReplacer("’", "", "'", "", "_", "", "-", "")

// Flatten makes two ways to write one text equal: line breaks, hyphens, quotation marks,
// emphasis and what parts cells. Numbers stay, and signs that change the meaning.
func Flatten(text string) (f FlatText) {
	var b strings.Builder
	if strings.Contains(text, "[^") {
		text = reNote.ReplaceAllString(text, "")
	}
	b.Grow(len(text))
	places := make([]int, 2*len(text))
	f.at, f.end = places[:0:len(text)], places[len(text):len(text)]
	for _, t := range Tokenize(text) {
		s := t.flat()
		b.WriteString(s)
		for range len(s) {
			f.at, f.end = append(f.at, t.At), append(f.end, t.End())
		}
	}
	f.Text = b.String()
	return f
}

// flat returns what a token is in a FlatText, "" for what only parts others.
func (t *Token) flat() string {
	s := replace(inWord, t.Low)
	switch {
	case t.Kind == NumberToken:
		s = t.Text
		if n, ok := parseNumber(s); ok && n.other == 0 {
			s = thinSeparators.Replace(strings.ReplaceAll(s, ",", ""))
		}
		if t.minus {
			s = "-" + s
		}
		return "\x01" + s + "\x01"
	case t.Kind == SignToken && (s == "*" || s == "/"), t.Kind == MarkToken && s != "!":
		return ""
	}
	return s
}

// Flat returns the text of a claim as Flatten does, from its tokens.
func (c *Claim) Flat() string {
	if strings.Contains(c.Text, "[^") {
		return Flatten(c.Text).Text
	}
	var b strings.Builder
	for i, t := 0, c.Tokens(); i < len(t); i++ {
		b.WriteString(t[i].flat())
	}
	return b.String()
}

// After returns what stands from a place of the text on.
func (f FlatText) After(at int) FlatText {
	i := sort.SearchInts(f.at, at)
	return FlatText{f.Text[i:], f.at[i:], f.end[i:]}
}

// FindIn returns where a text stands in another one, by whole words; -1 if it does not.
func (f FlatText) FindIn(text FlatText) (from, to int) {
	want := strings.TrimRight(f.Text, "!")
	for at := 0; want != ""; {
		i := strings.Index(text.Text[at:], want)
		if i < 0 {
			break
		}
		i += at
		j := i + len(want)
		if (i == 0 || text.at[i-1] != text.at[i]) && (j == len(text.Text) || text.at[j] != text.at[j-1]) {
			return text.at[i], text.end[j-1]
		}
		at = i + 1
	}
	return -1, -1
}
