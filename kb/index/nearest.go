package index

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"blackboard/board/sqlite"
	"blackboard/embed"
)

const (
	// minCandidates is how many documents, chosen by their codes, are compared exactly; it is
	// fewCandidates in an index of at most fewVectors. maxCandidates bounds what ties add.
	minCandidates = 400
	fewCandidates = 1000
	fewVectors    = 20_000
	maxCandidates = 4000
)

var distances = sync.Pool{New: func() any { s := make([]uint16, 0, MaxSegment); return &s }}

// nearest returns the vector lane's candidates, the best first: compared are the exact comparisons
// of those that codes have chosen, and bm25 their scores in the other lane.
func (s *search) nearest(chosen []docRef, compared []comparison, bm25 []float64) ([]Candidate, error) {
	var exact []Candidate
	for i, p := range chosen {
		c := &compared[i]
		if !c.known || c.cosine <= 0 || c.cosine < s.q.Near {
			continue
		}
		id, err := s.id(p)
		if err != nil {
			return nil, err
		}
		exact = append(exact, Candidate{ID: id, BM25: bm25[i], Cosine: c.cosine, HasVector: true, Vector: c.vector})
	}
	slices.SortFunc(exact, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(b.ID, a.ID))
	})
	return exact[:min(len(exact), s.q.Depth)], nil
}

// mergeCandidates returns candidates by codes, then the text lane's others; at has those.
func (s *search) mergeCandidates(chosen []docRef, byText []scored) (all []docRef, at map[docRef]int) {
	at = make(map[docRef]int, len(byText))
	for _, h := range byText {
		at[h.docRef] = -1
	}
	for i, p := range chosen {
		if _, both := at[p]; both {
			at[p] = i
		}
	}
	all = chosen
	for _, h := range byText {
		if at[h.docRef] < 0 {
			at[h.docRef] = len(all)
			all = append(all, h.docRef)
		}
	}
	return all, at
}

// byCodes returns the candidates whose codes are nearest, and what is in the tail.
func (s *search) byCodes(qv embed.Vector) (cands []docRef, err error) {
	code := make([]signs, codeParts(len(qv)))
	encodeSigns(code, qv)
	dist := make([]*[]uint16, len(s.v.segs))
	var work []func(hist []int)
	defer func() {
		for _, d := range dist {
			if d != nil {
				distances.Put(d)
			}
		}
	}()
	if err := s.fetchCodes(); err != nil {
		return nil, err
	}
	for i, seg := range s.v.segs {
		if seg.mem != nil { // not coded: all of them
			for ord, v := range seg.mem.vectors {
				if v != nil && s.ok[i].has(ord) {
					cands = append(cands, docRef{i, ord})
				}
			}
			continue
		}
		c, err := seg.allCodes(s.tx, s.v.dim)
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue
		}
		d := distances.Get().(*[]uint16)
		*d = (*d)[:seg.n]
		dist[i] = d
		for lo := 0; lo < len(s.ok[i]); lo += distanceDocs / 64 {
			work = append(work, func(hist []int) { c.distances(lo, min(lo+distanceDocs/64, len(s.ok[i])), *d, code, s.ok[i], hist) })
		}
	}
	hists := make([][]int, min(cores(), max(1, len(work))))
	spread(len(hists), len(work), func(worker, job int) {
		if hists[worker] == nil {
			hists[worker] = make([]int, minBits*len(code)+1)
		}
		work[job](hists[worker])
	})
	hist := make([]int, minBits*len(code)+1)
	for _, h := range hists {
		for d, n := range h {
			hist[d] += n
		}
	}
	return s.byDistance(cands, dist, hist, len(qv))
}

// byDistance appends the places of the documents whose codes are nearest, of vectors with
// dim numbers. dist has the distances of each segment's documents, nil for one without
// codes, and hist how many documents are at each distance.
func (s *search) byDistance(cands []docRef, dist []*[]uint16, hist []int, dim int) ([]docRef, error) {
	want := max(minCandidates, 4*s.q.Depth)
	if s.v.vectors <= fewVectors {
		want = max(want, fewCandidates)
	}
	limit, below, last := 0, 0, min(len(hist)-1, farthest(s.q.Near, dim))
	for ; limit < last && below+hist[limit] < want; limit++ {
		below += hist[limit]
	}
	if below+hist[limit] == 0 {
		return cands, nil
	}
	room := max(maxCandidates, want) + len(cands)
	cands = slices.Grow(cands, below+hist[limit])
	ties := make([]scored, 0, hist[limit])
	for i, d := range dist {
		if d == nil {
			continue
		}
		for ord, h := range *d {
			if h > uint16(limit) {
				continue
			}
			if h < uint16(limit) {
				cands = append(cands, docRef{i, ord})
			} else {
				ties = append(ties, scored{docRef: docRef{i, ord}})
			}
		}
	}
	if len(cands)+len(ties) > room {
		// Thousands of documents that are all the same to the code: the newest of them.
		for k := range ties {
			var err error
			if ties[k].id, err = s.id(ties[k].docRef); err != nil {
				return nil, err
			}
		}
		slices.SortFunc(ties, better)
		ties = ties[:max(0, room-len(cands))]
	}
	for _, t := range ties {
		cands = append(cands, t.docRef)
	}
	return cands, nil
}

// farthest returns in how many bits the codes of two vectors of dim numbers and at least
// this cosine may differ. Random projections differ in the angle's share of a half turn
// (see minBits), and six standard deviations more in one of a billion; the signs of a
// model's own numbers follow that less closely, and get twice the share.
func farthest(cos float64, dim int) int {
	bits := float64(minBits * codeParts(dim))
	share := math.Acos(max(0, min(1, cos))) / math.Pi
	if dim >= minBits {
		share = min(2*share, 1)
	}
	return int(math.Ceil(bits*share + 6*math.Sqrt(bits*share*(1-share))))
}

// cosineDocs exact cosines are one piece of work for a core: each reads uncached memory.
const cosineDocs = 64

// comparison is the cosine of a document's nearest part; known: there is a vector.
type comparison struct {
	known  bool
	cosine float64
	vector embed.Vector
}

// compare returns the comparisons of documents with the question, in their order.
func (s *search) compare(qv embed.Vector, places []docRef) ([]comparison, error) {
	all := make([]comparison, len(places))
	byID := map[int64]*comparison{} // those to be read from the file
	var ids []int64
	for i, p := range places {
		seg := s.v.segs[p.seg]
		switch {
		case seg.mem != nil:
			all[i].vector = seg.mem.vectors[p.ord]
		case seg.exact != nil && seg.exact.has.has(p.ord):
			all[i].vector = seg.exact.of(p.ord, s.v.dim)
		default:
			id, err := s.id(p)
			if err != nil {
				return nil, err
			}
			byID[id] = &all[i]
			ids = append(ids, id)
		}
	}
	pieces := (len(places) + cosineDocs - 1) / cosineDocs
	spread(min(cores(), pieces/2), pieces, func(_, piece int) {
		for i := piece * cosineDocs; i < min((piece+1)*cosineDocs, len(places)); i++ {
			all[i].measure(qv, all[i].vector, s.q.KeepVectors)
		}
	})
	slices.Sort(ids)
	err := s.x.eachVector(s.tx, s.v.dim, ids, func(i int, v embed.Vector) {
		if s.q.KeepVectors {
			v = slices.Clone(v) // the reader's
		}
		byID[ids[i]].measure(qv, v, s.q.KeepVectors)
	})
	return all, err
}

func (c *comparison) measure(qv, v embed.Vector, keep bool) {
	if v == nil {
		return
	}
	c.known, c.cosine, c.vector = true, Cosine(qv, v), nil
	for at := len(qv); at < len(v); at += len(qv) {
		c.cosine = max(c.cosine, Cosine(qv, v[at:]))
	}
	if keep {
		c.vector = v[:len(qv):len(qv)]
	}
}

// Cosine is embed.Cosine for vectors that have length 1, several times as fast: single
// precision, and sums that do not wait for each other.
func Cosine(a, b embed.Vector) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+8 <= len(a); i += 8 {
		x, y := a[i:i+8:i+8], b[i:i+8:i+8]
		s0 += x[0]*y[0] + x[4]*y[4]
		s1 += x[1]*y[1] + x[5]*y[5]
		s2 += x[2]*y[2] + x[6]*y[6]
		s3 += x[3]*y[3] + x[7]*y[7]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return max(-1, min(1, float64(s0+s1+s2+s3)))
}

// maxWarmBytes of exact vectors are kept in memory; others are read when needed.
const maxWarmBytes = 256 << 20

// Warm keeps in memory, up to date, what searches need: 48 bytes or more for each code, and vectors
// up to 256 MB.
func (x *Index) Warm(tx *sqlite.Tx) error {
	x.mu.Lock()
	if !x.warm {
		x.warm, x.view = true, nil // the next view has what is to be kept
	}
	x.mu.Unlock()
	if tx.Wrote() { // what it sees may be undone: the next transaction will do
		return nil
	}
	_, done, err := x.viewOf(tx)
	if err == nil {
		done()
	}
	return err
}

// IsWarm reports whether Warm was called.
func (x *Index) IsWarm() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.warm
}

// memVectors are vectors in memory; a document's offset in first is computed.
type memVectors struct {
	first embed.Vector         // of each document, one after the other
	has   bitset               // which documents have one
	parts map[int]embed.Vector // all vectors of those that have several
	bytes int
}

func (h *memVectors) of(ord, dim int) embed.Vector {
	if all := h.parts[ord]; all != nil {
		return all
	}
	return h.first[ord*dim : (ord+1)*dim]
}

// warmVectors loads the vectors of segments, the newest first, while there is room.
func (x *Index) warmVectors(tx *sqlite.Tx) error {
	v := x.view
	if v.vectors == 0 {
		return nil
	}
	room := maxWarmBytes
	for _, s := range v.segs {
		if s.mem != nil || 4*s.n*v.dim > room {
			continue
		}
		if s.exact != nil {
			room -= s.exact.bytes
			continue
		}
		ids, err := s.allIDs(tx)
		if err != nil {
			return err
		}
		if c, err := s.allCodes(tx, v.dim); err != nil {
			return err
		} else if c == nil {
			continue
		}
		exact := &memVectors{make(embed.Vector, s.n*v.dim), newBitset(s.n), map[int]embed.Vector{}, 4 * s.n * v.dim}
		if err := x.eachVector(tx, v.dim, ids, func(ord int, vec embed.Vector) {
			// else an older transaction asks for what the document replaced
			if s.isDead(ord) {
				return
			}
			exact.has.set(ord)
			copy(exact.first[ord*v.dim:(ord+1)*v.dim], vec)
			if len(vec) > v.dim {
				exact.parts[ord] = slices.Clone(vec)
				exact.bytes += 4 * len(vec)
			}
		}); err != nil {
			return err
		}
		s.exact = exact
		room -= exact.bytes
	}
	return nil
}
