package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"blackboard/board/claims/parse"
)

// This file finds what a quote says otherwise than a finding, although the source has it somewhere: the finding
// has another figure or name in the place of one of the quote. What is worked out from the quote is none.

// replaced returns why a quote contradicts a figure of a finding, wherever else the source has that figure: the quote
// says much the same, more than any place that has the figure, and has other ones of its kind.
func (q *quotation) replaced(d *parse.Detail) string {
	if len(q.around) == 0 || d.Level || d.Named || !strings.Contains(q.text, " ") || quotes(q.text, d.Text) {
		// what the values of a line are, it does not say, nor does it replace its own
		return ""
	}
	var rivals []*parse.Detail
	for _, x := range q.near(d) {
		switch rel := d.Relate(x); {
		case rel.Agrees(), rel == parse.Coarser:
			return ""
		case rel == parse.OtherValue && !x.Denied && !x.Level && !x.Named && q.rivals(d, x) && sameKind(d, x) &&
			!ofOtherColumn(q.c, x):
			rivals = append(rivals, x)
		}
	}
	if len(rivals) == 0 || q.derives(d) {
		return ""
	}
	all, both := q.shared(q.c, q.said)
	elsewhere := 0.0
	for _, e := range q.withFigure(q.c, d) {
		if !slices.Contains(q.around, e) {
			_, there := q.shared(q.c, e)
			elsewhere = max(elsewhere, there)
		}
	}
	x := slices.MaxFunc(rivals, func(a, b *parse.Detail) int { return cmp.Compare(q.alike(d, a), q.alike(d, b)) })
	if both < leastSaid*all || elsewhere >= both || q.alike(d, x) < leastReplaced {
		return ""
	}
	return fmt.Sprintf("%s: the finding says %s, the source %s", parse.OtherValue, d.Text, x.Text)
}

// figuresIn returns the figures of some statements that stand in a quote of them.
func figuresIn(around []*parse.Claim, quote string) (all []*parse.Detail) {
	for _, e := range around {
		for _, x := range figuresOf(e) {
			if strings.Contains(quote, x.Text) {
				all = append(all, x)
			}
		}
	}
	return all
}

// leastSaid is which share of a finding's words its quote has at least if it says the same.
const leastSaid = .4

// leastReplaced is how much a figure is about the same as the one in its place.
const leastReplaced = .3

// sameKind reports whether two figures count or measure the same, as far as they say it.
func sameKind(d, x *parse.Detail) bool {
	if d.Q == nil || x.Q == nil {
		return d.Q == nil && x.Q == nil
	}
	if d.Q.Label != "" || x.Q.Label != "" || d.Q.Ref || x.Q.Ref {
		return d.Q.Label == x.Q.Label && d.Q.Ref == x.Q.Ref
	}
	return d.Q.Dim == x.Q.Dim && d.Q.Per == x.Q.Per && d.Q.Bound == x.Q.Bound &&
		(d.Q.Dim != "" || len(d.Q.Noun) == 0 || len(x.Q.Noun) == 0 || countsAs(d.Q, x.Q))
}

var ofShares = parse.NewSet("half shared equally each per every both twice double third quarter a")

// derives reports whether a figure may be worked out from those of a quote: a difference, a share or a rate of two, a
// date some time after another, the total of some, and half or twice one where words say that it is shared.
func (q *quotation) derives(d *parse.Detail) bool {
	figures := q.near(d)
	if d.Q == nil { // from a day on for 36 months
		return slices.ContainsFunc(figures, func(x *parse.Detail) bool {
			return x.Q != nil && (x.Q.Dim == "time" || x.Q.Dim == "months") && !slices.ContainsFunc(figures,
				func(y *parse.Detail) bool { return y.T != nil && !d.T.IsApart(y.T, x.Q) })
		})
	}
	is := func(v float64) bool {
		return math.Abs(v-d.Q.Value) <= max(d.Q.Half, .005*math.Abs(d.Q.Value)) ||
			d.Q.Dim == "percent" && math.Abs(100*v-d.Q.Value) <= max(d.Q.Half, .5)
	}
	sum := 0.0
	for i, a := range figures {
		if a.Q == nil {
			continue
		}
		sum += a.Q.Value
		if is(sum) && i > 0 || q.shares() && (is(a.Q.Value/2) || is(2*a.Q.Value)) {
			return true
		}
		for _, b := range figures[:i] {
			if b.Q == nil {
				continue
			}
			x, y := a.Q.Value, b.Q.Value
			if a.Q.Dim == b.Q.Dim && (is(math.Abs(x-y)) || is(x+y)) || y != 0 && is(x/y) || x != 0 && is(y/x) ||
				is(x*y) && q.shares() || is(x*y/100) {
				return true
			}
		}
	}
	return false
}

// anotherName returns why a quote contradicts a name of a finding: it says much the same of somebody else. A name is
// of several words, has a title, or is a part of such a name somewhere in the source. "Provider", which the source
// explains by a name, initials and accounts are other ways to write one.
func (q *quotation) anotherName() string {
	ev, finding, around, quote, said := q.Evidence, q.c, q.around, q.text, q.said
	low := strings.ToLower(quote)
	if slices.ContainsFunc(parse.Tokenize(quote), func(t parse.Token) bool { return speakers.Has(t.Low) }) {
		return ""
	}
	for _, e := range around {
		if x, why := ev.anotherDid(finding, e); x != nil && strings.Contains(low, x.Words[len(x.Words)-1]) {
			return why
		}
		if why := ev.otherInColumn(finding, e); why != "" && !strings.Contains(quote, "\n") {
			return why
		}
	}
	all, both := ev.shared(finding, said)
	for k := range finding.Details {
		d := &finding.Details[k]
		if !ev.isProper(d) || hasName(said, d) || names(said, d) || abbreviatedIn(d, quote) {
			continue
		}
		rest := all
		for _, w := range d.Words {
			rest -= ev.weight(parse.Stem(w))
		}
		least := leastSaid
		if slices.ContainsFunc(figuresOf(finding), func(f *parse.Detail) bool {
			return slices.ContainsFunc(figuresOf(said), func(x *parse.Detail) bool { return f.Relate(x).Agrees() })
		}) || titled(d) && d.FirstToken <= 1 { // who did it: Mr Tennant thought
			least = leastSaid / 2
		}
		// Somebody whom the source names elsewhere may be in charge: another one has to be who did it.
		known := slices.ContainsFunc(d.Words, func(w string) bool { return len(ev.stems[parse.Stem(w)]) > 0 })
		if both < least*rest {
			continue
		}
		for _, e := range around {
			for j := range e.Details {
				x := &e.Details[j]
				if !ev.isProper(x) || len(x.Words) == 1 && len(d.Words) > 1 && !titled(x) ||
					names(finding, x) || abbreviatedIn(x, finding.Text) || ev.explained(d, x) {
					continue
				}
				if strings.Contains(low, x.Words[len(x.Words)-1]) && (!known || ev.alike(d, x) >= .5 && acts(e, x) ||
					titled(d) && titled(x) && max(d.FirstToken, x.FirstToken) <= 1) {
					return fmt.Sprintf("another name: the finding says %s, the source %s", d.Text, x.Text)
				}
			}
		}
	}
	return ""
}

// names reports whether a claim has a name with a word of another one: Dr Nasser, Farid Nasser.
func names(c *parse.Claim, d *parse.Detail) bool {
	return slices.ContainsFunc(c.Details, func(x parse.Detail) bool {
		return x.Kind == parse.Name && slices.ContainsFunc(x.Words,
			func(w string) bool { return slices.Contains(d.Words, w) })
	})
}

// speakers are words for who says something, whom a finding may name.
var speakers = parse.NewSet("i me my mine we us our ours you your")

// acts reports whether a name stands where one who does something does: at the beginning, behind a mark or a title,
// or after "by".
func acts(c *parse.Claim, d *parse.Detail) bool {
	before := c.Tokens().At(d.FirstToken - 1)
	return before.Kind == parse.MarkToken || before.Low == "" || before.Low == "by" || before.Low == "and" ||
		titleStems()[parse.Stem(before.Low)]
}

// isProper reports whether a detail is certainly a name: none of its words stands anywhere in lower case, and it has
// several words, a title, or is a part of such a name.
func (ev *Evidence) isProper(d *parse.Detail) bool {
	if d.Kind != parse.Name || d.Weak || len(d.Words) == 0 {
		return false
	}
	if slices.ContainsFunc(d.Words, ev.inLower) {
		return false
	}
	if len(d.Words) > 1 || titled(d) {
		return true
	}
	return ev.partOfName(d.Words[0])
}

// partOfName reports whether a word, in lower case, is a part of a name of several words in the source.
func (ev *Evidence) partOfName(word string) bool {
	if ev.names == nil {
		ev.names = map[string]bool{}
		for _, c := range ev.Claims {
			for k := range c.Details {
				if d := &c.Details[k]; d.Kind == parse.Name &&
					(len(d.Words) > 1 || mayTitle(c) && titled(&c.ReadWhole().Details[k])) {
					for _, w := range d.Words {
						ev.names[w] = true
					}
				}
			}
		}
	}
	return ev.names[word]
}

// abbreviatedIn reports whether a text may write a name by its initials, or at the end of a longer word: HD, hdahl.
func abbreviatedIn(d *parse.Detail, text string) bool {
	initials := ""
	for _, w := range d.Words {
		initials += strings.ToUpper(string([]rune(w)[:1]))
	}
	return slices.ContainsFunc(parse.Tokenize(text), func(t parse.Token) bool {
		return len(initials) > 1 && strings.ReplaceAll(t.Text, ".", "") == initials ||
			slices.ContainsFunc(d.Words, func(w string) bool { return len(w) > 3 && strings.HasSuffix(t.Low, w) })
	})
}

// reachOfBracket is how many bytes stand at most between a name and what explains it in brackets.
const reachOfBracket = 12

// explained reports whether the source puts one of two names in brackets or quotation marks behind the other:
// Hosting Ltd (the "Provider").
func (ev *Evidence) explained(d, x *parse.Detail) bool {
	for _, i := range ev.stems[parse.Stem(d.Words[0])] {
		low := strings.ToLower(ev.Claims[i].Text)
		for _, pair := range [][2]*parse.Detail{{d, x}, {x, d}} {
			_, behind, found := strings.Cut(low, pair[0].Words[len(pair[0].Words)-1])
			between, _, is := strings.Cut(behind, pair[1].Words[0])
			if found && is && len(between) <= reachOfBracket && strings.ContainsAny(between, "(\"“=/") {
				return true
			}
		}
	}
	return false
}
