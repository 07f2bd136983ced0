package report

import (
	"fmt"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/board/documents"
	"blackboard/board/trace"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// tracedHTML is the page of the sample board, with what its reports stand on.
func tracedHTML(t *testing.T, s *board.Snapshot, reports ...*documents.Document) string {
	t.Helper()
	r := expect.Value(trace.Check(func(read func(trace.Record) error) error {
		for _, e := range s.Entries {
			if err := read(trace.Record{ID: e.ID, Text: e.Content}); err != nil {
				return err
			}
		}
		return nil
	}, nil, reports...))(t)
	var b strings.Builder
	expect.OK(t, HTML(&b, s, board.Policy{}, nil, &r))
	return b.String()
}

// TestHTMLTrace: a reader goes from a passage of the report to its entries, and back, and
// sees what no entry supports.
func TestHTMLTrace(t *testing.T) {
	page := tracedHTML(t, sampleBoard(), documents.New("report.md",
		"# Lease\n\nThe rent is $4,500 a month.\n\nThe deposit is $9,999, <b>said</b> nobody.\n"))
	checkHTML(t, page)
	for _, want := range []string{
		`id="p1"`, `report.md:3`, `supported by <a href="#e1">e1</a>`, // there
		`in the report <a href="#p1">p1</a>`, // and back
		`id="p2"`, `<mark>$9,999</mark>, &lt;b&gt;said&lt;/b&gt; nobody.`,
		"Nothing supports <b>$9,999</b>", `<option>unsupported</option>`, "1 of 2 facts",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("missing: %s", want)
		}
	}
	if page := htmlOf(t, sampleBoard(), nil); strings.Contains(page, `id="report"`) {
		t.Error("a page without a report has a section for it")
	}
}

// TestHTMLTraceIsBounded: of a long report the page shows what is unsupported first.
func TestHTMLTraceIsBounded(t *testing.T) {
	cost.SkipUnlessLong(t)
	var text strings.Builder
	for range htmlItems + 10 {
		text.WriteString("The rent is $4,500 a month.\n\n")
	}
	fmt.Fprintf(&text, "The deposit is $9,999.\n")
	page := tracedHTML(t, sampleBoard(), documents.New("r<i>.md", text.String()))
	checkHTML(t, page)
	for _, want := range []string{"11 of 2,011 are not on this page", "<mark>$9,999</mark>", "and 1959 more", "r&lt;i&gt;.md:4021"} {
		if !strings.Contains(page, want) {
			t.Errorf("missing: %s", want)
		}
	}
}
