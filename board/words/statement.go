package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// This file compares texts word for word: two texts with the same Statement are one
// finding, written twice.

// hollow are the words that a text can lose and still say the same. Those that turn it
// round, bound it or point somewhere (not, only, must, all, from, by) are not among
// them.
var hollow = []string{"a", "an", "the", "this", "that", "these", "those", "of", "is", "are",
	"be", "it", "do", "does"}

// Statement returns the words of a text in their order, in lower case, by their bases
// (see Base), without punctuation, markup and hollow words (articles, is, of).
// Negations stay and are "not" however they are written, and so does each number,
// version, path and other name as it stands: eu-west-1 and eu-west-2, 15 and 15%,
// load_user and load_users are not equal.
func Statement(text string) []string {
	text = norm.NFKC.String(strings.ToValidUTF8(text, " "))
	var out []string
	for _, w := range strings.FieldsFunc(text, unicode.IsSpace) {
		// A dash between words is punctuation; within one it is part of a name.
		for _, w := range strings.FieldsFunc(w,
			func(r rune) bool { return strings.ContainsRune("—–|,;()[]{}\"“”«»", r) }) {
			out = statementWord(out, w)
		}
	}
	return out
}

// statementWord appends what a word between blanks says.
func statementWord(out []string, w string) []string {
	if trimmed := trimMarks(w); trimmed != "" || !hasWord(w) {
		w = trimmed
	}
	w = strings.ReplaceAll(w, "’", "'")
	low := strings.ToLower(w)
	switch {
	case low == "":
		return out
	case low == "cannot":
		return append(out, "can", "not")
	case strings.HasSuffix(low, "n't"):
		switch stem := strings.TrimSuffix(low, "n't"); stem {
		case "ca":
			return append(out, "can", "not")
		case "wo":
			return append(out, "will", "not")
		case "", "do", "does", "is", "are":
			return append(out, "not")
		default:
			return append(out, stem, "not")
		}
	}
	if flag := strings.TrimPrefix(w, "-"); flag != w && len(flag) == 1 {
		return append(out, w) // of flags of one letter the case says which
	}
	if !plainWord(w) {
		return append(out, low)
	}
	low = strings.TrimSuffix(low, "'s")
	if slices.Contains(hollow, low) {
		return out
	}
	return append(out, Base(low))
}

// trimMarks takes off what punctuation and markup put round a word. What begins a flag,
// a path or a number, or ends a percentage or a call, is part of it.
func trimMarks(w string) string {
	all := w
	w = strings.TrimRightFunc(w, func(r rune) bool {
		return (unicode.IsPunct(r) || unicode.IsSymbol(r)) && !strings.ContainsRune("%+#/°€$£", r)
	})
	cut := strings.TrimLeft(w, "*_`'‘’#>•·!?:")
	if !hasWord(cut) {
		// A mark alone: a sign of a list, a rule, an operator. Only comparisons say
		// something.
		if strings.ContainsAny(all, "<=≤≥≠") {
			return all
		}
		return ""
	}
	return cut
}

func hasWord(w string) bool {
	return strings.ContainsFunc(w, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) ||
			unicode.IsSymbol(r) && r > utf8.RuneSelf
	})
}

// plainWord reports whether a word is letters alone, with an apostrophe or hyphen
// between two of them, and without a capital after a small letter: anything else is a
// name or a number.
func plainWord(w string) bool {
	between, small := false, false
	for i, r := range w {
		switch {
		case small && unicode.IsUpper(r):
			return false
		case unicode.IsLetter(r) || unicode.IsMark(r):
			between, small = false, unicode.IsLower(r)
		case (r == '\'' || r == '-') && i > 0 && !between:
			between = true
		default:
			return false
		}
	}
	return !between
}
