package survival

import (
	"slices"

	"blackboard/board/words"
)

// This file estimates how surely a sentence with an item's words says the opposite. The
// evidence for and against it are traits, each with a weight.

// Each trait had been a rule of yes or no, fitted by hand to the sentences that were
// read; the weights of all do better on sentences that nobody has read (see the
// package's documentation).

// A trait is something that bears on whether a sentence contradicts an item. Those up to
// isUnproven are what the doubt rests on; the others say how much that means.
type trait int

const (
	isNegated   trait = iota // one negates a word, the other says it outright
	isHalf                   // one negates a word, the other has it in a clause with a negation
	isOpposed                // one has the opposite of a word
	isExchanged              // one has who does it, and to whom, the other way round
	isReordered              // one has what is before, or more than, what the other way round
	isEnded                  // one says that it goes on, the other that it no longer does
	isSided                  // one is for what the other is against
	isForbidden              // one allows what the other forbids
	isRefuted                // the sentence stands there only to be called false
	isUnproven               // it says that nothing speaks for the claim

	apart      // the words stand beside other words
	ofOther    // and are said of something else
	inMood     // one says what is, the other what must or may be
	inOther    // another form, or another word of its sense
	inCompound // no lien, and a lien index
	hedged     // without, unless
	ofVerb     // the word looks like a verb

	carried  // share of the item that the sentence has, less 0.6
	near     // with the sentence before and the headings, less 0.7
	lesser   // how much less than the fullest sentence has
	nameless // it has no name of the item
	verbless // the head of a table
	mutual   // share of the clause of the word that the item has
	traitCount
)

// traits are those of one doubt.
type traits [traitCount]float64

// A doubt is a reason to think that a sentence contradicts an item.
type doubt struct {
	unit   int32
	traits traits
}

// score is above 0 if the sentence is taken to contradict the item: the log of the odds.
func (t *traits) score() float64 {
	sum := bias
	for i, v := range t {
		sum += v * weights[i]
	}
	return sum
}

// one is 1 for what holds.
func one(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// doubts returns the reasons to think that a sentence of the report says the opposite of
// the item.
func (p *pattern) doubts(x *index, h *hits) (all []doubt) {
	item := p.saying()
	if item == nil {
		return nil
	}
	carriers := p.carriers(x, h)
	told := make([]*saying, len(carriers))
	whole := make([]traits, len(carriers)) // the doubts that are not about one word
	for n, c := range carriers {
		if told[n] = x.saying(c.unit); is(told[n].words[0].low, asSubjects) {
			carriers[n].weight = c.near // it, they: of what was said before
		}
		if carriers[n].weight >= leastContext {
			whole[n] = p.ofWhole(x, told[n], c)
		}
	}
	for n, c := range carriers { // with their weights as they are now
		var base traits
		base[carried], base[near] = c.weight-0.6, c.near-0.7
		base[lesser], base[nameless] = max(0, carriers[0].weight-c.weight), one(!c.named)
		base[verbless] = one(!told[n].predicates())
		for t := isExchanged; t <= isUnproven; t++ {
			if whole[n][t] > 0 && !slices.ContainsFunc(carriers, func(o carrier) bool {
				return o.weight >= c.weight && whole[slices.Index(carriers, o)] == traits{}
			}) {
				d := doubt{c.unit, base}
				d.traits[t] = 1
				all = append(all, d)
			}
		}
		for i := range item.words {
			w := &item.words[i]
			if !w.content || w.Kind != words.Word {
				continue
			}
			for j := range told[n].words {
				if !w.turned(&told[n].words[j]) {
					continue
				}
				if t, is := item.differs(i, told[n], j); is &&
					!item.saidPlainly(i, carriers, told, n) {
					for k := range t {
						t[k] += base[k]
					}
					all = append(all, doubt{c.unit, t})
				}
			}
		}
	}
	return all
}

// ofWhole returns what of a sentence stands against an item that is not about one word.
func (p *pattern) ofWhole(x *index, told *saying, c carrier) (t traits) {
	item := p.said
	t[isExchanged] = one(item.exchanged(told) || item.crossed(told) || item.swapped(told))
	t[isReordered] = one(item.reordered(told))
	t[isEnded] = one(item.ended(told) || told.ended(item))
	t[isSided] = one(item.sided(told))
	t[isForbidden] = one(item.permits()*told.permits() < 0)
	t[isRefuted] = one(x.refuted(c.unit) &&
		!refutes.MatchString(item.text) && !formerly.MatchString(item.text))
	t[isUnproven] = one(told.negative() && !item.negative() &&
		unproven.MatchString(x.text(c.unit)))
	return t
}

// turned reports whether a word of a report is one of an item, negated in one of them,
// or its opposite.
func (w *said) turned(u *said) bool {
	switch w.meets(u) {
	case 1:
		return w.tight != u.tight
	case -1:
		return w.tight == u.tight && w.loose == u.loose
	}
	return false
}

// differs returns what there is to a word of a sentence that turns one of the item
// round; is says whether it does, by all that the sentence says.
func (s *saying) differs(i int, told *saying, j int) (t traits, is bool) {
	w, u := &s.words[i], &told.words[j]
	switch meets := w.meets(u); {
	case meets > 0:
		if w.tight && !u.loose || u.tight && !w.loose {
			t[isNegated] = 1
		} else {
			t[isHalf] = 1
		}
		t[inOther] = one(w.Keys[0] != u.Keys[0])
		t[inCompound] = one(w.none && !s.at(i+1).follows() && told.at(j+1).follows())
	case !s.compares(told) && !s.converse(i, told, j):
		t[isOpposed] = 1
	default:
		return t, false
	}
	if s.ambivalent(i) || s.hasAs(i, told, false) || s.permits()*told.permits() > 0 ||
		t[isOpposed] == 0 && (s.privative(told) || told.privative(s) || s.turns(told)) {
		return t, false // unstaffed, and nobody is there; keeps no samples, and discards them
	}
	t[apart], t[ofOther] = one(!s.beside(i, told, j)), one(!s.subjectOf(i, told))
	t[inMood] = one(w.moody != u.moody && !(w.modal && u.modal))
	t[hedged] = one(w.hedged != u.hedged)
	t[ofVerb] = one(s.verb(i) || told.verb(j))
	t[mutual] = s.clauseHas(told, j) - 0.5
	return t, true
}

// hasAs reports whether a sentence has a word as the item has it, in the same form if
// that is asked.
func (s *saying) hasAs(i int, told *saying, form bool) bool {
	w := &s.words[i]
	return slices.ContainsFunc(told.words, func(u said) bool {
		return w.meets(&u) > 0 && w.tight == u.tight && w.loose == u.loose &&
			(!form || w.Plain == u.Plain)
	})
}

// saidPlainly reports whether another sentence, as full, has a word as the item has it.
func (s *saying) saidPlainly(i int, carriers []carrier, told []*saying, n int) bool {
	for k, c := range carriers {
		more := c.weight - carriers[n].weight
		if k != n && more >= 0 && s.hasAs(i, told[k], more == 0) {
			return true
		}
	}
	return false
}

// predicates reports whether a saying has a verb.
func (s *saying) predicates() bool {
	for i := range s.words {
		if is(s.words[i].low, asAuxiliaries) || s.acts(i) {
			return true
		}
	}
	return false
}

// clauseHas returns the share of the clause of a word of a sentence that the item has.
func (s *saying) clauseHas(told *saying, j int) float64 {
	all, has := 0, 0
	for k := range told.words {
		u := &told.words[k]
		if k == j || !u.content || u.clause != told.words[j].clause {
			continue
		}
		all++
		if slices.ContainsFunc(s.words, func(w said) bool {
			return w.content &&
				w.meets(u) != 0
		}) {
			has++
		}
	}
	return float64(has) / float64(max(all, 1))
}
