package parse

import "strings"

// This file reads who gives a figure: the lease says, the letter says.

var saying = NewSet(`say says said state states stated report reports reported claim claims claimed tell
	tells told write writes wrote speak speaks spoke name names named put puts record records recorded`)

// Speaker returns the stems of who gives the figure at a token: according to the lease, the
// letter says; nil if nobody is named before it.
func (t Tokens) Speaker(at int) []string {
	for k := min(at, len(t)) - 1; k >= 0; k-- {
		switch x := &t[k]; {
		case x.Kind == MarkToken && strings.Contains(";.:", x.Text):
			return nil
		case x.Low == "according" && t.At(k+1).Low == "to":
			return t.party(k+2, 1)
		case t.At(k+1).Low == "of" && (x.Low == "report" || x.Low == "record" || x.Low == "claim"):
			// its service report of May
		case x.Kind == WordToken && saying.Has(x.Low) && !articles.Has(t.At(k-1).Low): // a record field
			if BeForms.Has(t.At(k - 1).Low) {
				return nil // they were told
			}
			return t.party(k-1, -1)
		}
	}
	return nil
}

// party returns the stems of a noun with its article, from a token on in one direction.
func (t Tokens) party(k, step int) (who []string) {
	if step < 0 {
		k = t.beforeDate(k)
	}
	if t.At(k).Low == "the" {
		k += step
	}
	for ; k >= 0 && k < len(t) && t[k].Kind == WordToken && t[k].Low != "the" && len(who) < 5; k += step {
		if breaks.Has(t[k].Low) {
			break
		}
		if !t[k].has(isEmpty) {
			who = append(who, Stem(t[k].Low))
		}
	}
	return who
}

// beforeDate returns the token before a date that ends at one: the letter of 9 August.
func (t Tokens) beforeDate(k int) int {
	j := k
	for j >= 0 && (t[j].Kind == NumberToken || months()[t[j].Low] != 0) {
		j--
	}
	if w := t.At(j).Low; j == k || w != "of" && w != "from" && w != "dated" {
		return k
	}
	return j - 1
}
