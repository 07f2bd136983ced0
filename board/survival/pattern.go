package survival

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"blackboard/board/claims"
	"blackboard/board/words"
)

// pattern is what a report must have for an item to be present.
type pattern struct {
	wants   []want
	numbers int    // how many wants are numbers: all must be met
	words   int    // the weight of the others
	need    int    // how much of that weight must be met
	telling int    // how many of the numbers say as much as a word
	size    int    // of a passage, in words.Lexemes
	exact   string // what is looked for if there is no want at all

	there map[string]bool // the keys of the wants, joined

	content string
	asks    bool          // it is a question: nothing contradicts it
	claim   *claims.Claim // read when first needed
}

// want is one significant token of an item.
type want struct {
	keys   []string // any one of them will do
	number bool
	weight int    // of a word
	text   string // as the item has it
	plain  string // folded
}

// wordWeight is the weight of a word. The words of a name share one weight: a report
// that has the name has said little about it yet.
const wordWeight = 60

// numberWeight is the weight of a telling number: more than that of a word, since all
// must be there.
const numberWeight = 3 * wordWeight / 2

func newPattern(content string) *pattern {
	p := &pattern{content: content, exact: words.FoldText(content), there: map[string]bool{}}
	var s words.Scanner
	s.Scan(content)
	skip := references(&s)
	enumerators(&s, skip)
	shouting := content == strings.ToUpper(content)
	names := names(&s)
	for i, l := range s.Lexemes {
		weight := wordWeight
		counts := l.Kind == words.Number || l.Kind == words.Pair || l.Kind == words.Word &&
			words.Significant(l.Plain)
		if n := names[i]; n > 0 {
			weight /= n
		} else if l.Kind == words.Word && !counts && !shouting && n == 0 {
			counts = acronym(s.Surface(l))
		}
		if words.Negates(strings.ToLower(s.Surface(l))) {
			counts = false // package claims reads negations
		}
		if counts && !skip[i] {
			p.add(s.Shown(l), l, weight)
		}
	}
	some := len(p.wants) > 0
	if !some { // "OK?", or nothing but references
		for _, l := range s.Lexemes {
			p.add(s.Surface(l), l, wordWeight)
		}
	}
	p.need = p.words
	if some {
		// All numbers must be there, and one that is telling says as much as a word.
		telling, least := numberWeight*p.telling, leastWords
		if p.telling >= fewTokens {
			least = leastBeside
		}
		p.need = max(int(math.Ceil(leastCoverage*float64(p.words+telling)-1e-9))-telling,
			int(math.Ceil(least*float64(p.words)-1e-9)),
			min(p.words, wordWeight*(fewTokens-p.numbers)))
	}
	p.relate()
	p.size = min(passageBase+passageStep*len(p.wants), passageMax)
	if n := len(s.Lexemes); n > p.size { // an item that is longer has room at least for itself
		p.size = min((n+passageMax-1)/passageMax*passageMax, passageLong)
	}
	return p
}

// telling reports whether a number is one of few: it has two digits or more that count,
// or is a date, a time or an identifier.
func telling(keys []string) bool {
	kind, value, _ := strings.Cut(keys[len(keys)-1], ":") // of a measure the bare number
	if kind == "i" || kind == "d" || kind == "t" {
		return true
	}
	return len(strings.Trim(strings.ReplaceAll(value, ".", ""), "0")) > 1
}

// relate adds to the keys of words those of the same sense. In an item of few words
// each must be there itself.
func (p *pattern) relate() {
	if p.words < wordWeight*fewTokens {
		return
	}
	for i := range p.wants {
		if w := &p.wants[i]; !w.number && w.plain != "" {
			w.keys = append(w.keys[:len(w.keys):len(w.keys)], words.Related(w.plain)...)
		}
	}
}

func (p *pattern) add(text string, l words.Lexeme, weight int) {
	w := want{keys: l.Want, number: l.Kind == words.Number, weight: weight,
		text: text, plain: l.Plain}
	if !w.number {
		w.keys = l.Keys[:1]
	}
	id := strings.Join(w.keys, "\x00")
	if p.there[id] {
		return
	}
	p.there[id] = true
	p.wants = append(p.wants, w)
	if w.number {
		p.numbers++
		if telling(l.Want) {
			p.telling++
		}
	} else {
		p.words += weight
	}
}

// names finds the words that make up names, two or more capitalised words in a row, and
// how many significant ones the name has; -1 marks those that are not. A text that has
// capitals throughout, as a title may, has no names.
func names(s *words.Scanner) map[int]int {
	names := map[int]int{}
	capitals, all := 0, 0
	var run []int
	end := func() {
		n := 0
		for _, i := range run {
			if words.Significant(s.Lexemes[i].Plain) {
				n++
			}
		}
		for _, i := range run {
			if n > 1 && words.Significant(s.Lexemes[i].Plain) {
				names[i] = n
			} else if n > 0 {
				names[i] = -1
			}
		}
		run = run[:0]
	}
	for i, l := range s.Lexemes {
		capital := l.Kind == words.Word && s.Capital(l) && (len(run) > 0 ||
			!words.IsCommon(l.Plain))
		if l.Kind == words.Word && words.Significant(l.Plain) {
			if all++; capital {
				capitals++
			}
		}
		if len(run) > 0 && (!capital || !s.Near(s.Lexemes[i-1], l, "&-")) {
			end()
		}
		if capital {
			run = append(run, i)
		}
	}
	end()
	if 4*capitals > 3*all {
		return nil
	}
	return names
}

// acronym reports whether a word is one, though short: MFN, UCC, DPAs.
func acronym(s string) bool {
	s = strings.TrimSuffix(s, "s")
	n := utf8.RuneCountInString(s)
	return n >= 2 && n < 4 &&
		strings.IndexFunc(s, func(r rune) bool { return !unicode.IsUpper(r) }) < 0
}

// references finds the words.Lexemes that point into the board, not at the matter: e86,
// s3, e1008-e1014, criterion c5, question q2.
func references(s *words.Scanner) map[int]bool {
	skip := map[int]bool{}
	for i, l := range s.Lexemes {
		if l.Kind != words.Number || len(l.Want) != 1 || l.Want[0][0] != 'i' {
			continue
		}
		reference := true
		for part := range strings.SplitSeq(strings.NewReplacer("–", "-", "—",
			"-").Replace(s.Surface(l)), "-") {
			if len(part) < 2 || len(part) > 8 || !words.Digits(part[1:]) {
				reference = false
				break
			}
			switch part[0] {
			case 'e', 's':
			case 'c', 'q':
				before := ""
				if i > 0 {
					before = s.Lexemes[i-1].Plain
				}
				reference = before == "criterion" || before == "criteria" ||
					before == "question" || before == "questions"
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
func enumerators(s *words.Scanner, skip map[int]bool) {
	var run []int
	for i, l := range s.Lexemes {
		if l.Kind != words.Number || l.End >= len(s.Text) ||
			s.Text[l.End] != ')' || len(l.Want) != 1 {
			continue
		}
		if l.Want[0] == "n:"+string(rune('1'+len(run))) {
			run = append(run, i)
		}
	}
	if len(run) > 1 {
		for _, i := range run {
			skip[i] = true
		}
	}
}

// A Place is a piece of a text, in bytes.
type Place struct{ From, To int }

// Carried returns the places where a text has the tokens of an item, by the rules of
// Check, in the order of the text.
func Carried(content, text string) (places []Place) {
	asked := map[string]bool{}
	for _, w := range newPattern(content).wants {
		for _, k := range w.keys {
			asked[k] = true
		}
	}
	for _, l := range new(words.Scanner).Scan(text) {
		if slices.ContainsFunc(l.Keys, func(k string) bool { return asked[k] }) {
			places = append(places, Place{l.Start, l.End})
		}
	}
	return places
}
