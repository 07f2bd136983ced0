package survival

import (
	"slices"
	"strings"

	"blackboard/board/words"
)

// This file parses the stance of a text: which words are negated, and who does what to
// whom. refute.go and against.go compare two of them.

// saying is the parsed stance of one or a few sentences.
type saying struct {
	words  []said
	text   string   // of an item
	before []string // keys of the sentence before it in the report, and of the headings above
	nobody bool     // it speaks of all there are: nobody, none
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
	moody    bool   // its clause says before it what must, may or will be
	modal    bool   // its clause says before it what can, may or must be
	hedged   bool   // what comes after it says but for what: not without a deploy
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
				is(w.low, asSubjects) || w.low == "and" && i+1 < len(lexemes) &&
				opens(lexemes[i+1].Plain)) {
				clause++
			}
		}
		if l.Kind == words.Word && is(w.low, asConjunctions) {
			part, clause = part+1, clause+1
		}
		w.part, w.clause, w.sentence, w.capital = part, clause, sentence, s.Capital(l)
		w.content = l.Kind == words.Number || i > 0 && lettered(s, l, lexemes[i-1]) ||
			l.Kind == words.Pair || l.Kind == words.Word &&
			(!words.Empty(w.low) && !is(w.low, asAuxiliaries) || w.low == "same") &&
			w.low != "including" && w.low != "ones"
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
	out.trends()
	out.negate()
	return out
}

// trends makes words of what says that a figure went up or down: rents were up 3 %.
func (s *saying) trends() {
	for i := range s.words {
		w, next := &s.words[i], s.at(i+1)
		if w.low != "up" && w.low != "down" || next.breaks ||
			next.Kind != words.Number && (next.low != "by" && next.low != "from" ||
				!is(s.at(i-1).low, asBeings)) {
			continue
		}
		if w.content, w.Plain, w.Keys = true, "rose", []string{"w:rise"}; w.low == "down" {
			w.Plain, w.Keys = "fell", []string{"w:fall"}
		}
	}
}

// lettered reports whether a lexeme is a letter that tells things of one name apart:
// sensor B.
func lettered(s *words.Scanner, l, before words.Lexeme) bool {
	return l.End == l.Start+1 && l.Kind == words.Word && s.Capital(l) &&
		before.Kind == words.Word &&
		!words.Empty(before.Plain) && s.Near(before, l, "")
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
		w.low == "lack" || w.low == "lacking" || strings.HasPrefix(w.low, "avoid") {
		return false
	}
	next := s.at(i + 1)
	switch w.low {
	case "no", "not", "none", "never":
		// No. 5
		return !is(next.low, asBounds) && !(w.low == "no" && next.Kind == words.Number &&
			next.breaks)
	case "failed", "fails", "fail", "yet", "refused", "refuses", "refuse": // has yet to
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
	moody, modal := -1, -1 // the clause whose mood was met
	for i := range s.words {
		w := &s.words[i]
		if is(w.low, asShadows) || strings.HasPrefix(w.low, "fail") && s.at(i+1).low == "to" {
			shadow[w.clause] = append(shadow[w.clause], i)
		}
		w.moody, w.modal = moody == w.clause, modal == w.clause
		if is(w.low, asPermits) && (!w.capital || i == 0) {
			modal = w.clause
		}
		if is(w.low, asMoods) && (!w.capital || i == 0) || s.commands(i) { // not the month
			moody = w.clause
		}
		s.denies(i)
		if !s.negates(i) {
			s.hedge(i)
			continue
		}
		// Of "without", and of "a, not b", only what comes after is negated.
		if s.hedge(i); w.low != "without" && !(w.low == "not" && w.breaks) {
			loose[w.clause] = true
		}
		w.content = w.Kind == words.Number
		s.scope(i)
	}
	for i := range s.words {
		w := &s.words[i]
		if (w.low == "who" || w.low == "that") && loose[w.clause-1] && s.nobody {
			loose[w.clause] = true // nobody who
		}
		w.loose = w.loose || loose[w.clause]
		for _, k := range shadow[w.clause] {
			// What excludes is not excluded itself, nor what stands before "without".
			w.loose = w.loose || k != i && (s.words[k].low != "without" || k < i)
		}
	}
}

// denies negates what a sentence says is missing, or impossible.
func (s *saying) denies(i int) {
	if !is(s.words[i].low, asDenying) || !is(s.at(i-1).low, asBeings) && s.at(i-1).low != "not" {
		return
	}
	for k := i - 1; k >= 0 && s.words[k].part == s.words[i].part; k-- {
		w := &s.words[k]
		if w.content && !strings.HasSuffix(w.low, "ly") {
			w.tight, w.loose, w.none = !w.tight, true, true
			for n := k - 1; n >= 0 && s.words[n].part == w.part; n-- { // reading of the meters
				if s.words[n].content && s.at(n+1).low == "of" {
					s.words[n].tight, s.words[n].loose = true, true
				}
			}
			return
		}
	}
}

// hedge notes of the words before one such as "without" that they are said but for what
// comes after it.
func (s *saying) hedge(i int) {
	switch s.words[i].low {
	case "without", "unless", "until", "except":
	default:
		return
	}
	for k := i - 1; k >= 0 && s.words[k].sentence == s.words[i].sentence; k-- {
		s.words[k].hedged = true
	}
}

// commands reports whether a word begins a sentence, a row or an item of a list that
// says what to do: Turn on the alarm.
func (s *saying) commands(i int) bool {
	w := &s.words[i]
	if !w.capital || !is(w.low, asOrders) {
		return false
	}
	return i == 0 || s.at(i-1).sentence != w.sentence || s.at(i-1).Kind == words.Number && w.breaks
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
