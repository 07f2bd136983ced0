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
	leastCarried = 0.25 // share of an item's weight that a sentence must have to speak of it
	leastAround  = 0.4  // the same, of it and the sentence before
	leastContext = 0.5  // the same, to say it by an opposite, or to exchange its roles
)

// A carrier is a sentence of a report that has words of an item.
type carrier struct {
	unit   int32
	weight float64 // share of the item's weight that it has
	near   float64 // the same with the sentence before it and the headings
	named  bool    // it has a name of the item, if there is one
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
		if n := share(set); n >= leastAround {
			all = append(all, carrier{i, w, n, !p.named || p.names(set)})
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
const maxCarriers = 5

// contradicted returns the unit that says the opposite of the item which the pattern is
// of, or -1. The hits are those of the report.
func (p *pattern) contradicted(x *index, h *hits) int32 {
	if d := p.likeliest(x, h); d != nil {
		return d.unit
	}
	return -1
}

// likeliest returns the doubt that is likeliest, nil if none is likely.
func (p *pattern) likeliest(x *index, h *hits) (d *doubt) {
	all, most := p.doubts(x, h), 0.0
	for i := range all {
		if s := all[i].traits.score(); s > most {
			d, most = &all[i], s
		}
	}
	return d
}

// mirrored returns the unit that says an item by the opposite of one of its words,
// negated: is closed, does not open; -1 if none does.
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
				if u := &told.words[j]; w.meets(u) < 0 && w.tight != u.tight &&
					item.subjectOf(i, told) &&
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

// turns reports whether a sentence has the opposite of a word beside what the word
// stands beside, and not the word.
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
