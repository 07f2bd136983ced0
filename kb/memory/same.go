package memory

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"blackboard/board/words"
)

// A statement is what two texts are compared by that mean almost the same.
type statement struct {
	said  []uint32 // hashes of the bases of its words, in order
	marks []string // its numbers, signs and negations, sorted
}

// hashWord is FNV-1a.
func hashWord(w string) uint32 {
	h := uint32(2166136261)
	for i := range len(w) {
		h = (h ^ uint32(w[i])) * 16777619
	}
	return h
}

// contraries has for each word those that make another statement in its place. Embeddings have
// them near each other.
var contraries = sync.OnceValue(func() map[uint32][]uint32 {
	m := map[uint32][]uint32{}
	for _, pair := range words.Contraries() {
		x, y := hashWord(pair[0]), hashWord(pair[1])
		m[x], m[y] = append(m[x], y), append(m[y], x)
	}
	return m
})

func readStatement(text string) statement {
	all := words.Split(text, ".'")
	s := statement{said: make([]uint32, 0, len(all)), marks: signs(text)}
	for _, w := range all {
		s.said = append(s.said, hashWord(words.Base(w)))
		switch {
		case strings.ContainsFunc(w, unicode.IsDigit):
			s.marks = append(s.marks, w)
		case words.Negates(w):
			s.marks = append(s.marks, "not")
		}
	}
	slices.Sort(s.marks)
	return s
}

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

// differs reports whether two texts that mean almost the same differ in what an embedding hardly sees: a number, a sign, a negation, an opposite, or the order of the words that they share. Then one corrects the other, or says the reverse of it, and is no duplicate of it.
func differs(a, b string) bool {
	x, y := readStatement(a), readStatement(b)
	return !slices.Equal(x.marks, y.marks) || opposed(x.said, y.said) || !sameOrder(x.said, y.said)
}

// opposed reports whether one text has a word where the other has its opposite.
func opposed(a, b []uint32) bool {
	mine, has := make(map[uint32]bool, len(a)), make(map[uint32]bool, len(b))
	for _, w := range a {
		mine[w] = true
	}
	for _, w := range b {
		has[w] = true
	}
	contraries := contraries()
	for _, w := range a {
		for _, o := range contraries[w] {
			if has[o] && (!has[w] || !mine[o]) {
				return true
			}
		}
	}
	return false
}

// sameOrder reports whether the words that two texts share come in the same order in both: "a calls b" and "b calls a" share all of them.
func sameOrder(a, b []uint32) bool {
	shared := func(all, other []uint32) (out []uint32) {
		left := make(map[uint32]int, len(other))
		for _, w := range other {
			left[w]++
		}
		for _, w := range all {
			if left[w]--; left[w] >= 0 {
				out = append(out, w)
			}
		}
		return out
	}
	return slices.Equal(shared(a, b), shared(b, a))
}
