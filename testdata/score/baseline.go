package main

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// What each figure stands beside is a few lines long: whoever is no better needs no program.

var (
	plainWord   = regexp.MustCompile(`[\p{L}\p{N}]+`)
	plainFigure = regexp.MustCompile(`\d[\d.,]*\d|\d`)
	capitalised = regexp.MustCompile(`\b[A-Z][\w'-]+`)
)

// holds is a rule of two lines: every number and every capitalised word of a claim is in the text.
func holds(claim, text string) bool {
	text = strings.ToLower(text)
	needed := append(plainFigure.FindAllString(claim, -1), capitalised.FindAllString(claim, -1)...)
	return !slices.ContainsFunc(needed, func(w string) bool { return !strings.Contains(text, strings.ToLower(w)) })
}

// plainBM25 ranks a set's documents for each of its questions: whole words in lower case, without
// stems, k1 .9 and b .4.
func plainBM25(set *Set) map[string][]string {
	type posting struct{ doc, count int }
	postings, lengths, total := map[string][]posting{}, make([]float64, len(set.Docs)), 0.0
	for i, d := range set.Docs {
		counts := map[string]int{}
		for _, w := range plainWord.FindAllString(strings.ToLower(d.Title+" "+d.Text), -1) {
			counts[w]++
			lengths[i]++
		}
		total += lengths[i]
		for w, n := range counts {
			postings[w] = append(postings[w], posting{i, n})
		}
	}
	mean, all := total/float64(len(set.Docs)), map[string][]string{}
	for _, q := range set.Queries {
		scores := map[int]float64{}
		for _, w := range plainWord.FindAllString(strings.ToLower(q.Text), -1) {
			found := float64(len(postings[w]))
			idf := math.Log(1 + (float64(len(set.Docs))-found+.5)/(found+.5))
			for _, p := range postings[w] {
				n := float64(p.count)
				scores[p.doc] += idf * n * 1.9 / (n + .9*(1-.4+.4*lengths[p.doc]/mean))
			}
		}
		var docs []int
		for i := range scores {
			docs = append(docs, i)
		}
		slices.SortFunc(docs, func(a, b int) int {
			if scores[a] != scores[b] {
				return -compare(scores[a], scores[b])
			}
			return a - b
		})
		for _, i := range docs[:min(depth, len(docs))] {
			all[q.ID] = append(all[q.ID], set.Docs[i].ID)
		}
	}
	return all
}

func compare(a, b float64) int {
	if a < b {
		return -1
	}
	return 1
}

// A figure is a mean with the bounds of its 95 % confidence interval.
type figure struct{ Value, Low, High float64 }

// mean of what each question got. The bounds are those of 1,000 samples, drawn with replacement;
// the same each time.
func mean(values []float64) figure {
	return bootstrap(len(values), func(pick []int) float64 {
		sum := 0.0
		for _, i := range pick {
			sum += values[i]
		}
		return sum / float64(len(pick))
	})
}

func bootstrap(n int, of func(pick []int) float64) figure {
	pick := make([]int, n)
	for i := range pick {
		pick[i] = i
	}
	f := figure{Value: of(pick)}
	random := rand.New(rand.NewPCG(7, 7))
	var samples []float64
	for range 1000 {
		for i := range pick {
			pick[i] = random.IntN(n)
		}
		if v := of(pick); !math.IsNaN(v) {
			samples = append(samples, v)
		}
	}
	slices.Sort(samples)
	f.Low, f.High = samples[len(samples)*25/1000], samples[len(samples)*975/1000-1]
	return f
}

// judged is something true or false, and what was said of it.
type judged struct{ is, ours, rule bool }

// balanced is the mean of how many of the true are called true, and of the false false.
func balanced(all []judged, said func(judged) bool) figure {
	return bootstrap(len(all), func(pick []int) float64 {
		right, of := [2]float64{}, [2]float64{}
		for _, i := range pick {
			k := 0
			if all[i].is {
				k = 1
			}
			of[k]++
			if said(all[i]) == all[i].is {
				right[k]++
			}
		}
		return (right[0]/of[0] + right[1]/of[1]) / 2
	})
}
