package secret

import (
	"strings"
	"unicode"
)

// properName returns where a name of several words or parts stands from i on, or zeros.
func properName(text string, i int) (from, to int) {
	words := 0
	for to = i; words < 5; words++ {
		rest := strings.TrimLeft(text[to:], " ")
		word, _, _ := strings.Cut(rest[:min(len(rest), 40)], " ")
		word, _, _ = strings.Cut(word, "\n")
		bare := strings.TrimRight(word, around+".,;:!")
		if !unicode.IsUpper(firstRune(bare)) || kindsIn(bare).digits > 0 || isIn("asks", bare) {
			break
		}
		to = len(text) - len(rest) + len(bare)
		if bare != word && bare != "St" && bare != "Mrs" {
			words++
			break
		}
	}
	if words < 2 && !strings.ContainsAny(text[i:to], "-'") || words > 4 {
		return 0, 0
	}
	return i, to
}

// isAnswer reports whether a name is said to answer a security question.
func isAnswer(text string, from, to int) bool {
	s := sentenceAround(text, from, to)
	if s == nil || s.denied() || !has("codewords", s.all) || !has("questions", s.all) {
		return false
	}
	said, _ := s.said()
	return s.endsClause() && (s.sign == ':' || endsWith("answers", said) ||
		containsAny(s.before, "answer", "antwort") && endsWith("is", said)) ||
		strings.Contains(text[from:to], " ") && hasPrefix(s.after, listed("taken").words...) ||
		strings.HasPrefix(s.after, " angegeben ")
}
