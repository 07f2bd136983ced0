package trace

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"blackboard/board/claims/parse"
	"blackboard/board/documents"
	"blackboard/board/words"
)

// Limits of what is done for facts that nothing supports.
const (
	maxNearest  = 8    // records that are read again for a fact
	maxDoubted  = 5000 // facts that this is done for
	maxRarest   = 8    // words of a fact that the records are found by
	maxOperands = 8    // figures of which each two are tried
)

// derive looks at the unsupported facts again: at the records that are nearest to them,
// for figures from which they follow, and for other figures of the same thing.
func (t *tracer) derive() {
	d := deriver{tracer: t, records: map[int32][]amount{}, near: map[int][]int32{}, has: map[int32][]int32{},
		counted: map[int32][]int{}}
	for i := range t.facts {
		if f := &t.facts[i]; f.verdict.Verdict == Unsupported && len(d.near) < maxDoubted {
			d.near[i] = t.nearest(f)
		}
		if a := &t.facts[i].amount; t.facts[i].isAmount() && a.dim == "" && a.value > 1 {
			for _, noun := range a.nouns {
				if id, ok := d.vocabulary[noun]; ok && noun != "" {
					d.counted[id] = append(d.counted[id], i)
				}
			}
		}
	}
	for i := range t.facts {
		f := &t.facts[i]
		if _, ok := d.near[i]; !ok || f.isAmount() && d.calculate(i) ||
			f.isFigure() && f.detail.T != nil && d.calculateDate(i) {
			continue
		}
		d.explain(i)
	}
}

// deriver finds from what the unsupported facts of a tracer follow.
type deriver struct {
	*tracer
	near    map[int][]int32    // the nearest records of each
	counted map[int32][]int    // the facts that say how many there are of something, by its word
	records map[int32][]amount // that were read
	places  map[int32][]int    // the passages that have a word
	has     map[int32][]int32  // the words of the reports that a record has
}

// within returns the facts that stand around a fact in the report: in its sentence and
// its neighbours, or its row, and before it where the sentence calculates.
func (d *deriver) within(i int) (out []int) {
	f := &d.facts[i]
	u := &d.units[f.unit]
	for k := max(0, i-40); k < min(len(d.facts), i+20); k++ {
		g := &d.facts[k]
		v := &d.units[g.unit]
		if k == i || v.report != u.report || u.row > 0 && g.unit != f.unit && g.unit != u.before {
			continue
		}
		if g.unit == f.unit || f.unit-g.unit <= 2 && g.unit-f.unit <= 1 ||
			k < i && k >= i-6 && d.hasCue(f, cues()) {
			out = append(out, k)
		}
	}
	slices.SortStableFunc(
		out,
		func(a, b int) int {
			return distance(d.facts[a].unit, f.unit) - distance(d.facts[b].unit,
				f.unit)
		},
	)
	return out
}

func distance(a, b int) int { return max(a-b, b-a) }

// around returns the records that support the facts around a fact.
func (d *deriver) around(i int) (out []int32) {
	for _, k := range d.within(i) {
		g := &d.facts[k]
		used := 1 // of a derived figure the records of both that it follows from
		if g.verdict.Verdict == Derived {
			used = 2
		}
		for _, r := range g.support[:min(len(g.support), used)] {
			if len(out) < 6 && !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return out
}

// setDerived notes that a fact follows from figures, and from what records; it returns true.
func (d *deriver) setDerived(f *fact, how string, from []amount, records ...int32) bool {
	f.verdict = Fact{Verdict: Derived, Why: how, Entries: d.ids(records)}
	for _, a := range from {
		if a.text != "" && len(f.verdict.From) < maxOperands {
			f.verdict.From = append(f.verdict.From, oneLine(a.text, 40))
		}
	}
	f.support, f.from = slices.Clone(records), from
	return true
}

// operands returns the figures from which others in the fact's sentence, or one beside
// it, follow. A sentence with a difference often has the percentage too.
func (d *deriver) operands(i int) (all []amount) {
	f := &d.facts[i]
	for k := max(0, i-6); k < min(len(d.facts), i+6); k++ {
		if g := &d.facts[k]; k != i && distance(g.unit, f.unit) <= 1 &&
			g.verdict.Verdict == Derived {
			all = append(all, g.from...)
		}
	}
	return all[:min(len(all), maxOperands)]
}

// fromTwo reports whether a figure follows from two that stand apart: in the report, in
// the records that support what is around it, in the nearest.
func (d *deriver) fromTwo(f *fact, own []amount, others, nearest []int32) bool {
	all := slices.Concat(others, nearest)
	any := f.amount.dim != "" || f.amount.nouns[0] == "" || d.hasCue(f, sumCues())
	fits := func(x, y *amount) bool { // what it counts, one of them counts
		return any || x.counts(&f.amount) || y.counts(&f.amount)
	}
	for k, r := range all {
		for _, x := range d.few(r) {
			for _, y := range own {
				if x.equal(&y) || !fits(&x, &y) { // one figure, in the record and in the report
					continue
				}
				base := d.baseOf(f, &x, &y)
				if how := f.amount.ofBoth(&x, &y, base == ""); how != "" && (base == "" || how == base) {
					return d.setDerived(f, how, []amount{x, y}, append(slices.Clone(others), r)...)
				}
			}
			with := others[:min(len(others), k)]
			if f.amount.digits > 4 || f.amount.digits > 1 && f.amount.nouns[0] != "" &&
				d.hasCue(f, togetherCues()) {
				with = all[:k] // no chance hits it, or it says so
			}
			for _, q := range with {
				if q == r {
					continue
				}
				for _, y := range d.few(q) {
					if x.equal(&y) || !fits(&x, &y) { // one figure, in two records
						continue
					}
					if how := f.amount.ofBoth(&x, &y, true); how != "" {
						return d.setDerived(f, how, []amount{x, y}, q, r)
					}
				}
			}
		}
	}
	return false
}

// baseOf says what a percentage is if its sentence says of what it is one, or from where: a share of revenue, where a
// record has the revenue; a change of 6.5 % from so much, which stands there. It returns "" otherwise.
func (d *deriver) baseOf(f *fact, inRecord, own *amount) string {
	text := d.units[f.unit].Text
	if f.amount.dim != "%" {
		return ""
	}
	if own.in == d.units[f.unit].Claim && own.start > f.end {
		between := words.Split(text[f.end:own.start], "")
		if len(between) > 0 && baseCue(between[len(between)-1]) {
			return "a change"
		}
	}
	after := words.Split(text[f.end:], "")
	if len(after) == 0 || after[0] != "of" {
		return ""
	}
	for _, w := range after[1:min(len(after), 4)] {
		if parse.IsContentWord(w) {
			if inRecord.in.Stems[parse.Stem(w)] {
				return "a share"
			}
			break
		}
	}
	return ""
}

// baseCue reports whether a word stands before what a change is one of: 6.5 % down from $38,420.
func baseCue(w string) bool { return w == "from" || w == "than" || w == "to" }

// fromFar reports whether a figure follows from supported ones that stand further away
// in the report: a sum or a difference where the sentence says so, or so much for each
// of what the sentence speaks of.
func (d *deriver) fromFar(i int, own []amount) bool {
	f := &d.facts[i]
	sums := f.amount.digits > 1 && d.hasCue(f, sumCues())
	var pool []*fact
	for k := i - 1; k >= max(0, i-200) && len(pool) < maxOperands; k-- {
		if g := &d.facts[k]; sums && g.isAmount() && g.verdict.Verdict == Supported &&
			g.amount.dim == f.amount.dim && g.amount.digits > 1 &&
			(g.amount.dim != "" || f.amount.nouns[0] != "" && f.amount.counts(&g.amount)) {
			pool = append(pool, g)
		}
	}
	for k, x := range pool {
		for _, y := range pool[k+1:] {
			if x.amount.equal(&y.amount) && x.support[0] == y.support[0] {
				continue
			}
			if f.amount.near(x.amount.value+y.amount.value) ||
				f.amount.near(math.Abs(x.amount.value-y.amount.value)) {
				return d.setDerived(f, "a sum or a difference", []amount{x.amount, y.amount},
					x.support[0], y.support[0])
			}
		}
	}
	if d.sumOfRun(f, pool) {
		return true
	}
	if len(own) == 0 || f.amount.digits < 2 {
		return false
	}
	for _, r := range slices.Concat(d.around(i), d.near[i]) {
		for _, y := range d.few(r) {
			if y.dim != "" || y.digits < 2 || !d.saysOneOf(f, y.nouns) {
				continue
			}
			for _, x := range own[:min(len(own), 4)] {
				if x.dim == f.amount.dim && x.dim != "" && x.dim != "%" &&
					f.amount.near(x.value*y.value) {
					return d.setDerived(f, "so much for each", []amount{x, y}, r)
				}
			}
		}
	}
	var counted []int
	for _, id := range f.near {
		counted = append(counted, d.counted[id]...)
	}
	slices.Sort(counted)
	for _, k := range counted {
		g := &d.facts[k]
		if a := &g.amount; len(g.support) > 0 {
			for _, x := range own[:min(len(own), 4)] {
				if x.dim == f.amount.dim &&
					(f.amount.near(x.value*a.value) || f.amount.near(x.value/a.value)) {
					return d.setDerived(f, "so much for each", []amount{x, *a}, g.support[0])
				}
			}
		}
	}
	return false
}

// sumOfRun reports whether a figure that its sentence says to be of several together is the sum of three or more that
// follow each other, as in a list above it.
func (d *deriver) sumOfRun(f *fact, pool []*fact) bool {
	if f.amount.digits < 3 || !d.hasCue(f, togetherCues()) {
		return false
	}
	for k := range pool {
		sum, from, records := 0.0, []amount(nil), []int32(nil)
		for n, x := range pool[k:] {
			sum, from, records = sum+x.amount.value, append(from, x.amount), append(records, x.support[0])
			if n > 1 && f.amount.near(sum) {
				return d.setDerived(f, "a sum", from, records...)
			}
		}
	}
	return false
}

// saysOneOf reports whether a sentence speaks of what a figure counts.
func (d *deriver) saysOneOf(f *fact, nouns [2]string) bool {
	return slices.ContainsFunc(nouns[:], func(noun string) bool {
		id, ok := d.vocabulary[noun]
		return ok && noun != "" && slices.Contains(f.near, id)
	})
}

func (d *deriver) ids(records []int32) (ids []string) {
	for _, r := range records[:min(len(records), maxEntries)] {
		if id := d.tracer.records[r]; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// nearest returns the records that share the most with what is said around a fact, the best first.
func (t *tracer) nearest(f *fact) []int32 {
	rarest := func(of []int32) []int32 {
		ids := slices.DeleteFunc(slices.Clone(of), func(id int32) bool {
			return t.df[id] == 0 || len(t.post[id]) == maxPostings && t.df[id] > maxPostings
		})
		slices.SortStableFunc(ids, func(a, b int32) int { return int(t.df[a] - t.df[b]) })
		return ids
	}
	ids := rarest(f.near)
	ids = append(ids[:min(len(ids), maxRarest-2)], rarest(f.far[:min(len(f.far), mostTitled)])...)
	if len(t.scores) < len(t.records) {
		t.scores = make([]float64, len(t.records))
	}
	scores, scored := t.scores, t.scored[:0]
	for _, id := range ids[:min(len(ids), maxRarest)] {
		w := t.weight(id)
		if !slices.Contains(f.near, id) {
			w /= 2
		}
		for _, r := range t.post[id] {
			if scores[r] == 0 {
				scored = append(scored, r)
			}
			scores[r] += w
		}
	}
	better := func(a, b int32) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), int(a-b)) }
	best := make([]int32, 0, maxNearest+1)
	for _, r := range scored {
		if len(best) == maxNearest && better(r, best[maxNearest-1]) > 0 {
			continue
		}
		if i, _ := slices.BinarySearchFunc(best, r, better); i < maxNearest {
			best = slices.Insert(best, i, r)
			best = best[:min(len(best), maxNearest)]
		}
	}
	for _, r := range scored {
		scores[r] = 0
	}
	t.scored = scored
	return best
}

var comparatives = lazySet("more less fewer longer shorter later earlier higher lower")

// cues are words of sentences that calculate.
var cues = lazySet(`total totals totalling combined together sum overall altogether difference gap
	share percent percentage proportion rate ratio average mean up down rose fell grew growth
	increase increased decrease decreased higher lower more less fewer remaining remainder left
	rest per each times double doubled triple half saved saving savings net margin between apart
	later earlier aggregate cumulative of differ differs thus hence therefore missing`)

// togetherCues are words of sentences that add up.
var togetherCues = lazySet("together combined total totalling altogether jointly sum both")

// sumCues are words of sentences that add or subtract.
var sumCues = lazySet(`total totals totalling combined together sum altogether difference gap more
	less fewer below above remaining rest other others left save saved saving savings adds add
	twice differ differs`)

// saidCues are words of sentences that say that a figure follows from others.
var saidCues = sync.OnceValue(func() map[string]bool {
	m := words.SetOf(`excess exceeds exceeded too shortfall falls fall drops drop dropped gains gained gain lost lose loses over under
		leaves leave short missed misses cheaper dearer slower faster larger smaller bigger before after all
		both whole whereas instead would thus hence therefore cover covers avoided error
		deviation`)
	for _, cues := range []map[string]bool{cues(), sumCues(), togetherCues(), restCues(),
		comparatives()} {
		maps.Copy(m, cues)
	}
	delete(m, "of") // and times: both stand in many sentences that calculate nothing
	delete(m, "times")
	return m
})

// ofCue is the word by which a percentage says of what it is the share.
var ofCue = lazySet("of")

// addCues are those of them that say more than that a figure is a share or a rate.
var addCues = sync.OnceValue(func() map[string]bool {
	m := maps.Clone(saidCues())
	for _, w := range strings.Fields(`share percent percentage proportion rate ratio per each
		average mean error deviation`) {
		delete(m, w)
	}
	return m
})

// explain notes the nearest records of an unsupported fact, and what other figure they
// have of the same thing.
func (d *deriver) explain(i int) {
	f := &d.facts[i]
	if f.verdict.Cause != Absent {
		return
	}
	for _, r := range d.near[i][:min(len(d.near[i]), 4)] {
		shared := 0
		for _, id := range d.wordsOf(r) {
			if slices.Contains(f.near, id) {
				shared++
			}
		}
		if shown := d.otherValue(f, r); shown != "" && shared >= min(len(f.near), 3) && len(f.near) > 0 {
			f.verdict.Cause, f.verdict.Entries = OtherValue, d.ids([]int32{r})
			f.verdict.Why = fmt.Sprintf("%s has %s", f.verdict.Entries[0], oneLine(shown, 40))
			return
		}
		if len(f.verdict.Entries) == 0 && shared >= 2 {
			f.verdict.Entries = d.ids([]int32{r})
		}
	}
}

func (t *tracer) hasCue(f *fact, cues map[string]bool) bool {
	u := &t.units[f.unit]
	if u.words == nil {
		u.words = words.Split(u.Text, "")
	}
	return slices.ContainsFunc(u.words, func(w string) bool { return cues[w] })
}

// otherValue returns the figure that a record has of the same kind, "" if it has none.
func (d *deriver) otherValue(f *fact, r int32) string {
	if !f.isFigure() {
		return ""
	}
	for _, c := range d.kept[r] {
		for k := range c.Details {
			x := &c.Details[k]
			switch {
			case f.isAmount() && x.Q != nil:
				if x.Q.Dim == f.detail.Q.Dim && (x.Q.Dim != "" ||
					len(x.Q.Noun) > 0 && slices.Contains(f.detail.Q.Noun, x.Q.Noun[0])) && matches(f.detail, x) == noMatch {
					return x.Text
				}
			case f.detail.T != nil && x.T != nil && x.T.Dated == f.detail.T.Dated && x.T.Days() <= f.detail.T.Days():
				return x.Text
			}
		}
	}
	return ""
}

// readSources looks in sources for what no record supports. A figure that a record refutes, as of another unit, stays
// refuted: its digits stand somewhere in most sources.
func (t *tracer) readSources(sources Sources) error {
	wanted := func(f *fact) bool { return f.verdict.Verdict == Unsupported }
	t.index(wanted)
	s := t.newScanner()
	t.records = nil
	if err := sources(func(d *documents.Document) error {
		s.readSource(int32(t.sources), d)
		t.findPlaces(d)
		t.sources++
		return nil
	}); err != nil {
		return err
	}
	t.merge(s)
	for i := range t.facts {
		f := &t.facts[i]
		for k := range f.hits {
			if wanted(f) && !f.refuted && t.doubt(f, &f.hits[k]) == "" {
				f.verdict = Fact{Verdict: Source, Source: f.hits[k].place, Why: f.verdict.Why}
			}
		}
	}
	return nil
}
