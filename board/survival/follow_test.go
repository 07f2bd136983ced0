package survival

import (
	"testing"

	"blackboard/board/documents"
)

// TestFollows: a number that a reader works out or rounds from the passage is there; one
// that is a sum or a difference by chance, or is said of another unit, is not.
func TestFollows(t *testing.T) {
	for _, c := range []struct {
		item, report string
		present      bool
	}{
		{"The pager was called 570 seconds after the first card error.",
			"The first card error was at 18:42:10, and the pager was called at 18:51:40.", true},
		{"The pager was called 510 seconds after the first card error.",
			"The first card error was at 18:42:10, and the pager was called at 18:51:40.", false},
		{"About 1.2 million card payments were declined in the outage.",
			"In the outage 1,204,600 card payments were declined.", true},
		{"About 1.4 million card payments were declined in the outage.",
			"In the outage 1,204,600 card payments were declined.", false},
		{"Of the vendors asked, 40 percent have signed the new contract.",
			"The new contract: of 75 vendors asked, 30 vendors have signed it.", true},
		{"Of the vendors asked, 45 percent have signed the new contract.",
			"The new contract: of 75 vendors asked, 30 vendors have signed it.", false},
		{"Customer churn went up by 3 points, from 6% to 9%.",
			"Customer churn went up by 3 points, from 6% to 6.2%.", false},
		{"Crossings on electric ferries rose by 6 percent in two years.",
			"Crossings on electric ferries rose by 6 percentage points in two years.", false},
	} {
		r := Check([]Item{{ID: "e1", Why: WhyMustSurface, Content: c.item}},
			documents.New("report.md", c.report))
		if it := r.Items[0]; (it.Cause == "") != c.present ||
			c.present != (len(it.MissingNumbers) == 0) {
			t.Errorf("%q is %v in %q: %s, without %q", c.item, it.Cause == "", c.report, it.Cause,
				it.MissingNumbers)
		}
	}
}
