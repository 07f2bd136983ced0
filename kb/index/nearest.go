package index

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"blackboard/board/sqlite"
	"blackboard/embed"
)

const (
	// minCandidates is how many documents, chosen by their codes, are looked at closer; maxCandidates bounds what ties add.
	minCandidates = 400
	maxCandidates = 4000
)

func modelError(name string, dim int, v *view) error {
	return fmt.Errorf("%w: the question's is of %q with %d numbers, the index holds those of %q with %d", ErrOtherModel, name, dim, v.model, v.dim)
}

var distances = sync.Pool{New: func() any { s := make([]uint16, 0, MaxSegment); return &s }}

// nearest is the vector lane. Codes choose some hundred candidates, vectors of one byte a number choose among those, and the few
// that are left are compared exactly. Each step gives the same, whether what it needs lies in memory or in the file.
func (s *search) nearest(qv embed.Vector) ([]scored, error) {
	exact, cands, err := s.byCodes(qv)
	if err != nil {
		return nil, err
	}
	if keep := s.q.Depth + max(s.q.Depth/2, 44); len(cands) > keep {
		if cands, err = s.bySmall(qv, cands, keep); err != nil {
			return nil, err
		}
	}
	add := func(p place, cos float64, v embed.Vector) {
		if cos > 0 {
			exact = append(exact, scored{place: p, score: cos, vector: v})
		}
	}
	if err := s.cosines(qv, cands, add); err != nil {
		return nil, err
	}
	for i := range exact {
		if exact[i].id, err = s.id(exact[i].place); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(exact, better)
	return exact[:min(len(exact), s.q.Depth)], nil
}

// byCodes returns the tail's documents with their cosines, and the places of the candidates among the sealed ones.
func (s *search) byCodes(qv embed.Vector) (exact []scored, cands []place, err error) {
	code := make([]uint64, codeWords(len(qv)))
	encodeSigns(code, qv)
	hist := make([]int, 64*len(code)+1)
	dist := make([]*[]uint16, len(s.v.segs))
	defer func() {
		for _, d := range dist {
			if d != nil {
				distances.Put(d)
			}
		}
	}()
	for i, seg := range s.v.segs {
		if seg.mem != nil {
			for ord, v := range seg.mem.vectors {
				if v != nil && s.ok[i].has(ord) {
					if cos := cosine(qv, v); cos > 0 {
						h := scored{place: place{i, ord}, score: cos}
						if s.q.KeepVectors {
							h.vector = v
						}
						exact = append(exact, h)
					}
				}
			}
			continue
		}
		c, err := seg.allCodes(s.tx, s.v.dim)
		if err != nil {
			return nil, nil, err
		}
		if c == nil {
			continue
		}
		d := distances.Get().(*[]uint16)
		*d = (*d)[:seg.n]
		dist[i] = d
		c.distances(*d, code, s.ok[i], hist)
	}
	want := max(minCandidates, 4*s.q.Depth)
	limit, below := 0, 0
	for ; limit < len(hist)-1 && below+hist[limit] < want; limit++ {
		below += hist[limit]
	}
	var ties []scored
	for i, d := range dist {
		if d == nil {
			continue
		}
		for ord, h := range *d {
			switch {
			case int(h) < limit:
				cands = append(cands, place{i, ord})
			case int(h) == limit:
				ties = append(ties, scored{place: place{i, ord}})
			}
		}
	}
	if len(cands)+len(ties) > max(maxCandidates, want) {
		// Thousands of documents that are all the same to the code: the newest of them.
		for k := range ties {
			if ties[k].id, err = s.id(ties[k].place); err != nil {
				return nil, nil, err
			}
		}
		slices.SortFunc(ties, better)
		ties = ties[:max(0, max(maxCandidates, want)-len(cands))]
	}
	for _, t := range ties {
		cands = append(cands, t.place)
	}
	return exact, cands, nil
}

// bySmall keeps the best candidates by their vectors of one byte a number.
func (s *search) bySmall(qv embed.Vector, cands []place, keep int) ([]place, error) {
	q := make([]int8, len(qv))
	scale := quantise(q, qv)
	out := make([]scored, 0, len(cands))
	byPlace := func(a, b place) int {
		if a.seg != b.seg {
			return a.seg - b.seg
		}
		return a.ord - b.ord
	}
	slices.SortFunc(cands, byPlace)
	var cold []place
	for _, p := range cands {
		sm := s.v.segs[p.seg].small
		if sm == nil {
			cold = append(cold, p)
			continue
		}
		out = append(out, scored{place: p, score: float64(float32(dot8(q, sm.at(p.ord))) * scale * sm.scale[p.ord])})
	}
	b := make([]int8, len(qv))
	err := s.vectors(cold, func(p place, v embed.Vector) {
		sc := quantise(b, v)
		out = append(out, scored{place: p, score: float64(float32(dot8(q, b)) * scale * sc)})
	})
	if err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].id, err = s.id(out[i].place); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, better)
	cands = cands[:0]
	for _, h := range out[:min(keep, len(out))] {
		cands = append(cands, h.place)
	}
	return cands, nil
}

// cosines calls fn with the exact cosine of each document that has a vector.
func (s *search) cosines(qv embed.Vector, places []place, fn func(place, float64, embed.Vector)) error {
	return s.vectors(places, func(p place, v embed.Vector) {
		cos := cosine(qv, v)
		if !s.q.KeepVectors {
			v = nil
		} else if s.v.segs[p.seg].mem == nil {
			v = slices.Clone(v) // the reader's
		}
		fn(p, cos, v)
	})
}

// vectors calls fn with the vector of each document that has one.
func (s *search) vectors(places []place, fn func(place, embed.Vector)) error {
	byID := make(map[int64]place, len(places))
	ids := make([]int64, 0, len(places))
	for _, p := range places {
		if t := s.v.segs[p.seg].mem; t != nil {
			if v := t.vectors[p.ord]; v != nil {
				fn(p, v)
			}
			continue
		}
		id, err := s.id(p)
		if err != nil {
			return err
		}
		byID[id] = p
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return s.x.eachVector(s.tx, s.v.dim, ids, func(i int, v embed.Vector) { fn(byID[ids[i]], v) })
}

// cosine is embed.Cosine for vectors that have length 1.
func cosine(a, b embed.Vector) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += float64(a[i]) * float64(b[i])
		s1 += float64(a[i+1]) * float64(b[i+1])
		s2 += float64(a[i+2]) * float64(b[i+2])
		s3 += float64(a[i+3]) * float64(b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += float64(a[i]) * float64(b[i])
	}
	return max(-1, min(1, s0+s1+s2+s3))
}

// smallVectors are a segment's vectors in one byte a number, kept in memory by an index that is warm: a quarter of what exact ones take.
type smallVectors struct {
	dim   int
	nums  []int8
	scale []float32
}

func (s *smallVectors) at(ord int) []int8 { return s.nums[ord*s.dim : (ord+1)*s.dim] }

// quantise writes v into q as multiples of the returned scale.
func quantise(q []int8, v embed.Vector) float32 {
	var peak float32
	for _, f := range v {
		peak = max(peak, f, -f)
	}
	if peak == 0 {
		clear(q)
		return 0
	}
	scale := peak / 127
	for i, f := range v {
		q[i] = int8(math.Round(float64(f / scale)))
	}
	return scale
}

// dot8 is the product of two vectors of bytes.
func dot8(a, b []int8) int32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 int32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += int32(a[i]) * int32(b[i])
		s1 += int32(a[i+1]) * int32(b[i+1])
		s2 += int32(a[i+2]) * int32(b[i+2])
		s3 += int32(a[i+3]) * int32(b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += int32(a[i]) * int32(b[i])
	}
	return s0 + s1 + s2 + s3
}

// Warm reads what searches need into memory and keeps it up to date from then on: for a process that lives. It takes a byte for each number
// of each vector, and 48 bytes or more for its code.
func (x *Index) Warm(tx *sqlite.Tx) error {
	_, done, err := x.at(tx)
	if err != nil {
		return err
	}
	done()
	m, err := x.readMeta(tx)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.warm = true
	if x.view == nil || x.view.generation != m.generation {
		return x.refresh(tx, m)
	}
	return x.warmVectors(tx)
}

// warmVectors loads the small vectors of segments that lack them.
func (x *Index) warmVectors(tx *sqlite.Tx) error {
	v := x.view
	if v.vectors == 0 {
		return nil
	}
	for _, s := range v.segs {
		if s.mem != nil || s.small != nil {
			continue
		}
		ids, err := s.allIDs(tx)
		if err != nil {
			return err
		}
		if _, err := s.allCodes(tx, v.dim); err != nil {
			return err
		}
		sm := &smallVectors{dim: v.dim, nums: make([]int8, s.n*v.dim), scale: make([]float32, s.n)}
		if err := x.eachVector(tx, v.dim, ids, func(ord int, vec embed.Vector) {
			sm.scale[ord] = quantise(sm.at(ord), vec)
		}); err != nil {
			return err
		}
		s.small = sm
	}
	return nil
}
