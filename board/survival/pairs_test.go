package survival

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/documents"
	"blackboard/testdata/expect"
)

// TestPairs holds which of the pairs in testdata/survival/pairs.txt are judged rightly:
// an item, and a report of one sentence or two that says it, or does not.
func TestPairs(t *testing.T) {
	data := expect.Value(os.ReadFile(filepath.Join("..", "..", "testdata", "survival", "pairs.txt")))(t)
	wrong := 0
	for line := range strings.Lines(string(data)) {
		label, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		item, report, ok := strings.Cut(rest, " | ")
		if !ok || label != "present" && label != "missing" {
			t.Fatalf("%q is no pair", line)
		}
		r := Check([]Item{{ID: "e1", Why: WhyMustSurface, Content: item}},
			documents.New("report.md", report))
		if (r.Items[0].Cause == "") != (label == "present") {
			wrong++
			t.Logf("called %q: %s", r.Items[0].Cause, line)
		}
	}
	if wrong > 31 {
		t.Errorf("%d pairs are judged wrongly; it was 31", wrong)
	}
}
