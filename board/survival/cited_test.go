package survival

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/documents"
	"blackboard/testdata/expect"
)

// TestCitedSets reads labelled sentences that cite findings: T says it, X says otherwise, M has nothing of it.
func TestCitedSets(t *testing.T) {
	for _, set := range []struct {
		name                    string
		doubted, passed, unsure int // true ones that fail; others that pass, or that are only to be read
	}{{"tune", 0, 1, 0}, {"unread", 2, 1, 0}} {
		text := expect.Value(os.ReadFile(filepath.Join("../../testdata/survival/cited", set.name+".txt")))(t)
		var findings map[string]string
		all, doubted, passed, unsure := [3]int{}, 0, 0, 0
		for line := range strings.Lines(string(text)) {
			kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			if kind == "#" {
				findings = map[string]string{}
				continue
			}
			if kind == "F" {
				id, content, _ := strings.Cut(rest, " ")
				findings[id] = content
				continue
			}
			ids, report, _ := strings.Cut(rest, " | ")
			doc := documents.New("report.md", strings.ReplaceAll(report, `\n`, "\n"))
			all[strings.Index("TXM", kind)]++
			for _, id := range strings.Split(ids, ",") {
				must := Check([]Item{{ID: id, Why: WhyMustSurface, Content: findings[id]}}, doc).Items[0]
				says := must.Cause
				if must.Unsure {
					says += " unsure"
				}
				bad := false
				switch {
				case kind == "T":
					if must.IsMissing() {
						doubted++
					}
					bad = must.IsMissing()
				case must.Unsure:
					unsure++
					bad = true
				case !must.IsMissing():
					passed++
					bad = true
				}
				if bad {
					t.Logf("%s %s: %q: %s / %s %q", kind, id, says, findings[id], report, must.Reasons)
				}
			}
		}
		t.Logf("%s: %d true, %d against, %d bare: doubted %d, passed %d; to be read %d", set.name,
			all[0], all[1], all[2], doubted, passed, unsure)
		if doubted > set.doubted || passed > set.passed || unsure > set.unsure {
			t.Error("worse")
		}
	}
}
