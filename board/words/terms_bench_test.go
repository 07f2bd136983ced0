package words

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

// prose returns about n bytes of something that has the word lengths, frequencies and
// punctuation of English.
func prose(n int) string {
	r := seeded()
	vocabulary := make([]string, 0, 20_000)
	for range cap(vocabulary) {
		vocabulary = append(vocabulary, randomPlain(r))
	}
	zipf := rand.NewZipf(r, 1.1, 4, uint64(len(vocabulary)-1))
	var b strings.Builder
	for start := true; b.Len() < n; {
		word := vocabulary[zipf.Uint64()]
		if start {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		b.WriteString(word)
		start = false
		switch r.IntN(60) {
		case 0, 1, 2:
			b.WriteString(". ")
			start = true
		case 3, 4, 5:
			b.WriteString(", ")
		case 6:
			b.WriteString("'s ")
		case 7:
			b.WriteString("-")
		case 8:
			b.WriteString(" (")
		case 9:
			b.WriteString(") ")
		case 10:
			b.WriteString(" 12.5 ")
		case 11:
			b.WriteString("\n\n")
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func BenchmarkAnalyze(b *testing.B) {
	code := expect.Value(os.ReadFile("token.go"))(b)
	for _, bench := range []struct{ name, text string }{
		{"prose", prose(1 << 20)},
		{"code", string(code)},
		{"accents", strings.Repeat(
			"Der schöne Käse schmeckt größeren Mäusen, naïve cafés. ", 2000)},
		{"cyrillic", strings.Repeat(
			"Съешь же ещё этих мягких французских булок, да выпей чаю. ", 2000)},
		{"chinese", strings.Repeat("我喜欢猫，也喜欢在图书馆里看书。", 2000)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var a Analyzer
			count := 0
			emit := func(string, bool) { count++ }
			a.Terms(bench.text, emit)
			b.SetBytes(int64(len(bench.text)))
			b.ReportAllocs()
			count = 0
			for b.Loop() {
				a.Terms(bench.text, emit)
			}
			b.ReportMetric(float64(count)/float64(b.N), "terms/op")
		})
	}
	b.Run("cold", func(b *testing.B) { // an empty memory at first
		text := prose(1 << 20)
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			new(Analyzer).Terms(text, func(string, bool) {})
		}
	})
}
