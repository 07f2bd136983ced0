package survival

import (
	"maps"
	"strings"

	"blackboard/board/documents"
	"blackboard/board/trace"
)

// This file looks for numbers that a reader must work out: 30 of 75 is 40 %, and from 9:12
// to 9:20 are eight minutes.

// follows reports whether the numbers that the passage lacks follow from those that it has,
// or are rounded from them. Then it has them all.
func (f *finding) follows() bool {
	missing := map[string]int{} // their places in wants
	for i, w := range f.pattern.wants {
		if w.number && !f.have[i] {
			missing[w.text] = i
		}
	}
	wanted := maps.Clone(missing)
	text := f.index.report.Text()[f.index.units[f.first].start:f.index.units[f.last].end]
	read := func(record func(trace.Record) error) error {
		return record(trace.Record{ID: "passage", Text: text})
	}
	r, err := trace.Check(read, nil, documents.New("item", f.pattern.content))
	if err != nil {
		return false
	}
	for _, fact := range r.Facts {
		if fact.Verdict == trace.Unsupported || fact.Verdict == trace.Derived &&
			fact.Why != "a time between" && fact.Why != "a share" {
			return false // a sum or a difference of two numbers is a chance too often
		}
		for m := range missing {
			if (fact.Verdict == trace.Derived || fact.Cause == trace.Rounded) &&
				(strings.Contains(fact.Text, m) || strings.Contains(m, fact.Text)) {
				delete(missing, m)
			}
		}
	}
	if len(missing) > 0 {
		return false
	}
	for _, i := range wanted {
		f.have[i] = true
	}
	return len(wanted) > 0
}
