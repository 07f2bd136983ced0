package claims

import (
	"fmt"
	"slices"

	"blackboard/board/claims/parse"
)

// This file finds who does what in a finding and its quote where a verb stands right beside a
// name: somebody else does it, or it is done to them. It knows English only.

// A deed is a verb beside a name: Vere proposes, asked Frostec, entered by Thale.
type deed struct {
	verb, who string // stems
	done      bool   // it is done to them, or not by them
	denied    bool
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
// decides, B proposes and A decides; A asked, and was asked; entered by A, not B.
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
						slices.Contains(b, deed{z.verb, x.who, z.done, false}) {
						return fmt.Sprintf("%s and %s stand the other way round", called(mine, x.who), called(mine, y.who))
					}
				}
			}
		}
	}
	no, nor := ruledOut(mine), ruledOut(theirs)
	for _, x := range no {
		for _, y := range nor {
			if x != y && asserted(mine, no, y) && asserted(theirs, nor, x) {
				return fmt.Sprintf("“not %s” against “not %s”", called(mine, x), called(theirs, y))
			}
		}
	}
	return ""
}

// called is how a text writes a name with a stem.
func called(t parse.Tokens, stem string) string {
	return t[slices.IndexFunc(t, func(x parse.Token) bool { return x.HasCapital() && parse.Stem(x.Low) == stem })].Text
}

// ruledOut returns the people of whom a text says that it was not them: by Thale, not by Dovrat.
func ruledOut(t parse.Tokens) (who []string) {
	for i := range t {
		k := i + 1
		if t.At(k).Low == "by" {
			k++
		}
		for t.At(k).HasCapital() && !isWho(t, k) && k < len(t) {
			k++
		}
		if (t[i].Low == "not" || t[i].Low == "never") && k < len(t) && isWho(t, k) {
			who = append(who, parse.Stem(t[k].Low))
		}
	}
	return who
}

// asserted reports whether a text names somebody, and not only to rule them out.
func asserted(t parse.Tokens, out []string, who string) bool {
	return !slices.Contains(out, who) && slices.ContainsFunc(t, func(x parse.Token) bool {
		return x.HasCapital() && parse.Stem(x.Low) == who
	})
}

// onlyDenied returns the verb of a finding, which denies nothing, that its quote has in a denial alone; "" for none:
// has accepted, you have not accepted this.
func onlyDenied(mine, theirs parse.Tokens) string {
	for i := range mine {
		low := mine[i].Low
		if low == "," || parse.ContrastWords.Has(low) {
			return ""
		}
		if refuses(low) || lacksWord(low) || slices.ContainsFunc(toMark(mine, i), func(x parse.Token) bool {
			return x.Low == "nobody" || x.Low == "nothing"
		}) {
			return ""
		}
		if mine[i].Kind != parse.WordToken || !parse.IsContentWord(low) || mine[i].HasCapital() ||
			!(perfect(mine.At(i-1).Low) && !parse.BeForms.Has(mine[i-1].Low)) && !isWho(mine, max(0, i-1)) {
			continue
		}
		stands, denied := false, false
		for k := range theirs {
			if parse.Stem(theirs[k].Low) != parse.Stem(low) {
				continue
			}
			before := theirs[max(0, k-3):k]
			no := slices.ContainsFunc(before, func(x parse.Token) bool {
				return x.Low == "not" || x.Low == "never" || x.Low == "no" || x.Low == "nobody" || len(x.Low) > 3 && x.Low[len(x.Low)-3:] == "n't"
			})
			stands, denied = stands || !no, denied || no
		}
		if denied && !stands {
			return low
		}
	}
	return ""
}

// lacksWord reports whether a word says in another way that something is not so.
func lacksWord(low string) bool {
	switch low {
	case "without", "fail", "fails", "failed", "refuse", "refuses", "refused", "lack", "lacks", "lacked", "deny", "denies", "denied",
		"reject", "rejects", "rejected", "only", "but", "except", "until", "unless", "still", "yet", "short", "missing", "open",
		"outstanding", "hardly", "barely":
		return true
	}
	return len(low) > 5 && (low[:2] == "un" || low[:2] == "in" && low[len(low)-2:] == "ed")
}
