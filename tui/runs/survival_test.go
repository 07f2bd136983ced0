package runs

import (
	"strings"
	"testing"

	"blackboard/board/documents"
	"blackboard/board/survival"
)

// TestCarried: words of a passage count as the check counts them.
func TestCarried(t *testing.T) {
	for _, c := range []struct{ item, report, want string }{
		{"Tokens expire after 15 minutes", "The token will have expired in a quarter, after 15 long minutes.", "token expired 15"},
		{"Fees of 2027-03-01 were paid", "The fees were paid on 1 March 2027 in full.", "fees paid 1 March 2027"},
		{"Fees of 2027-03-01 were paid", "In 2027 the fees were paid on a Monday.", "fees paid"},
		{"It costs 4,500 a day", "There is a cost of 4500 a day.", "cost 4500"},
	} {
		r := survival.Check([]survival.Item{{ID: "e1", Content: c.item}}, documents.New("report.md", c.report)).Items[0]
		if r.Passage == nil {
			t.Errorf("%s: there is no passage: %+v", c.item, r)
			continue
		}
		got := carried(&r)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s in %q: %q is marked, not %q", c.item, c.report, got, c.want)
		}
	}
}
