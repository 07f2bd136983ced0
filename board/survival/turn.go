package survival

import (
	"slices"
	"strings"

	"blackboard/board/words"
)

// This file says how whole sentences stand against each other: one says that something
// has ended, is not there or is not allowed, and the other that it goes on, is or may
// be.

// privative reports whether a saying that has a word such as unstaffed, which the other
// does not have, stands against a negation of the other: nobody is there.
func (s *saying) privative(told *saying) bool {
	if !told.negative() || s.negative() {
		return false
	}
	return slices.ContainsFunc(s.words, func(w said) bool {
		return w.content && w.Kind == words.Word && privative(w.low) &&
			!slices.ContainsFunc(told.words, func(u said) bool { return u.Keys[0] == w.Keys[0] })
	})
}

// privative reports whether a word says by its prefix or its end that something is not
// there.
func privative(low string) bool {
	switch {
	case len(low) < 7:
		return false
	case strings.HasPrefix(low, "un"):
		return !strings.HasPrefix(low, "under") && !strings.HasPrefix(low, "uni") &&
			low != "unless"
	}
	return strings.HasSuffix(low, "less") || strings.HasPrefix(low, "non")
}

// ended reports whether a saying says of what still goes on in the other that it no
// longer does.
func (s *saying) ended(told *saying) bool {
	goesOn, ends := false, false
	for i := range s.words {
		w := &s.words[i]
		goesOn = goesOn || is(w.low, asLasting) && !w.loose
	}
	for i := range told.words {
		w, next := &told.words[i], told.at(i+1)
		if is(w.low, asLasting) {
			return false
		}
		ends = ends || w.low == "no" && next.low == "longer" ||
			(w.low == "anymore" || w.low == "any" && (next.low == "more" ||
				next.low == "longer")) && w.loose
	}
	return goesOn && ends
}

// permits says whether a saying allows something (1), forbids it (-1), or neither.
func (s *saying) permits() int {
	if s.nobody {
		return 0 // nobody may
	}
	for i := range s.words {
		w := &s.words[i]
		before := s.at(i - 1)
		if before.low == "not" {
			before = s.at(i - 2)
		}
		if participle := strings.HasSuffix(w.low, "ed") ||
			strings.HasSuffix(w.low, "en"); participle &&
			!is(before.low, asBeings) {
			continue // permitted liens
		}
		switch {
		case is(w.low, asAllowing):
			if w.tight {
				return -1
			}
			return 1
		case is(w.low, asForbidding):
			if w.tight {
				return 1
			}
			return -1
		case w.low == "may" && (!w.capital || i == 0), w.low == "can":
			if i+1 < len(s.words) && s.negates(i+1) {
				return -1
			}
			return 1
		case w.low == "must" && i+1 < len(s.words) && s.negates(i+1):
			return -1
		case w.low == "cannot", w.low == "can't", w.low == "mustn't":
			return -1
		}
	}
	return 0
}

// sided reports whether somebody is for what is in one saying, and against it in the
// other.
func (s *saying) sided(told *saying) bool {
	for i := range s.words {
		w := &s.words[i]
		if !w.content || s.at(i+1).low != "for" && s.at(i+1).low != "against" {
			continue
		}
		for j := range told.words {
			other := told.at(j + 1).low
			if told.words[j].content && told.words[j].Keys[0] == w.Keys[0] &&
				other != s.at(i+1).low &&
				(other == "for" || other == "against") && w.tight == told.words[j].tight {
				return true
			}
		}
	}
	return false
}

// converse reports whether a word and its opposite say the same from both ends: a lends
// to b, b borrows from a.
func (s *saying) converse(i int, told *saying, j int) bool {
	mine, theirs := s.subject(i), told.subject(j)
	passive, _ := s.passive(i)
	passive2, _ := told.passive(j)
	if mine == "" || theirs == "" || mine == theirs || passive != passive2 {
		return false
	}
	_, right := s.sides(i)
	_, right2 := told.sides(j)
	return slices.Contains(right, theirs) && slices.Contains(right2, mine)
}
