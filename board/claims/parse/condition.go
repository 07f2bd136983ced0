package parse

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// This file reads under which conditions and within which bounds statements hold, whichever
// way they say it: "only after 20:00" is "nothing before 20:00", "forbidden unless she is
// there" is "possible with her alone". It knows English only.

// A condition is what a statement depends on.
type condition struct {
	sign   int             // 1: it holds above a bound or with something; -1: below or without it
	denied bool            // by words beside it, which turn its sign
	when   bool            // it is no amount: before and after may be what happened, not what may be
	modal  bool            // of what may be or must not
	loose  bool            // what it is a condition of may be good or bad: unless ten remain, it is repeated
	figure *Detail         // the bound
	stems  map[string]bool // of what else it depends on
	text   string          // as it is written
}

// ConditionSigns are the words before a condition, with its sign if nothing is denied.
var ConditionSigns = sync.OnceValue(func() map[string]int {
	m := map[string]int{}
	for _, w := range strings.Fields(`after from above over exceeding exceed exceeds exceeded beyond
		past minimum`) {
		m[w] = 1
	}
	for _, w := range strings.Fields(`before until till below under within maximum unless without
		except`) {
		m[w] = -1
	}
	return m
})

var (
	// UpwardWords say that more of something is meant, DownwardWords that less is.
	UpwardWords = NewSet("more longer later higher greater older larger further upwards onwards over above")
	// DownwardWords say that less of something is meant.
	DownwardWords = NewSet("less fewer earlier sooner lower shorter younger smaller below under")
	nobodyBut     = NewSet("none nothing nobody nowhere anything anyone one")
	// exclusive are the words of conditions that are no figures.
	exclusive = NewSet("unless without except only but than")
	allows    = NewSet("allowed permitted possible allow allows permit permits may can acceptable valid")
	forbids   = NewSet(`forbid forbids forbade refuse refuses ban bans bar bars stop stops stopped halt halts halted
		cease ceases ceased suspended`)
	// fronted are the words with which a condition may stand before what it is of.
	fronted = NewSet("after before until till unless without except only above below")
)

// readConditions returns what the statements of a text depend on.
func readConditions(text string) (all []condition) {
	t := Tokenize(text)
	for from := 0; from < len(t); {
		to := t.sentencePart(from)
		if to > from {
			all = append(all, t[:to].conditionsOf(from)...)
		}
		from = to + 1
	}
	return all
}

// sentencePart returns where the part of a sentence that begins at a token ends: at a mark, or where another subject
// follows. A denial reaches no further. A condition is parted by a comma from what it is of.
func (t Tokens) sentencePart(from int) int {
	first := fronted.Has(t[from].Low)
	for i := from; i < len(t); i++ {
		after := t.At(i + 1).Low
		switch x := &t[i]; {
		case x.Text == "," && first, x.Text == "," && fronted.Has(after),
			x.Text == "," && after == "and" && !articles.Has(t.At(i+2).Low):
			first = false
		case x.Kind == MarkToken && strings.Contains(",;:.!?—–", x.Text),
			i > from && ContrastWords.Has(x.Low) && x.Low != "and" && !nobodyBut.Has(t[i-1].Low),
			i > from && x.Low == "and" && (articles.Has(after) || after == "to" || after == "at"):
			return i
		}
	}
	return len(t)
}

// conditionsOf returns the conditions from a token on, to the end of the tokens. What is denied
// before a condition is denied with it, and what is forbidden behind it.
func (t Tokens) conditionsOf(from int) (all []condition) {
	sign, unless, modal, denied := 1, 1, false, false
	first := fronted.Has(t[from].Low) || t.At(from+1).Low == "than" // more than five cannot be claimed
	for i := from; i < len(t); i++ {
		modal = modal || allows.Has(t[i].Low) || forbids.Has(t[i].Low) || deniedBy.Has(t[i].Low) || Modals.Has(t[i].Low)
		denied = denied || t.IsDenial(i)
		if c, is := t.condition(i); is && sign < 0 && t.At(i-2).Low == "of" && t[i].Low == "than" {
			continue // not in a current of more than
		} else if is {
			c.sign, c.denied = c.sign*sign*unless, sign*unless < 0
			if all = append(all, c); t[i].Low == "unless" {
				unless = -1
			}
		} else if by := t.boundBehind(i); by != 0 {
			if d := t.figureBefore(i, from); d != nil {
				all = append(all, condition{sign: by * sign * unless, denied: sign*unless < 0, figure: d,
					text: d.Text})
			}
		} else if t.IsDenial(i) {
			sign = -sign
			for k := range all {
				if first || t.forbids(i) {
					all[k].sign, all[k].denied = -all[k].sign, !all[k].denied
				}
			}
		}
	}
	for k := range all {
		all[k].modal, all[k].loose = modal, unless < 0 && !modal && !denied
	}
	bound := slices.ContainsFunc(all, func(c condition) bool { return c.figure != nil })
	return slices.DeleteFunc(all, func(c condition) bool {
		return c.figure == nil && (bound || len(c.stems) == 0)
	})
}

// forbids reports whether a token denies that something may be.
func (t Tokens) forbids(i int) bool {
	if Negators.Has(t[i].Low) {
		return allows.Has(t.At(i + 1).Low)
	}
	return forbids.Has(t[i].Low) || BeForms.Has(t.At(i-1).Low)
}

// IsDenial reports whether a token denies what is said with it: not, never, refuses. "not only" and "nothing but" deny
// nothing.
func (t Tokens) IsDenial(i int) bool {
	low := strings.ReplaceAll(t[i].Low, "’", "'")
	switch {
	case t[i].Kind != WordToken, low == "not" && t.At(i+1).Low == "only",
		nobodyBut.Has(low) && t.At(i+1).Low == "but", low == "no" && t.At(i+2).Low == "but":
		return false
	}
	if low == "missing" && t.At(i+1).Low == "it" || low == "free" && t.At(i+1).Low != "of" {
		return false // missing it costs a fee; free chlorine
	}
	waits := strings.HasPrefix(low, "wait") && t.At(i+1).Low == "for"
	return Negators.Has(low) && !needTo.Has(low) && !waits || forbids.Has(low) ||
		deniedBy.Has(low) && low != "off" && t.At(i+1).Low != "under" && t.At(i+1).Low != "below" // dropped under
}

// condition reads a condition that begins at a token.
func (t Tokens) condition(i int) (c condition, is bool) {
	low := t[i].Low
	c.sign = ConditionSigns()[low]
	switch b := t.At(i - 1).Low; {
	case low == "than" && UpwardWords.Has(b), low == "at" && t.At(i+1).Low == "least":
		c.sign = 1
	case low == "than" && DownwardWords.Has(b), low == "at" && t.At(i+1).Low == "most",
		low == "up" && t.At(i+1).Low == "to" && !amounts.Has(Stem(b)), low == "other" && t.At(i+1).Low == "than":
		c.sign = -1
	case low == "but" && nobodyBut.Has(b), low == "only" && t.At(i+1).Kind == WordToken &&
		ConditionSigns()[t.At(i+1).Low] == 0:
		c.sign = 1
	}
	if c.sign == 0 || t[i].Kind != WordToken {
		return c, false
	}
	if c.figure = t.figureFrom(i + 1); c.figure != nil {
		if c.text = low + " " + c.figure.Text; low == "than" {
			c.text = t[i-1].Low + " " + c.text
		} else if low == "at" {
			c.text = low + " " + t[i+1].Low + " " + c.figure.Text
		}
		c.when = TimeOrderWords.Has(low)
		return c, low != "from" || c.figure.T != nil && c.figure.T.Clock >= 0
	}
	never := (low == "before" || low == "until") && t.At(i-1).Low == "not"
	if !never && !exclusive.Has(low) || low == "than" && t.At(i-1).Low != "other" {
		return c, false
	}
	c.stems, c.text = map[string]bool{}, low
	for k := i + 1; k < len(t) && k < i+10 && len(c.stems) < 4 && t[k].Kind == WordToken &&
		ConditionSigns()[t[k].Low] == 0 && (k == i+1 || !Modals.Has(t[k].Low) && !BeForms.Has(t[k].Low)); k++ {
		if c.text += " " + t[k].Text; IsContentWord(t[k].Low) {
			c.stems[Stem(t[k].Low)] = true
		}
	}
	return c, true
}

var amounts = StemSet("add come run sum round")

var (
	// TimeOrderWords say what comes before what.
	TimeOrderWords = NewSet("after from before until till")
	// Modals say that something may, can or must be.
	Modals = NewSet("may can must will shall should")
)

// figureFrom returns the first figure that begins at one of four tokens from i on, before any mark; nil if there is
// none.
func (t Tokens) figureFrom(i int) *Detail {
	c := &Claim{}
	for k := i; k < min(i+4, len(t)) && t[k].Kind != MarkToken; k++ {
		if d, end, is := c.ReadDetail(t, k); is && d.IsFigure() {
			d.Text = t.Text(k, end)
			return &d
		}
	}
	return nil
}

// Text returns some tokens as they are written, with blanks between them.
func (t Tokens) Text(from, to int) string {
	var words []string
	for k := from; k < min(to, len(t)); k++ {
		words = append(words, t[k].Text)
	}
	return strings.Join(words, " ")
}

// boundBehind returns the sign of a bound that stands behind its figure: two hours and no more, 12 July at the
// earliest; 0 if there is none.
func (t Tokens) boundBehind(i int) int {
	next := t.At(i + 1).Low
	switch low := t[i].Low; {
	case low == "no" && (t.At(i-1).Low == "and" || t.At(i-1).Low == "but") && t.At(i+2).Low != "than":
		return -OrderSign(next)
	case low == "or" && t.At(i-1).Kind == WordToken:
		return OrderSign(next)
	case low == "the" && t.At(i-1).Low == "at":
		return map[string]int{"earliest": 1, "latest": -1, "least": 1, "most": -1}[next]
	case low == "at" && (next == "least" || next == "most") && t.figureFrom(i+2) == nil:
		return map[string]int{"least": 1, "most": -1}[next]
	}
	return 0
}

// OrderSign is 1 for more, -1 for less, and 0 for another word.
func OrderSign(low string) int {
	return map[bool]int{true: 1}[UpwardWords.Has(low)] - map[bool]int{true: 1}[DownwardWords.Has(low)]
}

// figureBefore returns the nearest figure among the eight tokens before i, but not before from; nil if there is none.
func (t Tokens) figureBefore(i, from int) (best *Detail) {
	c, end := &Claim{}, 0
	for k := i - 1; k >= max(from, i-8); k-- {
		d, to, is := c.ReadDetail(t, k)
		if is && d.IsFigure() && to <= i && (best == nil || to >= end) {
			d.Text, end = t.Text(k, to), to
			best = &d
		}
	}
	return best
}

// sameAs reports whether two conditions are of one thing.
func (c *condition) sameAs(o *condition) bool {
	if c.figure != nil && o.figure != nil {
		r := c.figure.Relate(o.figure)
		return r.Agrees() || r == OtherBound
	}
	if c.figure != nil || o.figure != nil {
		return false
	}
	both := 0
	for s := range c.stems {
		if o.stems[s] {
			both++
		}
	}
	return both > 0 && 2*both > min(len(c.stems), len(o.stems)) && 2*both >= max(len(c.stems), len(o.stems))
}

// CompareConditions compares the conditions of two statements. same: one of them is the same in both because a denial
// and an opposite word cancel out, "not before" and "after". If no condition is the same, why says which are opposite;
// else it is "".
func (c *Claim) CompareConditions(e *Claim) (same bool, why string) {
	equal := false
	if !c.English || !e.English || e.Cells != nil {
		return false, ""
	}
	mine, theirs := c.conditions(), e.conditions()
	for i := range mine {
		for k := range theirs {
			switch a, b := &mine[i], &theirs[k]; {
			case !a.sameAs(b):
			case a.sign == b.sign && a.denied != b.denied:
				same = true
			case a.sign == b.sign:
				equal = true
			case c.Tokens().goesOnBeyond(Bound(-a.sign)) || e.Tokens().goesOnBeyond(Bound(-b.sign)):
				equal = true // up to a tenth, and more than that
			case !a.loose && !b.loose && (a.denied == b.denied || !a.when || a.modal && b.modal):
				why = fmt.Sprintf("“%s” against “%s”", a.text, b.text)
			}
		}
	}
	if same || equal {
		return same, ""
	}
	return false, why
}

// SharesCondition reports whether one of some statements has a condition of a claim with the same sign, if that is no
// bound: "that is possible only if she is there".
func (c *Claim) SharesCondition(all []*Claim) bool {
	return slices.ContainsFunc(all, func(e *Claim) bool {
		return e.Cells == nil && slices.ContainsFunc(c.conditions(), func(a condition) bool {
			return len(a.stems) > 1 && slices.ContainsFunc(e.conditions(), func(b condition) bool {
				return len(b.stems) > 1 && a.sign == b.sign && a.sameAs(&b)
			})
		})
	})
}

// conditions returns what a claim depends on.
func (c *Claim) conditions() []condition {
	if !c.bounded {
		c.bounded, c.bounds = true, readConditions(c.Text)
	}
	return c.bounds
}

// IsConditional reports whether a finding or its quote holds under a condition: not until two have tried
// it, only after two have. A denial turns with it.
func IsConditional(finding *Claim, around []*Claim) bool {
	return len(finding.conditions()) > 0 || slices.ContainsFunc(around, func(e *Claim) bool {
		return len(e.conditions()) > 0
	})
}

// HasConditionWord reports whether a statement has a word that begins a condition (see fronted): before, after, unless,
// without.
func (c *Claim) HasConditionWord() bool {
	return slices.ContainsFunc(c.Tokens(), func(t Token) bool { return fronted.Has(t.Low) })
}
