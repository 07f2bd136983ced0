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
	// maxDim is the most numbers that a vector may have.
	maxDim = 1 << 14
	// chunkDocs is how many documents' codes lie in one row.
	chunkDocs = 1024
	// minBits is the least number of bits in a code. The signs of 384 numbers tell angles well enough to choose some hundred candidates
	// among a million; those of 64 do not, so short vectors get more signs: those of their projections on random directions
	// (Charikar, STOC 2002: the share of differing signs is the angle divided by pi).
	minBits = 384
)

// codeWords returns how many words the code of a vector with dim numbers has.
func codeWords(dim int) int { return (max(dim, minBits) + 63) / 64 }

// codes are the sign codes of a segment's documents.
type codes struct {
	w     int // words in a code
	has   bitset
	words []uint64
}

func newCodes(n, dim int) *codes {
	w := codeWords(dim)
	return &codes{w: w, has: newBitset(n), words: make([]uint64, n*w)}
}

func (c *codes) at(ord int) []uint64 { return c.words[ord*c.w : (ord+1)*c.w] }

func (c *codes) set(ord int, code []uint64) {
	c.has.set(ord)
	copy(c.at(ord), code)
}

// encodeChunk writes chunk i: which of its documents have a code, then the codes.
func (c *codes) encodeChunk(i int) []byte {
	const hasWords = chunkDocs / 64
	has := c.has[i*hasWords : min((i+1)*hasWords, len(c.has))]
	words := c.words[i*chunkDocs*c.w : min((i+1)*chunkDocs*c.w, len(c.words))]
	b := make([]byte, 0, 8*(len(has)+len(words)))
	for _, w := range has {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// decodeChunk reads chunk i of a segment of n documents into its place.
func (c *codes) decodeChunk(i, n int, b []byte) error {
	docs := min(chunkDocs, n-i*chunkDocs)
	if docs <= 0 {
		return corrupt("a chunk of codes lies beyond its segment")
	}
	hasBytes := 8 * ((docs + 63) / 64)
	if len(b) != hasBytes+8*docs*c.w {
		return corrupt("a chunk of %d codes has %d bytes", docs, len(b))
	}
	has, err := decodeBitset(b[:hasBytes], docs)
	if err != nil {
		return err
	}
	copy(c.has[i*chunkDocs/64:], has)
	to := c.words[i*chunkDocs*c.w:]
	for k := range docs * c.w {
		to[k] = binary.LittleEndian.Uint64(b[hasBytes+8*k:])
	}
	return nil
}

// absent is the distance of a document that has no code or does not count.
const absent = math.MaxUint16

// distances writes into dist in how many bits each code differs from one, and counts the distances in hist.
func (c *codes) distances(dist []uint16, code []uint64, ok bitset, hist []int) {
	for w, word := range ok {
		word &= c.has[w]
		lo := w * 64
		part := dist[lo:min(lo+64, len(dist))]
		words := c.words[lo*c.w:]
		if word == 1<<len(part)-1 && c.w == minBits/64 {
			distances6(part, words, code, hist)
			continue
		}
		for i := range part {
			part[i] = absent
		}
		for ; word != 0; word &= word - 1 {
			i := bits.TrailingZeros64(word)
			h := hamming(words[i*c.w:(i+1)*c.w], code)
			part[i] = uint16(h)
			hist[h]++
		}
	}
}

// distances6 is the case that a search spends its time in: neighbours that all count, with codes of the common length.
func distances6(dist []uint16, words, code []uint64, hist []int) {
	words = words[:6*len(dist)]
	c0, c1, c2, c3, c4, c5 := code[0], code[1], code[2], code[3], code[4], code[5]
	hist = hist[: minBits+1 : minBits+1]
	for i := range dist {
		have := words[:6:6]
		h := bits.OnesCount64(have[0]^c0) + bits.OnesCount64(have[1]^c1) + bits.OnesCount64(have[2]^c2) +
			bits.OnesCount64(have[3]^c3) + bits.OnesCount64(have[4]^c4) + bits.OnesCount64(have[5]^c5)
		dist[i] = uint16(h)
		hist[h]++
		words = words[6:]
	}
}

// hamming returns in how many bits two codes of one length differ.
func hamming(a, b []uint64) (n int) {
	b = b[:len(a)]
	for i, w := range a {
		n += bits.OnesCount64(w ^ b[i])
	}
	return n
}

// encodeSigns writes a vector's code.
func encodeSigns(code []uint64, v embed.Vector) {
	clear(code)
	if len(v) >= minBits {
		for i, f := range v {
			if f > 0 {
				code[i>>6] |= 1 << (i & 63)
			}
		}
		return
	}
	for i, dir := range directions(len(v)) {
		// Sums only, no products: the same on every machine.
		var sum float32
		for j, f := range v {
			if dir[j>>6]&(1<<(j&63)) != 0 {
				sum += f
			} else {
				sum -= f
			}
		}
		if sum > 0 {
			code[i>>6] |= 1 << (i & 63)
		}
	}
}

var dirCache sync.Map // dim -> [][]uint64

// directions returns minBits fixed random directions with entries of +1 (a set bit) and -1.
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

// codesOf makes the codes of documents from their stored vectors, nil if none has one; ids are sorted.
func (x *Index) codesOf(tx *sqlite.Tx, m *meta, ids []int64) (*codes, error) {
	var c *codes
	err := x.eachVector(tx, m.dim, ids, func(i int, v embed.Vector) {
		if c == nil {
			c = newCodes(len(ids), m.dim)
		}
		c.has.set(i)
		encodeSigns(c.at(i), v)
	})
	return c, err
}

// eachVector calls fn for each of the documents that has a vector, by index into ids, which are sorted. The vector is good until fn returns.
func (x *Index) eachVector(tx *sqlite.Tx, dim int, ids []int64, fn func(i int, v embed.Vector)) error {
	if len(ids) == 0 {
		return nil
	}
	span := ids[len(ids)-1] - ids[0]
	stmt, args := `SELECT doc, vector FROM @_vectors WHERE doc BETWEEN ? AND ? ORDER BY doc`, []any{ids[0], ids[len(ids)-1]}
	if span < 0 || span/4 > int64(len(ids)) { // far apart: ask for each
		stmt, args = `SELECT v.doc, v.vector FROM json_each(?) j JOIN @_vectors v ON v.doc = j.value`, []any{jsonInts(ids)}
	}
	var doc int64
	var raw rawBytes
	v := make(embed.Vector, 0, dim)
	rows, err := tx.Query(x.q(stmt), args...)
	return rowsOf(rows, err, func() (err error) {
		if err := rows.Scan(&doc, &raw); err != nil {
			return err
		}
		i, found := slices.BinarySearch(ids, doc)
		if !found {
			return nil
		}
		if v, err = decodeVector(v, raw, dim); err != nil {
			return err
		}
		fn(i, v)
		return nil
	})
}

// readCodes reads a segment's codes, nil if it has none.
func (x *Index) readCodes(tx *sqlite.Tx, s *sealed, dim int) (*codes, error) {
	c := newCodes(s.n, dim)
	var id int64
	var raw rawBytes
	chunks := 0
	rows, err := tx.Query(x.q(`SELECT id & 0xffffff, data FROM @_codes WHERE id >= ?1 << 24 AND id < (?1 + 1) << 24 ORDER BY id`), s.seg)
	if err := rowsOf(rows, err, func() error {
		if err := rows.Scan(&id, &raw); err != nil {
			return err
		}
		chunks++
		return c.decodeChunk(int(id), s.n, raw)
	}); err != nil {
		return nil, err
	}
	if chunks == 0 {
		return nil, nil
	}
	if want := (s.n + chunkDocs - 1) / chunkDocs; chunks != want {
		return nil, corrupt("segment %d has %d chunks of codes, not %d", s.seg, chunks, want)
	}
	return c, nil
}
