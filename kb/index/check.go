package index

import (
	"maps"
	"math"
	"slices"

	"blackboard/board/sqlite"
	"blackboard/embed"
)

// Check reads the whole index and returns an error that matches ErrCorrupt if its parts
// contradict each other: a list out of order, a wrong total, a vector without its code.
// It does not compare the index with the documents; see Documents.
func (x *Index) Check(tx *sqlite.Tx) error {
	_, err := x.check(tx)
	return err
}

// check is Check, and returns the documents.
func (x *Index) check(tx *sqlite.Tx) (map[int64]record, error) {
	docs, m, err := x.dump(tx)
	if err != nil {
		return nil, err
	}
	n, length := int64(len(docs)), int64(0)
	for _, r := range docs {
		length += int64(lengths[r.length])
	}
	if n != m.docs || length != m.length {
		return nil, corrupt("it has %d documents of %d words and counts %d of %d", n, length/4, m.docs, m.length/4)
	}
	var vectors int64
	if err := tx.QueryRow(x.q(`SELECT count(*) FROM @_vectors`)).Scan(&vectors); err != nil {
		return nil, err
	}
	if vectors != m.vectors {
		return nil, corrupt("it has %d vectors and counts %d", vectors, m.vectors)
	}
	return docs, x.checkVectors(tx, &m, docs)
}

// Documents returns the sorted ids of the documents in the index.
func (x *Index) Documents(tx *sqlite.Tx) ([]int64, error) {
	docs, _, err := x.dump(tx)
	return slices.Sorted(maps.Keys(docs)), err
}

// CheckOf is Check, and also compares the index with its source: query returns the sorted
// ids of the documents that must be in the index, and what names one of them.
func (x *Index) CheckOf(tx *sqlite.Tx, what, query string) error {
	docs, err := x.check(tx)
	if err != nil {
		return err
	}
	ids := slices.Sorted(maps.Keys(docs))
	var id int64
	if err := tx.Each([]any{&id}, func() error {
		if len(ids) == 0 || ids[0] != id {
			return corrupt("%s number %d is not in it", what, id)
		}
		ids = ids[1:]
		return nil
	}, query); err != nil {
		return err
	}
	if len(ids) > 0 {
		return corrupt("it holds %ss that do not exist", what)
	}
	return nil
}

func (x *Index) dump(tx *sqlite.Tx) (map[int64]record, meta, error) {
	m, err := x.readMeta(tx)
	if err != nil {
		return nil, m, err
	}
	all := map[int64]record{}
	add := func(records []record) error {
		for _, r := range records {
			if _, twice := all[r.doc]; twice {
				return corrupt("document %d is stored twice", r.doc)
			}
			all[r.doc] = r
		}
		return nil
	}
	tail, err := x.readTail(tx)
	if err != nil {
		return nil, m, err
	}
	live, err := x.liveCounts(tx)
	if err != nil {
		return nil, m, err
	}
	if err := add(tail); err != nil {
		return nil, m, err
	}
	for _, l := range live {
		if l.seg >= m.nextSeg {
			return nil, m, corrupt("segment %d is not numbered yet", l.seg)
		}
		records, err := x.dumpSegment(tx, &m, l.seg)
		if err == nil {
			err = add(records)
		}
		if err != nil {
			return nil, m, err
		}
	}
	var strays int
	err = tx.QueryRow(x.q(`SELECT (SELECT count(*) FROM @_live WHERE seg NOT IN (SELECT seg FROM @_segments)) +
		(SELECT count(*) FROM @_segments WHERE seg NOT IN (SELECT seg FROM @_live)) +
		(SELECT count(*) FROM @_blocks WHERE id >> 24 NOT IN (SELECT seg FROM @_segments)) +
		(SELECT count(*) FROM @_codes WHERE id >> 24 NOT IN (SELECT seg FROM @_segments))`)).Scan(&strays)
	if err == nil && strays > 0 {
		err = corrupt("%d rows belong to no segment", strays)
	}
	return all, m, err
}

func (x *Index) dumpSegment(tx *sqlite.Tx, m *meta, seg int64) ([]record, error) {
	s, err := x.openSource(tx, m, seg)
	if err != nil {
		return nil, err
	}
	if s.ids[0] != s.lo || s.ids[len(s.ids)-1] != s.hi {
		return nil, corrupt("segment %d holds documents beyond its bounds", seg)
	}
	if err := x.checkCodes(tx, m, s); err != nil {
		return nil, err
	}
	records := make([]record, s.n)
	for ord := range records {
		records[ord] = record{doc: s.ids[ord], length: s.lens[ord]}
	}
	for block, first := range s.dir {
		term, _, _, err := cutEntry(s.blocks[block], s.n)
		if err != nil {
			return nil, err
		}
		if string(term) != first {
			return nil, corrupt("block %d of segment %d does not begin as the directory says", block, seg)
		}
	}
	for {
		if err := s.next(); err != nil {
			return nil, err
		}
		if s.done {
			break
		}
		last, n := -1, 0
		for ord, tf := range s.list.all(s.n) {
			if ord <= last {
				return nil, corrupt("the list of %q in segment %d is not sorted", s.term, seg)
			}
			last, n = ord, n+1
			records[ord].terms = append(records[ord].terms, termTF{s.term, tf})
		}
		if n != s.list.n {
			return nil, corrupt("the list of %q in segment %d names documents that do not exist", s.term, seg)
		}
	}
	ord := -1
	return slices.DeleteFunc(records, func(record) bool { ord++; return s.isDead(ord) }), nil
}

func (x *Index) checkCodes(tx *sqlite.Tx, m *meta, s *source) error {
	if m.vectors == 0 {
		return nil
	}
	want, err := x.codesOf(tx, m, s.ids)
	if err != nil {
		return err
	}
	for ord := range s.ids {
		has, must := s.codes != nil && s.codes.has.has(ord), want != nil && want.has.has(ord)
		if !s.isDead(ord) && (has != must || has && !slices.Equal(s.codes.at(ord), want.at(ord))) {
			return corrupt("the codes of segment %d do not fit its vectors", s.seg)
		}
	}
	return nil
}

// checkVectors looks for vectors of no document, or of another length than 1.
func (x *Index) checkVectors(tx *sqlite.Tx, m *meta, docs map[int64]record) error {
	stray, id, raw := 0, int64(0), rawBytes(nil)
	v := make(embed.Vector, 0, m.dim)
	if err := tx.Each([]any{&id, &raw}, func() (err error) {
		if _, known := docs[id]; !known {
			stray++
		}
		if v, err = decodeVector(v, raw, m.dim); err != nil {
			return err
		}
		for part := range slices.Chunk(v, m.dim) {
			if sum := square(part); !(math.Abs(sum-1) < 1e-3) {
				return corrupt("a vector of document %d has the length %g, not 1", id, math.Sqrt(sum))
			}
		}
		return nil
	}, x.q(`SELECT doc, vector FROM @_vectors`)); err != nil {
		return err
	}
	if stray > 0 {
		return corrupt("%d vectors belong to no document", stray)
	}
	return nil
}
