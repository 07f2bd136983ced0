package index

import (
	"cmp"
	"database/sql"
	"math"
	"slices"
	"sync"

	"blackboard/board/sqlite"
	"blackboard/embed"
)

// rawBytes are a column's bytes without a copy, good until the next row.
type rawBytes = sql.RawBytes

// view is what a search works on: the state of the index at one generation.
type view struct {
	meta
	// the tail first, then by falling ids: ties go to the newer, so few are pushed out again
	segs []*segment
	tail *tail
}

// segment is a segment, or the tail, at one generation.
type segment struct {
	*sealed
	rev  int64
	dead bitset // nil: none
}

func (s *segment) isDead(ord int) bool { return s.dead != nil && s.dead.has(ord) }

// sealed is what never changes of a segment. The tail has one too, made anew when it changes.
type sealed struct {
	x    *Index
	seg  int64 // 0: the tail
	n    int
	lo   int64
	hi   int64
	dir  []string
	lens []byte
	mem  *tail // of the tail only

	vocabulary vocabulary // of the tail only; an index keeps that of its other segments together

	mu     sync.Mutex // guards what is read when first needed
	ids    []int64
	codes  *codes
	noCode bool
	exact  *memVectors // the vectors, if the index is warm and they fit
}

func (s *sealed) allIDs(tx *sqlite.Tx) ([]int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids != nil {
		return s.ids, nil
	}
	var raw []byte
	if err := tx.QueryRow(s.x.q(`SELECT ids FROM @_segments WHERE seg = ?`), s.seg).Scan(&raw); err != nil {
		return nil, err
	}
	ids, err := decodeIDs(raw, s.n)
	if err == nil {
		s.ids = ids
	}
	return ids, err
}

// allCodes returns the documents' codes, nil if none has one.
func (s *sealed) allCodes(tx *sqlite.Tx, dim int) (*codes, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.codes != nil || s.noCode {
		return s.codes, nil
	}
	got, err := s.x.readCodes(tx, dim, s)
	c := got[s.seg]
	s.codes, s.noCode = c, err == nil && c == nil
	return c, err
}

func (x *Index) loadSegment(tx *sqlite.Tx, seg int64) (*segment, error) {
	all, err := x.loadSegments(tx, []int64{seg}, false)
	return all[seg], err
}

// loadSegments reads segments as they are now. anew: segs are all there are.
func (x *Index) loadSegments(tx *sqlite.Tx, segs []int64, anew bool) (map[int64]*segment, error) {
	all := map[int64]*segment{}
	if len(segs) == 0 {
		return all, nil
	}
	q := x.askSegments(segs)
	if anew {
		q = x.askSegments(nil)
	}
	var r segment
	var one sealed
	var dir, dead []byte
	var deadN int
	err := tx.Each([]any{&one.seg, &one.n, &one.lo, &one.hi, &dir, &one.lens, &r.rev, &deadN, &dead}, func() (err error) {
		s := &segment{sealed: &sealed{x: x, seg: one.seg, n: one.n, lo: one.lo, hi: one.hi, lens: one.lens}, rev: r.rev}
		one.lens = nil
		if s.n < 1 || s.n > MaxSegment || len(s.lens) != s.n || deadN < 0 || deadN > s.n {
			return corrupt("segment %d has %d documents and %d lengths", s.seg, s.n, len(s.lens))
		}
		if s.dir, err = decodeDir(dir); err != nil {
			return err
		}
		all[s.seg] = s
		return s.setDead(deadN, dead)
	}, q.Query, q.Args...)
	if err != nil {
		return nil, err
	}
	for _, seg := range segs {
		if all[seg] == nil {
			return nil, corrupt("segment %d is missing", seg)
		}
	}
	return all, nil
}

func (s *segment) setDead(n int, b []byte) (err error) {
	if len(b) == 0 {
		s.dead = nil
	} else if s.dead, err = decodeBitset(b, s.n); err != nil {
		return err
	}
	if s.dead.count() != n {
		return corrupt("segment %d counts %d dead documents and has %d", s.seg, n, s.dead.count())
	}
	return nil
}

// viewOf returns the view of the transaction's moment, and what to call when done with it.
func (x *Index) viewOf(tx *sqlite.Tx) (*view, func(), error) {
	m, err := x.readMeta(tx)
	if err != nil {
		return nil, nil, err
	}
	x.mu.RLock()
	if v := x.view; v != nil && v.generation == m.generation {
		return v, x.mu.RUnlock, nil
	}
	x.mu.RUnlock()
	if tx.Wrote() && !x.private { // it may have changed the index
		return x.ownOf(tx).viewOf(tx)
	}
	x.mu.Lock()
	fresh := false
	defer func() { // also of a panic, which a process that lives may survive
		if !fresh {
			x.view = nil
			x.mu.Unlock()
		}
	}()
	if x.view == nil || x.view.generation != m.generation {
		if err := x.refresh(tx, m); err != nil {
			return nil, nil, err
		}
	}
	fresh = true
	// The lock is held on: a snapshot of another age may be waiting for its own view.
	return x.view, x.mu.Unlock, nil
}

// until returns the view without the segments that begin after a document.
func (v *view) until(id int64) *view {
	some := *v
	some.segs = slices.DeleteFunc(slices.Clone(v.segs), func(s *segment) bool { return s.lo > id })
	return &some
}

// ownOf returns the index that knows what a transaction has changed.
func (x *Index) ownOf(tx *sqlite.Tx) *Index {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ownTx != tx {
		x.own, x.ownTx = New(x.cfg), tx
		x.own.private = true
	}
	return x.own
}

// refresh reads only what the view does not know: numbers are never used twice.
func (x *Index) refresh(tx *sqlite.Tx, m meta) error {
	v := &view{meta: m, tail: newTail()}
	known, later := map[int64]*segment{}, true
	if old := x.view; old != nil && old.since == m.since {
		v.tail, later = old.tail, m.generation > old.generation
		for _, s := range old.segs {
			known[s.seg] = s
		}
	}
	if err := tx.Ahead(x.askView(v.tail, len(known) == 0)...); err != nil {
		return err
	}
	type version struct{ seg, rev int64 }
	have, err := sqlite.All(tx, func(r *version) []any { return []any{&r.seg, &r.rev} }, x.askLive().Query)
	if err != nil {
		return err
	}
	var unknown []int64
	for _, h := range have {
		if known[h.seg] == nil {
			unknown = append(unknown, h.seg)
		}
	}
	loaded, err := x.loadSegments(tx, unknown, len(known) == 0)
	if err != nil {
		return err
	}
	for _, h := range have {
		s := known[h.seg]
		if s == nil {
			s = loaded[h.seg]
		} else if s.rev != h.rev {
			var dead []byte
			var n int
			if err := tx.QueryRow(x.q(`SELECT dead_n, dead FROM @_live WHERE seg = ?`), h.seg).Scan(&n, &dead); err != nil {
				return err
			}
			s = &segment{sealed: s.sealed, rev: h.rev}
			if err := s.setDead(n, dead); err != nil {
				return err
			}
		}
		v.segs = append(v.segs, s)
	}
	slices.SortFunc(v.segs, func(a, b *segment) int { return cmp.Compare(b.hi, a.hi) })
	if err := x.refreshTail(tx, v, later); err != nil {
		return err
	}
	if v.tail.n > 0 {
		v.segs = slices.Insert(v.segs, 0, v.tail.segment(x))
	}
	x.view = v
	if x.warm {
		return x.warmVectors(tx)
	}
	return nil
}

// tail is the tail in memory. Its documents are numbered as they come.
type tail struct {
	n       int // numbers given out, the dead included
	byGen   map[int64]int
	last    int64 // the highest generation in it
	ids     []int64
	lens    []byte
	vectors []embed.Vector // of each document; nil where there is none
	dead    bitset

	mu    sync.Mutex
	terms []string  // of each document, encoded, until all lists are made
	asked int       // how often a list was made alone
	lists termLists // those asked for, or all
}

func newTail() *tail { return &tail{byGen: map[int64]int{}, lists: termLists{}} }

// maxSingleLists are made one by one before all are: a search in a new process asks for a dozen.
const maxSingleLists = 64

// list returns a term's posting list, nil if there is none.
func (t *tail) list(term string) *plist {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, made := t.lists[term]; made || len(t.terms) == 0 {
		return p
	}
	if t.asked++; t.asked > maxSingleLists {
		return t.invert()[term]
	}
	t.lists[term] = nil
	for ord, terms := range t.terms {
		t.put(ord, terms, term)
	}
	return t.lists[term]
}

// all returns the posting lists of all terms.
func (t *tail) all() termLists {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.invert()
}

func (t *tail) invert() termLists {
	if len(t.terms) > 0 {
		t.lists = termLists{}
	}
	for ord, terms := range t.terms {
		t.put(ord, terms, "")
	}
	t.terms = nil
	return t.lists
}

// put adds a document to the lists of its terms, or of one alone.
func (t *tail) put(ord int, terms, only string) {
	for term, tf := "", uint8(0); terms != "" && (only == "" || term < only); {
		term, tf, terms = nextTerm(terms)
		if only != "" && term != only {
			continue
		}
		p := t.lists.of(term)
		if p.add(ord, tf); p.kind == kindText {
			p.wide = append(p.wide, uint16(ord))
		}
	}
}

// refreshTail brings a view's tail up to date: dead is what went, appended what is new. later: from
// an earlier moment. The lock is held.
func (x *Index) refreshTail(tx *sqlite.Tx, v *view, later bool) error {
	t := v.tail
	if t.n == 0 {
		return x.appendTail(tx, t, math.MinInt64, v.dim)
	}
	var count, added int
	q := x.askTailCounts(t)
	if err := tx.QueryRow(q.Query, q.Args...).
		Scan(&count, &added); err != nil {
		return err
	}
	// Mostly something was added and nothing went, which counting tells: numbers rise.
	if later && count == len(t.byGen)+added {
		if added == 0 {
			return nil
		}
		return x.appendTail(tx, t, t.last+1, v.dim)
	}
	now, err := sqlite.Column[int64](tx, x.q(`SELECT gen FROM @_tail ORDER BY gen`))
	if err != nil {
		return err
	}
	// of what stays: another snapshot may have known later ones
	t.last = 0
	for g, ord := range t.byGen {
		if _, stays := slices.BinarySearch(now, g); stays {
			t.last = max(t.last, g)
			continue
		}
		t.dead.set(ord)
		delete(t.byGen, g)
	}
	if 2*t.dead.count() > t.n {
		t = newTail()
		v.tail = t
	}
	i := slices.IndexFunc(now, func(g int64) bool { _, known := t.byGen[g]; return !known })
	if i < 0 {
		return nil
	}
	return x.appendTail(tx, t, now[i], v.dim)
}

// appendTail appends what the tail does not know, from a number on.
func (x *Index) appendTail(tx *sqlite.Tx, t *tail, from int64, dim int) error {
	first, q := t.n, x.askTail(from)
	var gen, doc int64
	var rec []byte
	if err := tx.Each([]any{&gen, &doc, &rec}, func() error {
		if _, known := t.byGen[gen]; known {
			return nil
		}
		length, terms, err := cutRecord(doc, rec)
		if err == nil && t.n >= MaxSegment {
			err = corrupt("the tail holds more than %d documents", MaxSegment)
		}
		if err != nil {
			return err
		}
		t.add(gen, doc, length, terms)
		return nil
	}, q.Query, q.Args...); err != nil {
		return err
	}
	return x.tailVectors(tx, t, from, first, dim)
}

func (t *tail) add(gen, doc int64, length uint8, terms string) {
	ord := t.n
	t.n++
	t.byGen[gen] = ord
	t.last = max(t.last, gen)
	t.ids = append(t.ids, doc)
	t.lens = append(t.lens, length)
	t.vectors = append(t.vectors, nil)
	if len(t.dead)*64 < t.n {
		t.dead = append(t.dead, 0)
	}
	if len(t.terms) < ord { // all lists are made
		t.put(ord, terms, "")
		return
	}
	t.terms = append(t.terms, terms)
	clear(t.lists)
}

// tailVectors reads the vectors of what appendTail appended, from that number on.
func (x *Index) tailVectors(tx *sqlite.Tx, t *tail, from int64, first, dim int) error {
	if dim == 0 || first == t.n {
		return nil
	}
	ords := map[int64]int{}
	for ord := first; ord < t.n; ord++ {
		ords[t.ids[ord]] = ord
	}
	var doc int64
	var raw rawBytes
	q := x.askTailVectors(from)
	return tx.Each([]any{&doc, &raw}, func() (err error) {
		if ord, appended := ords[doc]; appended {
			t.vectors[ord], err = decodeVector(nil, raw, dim)
		}
		return err
	}, q.Query, q.Args...)
}

func (t *tail) segment(x *Index) *segment {
	s := &segment{sealed: &sealed{x: x, n: t.n, lens: t.lens, ids: t.ids, mem: t, noCode: true}}
	if t.dead.count() > 0 {
		s.dead = t.dead
	}
	return s
}

// plist returns a term's posting list in the segment.
func (s *segment) plist(tx *sqlite.Tx, term string) (*plist, error) {
	if s.mem != nil {
		return s.mem.list(term), nil
	}
	block := blockOf(s.dir, term)
	if block < 0 {
		return nil, nil
	}
	if p, ok := s.x.postings.get(postingKey{s.seg, term}); ok {
		return p, nil
	}
	var raw []byte
	err := tx.QueryRow(s.x.q(`SELECT data FROM @_blocks WHERE id = ?`), rowID(s.seg, int64(block))).Scan(&raw)
	if sqlite.IsNoRows(err) {
		err = corrupt("block %d of segment %d is missing", block, s.seg)
	}
	if err != nil {
		return nil, err
	}
	return s.cacheList(term, raw)
}

// cacheList caches and returns the list of a term in a block, nil if the block has none.
func (s *segment) cacheList(term string, block []byte) (*plist, error) {
	p, found, err := lookup(block, term, s.n)
	if err != nil {
		return nil, err
	}
	var kept *plist
	if found {
		kept = p.cacheCopy()
	}
	s.x.postings.put(postingKey{s.seg, term}, kept)
	return kept, nil
}

// postingCache never goes stale, since segments never change. A full one is emptied.
type postingCache struct {
	mu    sync.Mutex
	lists map[postingKey]*plist
	size  int
}

type postingKey struct {
	seg  int64
	term string
}

// maxPostingBytes bounds the cache.
const maxPostingBytes = 128 << 20

func (c *postingCache) get(k postingKey) (*plist, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.lists[k]
	return p, ok
}

func (c *postingCache) put(k postingKey, p *plist) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := len(k.term) + 150
	if p != nil {
		size += len(p.ords) + len(p.tfs) + len(p.bits) + 2*len(p.wide)
	}
	if c.lists == nil || c.size+size > maxPostingBytes {
		c.lists, c.size = map[postingKey]*plist{}, 0
	}
	c.lists[k] = p
	c.size += size
}
