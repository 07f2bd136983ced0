package memory

import (
	"hash/fnv"
	"slices"
	"strings"
	"unicode"
)

// negations turn a sentence round.
var negations = []string{"not", "no", "never", "none", "without", "cannot", "can't", "don't", "doesn't", "won't", "isn't", "aren't", "wasn't", "didn't", "shouldn't", "mustn't"}

// opposites are words of which one in the place of the other makes another statement. Embeddings have them near each other.
var opposites = map[string]string{}

// oppositeHashes are the same of the words' hashes.
var oppositeHashes = map[uint32]uint32{}

func hashWord(w string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(w))
	return h.Sum32()
}

func init() {
	for _, pair := range []string{"before after", "enable disable", "enabled disabled", "enables disables", "on off", "always sometimes", "true false", "more less", "most least", "minimum maximum",
		"min max", "increase decrease", "increases decreases", "allow deny", "allowed denied", "allows denies", "add remove", "added removed", "open closed", "start stop", "starts stops", "up down",
		"left right", "first last", "above below", "must may", "required optional", "required forbidden", "public private", "read write", "old new", "inside outside", "fast slow", "safe unsafe",
		"valid invalid", "sync async", "synchronous asynchronous", "ascending descending", "success failure", "succeeds fails", "pass fail", "passes fails", "local remote", "staging production"} {
		a, b, _ := strings.Cut(pair, " ")
		opposites[a], opposites[b] = b, a
		oppositeHashes[hashWord(a)], oppositeHashes[hashWord(b)] = hashWord(b), hashWord(a)
	}
}

// differs reports whether two texts that mean almost the same differ in what an embedding hardly sees: a number, a sign, a negation, an opposite, or the order of the words that they share. Then one corrects the other, or says the reverse of it, and is no duplicate of it.
func differs(a, b string) bool {
	x, y := words(a), words(b)
	return !slices.Equal(marks(a), marks(b)) || opposed(x, y, opposites) || !sameOrder(x, y)
}

// opposed reports whether one text has a word where the other has its opposite.
func opposed[W comparable](a, b []W, opposites map[W]W) bool {
	has := make(map[W]bool, len(b))
	for _, w := range b {
		has[w] = true
	}
	mine := make(map[W]bool, len(a))
	for _, w := range a {
		mine[w] = true
	}
	for _, w := range a {
		if o, is := opposites[w]; is && has[o] && (!has[w] || !mine[o]) {
			return true
		}
	}
	return false
}

// words are a text's words in small letters, without their commonest endings.
func words(s string) []string {
	all := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(s, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '.'
	})
	for i, w := range all {
		all[i] = stem(strings.Trim(w, ".'"))
	}
	return slices.DeleteFunc(all, func(w string) bool { return w == "" })
}

// stem takes the commonest endings off a longer word, unless it is one of a pair of opposites.
func stem(w string) string {
	if len(w) < 5 || opposites[w] != "" {
		return w
	}
	for _, end := range []string{"ing", "es", "ed", "s"} {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) > 3 {
			return s
		}
	}
	return w
}

// marks are the numbers, signs and negations of a text, sorted.
func marks(text string) []string {
	var all []string
	for _, w := range words(text) {
		switch {
		case strings.ContainsFunc(w, unicode.IsDigit):
			all = append(all, w)
		case slices.Contains(negations, w):
			all = append(all, "not")
		}
	}
	// Signs that stand alone ("<", "!=") or before a word or a number ("-5", "--force", "!done").
	for _, f := range strings.Fields(text) {
		f = strings.Trim(f, "\"'()[]{},;:“”‘’")
		sign := f[:len(f)-len(strings.TrimLeft(f, "<>=!+-~^&|%*"))]
		if sign != "" && sign != "-" || sign == "-" && len(f) > 1 { // a dash alone is punctuation
			all = append(all, f)
		}
	}
	slices.Sort(all)
	return all
}

// sameOrder reports whether the words that two texts share come in the same order in both: "a calls b" and "b calls a" share all of them.
func sameOrder[W comparable](a, b []W) bool {
	left := make(map[W]int, len(a))
	for _, w := range a {
		left[w]++
	}
	shared := make(map[W]int, len(a))
	for _, w := range b {
		if left[w] > 0 {
			left[w]--
			shared[w]++
		}
	}
	of := func(all []W) []W {
		seen := make(map[W]int, len(shared))
		out := make([]W, 0, len(all))
		for _, w := range all {
			if seen[w] < shared[w] {
				seen[w]++
				out = append(out, w)
			}
		}
		return out
	}
	return slices.Equal(of(a), of(b))
}
