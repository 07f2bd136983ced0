package index

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"
	"sort"
	"strings"
)

// A segment's postings are in blocks: entries sorted by term, in as many blocks as
// needed. The directory has each block's first term. An entry is
//
//	uvarint len(term), term, kind, uvarint n, then for the n documents that have the term, by ascending ordinal:
//	kind text:   n little-endian uint16 ordinals, n bytes of weighted frequency in quarters
//	kind list:   n little-endian uint16 ordinals                        (keywords)
//	kind bitmap: one bit for each document of the segment, n of them set (frequent keywords)
//
// Ordinals number a segment's documents by ascending id.
const (
	kindText   = 0
	kindList   = 1
	kindBitmap = 2

	// blockSize is a compromise: a rare word costs little, and a segment has few rows.
	blockSize = 8 << 10
)

// plist is a posting list in a block, not copied; only its lengths are validated.
type plist struct {
	kind uint8
	n    int
	ords []byte // 2n
	tfs  []byte // n
	bits []byte
	// in lists cached for searches: the ordinals as numbers, instead of ords
	wide []uint16
}

func (p *plist) cacheCopy() *plist {
	q := &plist{kind: p.kind, n: p.n, tfs: slices.Clone(p.tfs), bits: slices.Clone(p.bits)}
	if p.kind != kindText {
		q.ords = slices.Clone(p.ords)
		return q
	}
	q.wide = make([]uint16, p.n)
	for i := range q.wide {
		q.wide[i] = binary.LittleEndian.Uint16(p.ords[2*i:])
	}
	return q
}

func (p *plist) ord(i int) int {
	if p.wide != nil {
		return int(p.wide[i])
	}
	return int(binary.LittleEndian.Uint16(p.ords[2*i:]))
}

// all yields the ordinals below limit with the weighted frequencies, which are 0 for keywords.
func (p *plist) all(limit int) iter.Seq2[int, uint8] {
	return func(yield func(int, uint8) bool) {
		for i, b := range p.bits {
			for ; b != 0; b &= b - 1 {
				if o := i*8 + bits.TrailingZeros8(b); o >= limit || !yield(o, 0) {
					return
				}
			}
		}
		for i := 0; p.kind != kindBitmap && i < p.n; i++ {
			var tf uint8
			if p.kind == kindText {
				tf = p.tfs[i]
			}
			if o := p.ord(i); o < limit && !yield(o, tf) {
				return
			}
		}
	}
}

func (p *plist) addTo(to bitset, n int) {
	if p.kind == kindBitmap && n%64 == 0 {
		for w := range to {
			to[w] |= binary.LittleEndian.Uint64(p.bits[8*w:])
		}
		return
	}
	for ord := range p.all(n) {
		to.set(ord)
	}
}

// find returns a document's frequency in quarters, 0 if not in the list or without frequencies.
func (p *plist) find(ord int) uint8 {
	if p.kind != kindText {
		return 0
	}
	i := sort.Search(p.n, func(i int) bool { return p.ord(i) >= ord })
	if i == p.n || p.ord(i) != ord {
		return 0
	}
	return p.tfs[i]
}

type termLists map[string]*plist

func (l termLists) of(term string) *plist {
	p := l[term]
	if p == nil {
		p = &plist{}
		if strings.HasPrefix(term, keywordMark) {
			p.kind = kindList
		}
		l[term] = p
	}
	return p
}

func (p *plist) add(ord int, tf uint8) {
	p.ords = binary.LittleEndian.AppendUint16(p.ords, uint16(ord))
	if p.kind == kindText {
		p.tfs = append(p.tfs, tf)
	}
	p.n++
}

func appendEntry(b []byte, term string, p *plist, n int) []byte {
	b = binary.AppendUvarint(b, uint64(len(term)))
	b = append(b, term...)
	if p.kind == kindList && 2*p.n > (n+7)/8 {
		b = append(b, kindBitmap)
		b = binary.AppendUvarint(b, uint64(p.n))
		at := len(b)
		b = append(b, make([]byte, (n+7)/8)...)
		for i := range p.n {
			o := p.ord(i)
			b[at+o/8] |= 1 << (o % 8)
		}
		return b
	}
	b = append(b, p.kind)
	b = binary.AppendUvarint(b, uint64(p.n))
	b = append(b, p.ords...)
	return append(b, p.tfs...)
}

// cutEntry decodes the first entry of a block and returns the rest, or ErrCorrupt.
func cutEntry(b []byte, n int) (term []byte, p plist, rest []byte, err error) {
	term, b, ok := cutTerm(b)
	if !ok || len(b) == 0 {
		return nil, p, nil, corrupt("an entry of a block cannot be read")
	}
	p.kind, b = b[0], b[1:]
	count, w := binary.Uvarint(b)
	if w <= 0 || count == 0 || count > uint64(n) {
		return nil, p, nil, corrupt("an entry of a block counts %d of %d documents", count, n)
	}
	p.n, b = int(count), b[w:]
	var need int
	switch p.kind {
	case kindText:
		need = 3 * p.n
	case kindList:
		need = 2 * p.n
	case kindBitmap:
		need = (n + 7) / 8
	default:
		return nil, p, nil, corrupt("an entry of a block has the unknown kind %d", p.kind)
	}
	if need > len(b) {
		return nil, p, nil, corrupt("an entry of a block is cut off")
	}
	if p.kind == kindBitmap {
		p.bits = b[:need:need]
	} else {
		p.ords, p.tfs = b[:2*p.n:2*p.n], b[2*p.n:need:need]
	}
	return term, p, b[need:], nil
}

func lookup(block []byte, term string, n int) (plist, bool, error) {
	for len(block) > 0 {
		t, p, rest, err := cutEntry(block, n)
		if err != nil {
			return p, false, err
		}
		if string(t) >= term {
			return p, string(t) == term, nil
		}
		block = rest
	}
	return plist{}, false, nil
}

type blockWriter struct {
	n     int // number of documents in the segment
	cur   []byte
	dir   []byte
	write func(block []byte) error
}

func (w *blockWriter) add(term string, p *plist) error {
	if len(w.cur) > 0 && len(w.cur)+len(term)+3*p.n > blockSize {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if len(w.cur) == 0 {
		w.dir = binary.AppendUvarint(w.dir, uint64(len(term)))
		w.dir = append(w.dir, term...)
	}
	w.cur = appendEntry(w.cur, term, p, w.n)
	return nil
}

func (w *blockWriter) flush() error {
	if len(w.cur) == 0 {
		return nil
	}
	err := w.write(w.cur)
	w.cur = w.cur[:0]
	return err
}

func decodeDir(b []byte) ([]string, error) {
	var dir []string
	for all := string(b); all != ""; {
		term, rest, ok := cutTerm(all)
		if !ok || len(dir) > 0 && dir[len(dir)-1] >= term {
			return nil, corrupt("a segment's directory cannot be read, or is not sorted")
		}
		dir, all = append(dir, term), rest
	}
	return dir, nil
}

// blockOf returns the number of the only block that may have the term, or -1.
func blockOf(dir []string, term string) int {
	i, found := slices.BinarySearch(dir, term)
	if found {
		return i
	}
	return i - 1
}

// encodeIDs encodes ascending ids as differences.
func encodeIDs(ids []int64) []byte {
	b := make([]byte, 0, 2*len(ids)+8)
	var last int64
	for i, id := range ids {
		if i == 0 {
			b = binary.AppendVarint(b, id)
		} else {
			b = binary.AppendUvarint(b, uint64(id-last))
		}
		last = id
	}
	return b
}

func decodeIDs(b []byte, n int) ([]int64, error) {
	ids := make([]int64, 0, min(n, MaxSegment))
	for len(ids) < n {
		id, w := binary.Varint(b)
		if k := len(ids); k > 0 {
			var d uint64
			d, w = binary.Uvarint(b)
			if id = ids[k-1] + int64(d); id <= ids[k-1] {
				w = 0
			}
		}
		if w <= 0 {
			return nil, corrupt("a segment's ids cannot be read")
		}
		ids, b = append(ids, id), b[w:]
	}
	if len(b) > 0 {
		return nil, corrupt("a segment has more ids than documents")
	}
	return ids, nil
}

type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) has(i int) bool { return s[i>>6]&(1<<(i&63)) != 0 }
func (s bitset) set(i int)      { s[i>>6] |= 1 << (i & 63) }

func (s bitset) fill(n int) {
	for i := range s {
		s[i] = ^uint64(0)
	}
	if n%64 != 0 {
		s[len(s)-1] = 1<<(n%64) - 1
	}
}

func (s bitset) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// bytes returns the stored form of the set, 8 bytes for each word.
func (s bitset) bytes() []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, []uint64(s)) // cannot fail for numbers
	return b
}

func decodeBitset(b []byte, n int) (bitset, error) {
	s := newBitset(n)
	if len(b) != 8*len(s) {
		return nil, corrupt("a set of %d documents has %d bytes", n, len(b))
	}
	binary.Decode(b, binary.LittleEndian, []uint64(s)) // cannot fail: the length is right
	if n%64 != 0 && s[len(s)-1]>>(n%64) != 0 {
		return nil, corrupt("a set of %d documents has one beyond", n)
	}
	return s, nil
}
