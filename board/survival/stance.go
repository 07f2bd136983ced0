package survival

import (
	"slices"
	"strings"

	"blackboard/board/words"
)

// This file reads how a text says what it says: which of its words are negated, and who
// does what to whom. refute.go and against.go compare two such readings.

// A saying is a sentence, or a few, as it is meant.
type saying struct {
	words   []said
	before  []string // keys of the sentence before it in the report, and of the headings above
	nobody  bool     // it speaks of all there are: nobody, none
	refuted bool     // it says itself of something that it is false
}

// said is a word of a saying.
type said struct {
	words.Lexeme
	low      string // as it stands, in lower case
	content  bool   // it is no function word
	part     int    // what marks and conjunctions enclose
	clause   int    // the same, where commas enclose nothing
	capital  bool   // it begins with one
	tight    bool   // a negation right before it turns it round
	loose    bool   // its clause has a negation, or makes a condition
	moody    bool   // its sentence says before it what must, may or will be
	modal    bool   // its sentence says before it what can, may or must be
	none     bool   // a negation says that there is none of it
	breaks   bool   // a mark or a conjunction stands before it
	sentence int

	same, opposite []string // keys that may stand for it, and against it (of an item's words)
}

// read reads a text.
func read(s *words.Scanner, text string) *saying {
	lexemes := s.Scan(text)
	out := &saying{words: make([]said, 0, len(lexemes))}
	part, clause, sentence := 0, 0, 0
	for i, l := range lexemes {
		w := said{Lexeme: l, low: strings.ToLower(strings.ReplaceAll(s.Surface(l), "’", "'"))}
		if i > 0 {
			gap := ""
			if prev := lexemes[i-1]; prev.End < l.Start {
				gap = text[prev.End:l.Start]
			}
			if endsUnit(text, lexemes[i-1], l) {
				sentence++
			}
			w.breaks = strings.ContainsAny(gap, ",;:()—–|\n.!?") || strings.Contains(gap, " - ")
			if w.breaks {
				part++
			}
			if w.breaks && (strings.Trim(gap, ", \n") != "" ||
				w.low == "and" && i+1 < len(lexemes) && opens(lexemes[i+1].Plain)) {
				clause++
			}
		}
		if l.Kind == words.Word && is(w.low, asConjunctions) {
			part, clause = part+1, clause+1
		}
		w.part, w.clause, w.sentence, w.capital = part, clause, sentence, s.Capital(l)
		w.content = l.Kind == words.Number || l.Kind == words.Pair || l.Kind == words.Word &&
			(!words.Empty(w.low) && !is(w.low, asAuxiliaries) || w.low == "same") && w.low != "including"
		out.words = append(out.words, w)
	}
	for i := range out.words {
		out.nobody = out.nobody || is(out.words[i].low, asNobody)
		if w := &out.words[i]; w.low == "off" || w.low == "on" {
			next := out.at(i + 1)
			w.content = w.low == "off" || is(out.at(i-1).low, asSwitched) &&
				(next.breaks || is(next.low, asAfterSwitch))
		}
	}
	out.negate()
	return out
}

// negation reports whether a word in lower case only negates.
func negation(low string) bool {
	return low == "never" || low == "nobody" || low == "nothing" ||
		strings.HasSuffix(strings.ReplaceAll(low, "’", "'"), "n't")
}

// negative reports whether a saying says of something that it is not so.
func (s *saying) negative() bool {
	return slices.ContainsFunc(s.words, func(w said) bool { return w.loose })
}

// opens reports whether a word after "and" begins a clause with a subject of its own.
func opens(low string) bool { return words.Empty(low) || negation(low) }

// negates reports whether word i is a negation.
func (s *saying) negates(i int) bool {
	w := &s.words[i]
	if w.Kind == words.Number && len(w.Want) > 0 && w.Want[0] == "n:0" {
		return true // 0 shares
	}
	if w.Kind != words.Word || !words.Negates(w.low) && !is(w.low, asNegators) ||
		strings.HasPrefix(w.low, "lack") || strings.HasPrefix(w.low, "avoid") {
		return false
	}
	next := s.at(i + 1)
	switch w.low {
	case "no", "not", "none", "never":
		return !is(next.low, asBounds) && !(w.low == "no" && next.Kind == words.Number && next.breaks) // No. 5
	case "failed", "fails", "fail", "yet": // has yet to
		return next.low == "to"
	case "stopped", "stops", "ceased", "ceases":
		return strings.HasSuffix(next.low, "ing") || next.low == "to"
	}
	return true
}

// at returns a word, or an empty one.
func (s *saying) at(i int) said {
	if i < 0 || i >= len(s.words) {
		return said{breaks: true}
	}
	return s.words[i]
}

// negate notes what negations turn round: right after them the next word that means
// something, with what belongs to it; and loosely all of the clause.
func (s *saying) negate() {
	loose, shadow := map[int]bool{}, map[int][]int{}
	moody, modal := -1, -1 // the sentence whose mood was met
	for i := range s.words {
		w := &s.words[i]
		if is(w.low, asShadows) || strings.HasPrefix(w.low, "fail") && s.at(i+1).low == "to" {
			shadow[w.clause] = append(shadow[w.clause], i)
		}
		w.moody, w.modal = moody == w.sentence, modal == w.sentence
		if is(w.low, asPermits) && (!w.capital || i == 0) {
			modal = w.sentence
		}
		if is(w.low, asMoods) && (!w.capital || i == 0) { // not the month
			moody = w.sentence
		}
		if !s.negates(i) {
			continue
		}
		loose[w.clause] = true
		w.content = w.Kind == words.Number
		s.scope(i)
	}
	for i := range s.words {
		w := &s.words[i]
		w.loose = w.loose || loose[w.clause]
		for _, k := range shadow[w.clause] {
			w.loose = w.loose || k != i // what excludes is not excluded itself
		}
	}
}

// scope turns round what the negation at i negates: the next word that means something;
// after "no", the verb that comes then, else the last word of what there is none of.
func (s *saying) scope(i int) {
	noun := s.words[i].Kind == words.Number || is(s.words[i].low, asNouns)
	target := -1
	for k := i + 1; k < len(s.words) && !s.words[k].breaks; k++ {
		w := &s.words[k]
		switch {
		case w.content && (strings.HasSuffix(w.low, "ly") || w.Kind == words.Number):
			continue
		case w.content && target >= 0 && !s.words[k-1].content: // the verb, after was
			if is(w.low, asLight) { // no liens were found
				s.words[target].tight, s.words[target].none = !s.words[target].tight, true
				s.words[target].loose = true
				return
			}
			target = k
			noun = false
		case w.content:
			target = k
		case target >= 0 && !is(w.low, asAuxiliaries):
			noun = false // of, in, from
		}
		if target >= 0 && !noun {
			break
		}
	}
	if target >= 0 {
		s.words[target].none = noun
	}
	for ; target >= 0 && target < len(s.words); target++ {
		w := &s.words[target]
		if !w.content && target > i+1 && is(w.low, asPrepositions) {
			continue // lead to
		}
		w.tight, w.loose = w.tight != w.content, true
		if w.content && !is(w.low, asLight) {
			return
		}
		if target+1 < len(s.words) && s.words[target+1].breaks {
			return
		}
	}
}
