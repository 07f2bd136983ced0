package index

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sync"

	"blackboard/board/sqlite"
	"blackboard/embed"
)

const (
	// maxDim is the most numbers in a vector.
	maxDim = 1 << 14
	// chunkDocs is the number of documents whose codes are in one row.
	chunkDocs = 1024
	// minBits is the least number of bits in a code. The signs of 384 numbers approximate angles
	// well enough to choose some hundred candidates among a million; those of 64 do not. Short
	// vectors therefore get the signs of their projections on random directions (Charikar, STOC
	// 2002: the share of differing signs is the angle divided by pi).
	minBits = 384
)

// signs are 64-bit words of a code. A fixed number of them lets the compiler unroll the loops.
type signs [minBits / 64]uint64

// codeParts returns the number of parts in the code of a vector with dim numbers.
func codeParts(dim int) int { return max(1, (dim+minBits-1)/minBits) }

type codes struct {
	w     int // parts of a code
	has   bitset
	parts []signs
}

func newCodes(n, dim int) *codes {
	w := codeParts(dim)
	return &codes{w: w, has: newBitset(n), parts: make([]signs, n*w)}
}

func (c *codes) at(ord int) []signs { return c.parts[ord*c.w : (ord+1)*c.w] }

func (c *codes) set(ord int, code []signs) {
	c.has.set(ord)
	copy(c.at(ord), code)
}

// encodeChunk encodes chunk i: which of its documents have a code, then the codes.
func (c *codes) encodeChunk(i int) []byte {
	const hasWords = chunkDocs / 64
	has := c.has[i*hasWords : min((i+1)*hasWords, len(c.has))]
	parts := c.parts[i*chunkDocs*c.w : min((i+1)*chunkDocs*c.w, len(c.parts))]
	b := make([]byte, 0, 8*len(has)+minBits/8*len(parts))
	for _, w := range has {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	for _, part := range parts {
		for _, w := range part {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
	}
	return b
}

func (c *codes) decodeChunk(i, n int, b []byte) error {
	docs := min(chunkDocs, n-i*chunkDocs)
	if docs <= 0 {
		return corrupt("a chunk of codes lies beyond its segment")
	}
	hasBytes := 8 * ((docs + 63) / 64)
	if len(b) != hasBytes+minBits/8*docs*c.w {
		return corrupt("a chunk of %d codes has %d bytes", docs, len(b))
	}
	has, err := decodeBitset(b[:hasBytes], docs)
	if err != nil {
		return err
	}
	copy(c.has[i*chunkDocs/64:], has)
	b = b[hasBytes:]
	to := c.parts[i*chunkDocs*c.w:]
	for k := range docs * c.w {
		for j := range to[k] {
			to[k][j] = binary.LittleEndian.Uint64(b)
			b = b[8:]
		}
	}
	return nil
}

// absent is the distance of a document without a code, or one that the filter excludes.
const absent = math.MaxUint16

const distanceDocs = 16 << 10

// distances sets and counts Hamming distances to the query, for words lo to hi of ok.
func (c *codes) distances(lo, hi int, dist []uint16, code []signs, ok bitset, hist []int) {
	for w := lo; w < hi; w++ {
		word := ok[w] & c.has[w]
		first := w * 64
		part := dist[first:min(first+64, len(dist))]
		if word == 1<<len(part)-1 && c.w == 1 {
			hammings(part, c.parts[first:], &code[0])
			for _, h := range part {
				hist[h]++
			}
			continue
		}
		for i := range part {
			part[i] = absent
		}
		for ; word != 0; word &= word - 1 {
			i := bits.TrailingZeros64(word)
			h := 0
			for k, p := range c.at(first + i) {
				h += hamming(&p, &code[k])
			}
			part[i] = uint16(h)
			hist[h]++
		}
	}
}

// hammings is the fast path: consecutive documents with codes of one part.
func hammings(dist []uint16, parts []signs, code *signs) {
	parts = parts[:len(dist)]
	for i := range parts {
		dist[i] = uint16(hamming(&parts[i], code))
	}
}

func hamming(a, b *signs) int {
	return bits.OnesCount64(a[0]^b[0]) + bits.OnesCount64(a[1]^b[1]) + bits.OnesCount64(a[2]^b[2]) +
		bits.OnesCount64(a[3]^b[3]) + bits.OnesCount64(a[4]^b[4]) + bits.OnesCount64(a[5]^b[5])
}

// sumVectors returns the sum of a document's vectors: it is not far from any of them.
func sumVectors(v embed.Vector, dim int) embed.Vector {
	if len(v) == dim {
		return v
	}
	sum := slices.Clone(v[:dim])
	for i, x := range v[dim:] {
		sum[i%dim] += x
	}
	return sum
}

func encodeSigns(code []signs, v embed.Vector) {
	clear(code)
	set := func(i int) { code[i/minBits][i%minBits>>6] |= 1 << (i & 63) }
	if len(v) >= minBits {
		for i, f := range v {
			if f > 0 {
				set(i)
			}
		}
		return
	}
	for i, dir := range directions(len(v)) {
		// Only sums, so that all machines give the same result. An unset bit subtracts.
		var sum float32
		for j, f := range v {
			flip := uint32(^dir[j>>6]>>(j&63)) << 31
			sum += math.Float32frombits(math.Float32bits(f) ^ flip)
		}
		if sum > 0 {
			set(i)
		}
	}
}

var dirCache sync.Map // dim -> [][]uint64

// directions returns minBits fixed random directions of components ±1.
func directions(dim int) [][]uint64 {
	if d, ok := dirCache.Load(dim); ok {
		return d.([][]uint64)
	}
	state := uint64(0x9e3779b97f4a7c15)
	next := func() uint64 { // splitmix64 (Steele, Lea, Flood, OOPSLA 2014)
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	d := make([][]uint64, minBits)
	for i := range d {
		d[i] = make([]uint64, (dim+63)/64)
		for j := range d[i] {
			d[i][j] = next()
		}
	}
	dirCache.Store(dim, d)
	return d
}

// codesOf computes codes from stored vectors; nil if none has a vector. ids are sorted.
func (x *Index) codesOf(tx *sqlite.Tx, m *meta, ids []int64) (*codes, error) {
	var c *codes
	err := x.eachVector(tx, m.dim, ids, func(i int, v embed.Vector) {
		if c == nil {
			c = newCodes(len(ids), m.dim)
		}
		c.has.set(i)
		encodeSigns(c.at(i), sumVectors(v, m.dim))
	})
	return c, err
}

// eachVector calls fn with indexes in ids, sorted, and vectors, valid until it returns.
func (x *Index) eachVector(tx *sqlite.Tx, dim int, ids []int64, fn func(i int, v embed.Vector)) error {
	if len(ids) == 0 {
		return nil
	}
	span := ids[len(ids)-1] - ids[0]
	stmt, args := `SELECT doc, vector FROM @_vectors WHERE doc BETWEEN ? AND ? ORDER BY doc`, []any{ids[0], ids[len(ids)-1]}
	if span < 0 || span/4 > int64(len(ids)) { // far apart: query each
		stmt, args = `SELECT v.doc, v.vector FROM json_each(?) j JOIN @_vectors v ON v.doc = CAST(j.value AS BIGINT)`, []any{sqlite.List(ids)}
		if tx.IsFar() { // as a list whose length the query planner knows
			stmt = `SELECT doc, vector FROM @_vectors WHERE doc IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`
		}
	}
	var doc int64
	var raw rawBytes
	v := make(embed.Vector, 0, dim)
	return tx.Each([]any{&doc, &raw}, func() (err error) {
		i, found := slices.BinarySearch(ids, doc)
		if !found {
			return nil
		}
		if v, err = decodeVector(v, raw, dim); err == nil {
			fn(i, v)
		}
		return err
	}, x.q(stmt), args...)
}

func (s *search) withoutCodes() (segs []*sealed) {
	for _, seg := range s.v.segs {
		if seg.mem == nil && !seg.knowsCodes() {
			segs = append(segs, seg.sealed)
		}
	}
	return segs
}

func (s *search) fetchCodes() error {
	segs := s.withoutCodes()
	if s.isFew(len(segs)) {
		return nil
	}
	got, err := s.x.readCodes(s.tx, s.v.dim, segs...)
	if err != nil {
		return err
	}
	for _, seg := range segs {
		seg.setCodes(got[seg.seg])
	}
	return nil
}

func (s *sealed) knowsCodes() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.codes != nil || s.noCode
}

func (s *sealed) setCodes(c *codes) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes, s.noCode = c, c == nil
}

type chunks struct {
	s   *sealed
	dim int
	c   *codes
	n   int
}

func (g *chunks) add(i int64, raw []byte) error {
	if g.c == nil { // allocated late, since a damaged total could ask for too much memory
		if have, need := len(raw), minBits/8*min(g.s.n, chunkDocs)*codeParts(g.dim); have < need {
			return corrupt("a chunk of codes of segment %d has %d bytes, not %d or more", g.s.seg, have, need)
		}
		g.c = newCodes(g.s.n, g.dim)
	}
	g.n++
	return g.c.decodeChunk(int(i), g.s.n, raw)
}

func (g *chunks) all() (*codes, error) {
	if want := (g.s.n + chunkDocs - 1) / chunkDocs; g.c != nil && g.n != want {
		return nil, corrupt("segment %d has %d chunks of codes, not %d", g.s.seg, g.n, want)
	}
	return g.c, nil
}

// askCodes asks for the codes of segments, and of those numbered between them.
func (x *Index) askCodes(segs []*sealed) sqlite.Question {
	first, last := segs[0].seg, segs[0].seg
	for _, s := range segs {
		first, last = min(first, s.seg), max(last, s.seg)
	}
	return sqlite.Question{Query: x.q(`SELECT id, data FROM @_codes WHERE id >= ? AND id < ? ORDER BY id`), Args: []any{rowID(first, 0), rowID(last+1, 0)}}
}

// readCodes reads the codes of segments, by their numbers; nil of one that has none.
func (x *Index) readCodes(tx *sqlite.Tx, dim int, segs ...*sealed) (map[int64]*codes, error) {
	got := map[int64]*chunks{}
	for _, s := range segs {
		got[s.seg] = &chunks{s: s, dim: dim}
	}
	q := x.askCodes(segs)
	var id int64
	var raw rawBytes
	if err := tx.Each([]any{&id, &raw}, func() error {
		if c := got[id>>24]; c != nil {
			return c.add(id&(1<<24-1), raw)
		}
		return nil
	}, q.Query, q.Args...); err != nil {
		return nil, err
	}
	all := map[int64]*codes{}
	for seg, c := range got {
		var err error
		if all[seg], err = c.all(); err != nil {
			return nil, err
		}
	}
	return all, nil
}
