package survival

import (
	"slices"
	"strings"

	"blackboard/board/words"
)

// This file says whether a sentence has who does what to whom, or what is before or
// more than what, the other way round.

// exchanged reports whether a sentence has what does something, and to what, the other
// way round.
func (s *saying) exchanged(told *saying) bool {
	for i := range s.words {
		if !s.words[i].content || s.words[i].Kind != words.Word {
			continue
		}
		j := told.only(s.words[i].Keys[0])
		if j < 0 || s.only(s.words[i].Keys[0]) != i || told.noun(j) ||
			!s.verb(i) && !(s.between(i) && told.between(j) &&
				(s.plural(i-1) || told.plural(j-1))) {
			continue
		}
		mine, theirs := s.subject(i), told.subject(j)
		if mine == "" || theirs == "" {
			continue
		}
		left, right := s.sides(i)
		left2, right2 := told.sides(j)
		passive, by := s.passive(i)
		passive2, by2 := told.passive(j)
		switch {
		case mine != theirs:
			if passive == passive2 && slices.Contains(right2, mine) &&
				slices.Contains(right, theirs) &&
				!slices.Contains(left2, mine) && !slices.Contains(left, theirs) {
				return true
			}
		case passive != passive2 && (by || by2) && common(right, right2) > 0:
			return true
		}
	}
	return false
}

// swapped reports whether somebody does in a sentence what is done to them in the item,
// by verbs of one sense.
func (s *saying) swapped(told *saying) bool {
	for i := range s.words {
		if !s.acts(i) {
			continue
		}
		mine := s.doers(i)
		if len(mine) == 0 || told.does(&s.words[i], mine) {
			continue
		}
		for j := range told.words {
			if s.words[i].meets(&told.words[j]) <= 0 || !told.acts(j) {
				continue
			}
			theirs := told.doers(j)
			if common(mine, theirs) == 0 && common(mine, told.others(j)) > 0 &&
				common(theirs, s.others(i)) > 0 {
				return true
			}
		}
	}
	return false
}

// does reports whether a saying has a word of an item, done by the same.
func (s *saying) does(w *said, who []string) bool {
	for j := range s.words {
		if w.meets(&s.words[j]) > 0 && common(who, s.doers(j)) > 0 {
			return true
		}
	}
	return false
}

// acts reports whether a word may be a verb that somebody does.
func (s *saying) acts(i int) bool {
	w, after := &s.words[i], s.at(i+1)
	ends := after.breaks || after.low == "and" || after.low == "or"
	if !w.content || w.Kind != words.Word || s.plural(i) && ends {
		return false
	}
	return s.verb(i) || s.between(i) || !w.breaks && !s.noun(i) &&
		is(s.at(i-1).low, asAuxiliaries) &&
		(strings.HasSuffix(w.low, "en") || strings.HasSuffix(w.low, "t"))
}

// others returns the keys of what a verb may do something to: of what comes after it, or
// before it in the passive.
func (s *saying) others(i int) []string {
	if passive, by := s.passive(i); passive && by {
		if who := s.subject(i); who != "" {
			return []string{who}
		}
		return nil
	}
	return s.contents(i+1, i+8)
}

// doers returns the keys of who does what a verb says, as far as a sentence says it.
func (s *saying) doers(i int) []string {
	passive, by := s.passive(i)
	if !passive {
		if who := s.subject(i); who != "" {
			return []string{who}
		}
		return nil
	}
	if !by {
		return nil
	}
	for k := i + 1; k < len(s.words); k++ {
		if s.words[k].low == "by" {
			return s.contents(k+1, k+4)
		}
	}
	return nil
}

// between reports whether a word stands between one that means something and what it may
// do something to: volunteers outnumber staff.
func (s *saying) between(i int) bool {
	before, after := s.at(i-1), s.at(i+1)
	return !s.noun(i) && !s.words[i].breaks && !s.words[i].capital && !after.breaks &&
		before.content && before.Kind == words.Word &&
		after.Kind == words.Word && (after.content || is(after.low, asArticles))
}

// plural reports whether a word looks like a plural.
func (s *saying) plural(i int) bool {
	low := s.at(i).low
	return strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ss")
}

// verb reports whether a word looks like what somebody does to something.
func (s *saying) verb(i int) bool {
	w := s.words[i]
	if w.Kind != words.Word || !w.content || s.noun(i) {
		return false
	}
	if is(w.low, asIrregular) || strings.HasSuffix(w.low, "ed") {
		return true
	}
	if strings.HasSuffix(w.low, "s") && !strings.HasSuffix(w.low, "ss") &&
		!strings.HasSuffix(w.low, "us") {
		return true
	}
	return is(s.at(i-1).low, asModals)
}

// noun reports whether what stands beside a word shows that it is no verb.
func (s *saying) noun(i int) bool {
	before, after := s.at(i-1), s.at(i+1)
	return before.Kind == words.Number || is(before.low, asArticles) || after.low == "of" ||
		!after.breaks && is(after.low, asAuxiliaries) && after.low != "to"
}

// only returns the one place of a key, or -1.
func (s *saying) only(key string) int {
	at := -1
	for i := range s.words {
		if s.words[i].content && s.words[i].Keys[0] == key {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

// subject returns the key of the nearest word before a verb that means something, in its
// clause.
func (s *saying) subject(i int) string {
	from := i - 1
	if s.at(from).low == "to" && s.at(from-1).part == s.words[i].part { // begins to send
		from -= 2
	}
	part := s.words[i].part
	if w := s.words[i]; w.breaks && !w.capital && from == i-1 && from >= 0 &&
		s.words[from].part == part-1 {
		part-- // the contractor, Dovrel, hands
	}
	for k := from; k >= 0 && s.words[k].part == part; k-- {
		if w := &s.words[k]; w.content && w.sentence == s.words[i].sentence &&
			w.Kind != words.Number &&
			(w.capital || !strings.HasSuffix(w.low, "ly")) {
			return w.Keys[0]
		}
	}
	return ""
}

// sides returns what stands before and after a word in its sentence.
func (s *saying) sides(i int) (left, right []string) {
	for k := range s.words {
		switch w := &s.words[k]; {
		case !w.content || w.sentence != s.words[i].sentence:
		case k < i:
			left = append(left, w.Keys[0])
		case k > i:
			right = append(right, w.Keys[0])
		}
	}
	return left, right
}

// passive reports whether a verb says what is done to its subject, and whether it says
// by whom.
func (s *saying) passive(i int) (passive, by bool) {
	low := s.words[i].low
	if !strings.HasSuffix(low, "ed") && !strings.HasSuffix(low, "n") && !is(low, asIrregular) {
		return false, false
	}
	for k := i + 1; k < len(s.words) && k <= i+4 && !s.words[k].breaks; k++ {
		if s.words[k].low == "by" && s.at(k+1).Kind != words.Number {
			return true, true
		}
	}
	for k := i - 1; k >= max(0, i-3); k-- {
		if is(s.words[k].low, asBeings) {
			return true, false
		}
	}
	return false, false
}

// reordered reports whether a sentence has what is before what the other way round, or
// another order of the same comparison or change.
func (s *saying) reordered(told *saying) bool {
	for _, a := range s.orders() {
		for _, b := range told.orders() {
			if turns := a.word == "before" || a.word == "after"; a.word != b.word &&
				(!turns || b.word != "before" && b.word != "after") {
				continue
			}
			if a.word == "than" && s.opposed(told) {
				continue // smaller than, against larger than
			}
			turned := a.word != b.word || a.less != b.less
			if a.crosses(b) && !turned || a.follows(b) && turned {
				return true
			}
		}
	}
	return false
}

// An order is what a sentence puts before and after a word.
type order struct {
	word        string
	left, right []string
	less        bool // than
}

func (s *saying) orders() (all []order) {
	for i := range s.words {
		switch w := s.words[i].low; {
		case is(w, asPivots):
			left, right := s.sides(i)
			if i == 0 || s.at(i).breaks && w != "than" && w != "then" { // Before X, Y
				left, right = s.parted(i)
			}
			if len(left) > 0 && len(right) > 0 {
				less := w == "than" && slices.ContainsFunc(s.words[max(0, i-3):i],
					func(w said) bool { return is(w.low, asLess) })
				all = append(all, order{w, left, right, less})
			}
		case w == "from":
			for k := i + 1; k < min(len(s.words), i+7); k++ {
				if s.words[k].low == "to" && k > i+1 &&
					k+1 < len(s.words) && !s.words[k+1].breaks {
					from, to := s.contents(i+1, k), s.contents(k+1, k+5)
					all = append(all, order{"to", from, to, false})
					break
				}
			}
		}
	}
	return all
}

// contents returns the keys of what means something from one word to another, up to a
// mark.
func (s *saying) contents(from, to int) (keys []string) {
	for k := from; k < min(to, len(s.words)) && (k == from || !s.words[k].breaks); k++ {
		if s.words[k].content {
			keys = append(keys, s.words[k].Keys[0])
		}
	}
	return keys
}

// crossed reports whether two verbs have each other's subject: demand rose while prices
// fell, demand fell while prices rose.
func (s *saying) crossed(told *saying) bool {
	type verb struct{ mine, theirs string }
	var all []verb
	for i := range s.words {
		if !s.verb(i) {
			continue
		}
		j := told.only(s.words[i].Keys[0])
		if j < 0 || s.only(s.words[i].Keys[0]) != i {
			continue
		}
		passive, _ := s.passive(i)
		passive2, _ := told.passive(j)
		v := verb{s.subject(i), told.subject(j)}
		if v.mine == "" || v.theirs == "" || passive != passive2 {
			continue
		}
		if v.mine != v.theirs && slices.Contains(all, verb{v.theirs, v.mine}) {
			return true
		}
		all = append(all, v)
	}
	return false
}

// parted returns the sides of a word that begins a clause, as if it stood after what
// comes next.
func (s *saying) parted(i int) (left, right []string) {
	for k := i + 1; k < len(s.words) && s.words[k].sentence == s.words[i].sentence; k++ {
		switch w := &s.words[k]; {
		case !w.content:
		case w.part == s.words[i].part:
			right = append(right, w.Keys[0])
		default:
			left = append(left, w.Keys[0])
		}
	}
	return left, right
}

// common counts the keys that two lists share.
func common(a, b []string) (n int) {
	for i, k := range a {
		if slices.Contains(b, k) && !slices.Contains(a[:i], k) {
			n++
		}
	}
	return n
}

// compares reports whether a sentence compares the same two the other way round: a
// smaller than b, b larger than a.
func (s *saying) compares(told *saying) bool {
	for _, a := range s.orders() {
		for _, b := range told.orders() {
			if a.word == "than" && b.word == "than" && a.crosses(b) {
				return true
			}
		}
	}
	return false
}

// crosses reports whether what one order has on the left, the other has on the right.
func (a order) crosses(b order) bool {
	return min(common(a.left, b.right), common(a.right, b.left)) >
		min(common(a.left, b.left), common(a.right, b.right))
}

// follows reports whether both have the same on the left, and on the right.
func (a order) follows(b order) bool {
	return min(common(a.left, b.left), common(a.right, b.right)) >
		min(common(a.left, b.right), common(a.right, b.left))
}
