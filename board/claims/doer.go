package claims

import (
	"fmt"
	"slices"
	"strings"
)

// This file finds out who a sentence says does something. It knows English only.

// doer returns the tokens of who does what a sentence says: the lender bears, is paid by the lender, is up to the
// lender. It returns nil if that is not clear.
func (t tokens) doer() (who []int) {
	for i := range t {
		low, next := t[i].low, t.at(i+1)
		if (low == "by" || low == "up" && next.low == "to") && i > 1 {
			k := i + 1
			if low == "up" {
				k++
			}
			if t.at(k).low == "the" || t.at(k).capital() {
				if who = t.noun(k, 1); len(who) > 0 && months()[t[who[0]].low] == 0 {
					return who
				}
			}
		}
	}
	if len(t) > 0 && t[0].kind != wordToken { // 6.1 of a clause
		for _, k := range t[1:].doer() {
			who = append(who, k+1)
		}
		return who
	}
	for i := range t {
		x := &t[i]
		if x.kind != wordToken || i > 5 {
			return nil
		}
		if i > 0 && (verbs.has(x.low) || t.acts(i)) {
			if beForms.has(x.low) && t.at(i+1).low != "to" {
				return nil // it does nothing
			}
			if who = t.noun(i-1, -1); i-len(who) > 1 || i-len(who) == 1 && !articles.has(t[0].low) {
				return nil
			}
			return who
		}
	}
	return nil
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

// stemsAt returns the stems of some tokens.
func (t tokens) stemsAt(at []int) (out []string) {
	for _, k := range at {
		out = append(out, stem(t[k].low))
	}
	return out
}

func (c *Claim) hasStem(s string) bool { return c.stems[s] }

// otherParty returns why a claim says of one party what a statement says of another one: the lender pays, the borrower
// bears; "" if it does not.
func (ev *Evidence) otherParty(c, e *Claim) string {
	mine, theirs := lex(c.Text), lex(e.Text)
	who, other := mine.stemsAt(mine.doer()), theirs.stemsAt(theirs.doer())
	if len(who) == 0 || len(other) == 0 || e.Cells != nil || !c.English || !e.English {
		return ""
	}
	exchanged := sharedVerb(mine, theirs) && slices.ContainsFunc(who, e.hasStem) && slices.ContainsFunc(other, c.hasStem)
	for _, w := range who {
		if slices.Contains(other, w) || (e.stems[w] || len(ev.stems[w]) == 0) && !exchanged {
			return ""
		}
	}
	if !exchanged && slices.ContainsFunc(other, c.hasStem) || ev.aliases(who, other) {
		return ""
	}
	rest, both := 0, 0
	for s := range c.stems {
		if !slices.Contains(who, s) && !slices.Contains(other, s) {
			if rest++; e.stems[s] {
				both++
			}
		}
	}
	for _, d := range c.figures() {
		if slices.ContainsFunc(e.Details, func(x Detail) bool { return d.relation(&x).Agrees() }) {
			rest, both = rest+2, both+2
		}
	}
	if both < 2 || 2*both < rest || exchanged && 4*both < 3*rest {
		return ""
	}
	return fmt.Sprintf("another party: the finding says it of “%s”, the source of “%s”",
		mine[mine.doer()[0]].text, theirs[theirs.doer()[0]].text)
}

// sharedVerb reports whether two sentences have the same verb: is to send, sends.
func sharedVerb(a, b tokens) bool {
	verb := func(t tokens) string {
		for i := range t {
			if i > 0 && says(t[i].low) && (t.acts(i) || verbs.has(t[i-1].low) || t[i-1].low == "to") {
				return stem(t[i].low)
			}
		}
		return ""
	}
	return verb(a) != "" && verb(a) == verb(b)
}

// aliases reports whether two parties may be one. They are two if they stand apart in a statement.
func (ev *Evidence) aliases(a, b []string) bool {
	one, two := ev.apposed(a, b)
	return one || !two
}

// apposed reports whether two parties stand beside each other somewhere, as what names one does,
// Orla Museum (“the borrower”), the chair, Adler, and whether they stand apart.
func (ev *Evidence) apposed(a, b []string) (beside, apart bool) {
	if len(b) == 0 {
		return false, false
	}
	for _, i := range ev.stems[b[0]] {
		e := ev.Claims[i]
		if !slices.ContainsFunc(a, e.hasStem) {
			continue
		}
		t := lex(e.Text)
		at := func(of []string) (all []int) {
			for k := range t {
				if slices.Contains(of, stem(t[k].low)) {
					all = append(all, k)
				}
			}
			return all
		}
		for _, x := range at(a) {
			for _, y := range at(b) {
				if t.apposed(min(x, y), max(x, y)) {
					return true, apart
				}
				apart = true
			}
		}
	}
	return false, apart
}

// apposed reports whether two words name one thing: nothing but names, titles and marks part them.
func (t tokens) apposed(from, to int) bool {
	for k := from + 1; k < to; k++ {
		if x := &t[k]; x.kind != markToken && !x.capital() && x.low != "the" && x.low != "a" &&
			x.low != "as" && x.low != "of" || strings.Contains(".;", x.text) {
			return false
		}
	}
	return true
}
