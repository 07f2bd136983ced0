package memory

import (
	"slices"
	"strings"
	"unicode"
)

// negations turn a sentence round.
var negations = []string{"not", "no", "never", "none", "without", "cannot", "can't", "don't", "doesn't", "won't", "isn't", "aren't", "wasn't", "didn't", "shouldn't", "mustn't"}

// differs reports whether two texts that mean almost the same differ in what an embedding hardly sees, a number or a negation: then one corrects the other, and is no duplicate of it.
func differs(a, b string) bool {
	return !slices.Equal(marks(a), marks(b))
}

// marks are the numbers and the negations of a text, sorted.
func marks(s string) []string {
	var all []string
	for _, w := range strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(s, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '.'
	}) {
		w = strings.Trim(w, ".'")
		switch {
		case strings.ContainsFunc(w, unicode.IsDigit):
			all = append(all, w)
		case slices.Contains(negations, w):
			all = append(all, "not")
		}
	}
	slices.Sort(all)
	return all
}
