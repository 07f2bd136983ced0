package words

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// This file reads how a text means a word: plainly or negated. "unsafe", "not safe" and
// "dangerous" are one side of "safe", so each word becomes a stem and a side. It also
// reads order: what comes before what.

// Side says how a word is meant. Both bits mean that it occurs both ways, which
// contradicts nothing.
type Side uint8

// The sides of a word.
const (
	Affirmed Side = 1 << iota
	Negated
)

// Opposite leaves what is both as it is.
func (s Side) Opposite() Side {
	if s == Affirmed || s == Negated {
		return Affirmed + Negated - s
	}
	return s
}

// Pairs of words, and of their forms: enable/disable is also enabled/disabled.
const (
	// oppositePairs are one word each, affirmed or negated.
	oppositePairs = `
		enable/disable true/false required/optional mandatory/optional allow/deny allow/forbid
		allow/forbidden allow/disallow allow/prohibit permit/forbid allow/block safe/unsafe
		safe/dangerous sync/async synchronous/asynchronous synchronously/asynchronously
		increase/decrease raise/lower grow/shrink public/private sorted/unsorted valid/invalid
		mutable/immutable include/exclude accept/reject open/closed ascending/descending
		inclusive/exclusive strict/lenient lazy/eager online/offline success/failure succeed/fail
		faster/slower cheap/expensive possible/impossible blocking/nonblocking add/remove
		keep/drop supported/unsupported encrypted/plaintext sensitive/insensitive
		necessary/unnecessary needed/unnecessary writable/readonly works/broken`
	// contraryPairs make two statements of one, too, but neither is the other negated.
	contraryPairs = `
		before/after on/off always/sometimes more/less most/least minimum/maximum min/max
		start/stop up/down left/right first/last above/below must/may required/forbidden
		read/write old/new inside/outside fast/slow pass/fail local/remote staging/production`
	// equalPairs are affirmed words that mean one thing.
	equalPairs = `
		required/mandatory allow/permit required/need required/necessary sync/synchronous
		sync/synchronously increase/grow increase/raise`
)

// Contraries returns the pairs of which one word in the place of the other makes another statement, by their bases:
// enabl and disabl, befor and after.
func Contraries() [][2]string { return pairs(oppositePairs + " " + contraryPairs) }

func pairs(list string) (all [][2]string) {
	for _, pair := range strings.Fields(list) {
		a, b, _ := strings.Cut(pair, "/")
		all = append(all, [2]string{Base(a), Base(b)})
	}
	return all
}

// opposites and equals lead from the second base of a pair to the first.
var opposites, equals = second(oppositePairs), second(equalPairs)

func second(list string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		m := map[string]string{}
		for _, pair := range pairs(list) {
			m[pair[1]] = pair[0]
		}
		return m
	})
}

var (
	negators = []string{"not", "no", "non", "never", "without", "neither", "nor", "none", "cannot",
		"avoid", "avoids", "avoided", "avoiding", "lack", "lacks",
		"lacking", "unable", "refuse", "refuses", "hardly"}
	cancelled = []string{"without", "until", "unless", "except", "only", "before"}
	negPrefix = []string{"non", "un", "in", "im", "dis", "ir"}
	setTo     = []string{"is", "are", "was", "be", "turned", "turn", "switched", "switch", "set",
		"to", "default", "defaults", "keep", "stays", "off", "on", "="}
)

// Negates reports whether a word in lower case negates the following word: not,
// without, don't.
func Negates(w string) bool { return strings.HasSuffix(w, "n't") || slices.Contains(negators, w) }

// Sentence is a sentence with its words and their sides.
type Sentence struct {
	words []token
	sides map[string]Side // how a word is meant
	Aside map[string]bool // named only to be ruled out: "a digest, not a tag"
}

// Meaning is the word that a stem stands for, and the Side: "disabl" is "enabl",
// negated.
func Meaning(stem string) (word string, as Side) {
	word, as = stem, Affirmed
	if o := opposites()[stem]; o != "" {
		word, as = o, Negated
	}
	return cmp.Or(equals()[word], word), as
}

// sentence adds a sentence. A negation reaches to the next word that means something,
// not further: "not a good idea, use it" does not say not to use it.
func (cl *Assertions) sentence(words []token) {
	s := Sentence{words: words, sides: map[string]Side{}, Aside: map[string]bool{}}
	maps.Copy(cl.Stems, stemsOf(words))
	negated := -1 // how many more words are looked at for the one that is meant
	cancel, aside := false, false
	for i, w := range words {
		if negated < 0 && !cancel && Negates(w.low) || hasPhrase(words, i, "fails", "to") ||
			hasPhrase(words, i, "fail", "to") || hasPhrase(words, i, "instead", "of") ||
			hasPhrase(words, i, "rather", "than") {
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
		if (w.low == "on" || w.low == "off") && i > 0 && slices.Contains(setTo, words[i-1].low) &&
			(i+1 == len(words) || w.low == "off" || words[i+1].stem == "" &&
				!isStopword(words[i+1].low) ||
				slices.Contains([]string{"by", "for", "in"}, words[i+1].low)) {
			as := Affirmed
			if w.low == "off" {
				as = Negated
			}
			s.sides["enabl"] |= as
			continue
		}
		if w.low == "must" && !(i+1 < len(words) && words[i+1].low == "not") {
			s.sides["requir"] |= Affirmed
		}
		if w.stem == "" || strings.HasSuffix(w.low, "ly") && opposites()[w.stem] == "" &&
			negated > 0 {
			negated = max(negated-1, -1)
			continue
		}
		if w.stem == "fail" && negated > 0 { // fails to
			continue
		}
		st, as := Meaning(w.stem)
		if negated > 0 {
			// not to use something says no to the thing
			if !slices.Contains([]string{"use", "uses", "used", "using"}, w.low) {
				negated = -1
			}
			if cancel {
				as = Affirmed | Negated // says neither
			} else {
				as = as.Opposite()
			}
			s.Aside[st] = aside
		}
		s.sides[st] |= as
	}
	cl.Sentences = append(cl.Sentences, s)
}

// Sides is how the sentence means each of its words, by their stems. unX is the
// opposite of X if X is spoken of.
func (s *Sentence) Sides(spoken func(stem string) bool) map[string]Side {
	m := map[string]Side{}
	for st, as := range s.sides {
		for _, p := range negPrefix {
			if rest := withoutPrefix(st, p); rest != "" && spoken(rest) {
				st, as = rest, as.Opposite()
				break
			}
		}
		m[st] |= as
	}
	return m
}

func withoutPrefix(stem, prefix string) string {
	if rest, ok := strings.CutPrefix(stem, prefix); ok && len(rest) >= 4 {
		return rest
	}
	return ""
}

func hasPhrase(words []token, i int, want ...string) bool {
	for k, w := range want {
		if i+k >= len(words) || words[i+k].low != w {
			return false
		}
	}
	return true
}

// As shows how a sentence means a word, in the sentence's own words where it can: "not
// safe", "unsafe", "disabled".
func (s *Sentence) As(stem string, meant Side) string {
	for i, w := range s.words {
		st, own := Meaning(w.stem)
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
			own = Negated
		}
		if own == meant {
			return w.text
		}
		return "not " + w.text
	}
	if meant == Negated {
		return "not " + stem
	}
	return stem
}

// Order returns the stems on both sides of "before" or "after", and the word, "" if there is none. "Not before" means
// after.
func (s *Sentence) Order() (left, right map[string]bool, word string) {
	not := false
	for i, w := range s.words {
		not = not != Negates(w.low)
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
