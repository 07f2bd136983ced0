package clash

import (
	"slices"
	"strings"

	"blackboard/board/claims"
	"blackboard/board/words"
)

// telling is how many words a body has at least that says the same under more titles
// than one: "8080" says something else under each.
const telling = 4

// Said is what a text says, ready to be compared.
type Said struct {
	whole       []string // title and body
	title, body []string
	asked       []string // its sentences that are questions by their mark alone, sorted
}

// Read reads a text for Same and Shared.
func Read(t Text) Said {
	s := Said{title: words.Statement(t.Title), body: words.Statement(t.Body)}
	if head := words.Statement(strings.TrimSuffix(t.Title, "…")); len(s.body) >= len(head) &&
		slices.Equal(s.body[:len(head)], head) {
		s.whole = s.body // the title is the body's beginning
	} else {
		s.whole = slices.Concat(s.title, s.body)
	}
	s.asked = append(markedQuestions(t.Title), markedQuestions(t.Body)...)
	slices.Sort(s.asked)
	s.asked = slices.Compact(s.asked)
	return s
}

// asking are words that begin a question, whether it has its mark or not.
var asking = strings.Fields(`who whom whose what when where which why how is are was were do
	does did can could would will shall should may has have had`)

// markedQuestions returns the sentences that only the question mark makes questions ("The cache is warm?"), normalized
// by words.Statement. That drops the mark, so without this list they would equal the statement.
func markedQuestions(text string) (all []string) {
	var sentence []string
	for _, w := range strings.Fields(text) {
		sentence = append(sentence, w)
		end := strings.TrimRight(w, "\"'”’)]*_`")
		first := strings.ToLower(strings.Trim(sentence[0], "\"'“‘([*_`"))
		if strings.HasSuffix(strings.TrimRight(end, "!"), "?") && !slices.Contains(asking, first) {
			all = append(all, strings.Join(words.Statement(strings.Join(sentence, " ")), " "))
		}
		if strings.TrimRight(end, ".:;?!") != end {
			sentence = nil
		}
	}
	return all
}

// Same reports whether two texts are the same, except for case, spacing, markup, word
// endings and filler words (words.Statement): all of both, or two bodies under titles
// of which neither has a word that the other text lacks: under "prod" and "staging" one
// body says two things. Numbers, names, negations and the order of the words must be
// equal, and no question is a statement.
func (s Said) Same(o Said) bool { return s.Covered(o) && o.Covered(s) }

// Covered is half of Same: o says so word for word, and its title may say more.
func (s Said) Covered(o Said) bool {
	if len(s.whole) == 0 || len(o.whole) == 0 || !slices.Equal(s.asked, o.asked) {
		return false
	}
	if slices.Equal(s.whole, o.whole) {
		return true
	}
	return len(s.body) >= telling && slices.Equal(s.body, o.body) && o.has(s.title) &&
		sameSubject(s.title, o.title)
}

// has reports whether all of some words are in the text.
func (s Said) has(all []string) bool {
	return !slices.ContainsFunc(all, func(w string) bool { return !slices.Contains(s.whole, w) })
}

// Key returns a text that is equal for texts that may be the same, so that many can be compared. It is the body, or the
// whole if the body says too little without its title.
func (s Said) Key() string {
	if len(s.body) >= telling {
		return strings.Join(s.body, " ")
	}
	return strings.Join(s.whole, " ")
}

// Words are the words of the text, in their order.
func (s Said) Words() []string { return s.whole }

// Shared returns the share of the longer text's words that the other has too, 0 to 1.
func (s Said) Shared(o Said) float64 {
	most := max(len(s.whole), len(o.whole))
	if most == 0 {
		return 0
	}
	a, b := count(s.whole), count(o.whole)
	both := 0
	for w, n := range a {
		both += min(n, b[w])
	}
	return float64(both) / float64(most)
}

func count(list []string) map[string]int {
	m := map[string]int{}
	for _, w := range list {
		m[w]++
	}
	return m
}

// sameSubject reports whether two titles of one body can mean one thing. They cannot if
// they have the same words in another order, if one word stands in another's place
// (Monday's deploys, Tuesday's deploys), or if a number, a name, a negation or one of
// two opposites is in one of them alone.
func sameSubject(a, b []string) bool {
	if slices.Equal(a, b) {
		return true
	}
	x, y := slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	if slices.Equal(x, y) {
		return false
	}
	whole := len(a)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == len(b) && len(a) <= 2 && len(a) < whole {
		return false
	}
	return !telltale(x, y) && !telltale(y, x)
}

// telltale reports whether a has a word that b lacks and that makes another statement
// of it.
func telltale(a, b []string) bool {
	for _, w := range a {
		if slices.Contains(b, w) {
			continue
		}
		if words.Negates(w) || strings.ContainsFunc(w, func(r rune) bool {
			return !('a' <= r &&
				r <= 'z') && r < 0x80
		}) {
			return true
		}
		if slices.ContainsFunc(b, func(o string) bool { return claims.AreOpposite(w, o) }) {
			return true
		}
	}
	return false
}
