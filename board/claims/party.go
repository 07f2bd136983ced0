package claims

import "strings"

// This file reads who gives a figure: the lease says, the letter says.

var saying = set(`say says said state states stated report reports reported claim claims claimed tell
	tells told write writes wrote speak speaks spoke name names named put puts record records recorded`)

// nounsOfSaying are those of saying that are nouns as well.
var nounsOfSaying = set("report record claim name state")

// sayer returns the stems of who gives the figure at a token: according to the lease, the
// letter says; nil if nobody is named before it.
func (t tokens) sayer(at int) []string {
	for k := min(at, len(t)) - 1; k >= 0; k-- {
		switch x := &t[k]; {
		case x.kind == markToken && strings.Contains(";.:", x.text):
			return nil
		case x.low == "according" && t.at(k+1).low == "to":
			return t.party(k+2, 1)
		case x.kind == wordToken && saying.has(x.low) && !articles.has(t.at(k-1).low) &&
			!(nounsOfSaying.has(x.low) && t.at(k+1).low == "of"): // a record field, its service report of May
			if beForms.has(t.at(k - 1).low) {
				return nil // they were told
			}
			return t.party(k-1, -1)
		}
	}
	return nil
}

// sayers returns the stems of all who are named before a token as saying something, up to a mark.
func (t tokens) sayers(at int) (all []string) {
	for k := min(at, len(t)) - 1; k >= 0 && t[k].kind != markToken; k-- {
		if t[k].kind == wordToken && saying.has(t[k].low) {
			all = append(all, t.party(k-1, -1)...)
		}
	}
	return all
}

// party returns the stems of a noun with its article, from a token on in one direction.
func (t tokens) party(k, step int) (who []string) {
	if step < 0 {
		k = t.beforeDate(k)
	}
	if t.at(k).low == "the" {
		k += step
	}
	for ; k >= 0 && k < len(t) && t[k].kind == wordToken && t[k].low != "the" && len(who) < 5; k += step {
		if breaks.has(t[k].low) {
			break
		}
		if !empty.has(t[k].low) {
			who = append(who, stem(t[k].low))
		}
	}
	return who
}

// beforeDate returns the token before a date that ends at one: the letter of 9 August.
func (t tokens) beforeDate(k int) int {
	j := k
	for j >= 0 && (t[j].kind == numberToken || months()[t[j].low] != 0) {
		j--
	}
	if w := t.at(j).low; j == k || w != "of" && w != "from" && w != "dated" {
		return k
	}
	return j - 1
}
