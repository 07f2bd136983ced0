package parse

import (
	"slices"
	"strings"
)

// This file reads what the clauses of a claim deny. It knows English only.

// A Denial is a word that denies something in a clause.
type Denial struct {
	Word   string
	Clause int
	Focus  []string // the stems of what it denies
}

var (
	// Negators are the words that deny what follows them.
	Negators = TableSet("negators")
	deniedBy = TableSet("denied")
	// Prepositions end what "no" and "without" deny.
	Prepositions = NewSet("of in on at for from by with during after before")
	nounNegators = NewSet("no without lack lacks lacked 0")
	// beforeOff are the words with which off is a state.
	beforeOff = NewSet("switched turned is was are were stayed stays left kept be been to")
	needTo    = NewSet("fails failed refuses refused declined")
)

// Unprefixed takes a negative prefix off: unencrypted is encrypted, denied.
func Unprefixed(low string) (string, bool) {
	for _, p := range []string{"un", "non"} {
		rest, ok := strings.CutPrefix(low, p)
		if ok && (len(rest) > 4 && !strings.HasPrefix(low, "under") &&
			(strings.HasSuffix(rest, "ed") || strings.HasSuffix(rest, "ble")) || p == "un" && IrregularPast.Has(rest)) {
			return rest, true // also unpaid, unsold
		}
	}
	return low, false
}

// deny collects the denials of a text, and marks what is only ruled out: "three days rather
// than the 30 that the team assumed".
func (c *Claim) deny(r *reading) {
	t := r.t
	for i := range t {
		if t[i].Text != "0" && (t[i].Kind != WordToken || !t[i].has(mayDeny)) {
			continue
		}
		low := strings.ReplaceAll(t[i].Low, "’", "'")
		next := t.At(i + 1).Low
		switch {
		case low == "rather" && next == "than", low == "instead" && next == "of",
			low == "not" && (t.At(i-1).Text == "," && t.At(i+1).Kind == NumberToken || // 200, not 250
				t.Day(i-1) > 0 && reOrdinal.MatchString(next)): // on the 22nd not 21st
			for k := i; k < len(t) && r.scope[k] == r.scope[i] && k < i+8; k++ {
				r.aside[k] = true
			}
		case limits(t, i, low, next):
		case needTo.Has(low) && next != "to", low == "free" && next != "of", low == "missing" &&
			(next == "to" || next == "it" || next == "them" || next == "this"), // missing it costs a fee
			strings.HasPrefix(low, "wait") && (t.At(i+1).Kind == NumberToken ||
				next == "for" && t.At(i+2).Kind == NumberToken),
			low == "without" && t.At(i-1).Kind == MarkToken && t.supposes(): // without it the mean would rise
		case Negators.Has(low), t[i].Text == "0" && t.At(i+1).Kind == WordToken && units()[next].dim == "":
			c.denyAfter(r, i)
		case deniedBy.Has(low) && (low != "off" || beforeOff.Has(t.At(i-1).Low)):
			c.denyBeside(r, i)
		default:
			if w, un := Unprefixed(low); un {
				c.Denials = append(c.Denials, Denial{t[i].Text, r.clause[i], []string{Stem(w)}})
			}
		}
	}
}

// denies reports whether a word may be one that deny reads.
func denies(low string) bool {
	low = strings.ReplaceAll(low, "’", "'")
	_, un := Unprefixed(low)
	return un || Negators.Has(low) || deniedBy.Has(low) || needTo.Has(low) || strings.HasPrefix(low, "wait") ||
		slices.Contains([]string{"rather", "instead", "not", "no", "never", "free", "missing", "without"}, low)
}

// supposes reports whether a sentence says what would be, not what is.
func (t Tokens) supposes() bool {
	return slices.ContainsFunc(t, func(x Token) bool { return x.Low == "would" || x.Low == "could" })
}

// limits reports whether a negator makes a bound, not a denial: no more than.
func limits(t Tokens, i int, low, next string) bool {
	switch {
	case low == "no" && (next == "." || t.At(i+1).tied || t.At(i+1).Kind == NumberToken), // no-go
		low == "not" && (next == "only" || next == "just" || next == "merely"):
		return true
	case low == "no" || low == "not" || low == "never":
		return t.At(i+2).Low == "than" || next == "later" || next == "more" || next == "exceed" ||
			next == "before"
	}
	return Negators.Has(low) && next == "exceed"
}

// focus collects up to n stems that say something, from a token on in one direction, and returns them with the token of
// the first. What "no" and "without" deny ends at a preposition.
func (r *reading) focus(k, step, n int, within []int) (out []string, first int) {
	at := k - step
	noun := step > 0 && nounNegators.Has(r.t[at].Low)
	for ; k >= 0 && k < len(r.t) && within[k] == within[at] && len(out) < n; k += step {
		x := &r.t[k]
		if len(out) > 0 && noun && Prepositions.Has(x.Low) {
			break
		}
		if x.Kind == WordToken && !x.has(isEmpty) {
			if len(out) == 0 {
				first = k
			}
			w, _ := Unprefixed(x.Low)
			out = append(out, Stem(w))
		}
	}
	return out, first
}

// denyAfter adds what a negator denies: what follows it, else what stands before it.
func (c *Claim) denyAfter(r *reading, i int) {
	t := r.t
	d := Denial{t[i].Text, r.clause[i], nil}
	var at int
	d.Focus, at = r.focus(i+1, 1, 3, r.scope)
	switch {
	case len(d.Focus) == 0:
		d.Focus, _ = r.focus(i-1, -1, 2, r.scope)
		for k := i + 1; len(d.Focus) == 0 && k < len(t) && r.scope[k] == r.scope[i]; k++ {
			d.Clause = r.clause[k] // not after 25 minutes
		}
	case !slices.ContainsFunc(t[i:at], func(x Token) bool {
		return x.Kind == WordToken && !x.has(isEmpty) && !Negators.Has(x.Low)
	}):
		d.Clause = r.clause[at] // none of which failed
	}
	c.Denials = append(c.Denials, d)
	for k := i + 1; k < len(t) && r.scope[k] == r.scope[i]; k++ { // not A or B
		if (t[k].Low == "or" || t[k].Low == "nor") && r.clause[k] != r.clause[i] {
			f, _ := r.focus(k+1, 1, 2, r.clause)
			c.Denials = append(c.Denials, Denial{t[i].Text, r.clause[k], f})
		}
	}
}

// denyBeside adds what a word such as skipped denies: the noun after it, else what stands
// before it.
func (c *Claim) denyBeside(r *reading, i int) {
	t := r.t
	if x := t.At(i + 1); x.Kind == WordToken && !x.has(isEmpty) && !breaks.Has(x.Low) { // the missing check
		f, _ := r.focus(i+1, 1, 2, r.clause)
		c.Denials = append(c.Denials, Denial{t[i].Text, r.clause[i], f})
		return
	}
	f, _ := r.focus(i-1, -1, 3, r.clause)
	c.Denials = append(c.Denials, Denial{t[i].Text, r.clause[i], f})
}
