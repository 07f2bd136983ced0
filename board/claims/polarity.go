package claims

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"blackboard/board/claims/parse"
)

// This file finds clauses that say the opposite: one of the two denies something (denial.go of parse), or
// has an opposite. It knows English only.

// A clause is a part of a claim, with the words by which it is compared.
type clause struct {
	words   []*parse.Word
	weight  float64
	denials []parse.Denial
	roots   []string       // of the words, made at first use
	at      map[string]int // of a long clause: the first word that has a stem, a root or a form (see places)
	best    [2]fit         // the clauses of the claim that fit it best; see fitsBetter
	fitted  bool
}

// A fit is how many words a clause shares with another one.
type fit struct {
	c *clause
	n int
}

// longClause is from how many words on those of a clause are found by a table.
const longClause = 24

// places makes the table of a long clause: of stems, "/" and roots, "=" and words as they are.
func (c *clause) places() map[string]int {
	if c.at == nil {
		c.at = map[string]int{}
		for i := len(c.words) - 1; i >= 0; i-- {
			w := c.words[i]
			c.at[w.Stem], c.at["/"+parse.Root(w.Low)], c.at["="+w.Low] = i, i, i
		}
	}
	return c.at
}

// root returns the root of a word of a clause.
func (c *clause) root(i int) string {
	if c.roots == nil {
		c.roots = make([]string, len(c.words))
		for i, w := range c.words {
			c.roots[i] = parse.Root(w.Low)
		}
	}
	return c.roots[i]
}

// withRoot returns the first word that has a root, -1 if none has.
func (c *clause) withRoot(r string) int {
	if len(c.words) > longClause {
		if i, is := c.places()["/"+r]; is {
			return i
		}
		return -1
	}
	for i := range c.words {
		if c.root(i) == r {
			return i
		}
	}
	return -1
}

// withForm returns the first word that is written so, -1 if none is.
func (c *clause) withForm(low string) int {
	if i, is := c.places()["="+low]; is {
		return i
	}
	return -1
}

// clauses are those of one side, with an index if they are many.
type clauses struct {
	all  []*clause
	post map[string][]int32 // those that have a stem; nil: they are few
}

func newClauses(all []*clause) *clauses {
	x := &clauses{all: all}
	if len(all) > parse.MaxPairwise {
		x.post = map[string][]int32{}
		for i, c := range all {
			for _, w := range c.words {
				if at := x.post[w.Stem]; !w.Empty && (len(at) == 0 || at[len(at)-1] != int32(i)) {
					x.post[w.Stem] = append(at, int32(i))
				}
			}
		}
	}
	return x
}

// like returns the clauses that have words of another one: of many those that have the most of its rarest.
func (x *clauses) like(c *clause) []*clause {
	if x.post == nil {
		return x.all
	}
	var postings [][]int32
	for _, w := range c.words {
		if at := x.post[w.Stem]; len(at) > 0 && !w.Empty {
			postings = append(postings, at)
		}
	}
	slices.SortStableFunc(postings, func(a, b []int32) int { return len(a) - len(b) })
	shared, most := map[int32]int{}, 4*parse.MaxPairwise
	for _, at := range postings {
		for _, i := range at[:min(len(at), most)] {
			shared[i]++
		}
		if most -= len(at); most <= 0 {
			break
		}
	}
	near := slices.Collect(maps.Keys(shared))
	slices.SortFunc(near, func(a, b int32) int { return cmp.Or(shared[b]-shared[a], int(a-b)) })
	near = near[:min(len(near), parse.MaxPairwise)]
	slices.Sort(near)
	var out []*clause
	for _, i := range near {
		out = append(out, x.all[i])
	}
	return out
}

func (c *clause) has(stem string) bool { return c.word(stem) != nil }

// word returns the word of a clause that has a stem.
func (c *clause) word(stem string) *parse.Word {
	if len(c.words) > longClause {
		if i, is := c.places()[stem]; is {
			return c.words[i]
		}
		return nil
	}
	for _, w := range c.words {
		if w.Stem == stem {
			return w
		}
	}
	return nil
}

// clauses cuts a claim, which is a statement of the evidence unless mine is set. A figure that both sides have counts
// as a word.
func (ev *Evidence) clauses(c *parse.Claim, matches []Match, mine bool) (out []*clause) {
	by := map[int]*clause{}
	get := func(k int) *clause {
		if by[k] == nil {
			by[k] = &clause{}
			out = append(out, by[k])
		}
		return by[k]
	}
	for i := range c.Words {
		if w := &c.Words[i]; !w.Aside {
			x := get(w.Clause)
			x.words = append(x.words, w)
			if !w.Empty {
				x.weight += ev.weight(w.Stem)
			}
		}
	}
	for i, m := range matches {
		d := m.Detail
		if d.Kind == parse.Name || m.With == nil || !m.Rel.Agrees() || !mine && m.From != c {
			continue
		}
		if !mine {
			d = m.With
		}
		x := get(d.Clause)
		w := &parse.Word{Stem: fmt.Sprintf("#%d", i), Low: d.Text, Clause: d.Clause, Empty: parse.Stopwords.Has(d.Text)}
		x.words, x.weight = append(x.words, w), x.weight+ev.weight(w.Stem)
	}
	for _, n := range c.Denials {
		x := get(n.Clause)
		if len(n.Focus) == 0 { // "not after 25 minutes": the figure is denied
			for _, w := range x.words {
				n.Focus = append(n.Focus, w.Stem)
			}
		}
		x.denials = append(x.denials, n)
	}
	return out
}

// sharedClause returns the share of the lighter of two clauses that both have, and how many words that are. A figure
// says as much as two words.
func (ev *Evidence) sharedClause(a, b *clause) (share float64, n int) {
	parse.CountComparison()
	both := 0.0
	for _, w := range a.words {
		if !w.Empty && b.has(w.Stem) {
			both += ev.weight(w.Stem)
			n += 1 + strings.Count(w.Stem, "#")
		}
	}
	return both / max(.01, min(a.weight, b.weight)), n
}

// opposites finds clauses of a claim that a clause of a window says the opposite of: both
// have most of their words in common, and one denies what the other says, or has the
// opposite of one of its words.
func (ev *Evidence) opposites(c *parse.Claim, w Window, matches []Match) (reasons []string) {
	for _, o := range ev.opposing(c, w, matches) {
		reasons = append(reasons, o.why)
	}
	return reasons
}

// An opposition is a word that two clauses say the opposite of.
type opposition struct {
	why  string  // the word in a reason
	stem string  // of the word
	like float64 // how much the clauses have in common, from 0 to 1
}

func (ev *Evidence) opposing(c *parse.Claim, w Window, matches []Match) (all []opposition) {
	if !c.English || strings.HasSuffix(strings.TrimSpace(c.Text), "?") { // it claims nothing
		return nil
	}
	var theirs []*clause
	for _, e := range w.Claims {
		if e.English && !strings.HasSuffix(e.Text, "?") {
			theirs = append(theirs, ev.clauses(e, matches, false)...)
		}
	}
	mine, others := newClauses(ev.clauses(c, matches, true)), newClauses(theirs)
	for _, m := range mine.all {
		if o := ev.opposite(m, mine, others); o.why != "" {
			if (o.stem == parse.Stem("before") || o.stem == parse.Stem("after")) && countOutright(c) != w.outright() {
				continue // nothing before eight, only after eight
			}
			all = append(all, o)
		}
	}
	return all
}

// outright counts the denials of a window by a word that does nothing else.
func (w *Window) outright() (n int) {
	for _, e := range w.Claims {
		n += countOutright(e)
	}
	return n
}

// opposite returns in what a clause is the opposite of one of others, if it is.
func (ev *Evidence) opposite(m *clause, mine, theirs *clauses) (best opposition) {
	most := 0.0
	var agreeing []*clause
	for _, t := range theirs.like(m) {
		if m.weight == 0 || t.weight == 0 {
			continue
		}
		share, n := ev.sharedClause(m, t)
		if n == 0 {
			continue
		}
		both := share * min(m.weight, t.weight)
		x, y := opposed(m, t)
		if x != nil && m.deniesWord(x) != t.deniesWord(y) {
			continue // not safe, unsafe
		}
		if len(m.denials)%2 != len(t.denials)%2 {
			like := both / math.Sqrt(m.weight*t.weight)
			if w, s := deniedWord(m, t); w != "" && share >= .5 && (n >= 2 || share > .99) &&
				(share > most || share == most && like > best.like) &&
				(!ev.isLong() || both >= .4*m.weight && both >= .3*t.weight) &&
				!ev.fitsBetter(m, t, mine) {
				best = opposition{"“" + w + deniedOnceSuffix, s, like}
				most = share
			}
			continue
		}
		if x != nil {
			one, other := ev.without(m, x), ev.without(t, y)
			s := both / max(.1, min(one, other))
			if s >= .4 && (n >= 2 || s >= .6) && s > most && !ev.fitsBetter(m, t, mine) {
				best = opposition{fmt.Sprintf("“%s” against “%s”", x.Low, y.Low), x.Stem,
					both / max(.1, math.Sqrt(one*other))}
				most = s
			}
		} else if n >= 2 && share >= .35 && !ev.fitsBetter(m, t, mine) {
			agreeing = append(agreeing, t)
		}
	}
	if slices.ContainsFunc(agreeing, func(c *clause) bool { return c.has(best.stem) }) {
		return opposition{} // another one says the same of it
	}
	return best
}

// deniesWord reports whether a clause denies a word by another one, as "disabled" does not deny itself.
func (c *clause) deniesWord(w *parse.Word) bool {
	return slices.ContainsFunc(c.denials, func(d parse.Denial) bool {
		return strings.ToLower(d.Word) != w.Low && slices.Contains(d.Focus, w.Stem)
	})
}

// fitsBetter reports whether another clause of the claim is nearer to one of theirs, and
// agrees with it.
func (ev *Evidence) fitsBetter(m, t *clause, mine *clauses) bool {
	if !t.fitted {
		t.fitted = true
		for _, o := range mine.like(t) {
			share, k := ev.sharedClause(o, t)
			if share < .5 || k < 2 || len(o.denials)%2 != len(t.denials)%2 || k <= t.best[1].n {
				continue
			}
			if t.best[1] = (fit{o, k}); k > t.best[0].n {
				t.best[0], t.best[1] = t.best[1], t.best[0]
			}
		}
	}
	better := t.best[0]
	if better.c == m {
		better = t.best[1]
	}
	_, n := ev.sharedClause(m, t)
	return better.n > n
}

// without is the weight of a clause without one of its words.
func (ev *Evidence) without(c *clause, w *parse.Word) float64 {
	if w.Empty {
		return c.weight
	}
	return c.weight - ev.weight(w.Stem)
}

// deniedWord returns a word that one of two clauses denies and the other says, as it is written, and its stem; "" if
// there is none.
func deniedWord(a, b *clause) (word, stem string) {
	for _, p := range [][2]*clause{{a, b}, {b, a}} {
		for _, d := range p[0].denials {
			for _, f := range d.Focus {
				if w := p[1].word(f); w != nil {
					return w.Low, f
				}
			}
		}
	}
	return "", ""
}

// rhythms are how often something is done. Another one is another statement.
var rhythms = sync.OnceValue(func() map[string]string {
	return map[string]string{"hourly": "hour", "daily": "day", "weekly": "week",
		"monthly": "month", "quarterly": "quarter", "yearly": "year", "annual": "year", "annually": "year"}
})

// rhythm returns a word for the only rhythm that the words have, nil if they have none or several.
func (c *clause) rhythm() (r *parse.Word) {
	for _, w := range c.words {
		if of := rhythms()[w.Low]; of != "" {
			if r != nil && rhythms()[r.Low] != of {
				return nil
			}
			r = w
		}
	}
	return r
}

// opposed returns a word of one clause and its opposite in the other, or two rhythms that differ; nil if there are
// none.
func opposed(a, b *clause) (*parse.Word, *parse.Word) {
	if x, y := a.rhythm(), b.rhythm(); x != nil && y != nil && rhythms()[x.Low] != rhythms()[y.Low] {
		return x, y
	}
	for i, x := range a.words {
		rx, at := a.root(i), -1
		for _, ry := range parse.Antonyms()[rx] {
			if k := b.withRoot(ry); k >= 0 && (at < 0 || k < at) && ry != rx && a.withRoot(ry) < 0 {
				at = k
			}
		}
		if at >= 0 && b.withRoot(rx) < 0 {
			return x, b.words[at]
		}
	}
	for i, x := range a.words {
		at := -1
		note := func(k int) {
			if k >= 0 && (at < 0 || k < at) && a.withRoot(b.root(k)) < 0 {
				at = k
			}
		}
		if len(b.words) > longClause {
			for _, p := range negativePrefixes {
				if low, is := strings.CutPrefix(x.Low, p); is && len(low) > 4 {
					note(b.withForm(low))
				}
				if len(x.Low) > 4 {
					note(b.withForm(p + x.Low))
				}
			}
		} else {
			for k, y := range b.words {
				if isPrefixed(x.Low, y.Low) || isPrefixed(y.Low, x.Low) {
					note(k)
				}
			}
		}
		if at >= 0 && b.withRoot(a.root(i)) < 0 {
			return x, b.words[at]
		}
	}
	return nil, nil
}

var negativePrefixes = strings.Fields("im in un ir il dis non")

// isPrefixed reports whether a word is another one with a negative prefix: impassable.
func isPrefixed(low, word string) bool {
	return len(word) > 4 && len(low) > len(word) && strings.HasSuffix(low, word) &&
		slices.Contains(negativePrefixes, low[:len(low)-len(word)])
}

// turnsWithDenial reports whether a reason is a denial, or two words of a condition such as
// before and after: two statements with the same condition may differ in both.
func turnsWithDenial(why string) bool {
	word, _, _ := strings.Cut(strings.TrimPrefix(why, "“"), "”")
	return strings.HasSuffix(why, deniedOnceSuffix) || parse.ConditionSigns()[word]+parse.OrderSign(word) != 0
}

// deniedOnceSuffix ends, and marks for other code, a reason that one of two clauses denies a word and the other not.
const deniedOnceSuffix = "” is denied on one side"
