package memory

import (
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

// TestMisplaced: what any look at the files shows, and what is of one project in the
// account, is stored with a note; other texts with files and numbers have none.
func TestMisplaced(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	for _, c := range []struct{ tier, content, want string }{
		{Account, "Workspace file src/main.go has 200 lines", "the files show this|about one project"},
		{Workspace, "cmd/board/main.go contains 12 functions", "the files show this"},
		{Workspace, "Die Datei lib/plan.py hat 300 Zeilen", "the files show this"},
		{Account, "Retries are in internal/client/retry.go because the SDK has none", "about one project"},
		{Account, "In this repository tests run with make check", "about one project"},
		{Workspace, "Retries are in internal/client/retry.go because the SDK has none", ""},
		{Workspace, "An upload has 25 files at most", ""},
		{Workspace, "src/gen.go is generated: edit gen.tmpl instead", ""},
		{Workspace, "The customer's export has 3 files a day, one for each region", ""},
		{Account, "The user wants answers in British English", ""},
		{Account, "Prefers tabs over spaces, and tests before code", ""},
		{Account, "Uses node.js at home and knows Go well", ""},
		{Account, "Wants either/or questions answered with one word", ""},
	} {
		r := expect.Value(s.Put(t.Context(), Item{Tier: c.tier, Content: c.content}, PutOptions{}))(t)
		got := strings.Join(r.Warnings, "|")
		for _, want := range strings.Split(c.want, "|") {
			if !strings.Contains(got, want) {
				t.Errorf("%s, %q: there is no %q in %q", c.tier, c.content, want, got)
			}
		}
		if c.want == "" && got != "" {
			t.Errorf("%s, %q: %q", c.tier, c.content, got)
		}
	}
}
