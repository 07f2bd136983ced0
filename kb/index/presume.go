package index

import (
	"math"

	"blackboard/board/sqlite"
)

// Presumed is what a search finds if nothing has changed since the last one.
type Presumed struct {
	Result
	since, generation int64
}

// Presume searches what is in memory and asks nobody. It is nil if that is not enough.
// Search takes the result for the answer if the generation is still the same: then a
// search of a database that is elsewhere needs to know nothing else, and can be asked
// with what follows from it.
func (x *Index) Presume(q Query) *Presumed {
	x.mu.RLock()
	defer x.mu.RUnlock()
	v := x.view
	if v == nil || len(q.Vector) > 0 && !v.hasVectors() {
		return nil
	}
	res, err := x.searchAt(sqlite.Nowhere(), v, q)
	if err != nil {
		return nil
	}
	return &Presumed{res, v.since, v.generation}
}

// hasVectors reports whether all vectors are in memory.
func (v *view) hasVectors() bool {
	for _, s := range v.segs {
		if s.mem == nil && s.exact == nil && v.vectors > 0 {
			return false
		}
	}
	return true
}

// First are the questions that a search begins with, for sqlite.AskFirst.
func (x *Index) First() []sqlite.Question {
	x.mu.RLock()
	defer x.mu.RUnlock()
	first := []sqlite.Question{x.askMeta()}
	if x.view == nil {
		first = append(first, x.askView(newTail(), true)...)
	}
	return first
}

func (x *Index) askMeta() sqlite.Question {
	return sqlite.Question{Query: x.q(`SELECT stamp, model, dim, since, generation, docs, length, vectors, next_seg FROM @_meta`)}
}

// askView are the questions that a view begins with, which goes on from a tail. anew: no
// segment is known.
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
