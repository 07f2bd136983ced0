package kb

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/board/words"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/rank"
	"blackboard/kb/store"
)

func (r *ranking) cut(q *Query) {
	most := q.most()
	if q.Mode != ModeBM25 && !q.NoMMR {
		r.list = rank.MMR(r.list, mmrLambda, most, func(a, b int64) float64 {
			return max(0, embed.Cosine(r.of[a].Vector, r.of[b].Vector)-alike) / (1 - alike)
		})
	}
	r.list = r.list[:min(len(r.list), most)]
}

// maxJudged is how many of the first hits a gated search judges, even if fewer are wanted.
const maxJudged = 8

// most is how many hits are ranked; the limit then cuts them.
func (q *Query) most() int {
	if q.Gate {
		return max(q.Limit, maxJudged)
	}
	return q.Limit
}

func numbersOf(list []rank.Scored) []int64 {
	ns := make([]int64, len(list))
	for i, s := range list {
		ns[i] = s.ID
	}
	return ns
}

// above returns the candidates with at least a score from a ranked list whose best has score 1.
func above(list []rank.Scored, score float64) []rank.Scored {
	for i := range list {
		if list[i].Score < score {
			return list[:i]
		}
	}
	return list
}

func (k *KB) readHits(tx *sqlite.Tx, q *Query, r *ranking, langs words.Languages, res *Result) error {
	ns := numbersOf(r.list)
	if r.prefetched != nil && !slices.ContainsFunc(ns,
		func(n int64) bool { return !slices.Contains(r.prefetched, n) }) {
		ns = r.prefetched
	}
	caps, err := capsulesWhere(tx, ofNumbers, sqlite.List(ns))
	if err != nil {
		return err
	}
	byN := make(map[int64]*Capsule, len(caps))
	for i := range caps {
		byN[caps[i].n] = &caps[i]
	}
	var why map[int64][]index.TermScore
	if q.Explain && q.Mode != ModeVector {
		if why, err = k.index.Explain(tx, index.Query{Text: q.Text, Expand: !q.Gate},
			numbersOf(r.list)); err != nil {
			return err
		}
	}
	terms := map[string]bool{}
	for _, t := range k.index.TermsIn(langs, q.Text) {
		terms[t] = true
	}
	for _, e := range res.Expanded {
		for _, t := range e.Terms {
			terms[t] = true
		}
	}
	for _, s := range r.list {
		c, cand := byN[s.ID], r.of[s.ID]
		if c == nil {
			return sqlite.Fault(fault.Corrupt, k.db.Path(),
				fmt.Sprintf("has capsule %d only in its index", s.ID), nil)
		}
		h := Hit{Capsule: *c, Score: s.Score, BM25Rank: cand.TextRank, VectorRank: cand.VectorRank,
			BM25Score: cand.BM25,
			RRFScore:  rank.Reciprocal(cand.TextRank) + rank.Reciprocal(cand.VectorRank),
			Boosts:    r.boosts[s.ID], Terms: why[s.ID]}
		if !q.Measuring {
			h.Snippet = k.snippet(c.Body, terms, langs)
		}
		if cand.HasVector {
			cos := cand.Cosine
			h.CosineScore = &cos
		}
		if h.Boosts == nil {
			h.Boosts = []string{}
		}
		res.Hits = append(res.Hits, h)
	}
	return nil
}

// RecallLimit and RecallFloor, a share of the best evidence, are for unasked answers.
const (
	RecallLimit = 3
	RecallFloor = 0.97
)

// sureAlone is how many times the threshold a hit has that is sure by itself: words that a prompt
// repeats put only the best one far ahead.
const sureAlone = 1.5

// Least is the least evidence of what is given unasked beside the best one.
func Least(floor, best, threshold float64) float64 {
	return max(threshold, min(floor*best, sureAlone*threshold))
}

// judge sets evidence and marks weak hits. A gated search drops them, and orders by evidence.
func (q *Query) judge(j *store.Judge, r *ranking, res *Result) {
	res.Threshold = j.Threshold
	for i := range res.Hits {
		h := &res.Hits[i]
		h.Evidence = j.Evidence(r.of[h.n], h.heading(), h.Body)
	}
	for i := range res.Hits {
		h := &res.Hits[i]
		h.Evidence = j.Settle(h.Evidence)
		h.Weak = h.Evidence < res.Threshold
		if h.Weak && q.Explain {
			h.Why = fmt.Sprintf("weak: evidence %.2f is below the threshold %.2f", h.Evidence,
				res.Threshold)
		}
		res.Evidence = max(res.Evidence, h.Evidence)
	}
	if !q.Gate {
		return
	}
	all, least := res.Hits, q.Floor*res.Evidence
	if !q.calibrating {
		least = Least(q.Floor, res.Evidence, res.Threshold)
	}
	res.Hits = surest(all, q.Limit, least)
	res.Gated = len(all) > 0 && len(res.Hits) == 0
	res.amongOne = j.AmongOne(res.Evidence)
	if q.Explain {
		res.LeftOut = leftOut(all, res, least)
	}
}

func leftOut(all []Hit, res *Result, least float64) (out []Hit) {
	for _, h := range all {
		if slices.ContainsFunc(res.Hits, func(o Hit) bool { return o.n == h.n }) {
			continue
		}
		switch {
		case h.Weak:
		case h.Evidence < least:
			h.Why = fmt.Sprintf("far behind the best: evidence %.2f against %.2f", h.Evidence,
				res.Evidence)
		default:
			h.Why = "beyond the limit"
		}
		out = append(out, h)
	}
	return out
}

func surest(hits []Hit, most int, least float64) []Hit {
	sure := []Hit{}
	for _, h := range hits {
		if h.Evidence >= least {
			sure = append(sure, h)
		}
	}
	slices.SortStableFunc(sure, func(a, b Hit) int { return cmp.Compare(b.Evidence, a.Evidence) })
	return sure[:min(len(sure), most)]
}

// spellExpanded spells expansions as the question and hits do; unknown terms are left out.
func (k *KB) spellExpanded(q *Query, res *Result) {
	expanded := res.Expanded
	res.Expanded = []index.Expansion{}
	if len(expanded) == 0 || q.Measuring {
		return
	}
	asked, found := map[string]string{}, map[string]string{}
	for _, e := range expanded {
		asked[e.Missing] = ""
		for _, t := range e.Terms {
			found[t] = ""
		}
	}
	k.spell(asked, q.Text)
	for left, i := len(found), 0; left > 0 && i < len(res.Hits); i++ {
		left -= k.spell(found, res.Hits[i].Title) + k.spell(found, res.Hits[i].Body)
	}
	for _, e := range expanded {
		spelt := index.Expansion{Missing: asked[e.Missing]}
		for _, t := range e.Terms {
			if found[t] != "" {
				spelt.Terms = append(spelt.Terms, found[t])
			}
		}
		if spelt.Terms != nil {
			res.Expanded = append(res.Expanded, spelt)
		}
	}
}

// spell finds words in the text for terms without one; parts come before compounds.
func (k *KB) spell(terms map[string]string, text string) (n int) {
	for _, w := range append(strings.FieldsFunc(text, words.Between), strings.Fields(text)...) {
		for _, t := range k.index.Terms(w) {
			if spelt, wanted := terms[t]; wanted && spelt == "" {
				terms[t] = strings.TrimFunc(w, words.Between)
				n++
			}
		}
	}
	return n
}

const snippetRunes = 200

// snippet returns the part of a body with the most different words of the question, on one line.
func (k *KB) snippet(body string, terms map[string]bool, langs words.Languages) string {
	const most = 16 << 10 // the beginning of a long document is enough
	fields := strings.Fields(strings.ToValidUTF8(body[:min(len(body), most)], ""))
	size := func(w string) int { return utf8.RuneCountInString(w) + 1 }
	var begins [256]bool // of terms; a stem begins as its word does, so most words need none
	for t := range terms {
		if strings.HasPrefix(t, words.StemMark) {
			t = t[len(words.StemMark)+1:] // behind the letter of a language
		}
		begins[t[0]] = true
	}
	hits, have := make([][]string, len(fields)), map[string]int{}
	bestFrom, bestTo, best := 0, 0, -1
	length, from := 0, 0
	for to, w := range fields {
		length += size(w)
		if begins[w[0]] || strings.ContainsFunc(w, notSmall) {
			for _, t := range k.index.TermsIn(langs, w) {
				if terms[t] {
					hits[to] = append(hits[to], t)
					have[t]++
				}
			}
		}
		for length > snippetRunes && from < to {
			length -= size(fields[from])
			for _, t := range hits[from] {
				if have[t]--; have[t] == 0 {
					delete(have, t)
				}
			}
			from++
		}
		if len(have) > best || from == bestFrom && len(have) == best {
			bestFrom, bestTo, best = from, to+1, len(have)
		}
	}
	// Begin a little before the first matching word.
	s := clip(strings.Join(fields[bestFrom:bestTo], " "), snippetRunes*2)
	if bestFrom > 0 {
		s = "… " + s
	}
	if bestTo < len(fields) {
		s += " …"
	}
	return s
}

func notSmall(r rune) bool { return r < 'a' || r > 'z' }
