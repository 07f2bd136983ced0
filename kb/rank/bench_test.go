package rank

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"blackboard/embed"
)

var sizes = []int{200, 2000}

// lanes makes two sorted lanes of n candidates that have half of them in common.
func lanes(n int) (a, b []Scored) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		a = append(a, Scored{int64(i), r.ExpFloat64() * 5})
		b = append(b, Scored{int64(i + n/2), r.Float64()})
	}
	Sort(a)
	Sort(b)
	return a, b
}

// BenchmarkMMR picks 10 by cosines of 384 numbers, which is where the time goes.
func BenchmarkMMR(b *testing.B) {
	for _, n := range sizes {
		x, _ := lanes(n)
		r := rand.New(rand.NewPCG(2, 2))
		vectors := make([]embed.Vector, n)
		for i := range vectors {
			vectors[i] = make(embed.Vector, 384)
			for j := range vectors[i] {
				vectors[i][j] = float32(r.NormFloat64()) + .5
			}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			calls := 0
			for b.Loop() {
				MMR(x, .7, 10, func(a, b int64) float64 { calls++; return embed.Cosine(vectors[a], vectors[b]) })
			}
			b.ReportMetric(float64(calls)/float64(b.N), "sims/op")
		})
	}
}

func BenchmarkBoost(b *testing.B) {
	for _, n := range sizes {
		x, _ := lanes(n)
		pushes := make([]Push, n/4)
		for i := range pushes {
			pushes[i] = Push{int64(4 * i), i%5 - 2, "workspace"}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Boost(x, pushes...)
			}
		})
	}
}
