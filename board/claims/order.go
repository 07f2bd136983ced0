package claims

import (
	"fmt"
	"slices"
	"strings"

	"blackboard/board/claims/parse"
)

// This file finds sentences that have the words of a claim with two of them in each
// other's place: who calls whom, what comes before what.

// sequence returns the stems of the content words and names of a text in their order: those in shared, or all if that
// is nil. Those that stand twice are left out.
func sequence(t parse.Tokens, shared map[string]bool) (out []string) {
	count := map[string]int{}
	for i := range t {
		x := &t[i]
		lone := len(x.Text) == 1 && x.HasCapital() && i > 0 // sensor B
		var s string
		switch {
		case x.Kind == parse.WordToken && (parse.IsContentWord(x.Low) || lone):
			s = parse.Stem(x.Low)
		case x.Kind == parse.NameToken:
			s = strings.Trim(x.Low, "`")
		default:
			continue
		}
		count[s]++
		if shared == nil || shared[s] {
			out = append(out, s)
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return count[s] > 1 })
}

// orderCues are words that fix the order of a sentence: a passive "by", before, after, than.
type orderCues struct{ passive, before, after, than bool }

func orderCuesOf(t parse.Tokens) (s orderCues) {
	for i := range t {
		switch t[i].Low {
		case "by":
			s.passive = s.passive || passive(t, i)
		case "before", "then":
			s.before = true
		case "after":
			s.after = true
		case "than":
			s.than = true
		}
	}
	return s
}

// several reports whether a sentence says several things.
func several(t parse.Tokens) bool {
	return slices.ContainsFunc(t, func(x parse.Token) bool { return parse.ContrastWords.Has(x.Low) })
}

// passive reports whether "by" belongs to a verb in the passive: was sued by, a deposit held by.
func passive(t parse.Tokens, by int) bool {
	if low := t.At(by - 1).Low; parse.IrregularPast.Has(low) || strings.HasSuffix(low, "ed") && len(low) > 3 {
		return true
	}
	for k := by - 1; k >= max(0, by-6); k-- {
		if parse.BeForms.Has(t[k].Low) {
			return true
		}
	}
	return false
}

// sides returns what says something before a token and after it, as far as its sentence goes,
// the nearest first. The word right before it is its subject, if it is a verb.
func sides(t parse.Tokens, i int) (left, right []string) {
	for k := i - 1; k >= 0 && !(t[k].Kind == parse.MarkToken && (i-k > 1 || strings.Contains(";:.", t[k].Text))); k-- {
		if s := sayingStem(t, k); s != "" {
			left = append(left, s)
		}
	}
	for k := i + 1; k < len(t) && !strings.Contains(";:.,", t[k].Text); k++ {
		if s := sayingStem(t, k); s != "" {
			right = append(right, s)
		}
	}
	return left, right
}

// sayingStem is the stem of a word that says something, or a name; "" of another token.
func sayingStem(t parse.Tokens, k int) string {
	x := &t[k]
	switch {
	case x.Kind == parse.WordToken && (parse.IsContentWord(x.Low) || len(x.Text) == 1 && x.HasCapital()):
		return parse.Stem(x.Low)
	case x.Kind == parse.NameToken:
		return strings.Trim(x.Low, "`")
	}
	return ""
}

// turnedRound finds a verb, or a word such as before, of which x and y stand the other way round in two sentences; x is
// "" if there is none. same is true if the word is turned round, too: A before B, B after A.
func turnedRound(c, e *parse.Claim) (x, y string, same bool) {
	if !c.English || !e.English || e.Cells != nil {
		return "", "", false
	}
	mine, theirs := c.Tokens(), e.Tokens()
	for i := range mine {
		for k := range theirs {
			turned, is := pivots(mine, i, theirs, k)
			if !is {
				continue
			}
			left, right := sides(mine, i)
			left2, right2 := sides(theirs, k)
			if len(left) == 0 || len(left2) == 0 {
				continue
			}
			s, o := left[0], left2[0]
			crossed := s != o && !(isVerb(mine, s) && isVerb(mine, o) && !parse.TimeOrderWords.Has(mine[i].Low)) &&
				slices.Contains(right2, s) && slices.Contains(right, o) &&
				!slices.Contains(left2, s) && !slices.Contains(left, o)
			straight := s == o && len(right) > 0 && len(right2) > 0 && right[0] == right2[0]
			if crossed && turned {
				return "", "", true
			} else if crossed || straight && turned {
				return s, right[0], false
			}
		}
	}
	return "", "", false
}

// isVerb reports whether a sentence has a word of a stem as a past form: declared, kept. What was done
// stands in any order, unless a word such as before parts it.
func isVerb(t parse.Tokens, of string) bool {
	return slices.ContainsFunc(t, func(x parse.Token) bool {
		return parse.Stem(x.Low) == of && (strings.HasSuffix(x.Low, "ed") || parse.IrregularForms()[x.Low] != "")
	})
}

// pivots reports whether two tokens part two sentences in the same way or, if turned, the opposite one: after and
// before, sued and was sued by.
func pivots(t parse.Tokens, i int, o parse.Tokens, k int) (turned, is bool) {
	a, b := t[i].Low, o[k].Low
	switch {
	case a == "before" || a == "after":
		return a != b, i > 0 && k > 0 && (b == "before" || b == "after")
	case a == "than" || a == "to" && hasFromBefore(t, i):
		return false, a == b && (a == "than" || hasFromBefore(o, k))
	}
	if parse.Stem(a) != parse.Stem(b) || !t.IsAction(i) || !o.IsAction(k) {
		return false, false
	}
	one, by := suffers(t, i)
	other, by2 := suffers(o, k)
	return one != other, one == other || by || by2
}

// hasFromBefore reports whether "from" stands before a token.
func hasFromBefore(t parse.Tokens, i int) bool {
	return slices.ContainsFunc(t[max(0, i-5):i], func(x parse.Token) bool { return x.Low == "from" })
}

// suffers reports whether a verb says what is done to what stands before it, and whether it
// says by whom.
func suffers(t parse.Tokens, i int) (passive, by bool) {
	for k := i - 1; k >= max(0, i-3); k-- {
		passive = passive || parse.BeForms.Has(t[k].Low)
	}
	for k := i + 1; k < min(len(t), i+5); k++ {
		by = by || t[k].Low == "by"
	}
	return passive, passive && by
}

func (ev *Evidence) exchangedIn(c, e *parse.Claim) (x, y string) {
	if len(c.Words) > parse.MaxPairwise+8*len(e.Words) { // all of a long text is not one sentence
		return "", ""
	}
	if !c.English || !e.English || c.Cells != nil || e.Cells != nil {
		return "", ""
	}
	mine, theirs := c.Tokens(), e.Tokens()
	if orderCuesOf(mine) != orderCuesOf(theirs) || several(mine) || several(theirs) {
		return "", ""
	}
	has := func(t parse.Tokens) map[string]bool {
		m := map[string]bool{}
		for _, s := range sequence(t, nil) {
			m[s] = true
		}
		return m
	}
	a, b := sequence(mine, has(theirs)), sequence(theirs, has(mine))
	if n := float64(len(a)); len(a) != len(b) || len(a) < 3 || n < .6*float64(len(has(mine))) ||
		n < .5*float64(len(has(theirs))) {
		return "", ""
	}
	for len(a) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if x, y = blocks(mine, a, b); agent(mine, x, y) != agent(theirs, x, y) {
		return "", "" // the team rotates keys, keys rotate by the team
	}
	return x, y
}

// agent reports whether "by" stands before one of two parts.
func agent(t parse.Tokens, x, y string) bool {
	for i := range t {
		if s := parse.Stem(t[i].Low); t[i].Kind == parse.WordToken &&
			(strings.HasPrefix(x+" ", s+" ") || strings.HasPrefix(y+" ", s+" ")) {
			k := i - 1
			for t.At(k).Kind == parse.WordToken && parse.Stopwords.Has(t[k].Low) && t[k].Low != "by" {
				k--
			}
			if t.At(k).Low == "by" {
				return true
			}
		}
	}
	return false
}

// acting reports whether one of some stems is a verb of a sentence.
func acting(t parse.Tokens, of []string) bool {
	for i := range t {
		if slices.Contains(of, parse.Stem(t[i].Low)) &&
			(t.IsAction(i) || parse.IrregularForms()[t[i].Low] != "" || verbs.Has(t.At(i-1).Low)) {
			return true
		}
	}
	return false
}

// blocks returns the two parts that are exchanged around the same words, one of them a verb: X m Y, Y m X; "" if none
// are.
func blocks(t parse.Tokens, a, b []string) (x, y string) {
	for i := 1; i <= 3; i++ {
		for j := 1; j <= 3; j++ {
			m := len(a) - i - j
			if m < 1 {
				continue
			}
			if slices.Equal(a[:i], b[len(b)-i:]) && slices.Equal(a[len(a)-j:], b[:j]) &&
				slices.Equal(a[i:i+m], b[j:j+m]) && acting(t, a[i:i+m]) {
				return strings.Join(a[:i], " "), strings.Join(a[len(a)-j:], " ")
			}
		}
	}
	return "", ""
}

// turnedPlainly is turnedAround for clauses of which none denies anything: only after eight, nothing before eight.
func turnedPlainly(m, q *side) string {
	if hasAnyOf(m.t, outright) || hasAnyOf(q.t, outright) {
		return ""
	}
	return turnedAround(m, q)
}

// turnedAround finds two things on the other sides of before, after, because or than.
//
// One of several that stand as in the other text says nothing else: after April and before October.
func turnedAround(m, q *side) string {
	for i := range m.t {
		sign := pivotSign(m.t, i)
		if sign == 0 {
			continue
		}
		turned, as := "", false
		kind := pivotKind(m.t, i)
		if kind == "time" && otherSequence(m.t, i, sign, q.whole) {
			return against(m.t[i].Low, "then")
		}
		left, right := stemSet(m.t[:i]), stemSet(toMark(m.t, i+1))
		for k := range q.whole {
			other := pivotSign(q.whole, k)
			if other == 0 || pivotKind(q.whole, k) != kind {
				continue
			}
			l, r := stemSet(q.whole[:k]), stemSet(toMark(q.whole, k+1))
			straight := min(inBoth(left, l), inBoth(right, r))
			crossed := min(inBoth(left, r), inBoth(right, l))
			if straight == crossed {
				continue
			}
			if (crossed > straight) != (sign == other) {
				as = true
			} else if turned == "" {
				turned = fmt.Sprintf("what stands around “%s” is the other way round", q.whole[k].Low)
			}
		}
		if turned != "" && !as {
			return turned
		}
	}
	return ""
}

// pivotKind is what a token parts two sides by: time, cause, or a comparison, which is of its own word unless that is
// more or less.
func pivotKind(t parse.Tokens, i int) string {
	switch low := t[i].Low; {
	case low == "before" || low == "after":
		return "time"
	case low == "than" && moreOrLess(t, i) == 0:
		return t.At(i - 1).Low
	default:
		return low
	}
}

// pivotSign is 1 if what stands before a token comes first, is the effect, or is more; -1 if it comes last or is
// less; 0 if the token parts nothing.
func pivotSign(t parse.Tokens, i int) int {
	if pivotKind(t, i) == "time" && (t.At(i+1).Kind == parse.NumberToken || t.Day(i+1) > 0) {
		return 0 // before 1 October is a bound
	}
	switch t[i].Low {
	case "before", "because":
		return 1
	case "after":
		return -1
	case "than":
		if s := moreOrLess(t, i); s != 0 {
			return s
		} else if b := t.At(i - 1).Low; strings.HasSuffix(b, "er") || b == "worse" {
			return 1
		}
	}
	return 0
}

// moreOrLess is the sign of a word of order among four before a token, 0 if there is none.
func moreOrLess(t parse.Tokens, i int) int {
	for k := i - 1; k >= max(0, i-4); k-- {
		if s := parse.OrderSign(t[k].Low); s != 0 {
			return s
		}
	}
	return 0
}

var thenWords = parse.NewSet("then afterwards finally")

// otherSequence reports whether a text tells what stands beside "before" or "after" in the other order: first packed,
// then sterilised.
func otherSequence(t parse.Tokens, i, sign int, o parse.Tokens) bool {
	left, right := sides(t, i)
	if len(left) == 0 || len(right) == 0 {
		return false
	}
	place := func(s string) int {
		return slices.IndexFunc(o, func(x parse.Token) bool { return parse.Stem(x.Low) == s })
	}
	a, b := place(left[0]), place(right[0])
	return a >= 0 && b >= 0 && a != b && (a < b) != (sign > 0) &&
		hasAnyOf(o[min(a, b):max(a, b)], thenWords)
}

// otherDoer finds somebody who does in a finding what another one does in its quote, if each is named in both.
func otherDoer(m, q *side) string {
	for i := range m.t {
		verb, one := doerOf(m.t, i)
		if verb == "" {
			continue
		}
		for k := range q.whole {
			same, other := doerOf(q.whole, k)
			if same == verb && one != other && !inOneName(q.whole, one, other) && stemSet(m.t)[other] &&
				stemSet(q.whole)[one] && (hasNameWith(m.t, one) || hasNameWith(q.whole, one)) &&
				(hasNameWith(m.t, other) || hasNameWith(q.whole, other)) {
				return fmt.Sprintf("another one: “%s … %s” against “%s … %s”", one, m.t[i].Low, other, m.t[i].Low)
			}
		}
	}
	return ""
}

// inOneName reports whether two stems are of neighbouring words with capitals: Builders' Association.
func inOneName(t parse.Tokens, a, b string) bool {
	for i := range t {
		if t[i].HasCapital() && parse.Stem(t[i].Low) == a {
			for k := max(0, i-2); k < min(len(t), i+3); k++ {
				if t[k].HasCapital() && parse.Stem(t[k].Low) == b {
					return true
				}
			}
		}
	}
	return false
}

// hasNameWith reports whether a text has a name with a stem behind its first word, which any word may be.
func hasNameWith(t parse.Tokens, s string) bool {
	return slices.ContainsFunc(t[min(1, len(t)):],
		func(x parse.Token) bool { return x.HasCapital() && parse.Stem(x.Low) == s })
}

// doerOf returns the stem of a verb in the past and of who does it, as far as that is plain; "" otherwise.
func doerOf(t parse.Tokens, i int) (verb, who string) {
	low := t[i].Low
	if t[i].Kind != parse.WordToken || !(strings.HasSuffix(low, "ed") && t.IsAction(i) ||
		parse.IrregularPast.Has(low)) {
		return "", ""
	}
	for k, x := range toMark(t, i+1)[:min(3, len(toMark(t, i+1)))] {
		if x.Low == "by" {
			if by := noun(t, i+k+2, 1); len(by) > 0 {
				return parse.Stem(low), parse.Stem(t[by[len(by)-1]].Low)
			}
		}
	}
	for k := i - 1; k >= 0 && t[k].Kind == parse.WordToken && !parse.BeForms.Has(t[k].Low); k-- {
		if s := sayingStem(t, k); s != "" && len(s) == 1 && t.At(k-1).Kind == parse.NumberToken {
			break // at 3.00 V
		} else if s != "" {
			return parse.Stem(low), s
		} else if !verbs.Has(t[k].Low) && t[k].Low != "to" {
			break
		}
	}
	return "", ""
}

// noun returns up to three tokens of a noun from token k on in one direction: its content words up to the article.
func noun(t parse.Tokens, k, step int) (who []int) {
	for ; k >= 0 && k < len(t) && t[k].Kind == parse.WordToken && len(who) < 3; k += step {
		if parse.Stopwords.Has(t[k].Low) || verbs.Has(t[k].Low) {
			if step > 0 && len(who) == 0 && t[k].Low == "the" {
				continue
			}
			break
		}
		who = append(who, k)
	}
	return who
}
