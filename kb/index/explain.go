package index

import (
	"cmp"
	"slices"
	"strings"

	"blackboard/board/sqlite"
	"blackboard/board/words"
)

// TermScore is one term's share of a document's BM25F score.
type TermScore struct {
	Term  string  `json:"term"`  // typed→found for an expansion
	DF    int     `json:"df"`    // documents that have it
	TF    float64 `json:"tf"`    // its frequency in the document, weighted by field
	Score float64 `json:"score"` // its share of the document's score
}

// Explain returns how the terms of a text add up to the BM25F scores of documents,
// greatest share first. Unknown documents, and those without any of the terms, are left
// out. Only the query's text and Expand are used.
func (x *Index) Explain(tx *sqlite.Tx, q Query, ids []int64) (map[int64][]TermScore, error) {
	v, done, err := x.viewOf(tx)
	if err != nil {
		return nil, err
	}
	defer done()
	s := &search{x: x, tx: tx, v: v, q: &q, ids: make([][]int64, len(v.segs))}
	var res Result
	if err := s.plan(&res); err != nil {
		return nil, err
	}
	norms := s.norms()
	out := map[int64][]TermScore{}
	for i, seg := range v.segs {
		for _, id := range ids {
			ord, found, err := seg.find(tx, id)
			if err != nil {
				return nil, err
			}
			if !found {
				continue
			}
			for _, t := range s.terms {
				if tf := s.tf(t, i, ord); tf > 0 {
					term := t.term
					if t.missing != "" {
						term = t.missing + "→" + term
					}
					out[id] = append(out[id], TermScore{term, t.df, float64(tf) / 4, float64(share(t.weight, float32(tf), norms[seg.lens[ord]]))})
				}
			}
		}
	}
	for _, terms := range out {
		slices.SortStableFunc(terms, func(a, b TermScore) int { return cmp.Compare(b.Score, a.Score) })
	}
	return out, nil
}

// ByFunctionWords reports which documents have only function words of a text, if it has others.
func (x *Index) ByFunctionWords(tx *sqlite.Tx, q Query, ids []int64) (map[int64]bool, error) {
	content := func(term string) bool {
		return !functionTerms()[term] && !strings.HasPrefix(term, words.StemMark)
	}
	if len(ids) == 0 || !slices.ContainsFunc(x.Terms(q.Text), content) {
		return nil, nil
	}
	shares, err := x.Explain(tx, q, ids)
	if err != nil {
		return nil, err
	}
	only := map[int64]bool{}
	for id, terms := range shares {
		only[id] = !slices.ContainsFunc(terms, func(t TermScore) bool { return content(t.Term) })
	}
	return only, nil
}

func (s *segment) find(tx *sqlite.Tx, id int64) (int, bool, error) {
	if s.mem != nil {
		for ord, have := range s.mem.ids {
			if have == id && !s.isDead(ord) {
				return ord, true, nil
			}
		}
		return 0, false, nil
	}
	if id < s.lo || id > s.hi {
		return 0, false, nil
	}
	ids, err := s.allIDs(tx)
	if err != nil {
		return 0, false, err
	}
	ord, found := slices.BinarySearch(ids, id)
	return ord, found && !s.isDead(ord), nil
}
