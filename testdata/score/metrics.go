package main

import (
	"math"
	"slices"
)

// The measures judge one query's ranking, best first, against grades: what somebody
// judged each document to be worth. Grades above 0 mean relevant; 0, below 0 and no grade
// mean not relevant. A query without a relevant document, of which every measure here is
// 0, says nothing: leave it out of the mean.
//
// k cuts the ranking after k places; below 1 it is read whole. An id that is listed again
// holds its place and earns nothing.

// nDCG is the normalised discounted cumulative gain of the first k, 0..1, as trec_eval's
// ndcg_cut and so BEIR define it: the sum of grade/log2(place+1), places counted from 1,
// divided by what the best possible ranking of all the judged documents would reach in k
// places. With grades of 0 and 1 it is the binary one. (After Järvelin, Kekäläinen:
// Cumulated gain-based evaluation of IR techniques, TOIS 2002.)
func nDCG[ID comparable](ranked []ID, grades map[ID]int, k int) float64 {
	ideal := make([]int, 0, len(grades))
	for _, g := range grades {
		if g > 0 {
			ideal = append(ideal, g)
		}
	}
	slices.Sort(ideal)
	slices.Reverse(ideal)
	var best, got float64
	for i, g := range cut(ideal, k) {
		best += discounted(g, i)
	}
	if best == 0 {
		return 0
	}
	for i := range relevant(ranked, grades, k) {
		got += discounted(grades[ranked[i]], i)
	}
	return min(1, got/best)
}

// recall is the share of all relevant documents that are among the first k, 0..1.
func recall[ID comparable](ranked []ID, grades map[ID]int, k int) float64 {
	all, found := 0, 0
	for _, g := range grades {
		if g > 0 {
			all++
		}
	}
	if all == 0 {
		return 0
	}
	for range relevant(ranked, grades, k) {
		found++
	}
	return float64(found) / float64(all)
}

// mrr is one query's part of the mean reciprocal rank, 0..1: 1 ÷ the place of the first
// relevant document among the first k, or 0 if there is none.
func mrr[ID comparable](ranked []ID, grades map[ID]int, k int) float64 {
	for i := range relevant(ranked, grades, k) {
		return 1 / float64(i+1)
	}
	return 0
}

// relevant yields the indexes of relevant documents among the first k, each document
// once.
func relevant[ID comparable](ranked []ID, grades map[ID]int, k int) func(yield func(int) bool) {
	ranked = cut(ranked, k)
	return func(yield func(int) bool) {
		for i, id := range ranked {
			// Few are relevant, so looking back costs less than a set.
			if grades[id] > 0 && !slices.Contains(ranked[:i], id) && !yield(i) {
				return
			}
		}
	}
}

// discounted is what a grade is worth at index i.
func discounted(grade, i int) float64 { return float64(grade) / math.Log2(float64(i)+2) }

func cut[T any](list []T, k int) []T {
	if k < 1 {
		return list
	}
	return list[:min(k, len(list))]
}
