package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/claims/parse"
	"blackboard/board/text"
)

// This file holds the parts of a claim singly against those of a statement: one of two may be said
// otherwise, and most words still are the same.

var rePart = text.NewRegexp(`[;.] +|, (?:and|but|while|whereas|so|which) `)

// parts returns the clauses of a claim that have two stems or more, each as a claim.
func parts(c *parse.Claim) (all []*parse.Claim) {
	begin := 0
	for _, m := range append(rePart.FindAllStringIndex(c.Text, -1), []int{len(c.Text), len(c.Text)}) {
		if m[0] < len(c.Text) && parse.EndsAbbreviation(c.Text, m[0]) {
			continue
		}
		if p := parse.ExtractText(c.Text[begin:m[0]], c.Source); len(p.Stems) > 1 {
			p.Context = c.Context
			all = append(all, p)
		}
		begin = m[1]
	}
	return all
}

// refuteParts sets best to Refuted if a statement near a part of a claim says otherwise, or gives a figure of the claim
// to something else.
func (ev *Evidence) refuteParts(c *parse.Claim, best *Survival) {
	refute := func(w Window, why string) bool {
		if why != "" {
			best.Verdict, best.Window, best.Reasons, best.sure = Refuted, &w, []string{why}, true
		}
		return why != ""
	}
	for _, part := range parts(c) {
		for _, w := range ev.Nearest(part, 2) {
			for _, e := range w.Claims {
				for _, q := range parts(e) {
					if e.Cells == nil && (w.Cover >= .5 && ev.figuresOf(part, Window{Claims: []*parse.Claim{e}}) &&
						refute(w, ev.denies(part, q, e)) || refute(w, ev.ofAnother(part, q))) {
						return
					}
				}
			}
		}
	}
	refute(*best.Window, ev.displaced(c, *best.Window))
}

// denies returns why a part of a statement says the opposite of a part of a claim, "" if it does not.
func (ev *Evidence) denies(part, q, e *parse.Claim) string {
	w := Window{Claims: []*parse.Claim{q}}
	beside := ev.lay(part, w)
	all, both := ev.shared(part, e)
	if len(part.Denials) > 0 && len(e.Denials) > 0 || negativeAs(part, q, &beside) ||
		parse.IsConditional(part, w.Claims) || part.HasConditionWord() || q.HasConditionWord() {
		return ""
	}
	for _, o := range ev.opposing(part, w, beside.Matches) {
		if TurnsOnDenial(o.why) && o.like >= .45 && both >= .6*all {
			return o.why
		}
	}
	return ""
}

// figuresOf reports whether a window has all figures of a claim.
func (ev *Evidence) figuresOf(c *parse.Claim, w Window) bool {
	return !slices.ContainsFunc(ev.assign(c, w), func(m Match) bool {
		return m.Detail.IsFigure() && !m.Detail.Weak && !m.Rel.Agrees()
	})
}

// sameSize is how many times as large as another value one may be that stands in its place.
const sameSize = 5

// displaced returns why a window gives a figure of a claim to something else: another of its kind
// stands in a clause with two words more of the claim than any that has its own figure.
func (ev *Evidence) displaced(c *parse.Claim, w Window) string {
	type place struct {
		in     *parse.Claim
		clause int
	}
	t := c.Tokens()
	for _, m := range ev.assign(c, w) {
		if m.With == nil || m.Rel != parse.Same || m.Detail.Kind != parse.Number || m.From.Cells != nil {
			continue
		}
		of := cmp.Or(strings.Join(t.Speaker(m.Detail.FirstToken), " "), strings.Join(topic(c), " "))
		here, most, why := -9, 1, "" // no clause has its own figure
		same, own := map[place]bool{}, map[*parse.Claim]bool{}
		for _, e := range w.Claims {
			for _, d := range figuresOf(e) {
				n, has := ev.standing(c, e, d, of)
				if m.Detail.Relate(d) == parse.Same {
					same[place{e, d.Clause}] = true
					own[e] = without(c.CommonFigures(e), m.Detail) > 0 // it stands there with another one of the claim
					if here = max(here, n); has {
						here = 99 // said of the same, whatever else stands there
					}
				}
			}
		}
		with := slices.ContainsFunc(w.Claims, func(e *parse.Claim) bool { return own[e] })
		for _, e := range w.Claims {
			if with && !own[e] {
				continue
			}
			for _, d := range figuresOf(e) {
				n, has := ev.standing(c, e, d, of)
				other := m.Detail.Relate(d) == parse.OtherValue &&
					max(d.Q.Value, m.Detail.Q.Value) <= sameSize*min(d.Q.Value, m.Detail.Q.Value)
				if has && n > most && other && e.Cells == nil && !d.Denied && !same[place{e, d.Clause}] &&
					!c.HasFigure(d) {
					most, why = n, fmt.Sprintf("the finding says %s, the report %s", m.Detail.Text, d.Text)
				}
			}
		}
		if most >= here+2 {
			return why
		}
	}
	return ""
}

// topic returns the stems of a claim before its first verb: what it is of.
func topic(c *parse.Claim) []string {
	t := c.Tokens()
	for i := range t {
		if i > 0 && !strings.ContainsAny(t[i].Low, "'’") &&
			(verbs.Has(t[i].Low) || t.IsAction(i) || parse.IrregularForms()[t[i].Low] != "") {
			if of := parse.Stems(c.Text[:t[i].At]); len(of) > 0 {
				return of
			}
		}
	}
	return nil
}

// standing returns how many stems of the clause of a figure a claim has, less those that it lacks, and whether the
// clause has one of the stems in of.
func (ev *Evidence) standing(c, e *parse.Claim, d *parse.Detail, of string) (n int, has bool) {
	seen := map[string]bool{}
	for i := range e.Words {
		w := &e.Words[i]
		if w.Clause != d.Clause || parse.Stopwords.Has(w.Low) || seen[w.Stem] {
			continue
		}
		has = has || slices.Contains(strings.Fields(of), w.Stem)
		if seen[w.Stem] = true; c.Stems[w.Stem] {
			n++
		} else {
			n--
		}
	}
	return n, has
}

// ofAnother returns why a part lets one do what a part of a statement lets another one do, if the text
// knows both by their names.
func (ev *Evidence) ofAnother(c, q *parse.Claim) string {
	x, does := actor(c)
	y, did := actor(q)
	if does == "" || does != did || hasAnyWord(q, x) || hasAnyWord(c, y) ||
		slices.ContainsFunc(x.Words, func(w string) bool { return len(ev.stems[parse.Stem(w)]) == 0 }) {
		return ""
	}
	of := parse.Stems(x.Text)
	rest, both := 0, 0
	for s := range c.Stems {
		if !slices.Contains(of, s) {
			if rest++; q.Stems[s] {
				both++
			}
		}
	}
	if 2*both < rest {
		return ""
	}
	return fmt.Sprintf("the finding says it of %s, the report of %s", x.Text, y.Text)
}

// actor returns the first name of several words that stands before a verb, and the verb's stem, "" if there is none.
func actor(c *parse.Claim) (d *parse.Detail, does string) {
	t := c.Tokens()
	for k := range c.Details {
		d = &c.Details[k]
		if i := d.FirstToken + len(d.Words); d.Kind == parse.Name && len(d.Words) > 1 && i < len(t) &&
			(t.IsAction(i) || parse.IrregularForms()[t[i].Low] != "") {
			return d, parse.Stem(t[i].Low)
		}
	}
	return d, ""
}
