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
	for i, w := range f.pattern.Wants {
		if w.Number && !f.Have[i] {
			missing[w.Text] = i
		}
	}
	wanted := maps.Clone(missing)
	text := textOf(f.index.claims.Claims[f.First : f.Last+1])
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
		f.Have[i] = true
	}
	return len(wanted) > 0
}
