package index

import (
	"cmp"
	"maps"
	"slices"

	"blackboard/board/sqlite"
)

// tidy seals a full tail as a segment, and merges any eight segments of similar size. So
// there are few segments, and a document is written again only when its segment grows
// eightfold. A segment in which most documents are dead is rewritten.
func (x *Index) tidy(tx *sqlite.Tx, m *meta) error {
	var n int
	if err := tx.QueryRow(x.q(`SELECT count(*) FROM @_tail`)).Scan(&n); err != nil {
		return err
	}
	if n >= x.cfg.Seal {
		if err := x.seal(tx, m); err != nil {
			return err
		}
	}
	if !m.stirred {
		return nil
	}
	for {
		segs, err := x.toMerge(tx)
		if err != nil || len(segs) == 0 {
			return err
		}
		if err := x.merge(tx, m, segs); err != nil {
			return err
		}
	}
}

type liveCount struct {
	seg     int64
	n, live int
}

// liveCounts returns the number of living documents of each segment, by first id.
func (x *Index) liveCounts(tx *sqlite.Tx) (all []liveCount, err error) {
	var s liveCount
	var dead int
	err = tx.Each([]any{&s.seg, &s.n, &dead}, func() error {
		if s.n < 1 || s.n > MaxSegment || dead < 0 || dead > s.n {
			return corrupt("segment %d has %d documents, %d of them dead", s.seg, s.n, dead)
		}
		s.live = s.n - dead
		all = append(all, s)
		return nil
	}, x.q(`SELECT s.seg, s.n, l.dead_n FROM @_segments s JOIN @_live l USING (seg) ORDER BY s.lo, s.seg`))
	return all, err
}

// toMerge returns the segments to merge next, or nothing.
func (x *Index) toMerge(tx *sqlite.Tx) ([]liveCount, error) {
	all, err := x.liveCounts(tx)
	if err != nil {
		return nil, err
	}
	classes := map[int][]liveCount{}
	for _, s := range all {
		if s.live < s.n-s.live {
			return []liveCount{s}, nil
		}
		class := 0
		for size := x.cfg.Seal * fanout; s.live >= size; size *= fanout {
			class++
		}
		classes[class] = append(classes[class], s)
	}
	for _, segs := range classes {
		if len(segs) < fanout {
			continue
		}
		slices.SortStableFunc(segs, func(a, b liveCount) int { return a.live - b.live })
		var out []liveCount
		total := 0
		for _, s := range segs {
			if total+s.live <= MaxSegment {
				out, total = append(out, s), total+s.live
			}
		}
		if len(out) >= fanout || len(out) > 1 && total > MaxSegment/2 {
			return out, nil
		}
	}
	return nil, nil
}

func (x *Index) seal(tx *sqlite.Tx, m *meta) error {
	records, err := x.readTail(tx)
	if err != nil || len(records) == 0 {
		return err
	}
	if err := x.exec(tx, `DELETE FROM @_tail`); err != nil {
		return err
	}
	return x.build(tx, m, records)
}

func (x *Index) readTail(tx *sqlite.Tx) (records []record, err error) {
	var doc int64
	var b []byte
	err = tx.Each([]any{&doc, &b}, func() error {
		r, err := decodeRecord(doc, b)
		records = append(records, r)
		return err
	}, x.q(`SELECT doc, record FROM @_tail ORDER BY doc`))
	return records, err
}

// build writes a segment of records, which are sorted by id. Their vectors are stored already.
func (x *Index) build(tx *sqlite.Tx, m *meta, records []record) error {
	lists := termLists{}
	ids := make([]int64, len(records))
	lens := make([]byte, len(records))
	for ord := range records {
		r := &records[ord]
		ids[ord], lens[ord] = r.doc, r.length
		for _, t := range r.terms {
			lists.of(t.term).add(ord, t.tf)
		}
	}
	w := x.newSegmentWriter(tx, m, len(ids))
	for _, t := range slices.Sorted(maps.Keys(lists)) {
		if err := w.add(t, lists[t]); err != nil {
			return err
		}
	}
	var c *codes
	if m.vectors > 0 {
		var err error
		if c, err = x.codesOf(tx, m, ids); err != nil {
			return err
		}
	}
	return w.finish(ids, lens, c)
}

type segmentWriter struct {
	blockWriter
	x      *Index
	tx     *sqlite.Tx
	seg    int64
	blocks int64
}

func (x *Index) newSegmentWriter(tx *sqlite.Tx, m *meta, n int) *segmentWriter {
	w := &segmentWriter{x: x, tx: tx, seg: m.nextSeg}
	m.nextSeg++
	m.stirred = true
	w.blockWriter = blockWriter{n: n, dir: []byte{}, write: func(block []byte) error {
		w.blocks++
		return x.exec(tx, `INSERT INTO @_blocks VALUES (?, ?)`, rowID(w.seg, w.blocks-1), block)
	}}
	return w
}

func rowID(seg, i int64) int64 { return seg<<24 | i }

func (w *segmentWriter) finish(ids []int64, lens []byte, c *codes) error {
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.x.exec(w.tx, `INSERT INTO @_segments VALUES (?, ?, ?, ?, ?, ?, ?)`,
		w.seg, len(ids), ids[0], ids[len(ids)-1], w.dir, lens, encodeIDs(ids)); err != nil {
		return err
	}
	if err := w.x.exec(w.tx, `INSERT INTO @_live VALUES (?, 0, 0, ?)`, w.seg, []byte{}); err != nil {
		return err
	}
	for i := 0; c != nil && i*chunkDocs < len(ids); i++ {
		if err := w.x.exec(w.tx, `INSERT INTO @_codes VALUES (?, ?)`, rowID(w.seg, int64(i)), c.encodeChunk(i)); err != nil {
			return err
		}
	}
	return nil
}

type source struct {
	*segment
	ids    []int64
	blocks [][]byte
	ords   []int32 // new ordinal of each document; -1 if it is dead
	codes  *codes

	rest []byte // of the current block
	term string // the current entry
	list plist
	done bool
}

func (s *source) next() error {
	for len(s.rest) == 0 {
		if len(s.blocks) == 0 {
			s.done = true
			return nil
		}
		s.rest, s.blocks = s.blocks[0], s.blocks[1:]
	}
	term, list, rest, err := cutEntry(s.rest, s.n)
	if err != nil {
		return err
	}
	if string(term) <= s.term {
		return corrupt("the entries of segment %d are not sorted", s.seg)
	}
	s.term, s.list, s.rest = string(term), list, rest
	return nil
}

// merge writes the living documents of segments into a new segment and deletes the old ones.
func (x *Index) merge(tx *sqlite.Tx, m *meta, segs []liveCount) error {
	var from []*source
	for _, l := range segs {
		s, err := x.openSource(tx, m, l.seg)
		if err != nil {
			return err
		}
		from = append(from, s)
	}
	ids, lens, c := renumber(from, m)
	if len(ids) > MaxSegment {
		return corrupt("a merge of %d documents", len(ids))
	}
	if len(ids) > 0 {
		w := x.newSegmentWriter(tx, m, len(ids))
		if err := mergeLists(from, w); err != nil {
			return err
		}
		if err := w.finish(ids, lens, c); err != nil {
			return err
		}
	}
	for _, s := range from {
		for _, table := range []string{"segments", "live"} {
			if err := x.exec(tx, `DELETE FROM @_`+table+` WHERE seg = ?`, s.seg); err != nil {
				return err
			}
		}
		for _, table := range []string{"blocks", "codes"} {
			if err := x.exec(tx, `DELETE FROM @_`+table+` WHERE id >= ? AND id < ?`, rowID(s.seg, 0), rowID(s.seg+1, 0)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *Index) openSource(tx *sqlite.Tx, m *meta, seg int64) (*source, error) {
	s, err := x.loadSegment(tx, seg)
	if err != nil {
		return nil, err
	}
	out := &source{segment: s}
	if out.ids, err = s.allIDs(tx); err != nil {
		return nil, err
	}
	var id int
	var b []byte
	if err := tx.Each([]any{&id, &b}, func() error {
		if id != len(out.blocks) {
			return corrupt("block %d of segment %d is missing", len(out.blocks), seg)
		}
		out.blocks = append(out.blocks, b)
		return nil
	}, x.q(`SELECT id & 16777215, data FROM @_blocks WHERE id >= ? AND id < ? ORDER BY id`), rowID(seg, 0), rowID(seg+1, 0)); err != nil {
		return nil, err
	}
	if len(out.blocks) != len(s.dir) {
		return nil, corrupt("segment %d has %d blocks, not %d", seg, len(out.blocks), len(s.dir))
	}
	if m.vectors > 0 {
		codes, err := x.readCodes(tx, m.dim, s.sealed)
		if err != nil {
			return nil, err
		}
		out.codes = codes[seg]
	}
	return out, nil
}

// renumber gives the living documents of the sources new ordinals, by id.
func renumber(from []*source, m *meta) (ids []int64, lens []byte, c *codes) {
	type place struct {
		id       int64
		src, ord int
	}
	var all []place
	for i, s := range from {
		s.ords = make([]int32, s.n)
		for ord, id := range s.ids {
			if s.ords[ord] = -1; !s.isDead(ord) {
				all = append(all, place{id, i, ord})
			}
		}
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Compare(a.id, b.id) })
	for to, p := range all {
		s := from[p.src]
		s.ords[p.ord] = int32(to)
		ids, lens = append(ids, p.id), append(lens, s.lens[p.ord])
		if s.codes != nil && s.codes.has.has(p.ord) {
			if c == nil {
				c = newCodes(len(all), m.dim)
			}
			c.set(to, s.codes.at(p.ord))
		}
	}
	return ids, lens, c
}

// mergeLists merges the sorted entries of the sources into one sorted sequence.
func mergeLists(from []*source, w *segmentWriter) error {
	for _, s := range from {
		if err := s.next(); err != nil {
			return err
		}
	}
	type posting struct {
		ord int32
		tf  uint8
	}
	var found []posting
	for {
		term := ""
		for _, s := range from {
			if !s.done && (term == "" || s.term < term) {
				term = s.term
			}
		}
		if term == "" {
			return nil
		}
		found = found[:0]
		kind := uint8(kindText)
		for _, s := range from {
			if s.done || s.term != term {
				continue
			}
			if s.list.kind != kindText {
				kind = kindList
			}
			for o, tf := range s.list.all(s.n) {
				if ord := s.ords[o]; ord >= 0 {
					found = append(found, posting{ord, tf})
				}
			}
			if err := s.next(); err != nil {
				return err
			}
		}
		slices.SortFunc(found, func(a, b posting) int { return cmp.Compare(a.ord, b.ord) })
		list := plist{kind: kind}
		for _, p := range found {
			list.add(int(p.ord), p.tf)
		}
		if len(found) > 0 {
			if err := w.add(term, &list); err != nil {
				return err
			}
		}
	}
}
