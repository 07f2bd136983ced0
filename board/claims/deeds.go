package claims

import (
	"fmt"
	"slices"

	"blackboard/board/claims/parse"
)

// This file finds who does what in a finding and its quote where a verb stands right beside a
// name: somebody else does it, or it is done to them. It knows English only.

// A deed is a verb beside a name: Lund proposes, asked Okoro, entered by Lund.
type deed struct {
	verb, who string // stems
	done      bool   // it is done to them
}

// deedsOf returns the deeds of a text.
func deedsOf(t parse.Tokens) (all []deed) {
	for i := range t {
		if !isWho(t, i) {
			continue
		}
		who := parse.Stem(t[i].Low)
		// After the name: its verb, behind have, had, will, then.
		k, passive := i+1, false
		for ; k < len(t) && k < i+4 && t[k].Kind == parse.WordToken && parse.Stopwords.Has(t[k].Low); k++ {
			if !standsBeside(t[k].Low) {
				k = len(t)
				break
			}
			passive = passive || parse.BeForms.Has(t[k].Low)
		}
		if k < len(t) && t[k].Kind == parse.WordToken && parse.IsContentWord(t[k].Low) && !t[k].HasCapital() {
			all = append(all, deed{verb: parse.Stem(t[k].Low), who: who, done: passive})
		}
		// Before the name, or its title.
		k = i - 1
		for k > 0 && t[k].HasCapital() && t[k].Kind == parse.WordToken || t.At(k).Low == "." || t.At(k).Low == "the" {
			k--
		}
		by := t.At(k).Low == "by"
		if by {
			k--
		}
		if k >= 1 && t[k].Kind == parse.WordToken && parse.IsContentWord(t[k].Low) && t.At(k-1).Kind == parse.WordToken {
			all = append(all, deed{verb: parse.Stem(t[k].Low), who: who, done: !by})
		}
	}
	return all
}

// standsBeside reports whether a word may stand between a name and its verb.
func standsBeside(low string) bool {
	switch low {
	case "then", "also", "later", "already", "now", "first", "again", "still", "once":
		return true
	}
	return verbs.Has(low)
}

// isWho reports whether a token is the last word of a name within a sentence.
func isWho(t parse.Tokens, i int) bool {
	x := t[i]
	return x.Kind == parse.WordToken && x.HasCapital() && len(x.Text) > 2 && !parse.Stopwords.Has(x.Low) &&
		!(t.At(i+1).HasCapital() && t.At(i+1).Kind == parse.WordToken) && !t.IsMonth(i)
}

// otherDeed returns why a text says of its people what another one says of them the other way round: A proposes and B
// decides, B proposes and A decides; A asked, and was asked.
func otherDeed(mine, theirs parse.Tokens) string {
	a, b := deedsOf(mine), deedsOf(theirs)
	for _, x := range a {
		if slices.Contains(b, x) {
			continue
		}
		for _, y := range b {
			if y.verb != x.verb {
				continue
			}
			switch {
			case y.who == x.who && y.done != x.done:
				return fmt.Sprintf("%s does in one text what is done to them in the other", called(mine, x.who))
			case y.who != x.who && y.done == x.done:
				for _, z := range a {
					if z.who == y.who && z.verb != x.verb && z.done == x.done && !slices.Contains(b, z) &&
						slices.Contains(b, deed{z.verb, x.who, z.done}) {
						return fmt.Sprintf("%s and %s stand the other way round", called(mine, x.who), called(mine, y.who))
					}
				}
			}
		}
	}
	return ""
}

// called is how a text writes a name with a stem.
func called(t parse.Tokens, stem string) string {
	return t[slices.IndexFunc(t, func(x parse.Token) bool { return x.HasCapital() && parse.Stem(x.Low) == stem })].Text
}
