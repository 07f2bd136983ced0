package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMetrics(t *testing.T) {
	// Discounts of the first places: 1, .630930, .5, .430677, .386853.
	binary := map[string]int{"a": 1, "b": 1, "c": 1, "d": 0, "e": -1}
	graded := map[string]int{"a": 3, "b": 2, "c": 1}
	for name, test := range map[string]struct {
		ranked            []string
		grades            map[string]int
		k                 int
		ndcg, recall, mrr float64
	}{
		"perfect":              {[]string{"c", "a", "b", "x"}, binary, 10, 1, 1, 1},
		"perfect, cut":         {[]string{"c", "a", "b"}, binary, 2, 1, 2. / 3, 1},
		"one of three":         {[]string{"x", "a", "d", "e"}, binary, 10, .630930 / 2.130930, 1. / 3, .5},
		"two of three at 2":    {[]string{"x", "a", "b"}, binary, 2, .630930 / 1.630930, 1. / 3, .5},
		"graded":               {[]string{"c", "x", "a"}, graded, 10, (1 + 3*.5) / (3 + 2*.630930 + .5), 2. / 3, 1},
		"graded, perfect":      {[]string{"a", "b", "c"}, graded, 3, 1, 1, 1},
		"beyond the cut":       {[]string{"x", "y", "a"}, graded, 2, 0, 0, 0},
		"whole list":           {[]string{"x", "y", "a"}, graded, 0, 1.5 / 4.761860, 1. / 3, 1. / 3},
		"negative cut":         {[]string{"x", "y", "a"}, graded, -3, 1.5 / 4.761860, 1. / 3, 1. / 3},
		"nothing found":        {nil, graded, 10, 0, 0, 0},
		"nothing relevant":     {[]string{"d", "e"}, map[string]int{"d": 0, "e": -2}, 10, 0, 0, 0},
		"no grades":            {[]string{"d"}, nil, 10, 0, 0, 0},
		"again earns nothing":  {[]string{"a", "a", "a", "b"}, binary, 10, 1.430677 / 2.130930, 2. / 3, 1},
		"negative grade costs": {[]string{"e", "a"}, map[string]int{"a": 1, "e": -5}, 10, .630930, 1, .5}, // no: counts as 0
	} {
		t.Run(name, func(t *testing.T) {
			ndcg, recall, mrr := nDCG(test.ranked, test.grades, test.k), recall(test.ranked, test.grades, test.k), mrr(test.ranked, test.grades, test.k)
			if math.Abs(ndcg-test.ndcg) > 1e-6 || math.Abs(recall-test.recall) > 1e-12 || math.Abs(mrr-test.mrr) > 1e-12 {
				t.Errorf("got %v %v %v, want %v %v %v", ndcg, recall, mrr, test.ndcg, test.recall, test.mrr)
			}
		})
	}
}

func TestMetricsProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for range 3000 {
		grades := map[int64]int{}
		for range r.IntN(8) {
			grades[r.Int64N(15)] = []int{-1, 0, 1, 2, 3, math.MaxInt}[r.IntN(6)]
		}
		n, k := r.IntN(15), r.IntN(14)-2
		ranked := make([]int64, n) // ids may come again
		for i := range ranked {
			ranked[i] = r.Int64N(int64(2*n + 1))
		}
		for name, m := range map[string]float64{"nDCG": nDCG(ranked, grades, k), "recall": recall(ranked, grades, k), "MRR": mrr(ranked, grades, k)} {
			if !(m >= 0 && m <= 1) {
				t.Fatalf("%s of %v by %v at %d is %v", name, ranked, grades, k, m)
			}
		}
		if ranked = unique(ranked); len(ranked) > 1 && k > 0 { // a relevant document one place up never costs
			i := 1 + r.IntN(len(ranked)-1)
			better := append([]int64{}, ranked...)
			better[i], better[i-1] = better[i-1], better[i]
			if max(0, grades[ranked[i]]) >= max(0, grades[ranked[i-1]]) && nDCG(better, grades, k) < nDCG(ranked, grades, k)-1e-12 {
				t.Fatalf("%v by %v at %d has less than %v", better, grades, k, ranked)
			}
		}
	}
}

// unique drops all but the first of each id.
func unique(ids []int64) (out []int64) {
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
