package claims

import (
	"slices"
	"strings"
)

// This file reads what the clauses of a claim deny. It knows English only.

// A denial is a word that denies something in a clause.
type denial struct {
	word   string
	clause int
	focus  []string // the stems of what it denies
}

var (
	negators     = setOf("negators")
	deniedBy     = setOf("denied")
	prepositions = set("of in on at for from by with during after before")
	nounNegators = set("no without lack lacks lacked 0")
	// beforeOff are the words with which off is a state.
	beforeOff = set("switched turned is was are were stayed stays left kept be been to")
	needTo    = set("fails failed refuses refused declined")
)

// unprefixed takes a negative prefix off: unencrypted is encrypted, denied.
func unprefixed(low string) (string, bool) {
	for _, p := range []string{"un", "non"} {
		rest, ok := strings.CutPrefix(low, p)
		if ok && (len(rest) > 4 && !strings.HasPrefix(low, "under") &&
			(strings.HasSuffix(rest, "ed") || strings.HasSuffix(rest, "ble")) || p == "un" && irregular.has(rest)) {
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
		if t[i].text != "0" && (t[i].kind != wordToken || !t[i].has(mayDeny)) {
			continue
		}
		low := strings.ReplaceAll(t[i].low, "’", "'")
		next := t.at(i + 1).low
		switch {
		case low == "rather" && next == "than", low == "instead" && next == "of",
			low == "not" && (t.at(i-1).text == "," && t.at(i+1).kind == numberToken || // 200, not 250
				t.day(i-1) > 0 && reOrdinal.MatchString(next)): // on the 22nd not 21st
			for k := i; k < len(t) && r.scope[k] == r.scope[i] && k < i+8; k++ {
				r.aside[k] = true
			}
		case limits(t, i, low, next):
		case needTo.has(low) && next != "to", low == "free" && next != "of", low == "missing" && (next == "to" || next == "it" || next == "them" || next == "this"), // missing it costs a fee
			strings.HasPrefix(low, "wait") && (t.at(i+1).kind == numberToken ||
				next == "for" && t.at(i+2).kind == numberToken),
			low == "without" && t.at(i-1).kind == markToken && t.supposes(): // without it the mean would rise
		case negators.has(low), t[i].text == "0" && t.at(i+1).kind == wordToken && units()[next].dim == "":
			c.denyAfter(r, i)
		case deniedBy.has(low) && (low != "off" || beforeOff.has(t.at(i-1).low)):
			c.denyBeside(r, i)
		default:
			if w, un := unprefixed(low); un {
				c.denials = append(c.denials, denial{t[i].text, r.clause[i], []string{stem(w)}})
			}
		}
	}
}

// denies reports whether a word may be one that deny reads.
func denies(low string) bool {
	low = strings.ReplaceAll(low, "’", "'")
	_, un := unprefixed(low)
	return un || negators.has(low) || deniedBy.has(low) || needTo.has(low) || strings.HasPrefix(low, "wait") ||
		slices.Contains([]string{"rather", "instead", "not", "no", "never", "free", "missing", "without"}, low)
}

// supposes reports whether a sentence says what would be, not what is.
func (t tokens) supposes() bool {
	return slices.ContainsFunc(t, func(x token) bool { return x.low == "would" || x.low == "could" })
}

// limits reports whether a negator makes a bound, not a denial: no more than.
func limits(t tokens, i int, low, next string) bool {
	switch {
	case low == "no" && (next == "." || t.at(i+1).tied || t.at(i+1).kind == numberToken), // no-go
		low == "not" && (next == "only" || next == "just" || next == "merely"):
		return true
	case low == "no" || low == "not" || low == "never":
		return t.at(i+2).low == "than" || next == "later" || next == "more" || next == "exceed" ||
			next == "before"
	}
	return negators.has(low) && next == "exceed"
}

// focus collects up to n stems that say something, from a token on in one direction, and returns them with the token of
// the first. What "no" and "without" deny ends at a preposition.
func (r *reading) focus(k, step, n int, within []int) (out []string, first int) {
	at := k - step
	noun := step > 0 && nounNegators.has(r.t[at].low)
	for ; k >= 0 && k < len(r.t) && within[k] == within[at] && len(out) < n; k += step {
		x := &r.t[k]
		if len(out) > 0 && noun && prepositions.has(x.low) {
			break
		}
		if x.kind == wordToken && !empty.has(x.low) {
			if len(out) == 0 {
				first = k
			}
			w, _ := unprefixed(x.low)
			out = append(out, stem(w))
		}
	}
	return out, first
}

// denyAfter adds what a negator denies: what follows it, else what stands before it.
func (c *Claim) denyAfter(r *reading, i int) {
	t := r.t
	d := denial{t[i].text, r.clause[i], nil}
	var at int
	d.focus, at = r.focus(i+1, 1, 3, r.scope)
	switch {
	case len(d.focus) == 0:
		d.focus, _ = r.focus(i-1, -1, 2, r.scope)
		for k := i + 1; len(d.focus) == 0 && k < len(t) && r.scope[k] == r.scope[i]; k++ {
			d.clause = r.clause[k] // not after 25 minutes
		}
	case !slices.ContainsFunc(t[i:at], func(x token) bool {
		return x.kind == wordToken && !empty.has(x.low) && !negators.has(x.low)
	}):
		d.clause = r.clause[at] // none of which failed
	}
	c.denials = append(c.denials, d)
	for k := i + 1; k < len(t) && r.scope[k] == r.scope[i]; k++ { // not A or B
		if (t[k].low == "or" || t[k].low == "nor") && r.clause[k] != r.clause[i] {
			f, _ := r.focus(k+1, 1, 2, r.clause)
			c.denials = append(c.denials, denial{t[i].text, r.clause[k], f})
		}
	}
}

// denyBeside adds what a word such as skipped denies: the noun after it, else what stands
// before it.
func (c *Claim) denyBeside(r *reading, i int) {
	t := r.t
	if x := t.at(i + 1); x.kind == wordToken && !empty.has(x.low) && !breaks.has(x.low) { // the missing check
		f, _ := r.focus(i+1, 1, 2, r.clause)
		c.denials = append(c.denials, denial{t[i].text, r.clause[i], f})
		return
	}
	f, _ := r.focus(i-1, -1, 3, r.clause)
	c.denials = append(c.denials, denial{t[i].text, r.clause[i], f})
}
