package survival

import (
	"slices"

	"blackboard/board/words"
)

// This file says whether a report that has the words of an item says the opposite with
// them: it negates it, has an opposite in the place of a word, exchanges who does it to
// whom, or quotes it as false (refute.go). Only sentences that carry a good part of the
// item are looked at, and what one of them says plainly is not taken back by another.

const (
	leastCarried = 0.34 // share of an item's weight that a sentence must have to speak of it
	leastContext = 0.5  // the same, of it and the sentence before
	leastTold    = 0.6  // the same, to say it, or to exchange its roles
	leastWhole   = 0.7  // the same, to negate a word of it that stands beside others
)

// A carrier is a sentence of a report that has words of an item.
type carrier struct {
	unit   int32
	weight float64 // share of the item's weight that it has
	near   float64 // the same with the sentence before it and the headings
}

// tells reports whether a sentence says the item, by itself or with the one before it.
func (c carrier) tells() bool {
	return c.weight >= leastTold || c.weight >= leastContext && c.near >= leastTold
}

// carriers returns the sentences that speak of the pattern, the fullest first.
func (p *pattern) carriers(x *index, h *hits) (all []carrier) {
	total := float64(p.words + wordWeight*p.numbers)
	share := func(set []uint64) float64 {
		return float64(p.weigh(set, false)+wordWeight*p.weigh(set, true)) / total
	}
	for u := range x.units {
		i := int32(u)
		w := share(h.gather(i, i, span{}))
		if w < leastCarried {
			continue
		}
		from := i
		if from > 0 && x.units[from-1].section == x.units[i].section {
			from--
		}
		set := h.gather(from, i, x.units[i].under)
		if n := share(set); n >= leastContext && (!p.named || p.names(set)) {
			all = append(all, carrier{i, w, n})
		}
	}
	slices.SortStableFunc(all, func(a, b carrier) int {
		switch {
		case a.weight > b.weight:
			return -1
		case a.weight < b.weight:
			return 1
		}
		return 0
	})
	return all[:min(len(all), maxCarriers)]
}

// maxCarriers bounds how many sentences are read again for one item.
const maxCarriers = 8

// contradicted returns the unit that says the opposite of the item which the pattern is
// of, or -1. The hits are those of the report.
func (p *pattern) contradicted(x *index, h *hits) int32 {
	item := p.saying()
	if item == nil {
		return -1
	}
	worst, against := carrier{unit: -1}, ""
	var plain []carrier
	var told []*saying
	for _, c := range p.carriers(x, h) {
		if c.weight < worst.weight {
			break // another says the opposite, and more of the item
		}
		said := x.saying(c.unit)
		switch word, no := item.against(said, c.weight); {
		case no:
			if worst.unit < 0 {
				worst, against = c, word
			}
		case !item.refuted && c.tells() && (x.refuted(c.unit) ||
			!item.negative() && unproven.MatchString(x.text(c.unit)) && !unproven.MatchString(item.text)):
			if worst.unit < 0 {
				worst = c
			}
		default:
			plain, told = append(plain, c), append(told, said)
		}
	}
	if worst.unit < 0 {
		return -1
	}
	for i, c := range plain {
		// It is said plainly where the word that is in question stands as the item has
		// it.
		if against == "" && c.weight >= worst.weight ||
			c.weight > worst.weight && item.agrees(told[i], against, false) ||
			c.weight == worst.weight && item.agrees(told[i], against, true) {
			return -1
		}
	}
	return worst.unit
}

// mirrored returns the unit that says an item by the opposite of one of its words, negated:
// is closed, does not open; -1 if none does.
func (p *pattern) mirrored(x *index, h *hits) int32 {
	item := p.saying()
	if item == nil {
		return -1
	}
	for _, c := range p.carriers(x, h) {
		told := x.saying(c.unit)
		for i := range item.words {
			w := &item.words[i]
			if c.near < leastContext || !w.content || w.Kind != words.Word || told.says(w) {
				continue
			}
			for j := range told.words {
				if u := &told.words[j]; w.meets(u) < 0 && w.tight != u.tight && item.subjectOf(i, told) &&
					item.beside(i, told, j) && !x.refuted(c.unit) {
					return c.unit
				}
			}
		}
	}
	return -1
}

// saying reads a unit, once.
func (x *index) saying(u int32) *saying {
	s := x.sayings[u]
	if s == nil {
		s = read(&x.scanner, x.report.Text()[x.units[u].start:x.units[u].end])
		for k := x.units[u].under.from; k < x.units[u].under.to; k++ {
			s.before = x.keys(k, s.before)
		}
		if u > 0 && x.units[u-1].section == x.units[u].section {
			s.before = x.keys(u-1, s.before)
		}
		x.sayings[u] = s
	}
	return s
}

// keys adds the keys of a unit's words.
func (x *index) keys(u int32, into []string) []string {
	for _, l := range x.scanner.Scan(x.report.Text()[x.units[u].start:x.units[u].end]) {
		if l.Kind == words.Number || l.Kind == words.Word && !words.Empty(l.Plain) {
			into = append(into, l.Keys[0])
		}
	}
	return into
}

// saying reads the item once; nil if nothing can contradict it.
func (p *pattern) saying() *saying {
	if p.asks || p.exact == "" {
		return nil
	}
	if p.said == nil {
		p.said = read(&p.scanner, p.content)
		p.said.text = p.content
		p.said.relate()
		p.said.refuted = refutes.MatchString(p.content) || formerly.MatchString(p.content)
	}
	return p.said
}

// relate looks up what the words of an item may be told by.
func (s *saying) relate() {
	for i := range s.words {
		if w := &s.words[i]; w.content && w.Kind == words.Word {
			w.same, w.opposite = words.Related(w.Plain)
		}
	}
}

// meets says how a word of a report answers to one of an item: as it (1), as its
// opposite (-1), or not.
func (w *said) meets(u *said) int {
	switch key := u.Keys[0]; {
	case w.Kind != u.Kind || !u.content && w.Kind != words.Word:
		return 0
	case w.low == "on" && u.low == "off" || w.low == "off" && u.low == "on":
		return -1
	case w.Keys[0] == key:
		return 1
	case slices.Contains(w.opposite, key):
		return -1
	case slices.Contains(w.same, key):
		return 1
	}
	return 0
}

// stands says of a word of the item whether a sentence has it as the item means it,
// turned round, or neither.
func (s *saying) stands(i int, told *saying, whole bool) (agrees bool, differs difference) {
	w := &s.words[i]
	if s.ambivalent(i) {
		return true, 0
	}
	for j := range told.words {
		u := &told.words[j]
		switch w.meets(u) {
		case 1:
			switch turned := w.tight && !u.loose || u.tight && !w.loose; {
			case !turned && w.loose == u.loose:
				agrees = true
			case !turned || w.hedged != u.hedged: // not for certain
			case w.none && !s.at(i+1).follows() && told.at(j+1).follows():
				// no lien, and a lien index
			case (w.moody == u.moody || w.modal && u.modal) && (whole || s.beside(i, told, j)) && s.subjectOf(i, told):
				differs = negated
			}
		case -1:
			switch {
			case w.tight != u.tight || s.compares(told) || s.converse(i, told, j):
				agrees = true
			case w.loose == u.loose && w.moody == u.moody && s.beside(i, told, j) && s.subjectOf(i, told):
				differs = opposed
			}
		}
	}
	return agrees, differs
}

// opposed reports whether a sentence has the opposite of a word.
func (s *saying) opposed(told *saying) bool {
	for i := range s.words {
		for j := range told.words {
			if s.words[i].content && s.words[i].meets(&told.words[j]) < 0 {
				return true
			}
		}
	}
	return false
}

// says reports whether a saying has a word of an item, or one of its sense.
func (s *saying) says(w *said) bool {
	return slices.ContainsFunc(s.words, func(u said) bool { return w.meets(&u) > 0 })
}

// turns reports whether a sentence has the opposite of a word beside what the word stands
// beside, and not the word.
func (s *saying) turns(told *saying) bool {
	for i := range s.words {
		w := &s.words[i]
		if !w.content || w.Kind != words.Word || told.says(w) {
			continue
		}
		for j := range told.words {
			if w.meets(&told.words[j]) < 0 && s.beside(i, told, j) {
				return true
			}
		}
	}
	return false
}

// ambivalent reports whether a saying has a word both ways, or with its opposite.
func (s *saying) ambivalent(i int) bool {
	w := &s.words[i]
	for j := range s.words {
		u := &s.words[j]
		if j != i && u.content && (u.Keys[0] == w.Keys[0] && u.tight != w.tight ||
			slices.Contains(w.opposite, u.Keys[0])) {
			return true
		}
	}
	return false
}

// against reports whether a sentence says the opposite of the item, and by which word of
// it, if it is one.
func (s *saying) against(told *saying, carried float64) (word string, no bool) {
	var ways difference
	for i := range s.words {
		if !s.words[i].content || s.words[i].Kind != words.Word {
			continue
		}
		if agrees, differs := s.stands(i, told, carried >= leastWhole); differs > 0 && !agrees {
			if ways |= differs; word == "" {
				word = s.words[i].Keys[0]
			}
		}
	}
	switch {
	case s.permits()*told.permits() > 0:
	case ways&negated > 0 && (ways&opposed > 0 || s.turns(told)):
		// keeps no samples, samples are discarded
	case ways == negated && (s.privative(told) || told.privative(s)):
	case ways > 0:
		return word, true
	}
	return "", carried >= leastTold && (s.exchanged(told) || s.crossed(told) || s.reordered(told) ||
		s.ended(told) || told.ended(s) || s.sided(told) || s.permits()*told.permits() < 0)
}
