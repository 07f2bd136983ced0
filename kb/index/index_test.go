package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

var testConfig = Config{Name: "ix", Weights: []float64{2, 1}, K1: 0.9, B: 0.4, Seal: 16}

var testModel = embed.Model{Name: "random", Dim: 64}

func openDB(t testing.TB) *sqlite.DB {
	t.Helper()
	return openFile(t, filepath.Join(t.TempDir(), "index.sqlite3"))
}

func openFile(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	db := expect.Value(sqlite.Open(context.Background(), path, sqlite.Schema{Name: "test", ApplicationID: 7, Migrations: []string{"CREATE TABLE things (id INTEGER PRIMARY KEY, word TEXT) STRICT"}}, sqlite.Create))(t)
	t.Cleanup(func() { db.Close() })
	return db
}

func write(t testing.TB, db *sqlite.DB, fn func(*sqlite.Tx) error) {
	t.Helper()
	expect.OK(t, db.Write(context.Background(), fn))
}

func read(t testing.TB, db *sqlite.DB, fn func(*sqlite.Tx) error) {
	t.Helper()
	expect.OK(t, db.Read(context.Background(), fn))
}

func newIndex(t testing.TB, db *sqlite.DB, cfg Config) *Index {
	t.Helper()
	x := New(cfg)
	write(t, db, x.Reset)
	return x
}

func ask(t testing.TB, db *sqlite.DB, x *Index, q Query) Result {
	t.Helper()
	var res Result
	read(t, db, func(tx *sqlite.Tx) (err error) {
		res, err = x.Search(tx, q)
		return err
	})
	return res
}

// ranked returns the ids of one lane, best first.
func ranked(r Result, lane func(Candidate) int) []int64 {
	byRank := map[int]int64{}
	for _, c := range r.Candidates {
		if n := lane(c); n > 0 {
			byRank[n] = c.ID
		}
	}
	var ids []int64
	for _, n := range slices.Sorted(maps.Keys(byRank)) {
		ids = append(ids, byRank[n])
	}
	return ids
}

func byText(c Candidate) int   { return c.TextRank }
func byVector(c Candidate) int { return c.VectorRank }

func TestWordsAndFilters(t *testing.T) {
	db := openDB(t)
	x := newIndex(t, db, testConfig)
	write(t, db, func(tx *sqlite.Tx) error {
		return x.Put(tx,
			Doc{ID: 1, Text: []string{"tmux capture-pane", "How to reuse a pane."}, Keywords: []string{"kind:recipe", "tag:tmux"}},
			Doc{ID: 2, Text: []string{"Panes", "The capturePane call returns nothing when the pane is gone; a gotcha."}, Keywords: []string{"kind:gotcha"}},
			Doc{ID: 3, Text: []string{"Windows", "Nothing of interest."}, Keywords: []string{"kind:fact", "tag:tmux"}},
		)
	})
	for _, tc := range []struct {
		name string
		q    Query
		want []int64
	}{
		{"a title counts more", Query{Text: "capture_pane"}, []int64{1, 2}},
		{"stemmed", Query{Text: "returned"}, []int64{2}},
		{"a filter", Query{Text: "pane", Filter: Filter{All: [][]string{{"kind:gotcha", "kind:fact"}}}}, []int64{2}},
		{"two filters", Query{Text: "pane window", Filter: Filter{All: [][]string{{"tag:tmux"}, {"kind:fact"}}}}, []int64{3}},
		{"none of", Query{Text: "pane", Filter: Filter{None: []string{"kind:gotcha"}}}, []int64{1}},
		{"an empty group lets nothing through", Query{Text: "pane", Filter: Filter{All: [][]string{{}}}}, nil},
		{"a keyword is no word", Query{Text: "\x00kind:fact"}, nil},
		{"unknown", Query{Text: "zebra"}, nil},
		{"nothing", Query{}, nil},
		{"signs", Query{Text: `"'(*)-NEAR/ "`}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.q.Depth = 10
			if got := ranked(ask(t, db, x, tc.q), byText); !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
	if r := ask(t, db, x, Query{Text: "pane zebra", Depth: 5}); !slices.Equal(r.Missing, []string{"zebra"}) || !slices.Equal(r.Terms, []Term{{"pane", 2}, {"zebra", 0}}) {
		t.Errorf("terms %v, missing %q", r.Terms, r.Missing)
	}
}

// TestScores holds the scores against the formula, computed here the slow way.
func TestScores(t *testing.T) {
	db := openDB(t)
	x := newIndex(t, db, testConfig)
	texts := [][]string{{"alpha", "beta beta gamma"}, {"", "alpha beta how"}, {"gamma", "delta delta delta delta beta"}, {"", "omega"}}
	write(t, db, func(tx *sqlite.Tx) error {
		for i, text := range texts {
			if err := x.Put(tx, Doc{ID: int64(i + 1), Text: text}); err != nil {
				return err
			}
		}
		return nil
	})
	var length float64
	tf := make([]map[string]float64, len(texts))
	lens := make([]float64, len(texts))
	for i, text := range texts {
		tf[i] = map[string]float64{}
		for f, w := range []float64{2, 1} {
			for _, word := range strings.Fields(text[f]) {
				tf[i][word] += w
				lens[i] += w
			}
		}
		length += lens[i]
	}
	avg := length / float64(len(texts))
	want := func(i int, words ...string) (sum float64) {
		for _, w := range words {
			df := 0.0
			for _, m := range tf {
				if m[w] > 0 {
					df++
				}
			}
			if f := tf[i][w]; f > 0 {
				idf := math.Log(1 + (float64(len(texts))-df+0.5)/(df+0.5))
				if w == "how" { // one of four has it, and that is chance
					idf = min(idf, math.Log(1+3.5/1.5)/10)
				}
				sum += idf * f * 1.9 / (f + 0.9*(1-0.4+0.4*lens[i]/avg))
			}
		}
		return sum
	}
	check := func(when string) {
		for _, c := range ask(t, db, x, Query{Text: "how alpha beta", Depth: 10}).Candidates {
			if w := want(int(c.ID-1), "how", "alpha", "beta"); math.Abs(c.BM25-w) > 1e-5 {
				t.Errorf("%s: document %d has %g, want %g", when, c.ID, c.BM25, w)
			}
		}
		read(t, db, func(tx *sqlite.Tx) error {
			why, err := x.Explain(tx, Query{Text: "how alpha beta"}, []int64{1, 4})
			if err != nil {
				return err
			}
			if len(why) != 1 || len(why[1]) != 2 || why[1][0].Term != "alpha" || why[1][1].TF != 2 || why[1][1].DF != 3 {
				t.Errorf("%s: explained as %+v", when, why)
			}
			return nil
		})
	}
	check("in the tail")
	write(t, db, x.Seal)
	check("sealed")
}

func randomDoc(r *rand.Rand, id int64) Doc {
	words := func(n int) string {
		var b strings.Builder
		for range n {
			// squares make low numbers frequent
			fmt.Fprintf(&b, "w%dx ", int(math.Pow(r.Float64(), 3)*60))
		}
		return b.String()
	}
	d := Doc{ID: id, Text: []string{words(r.IntN(4)), words(r.IntN(30))}, Keywords: []string{fmt.Sprintf("kind:%d", r.IntN(3))}}
	if r.IntN(10) == 0 {
		d.Keywords = append(d.Keywords, "superseded")
	}
	if r.IntN(4) > 0 {
		d.Vector = randomVector(r, testModel.Dim)
	}
	return d
}

func randomVector(r *rand.Rand, dim int) embed.Vector {
	v := make(embed.Vector, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	v.Normalize()
	return v
}

// TestHistoryDoesNotMatter does what users do in any order, and holds the index against one that
// was made at once of what is left: what it holds, and every answer, to the last bit.
func TestHistoryDoesNotMatter(t *testing.T) {
	cost.SkipUnlessLong(t)
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			db := openDB(t)
			x := newIndex(t, db, testConfig)
			write(t, db, func(tx *sqlite.Tx) error { return x.SetModel(tx, testModel) })
			docs := map[int64]Doc{}
			nextID := int64(1)
			for step := range 100 {
				write(t, db, func(tx *sqlite.Tx) error {
					switch r.IntN(12) {
					case 0, 1: // many at once, some anew
						var batch []Doc
						for range r.IntN(40) {
							batch = append(batch, randomDoc(r, nextID))
							nextID += 1 + int64(r.IntN(3))
						}
						for _, d := range batch {
							docs[d.ID] = d
						}
						return x.Put(tx, batch...)
					case 2, 3: // edited
						if len(docs) == 0 {
							return nil
						}
						ids := slices.Sorted(maps.Keys(docs))
						d := randomDoc(r, ids[r.IntN(len(ids))])
						docs[d.ID] = d
						return x.Put(tx, d)
					case 4, 5:
						ids := slices.Sorted(maps.Keys(docs))
						var gone []int64
						for range r.IntN(8) {
							if len(ids) > 0 {
								gone = append(gone, ids[r.IntN(len(ids))])
							}
						}
						gone = append(gone, 1<<40, -3) // which there are not
						for _, id := range gone {
							delete(docs, id)
						}
						return x.Delete(tx, gone...)
					case 6:
						if r.IntN(6) == 0 {
							return x.Seal(tx)
						}
						fallthrough
					default:
						d := randomDoc(r, nextID)
						nextID++
						docs[d.ID] = d
						return x.Put(tx, d)
					}
				})
				if step%10 == 0 || step == 99 {
					compareFresh(t, db, x, docs, r)
				}
			}
		})
	}
}

func compareFresh(t *testing.T, db *sqlite.DB, x *Index, docs map[int64]Doc, r *rand.Rand) {
	t.Helper()
	read(t, db, x.Check)
	freshDB := openDB(t)
	fresh := newIndex(t, freshDB, testConfig)
	write(t, freshDB, func(tx *sqlite.Tx) error {
		if err := fresh.SetModel(tx, testModel); err != nil {
			return err
		}
		var all []Doc
		for _, id := range slices.Sorted(maps.Keys(docs)) {
			all = append(all, docs[id])
		}
		return fresh.Put(tx, all...)
	})
	dump := func(db *sqlite.DB, x *Index) (all map[int64]record) {
		read(t, db, func(tx *sqlite.Tx) (err error) {
			all, _, err = x.dump(tx)
			return err
		})
		for id, rec := range all {
			slices.SortFunc(rec.terms, func(a, b termTF) int { return strings.Compare(a.term, b.term) })
			if len(rec.terms) == 0 {
				rec.terms = nil
			}
			all[id] = rec
		}
		return all
	}
	if a, b := dump(db, x), dump(freshDB, fresh); !reflect.DeepEqual(a, b) {
		t.Fatalf("the index holds %d documents, a fresh one %d, or not the same of them", len(a), len(b))
	}
	warm := New(testConfig)
	read(t, db, warm.Warm)
	for range 4 {
		q := Query{Text: randomDoc(r, 0).Text[1], Depth: 1 + r.IntN(30)}
		if r.IntN(3) > 0 {
			q.Vector, q.Model = randomVector(r, testModel.Dim), testModel.Name
		}
		if r.IntN(2) == 0 {
			q.Filter.All = [][]string{{"kind:0", "kind:2"}}
		}
		if r.IntN(2) == 0 {
			q.Filter.None = []string{"superseded"}
		}
		want := ask(t, freshDB, fresh, q)
		for name, other := range map[string]*Index{"used": x, "warm": warm, "cold": New(testConfig)} {
			if got := ask(t, db, other, q); !reflect.DeepEqual(got, want) {
				t.Fatalf("the %s index answers %+v\na fresh one %+v", name, got, want)
			}
		}
		if got := ranked(want, byVector); q.Vector != nil && !slices.Equal(got, exactNearest(docs, q)) {
			t.Fatalf("nearest: %v, exactly %v", got, exactNearest(docs, q))
		}
	}
}

// exactNearest looks at every document.
func exactNearest(docs map[int64]Doc, q Query) []int64 {
	var all []scored
	for _, d := range docs {
		has := func(k string) bool { return slices.Contains(d.Keywords, k) }
		if q.Filter.All != nil && !slices.ContainsFunc(q.Filter.All[0], has) || slices.ContainsFunc(q.Filter.None, has) {
			continue
		}
		if v, ok := unit(d.Vector); ok {
			u, _ := unit(q.Vector)
			if cos := embed.Cosine(u, v); cos > 0 {
				all = append(all, scored{id: d.ID, score: cos})
			}
		}
	}
	slices.SortFunc(all, better)
	var ids []int64
	for _, h := range all[:min(len(all), q.Depth)] {
		ids = append(ids, h.id)
	}
	return ids
}

func TestBadInput(t *testing.T) {
	db := openDB(t)
	x := newIndex(t, db, testConfig)
	put := func(d ...Doc) error {
		return db.Write(context.Background(), func(tx *sqlite.Tx) error { return x.Put(tx, d...) })
	}
	two := []string{"a", "b"}
	for name, err := range map[string]error{
		"too few texts": put(Doc{ID: 1, Text: []string{"a"}}),
		"long keyword":  put(Doc{ID: 1, Text: two, Keywords: []string{strings.Repeat("k", 600)}}),
		"one id twice":  put(Doc{ID: 1, Text: two}, Doc{ID: 1, Text: two}),
		"no model":      put(Doc{ID: 1, Text: two, Vector: make(embed.Vector, 64)}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	write(t, db, func(tx *sqlite.Tx) error { return x.SetModel(tx, testModel) })
	if err := put(Doc{ID: 1, Text: two, Vector: make(embed.Vector, 32)}); !errors.Is(err, ErrOtherModel) {
		t.Errorf("a vector of another length: %v", err)
	}
	nan := make(embed.Vector, 64)
	nan[3] = float32(math.NaN())
	for i, v := range []embed.Vector{make(embed.Vector, 64), nan} { // stored without a vector
		if err := put(Doc{ID: int64(i + 1), Text: two, Vector: v}); err != nil {
			t.Error(err)
		}
	}
	if r := ask(t, db, x, Query{Vector: randomVector(rand.New(rand.NewPCG(1, 1)), 64), Model: "random", Depth: 3}); len(r.Candidates) != 0 || r.Docs != 2 || r.Vectors != 0 {
		t.Errorf("%+v", r)
	}
	write(t, db, func(tx *sqlite.Tx) error {
		return x.Put(tx, Doc{ID: 3, Text: two, Vector: randomVector(rand.New(rand.NewPCG(1, 1)), 64)})
	})
	err := db.Read(context.Background(), func(tx *sqlite.Tx) error {
		_, err := x.Search(tx, Query{Vector: make(embed.Vector, 64), Model: "another", Depth: 3})
		return err
	})
	if !errors.Is(err, ErrOtherModel) {
		t.Errorf("a question of another model: %v", err)
	}
	// Another model takes the vectors away, not the words.
	write(t, db, func(tx *sqlite.Tx) error { return x.SetModel(tx, embed.Model{Name: "b", Dim: 8}) })
	if r := ask(t, db, x, Query{Text: "a", Depth: 3}); len(r.Candidates) != 3 || r.Vectors != 0 {
		t.Errorf("after a change of the model: %+v", r)
	}
	read(t, db, x.Check)
}

func TestState(t *testing.T) {
	db := openDB(t)
	state := func(x *Index) (s State) {
		read(t, db, func(tx *sqlite.Tx) (err error) {
			s, err = x.State(tx)
			return err
		})
		return s
	}
	x := New(testConfig)
	if s := state(x); s != Absent {
		t.Errorf("before: %v", s)
	}
	write(t, db, x.Reset)
	if s := state(x); s != Ready {
		t.Errorf("made: %v", s)
	}
	other := testConfig
	other.Weights = []float64{3, 1}
	if s := state(New(other)); s != Outdated {
		t.Errorf("other weights: %v", s)
	}
	other = testConfig
	other.K1, other.B = 1.5, 0.7
	if s := state(New(other)); s != Ready {
		t.Errorf("k1 and b are read when searching: %v", s)
	}
}

// TestLengthCodes: codes rise with lengths, and stand for at most the length itself.
func TestLengthCodes(t *testing.T) {
	last := uint8(0)
	for q := range 4_000_00 {
		c := lengthCode(q)
		if c < last || int(lengths[c]) > q || c < 255 && int(lengths[c+1]) <= q {
			t.Fatalf("%d quarters have the code %d (%d)", q, c, lengths[c])
		}
		last = c
	}
}
