package claims

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"blackboard/board/claims/parse"
	"blackboard/board/documents"
)

// longTexts are texts of n statements of one kind: of figures, of dates, of names, of denials.
var longTexts = map[string]func(i, seed int) string{
	"figures": func(i, seed int) string {
		return fmt.Sprintf("Pump %d moves %d litres in %d minutes.", i, (i*37+seed*11)%997+3, (i*13+seed*7)%59+2)
	},
	"dates": func(i, seed int) string {
		return fmt.Sprintf("On %d March %d well %d gave %d.5 %% more water.", i%28+1, 2000+(i+seed)%25, i, i+seed)
	},
	"names": func(i, seed int) string {
		return fmt.Sprintf("Anna Berg%d paid %d euros to Carl Dahl%d on site.", i, i+100, i+seed)
	},
	"denials": func(i, seed int) string {
		return fmt.Sprintf("Valve %d is %s open, and gate %d stays closed until %d:00.", i,
			[]string{"not", "always"}[(i+seed)%2], i, i%24)
	},
}

func longText(of func(i, seed int) string, seed, n int) string {
	var all []string
	for i := range n {
		all = append(all, of(i+1, seed))
	}
	return strings.Join(all, " ")
}

// TestComparisonsGrowWithLength counts how often figures, names and clauses are compared with one another. Three times
// the text may take not nearly nine times as many comparisons, as if each were
// compared with each.
func TestComparisonsGrowWithLength(t *testing.T) {
	count := func(f func()) (n int) {
		var all atomic.Int64 // reports are judged on all processors
		parse.OnCompare = func() { all.Add(1) }
		defer func() { parse.OnCompare = nil }()
		f()
		return int(all.Load())
	}
	for kind, of := range longTexts {
		for name, work := range map[string]func(a, b string){
			"conflicts": func(a, b string) { NewEvidence(nil).differ(newFinding(a, ""), newFinding(b, "")) },
			"survival": func(a, b string) {
				NewEvidence(ExtractCiting(documents.New("report.md", b))).Even().Survive(parse.ExtractText(a, ""), a)
			},
			"verify": func(a, b string) {
				all := parse.ExtractDocument(documents.New("source.md", b))
				NewEvidence(all).Verify(parse.ExtractText(a, ""), all[2].Text, all[1:4])
			},
			"verify a long quote": func(a, b string) {
				all := parse.ExtractDocument(documents.New("source.md", b))
				NewEvidence(all).Verify(parse.ExtractText(a, ""), b, all)
			},
			"trace": func(a, b string) {
				NewEvidence(parse.ExtractDocument(documents.New("source.md", b))).
					Trace(parse.ExtractDocument(documents.New("report.md", a)))
			},
		} {
			some := func(n int) int {
				return count(func() { work(longText(of, 1, n), longText(of, 2, n)) })
			}
			if few, many := some(80), some(240); many > 7*few || few == 0 {
				t.Errorf("%s of %s: %d comparisons of 80 statements, %d of 240", name, kind, few, many)
			} else {
				t.Logf("%s of %s: %d and %d", name, kind, few, many)
			}
		}
	}
}
