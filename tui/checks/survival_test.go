package checks

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"

	"blackboard/board/documents"
	"blackboard/board/survival"
	"blackboard/testdata/cost"
	"blackboard/tui/cells"
	"blackboard/tui/styles"
)

// TestCarriedBy: words of a passage count as the check counts them.
func TestCarriedBy(t *testing.T) {
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
		f := carriedBy(&r)
		var got []string
		for i, w := range f.words {
			if f.there[i] {
				got = append(got, w)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s in %q: %q is marked, not %q", c.item, c.report, got, c.want)
		}
	}
}

// TestMarkCarried: each word is marked by itself, wherever the lines break.
func TestMarkCarried(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("CLICOLOR_FORCE", "1")
	r := lipgloss.NewRenderer(io.Discard)
	r.SetHasDarkBackground(true)
	st := styles.New(r, "dark")
	f := &carriedWords{words: []string{"one", "unbreakable-word", "three"}, there: []bool{false, true, true}}
	text := strings.Join(f.words, " ")
	for w := 3; w < 30; w++ {
		var marked []string
		for _, l := range f.mark(st, cells.Wrap(text, w)) {
			on := st.Found.Render("\x01")
			before, after, _ := strings.Cut(on, "\x01")
			for _, part := range strings.Split(l, before)[1:] {
				word, _, closed := strings.Cut(part, after)
				if !closed || word == "" {
					t.Fatalf("width %d: %q does not end what it begins", w, l)
				}
				marked = append(marked, word)
			}
		}
		if got := strings.Join(marked, ""); got != "unbreakable-wordthree" {
			t.Errorf("width %d: %q is marked", w, marked)
		}
	}
}

// TestFindReports: near files come before those that are too many.
func TestFindReports(t *testing.T) {
	cost.SkipTable(t)
	dir := t.TempDir()
	for i := range mostLookedAt {
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
	all, more, err := findReports(context.Background(), dir)
	if err != nil || !more {
		t.Fatalf("%v %v", more, err)
	}
	for _, want := range []string{"REPORT.MD", "link.md"} {
		if !slices.ContainsFunc(all, func(r reportFile) bool { return r.path == want }) {
			t.Errorf("%s is not found", want)
		}
	}
	if n := mostLookedAt - 4 + 2; len(all) != n { // the four at the top, two of which are reports
		t.Errorf("%d files are found, not %d", len(all), n)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, _, err := findReports(stopped, dir); err == nil {
		t.Error("it goes on though the program ends")
	}
}
