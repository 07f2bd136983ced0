package claims

import (
	"slices"
	"strings"

	"blackboard/board/claims/parse"
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
	noOneIs    = parse.NewSet("nobody none neither nor no")
	demanding  = parse.NewSet("must shall required requires require mandatory compulsory obligatory obliged needs need")
	permitting = parse.NewSet("may allowed permitted possible permits allows")
	leaving    = parse.NewSet("optional voluntary optionally")
	forbidding = parse.NewSet("forbidden prohibited banned forbids prohibits disallowed")
	// limiting are words that make a duty one of some cases.
	limiting = parse.NewSet(`only unless without until provided except if subject before after once when exceed exceeds
		exceeded within most least`)
)

// dutyOf returns the duty that a clause states and the token that states it; noDuty for none, or several.
func dutyOf(t parse.Tokens) (d duty, at int) {
	for i := range t {
		n := dutyAt(t, i)
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
	return parse.Negators.Has(low) && !strings.HasPrefix(low, "wait") && low != "await"
}

func dutyAt(t parse.Tokens, i int) duty {
	if isMonth(t, i) {
		return noDuty
	}
	low, before := t[i].Low, t.At(i-1).Low
	denied := refuses(before) || refuses(t.At(i+1).Low) || before == "be" && refuses(t.At(i-2).Low) ||
		i < 4 && hasAnyOf(t[:i], noOneIs)
	alone := i == 0 || t.At(i-1).Kind == parse.MarkToken
	switch {
	case permitting.Has(low) && t.At(i+1).Low == "no" &&
		hasAnyOf(toMark(t, i), parse.UpwardWords): // allows none above a third
		return noDuty
	case low == "must" && denied, low == "shall" && denied, permitting.Has(low) && denied, low == "can" && denied,
		low == "cannot", forbidding.Has(low) && !denied, low == "never" && alone,
		low == "not" && before == "do" && (i == 1 || t.At(i-2).Low == "please" || t.At(i-2).Kind == parse.MarkToken):
		return forbidden
	case permitting.Has(low):
		return permitted
	case low == "can":
		return able
	case leaving.Has(low) && !denied:
		return needless
	case demanding.Has(low), (low == "has" || low == "have") && t.At(i+1).Low == "to":
		if denied {
			return needless
		}
		return required
	}
	return noDuty
}

// verbAfter is the stem of the first word that says something among three after a token.
func verbAfter(t parse.Tokens, i int) string {
	for k := i + 1; k < min(len(t), i+4); k++ {
		if t[k].Kind == parse.WordToken && parse.IsContentWord(t[k].Low) {
			return parse.Stem(t[k].Low)
		}
	}
	return ""
}

// otherDuty finds must for may, may for must not.
func otherDuty(m, q *side) string {
	a, i := dutyOf(m.t)
	b, k := dutyOf(q.t)
	alike := verbAfter(m.t, i) == verbAfter(q.t, k)
	switch {
	case a == noDuty || b == noDuty || a == b, hasOther(m.whole, limiting, q.whole),
		a == forbidden && b == permitted && hasAnyOf(q.whole, parse.Negators), // (b) or (c), but not (a)
		slices.ContainsFunc(q.near, func(o *side) bool { d, _ := dutyOf(o.t); return d == a }):
		return ""
	case a == permitted && b == forbidden, a == able && b == forbidden && alike, a == needless && b == required,
		!hasAnyOf(q.whole, limiting) && (a == required &&
			(b == permitted || b == needless || b == forbidden && alike) ||
			a == forbidden && (b == permitted || b == required && alike)):
		return against(m.t[i].Low, q.t[k].Low)
	}
	return ""
}

var (
	undone = parse.NewSet(`planned scheduled proposed proposes propose suggested suggests suggest pending unconfirmed
		awaiting
		expected upcoming intends intended ordered`)
	participles = parse.NewSet("come become run set put cut hit shut gone been")
)

// isMonth reports whether a word is the month of May: 9 May, May 2023, in May.
func isMonth(t parse.Tokens, i int) bool {
	before := t.At(i - 1)
	return t[i].Text == "May" && (t.At(i+1).Kind == parse.NumberToken || before.Kind == parse.NumberToken ||
		before.Kind == parse.WordToken && i > 0)
}

// ofFigure reports whether a word that says that something is planned stands with a figure that is compared: 284
// planned trips, instead of the planned GBP 90, dearer than planned.
func ofFigure(t parse.Tokens, i int) bool {
	next := t.At(i + 1)
	return t.At(i-1).Kind == parse.NumberToken || t.At(i-1).Low == "than" || next.Kind == parse.NumberToken ||
		next.Kind == parse.SignToken || parse.CurrencyOf(next.Low) != ""
}

func guessed(low string) bool { return low == "may" || low == "might" || low == "could" }

// perfect reports whether a word may stand before what has been done.
func perfect(low string) bool {
	return low == "has" || low == "have" || low == "had" || low == "was" || low == "were"
}

// open returns the word by which a sentence says that something is not done yet, or may be; "" if none does.
func open(t parse.Tokens) string {
	for i := range t {
		if undone.Has(t[i].Low) && !ofFigure(t, i) {
			return t[i].Low
		}
	}
	for i := range t {
		low, next := t[i].Low, t.At(i+1).Low
		switch {
		case low == "yet" && slices.ContainsFunc(t[:i], func(x parse.Token) bool {
			return x.Low == "not" || strings.HasSuffix(x.Low, "n't")
		}):
			return "not yet"
		case low == "no" && (next == "decision" || next == "conclusion"):
			return low + " " + next
		case guessed(low) && next != "not" && !isMonth(t, i):
			return low
		}
	}
	return ""
}

// notDone finds what has been done in a finding, or will be, and is planned in its quote, or may be.
func notDone(m, q *side) string {
	if open(m.whole) != "" || hasAnyOf(m.whole, hedging) || hasAnyOf(m.whole, parse.Negators) {
		return ""
	}
	theirs := open(q.whole)
	if theirs == "" && hasRow(q.t, "will") && !hasRow(m.t, "will") && !hasAnyOf(q.whole, limiting) {
		theirs = "will"
	}
	if theirs == "" || m.stems[parse.Stem(theirs)] || // ordered: the order was placed
		guessed(theirs) && !hasRow(q.t, theirs) { // it was stopped: it could only have been rebuilt
		return ""
	}
	for i := range m.t {
		low, next := m.t[i].Low, m.t.At(i+1).Low
		done := participles.Has(next) || strings.HasSuffix(next, "ed") || parse.IrregularPast.Has(next) ||
			parse.IrregularForms()[next] != ""
		row := []string{low, next}
		if next == "been" {
			row = append(row, m.t.At(i+2).Low)
		}
		if done && hasRow(q.text, row...) || next == "left" { // the other one was; what is left is not done
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
	settling = parse.NewSet(`decided agreed confirmed proven proved found concluded established resolved approved
		concludes
		confirms shows showed`)
	reasons = parse.NewSet("because due owing caused cause causes reason")
	// unsettled are said of what is open if they are denied: no decision, not proven.
	unsettled = parse.NewSet(`decision conclusion agreement consensus proof confirmed decided proven prove agreed known
		settled
		clear sure conclude reason cause`)
	supposing = parse.NewSet(`looks seems seem appears suspects suspected suspect supposes believes thinks guesses
		assumes
		undecided unconfirmed unproven unclear unknown may might could possibly perhaps`)
)

// notSettled finds what has been found or decided in a finding, or has a reason, and its quote only supposes or leaves
// open.
func notSettled(m, q *side) string {
	mine := firstOf(m.t, settling)
	why := firstOf(m.t, reasons)
	if mine+why == "" || hasAnyOf(m.t, parse.Negators) || hasAnyOf(m.t, hedging) || hasAnyOf(m.t, supposing) {
		return ""
	}
	if w := firstOf(q.t, supposing); w != "" && mine != "" && !hasAnyOf(q.t, settling) && !hasRow(q.text, mine) {
		return against(mine, w)
	}
	if mine == "" {
		mine = why
	}
	for i := range q.text {
		low, before := q.text[i].Low, q.text.At(i-1).Low
		if unsettled.Has(low) && parse.Negators.Has(before) ||
			settling.Has(low) && before == "be" && q.text.At(i-2).Low == "to" ||
			low == "why" && hasAnyOf(q.text[max(0, i-4):i], parse.Negators) {
			return against(mine, before+" "+low)
		}
	}
	return ""
}
