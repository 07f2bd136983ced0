package words

import "math"

// AnswerShare is the least share of a question's words, by weight, that an answer has.
// Rare words weigh more.
const AnswerShare = 0.5

// ShareOf returns a function that tells which share of a question's words a text has, by
// their weight.
func ShareOf(question string) func(text string) float64 {
	var read Analyzer
	weight, total := map[string]float64{}, 0.0
	read.Terms(question, func(term string, _ bool) {
		if _, seen := weight[term]; !seen {
			weight[term] = -math.Log(Prior(term))
			total += weight[term]
		}
	})
	return func(text string) float64 {
		has, seen := 0.0, map[string]bool{}
		read.Terms(text, func(term string, _ bool) {
			if !seen[term] {
				seen[term] = true
				has += weight[term]
			}
		})
		return has / max(total, 1e-9)
	}
}
