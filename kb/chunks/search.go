package chunks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/rank"
	"blackboard/kb/store"
)

const (
	ModeHybrid   = "hybrid"   // by words and by meaning
	ModeBM25     = "bm25"     // by words
	ModeSemantic = "semantic" // by meaning
)

var Modes = []string{ModeHybrid, ModeBM25, ModeSemantic}

const (
	DefaultTopK = 6
	MaxTopK     = 20
	// DefaultMinScore is the default of the least score of a hit.
	DefaultMinScore = 0.1
	MaxQuery        = 64 << 10

	weightText   = 0.4
	weightVector = 0.6
	// laneDepth is the number of candidates of each list. With fewer, chunks that are in both lists
	// are missed: nDCG@10 on SciFact is .50 with 18, .54 with 100 and with 200.
	laneDepth = 100
)

// Query is a question. The filters apply before ranking.
type Query struct {
	Text     string   // any text; "" finds nothing
	Tags     []string // at least one of them, ignoring case; none: any
	Agent    string   // the author, exactly; "": any
	TopK     *int     // 1 to MaxTopK; nil: DefaultTopK
	MinScore *float64 // 0 or more; nil: DefaultMinScore
	Mode     string   // "": ModeHybrid
}

// Ranks of a Hit start at 1; 0: no candidate of that list.
type Hit struct {
	Chunk
	// Score tells how well the chunk matches, from 0 to 1. Hits are ordered by it. It is
	// comparable only within one result:
	//
	//   - hybrid: RRFScore as a share of its maximum, that of a chunk that is first in
	//     both lists
	//   - bm25: the BM25 score as a share of the best one
	//   - semantic: the cosine
	Score      float64  `json:"score"`
	BM25Rank   int      `json:"bm25_rank"`
	VectorRank int      `json:"vector_rank"`
	BM25Score  float64  `json:"bm25_score"`
	Cosine     *float64 `json:"cosine_score"` // null: unknown
	// RRFScore is 0.4 / (60 + rank by words) + 0.6 / (60 + rank by meaning), with ranks
	// from 1. A list without the chunk adds nothing.
	RRFScore float64 `json:"rrf_score"`
}

// Result is the answer of a search, best hit first.
type Result struct {
	Hits     []Hit    `json:"hits"`
	Mode     string   `json:"mode"`     // the mode that was used
	Degraded []string `json:"degraded"` // what the search could not do, and why
}

func (q *Query) normalise() error {
	q.Mode = cmp.Or(q.Mode, ModeHybrid)
	q.TopK = cmp.Or(q.TopK, new(DefaultTopK))
	q.MinScore = cmp.Or(q.MinScore, new(DefaultMinScore))
	switch {
	case !slices.Contains(Modes, q.Mode):
		return unknown("the search mode", q.Mode, Modes)
	case *q.TopK < 1 || *q.TopK > MaxTopK:
		return invalid(fmt.Sprintf("a top_k of %d is not between 1 and %d", *q.TopK, MaxTopK), "a second, narrower question finds more than a longer list")
	case !(*q.MinScore >= 0) || math.IsInf(*q.MinScore, 1): // also refuses NaN
		return invalid(fmt.Sprintf("a min_score of %g is not 0 or more", *q.MinScore), "scores lie between 0 and 1; 0 leaves nothing out")
	case len(q.Text) > MaxQuery:
		return invalid(fmt.Sprintf("the query has %d bytes; at most %d are allowed", len(q.Text), MaxQuery), "ask in a sentence")
	}
	q.Text = text(q.Text)
	return nil
}

// words returns a question's tokens of two characters or more, without operators of FTS5.
func (q *Query) words() string {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`"*^:(){}[]`, r) {
			return ' '
		}
		return r
	}, q.Text)
	return strings.Join(slices.DeleteFunc(strings.Fields(plain), func(t string) bool { return utf8.RuneCountInString(t) < 2 }), " ")
}

func (q *Query) filter() index.Filter {
	var f index.Filter
	store.Require(&f, keyword, kwTag, foldTags(q.Tags)...)
	if agent := strings.TrimSpace(text(q.Agent)); agent != "" {
		store.Require(&f, keyword, kwAgent, agent)
	}
	return f
}

// Search finds the chunks that match a question best.
//
// A hybrid search ranks by words (BM25) and by meaning (cosine) and merges the two lists
// by reciprocal rank fusion; see Hit for the scores. Without a model or embeddings,
// hybrid and semantic searches use words alone, and the result says so.
func (s *Store) Search(ctx context.Context, q Query) (Result, error) {
	res := Result{Hits: []Hit{}, Degraded: []string{}}
	if err := q.normalise(); err != nil {
		return res, err
	}
	res.Mode = q.Mode
	f, err := s.file(ctx, false)
	if err != nil || f == nil || strings.TrimSpace(q.Text) == "" {
		return res, err
	}
	v, err := s.embedQuery(ctx, &q, &res)
	if err != nil {
		return res, err
	}
	degraded := len(res.Degraded)
	err = f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
		// the transaction may run again
		res.Mode, res.Hits, res.Degraded = q.Mode, []Hit{}, res.Degraded[:degraded]
		return s.searchIn(tx, f, q, v, &res)
	})
	return res, storeError(err)
}

// embedQuery returns the question's vector, or nil with the reason in the result.
func (s *Store) embedQuery(ctx context.Context, q *Query, res *Result) (embed.Vector, error) {
	if q.Mode == ModeBM25 {
		return nil, nil
	}
	v, why, err := store.Question(ctx, s.embedder, q.Text)
	if why != "" {
		q.degrade(res, why)
		return nil, nil
	}
	return v, err
}

// degrade switches the search to words alone.
func (q *Query) degrade(res *Result, why string) {
	q.Mode, res.Mode = ModeBM25, ModeBM25
	res.Degraded = append(res.Degraded, why+": searched by words only")
}

func (s *Store) searchIn(tx *sqlite.Tx, f *file, q Query, v embed.Vector, res *Result) error {
	// Chunks that expired since the store was opened may still have rows: leave them out.
	gone, err := expired(tx)
	if err != nil {
		return err
	}
	iq := index.Query{Filter: q.filter(), Depth: laneDepth + len(gone)}
	if q.Mode != ModeSemantic {
		iq.Text = q.words()
	}
	if q.Mode != ModeBM25 {
		iq.Vector, iq.Model = v, s.embedder.Model().Name
	}
	found, err := f.Index.Search(tx, iq)
	switch {
	case errors.Is(err, index.ErrOtherModel):
		q.degrade(res, f.OtherModel(tx, iq.Model)+" (reembedding switches the model)")
	case err != nil:
		return err
	case q.Mode != ModeBM25 && found.Vectors == 0 && found.Docs > 0:
		q.degrade(res, "no chunk has an embedding yet")
	case q.Mode != ModeBM25:
		if err := sayMissing(tx, found.Docs, res); err != nil {
			return err
		}
	}
	if q.Mode == ModeBM25 && iq.Vector != nil {
		iq.Text, iq.Vector = q.words(), nil
		if found, err = f.Index.Search(tx, iq); err != nil {
			return err
		}
	}
	list := fuse(&q, slices.DeleteFunc(found.Candidates, func(c index.Candidate) bool { return slices.Contains(gone, c.ID) }))
	list = slices.DeleteFunc(list, func(h Hit) bool { return h.Score < *q.MinScore })
	list = list[:min(len(list), *q.TopK)]
	return fill(tx, f, list, res)
}

func sayMissing(tx *sqlite.Tx, docs int64, res *Result) error {
	missing, err := sqlite.One[int](tx, `SELECT count(*) FROM chunks WHERE model = ''`)
	if missing > 0 {
		res.Degraded = append(res.Degraded, fmt.Sprintf("%d of %d chunks have no embedding yet and are found by their words only", missing, docs))
	}
	return err
}

func fuse(q *Query, cands []index.Candidate) []Hit {
	var byText, byVector, fused []rank.Scored
	of := make(map[int64]*Hit, len(cands))
	for i := range cands {
		c := &cands[i]
		h := &Hit{BM25Score: c.BM25}
		if c.HasVector {
			h.Cosine = new(c.Cosine)
		}
		of[c.ID] = h
		if c.TextRank > 0 {
			byText = append(byText, rank.Scored{ID: c.ID, Score: c.BM25})
		}
		if c.VectorRank > 0 {
			byVector = append(byVector, rank.Scored{ID: c.ID, Score: c.Cosine})
		}
	}
	rank.Sort(byText)
	rank.Sort(byVector)
	byText, byVector = byText[:min(len(byText), laneDepth)], byVector[:min(len(byVector), laneDepth)]
	for i, c := range byText {
		of[c.ID].BM25Rank = i + 1
	}
	for i, c := range byVector {
		of[c.ID].VectorRank = i + 1
	}
	for id, h := range of {
		h.RRFScore = weightText*rank.Reciprocal(h.BM25Rank) + weightVector*rank.Reciprocal(h.VectorRank)
		if h.RRFScore > 0 {
			fused = append(fused, rank.Scored{ID: id, Score: h.RRFScore})
		}
	}
	rank.Sort(fused)
	scored := fused
	switch q.Mode {
	case ModeHybrid:
		for i := range scored {
			scored[i].Score *= (rank.K + 1) / (weightText + weightVector)
		}
	case ModeBM25:
		scored = rank.Normalize(byText)
	case ModeSemantic:
		scored = byVector
	}
	list := make([]Hit, len(scored))
	for i, c := range scored {
		list[i] = *of[c.ID]
		list[i].n, list[i].Score = c.ID, min(1, c.Score)
	}
	return list
}

func fill(tx *sqlite.Tx, f *file, list []Hit, res *Result) error {
	ns := make([]int64, len(list))
	for i := range list {
		ns[i] = list[i].n
	}
	all, err := chunksWhere(tx, `n IN (SELECT value FROM json_each(?))`, sqlite.List(ns))
	if err != nil {
		return err
	}
	for _, h := range list {
		i := slices.IndexFunc(all, func(c Chunk) bool { return c.n == h.n })
		if i < 0 {
			return errors.Join(index.ErrCorrupt, sqlite.Fault(fault.Corrupt, f.Path(), fmt.Sprintf("has chunk %d in its index only", h.n), nil))
		}
		h.Chunk = all[i]
		res.Hits = append(res.Hits, h)
	}
	return nil
}
