package trace

import (
	"cmp"
	"slices"
	"strings"

	"blackboard/board/fault"
)

// ranks order verdicts and causes, the worst first.
var ranks = map[string]int{
	Opposite:   1,
	Elsewhere:  2,
	OtherUnit:  3,
	OtherValue: 4,
	Absent:     5,
	Source:     7,
	Derived:    8,
	Rounded:    9,
}

func rank(f *Fact) int {
	switch {
	case f.Unsure:
		return 6
	case f.Verdict == Source || f.Verdict == Derived:
		return ranks[f.Verdict]
	}
	return cmp.Or(ranks[f.Cause], 10)
}

// result puts the verdicts together.
func (t *tracer) result() Result {
	r := Result{Facts: []Fact{}, Passages: []Passage{}, Checked: len(t.facts), Share: 1}
	at := make(map[int]int, len(t.units))
	slices.SortStableFunc(t.facts,
		func(a, b fact) int { return cmp.Or(a.unit-b.unit, a.start-b.start) })
	stated := map[int]bool{}
	for i := range t.facts {
		if f := &t.facts[i]; f.isAmount() && f.verdict.Verdict != Unsupported {
			stated[f.unit] = true
		}
	}
	counts := map[string]int{}
	for i := range t.facts {
		f := &t.facts[i]
		u := &t.units[f.unit]
		n, ok := at[f.unit]
		if !ok {
			n = len(r.Passages)
			at[f.unit] = n
			r.Passages = append(
				r.Passages,
				Passage{
					Report: u.report.Name,
					Line:   u.Line,
					Text:   oneLine(u.Text, 300),
				},
			)
			clear(counts)
		}
		v := f.verdict
		v.Report, v.Line, v.Kind, v.Passage = u.report.Name, t.lineOf(f), f.kind, n
		v.Text = oneLine(f.text(t), 300)
		v.Unsure = v.Verdict == Unsupported && !v.IsUnsaid() && t.isUnsure(f, stated)
		if v.Entries == nil {
			v.Entries = []string{}
		}
		if v.From == nil {
			v.From = []string{}
		}
		p := &r.Passages[n]
		p.Facts++
		switch {
		case v.IsUnsaid():
			r.Unsaid++
			r.Checked--
		case v.Verdict == Unsupported:
			r.Unsupported++
			p.Missing++
			if v.Unsure {
				r.Unsure++
			}
		case v.Verdict == Derived:
			r.Derived++
		case v.Verdict == Source:
			r.SourceOnly++
		default:
			r.Supported++
		}
		if v.Verdict != Unsupported {
			for _, id := range v.Entries {
				counts[id]++
				if !slices.Contains(p.Entries, id) {
					p.Entries = append(p.Entries, id)
				}
			}
			slices.SortStableFunc(p.Entries, func(a, b string) int { return counts[b] - counts[a] })
		}
		r.Facts = append(r.Facts, v)
	}
	for i := range r.Passages {
		p := &r.Passages[i]
		if p.Entries == nil {
			p.Entries = []string{}
		}
		p.Entries = p.Entries[:min(len(p.Entries), maxEntries)]
	}
	slices.SortStableFunc(r.Facts, func(a, b Fact) int { return rank(&a) - rank(&b) })
	r.Passed = r.Unsupported == 0
	if r.Checked > 0 {
		r.Share = float64(r.Checked-r.Unsupported) / float64(r.Checked)
	}
	return r
}

// isUnsure reports whether an unsupported fact is of a kind that was wrong at least as often as right
// in labelled reviews: the board has its very number of something else, its sentence works it out of
// another figure, a heading names what the report is of, or one word is denied on one side. stated are
// the sentences that have a figure which something states.
func (t *tracer) isUnsure(f *fact, stated map[int]bool) bool {
	switch cause := f.verdict.Cause; {
	case f.refuted:
		return false
	case cause == Elsewhere, cause == OtherUnit, f.kind == KindStatement, t.units[f.unit].Title:
		return true
	}
	return f.isAmount() && stated[f.unit] && t.hasCue(f, saidCues())
}

// Counted is how many facts a policy counts: those that nothing states and that are hardly right, and
// those that a source alone states.
func (r *Result) Counted() int { return r.Unsupported - r.Unsure + r.SourceOnly }

// IsUnsaid reports whether a fact is a sentence that tells what no finding says. It is a warning.
func (f *Fact) IsUnsaid() bool {
	return f.Kind == KindStatement && f.Cause == Absent && f.Verdict == Unsupported
}

func oneLine(s string, max int) string {
	return fault.Clip(strings.Join(strings.Fields(s), " "), max)
}
