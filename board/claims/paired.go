package claims

import (
	"fmt"
	"slices"
	"strings"

	"blackboard/board/claims/parse"
)

// This file finds figures that a text gives each to the other one's owner: "oak 37, steel 18", told as 37 of steel and
// 18 of oak; April 735 and May 610, of the columns April and May with 610 and 735.

// An anchor is a word or number that stands once in each of two texts, with its places.
type anchor struct {
	text        string
	mine, their int
}

// anchorsOf returns the anchors of two texts in the order of the first.
func anchorsOf(mine, theirs parse.Tokens) (all []anchor) {
	there := onlyPlaces(theirs)
	here := onlyPlaces(mine)
	for i := range mine {
		key := anchorKey(mine, i)
		if k, has := there[key]; has && key != "" && here[key] == i && k >= 0 {
			all = append(all, anchor{mine[i].Text, i, k})
		}
	}
	return all
}

// hasDigits reports whether a text has a number in other units, or none, that is written as a figure of a claim.
func hasDigits(t parse.Tokens, d *parse.Detail) bool {
	return d.Q != nil && slices.ContainsFunc(parse.Tokenize(d.Text), func(x parse.Token) bool {
		return x.Kind == parse.NumberToken && len(x.Text) > 3 && slices.ContainsFunc(t, func(o parse.Token) bool {
			return o.Kind == parse.NumberToken && digitsOf(o) == digitsOf(x)
		})
	})
}

// onlyPlaces returns where each key stands, -1 for those that stand twice.
func onlyPlaces(t parse.Tokens) map[string]int {
	at := map[string]int{}
	for i := range t {
		if key := anchorKey(t, i); key != "" {
			if _, twice := at[key]; twice {
				at[key] = -1
			} else {
				at[key] = i
			}
		}
	}
	return at
}

// anchorKey is by what a token is found in another text: a number by its digits, a word by its stem; "" for one that
// says little.
func anchorKey(t parse.Tokens, i int) string {
	if t[i].Kind == parse.NumberToken {
		return digitsOf(t[i])
	}
	if t.IsMonth(i) {
		return t[i].Low
	}
	return sayingStem(t, i)
}

// digitsOf returns a number as it is found in another text: 1388 of 1,388, .5 of .50.
func digitsOf(x parse.Token) string {
	n := strings.ReplaceAll(x.Text, ",", "")
	if strings.Contains(n, ".") {
		n = strings.TrimRight(strings.TrimRight(n, "0"), ".")
	}
	return n
}

// pairing tells to which of two labels a text gives the first of two figures: 1 to the first, 2 to the second, 0 if it is
// not plain. The four stand at places of one text, a label in the sentence of its figure; in cells, two headers may
// come before two figures.
func pairing(t parse.Tokens, a, b, x, y int, cells bool) int {
	swap := 1
	if a > b {
		a, b, swap = b, a, 3-swap
	}
	if x > y {
		x, y, swap = y, x, 3-swap
	}
	alternate := a < x && x < b && b < y || x < a && a < y && y < b
	if alternate && inSentence(t, a, x) && inSentence(t, b, y) || cells && b < x {
		return swap
	}
	return 0
}

// inSentence reports whether no sentence ends between two places.
func inSentence(t parse.Tokens, i, k int) bool {
	return !slices.ContainsFunc(t[min(i, k):max(i, k)], func(x parse.Token) bool { return x.Text == "." })
}

// exchangedFigures returns why a claim exchanges two figures of a text; "" if it does not: some labels have them the
// other way round, and none has either as it is.
func exchangedFigures(c *parse.Claim, theirs parse.Tokens, cells bool) string {
	of, t := map[int]*parse.Detail{}, c.Tokens()
	for k := range c.Details {
		if d := &c.Details[k]; d.Kind == parse.Number && !d.Q.Ref {
			at := d.FirstToken
			for at < d.FirstToken+2 && t.At(at).Kind != parse.NumberToken { // EUR 300
				at++
			}
			of[at] = d
		}
	}
	all := anchorsOf(t, theirs)
	agree, exchanged := map[int]bool{}, [][2]anchor(nil)
	for i, x := range all {
		for _, y := range all[i+1:] {
			if of[x.mine] == nil || of[y.mine] == nil || !mayExchange(of[x.mine].Q, of[y.mine].Q) {
				continue
			}
			crossed, straight := 0, 0
			for k, a := range all {
				for _, b := range all[k+1:] {
					if of[a.mine] != nil || of[b.mine] != nil {
						continue
					}
					p, q := pairing(t, a.mine, b.mine, x.mine, y.mine, false),
						pairing(theirs, a.their, b.their, x.their, y.their, cells)
					if p != 0 && p == q {
						straight++
					} else if p != 0 && q != 0 {
						crossed++
					}
				}
			}
			if straight > 0 {
				agree[x.mine], agree[y.mine] = true, true
			} else if crossed > 0 {
				exchanged = append(exchanged, [2]anchor{x, y})
			}
		}
	}
	for _, p := range exchanged {
		if !agree[p[0].mine] && !agree[p[1].mine] {
			return fmt.Sprintf("%s and %s stand the other way round", p[0].text, p[1].text)
		}
	}
	return ""
}

// mayExchange reports whether two quantities may be of one kind: the second often goes without its unit.
func mayExchange(q, o *parse.Quantity) bool {
	bare := func(q *parse.Quantity) bool { return q.Dim == "" && len(q.Noun) == 0 }
	return q.Dim == o.Dim || bare(q) || bare(o)
}
