package claims

import "slices"

// This file reads what must, may and must not be done. It knows English only.

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

func (t tokens) dutyAt(i int) duty {
	low, before := t[i].low, t.at(i-1).low
	denied := negators.has(before) || negators.has(t.at(i+1).low) || before == "be" && negators.has(t.at(i-2).low) ||
		i < 4 && t[:i].hasAny(noOneIs)
	alone := i == 0 || t.at(i-1).kind == markToken
	switch {
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
	case a == noDuty || b == noDuty || a == b, m.whole.hasAny(limiting),
		slices.ContainsFunc(q.near, func(o *side) bool { d, _ := o.t.duty(); return d == a }):
		return ""
	case a == permitted && b == forbidden, a == able && b == forbidden && alike, a == needless && b == required,
		!q.whole.hasAny(limiting) && (a == required && (b == permitted || b == needless || b == forbidden && alike) ||
			a == forbidden && (b == permitted || b == required && alike)):
		return against(m.t[i].low, q.t[k].low)
	}
	return ""
}
