package claims

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"blackboard/testdata/expect"
)

// manyItems are findings about some thousand subjects, each said several times, with a
// few that differ.
func manyItems(n int) List {
	rng := rand.New(rand.NewPCG(1, 2))
	word := func(k int) string {
		return []string{"north", "harbor", "steel", "lumen", "cedar", "delta",
			"orchid", "quartz"}[k%8]
	}
	items := make(List, n)
	for i := range items {
		subject := rng.IntN(n/6 + 1)
		name := fmt.Sprintf("Unit%d-%s", subject, word(subject))
		var s string
		switch rng.IntN(5) {
		case 0:
			s = fmt.Sprintf("Revenue of %s in fiscal 2025 was $%d.%dM according to the annual report.", name, subject%90+5, rng.IntN(20)/19)
		case 1:
			s = fmt.Sprintf("The lease of %s ends on %d June 2027 and covers the %s warehouse.",
				name, subject%20+1+rng.IntN(30)/29, word(subject/8))
		case 2:
			s = fmt.Sprintf("Backups of the %s billing database are%s encrypted at rest.", name,
				[]string{"", "", "", "", " not"}[rng.IntN(5)])
		case 3:
			s = fmt.Sprintf("The gateway of %s closes idle connections after %d seconds, which its operators confirmed in the interview.", name, 30+subject%60)
		default:
			s = fmt.Sprintf("Auditors tested the inventory counts of %s; the %s site was visited twice and no exception was noted.", name, word(subject/3))
		}
		items[i] = Item{ID: fmt.Sprint("e", i+1), Content: s,
			Source: fmt.Sprintf("doc%d.md", subject%200)}
	}
	return items
}

// BenchmarkConflicts compares 100,000 entries. It is to take 20 s at most on two processors.
func BenchmarkConflicts(b *testing.B) {
	items := manyItems(100_000)
	b.ReportAllocs()
	for b.Loop() {
		got := expect.Value(Conflicts(b.Context(), items, Options{}))(b)
		b.ReportMetric(float64(got.Total), "pairs")
	}
}
