package claims

import (
	"slices"
	"strings"
)

// This file finds what a finding takes for done or decided, and its quote leaves open. It knows English only.

var (
	undone = set(`planned scheduled proposed proposes propose suggested suggests suggest pending unconfirmed awaiting
		expected upcoming intends intended ordered`)
	participles = set("come become run set put cut hit shut gone been")
)

func guessed(low string) bool { return low == "may" || low == "might" || low == "could" }

// perfect reports whether a word may stand before what has been done.
func perfect(low string) bool {
	return low == "has" || low == "have" || low == "had" || low == "was" || low == "were"
}

// open returns the word by which a sentence says that something is not done yet, or may be; "" if none does.
func (t tokens) open() string {
	if w := t.first(undone); w != "" {
		return w
	}
	for i := range t {
		low, next := t[i].low, t.at(i+1).low
		switch {
		case low == "yet" && slices.ContainsFunc(t[:i], func(x token) bool {
			return x.low == "not" || strings.HasSuffix(x.low, "n't")
		}):
			return "not yet"
		case low == "no" && (next == "decision" || next == "conclusion"):
			return low + " " + next
		case guessed(low) && next != "not":
			return low
		}
	}
	return ""
}

// notDone finds what has been done in a finding, or will be, and is planned in its quote, or may be.
func notDone(m, q *side) string {
	if m.whole.open() != "" || m.whole.hasAny(hedging) || m.whole.hasAny(negators) {
		return ""
	}
	theirs := q.whole.open()
	if theirs == "" && !m.t.hasAny(set("will")) && !q.whole.hasAny(limiting) {
		theirs = q.t.first(set("will"))
	}
	if theirs == "" {
		return ""
	}
	for i := range m.t {
		low, next := m.t[i].low, m.t.at(i+1).low
		if low == "will" || perfect(low) && (participles.has(next) || strings.HasSuffix(next, "ed") || irregular.has(next) || forms()[next] != "") ||
			guessed(theirs) && (low == "is" || low == "are") && strings.HasSuffix(next, "ing") {
			return against(low+" "+next, theirs)
		}
	}
	return ""
}

var (
	settling = set(`decided agreed confirmed proven proved found concluded established resolved approved finds concludes
		confirms shows showed`)
	reasons = set("because due owing caused cause causes reason")
	// unsettled are said of what is open if they are denied: no decision, not proven.
	unsettled = set(`decision conclusion agreement consensus proof confirmed decided proven prove agreed known settled
		clear sure conclude reason cause`)
	supposing = set(`looks seems seem appears suspects suspected suspect supposes believes thinks guesses assumes
		undecided unconfirmed unproven unclear unknown may might could possibly perhaps`)
)

// notSettled finds what has been found or decided in a finding, or has a reason, and its quote only supposes or leaves
// open.
func notSettled(m, q *side) string {
	mine := m.t.first(settling)
	why := m.t.first(reasons)
	if mine+why == "" || m.t.hasAny(negators) || m.t.hasAny(hedging) || m.t.hasAny(supposing) {
		return ""
	}
	if w := q.t.first(supposing); w != "" && mine != "" && !q.t.hasAny(settling) {
		return against(mine, w)
	}
	if mine == "" {
		mine = why
	}
	for i := range q.text {
		low, before := q.text[i].low, q.text.at(i-1).low
		if unsettled.has(low) && negators.has(before) || settling.has(low) && before == "be" && q.text.at(i-2).low == "to" ||
			low == "why" && q.text[max(0, i-4):i].hasAny(negators) {
			return against(mine, before+" "+low)
		}
	}
	return ""
}
