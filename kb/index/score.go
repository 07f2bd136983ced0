package index

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// cores returns how many cores one search takes at most: others ask too.
func cores() int { return min(runtime.GOMAXPROCS(0), 4) }

// Spread does jobs 0 to n-1 with several cores.
func Spread(n int, do func(job int)) { spread(min(cores(), n), n, func(_, job int) { do(job) }) }

// spread does jobs 0 to n-1 with as many workers, itself the first of them.
func spread(workers, n int, do func(worker, job int)) {
	var next atomic.Int64
	work := func(worker int) {
		for {
			job := int(next.Add(1)) - 1
			if job >= n {
				return
			}
			do(worker, job)
		}
	}
	var wg sync.WaitGroup
	for worker := 1; worker < workers; worker++ {
		wg.Go(func() { work(worker) })
	}
	work(0)
	wg.Wait()
}

var accumulators = sync.Pool{New: func() any { s := make([]float32, MaxSegment); return &s }}

// parallelPostings is from how many postings on a question is worth a second core.
const parallelPostings = 50_000

// bestByText returns the best by BM25F first, and the scores of the documents chosen by codes.
func (s *search) bestByText(chosen []docRef) (all []scored, bm25 []float64, err error) {
	bm25 = make([]float64, len(chosen))
	if len(s.terms) == 0 {
		return nil, bm25, nil
	}
	chosenOf := make([][]int, len(s.v.segs)) // by index
	for i, p := range chosen {
		chosenOf[p.seg] = append(chosenOf[p.seg], i)
	}
	postings := 0
	for _, t := range s.terms {
		postings += t.df
	}
	workers := min(cores(), len(s.v.segs))
	if postings < parallelPostings {
		workers = 1
	}
	norms := s.norms()
	tops := make([]topK, workers)
	tail := slices.IndexFunc(s.v.segs, func(seg *segment) bool { return seg.mem != nil })
	for i := range tops {
		tops[i] = topK{k: s.q.Depth, id: s.id, tail: tail}
	}
	spread(workers, len(s.v.segs), func(worker, i int) {
		buf := accumulators.Get().(*[]float32)
		defer accumulators.Put(buf)
		acc := (*buf)[:s.v.segs[i].n]
		if s.score(i, acc, norms) {
			for _, k := range chosenOf[i] {
				bm25[k] = float64(acc[chosen[k].ord])
			}
			tops[worker].scan(i, acc, s.ok[i])
		}
	})
	for i := range tops {
		found, err := tops[i].sorted()
		if err != nil {
			return nil, nil, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, better)
	return all[:min(len(all), s.q.Depth)], bm25, nil
}

// score scores the documents of a segment, and reports whether it has any of the terms.
func (s *search) score(i int, acc []float32, norms *[256]float32) (found bool) {
	seg := s.v.segs[i]
	clear(acc)
	for _, t := range s.terms {
		if p := t.lists[i]; p != nil {
			found = true
			if t.stems == nil {
				accumulate(acc, seg.lens, p, t.weight, norms)
			} else {
				accumulateBut(acc, seg.lens, p, t.weight, norms, s.foreign[i])
			}
		}
		if t.stemmed != nil {
			for _, p := range t.stemmed[i] {
				found = true
				accumulate(acc, seg.lens, p, t.weight, norms)
			}
		}
	}
	return found
}

// share is what a term of a weight adds to the score of a document that has it with a frequency f.
func share(weight, f, norm float32) float32 { return weight * f / (f + norm) }

func accumulate(acc []float32, lens []byte, p *plist, weight float32, norms *[256]float32) {
	tfs := p.tfs
	ords := p.wide[:len(tfs)]
	lens = lens[:len(acc)]
	for i, ord := range ords {
		if int(ord) < len(acc) { // what is on disk is not trusted
			acc[ord] += share(weight, float32(tfs[i]), norms[lens[ord]])
		}
	}
}

func accumulateBut(acc []float32, lens []byte, p *plist, weight float32, norms *[256]float32, but bitset) {
	for i, ord := range p.wide[:len(p.tfs)] {
		if int(ord) < len(acc) && !but.has(int(ord)) {
			acc[ord] += share(weight, float32(p.tfs[i]), norms[lens[ord]])
		}
	}
}

// weight returns the weight of a term that df documents have and the query has that many times.
func (s *search) weight(term string, df int, times float64) float32 {
	n := float64(s.v.docs)
	rarity := idf(n, float64(df))
	if functionTerms()[term] {
		rarity = min(rarity, s.x.cfg.FunctionWeight*idf(n, 1))
	}
	return float32(times * rarity * (s.x.cfg.K1 + 1))
}

// idf is BM25's weight of a term that df of n documents have.
func idf(n, df float64) float64 { return math.Log1p((max(n-df, 0) + 0.5) / (df + 0.5)) }

// norms returns k1 * (1 - b + b * length / average) for each length code, in quarters.
func (s *search) norms() *[256]float32 {
	avg := 1.0
	if s.v.docs > 0 && s.v.length > 0 {
		avg = float64(s.v.length) / float64(s.v.docs)
	}
	var t [256]float32
	for c := range t {
		t[c] = float32(4 * s.x.cfg.K1 * (1 - s.x.cfg.B + s.x.cfg.B*float64(lengths[c])/avg))
	}
	return &t
}
