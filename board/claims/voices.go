package claims

import (
	"fmt"
	"slices"

	"blackboard/board/claims/parse"
)

// This file finds a figure that a report has from somebody else, while who gives it in the finding gives another one
// there: the register has 14:20, and the report "14:20 according to Norland, 9:30 according to the register".

// otherVoice returns why a window gives a figure of a claim to somebody else; "" if it does not. It looks at what
// stands between two marks.
func (ev *Evidence) otherVoice(c *parse.Claim, w *Window) string {
	figures, told := figuresOf(c), false
	for _, e := range w.Claims {
		if e.Cells != nil || !e.English {
			return ""
		}
		told = told || slices.ContainsFunc(e.Tokens(), gives)
	}
	if !c.English || len(figures) == 0 || !told {
		return ""
	}
	giver := ev.giver(c)
	given := func(x parse.Token) bool { return giver[parse.Stem(x.Low)] }
	var with, without []*parse.Claim // the pieces that name the giver, and those that name somebody else
	for _, e := range w.Claims {
		for t := e.Tokens(); len(t) > 0; {
			end := pieceEnd(t)
			if piece := t[:end]; len(piece) > 0 {
				p := parse.ExtractText(piece.Text(0, len(piece)), "")
				if slices.ContainsFunc(piece, given) {
					with = append(with, p)
				} else if slices.ContainsFunc(piece, gives) || namesOther(p, c) {
					without = append(without, p)
				}
			}
			t = t[min(len(t), end+1):]
		}
	}
	for _, d := range figures {
		agrees := func(p *parse.Claim) bool {
			return slices.ContainsFunc(figuresOf(p), func(x *parse.Detail) bool { return d.Relate(x).Agrees() })
		}
		if d.Weak || slices.ContainsFunc(with, agrees) || !slices.ContainsFunc(without, agrees) {
			continue
		}
		for _, p := range with {
			for _, x := range figuresOf(p) {
				if (d.Relate(x) == parse.OtherValue && sameKind(d, x) || d.Q != nil && x.Q != nil && mayExchange(d.Q, x.Q)) &&
					!slices.ContainsFunc(figures, func(o *parse.Detail) bool { return o.Relate(x).Agrees() }) {
					return fmt.Sprintf("somebody else says %s, and who says so in the finding %s", d.Text, x.Text)
				}
			}
		}
	}
	return ""
}

// pieceEnd returns the first mark, or word such as while, of some tokens.
func pieceEnd(t parse.Tokens) int {
	for i := range t {
		if t[i].Kind == parse.MarkToken && (i+1 == len(t) || !t[i+1].Glued) || i > 0 && parse.ContrastWords.Has(t[i].Low) {
			return i
		}
	}
	return len(t)
}

// giver returns the stems of who gives the figures of a claim: the names in it, and the words that it begins with.
func (ev *Evidence) giver(c *parse.Claim) map[string]bool {
	of := map[string]bool{}
	for i, x := range c.Tokens() {
		if i > 5 || gives(x) || x.Kind != parse.WordToken || verbs.Has(x.Low) || x.Low == "the" && len(of) > 0 {
			break
		}
		if parse.IsContentWord(x.Low) {
			of[parse.Stem(x.Low)] = true
		}
	}
	for _, d := range figuresOf(c) {
		for _, s := range c.Tokens().Speaker(d.FirstToken) {
			of[s] = true
		}
	}
	for k := range c.Details {
		if d := &c.Details[k]; d.Kind == parse.Name && ev.isProper(d) {
			for _, w := range d.Words {
				of[parse.Stem(w)] = true
			}
		}
	}
	return of
}

// gives reports whether a word says that somebody says something.
func gives(x parse.Token) bool {
	switch x.Low {
	case "according", "says", "said", "speaks", "spoke", "reports", "reported", "gives", "gave", "noted", "notes", "puts", "told",
		"states", "stated", "reckons", "claims", "writes", "wrote":
		return true
	}
	return false
}

// namesOther reports whether a text names somebody whom another one does not.
func namesOther(p, c *parse.Claim) bool {
	return slices.ContainsFunc(p.Details, func(d parse.Detail) bool {
		return d.Kind == parse.Name && !hasAnyWord(c, &d)
	})
}
