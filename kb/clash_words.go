package kb

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// This file compares how two texts mean the same word: as it stands, or negated. "unsafe", "not safe" and "dangerous" are one side of "safe", so each word is
// brought to one stem and a side. It also compares what comes before what.

// A side is how a word is meant; both bits: once so and once so, which contradicts nothing.
type side uint8

const (
	plus side = 1 << iota
	minus
)

func sideOf(affirmed bool) side {
	if affirmed {
		return plus
	}
	return minus
}

// opposite leaves what is both as it is.
func (s side) opposite() side {
	if s == plus || s == minus {
		return plus + minus - s
	}
	return s
}

// opposites are the words whose pair is one word, affirmed or negated.
var opposites = func() map[string]string {
	m := map[string]string{}
	for _, pair := range strings.Fields(`enable/disable enabled/disabled true/false required/optional mandatory/optional allow/deny allowed/denied allow/forbid allowed/forbidden allow/disallow
		allow/prohibit permit/forbid allow/block safe/unsafe safe/dangerous sync/async synchronous/asynchronous synchronously/asynchronously increase/decrease raise/lower grow/shrink
		public/private sorted/unsorted valid/invalid mutable/immutable include/exclude accept/reject open/closed ascending/descending inclusive/exclusive strict/lenient lazy/eager
		online/offline success/failure succeed/fail faster/slower cheap/expensive possible/impossible blocking/nonblocking add/remove keep/drop supported/unsupported encrypted/plaintext
		sensitive/insensitive necessary/unnecessary needed/unnecessary writable/readonly works/broken`) {
		good, bad, _ := strings.Cut(pair, "/")
		m[clashStem(bad)] = clashStem(good)
	}
	return m
}()

// sameWords are affirmed words that mean one thing.
var sameWords = map[string]string{"mandatory": "requir", "permit": "allow", "need": "requir", "necessary": "requir", "synchronous": "sync", "synchronously": "sync", "grow": "increas", "rais": "increas"}

var (
	negators  = strings.Fields("not no non never without neither nor none avoid avoids avoided avoiding lack lacks lacking unable refuse refuses hardly")
	cancelled = strings.Fields("without until unless except only before")
	negPrefix = []string{"non", "un", "in", "im", "dis", "ir"}
	setTo     = strings.Fields("is are was be turned turn switched switch set to default defaults keep stays off on =")
)

// meaning is the word that a stem stands for, and the side: "disabl" is "enabl", negated.
func meaning(stem string) (word string, as side) {
	word, as = stem, plus
	if o := opposites[stem]; o != "" {
		word, as = o, minus
	}
	if same := sameWords[word]; same != "" {
		word = same
	}
	return word, as
}

// sentence adds a sentence. A negation reaches to the next word that means something, not further: "not a good idea, use it" does not say not to use it.
func (cl *claims) sentence(words []clashWord) {
	s := sentence{words: words, sides: map[string]side{}, aside: map[string]bool{}}
	maps.Copy(cl.stems, stemsOf(words))
	negated := -1 // how many more words are looked at for the one that is meant
	cancel, aside := false, false
	for i, w := range words {
		if negated < 0 && !cancel && slices.Contains(negators, w.low) || phrase(words, i, "fails", "to") || phrase(words, i, "fail", "to") || phrase(words, i, "instead", "of") || phrase(words, i, "rather", "than") {
			// "not … without", "not … until" say what must be, not what must not
			cancel = false
			for _, later := range words[i+1:] {
				cancel = cancel || slices.Contains(cancelled, later.low)
			}
			negated = 4
			aside = i > 0 && words[i-1].low == "," || w.low == "instead" || w.low == "rather"
			continue
		}
		if w.low == "," || w.low == "and" {
			negated = -1
		}
		if (w.low == "on" || w.low == "off") && i > 0 && slices.Contains(setTo, words[i-1].low) && (i+1 == len(words) || w.low == "off" || words[i+1].stem == "" && !clashStopped(words[i+1].low) || slices.Contains([]string{"by", "for", "in"}, words[i+1].low)) {
			s.sides["enabl"] |= sideOf(w.low == "on")
			continue
		}
		if w.low == "must" && !(i+1 < len(words) && words[i+1].low == "not") {
			s.sides["requir"] |= plus
		}
		if w.stem == "" || strings.HasSuffix(w.low, "ly") && opposites[w.stem] == "" && negated > 0 {
			negated = max(negated-1, -1)
			continue
		}
		if w.stem == "fail" && negated > 0 { // fails to
			continue
		}
		st, as := meaning(w.stem)
		if negated > 0 {
			if !slices.Contains([]string{"use", "uses", "used", "using"}, w.low) { // not to use something says no to the thing
				negated = -1
			}
			if cancel {
				as = plus | minus // says neither
			} else {
				as = as.opposite()
			}
			s.aside[st] = aside
		}
		s.sides[st] |= as
	}
	cl.sentences = append(cl.sentences, s)
}

func phrase(words []clashWord, i int, want ...string) bool {
	for k, w := range want {
		if i+k >= len(words) || words[i+k].low != w {
			return false
		}
	}
	return true
}

// clashingWords compares how each word is meant in sentences that are alike.
func clashingWords(x, y *claims) (out []string) {
	// unX is the opposite of X if X is spoken of.
	spoken := func(st string) bool { return x.stems[st] || y.stems[st] }
	sides := func(s *sentence) map[string]side {
		m := map[string]side{}
		for st, as := range s.sides {
			for _, p := range negPrefix {
				if rest, ok := strings.CutPrefix(st, p); ok && len(rest) >= 4 && spoken(rest) {
					st, as = rest, as.opposite()
					break
				}
			}
			m[st] |= as
		}
		return m
	}
	all := func(c *claims) (out []map[string]side) {
		for i := range c.sentences {
			out = append(out, sides(&c.sentences[i]))
		}
		return out
	}
	xs, ys := all(x), all(y)
	few := len(xs)+len(ys) <= 2
	said := func(st string, as side, in []map[string]side, like map[string]side) bool {
		return slices.ContainsFunc(in, func(m map[string]side) bool {
			if m[st] != as {
				return false
			}
			_, alike := compareSides(m, like, few)
			return alike
		})
	}
	for i := range xs {
		for j := range ys {
			differ, alike := compareSides(xs[i], ys[j], few)
			if !alike || len(differ) == 1 && (x.sentences[i].aside[differ[0]] || y.sentences[j].aside[differ[0]]) {
				continue // what is ruled out here may well be spoken of there
			}
			for _, st := range differ {
				if said(st, xs[i][st], ys, xs[i]) || said(st, ys[j][st], xs, ys[j]) {
					continue // each for its own case, and both say so
				}
				out = append(out, fmt.Sprintf("%s against %s", x.sentences[i].as(st, xs[i][st]), y.sentences[j].as(st, ys[j][st])))
			}
		}
	}
	return out
}

// compareSides returns the words that two sentences mean in opposite ways, and whether the sentences are alike in the others.
func compareSides(a, b map[string]side, few bool) (differ []string, alike bool) {
	shared := 0
	for st, as := range a {
		switch other := b[st]; {
		case other == 0:
		case as|other == plus|minus && as != plus|minus && other != plus|minus:
			differ = append(differ, st)
		default:
			shared++
		}
	}
	slices.Sort(differ)
	small := min(len(a), len(b)) - len(differ)
	if shared == 0 { // of one word: too little, unless that is all there is
		return differ, small == 0 && (few || len(differ) > 1)
	}
	return differ, shared*2 >= small
}

// as shows how a sentence means a word, in the sentence's own words where it can: "not safe", "unsafe", "disabled".
func (s *sentence) as(stem string, meant side) string {
	for i, w := range s.words {
		st, own := meaning(w.stem)
		prefixed := st != stem && st != "" && strings.HasSuffix(st, stem)
		if st != stem && !prefixed {
			if stem == "enabl" && (w.low == "on" || w.low == "off") && i > 0 {
				return w.low
			}
			if stem == "requir" && w.low == "must" {
				return "must"
			}
			continue
		}
		if prefixed {
			own = minus
		}
		if own == meant {
			return w.text
		}
		return "not " + w.text
	}
	if meant == minus {
		return "not " + stem
	}
	return stem
}

// clashingOrder compares what comes before what. "A before B" clashes with "A after B", and with "B before A".
func clashingOrder(x, y *claims) (out []string) {
	for i := range x.sentences {
		l1, r1, w1 := x.sentences[i].order()
		if w1 == "" {
			continue
		}
		for j := range y.sentences {
			l2, r2, w2 := y.sentences[j].order()
			if w2 == "" {
				continue
			}
			straight, crossed := min(common(l1, l2), common(r1, r2)), min(common(l1, r2), common(r1, l2))
			if straight > crossed && w1 != w2 || crossed > straight && w1 == w2 {
				out = append(out, fmt.Sprintf("%s against %s (%s)", w1, w2, strings.Join(slices.Sorted(maps.Keys(r1)), " ")))
			}
		}
	}
	return out
}

// order returns what stands on both sides of before or after. Not before is after.
func (s *sentence) order() (left, right map[string]bool, word string) {
	not := false
	for i, w := range s.words {
		not = not != slices.Contains(negators, w.low)
		if w.low != "before" && w.low != "after" {
			continue
		}
		rest := s.words[i+1:]
		if i > 0 {
			if word = w.low; not {
				word = map[string]string{"before": "after", "after": "before"}[word]
			}
			return stemsOf(s.words[:i]), stemsOf(rest), word
		}
		for k, c := range rest { // Before X, do Y
			if strings.HasPrefix(c.low, ",") {
				return stemsOf(rest[k:]), stemsOf(rest[:k]), w.low
			}
		}
	}
	return nil, nil, ""
}

func common(a, b map[string]bool) (n int) {
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}
