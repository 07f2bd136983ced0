package index

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"blackboard/board/sqlite"
)

// tidy makes a segment of a full tail, and then one of any eight segments of about one size; so there are few, and a document is
// written again only when the segment that holds it grows eight-fold. A segment that is mostly dead is written anew.
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

// Seal makes a segment of the tail now, however short it is, and merges all segments as far as they fit into one.
func (x *Index) Seal(tx *sqlite.Tx) error {
	m, err := x.readMeta(tx)
	if err != nil {
		return err
	}
	if err := x.seal(tx, &m); err != nil {
		return err
	}
	live, err := x.liveCounts(tx)
	if err != nil {
		return err
	}
	var segs []int64
	total := 0
	for _, s := range live {
		if total+s.live > MaxSegment {
			if err := x.mergeIfUseful(tx, &m, segs, live); err != nil {
				return err
			}
			segs, total = nil, 0
		}
		segs, total = append(segs, s.seg), total+s.live
	}
	if err := x.mergeIfUseful(tx, &m, segs, live); err != nil {
		return err
	}
	return x.writeMeta(tx, &m)
}

func (x *Index) mergeIfUseful(tx *sqlite.Tx, m *meta, segs []int64, live []liveCount) error {
	if len(segs) == 1 {
		i := slices.IndexFunc(live, func(l liveCount) bool { return l.seg == segs[0] })
		if live[i].live == live[i].n {
			return nil
		}
	}
	if len(segs) == 0 {
		return nil
	}
	return x.merge(tx, m, segs)
}

type liveCount struct {
	seg     int64
	n, live int
}

// liveCounts returns how many documents the segments hold, by their first ids.
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

// toMerge chooses what to merge next, or nothing.
func (x *Index) toMerge(tx *sqlite.Tx) ([]int64, error) {
	all, err := x.liveCounts(tx)
	if err != nil {
		return nil, err
	}
	classes := map[int][]liveCount{}
	for _, s := range all {
		if s.live < s.n-s.live {
			return []int64{s.seg}, nil
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
		var out []int64
		total := 0
		for _, s := range segs {
			if total+s.live <= MaxSegment {
				out, total = append(out, s.seg), total+s.live
			}
		}
		if len(out) >= fanout || len(out) > 1 && total > MaxSegment/2 {
			return out, nil
		}
	}
	return nil, nil
}

// seal makes a segment of the tail.
func (x *Index) seal(tx *sqlite.Tx, m *meta) error {
	records, err := x.readTail(tx)
	if err != nil || len(records) == 0 {
		return err
	}
	if _, err := tx.Exec(x.q(`DELETE FROM @_tail`)); err != nil {
		return err
	}
	return x.build(tx, m, records)
}

// readTail returns the tail's records by document id.
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

// build writes a segment of records, which are sorted by id; their vectors are stored already.
func (x *Index) build(tx *sqlite.Tx, m *meta, records []record) error {
	lists := map[string]*plist{}
	ids := make([]int64, len(records))
	lens := make([]byte, len(records))
	for ord := range records {
		r := &records[ord]
		ids[ord], lens[ord] = r.doc, r.length
		for _, t := range r.terms {
			p := lists[t.term]
			if p == nil {
				p = &plist{}
				if strings.HasPrefix(t.term, keywordMark) {
					p.kind = kindList
				}
				lists[t.term] = p
			}
			p.add(ord, t.tf)
		}
	}
	terms := make([]string, 0, len(lists))
	for t := range lists {
		terms = append(terms, t)
	}
	slices.Sort(terms)
	w, err := x.newSegmentWriter(tx, m, len(ids))
	if err != nil {
		return err
	}
	defer w.close()
	for _, t := range terms {
		if err := w.add(t, lists[t]); err != nil {
			return err
		}
	}
	var c *codes
	if m.vectors > 0 {
		if c, err = x.codesOf(tx, m, ids); err != nil {
			return err
		}
	}
	return w.finish(ids, lens, c)
}

// segmentWriter writes one segment.
type segmentWriter struct {
	blockWriter
	x      *Index
	tx     *sqlite.Tx
	seg    int64
	blocks int64
	close  func() error
}

func (x *Index) newSegmentWriter(tx *sqlite.Tx, m *meta, n int) (*segmentWriter, error) {
	w := &segmentWriter{x: x, tx: tx, seg: m.nextSeg}
	m.nextSeg++
	m.stirred = true
	insert, err := tx.Prepare(x.q(`INSERT INTO @_blocks VALUES (?, ?)`))
	if err != nil {
		return nil, err
	}
	w.close = insert.Close
	w.blockWriter = blockWriter{n: n, write: func(block []byte) error {
		_, err := insert.Exec(rowID(w.seg, w.blocks), block)
		w.blocks++
		return err
	}}
	return w, nil
}

// rowID numbers the blocks, and the chunks of codes, of a segment.
func rowID(seg, i int64) int64 { return seg<<24 | i }

func (w *segmentWriter) finish(ids []int64, lens []byte, c *codes) error {
	if err := w.flush(); err != nil {
		return err
	}
	if _, err := w.tx.Exec(w.x.q(`INSERT INTO @_segments VALUES (?, ?, ?, ?, ?, ?, ?)`),
		w.seg, len(ids), ids[0], ids[len(ids)-1], nonNil(w.dir), lens, encodeIDs(ids)); err != nil {
		return err
	}
	if _, err := w.tx.Exec(w.x.q(`INSERT INTO @_live VALUES (?, 0, 0, x'')`), w.seg); err != nil {
		return err
	}
	if c == nil {
		return nil
	}
	for i := 0; i*chunkDocs < len(ids); i++ {
		if _, err := w.tx.Exec(w.x.q(`INSERT INTO @_codes VALUES (?, ?)`), rowID(w.seg, int64(i)), c.encodeChunk(i)); err != nil {
			return err
		}
	}
	return nil
}

// nonNil is b, but not NULL in SQL.
func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// source is a segment that is being merged.
type source struct {
	*segment
	ids    []int64
	blocks [][]byte
	ords   []int32 // new ordinal of each document, -1 if it is dead
	codes  *codes

	rest []byte // of the current block
	term string // the current entry
	list plist
	done bool
}

// next goes to the next entry.
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

// merge writes the living documents of segments into a new one and removes the old ones.
func (x *Index) merge(tx *sqlite.Tx, m *meta, segs []int64) error {
	var from []*source
	for _, seg := range segs {
		s, err := x.openSource(tx, m, seg)
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
		w, err := x.newSegmentWriter(tx, m, len(ids))
		if err != nil {
			return err
		}
		defer w.close()
		if err := mergeLists(from, w); err != nil {
			return err
		}
		if err := w.finish(ids, lens, c); err != nil {
			return err
		}
	}
	for _, seg := range segs {
		for _, stmt := range []string{`DELETE FROM @_segments WHERE seg = ?1`, `DELETE FROM @_live WHERE seg = ?1`,
			`DELETE FROM @_blocks WHERE id >= ?1 << 24 AND id < (?1 + 1) << 24`, `DELETE FROM @_codes WHERE id >= ?1 << 24 AND id < (?1 + 1) << 24`} {
			if _, err := tx.Exec(x.q(stmt), seg); err != nil {
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
	}, x.q(`SELECT id & 0xffffff, data FROM @_blocks WHERE id >= ?1 << 24 AND id < (?1 + 1) << 24 ORDER BY id`), seg); err != nil {
		return nil, err
	}
	if len(out.blocks) != len(s.dir) {
		return nil, corrupt("segment %d has %d blocks, not %d", seg, len(out.blocks), len(s.dir))
	}
	if m.vectors > 0 {
		if out.codes, err = x.readCodes(tx, s.sealed, m.dim); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// renumber gives the living documents of the sources their new ordinals, by id, and collects what is kept of each.
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
	byID := func(a, b place) int { return cmp.Compare(a.id, b.id) }
	if !slices.IsSortedFunc(all, byID) {
		slices.SortFunc(all, byID)
	}
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
			i := 0
			for o := range s.list.all(s.n) {
				p := posting{ord: s.ords[o]}
				if s.list.kind == kindText {
					p.tf = s.list.tfs[i]
				} else {
					kind = kindList
				}
				i++
				if p.ord >= 0 {
					found = append(found, p)
				}
			}
			if err := s.next(); err != nil {
				return err
			}
		}
		if len(found) == 0 {
			continue
		}
		byOrd := func(i, j int) bool { return found[i].ord < found[j].ord }
		if !sort.SliceIsSorted(found, byOrd) {
			sort.Slice(found, byOrd)
		}
		list := plist{kind: kind}
		for _, p := range found {
			list.add(int(p.ord), p.tf)
		}
		if err := w.add(term, &list); err != nil {
			return err
		}
	}
}
