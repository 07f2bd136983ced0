package claims

import (
	"fmt"
	"slices"
	"strings"
)

// This file finds what stands the other way round in a finding and its quote: what comes before what, what is more than
// what, who does what to whom. It knows English only.

// turnedAround finds two things on the other sides of before, after, because or than.
func turnedAround(m, q *side) string {
	for i := range m.t {
		sign := m.t.pivotSign(i)
		if sign == 0 {
			continue
		}
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
			if straight != crossed && (crossed > straight) == (sign == other) {
				return fmt.Sprintf("what stands around “%s” is the other way round", q.whole[k].low)
			}
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

// pivotSign is 1 if what stands before a token comes first, is the effect, or is more; -1 if it comes last or is less; 0
// if the token parts nothing.
func (t tokens) pivotSign(i int) int {
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
		o[min(a, b):max(a, b)].hasAny(set("then afterwards finally"))
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
			if same == verb && one != other && stemSet(m.t)[other] && stemSet(q.whole)[one] &&
				(m.t.hasName(one) || q.whole.hasName(one)) && (m.t.hasName(other) || q.whole.hasName(other)) {
				return fmt.Sprintf("another one: “%s … %s” against “%s … %s”", one, m.t[i].low, other, m.t[i].low)
			}
		}
	}
	return ""
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
		if s := t.sayingStem(k); s != "" {
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
