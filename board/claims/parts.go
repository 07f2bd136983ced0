package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/text"
)

// This file holds the parts of a claim singly against those of a statement: one of two may be said
// otherwise, and most words still are the same.

var rePart = text.NewRegexp(`[;.] +|, (?:and|but|while|whereas|so|which) `)

// parts returns the clauses of a claim that have two stems or more, each as a claim.
func (c *Claim) parts() (all []*Claim) {
	begin := 0
	for _, m := range append(rePart.FindAllStringIndex(c.Text, -1), []int{len(c.Text), len(c.Text)}) {
		if m[0] < len(c.Text) && abbreviated(c.Text, m[0]) {
			continue
		}
		if p := ExtractText(c.Text[begin:m[0]], c.Source); len(p.stems) > 1 {
			p.context = c.context
			all = append(all, p)
		}
		begin = m[1]
	}
	return all
}

// refuteParts sets best to Refuted if a statement near a part of a claim says otherwise, or gives a figure of the claim
// to something else.
func (ev *Evidence) refuteParts(c *Claim, best *Survival) {
	refute := func(w Window, why string) bool {
		if why != "" {
			best.Verdict, best.Window, best.Reasons, best.sure = Refuted, &w, []string{why}, true
		}
		return why != ""
	}
	for _, part := range c.parts() {
		for _, w := range ev.Nearest(part, 2) {
			for _, e := range w.Claims {
				for _, q := range e.parts() {
					if e.Cells == nil && (w.Cover >= .5 && ev.figuresOf(part, Window{Claims: []*Claim{e}}) &&
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
func (ev *Evidence) denies(part, q, e *Claim) string {
	w := Window{Claims: []*Claim{q}}
	beside := ev.lay(part, w)
	all, both := ev.shared(part, e)
	if len(part.denials) > 0 && len(e.denials) > 0 || part.negativeAs(q, &beside) ||
		conditional(part, w.Claims) || part.hasConditionWord() || q.hasConditionWord() {
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
func (ev *Evidence) figuresOf(c *Claim, w Window) bool {
	return !slices.ContainsFunc(ev.assign(c, w), func(m Match) bool {
		return m.Detail.isFigure() && !m.Detail.Weak && !m.Rel.Agrees()
	})
}

// sameSize is how many times as large as another value one may be that stands in its place.
const sameSize = 5

// displaced returns why a window gives a figure of a claim to something else: another of its kind
// stands in a clause with two words more of the claim than any that has its own figure.
func (ev *Evidence) displaced(c *Claim, w Window) string {
	type place struct {
		in     *Claim
		clause int
	}
	t := c.tokens()
	for _, m := range ev.assign(c, w) {
		if m.With == nil || m.Rel != Same || m.Detail.Kind != Number || m.From.Cells != nil {
			continue
		}
		of := cmp.Or(strings.Join(t.sayer(m.Detail.first), " "), strings.Join(c.topic(), " "))
		here, most, why := -9, 1, "" // no clause has its own figure
		same, own := map[place]bool{}, map[*Claim]bool{}
		for _, e := range w.Claims {
			for _, d := range e.figures() {
				n, has := ev.standing(c, e, d, of)
				if m.Detail.relation(d) == Same {
					same[place{e, d.clause}] = true
					own[e] = without(c.commonFigures(e), m.Detail) > 0 // it stands there with another one of the claim
					if here = max(here, n); has {
						here = 99 // said of the same, whatever else stands there
					}
				}
			}
		}
		with := slices.ContainsFunc(w.Claims, func(e *Claim) bool { return own[e] })
		for _, e := range w.Claims {
			if with && !own[e] {
				continue
			}
			for _, d := range e.figures() {
				n, has := ev.standing(c, e, d, of)
				other := m.Detail.relation(d) == OtherValue &&
					max(d.Q.Value, m.Detail.Q.Value) <= sameSize*min(d.Q.Value, m.Detail.Q.Value)
				if has && n > most && other && e.Cells == nil && !d.Denied && !same[place{e, d.clause}] && !c.hasFigure(d) {
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
func (c *Claim) topic() []string {
	t := c.tokens()
	for i := range t {
		if i > 0 && !strings.ContainsAny(t[i].low, "'’") && (verbs.has(t[i].low) || t.acts(i) || forms()[t[i].low] != "") {
			if of := stemsOf(c.Text[:t[i].at]); len(of) > 0 {
				return of
			}
		}
	}
	return nil
}

// standing returns how many stems of the clause of a figure a claim has, less those that it lacks, and whether the
// clause has one of the stems in of.
func (ev *Evidence) standing(c, e *Claim, d *Detail, of string) (n int, has bool) {
	seen := map[string]bool{}
	for i := range e.Words {
		w := &e.Words[i]
		if w.clause != d.clause || empty.has(w.low) || seen[w.stem] {
			continue
		}
		has = has || slices.Contains(strings.Fields(of), w.stem)
		if seen[w.stem] = true; c.stems[w.stem] {
			n++
		} else {
			n--
		}
	}
	return n, has
}

// ofAnother returns why a part lets one do what a part of a statement lets another one do, if the text
// knows both by their names.
func (ev *Evidence) ofAnother(c, q *Claim) string {
	x, does := c.actor()
	y, did := q.actor()
	if does == "" || does != did || q.hasAny(x) || c.hasAny(y) ||
		slices.ContainsFunc(x.Words, func(w string) bool { return len(ev.stems[stem(w)]) == 0 }) {
		return ""
	}
	of := stemsOf(x.Text)
	rest, both := 0, 0
	for s := range c.stems {
		if !slices.Contains(of, s) {
			if rest++; q.stems[s] {
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
func (c *Claim) actor() (d *Detail, does string) {
	t := c.tokens()
	for k := range c.Details {
		d = &c.Details[k]
		if i := d.first + len(d.Words); d.Kind == Name && len(d.Words) > 1 && i < len(t) &&
			(t.acts(i) || forms()[t[i].low] != "") {
			return d, stem(t[i].low)
		}
	}
	return d, ""
}
