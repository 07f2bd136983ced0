package claims

import (
	"fmt"
	"slices"
	"strings"
)

// This file finds sentences that have the words of a claim with two of them in each
// other's place: who calls whom, what comes before what.

// sequence returns the stems of the content words and names of a text in their order: those in shared, or all if that
// is nil. Those that stand twice are left out.
func sequence(t tokens, shared map[string]bool) (out []string) {
	count := map[string]int{}
	for i := range t {
		x := &t[i]
		lone := len(x.text) == 1 && x.capital() && i > 0 // sensor B
		var s string
		switch {
		case x.kind == wordToken && (says(x.low) || lone):
			s = stem(x.low)
		case x.kind == nameToken:
			s = strings.Trim(x.low, "`")
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

func (t tokens) orderCues() (s orderCues) {
	for i := range t {
		switch t[i].low {
		case "by":
			s.passive = s.passive || t.passive(i)
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
func (t tokens) several() bool {
	return slices.ContainsFunc(t, func(x token) bool { return contrasts.has(x.low) })
}

// passive reports whether "by" belongs to a verb in the passive: was sued by, a deposit held by.
func (t tokens) passive(by int) bool {
	if low := t.at(by - 1).low; irregular.has(low) || strings.HasSuffix(low, "ed") && len(low) > 3 {
		return true
	}
	for k := by - 1; k >= max(0, by-6); k-- {
		if beForms.has(t[k].low) {
			return true
		}
	}
	return false
}

// sides returns what says something before a token and after it, as far as its sentence goes,
// the nearest first. The word right before it is its subject, if it is a verb.
func (t tokens) sides(i int) (left, right []string) {
	for k := i - 1; k >= 0 && !(t[k].kind == markToken && (i-k > 1 || strings.Contains(";:.", t[k].text))); k-- {
		if s := t.sayingStem(k); s != "" {
			left = append(left, s)
		}
	}
	for k := i + 1; k < len(t) && !strings.Contains(";:.,", t[k].text); k++ {
		if s := t.sayingStem(k); s != "" {
			right = append(right, s)
		}
	}
	return left, right
}

// sayingStem is the stem of a word that says something, or a name; "" of another token.
func (t tokens) sayingStem(k int) string {
	x := &t[k]
	switch {
	case x.kind == wordToken && (says(x.low) || len(x.text) == 1 && x.capital()):
		return stem(x.low)
	case x.kind == nameToken:
		return strings.Trim(x.low, "`")
	}
	return ""
}

// turnedRound finds a verb, or a word such as before, of which x and y stand the other way round in two sentences; x is
// "" if there is none. same is true if the word is turned round, too: A before B, B after A.
func turnedRound(c, e *Claim) (x, y string, same bool) {
	if !c.English || !e.English || e.Cells != nil {
		return "", "", false
	}
	mine, theirs := c.tokens(), e.tokens()
	for i := range mine {
		for k := range theirs {
			turned, is := mine.pivots(i, theirs, k)
			if !is {
				continue
			}
			left, right := mine.sides(i)
			left2, right2 := theirs.sides(k)
			if len(left) == 0 || len(left2) == 0 {
				continue
			}
			s, o := left[0], left2[0]
			crossed := s != o && !(mine.isVerb(s) && mine.isVerb(o) && !times.has(mine[i].low)) &&
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
func (t tokens) isVerb(of string) bool {
	return slices.ContainsFunc(t, func(x token) bool {
		return stem(x.low) == of && (strings.HasSuffix(x.low, "ed") || forms()[x.low] != "")
	})
}

// pivots reports whether two tokens part two sentences in the same way or, if turned, the opposite one: after and
// before, sued and was sued by.
func (t tokens) pivots(i int, o tokens, k int) (turned, is bool) {
	a, b := t[i].low, o[k].low
	switch {
	case a == "before" || a == "after":
		return a != b, i > 0 && k > 0 && (b == "before" || b == "after")
	case a == "than" || a == "to" && t.hasFromBefore(i):
		return false, a == b && (a == "than" || o.hasFromBefore(k))
	}
	if stem(a) != stem(b) || !t.acts(i) || !o.acts(k) {
		return false, false
	}
	one, by := t.suffers(i)
	other, by2 := o.suffers(k)
	return one != other, one == other || by || by2
}

// hasFromBefore reports whether "from" stands before a token.
func (t tokens) hasFromBefore(i int) bool {
	return slices.ContainsFunc(t[max(0, i-5):i], func(x token) bool { return x.low == "from" })
}

// suffers reports whether a verb says what is done to what stands before it, and whether it
// says by whom.
func (t tokens) suffers(i int) (passive, by bool) {
	for k := i - 1; k >= max(0, i-3); k-- {
		passive = passive || beForms.has(t[k].low)
	}
	for k := i + 1; k < min(len(t), i+5); k++ {
		by = by || t[k].low == "by"
	}
	return passive, passive && by
}

func (ev *Evidence) exchangedIn(c, e *Claim) (x, y string) {
	if len(c.Words) > mostEach+8*len(e.Words) { // all of a long text is not one sentence
		return "", ""
	}
	if !c.English || !e.English || c.Cells != nil || e.Cells != nil {
		return "", ""
	}
	mine, theirs := c.tokens(), e.tokens()
	if mine.orderCues() != theirs.orderCues() || mine.several() || theirs.several() {
		return "", ""
	}
	has := func(t tokens) map[string]bool {
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
	if x, y = mine.blocks(a, b); mine.agent(x, y) != theirs.agent(x, y) {
		return "", "" // the team rotates keys, keys rotate by the team
	}
	return x, y
}

// agent reports whether "by" stands before one of two parts.
func (t tokens) agent(x, y string) bool {
	for i := range t {
		if s := stem(t[i].low); t[i].kind == wordToken &&
			(strings.HasPrefix(x+" ", s+" ") || strings.HasPrefix(y+" ", s+" ")) {
			k := i - 1
			for t.at(k).kind == wordToken && empty.has(t[k].low) && t[k].low != "by" {
				k--
			}
			if t.at(k).low == "by" {
				return true
			}
		}
	}
	return false
}

// acting reports whether one of some stems is a verb of a sentence.
func (t tokens) acting(of []string) bool {
	for i := range t {
		if slices.Contains(of, stem(t[i].low)) && (t.acts(i) || forms()[t[i].low] != "" || verbs.has(t.at(i-1).low)) {
			return true
		}
	}
	return false
}

// blocks returns the two parts that are exchanged around the same words, one of them a verb: X m Y, Y m X; "" if none
// are.
func (t tokens) blocks(a, b []string) (x, y string) {
	for i := 1; i <= 3; i++ {
		for j := 1; j <= 3; j++ {
			m := len(a) - i - j
			if m < 1 {
				continue
			}
			if slices.Equal(a[:i], b[len(b)-i:]) && slices.Equal(a[len(a)-j:], b[:j]) &&
				slices.Equal(a[i:i+m], b[j:j+m]) && t.acting(a[i:i+m]) {
				return strings.Join(a[:i], " "), strings.Join(a[len(a)-j:], " ")
			}
		}
	}
	return "", ""
}

// turnedPlainly is turnedAround for clauses of which none denies anything: only after eight, nothing before eight.
func turnedPlainly(m, q *side) string {
	if m.t.hasAny(outright) || q.t.hasAny(outright) {
		return ""
	}
	return turnedAround(m, q)
}

// turnedAround finds two things on the other sides of before, after, because or than.
//
// One of several that stand as in the other text says nothing else: after April and before October.
func turnedAround(m, q *side) string {
	for i := range m.t {
		sign := m.t.pivotSign(i)
		if sign == 0 {
			continue
		}
		turned, as := "", false
		kind := m.t.pivotKind(i)
		if kind == "time" && m.t.otherSequence(i, sign, q.whole) {
			return against(m.t[i].low, "then")
		}
		left, right := stemSet(m.t[:i]), stemSet(m.t.toMark(i+1))
		for k := range q.whole {
			other := q.whole.pivotSign(k)
			if other == 0 || q.whole.pivotKind(k) != kind {
				continue
			}
			l, r := stemSet(q.whole[:k]), stemSet(q.whole.toMark(k+1))
			straight := min(inBoth(left, l), inBoth(right, r))
			crossed := min(inBoth(left, r), inBoth(right, l))
			if straight == crossed {
				continue
			}
			if (crossed > straight) != (sign == other) {
				as = true
			} else if turned == "" {
				turned = fmt.Sprintf("what stands around “%s” is the other way round", q.whole[k].low)
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
func (t tokens) pivotKind(i int) string {
	switch low := t[i].low; {
	case low == "before" || low == "after":
		return "time"
	case low == "than" && t.moreOrLess(i) == 0:
		return t.at(i - 1).low
	default:
		return low
	}
}

// pivotSign is 1 if what stands before a token comes first, is the effect, or is more; -1 if it comes last or is
// less; 0 if the token parts nothing.
func (t tokens) pivotSign(i int) int {
	if t.pivotKind(i) == "time" && (t.at(i+1).kind == numberToken || t.day(i+1) > 0) {
		return 0 // before 1 October is a bound
	}
	switch t[i].low {
	case "before", "because":
		return 1
	case "after":
		return -1
	case "than":
		if s := t.moreOrLess(i); s != 0 {
			return s
		} else if b := t.at(i - 1).low; strings.HasSuffix(b, "er") || b == "worse" {
			return 1
		}
	}
	return 0
}

// moreOrLess is the sign of a word of order among four before a token, 0 if there is none.
func (t tokens) moreOrLess(i int) int {
	for k := i - 1; k >= max(0, i-4); k-- {
		if s := orderSign(t[k].low); s != 0 {
			return s
		}
	}
	return 0
}

var thenWords = set("then afterwards finally")

// otherSequence reports whether a text tells what stands beside "before" or "after" in the other order: first packed,
// then sterilised.
func (t tokens) otherSequence(i, sign int, o tokens) bool {
	left, right := t.sides(i)
	if len(left) == 0 || len(right) == 0 {
		return false
	}
	place := func(s string) int { return slices.IndexFunc(o, func(x token) bool { return stem(x.low) == s }) }
	a, b := place(left[0]), place(right[0])
	return a >= 0 && b >= 0 && a != b && (a < b) != (sign > 0) &&
		o[min(a, b):max(a, b)].hasAny(thenWords)
}

// otherDoer finds somebody who does in a finding what another one does in its quote, if each is named in both.
func otherDoer(m, q *side) string {
	for i := range m.t {
		verb, one := m.t.doerOf(i)
		if verb == "" {
			continue
		}
		for k := range q.whole {
			same, other := q.whole.doerOf(k)
			if same == verb && one != other && !q.whole.inOneName(one, other) && stemSet(m.t)[other] &&
				stemSet(q.whole)[one] && (m.t.hasName(one) || q.whole.hasName(one)) &&
				(m.t.hasName(other) || q.whole.hasName(other)) {
				return fmt.Sprintf("another one: “%s … %s” against “%s … %s”", one, m.t[i].low, other, m.t[i].low)
			}
		}
	}
	return ""
}

// inOneName reports whether two stems are of neighbouring words with capitals: Builders' Association.
func (t tokens) inOneName(a, b string) bool {
	for i := range t {
		if t[i].capital() && stem(t[i].low) == a {
			for k := max(0, i-2); k < min(len(t), i+3); k++ {
				if t[k].capital() && stem(t[k].low) == b {
					return true
				}
			}
		}
	}
	return false
}

// hasName reports whether a text has a name with a stem behind its first word, which any word may be.
func (t tokens) hasName(s string) bool {
	return slices.ContainsFunc(t[min(1, len(t)):], func(x token) bool { return x.capital() && stem(x.low) == s })
}

// doerOf returns the stem of a verb in the past and of who does it, as far as that is plain; "" otherwise.
func (t tokens) doerOf(i int) (verb, who string) {
	low := t[i].low
	if t[i].kind != wordToken || !(strings.HasSuffix(low, "ed") && t.acts(i) || irregular.has(low)) {
		return "", ""
	}
	for k, x := range t.toMark(i + 1)[:min(3, len(t.toMark(i+1)))] {
		if x.low == "by" {
			if by := t.noun(i+k+2, 1); len(by) > 0 {
				return stem(low), stem(t[by[len(by)-1]].low)
			}
		}
	}
	for k := i - 1; k >= 0 && t[k].kind == wordToken && !beForms.has(t[k].low); k-- {
		if s := t.sayingStem(k); s != "" && len(s) == 1 && t.at(k-1).kind == numberToken {
			break // at 3.00 V
		} else if s != "" {
			return stem(low), s
		} else if !verbs.has(t[k].low) && t[k].low != "to" {
			break
		}
	}
	return "", ""
}

// noun returns up to three tokens of a noun from token k on in one direction: its content words up to the article.
func (t tokens) noun(k, step int) (who []int) {
	for ; k >= 0 && k < len(t) && t[k].kind == wordToken && len(who) < 3; k += step {
		if empty.has(t[k].low) || verbs.has(t[k].low) {
			if step > 0 && len(who) == 0 && t[k].low == "the" {
				continue
			}
			break
		}
		who = append(who, k)
	}
	return who
}
