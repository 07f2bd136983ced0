package survival

import (
	"slices"
	"strings"

	"blackboard/board/words"
)

// This file checks whether an item's number stands with its words, or another number
// does.

const (
	leastBesides = 0.5 // share of an item's words that a sentence must have to say its number
	leastRival   = 0.7 // share of those words that a sentence with the item's number must have
)

// displaced returns the want of the item's number in whose place the sentence that has
// most of the item's words has another one; -1 if none is. The number that the passage
// has belongs to something else then.
func (p *pattern) displaced(x *index, h *hits, at passage) int {
	if p.asks || p.numbers == 0 {
		return -1
	}
	fullest, most := int32(-1), 0
	for u := at.first; u <= at.last; u++ {
		set := h.gather(u, u, span{})
		if w := p.weigh(set, false) + p.weigh(set, true); w > most {
			fullest, most = u, w
		}
	}
	if fullest < 0 || float64(most) < leastBesides*float64(p.words) {
		return -1
	}
	have := slices.Clone(h.gather(fullest, fullest, span{}))
	for n := range p.wants {
		if !p.wants[n].number || have[n/64]&(1<<(n%64)) != 0 {
			continue
		}
		rival := false // the number stands with the words elsewhere
		for u := at.from; u <= at.to && !rival; u++ {
			set := h.gather(u, u, x.units[u].under)
			rival = set[n/64]&(1<<(n%64)) != 0 &&
				float64(p.weigh(set, false)) >= leastRival*float64(most)
		}
		if !rival && p.saying().replaced(p.wants[n].keys, x.saying(fullest), p) {
			return n
		}
	}
	return -1
}

// replaced reports whether a sentence has another number in the place of the item's.
func (s *saying) replaced(keys []string, told *saying, p *pattern) bool {
	for i := range s.words {
		w := &s.words[i]
		if w.Kind != words.Number || !slices.Equal(w.Want, keys) {
			continue
		}
		for j := range told.words {
			u := &told.words[j]
			if u.Kind != words.Number || len(u.Want) == 0 || kind(u.Want[0]) != kind(keys[0]) {
				continue
			}
			beside := kind(keys[0]) != "n" || s.counts(i, told, j)
			if kind(keys[0]) != "d" && beside && !p.wanted(u) {
				return true
			}
		}
	}
	return false
}

// wanted reports whether the item has a number, too.
func (p *pattern) wanted(u *said) bool {
	return slices.ContainsFunc(p.wants, func(w want) bool {
		return w.number && common(w.keys, u.Keys) > 0
	})
}

// counts reports whether two numbers stand right before the same word.
func (s *saying) counts(i int, told *saying, j int) bool {
	a, b := s.at(i+1), told.at(j+1)
	return a.content && b.content && !a.breaks && !b.breaks && a.Keys[0] == b.Keys[0]
}

// kind returns what a key of a number counts: a percentage, a time, a measure of one
// sort.
func kind(key string) string {
	if i := strings.LastIndexByte(key, ':'); strings.HasPrefix(key, "u:") {
		return key[:i]
	}
	kind, _, _ := strings.Cut(key, ":")
	return kind
}
