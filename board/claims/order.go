package claims

import (
	"slices"
	"strings"
)

// This file finds sentences that have the words of a claim with two of them in each
// other's place: who calls whom, what comes before what.

// sequence returns the stems of a text that another one has, too, in their order. Those
// that stand twice are left out.
func sequence(t tokens, shared map[string]bool) (out []string) {
	count := map[string]int{}
	for i := range t {
		x := &t[i]
		lone := len(x.text) == 1 && x.capital() && i > 0 // sensor B
		var s string
		switch {
		case x.kind == wordToken && (says(x.low) || lone):
			s = stem(x.low)
		case x.kind == nameToken:
			s = strings.Trim(x.low, "`")
		default:
			continue
		}
		count[s]++
		if shared == nil || shared[s] {
			out = append(out, s)
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return count[s] > 1 })
}

// sense is what decides how the order of words is meant.
type sense struct{ passive, before, after, than bool }

func (t tokens) sense() (s sense) {
	for i := range t {
		switch t[i].low {
		case "by":
			s.passive = s.passive || t.passive(i)
		case "before", "then":
			s.before = true
		case "after":
			s.after = true
		case "than":
			s.than = true
		}
	}
	return s
}

var contrasts = set("; though although while but whereas and others")

// several reports whether a sentence says several things.
func (t tokens) several() bool {
	return slices.ContainsFunc(t, func(x token) bool { return contrasts.has(x.low) })
}

var beForms = set("is are was were be been being")

// passive reports whether "by" belongs to a verb in the passive: was sued by.
func (t tokens) passive(by int) bool {
	for k := by - 1; k >= max(0, by-6); k-- {
		if beForms.has(t[k].low) {
			return true
		}
	}
	return false
}

func (ev *Evidence) exchangedIn(c, e *Claim) (x, y string) {
	if !c.English || !e.English || c.Cells != nil || e.Cells != nil {
		return "", ""
	}
	mine, theirs := lex(c.Text), lex(e.Text)
	if mine.sense() != theirs.sense() || mine.several() || theirs.several() {
		return "", ""
	}
	has := func(t tokens) map[string]bool {
		m := map[string]bool{}
		for _, s := range sequence(t, nil) {
			m[s] = true
		}
		return m
	}
	a, b := sequence(mine, has(theirs)), sequence(theirs, has(mine))
	if n := float64(len(a)); len(a) != len(b) || len(a) < 3 || n < .6*float64(len(has(mine))) ||
		n < .5*float64(len(has(theirs))) {
		return "", ""
	}
	for len(a) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return blocks(a, b)
}

// blocks returns the two parts that are exchanged around the same words: X m Y, Y m X.
func blocks(a, b []string) (x, y string) {
	for i := 1; i <= 3; i++ {
		for j := 1; j <= 3; j++ {
			m := len(a) - i - j
			if m < 1 {
				continue
			}
			if slices.Equal(a[:i], b[len(b)-i:]) && slices.Equal(a[len(a)-j:], b[:j]) &&
				slices.Equal(a[i:i+m], b[j:j+m]) {
				return strings.Join(a[:i], " "), strings.Join(a[len(a)-j:], " ")
			}
		}
	}
	return "", ""
}
