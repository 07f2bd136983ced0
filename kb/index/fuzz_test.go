package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"blackboard/board/sqlite"
	"blackboard/board/words"
	"blackboard/embed"
	"blackboard/testdata/expect"
)

// FuzzSegment reads any bytes as everything that a segment and the tail are stored in. What cannot
// be read is ErrCorrupt, and what can be names no document that there is not. Then it writes what
// the bytes make up, and reads it again.
func FuzzSegment(f *testing.F) {
	list := plist{kind: kindList}
	for ord := range 40 {
		list.add(3*ord, 0)
	}
	text := plist{ords: []byte{1, 0, 0, 1}, tfs: []byte{4, 255}, n: 2}
	block := appendEntry(appendEntry(nil, "\x00kind:fact", &list, 128), "pane", &text, 128)
	f.Add(block, uint16(127), "pane")
	f.Add(appendEntry(nil, "\x00kind:fact", &list, 121), uint16(120), "\x00kind:fact")
	f.Add(encodeIDs([]int64{-5, 0, 1, 1 << 40}), uint16(3), "")
	f.Add([]byte("\x04pane\x06window"), uint16(1), "pane")
	f.Add((&record{length: 9, terms: []termTF{{"\x00kind:fact", 0}, {"pane", 8}}}).encode(), uint16(0), "pane")
	c := newCodes(3, 64)
	c.set(1, []signs{{1, 2, 3, 4, 5, 6}})
	f.Add(c.encodeChunk(0), uint16(2), "")
	f.Add(bitset{5, 1}.bytes(), uint16(64), "")
	f.Fuzz(func(t *testing.T, data []byte, last uint16, term string) {
		n := int(last) + 1
		fuzzBlock(t, data, n, term)
		fuzzStored(t, data, n, term)
		if n <= 2048 {
			fuzzCodes(t, data, n)
			fuzzWritten(t, data, n)
		}
	})
}

// must fails the test if an error is not ErrCorrupt. It reports whether there is none.
func must(t *testing.T, what string, err error) bool {
	t.Helper()
	if err != nil && !errors.Is(err, ErrCorrupt) {
		t.Fatalf("%s: %v", what, err)
	}
	return err == nil
}

func fuzzBlock(t *testing.T, data []byte, n int, term string) {
	p, found, err := lookup(data, term, n)
	if must(t, "lookup", err) && found {
		fuzzList(t, &p, n)
	}
	for rest := data; len(rest) > 0; {
		var term []byte
		if term, p, rest, err = cutEntry(rest, n); !must(t, "entry", err) {
			return
		}
		if len(term) == 0 || p.n < 1 || p.n > n {
			t.Fatalf("the entry of %q has %d of %d documents", term, p.n, n)
		}
		fuzzList(t, &p, n)
	}
}

func fuzzList(t *testing.T, p *plist, n int) {
	set, one := newBitset(n), newBitset(n)
	p.addTo(set, n)
	count := 0
	for ord := range p.all(n) {
		if ord < 0 || ord >= n {
			t.Fatalf("a list of %d documents has number %d", n, ord)
		}
		one.set(ord)
		if count++; count > n {
			t.Fatalf("a list has more than %d documents", n)
		}
		if count < 50 {
			p.find(ord)
		}
	}
	if !slices.Equal(set, one) {
		t.Fatal("a list adds other documents to a set than it yields")
	}
	p.find(0)
	p.find(n)
}

func fuzzStored(t *testing.T, data []byte, n int, term string) {
	if dir, err := decodeDir(data); must(t, "directory", err) {
		if !slices.IsSorted(dir) {
			t.Fatalf("the directory %q is not sorted", dir)
		}
		if i := blockOf(dir, term); i < -1 || i >= len(dir) || i >= 0 && dir[i] > term || i+1 < len(dir) && dir[i+1] <= term {
			t.Fatalf("block %d of %q for %q", i, dir, term)
		}
	}
	ids, err := decodeIDs(data, n)
	if must(t, "ids", err) {
		again, err := decodeIDs(encodeIDs(ids), n)
		if err != nil || !slices.Equal(ids, again) || !slices.IsSorted(ids) {
			t.Fatalf("ids %v became %v: %v", ids, again, err)
		}
	}
	if set, err := decodeBitset(data, n); must(t, "set", err) {
		if !bytes.Equal(set.bytes(), data) || set.count() > n {
			t.Fatalf("a set of %d: %x became %x", n, data, set.bytes())
		}
	}
	r, err := decodeRecord(7, data)
	if must(t, "record", err) {
		if cap(r.terms) > len(data) {
			t.Fatalf("a record of %d bytes makes room for %d terms", len(data), cap(r.terms))
		}
		again, err := decodeRecord(7, r.encode())
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Fatalf("the record %+v became %+v: %v", r, again, err)
		}
	}
	if v, err := decodeVector(nil, data, n); must(t, "vector", err) && !bytes.Equal(encodeVector(v), data) {
		t.Fatalf("a vector %x became %x", data, encodeVector(v))
	}
}

func fuzzCodes(t *testing.T, data []byte, n int) {
	for _, dim := range []int{1, 384, 400} {
		c := newCodes(n, dim)
		for _, i := range []int{0, 1, 1 << 23} {
			if err := c.decodeChunk(i, n, data); must(t, "codes", err) && !bytes.Equal(c.encodeChunk(i), data) {
				t.Fatalf("chunk %d of codes became %x", i, c.encodeChunk(i))
			}
		}
		if c.has.count() > n {
			t.Fatalf("%d of %d documents have codes", c.has.count(), n)
		}
		all := newBitset(n)
		all.fill(n)
		hist := make([]int, minBits*c.w+1)
		dist := make([]uint16, n)
		c.distances(0, len(all), dist, make([]signs, c.w), all, hist)
		total := 0
		for _, h := range hist {
			total += h
		}
		if total != c.has.count() {
			t.Fatalf("%d distances of %d codes", total, c.has.count())
		}
	}
}

// fuzzWritten makes lists of data, two bytes a posting, writes them as a segment does, and looks
// each up.
func fuzzWritten(t *testing.T, data []byte, n int) {
	type posting map[int]uint8
	lists := map[string]posting{}
	for i := 0; i+2 < len(data) && i < 3*2000; i += 3 {
		ord := int(binary.LittleEndian.Uint16(data[i:])) % n
		term := fmt.Sprintf("t%d", data[i+2]%61)
		if data[i+2]%2 == 0 {
			term = keywordMark + term
		}
		if lists[term] == nil {
			lists[term] = posting{}
		}
		lists[term][ord] = data[i+2]
	}
	var blocks [][]byte
	w := blockWriter{n: n, write: func(b []byte) error {
		blocks = append(blocks, bytes.Clone(b))
		return nil
	}}
	for _, term := range slices.Sorted(maps.Keys(lists)) {
		var p plist
		if strings.HasPrefix(term, keywordMark) {
			p.kind = kindList
		}
		for _, ord := range slices.Sorted(maps.Keys(lists[term])) {
			p.add(ord, lists[term][ord])
		}
		expect.OK(t, w.add(term, &p))
	}
	expect.OK(t, w.flush())
	dir, err := decodeDir(w.dir)
	if err != nil || len(dir) != len(blocks) {
		t.Fatalf("%d blocks have the directory %q: %v", len(blocks), dir, err)
	}
	for term, want := range lists {
		i := blockOf(dir, term)
		if i < 0 {
			t.Fatalf("%q is in no block", term)
		}
		p, found, err := lookup(blocks[i], term, n)
		if err != nil || !found || p.n != len(want) {
			t.Fatalf("%q: %v, %v, %d documents, want %d", term, found, err, p.n, len(want))
		}
		fuzzList(t, &p, n)
		var got []int
		for ord := range p.all(n) {
			got = append(got, ord)
		}
		if !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("%q is in %v, want %v", term, got, want)
		}
		for ord := range n {
			if tf := p.find(ord); p.kind == kindText && tf != want[ord] {
				t.Fatalf("%q is %d times in %d, want %d", term, tf, ord, want[ord])
			}
		}
	}
	for _, term := range []string{"", "\x00", "t", "t0a", "zz"} {
		if i := blockOf(dir, term); i >= 0 {
			if _, found, err := lookup(blocks[i], term, n); found || err != nil {
				t.Fatalf("%q, which is in no document: %v, %v", term, found, err)
			}
		}
	}
}

// fuzzDocs are of many scripts and shapes; the second half of them ends in the tail.
func fuzzDocs() []Doc {
	texts := []string{
		"tmux capture-pane returns nothing when the pane is gone", "capturePane and capture_pane are one", "日本語の本 café 東京",
		"kb/scripts/foo.py:42 fails with errno -2", "e2e4 4,500,000 $4.5M 3.14", "Ünïcödé naïve straße", "สวัสดี ภาษาไทย", "🙂 👍🏽 fin",
		"the the the the of of and", "don't won't o'clock", "a", "", "x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x x", "running runs ran runner",
	}
	r := rand.New(rand.NewPCG(11, 1))
	var docs []Doc
	for i := range 95 {
		d := Doc{ID: int64(i*3 - 20), Text: []string{texts[r.IntN(len(texts))], texts[r.IntN(len(texts))] + " " + texts[r.IntN(len(texts))]}, Keywords: []string{fmt.Sprint("kind:", i%3)}}
		if i%4 > 0 {
			d.Vector = randomVector(r, testModel.Dim)
		}
		docs = append(docs, d)
	}
	return docs
}

// FuzzSearch asks anything of an index with segments, a tail and dead documents. Every question
// has an answer, its ranks and scores are in order, a score is the sum of what Explain says,
// nothing that should be there is left out, and an index that is warm answers as a new one.
func FuzzSearch(f *testing.F) {
	for i, s := range []string{"pane", "capture_pane returned", "日本 café", "foo.py:42 kb/scripts", "the of and", `"'(*)-NEAR/ "`, "\x00kind:0", "\xff\xfe", "x", "",
		"👍 ภาษา", strings.Repeat("pane ", 3000), "$4.5M don't 4.5", "İI\u0130ı", "a\u0301\u0301\u0301"} {
		f.Add(s, uint8(i*7), uint8(i), int64(i))
	}
	words.AnyLanguage.Each(func(_ words.Languages, mark string) { f.Add(mark, uint8(20), uint8(1), int64(1)) }) // as a keyword
	f.Add(words.StemMark, uint8(20), uint8(1), int64(1))
	db := openDB(f)
	x := newIndex(f, db, testConfig)
	docs := map[int64]Doc{}
	write(f, db, func(tx *sqlite.Tx) error {
		if err := x.SetModel(tx, testModel); err != nil {
			return err
		}
		for i, d := range fuzzDocs() {
			docs[d.ID] = d
			if err := x.Put(tx, d); err != nil {
				return err
			}
			if i%9 == 5 && i > 16 {
				gone := d.ID - 48
				delete(docs, gone)
				if err := x.Delete(tx, gone); err != nil {
					return err
				}
			}
		}
		return x.Check(tx)
	})
	read(f, db, func(tx *sqlite.Tx) error {
		st, err := x.Stats(tx)
		if err == nil && (st.Segments < 2 || st.Tail == 0 || st.Dead == 0 || int(st.Docs) != len(docs)) {
			f.Fatalf("not an index worth asking: %+v", st)
		}
		return err
	})
	ids := slices.Sorted(maps.Keys(docs))
	warm := New(testConfig)
	read(f, db, warm.Warm)
	f.Fuzz(func(t *testing.T, text string, depth, filter uint8, vector int64) {
		q := Query{Text: text, Depth: int(depth), KeepVectors: filter&64 != 0, Expand: filter&32 != 0}
		if filter&1 != 0 {
			q.Filter.All = append(q.Filter.All, []string{"kind:0", "kind:2", text})
		}
		if filter&2 != 0 {
			q.Filter.None = []string{"kind:1"}
		}
		if filter&4 != 0 {
			q.Filter.All = append(q.Filter.All, []string{"kind:0"})
		}
		if vector != 0 {
			q.Vector, q.Model = randomVector(rand.New(rand.NewPCG(uint64(vector), 2)), testModel.Dim), testModel.Name
		}
		read(t, db, func(tx *sqlite.Tx) error {
			got, err := warm.Search(tx, q)
			if err != nil {
				return err
			}
			cold, err := New(testConfig).Search(tx, q)
			if err != nil {
				return err
			}
			if !reflect.DeepEqual(got, cold) {
				t.Fatalf("warm: %+v\ncold: %+v", got, cold)
			}
			why, err := warm.Explain(tx, q, ids)
			if err != nil {
				return err
			}
			scores := map[int64]float64{}
			for id, terms := range why {
				for _, s := range terms {
					scores[id] += s.Score
				}
			}
			checkAnswer(t, q, got, docs, scores)
			return nil
		})
	})
}

// checkAnswer holds an answer against the documents and what their scores add up to.
func checkAnswer(t *testing.T, q Query, got Result, docs map[int64]Doc, scores map[int64]float64) {
	t.Helper()
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-4*max(1, math.Abs(b)) }
	byRank := map[string][]Candidate{}
	last := int64(math.MaxInt64)
	for _, c := range got.Candidates {
		d, known := docs[c.ID]
		switch {
		case !known || c.ID >= last || !passes(d, q.Filter):
			t.Fatalf("document %d should not be there, or not there", c.ID)
		case math.IsNaN(c.BM25) || math.IsInf(c.BM25, 0) || math.IsNaN(c.Cosine) || c.Cosine < -1 || c.Cosine > 1:
			t.Fatalf("scores of %+v", c)
		case !near(c.BM25, scores[c.ID]):
			t.Fatalf("document %d has %g and is explained by %g", c.ID, c.BM25, scores[c.ID])
		case c.TextRank == 0 && c.VectorRank == 0 || c.TextRank > 0 && c.BM25 <= 0 || c.VectorRank > 0 && (c.Cosine <= 0 || !c.HasVector):
			t.Fatalf("%+v is nobody's candidate", c)
		case q.Vector != nil && c.HasVector != (d.Vector != nil), c.HasVector && q.KeepVectors != (c.Vector != nil):
			t.Fatalf("%+v: its vector", c)
		}
		last = c.ID
		if c.TextRank > 0 {
			byRank["text"] = append(byRank["text"], c)
		}
		if c.VectorRank > 0 {
			byRank["vector"] = append(byRank["vector"], c)
		}
	}
	for lane, cands := range byRank {
		rank, score := byText, func(c Candidate) float64 { return c.BM25 }
		if lane == "vector" {
			rank, score = byVector, func(c Candidate) float64 { return c.Cosine }
		}
		sort.Slice(cands, func(i, j int) bool { return rank(cands[i]) < rank(cands[j]) })
		for i, c := range cands {
			if rank(c) != i+1 {
				t.Fatalf("%s rank %d is missing: %+v", lane, i+1, cands)
			}
			if i > 0 && (score(c) > score(cands[i-1]) || score(c) == score(cands[i-1]) && c.ID > cands[i-1].ID) {
				t.Fatalf("%s ranks %d and %d are in the wrong order", lane, i, i+1)
			}
		}
	}
	// Nothing is left out.
	matching, least := 0, math.Inf(1)
	for _, c := range byRank["text"] {
		least = min(least, c.BM25)
	}
	for id, score := range scores {
		if d, known := docs[id]; !known || !passes(d, q.Filter) {
			continue
		}
		matching++
		listed := slices.ContainsFunc(byRank["text"], func(c Candidate) bool { return c.ID == id })
		if !listed && score > least && !near(score, least) {
			t.Fatalf("document %d with %g is not listed, but one with %g is", id, score, least)
		}
	}
	if want := min(matching, max(1, q.Depth)); len(byRank["text"]) != want {
		t.Fatalf("%d documents by their words, want %d", len(byRank["text"]), want)
	}
	if q.Vector != nil {
		var want []int64
		for _, h := range exactRanking(docs, q.Vector, q.Filter) {
			want = append(want, h.id)
		}
		if got := ranked(got, byVector); !slices.Equal(got, want[:min(len(want), max(1, q.Depth))]) {
			t.Fatalf("nearest are %v, want %v", got, want)
		}
	}
}

func passes(d Doc, f Filter) bool {
	has := func(k string) bool { return slices.Contains(d.Keywords, k) }
	for _, group := range f.All {
		if !slices.ContainsFunc(group, has) {
			return false
		}
	}
	return !slices.ContainsFunc(f.None, has)
}

// exactRanking compares a vector with every document's.
func exactRanking(docs map[int64]Doc, v embed.Vector, f Filter) []scored {
	var all []scored
	u, _ := unit(v)
	for _, d := range docs {
		if !passes(d, f) {
			continue
		}
		if have, ok := unit(d.Vector); ok {
			if cos := Cosine(u, have); cos > 0 {
				all = append(all, scored{id: d.ID, score: cos})
			}
		}
	}
	slices.SortFunc(all, better)
	return all
}
