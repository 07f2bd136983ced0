package survival

import (
	"slices"
	"strings"

	"blackboard/board/claims"
	"blackboard/board/claims/parse"
	"blackboard/board/text"
)

// This file lets package claims have its say. It reads units, rates, bounds, time zones and
// tables, so it finds what a report says in another form, and what it contradicts. Words
// alone are judged by the patterns of this package.

// weigh changes what a report was found to carry of an item if its claims say otherwise.
func (f *finding) weigh(x *index) {
	if len(f.pattern.Wants) == 0 || f.cause == MissContradicted && x.refuted(f.Shown.First) {
		return
	}
	x.claims.Part = x.long
	s := x.claims.Survive(f.pattern.claim, f.pattern.content)
	f.near = s
	if !s.Verbatim && (f.cause == MissContradicted || f.pattern.asks) {
		f.unsure = f.undecided(x, &s)
		return
	}
	defer func() { f.unsure = f.undecided(x, &s) || s.Verdict == claims.Refuted && !s.Sure() }()
	switch {
	case s.Verbatim:
		f.say(&s, "")
	case s.Verdict == claims.Refuted:
		f.refute(&s)
	case f.cause != "" && s.Carries(f.coverage()):
		f.say(&s, "")
	}
}

// cite changes what a report was found to carry of an item by what the statements say that cite it. They speak of it: what
// has something of it is unsure at least, but for an item that they contradict.
func (f *finding) cite(x *index, id string) {
	s, cited := x.claims.SurviveCited(id, f.pattern.claim, f.pattern.content)
	switch {
	case !cited || len(f.pattern.Wants) == 0:
	case s.Verdict == claims.Refuted:
		f.lacks, f.unsure, f.near, f.cited = nil, false, s, true
		f.refute(&s)
	case !f.unsure && (f.cause == "" || f.cause == MissContradicted):
	case s.Verdict == claims.Supported:
		f.lacks, f.unsure, f.near = nil, false, s
		f.say(&s, "")
	case f.cause != MissContradicted && s.Verdict == claims.Unsure:
		f.unsure, f.near, f.said = true, s, nil
	}
}

// stray contradicts an item whose figure the report has nowhere, and in whose place it has one that no finding has, or
// whose person is nowhere near, and somebody else stands there.
func (f *finding) stray(has func(*parse.Detail) bool) {
	why := f.index.claims.Stray(&f.near, has)
	if why == "" {
		why = f.index.claims.Stranger(&f.near)
	}
	if why != "" {
		f.unsure = false
		f.say(&f.near, MissContradicted)
		f.reasons = []string{why}
	}
}

// knowledge is what a run has found.
type knowledge struct {
	patterns []*pattern      // of the items
	others   func() []string // of what need not surface, read at first use
	texts    []string
	seen     map[string]bool // figures that were looked for
}

// has reports whether a finding has a figure. Of those that are no items, the ones that have its first digits are read.
func (k *knowledge) has(x *parse.Detail) bool {
	if slices.ContainsFunc(k.patterns, func(p *pattern) bool { return claims.HasFigure(p.claim, x) }) {
		return true
	}
	if k.others != nil {
		k.texts, k.others, k.seen = k.others(), nil, map[string]bool{}
	}
	digits := reDigits.FindString(x.Text)
	found, seen := k.seen[x.Text]
	if seen || len(k.texts) == 0 || digits == "" {
		return found
	}
	found = slices.ContainsFunc(k.texts, func(t string) bool {
		return strings.Contains(t, digits) && claims.HasFigure(parse.ExtractText(t, ""), x)
	})
	k.seen[x.Text] = found
	return found
}

var reDigits = text.NewRegexp(`\d+`)

// undecided reports whether a passage of a short report speaks of an item that was not found. In a
// long one the words of any item meet somewhere.
func (f *finding) undecided(x *index, s *claims.Survival) bool {
	return f.cause != "" && f.cause != MissContradicted && !x.long && s.Window != nil &&
		(f.scattered() || s.ToldByOthers() && s.Speaks() ||
			(s.Verdict == claims.Supported || s.Verdict == claims.Unsure) && s.Speaks())
}

// scattered reports whether a passage has enough of the words of an item, but no sentence has them, and the claims say
// nothing of it.
func (f *finding) scattered() bool {
	return f.cause == MissScattered && f.Share >= leastCoverage && f.near.Verdict == claims.Unsupported
}

// longReports reports whether reports are so long together that the words of any item meet
// somewhere in them.
func longReports(all []*index) bool {
	n := 0
	for _, x := range all {
		n += len(x.claims.Claims)
	}
	return n >= claims.LongText
}

// refute notes that a report contradicts an item or, if the item was not found by its words, has another figure.
func (f *finding) refute(s *claims.Survival) {
	if f.cause != "" && len(s.Differs) > 0 {
		f.say(s, MissNumber)
	} else {
		f.say(s, MissContradicted)
	}
	f.reasons = slices.Compact(s.Reasons)
}

// say takes over what the claims of a report say.
func (f *finding) say(s *claims.Survival, cause string) {
	f.said, f.cause = s, cause
	for _, d := range slices.Concat(s.Differs, s.Lacks) {
		f.lacks = append(f.lacks, d.Text)
	}
	if s.Verbatim {
		f.lacks = nil
	}
}
