package memory

import (
	"cmp"
	"math"
	"time"

	"blackboard/board/words"
)

// This file tells what was asked for from what was shown beside it: several sessions
// that asked for an item make it long-term.

// askedBy is an item that a session asked for.
type askedBy struct {
	n       int64
	session string
}

// mostSessions is how many sessions that asked for an item are kept.
const mostSessions = 16

// ask notes that a session asked what items answer. Like touch it is written later; it
// is followed by a touch of them.
func (f *file) ask(session string, items ...*Item) {
	if f.ReadOnly() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, it := range items {
		f.asked[askedBy{it.n, session}] = true
	}
}

// session names the session that asks: its conversation, else what the caller says, else
// the agent's day.
func (s *Store) session(conversation string, now time.Time) string {
	return cmp.Or(conversation, s.opt.Session, s.opt.Agent+"@"+now.Format(time.DateOnly))
}

// answerShare is what an item has at least of the weight of a question's words if it
// answers it; the rarer a word is in language, the more it weighs.
const answerShare = 0.5

// answers returns those of the hits of a question that answer it: first in their tier by
// words or by meaning, and with half of what the question says. The others are shown
// beside them.
func answers(question string, hits []Hit) (items []*Item) {
	var read words.Analyzer
	weight, total := map[string]float64{}, 0.0
	read.Terms(question, func(term string, _ bool) {
		if _, seen := weight[term]; !seen {
			weight[term] = -math.Log(words.Prior(term))
			total += weight[term]
		}
	})
	for i := range hits {
		h := &hits[i]
		if h.TextRank != 1 && h.VectorRank != 1 {
			continue
		}
		has, seen := 0.0, map[string]bool{}
		read.Terms(embeddingText(&h.Item), func(term string, _ bool) {
			if !seen[term] {
				seen[term] = true
				has += weight[term]
			}
		})
		if has >= answerShare*total {
			items = append(items, &h.Item)
		}
	}
	return items
}
