package survival

import (
	"slices"
	"strings"

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
		case !item.refuted && c.tells() && x.refuted(c.unit):
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
func (s *saying) stands(i int, told *saying, whole bool) (agrees, differs bool) {
	w := &s.words[i]
	if s.ambivalent(i) {
		return true, false
	}
	for j := range told.words {
		u := &told.words[j]
		switch w.meets(u) {
		case 1:
			switch turned := w.tight && !u.loose || u.tight && !w.loose; {
			case !turned && w.loose == u.loose:
				agrees = true
			case !turned: // not for certain
			case w.none && !s.at(i+1).follows() && told.at(j+1).follows():
				// no lien, and a lien index
			case (w.moody == u.moody || w.modal && u.modal) && (whole || s.beside(i, told, j)) && s.subjectOf(i, told):
				differs = true
			}
		case -1:
			switch {
			case w.tight != u.tight || s.compares(told):
				agrees = true
			case w.loose == u.loose && w.moody == u.moody && s.beside(i, told, j) && s.subjectOf(i, told):
				differs = true
			}
		}
	}
	return agrees, differs
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
	for i := range s.words {
		if !s.words[i].content || s.words[i].Kind != words.Word {
			continue
		}
		if agrees, differs := s.stands(i, told, carried >= leastWhole); differs && !agrees {
			return s.words[i].Keys[0], true
		}
	}
	return "", carried >= leastTold && (s.exchanged(told) || s.reordered(told))
}

// agrees reports whether a sentence has a word as the item means it, in the same form if
// that is asked.
func (s *saying) agrees(told *saying, key string, form bool) bool {
	for i := range s.words {
		if w := &s.words[i]; w.content && w.Keys[0] == key {
			if form && !slices.ContainsFunc(told.words, func(u said) bool { return u.Plain == w.Plain }) {
				continue
			}
			if agrees, _ := s.stands(i, told, true); agrees {
				return true
			}
		}
	}
	return false
}

// exchanged reports whether a sentence has what does something, and to what, the other
// way round.
func (s *saying) exchanged(told *saying) bool {
	for i := range s.words {
		if !s.verb(i) {
			continue
		}
		j := told.only(s.words[i].Keys[0])
		if j < 0 || s.only(s.words[i].Keys[0]) != i || told.noun(j) {
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
			if passive == passive2 && slices.Contains(right2, mine) && slices.Contains(right, theirs) &&
				!slices.Contains(left2, mine) && !slices.Contains(left, theirs) {
				return true
			}
		case passive != passive2 && (by || by2) && common(right, right2) > 0:
			return true
		}
	}
	return false
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
	if strings.HasSuffix(w.low, "s") && !strings.HasSuffix(w.low, "ss") && !strings.HasSuffix(w.low, "us") {
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
	for k := i - 1; k >= 0 && s.words[k].part == s.words[i].part; k-- {
		if w := &s.words[k]; w.content && (w.capital || !strings.HasSuffix(w.low, "ly")) {
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
		if s.words[k].low == "by" {
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
			if a.crosses(b) && a.word == b.word || a.follows(b) && a.word != b.word {
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
}

func (s *saying) orders() (all []order) {
	for i := range s.words {
		switch w := s.words[i].low; {
		case is(w, asPivots):
			left, right := s.sides(i)
			if i == 0 || s.at(i).breaks && w != "than" { // Before X, Y
				left, right = s.parted(i)
			}
			if len(left) > 0 && len(right) > 0 {
				all = append(all, order{w, left, right})
			}
		case w == "from":
			for k := i + 1; k < min(len(s.words), i+6); k++ {
				if s.words[k].low == "to" && k > i+1 && k+1 < len(s.words) && !s.words[k+1].breaks {
					from, to := s.words[i+1].Keys[:1], s.words[k+1].Keys[:1]
					all = append(all, order{"to", from, to})
					break
				}
			}
		}
	}
	return all
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
