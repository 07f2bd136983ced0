package survival

import (
	"slices"
	"strings"

	"blackboard/board/words"
)

// This file checks whether a sentence and an item have the same subject.

// follows reports whether a word belongs to the one right before it.
func (w said) follows() bool { return w.content && !w.breaks }

// subjectOf reports whether a sentence has most of what the item says a word of: of the
// words before it in its clause, or its sentence, else, and of what there is none of, of
// those after it. A sentence of something else contradicts nothing.
func (s *saying) subjectOf(i int, told *saying) bool {
	// before it in its clause, in its sentence, after it: all, and those that told has
	var of [3][2]int
	for k := range s.words {
		w := &s.words[k]
		if k == i || w.sentence != s.words[i].sentence || !w.topic() {
			continue
		}
		has := 0
		if told.has(w) {
			has = 1
		}
		same := w.clause == s.words[i].clause
		for n, in := range [3]bool{k < i && same, k < i, k > i && same} {
			if in {
				of[n][0], of[n][1] = of[n][0]+1, of[n][1]+has
			}
		}
	}
	for n := range of[:2] {
		if of[n][0] > 0 && !s.words[i].none {
			return told.nobody || 2*of[n][1] > of[n][0]
		}
	}
	return 2*of[2][1] >= of[2][0]
}

// topic reports whether a word may say what a sentence is of: no number does, no adverb.
func (w *said) topic() bool {
	return w.content && !words.Empty(w.Plain) && (w.capital || !strings.HasSuffix(w.low, "ly")) &&
		(w.Kind != words.Number && len(w.Keys) == 1 ||
			w.Kind == words.Number && w.Keys[0][0] == 'i')
}

// has reports whether a sentence, or what stands right before it, has a word of an item.
func (s *saying) has(w *said) bool {
	return slices.Contains(s.before, w.Keys[0]) ||
		slices.ContainsFunc(s.words, func(u said) bool { return w.meets(&u) != 0 })
}

// beside reports whether two words stand beside the same word.
func (s *saying) beside(i int, told *saying, j int) bool {
	for _, a := range s.around(i) {
		for _, b := range told.around(j) {
			if a == b {
				return true
			}
		}
	}
	return false
}

// around returns the keys of the two words before a word, and of the two after it, that
// mean something.
func (s *saying) around(i int) (keys []string) {
	for _, step := range []int{-1, 1} {
		n := 0
		for k := i + step; n < 2 && s.at(k).sentence == s.words[i].sentence &&
			s.at(k).low != ""; k += step {
			if w := &s.words[k]; w.content {
				keys = append(keys, w.Keys[0])
				n++
			}
		}
	}
	return keys
}
