package trace

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"blackboard/board/documents"
	"blackboard/testdata/expect"
)

var benchWords = strings.Fields(
	`supplier invoice audit contract delay payment server latency outage customer region price margin revenue
	warranty claim response request license renewal backup database index queue worker release deployment budget forecast risk
	policy notice agreement shipment warehouse carrier insurance premium deposit account balance transfer settlement dispute`,
)

// benchRun makes a board of that many entries, and a report of that many pages that is
// made of its contents.
func benchRun(entries, pages int) ([]Record, *documents.Document) {
	r := rand.New(rand.NewSource(1))
	pick := func() string { return benchWords[r.Intn(len(benchWords))] }
	name := func() string {
		return fmt.Sprintf("%s%s", strings.ToUpper(pick()[:1]),
			pick()[1:]) + "ex"
	}
	records := make([]Record, entries)
	for i := range records {
		records[i] = Record{
			ID: fmt.Sprintf("e%d", i+1),
			Text: fmt.Sprintf(
				"The %s %s of %s rose by %d.%d %% to $%d,%03d after %d %s on 2025-%02d-%02d, says %s-%d.\n\nthe %s of the %s was %d ms\n\n%s/%s-%d.pdf",
				pick(),
				pick(),
				name(),
				r.Intn(90),
				r.Intn(10),
				1+r.Intn(900),
				r.Intn(1000),
				r.Intn(400),
				pick()+"s",
				1+r.Intn(12),
				1+r.Intn(28),
				strings.ToUpper(pick()[:3]),
				r.Intn(5000),
				pick(),
				pick(),
				r.Intn(5000),
				pick(),
				pick(),
				r.Intn(300),
			),
		}
	}
	var b strings.Builder
	for p := range pages {
		fmt.Fprintf(&b, "## Part %d\n\n", p+1)
		for n := range 8 { // paragraphs, every other one of figures
			for range 3 {
				if n%2 == 1 {
					fmt.Fprintf(
						&b,
						"The %s of the %s %s that %s and %s need was put off by the %s. ",
						pick(),
						pick(),
						pick(),
						name(),
						pick(),
						pick(),
					)
					continue
				}
				text, _, _ := strings.Cut(records[r.Intn(entries)].Text, "\n")
				b.WriteString(text + " ")
			}
			fmt.Fprintf(
				&b,
				"The %s %s of %s fell by %d.%d %%.\n\n",
				pick(),
				pick(),
				name(),
				r.Intn(90),
				r.Intn(10),
			)
		}
	}
	return records, documents.New("report.md", b.String())
}

// BenchmarkTrace is a report of 300 pages against 100,000 entries.
func BenchmarkTrace(b *testing.B) {
	records, report := benchRun(100_000, 300)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		r := expect.Value(Check(each(records), nil, report))(b)
		b.ReportMetric(float64(r.Checked), "facts")
		b.ReportMetric(r.Share, "share")
		b.ReportMetric(float64(len(report.Text()))/1e3, "KB")
	}
}
