package index

import (
	"math"

	"blackboard/board/sqlite"
)

// What a search asks is here, so that a server can be asked several at once (sqlite.Tx.Ahead).

// AskMeta is the question that every search begins with.
func (x *Index) AskMeta() sqlite.Question {
	return sqlite.Question{Query: x.q(`SELECT stamp, model, dim, since, generation, docs, length, vectors, next_seg FROM @_meta`)}
}

// askView returns the queries for a view that continues from tail t; anew: with all segments.
func (x *Index) askView(t *tail, anew bool) []sqlite.Question {
	all := []sqlite.Question{x.askLive()}
	if anew {
		all = append(all, x.askSegments(nil))
	}
	from := int64(math.MinInt64)
	if t.n > 0 {
		all, from = append(all, x.askTailCounts(t)), t.last+1
	}
	return append(all, x.askTail(from), x.askTailVectors(from))
}

func (x *Index) askLive() sqlite.Question {
	return sqlite.Question{Query: x.q(`SELECT seg, rev FROM @_live`)}
}

// askSegments asks for segments; nil: for all.
func (x *Index) askSegments(segs []int64) sqlite.Question {
	q := sqlite.Question{Query: x.q(`SELECT seg, n, lo, hi, dir, lens, rev, dead_n, dead FROM @_segments JOIN @_live USING (seg)`)}
	if segs != nil {
		q.Query += ` WHERE seg IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`
		q.Args = []any{sqlite.List(segs)}
	}
	return q
}

func (x *Index) askTail(from int64) sqlite.Question {
	return sqlite.Question{Query: x.q(`SELECT gen, doc, record FROM @_tail WHERE gen >= ? ORDER BY gen`), Args: []any{from}}
}

func (x *Index) askTailVectors(from int64) sqlite.Question {
	return sqlite.Question{Query: x.q(`SELECT doc, vector FROM @_vectors JOIN @_tail USING (doc) WHERE gen >= ?`), Args: []any{from}}
}

func (x *Index) askTailCounts(t *tail) sqlite.Question {
	return sqlite.Question{Query: x.q(`SELECT (SELECT count(*) FROM @_tail), (SELECT count(*) FROM @_tail WHERE gen > ?)`), Args: []any{t.last}}
}
