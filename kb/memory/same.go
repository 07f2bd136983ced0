package memory

import (
	"slices"
	"strings"
	"unicode"
)

// signs are those that stand alone ("<", "!=") or before a word or a number ("-5", "--force",
// "!done"), with it.
func signs(text string) (all []string) {
	for _, f := range strings.Fields(text) {
		f = strings.Trim(f, "\"'()[]{},;:“”‘’")
		sign := f[:len(f)-len(strings.TrimLeft(f, "<>=!+-~^&|%*"))]
		if sign != "" && sign != "-" || sign == "-" && len(f) > 1 { // a dash alone is punctuation
			all = append(all, f)
		}
	}
	return all
}

// hashedMarks are the marks in textHash, which are on the disk: how words are read elsewhere may
// become better, but not here.
func hashedMarks(text string) []string {
	all := signs(text)
	for _, w := range strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '.'
	}) {
		w = strings.Trim(w, ".'")
		for _, end := range []string{"ing", "es", "ed", "s"} {
			if s, ok := strings.CutSuffix(w, end); ok && len(s) > 3 {
				w = s
				break
			}
		}
		switch {
		case strings.ContainsFunc(w, unicode.IsDigit):
			all = append(all, w)
		case slices.Contains([]string{"not", "no", "never", "none", "without", "cannot", "can't", "don't", "doesn't", "won't",
			"isn't", "aren't", "wasn't", "didn't", "shouldn't", "mustn't"}, w):
			all = append(all, "not")
		}
	}
	slices.Sort(all)
	return all
}
