package board

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A pattern is what a report must have for an item to be present.
type pattern struct {
	wants   []want
	numbers int    // how many wants are numbers: all must be met
	words   int    // the weight of the others
	need    int    // how much of that weight must be met
	size    int    // of a passage, in lexemes
	exact   string // what is looked for if there is no want at all
}

// A want is one significant token of an item.
type want struct {
	keys   []string // any one of them will do
	number bool
	weight int    // of a word
	text   string // as the item has it
}

// wordWeight is the weight of a word. The words of a name share one weight: a report that has the name has said little about it yet.
const wordWeight = 60

func newPattern(content string) *pattern {
	p := &pattern{exact: foldText(content)}
	var s scanner
	s.next(content)
	skip := s.references()
	s.enumerators(skip)
	shouting := content == strings.ToUpper(content)
	names := s.names()
	for i, l := range s.out {
		weight := wordWeight
		counts := l.kind == lexNumber || l.kind == lexPair || l.kind == lexWord && significant(l.plain)
		if n := names[i]; n > 0 {
			weight /= n
		} else if l.kind == lexWord && !counts && !shouting && n == 0 {
			counts = acronym(s.surface(l))
		}
		if counts && !skip[i] {
			p.add(s.display(l), l, weight)
		}
	}
	some := len(p.wants) > 0
	if !some { // "OK?", or nothing but references
		for _, l := range s.out {
			p.add(s.surface(l), l, wordWeight)
		}
	}
	p.need = p.words
	if some {
		p.need = max(int(math.Ceil(survivalCoverage*float64(p.words)-1e-9)), min(p.words, wordWeight*(survivalFew-p.numbers)))
	}
	p.size = min(passageBase+passageStep*len(p.wants), passageMax)
	return p
}

// display returns a lexeme as a reader knows it: with its currency and percent sign.
func (s *scanner) display(l lexeme) string {
	start, end := l.start, l.end
	if l.kind == lexNumber {
		if r, size := utf8.DecodeLastRuneInString(s.text[:start]); unicode.Is(unicode.Sc, r) {
			start -= size
		}
		if strings.HasPrefix(s.text[end:], "%") {
			end++
		}
	}
	return s.text[start:end]
}

func (p *pattern) add(text string, l lexeme, weight int) {
	w := want{keys: l.want, number: l.kind == lexNumber, weight: weight, text: text}
	if !w.number {
		w.keys = l.keys[:1]
	}
	if slices.ContainsFunc(p.wants, func(o want) bool { return slices.Equal(o.keys, w.keys) }) {
		return
	}
	p.wants = append(p.wants, w)
	if w.number {
		p.numbers++
	} else {
		p.words += weight
	}
}

// names finds the words that make up names, two or more capitalised words in a row, and how many significant ones the name has; -1
// marks those that are not. A text that has capitals throughout, as a title may, has no names.
func (s *scanner) names() map[int]int {
	names := map[int]int{}
	capitals, words := 0, 0
	var run []int
	end := func() {
		n := 0
		for _, i := range run {
			if significant(s.out[i].plain) {
				n++
			}
		}
		for _, i := range run {
			if n > 1 && significant(s.out[i].plain) {
				names[i] = n
			} else if n > 0 {
				names[i] = -1
			}
		}
		run = run[:0]
	}
	for i, l := range s.out {
		capital := l.kind == lexWord && unicode.IsUpper(firstRune(s.text[l.start:])) && (len(run) > 0 || !functionWords[l.plain])
		if l.kind == lexWord && significant(l.plain) {
			if words++; capital {
				capitals++
			}
		}
		if len(run) > 0 && (!capital || !s.near(s.out[i-1], l, "&-")) {
			end()
		}
		if capital {
			run = append(run, i)
		}
	}
	end()
	if 4*capitals > 3*words {
		return nil
	}
	return names
}

// acronym reports whether a word is one, though short: MFN, UCC, DPAs.
func acronym(s string) bool {
	s = strings.TrimSuffix(s, "s")
	n := utf8.RuneCountInString(s)
	return n >= 2 && n < 4 && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsUpper(r) }) < 0
}

// references finds the lexemes that point into the board, not at the matter: e86, s3, e1008-e1014, criterion c5, question q2.
func (s *scanner) references() map[int]bool {
	skip := map[int]bool{}
	for i, l := range s.out {
		if l.kind != lexNumber || len(l.want) != 1 || l.want[0][0] != 'i' {
			continue
		}
		reference := true
		for part := range strings.SplitSeq(strings.NewReplacer("–", "-", "—", "-").Replace(s.surface(l)), "-") {
			if len(part) < 2 || len(part) > 8 || !digits(part[1:]) {
				reference = false
				break
			}
			switch part[0] {
			case 'e', 's':
			case 'c', 'q':
				before := ""
				if i > 0 {
					before = s.out[i-1].plain
				}
				reference = before == "criterion" || before == "criteria" || before == "question" || before == "questions"
			default:
				reference = false
			}
		}
		if reference {
			skip[i] = true
		}
	}
	return skip
}

// enumerators adds the numbers that only count list items, (1) … (2) …, to skip.
func (s *scanner) enumerators(skip map[int]bool) {
	var run []int
	for i, l := range s.out {
		if l.kind != lexNumber || l.end >= len(s.text) || s.text[l.end] != ')' || len(l.want) != 1 {
			continue
		}
		if l.want[0] == "n:"+string(rune('1'+len(run))) {
			run = append(run, i)
		}
	}
	if len(run) > 1 {
		for _, i := range run {
			skip[i] = true
		}
	}
}

// foldText puts text in lower case with single blanks.
func foldText(s string) string {
	return strings.Join(strings.Fields(strings.Map(foldRune, s)), " ")
}
