package trace

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"blackboard/board/claims"
	"blackboard/board/claims/parse"
	"blackboard/board/documents"
	"blackboard/board/words"
)

// This file asks the engine of claims about the statements of a report, and takes over what
// it knows better: units, rates, signs, currencies, zones, what stands word for word, and
// what an entry says the opposite of.

// mostBeside is how many records are read again for a statement, beside those with its figures;
// mostRecords are weighed for all.
const mostBeside, mostRecords = 4, 5000

// readNearest reads the records again from which facts may follow, or by which they are weighed: those
// that answer to them, and those that are nearest to them.
func (t *tracer) readNearest(board Records) error {
	weighed := map[int32]bool{}
	for i := range t.facts {
		for _, h := range t.facts[i].hits {
			if len(weighed) < mostRecords/2 {
				weighed[h.record] = true
			}
		}
	}
	t.kept = map[int32][]*parse.Claim{}
	for i, doubted := 0, 0; i < len(t.facts); i++ {
		f := &t.facts[i]
		for _, r := range f.support[:min(len(f.support), 2)] {
			t.kept[r] = nil
		}
		if f.verdict.Verdict == Unsupported && doubted < maxDoubted {
			doubted++
			for _, r := range t.nearest(f) {
				t.kept[r] = nil
			}
		}
	}
	for i := 0; i < len(t.units) && len(weighed) < mostRecords; i++ {
		f := fact{unit: i}
		t.surround(&f)
		near := t.nearest(&f)
		for _, r := range near[:min(len(near), mostBeside)] {
			weighed[r] = true
		}
	}
	type again struct {
		n    int32
		r    Record
		said []*parse.Claim
	}
	var all []again
	n := int32(-1)
	err := board(func(r Record) error {
		if _, ok := t.kept[n+1]; ok || weighed[n+1] {
			r.Text = strings.Clone(r.Text)
			all = append(all, again{n: n + 1, r: r})
		}
		n++
		return nil
	})
	atOnce(len(all), func(i int) {
		r := &all[i].r
		all[i].said = claimsOf(r.ID, documents.New(r.ID, r.Text).Text(), parse.ExtractFacts)
	})
	for _, a := range all {
		t.kept[a.n] = a.said
		for _, c := range a.said {
			if weighed[a.n] && !c.Title {
				t.weighed = append(t.weighed, c)
			}
		}
	}
	return err
}

// atOnce does n things, several at once.
func atOnce(n int, do func(i int)) {
	var running sync.WaitGroup
	for k := range scanners {
		running.Go(func() {
			for i := k; i < n; i += scanners {
				do(i)
			}
		})
	}
	running.Wait()
}

// standings says what the records that are nearest to the statements of all reports have of them.
func (t *tracer) standings() map[*parse.Claim]*claims.Standing {
	ev, standings := claims.NewEvidence(t.weighed), map[*parse.Claim]*claims.Standing{}
	for first := 0; first < len(t.units); {
		var said, titles []*parse.Claim
		last := first
		for ; last < len(t.units) && t.units[last].report == t.units[first].report; last++ {
			if c := t.units[last].Claim; c.Title {
				titles = append(titles, c)
			} else {
				said = append(said, c)
			}
		}
		all := ev.Trace(said)
		for i := range all {
			standings[all[i].Claim] = &all[i]
		}
		for i, s := range ev.Trace(titles) {
			standings[titles[i]] = &claims.Standing{Claim: s.Claim, Details: s.Details}
		}
		first = last
	}
	return standings
}

// conclude looks at the unsupported facts again, and judges the facts of all reports by the records that are
// nearest to their statements: it supports facts, refutes them, and adds statements that are contradicted.
func (t *tracer) conclude() {
	var standings map[*parse.Claim]*claims.Standing
	var weighing sync.WaitGroup
	weighing.Go(func() { standings = t.standings() }) // which no verdict changes
	t.derive()
	weighing.Wait()
	for i := range t.facts {
		t.facts[i].weigh(standings[t.units[t.facts[i].unit].Claim])
	}
	for i := range t.units {
		t.contradicted(i, standings[t.units[i].Claim])
	}
}

// weigh takes over what evidence says about a fact.
func (f *fact) weigh(s *claims.Standing) {
	v := &f.verdict
	if s.Verbatim != "" {
		if v.Verdict == Unsupported {
			*v = Fact{Verdict: Supported, Entries: []string{s.Verbatim}}
		}
		return
	}
	if f.detail == nil {
		return
	}
	i := slices.IndexFunc(s.Details, func(d claims.Judged) bool { return d.Detail == cmp.Or(f.origin, f.detail) })
	switch d := &s.Details[i]; {
	case d.Verdict == claims.Supported && v.Verdict == Unsupported:
		if v.Cause == OtherUnit && d.Q != nil && d.Q.Dim == "" && !d.Label || // in a word that is not known
			v.Cause == Elsewhere && (d.Q == nil || !d.Q.Ref) && !d.Label {
			break
		}
		*v = Fact{Verdict: Supported, Entries: []string{d.Source}}
	case d.Verdict == claims.Refuted && !f.isSpan() && !(s.Title && v.Verdict == Supported): // no titles are weighed
		f.refuted = true
		*v = Fact{Verdict: Unsupported, Cause: OtherUnit, Entries: []string{d.Source}, Why: d.String()}
	}
}

// contradicted adds a fact for a statement of the report that an entry says the opposite of, or that no entry says
// anything like.
func (t *tracer) contradicted(i int, s *claims.Standing) {
	verdict := Fact{Verdict: Unsupported, Cause: Opposite, Entries: []string{s.By}, Why: s.By + ": " + s.Against}
	if advises(t.units[i].Claim) {
		return
	}
	if s.Unsaid != "" {
		verdict = Fact{Verdict: Unsupported, Cause: Absent, Why: s.Unsaid}
	} else if s.Against == "" {
		return
	}
	t.facts = append(t.facts, fact{kind: KindStatement, unit: i, end: len(s.Text), verdict: verdict,
		refuted: !claims.TurnsOnDenial(s.Against)})
}

// advises reports whether a statement stands under a heading of what shall be done.
func advises(c *parse.Claim) bool {
	return len(c.Heads) > 0 && slices.ContainsFunc(words.Split(c.Heads[len(c.Heads)-1], ""),
		func(w string) bool { return advice()[w] })
}

var advice = lazySet("recommend recommendation recommendations actions steps advice proposals measures todo")

// isSpan reports whether a fact follows from two days: the five months from 26 October to 28 March.
func (f *fact) isSpan() bool {
	return f.verdict.Verdict == Derived && len(f.from) > 1 &&
		!slices.ContainsFunc(f.from, func(a amount) bool { return a.dim != "d" })
}
