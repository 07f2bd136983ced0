package secret

import (
	"slices"
	"strings"
)

// keywords tells in one pass which rules come into question for a text.
type keywords struct {
	slots  [1 << 16]uint16 // by the pair of bytes that a word begins with: where in words, 0 for none
	words  [][]word
	count  int
	always []int // rules that every text is matched against
}

type word struct {
	text  string // in lower case
	index int
	rules []int
}

// index makes the keywords of rules. A word of less than a pair selects nothing, so its rule always applies.
func index(rules []*rule) *keywords {
	users := map[string][]int{}
	k := &keywords{words: [][]word{nil}}
	for i, r := range rules {
		if len(r.Keywords) == 0 || slices.ContainsFunc(r.Keywords, func(w string) bool { return len(w) < 2 }) {
			k.always = append(k.always, i)
			continue
		}
		for _, w := range r.Keywords {
			w = strings.ToLower(w)
			users[w] = append(users[w], i)
		}
	}
	for w, rules := range users {
		slot := &k.slots[pair(w[0], w[1])]
		if *slot == 0 {
			*slot = uint16(len(k.words))
			k.words = append(k.words, nil)
		}
		k.words[*slot] = append(k.words[*slot], word{w, k.count, rules})
		k.count++
	}
	return k
}

// in returns, in ascending order, the rules that have a keyword in text, whatever the case of its ASCII letters.
func (k *keywords) in(text string) []int {
	out, seen := slices.Clone(k.always), make([]bool, k.count)
	for i := 1; i < len(text); i++ {
		slot := k.slots[pair(text[i-1], text[i])]
		if slot == 0 {
			continue
		}
		rest := text[i-1:]
		for j := range k.words[slot] {
			w := &k.words[slot][j]
			if !seen[w.index] && len(w.text) <= len(rest) && equalFold(rest[2:len(w.text)], w.text[2:]) {
				seen[w.index] = true
				out = append(out, w.rules...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func pair(a, b byte) uint16 { return uint16(fold(a))<<8 | uint16(fold(b)) }

func fold(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}

// equalFold reports whether s is lower but for the case of its letters. Both have the same length.
func equalFold(s, lower string) bool {
	for i := range len(s) {
		if fold(s[i]) != lower[i] {
			return false
		}
	}
	return true
}
