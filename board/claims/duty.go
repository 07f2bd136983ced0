package claims

import (
	"slices"
	"strings"
)

// This file reads what must, may and must not be done, and what a finding takes for done or decided and its quote
// leaves open. It knows English only.

// A duty is what a clause says of something that may be done.
type duty uint8

const (
	noDuty duty = iota
	forbidden
	permitted
	needless // it may be left
	required
	able // one can, or may
)

var (
	noOneIs    = set("nobody none neither nor no")
	demanding  = set("must shall required requires require mandatory compulsory obligatory obliged needs need")
	permitting = set("may allowed permitted possible permits allows")
	leaving    = set("optional voluntary optionally")
	forbidding = set("forbidden prohibited banned forbids prohibits disallowed")
	// limiting are words that make a duty one of some cases.
	limiting = set(`only unless without until provided except if subject before after once when exceed exceeds exceeded
		most least`)
)

// duty returns the duty that a clause states and the token that states it; noDuty for none, or several.
func (t tokens) duty() (d duty, at int) {
	for i := range t {
		n := t.dutyAt(i)
		if n != noDuty && d != noDuty && n != d {
			return noDuty, 0
		} else if n != noDuty {
			d, at = n, i
		}
	}
	return d, at
}

// refuses reports whether a word denies what stands with it: must wait denies nothing.
func refuses(low string) bool {
	return negators.has(low) && !strings.HasPrefix(low, "wait") && low != "await"
}

func (t tokens) dutyAt(i int) duty {
	if t.isMonth(i) {
		return noDuty
	}
	low, before := t[i].low, t.at(i-1).low
	denied := refuses(before) || refuses(t.at(i+1).low) || before == "be" && refuses(t.at(i-2).low) ||
		i < 4 && t[:i].hasAny(noOneIs)
	alone := i == 0 || t.at(i-1).kind == markToken
	switch {
	case permitting.has(low) && t.at(i+1).low == "no" && t.toMark(i).hasAny(upward): // allows none above a third
		return noDuty
	case low == "must" && denied, low == "shall" && denied, permitting.has(low) && denied, low == "can" && denied,
		low == "cannot", forbidding.has(low) && !denied, low == "never" && alone,
		low == "not" && before == "do" && (i == 1 || t.at(i-2).low == "please" || t.at(i-2).kind == markToken):
		return forbidden
	case permitting.has(low):
		return permitted
	case low == "can":
		return able
	case leaving.has(low) && !denied:
		return needless
	case demanding.has(low), (low == "has" || low == "have") && t.at(i+1).low == "to":
		if denied {
			return needless
		}
		return required
	}
	return noDuty
}

// verbAfter is the stem of the first word that says something among three after a token.
func (t tokens) verbAfter(i int) string {
	for k := i + 1; k < min(len(t), i+4); k++ {
		if t[k].kind == wordToken && says(t[k].low) {
			return stem(t[k].low)
		}
	}
	return ""
}

// otherDuty finds must for may, may for must not.
func otherDuty(m, q *side) string {
	a, i := m.t.duty()
	b, k := q.t.duty()
	alike := m.t.verbAfter(i) == q.t.verbAfter(k)
	switch {
	case a == noDuty || b == noDuty || a == b, m.whole.hasOther(limiting, q.whole),
		slices.ContainsFunc(q.near, func(o *side) bool { d, _ := o.t.duty(); return d == a }):
		return ""
	case a == permitted && b == forbidden, a == able && b == forbidden && alike, a == needless && b == required,
		!q.whole.hasAny(limiting) && (a == required && (b == permitted || b == needless || b == forbidden && alike) ||
			a == forbidden && (b == permitted || b == required && alike)):
		return against(m.t[i].low, q.t[k].low)
	}
	return ""
}

var (
	undone = set(`planned scheduled proposed proposes propose suggested suggests suggest pending unconfirmed awaiting
		expected upcoming intends intended ordered`)
	participles = set("come become run set put cut hit shut gone been")
)

// isMonth reports whether a word is the month of May: 9 May, May 2023, in May.
func (t tokens) isMonth(i int) bool {
	before := t.at(i - 1)
	return t[i].text == "May" && (t.at(i+1).kind == numberToken || before.kind == numberToken ||
		before.kind == wordToken && i > 0)
}

// ofFigure reports whether a word that says that something is planned stands with a figure that is compared: 284
// planned trips, instead of the planned GBP 90, dearer than planned.
func (t tokens) ofFigure(i int) bool {
	next := t.at(i + 1)
	return t.at(i-1).kind == numberToken || t.at(i-1).low == "than" || next.kind == numberToken ||
		next.kind == signToken || CurrencyOf(next.low) != ""
}

func guessed(low string) bool { return low == "may" || low == "might" || low == "could" }

// perfect reports whether a word may stand before what has been done.
func perfect(low string) bool {
	return low == "has" || low == "have" || low == "had" || low == "was" || low == "were"
}

// open returns the word by which a sentence says that something is not done yet, or may be; "" if none does.
func (t tokens) open() string {
	for i := range t {
		if undone.has(t[i].low) && !t.ofFigure(i) {
			return t[i].low
		}
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
		case guessed(low) && next != "not" && !t.isMonth(i):
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
	if theirs == "" && q.t.hasRow("will") && !m.t.hasRow("will") && !q.whole.hasAny(limiting) {
		theirs = "will"
	}
	if theirs == "" || m.stems[stem(theirs)] { // ordered: the order was placed
		return ""
	}
	for i := range m.t {
		low, next := m.t[i].low, m.t.at(i+1).low
		done := participles.has(next) || strings.HasSuffix(next, "ed") || irregular.has(next) || forms()[next] != ""
		row := []string{low, next}
		if next == "been" {
			row = append(row, m.t.at(i+2).low)
		}
		if done && q.whole.hasRow(row...) || next == "left" { // the other one was; what is left is not done
			continue
		}
		if low == "will" || perfect(low) && done ||
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
