package runs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/board/documents"
	"blackboard/board/survival"
	"blackboard/testdata/cost"
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

// TestFindReports: near files come before those that are too many.
func TestFindReports(t *testing.T) {
	cost.SkipTable(t)
	dir := t.TempDir()
	for i := range maxLookedAt {
		if err := os.MkdirAll(filepath.Join(dir, "deep"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "deep", fmt.Sprintf("%04d.md", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "REPORT.MD"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "REPORT.MD"), filepath.Join(dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "circle.md")); err != nil {
		t.Fatal(err)
	}
	all := findReports(t.Context(), dir)
	for _, want := range []string{"REPORT.MD", "link.md"} {
		if !slices.ContainsFunc(all, func(r reportFile) bool { return r.path == want }) {
			t.Errorf("%s is not found", want)
		}
	}
	if n := maxLookedAt - 4 + 2; len(all) != n { // the four at the top, two of which are reports
		t.Errorf("%d files are found, not %d", len(all), n)
	}
}
