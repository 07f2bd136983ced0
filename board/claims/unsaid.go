package claims

import (
	"slices"
	"strings"
)

// This file finds sentences of a report that tell what no evidence tells. It knows English only.

var (
	reasonWords = set("because owing caused")
	// ofReport are words with which a report speaks of itself and of what it compares; supposes are
	// those with which it proposes or supposes.
	ofReport = setOf("report")
	supposes = set(`should would could cannot can may might must shall will if whether whoever anyone
		nobody let`)
	tells = set("was were had been")
)

// unsaid returns why no evidence says anything like a statement: it tells an event, or gives a
// reason, most of whose words stand nowhere. What a report says of itself, proposes or supposes, and
// statements with figures, which are judged by these, are left out.
func (ev *Evidence) unsaid(c *Claim) string {
	t := lex(c.Text)
	if !c.English || c.Cells != nil || !strings.HasSuffix(c.Text, ".") || slices.ContainsFunc(t, func(x token) bool {
		return x.kind == numberToken || x.kind == stampToken || ofReport.has(x.low)
	}) {
		return ""
	}
	at := slices.IndexFunc(t, func(x token) bool { return reasonWords.has(x.low) })
	if all, unknown := ev.newWords(t[at+1:]); at >= 0 && all > 2 && 4*unknown >= 3*all {
		return "no finding gives this reason"
	}
	if ev.ofAll(t) {
		return "no finding says it of all"
	}
	all, unknown := ev.newWords(t)
	if all < 2 || 3*unknown < 2*all || slices.ContainsFunc(t, func(x token) bool { return supposes.has(x.low) }) ||
		t[0].low == "that" || !t.tells() || slices.ContainsFunc(c.Details, func(d Detail) bool {
		return d.isFigure() && !d.Weak
	}) {
		return ""
	}
	return "no finding says anything like it"
}

// ofAll reports whether a sentence begins with what it says of all of something, and no evidence
// about that speaks of all, or of none.
func (ev *Evidence) ofAll(t tokens) bool {
	at := slices.IndexFunc(t[:min(len(t), 3)], func(x token) bool { return x.low == "every" || x.low == "all" })
	if at < 0 || t.at(at+1).low == "of" || !t.states() {
		return false
	}
	for k := at + 1; k < min(len(t), at+4); k++ {
		if t[k].kind != wordToken || !says(t[k].low) {
			continue
		}
		for _, i := range ev.stems[stem(t[k].low)] {
			if slices.ContainsFunc(lex(ev.Claims[i].Text), func(x token) bool {
				return universals.has(x.low) || negators.has(x.low) || x.low == "any" || x.low == "only" || x.low == "both"
			}) {
				return false
			}
		}
		return len(ev.stems[stem(t[k].low)]) > 0
	}
	return false
}

// states reports whether a sentence has a verb, and supposes nothing.
func (t tokens) states() bool {
	return slices.ContainsFunc(t, func(x token) bool { return verbs.has(x.low) && !supposes.has(x.low) }) &&
		!slices.ContainsFunc(t, func(x token) bool { return supposes.has(x.low) })
}

// tells reports whether a sentence tells of what was, or what is to be.
func (t tokens) tells() bool {
	for i := range t {
		if tells.has(t[i].low) || t[i].low == "has" && t.at(i+1).low == "since" || beForms.has(t[i].low) && t.at(i+1).low == "to" {
			return true
		}
	}
	return false
}

// newWords counts the different words of a text that say something, and those that stand nowhere.
func (ev *Evidence) newWords(t tokens) (all, unknown int) {
	seen := map[string]bool{}
	for i := range t {
		if x := &t[i]; x.kind == wordToken && says(x.low) && ones[x.low] == 0 && !seen[stem(x.low)] {
			s := stem(x.low)
			seen[s] = true
			if all++; len(ev.stems[s]) == 0 {
				unknown++
			}
		}
	}
	return all, unknown
}
