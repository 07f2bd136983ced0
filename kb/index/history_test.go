package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/testdata/cost"
)

// sameAsNew asks an index that has seen something before, and one that has not.
func sameAsNew(t *testing.T, db *sqlite.DB, when string, x *Index, qs ...Query) {
	t.Helper()
	for _, q := range qs {
		defer func() {
			if p := recover(); p != nil {
				t.Errorf("%s: %v", when, p)
			}
		}()
		got, want := ask(t, db, x, q), ask(t, db, New(x.cfg), q)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: an index that lives answers %+v\na new one %+v", when, got, want)
		}
	}
}

// batch makes n documents from an id on, all with vectors of a length.
func batch(r *rand.Rand, n int, first int64, dim int) []Doc {
	docs := make([]Doc, n)
	for i := range docs {
		docs[i] = randomDoc(r, first+int64(i))
		docs[i].Vector = randomVector(r, dim)
	}
	return docs
}

// TestUndoneChange: a search sees the changes of its transaction. If they are undone, nothing of
// them is remembered, though the numbers that they were given are given again.
func TestUndoneChange(t *testing.T) {
	for _, n := range []int{3, 40} { // into the tail, and as a segment
		for i := range 8 {
			other, between, warm := i&1 != 0, i&2 != 0, i&4 != 0
			t.Run(fmt.Sprintf("%d/%v/%v/%v", n, other, between, warm), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 9))
				db := openDB(t)
				x := newIndex(t, db, testConfig)
				write(t, db, func(tx *sqlite.Tx) error {
					return errors.Join(x.SetModel(tx, testModel),
						x.Put(tx, batch(r, 20, 1, testModel.Dim)...))
				})
				read(t, db, x.Warm)
				writer := x
				if other { // the one that writes is not the one that searches
					writer = New(testConfig)
				}
				q := Query{Text: "w0x w1x w2x", Vector: randomVector(r, testModel.Dim), Model: testModel.Name, Depth: 100}
				err := db.Write(context.Background(), func(tx *sqlite.Tx) error {
					if err := writer.Put(tx, batch(r, n, 100, testModel.Dim)...); err != nil {
						return err
					}
					if err := writer.Delete(tx, 3); err != nil {
						return err
					}
					res, err := x.Search(tx, q)
					if err == nil && res.Docs != int64(19+n) {
						t.Errorf("it sees %d documents", res.Docs)
					}
					if err != nil {
						return err
					}
					if warm {
						if err := x.Warm(tx); err != nil {
							return err
						}
					}
					return errUndo
				})
				if !errors.Is(err, errUndo) {
					t.Fatal(err)
				}
				if between {
					sameAsNew(t, db, "undone", x, q)
				}
				write(t, db, func(tx *sqlite.Tx) error { return writer.Put(tx, batch(r, n, 200, testModel.Dim)...) })
				write(t, db, func(tx *sqlite.Tx) error { return writer.Delete(tx, 4) })
				sameAsNew(t, db, "with others in their place", x, q)
			})
		}
	}
}

// TestModelThereAndBack changes the model while an index is not looking.
func TestModelThereAndBack(t *testing.T) {
	a, b := testModel, embed.Model{Name: "b", Dim: 64}
	for name, models := range map[string][]embed.Model{
		"another":        {b},
		"and back":       {b, a},
		"longer vectors": {{Name: a.Name, Dim: 512}},
		"shorter":        {{Name: a.Name, Dim: 16}},
	} {
		for _, warm := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%v", name, warm), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 9))
				db := openDB(t)
				x := newIndex(t, db, testConfig)
				write(t, db, func(tx *sqlite.Tx) error {
					return errors.Join(x.SetModel(tx, a),
						x.Put(tx, batch(r, 20, 1, a.Dim)...),
						x.Put(tx, batch(r, 9, 30, a.Dim)...))
				})
				if warm {
					read(t, db, x.Warm)
				}
				ask(t, db, x, Query{Vector: randomVector(r, a.Dim), Model: a.Name, Text: "w0x", Depth: 40})
				last := models[len(models)-1]
				write(t, db, func(tx *sqlite.Tx) error {
					for _, m := range models {
						if err := New(testConfig).SetModel(tx, m); err != nil {
							return err
						}
					}
					return New(testConfig).Put(tx, batch(r, 3, 10, last.Dim)...) // the rest have no vector yet
				})
				sameAsNew(t, db, "the model was changed", x, Query{Vector: randomVector(r, last.Dim), Model: last.Name, Text: "w0x", Depth: 40, KeepVectors: true})
			})
		}
	}
}

// TestResetOfDamage: what an index remembers of tables that were lost does not fit those that took
// their place.
func TestResetOfDamage(t *testing.T) {
	for name, damage := range map[string]string{
		"no totals":       `DELETE FROM ix_meta`,
		"no table":        `DROP TABLE ix_meta`,
		"a low number":    `UPDATE ix_meta SET next_seg = 1, generation = 1`,
		"a wrong number":  `UPDATE ix_meta SET next_seg = -7, generation = -7`,
		"the last number": fmt.Sprintf(`UPDATE ix_meta SET next_seg = %d, generation = %d`, int64(math.MaxInt64), int64(math.MaxInt64)),
		"a high number":   fmt.Sprintf(`UPDATE ix_meta SET next_seg = %d, generation = %d`, int64(1)<<40, int64(1)<<46),
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 9))
			db := openDB(t)
			x := newIndex(t, db, testConfig)
			fill := func() {
				write(t, db, func(tx *sqlite.Tx) error {
					w := New(testConfig)
					return errors.Join(w.Reset(tx),
						w.SetModel(tx, testModel),
						w.Put(tx, batch(r, 30, 1, testModel.Dim)...),
						w.Put(tx, batch(r, 5, 100, testModel.Dim)...))
				})
			}
			fill()
			q := Query{Text: "w0x w1x w2x", Vector: randomVector(r, testModel.Dim), Model: testModel.Name, Depth: 100}
			read(t, db, x.Warm)
			ask(t, db, x, q)
			write(t, db, func(tx *sqlite.Tx) error {
				_, err := tx.Exec(damage)
				return err
			})
			fill()
			read(t, db, New(testConfig).Check)
			sameAsNew(t, db, "rebuilt", x, q)
			write(t, db, func(tx *sqlite.Tx) error { return New(testConfig).Put(tx, batch(r, 20, 200, testModel.Dim)...) })
			read(t, db, New(testConfig).Check)
			sameAsNew(t, db, "and filled", x, q)
		})
	}
}

// TestTwoMoments: one index serves transactions of two moments, in any order, and each sees its
// own.
func TestTwoMoments(t *testing.T) {
	for _, warmFirst := range []bool{false, true} {
		t.Run(fmt.Sprint(warmFirst), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 9))
			db := openDB(t)
			x := newIndex(t, db, testConfig)
			write(t, db, func(tx *sqlite.Tx) error {
				return errors.Join(x.SetModel(tx, testModel),
					x.Put(tx, batch(r, 40, 1, testModel.Dim)...),
					x.Put(tx, batch(r, 9, 50, testModel.Dim)...))
			})
			q := Query{Text: "w0x w1x w2x", Vector: randomVector(r, testModel.Dim), Model: testModel.Name, Depth: 100, KeepVectors: true}
			want := ask(t, db, New(testConfig), q)
			if warmFirst {
				read(t, db, x.Warm)
			}
			read(t, db, func(old *sqlite.Tx) error {
				if _, err := New(testConfig).Search(old, Query{Text: "w0x"}); err != nil { // the moment of old is now
					return err
				}
				write(t, db, func(tx *sqlite.Tx) error {
					edited := batch(r, 5, 3, testModel.Dim)
					edited[1].Vector = nil
					return errors.Join(x.Put(tx, append(edited, batch(r, 4, 48, testModel.Dim)...)...),
						x.Delete(tx, 20, 21, 55))
				})
				read(t, db, x.Warm)
				for range 3 {
					got, err := x.Search(old, q)
					if err != nil {
						return err
					}
					if !reflect.DeepEqual(got, want) {
						for i := range min(len(got.Candidates), len(want.Candidates)) {
							if g, w := got.Candidates[i], want.Candidates[i]; !reflect.DeepEqual(g, w) {
								g.Vector, w.Vector = nil, nil
								t.Errorf("in the past it finds %+v\nit was %+v", g, w)
							}
						}
						t.Errorf("in the past it finds %d documents, not %d, or not as they were", len(got.Candidates), len(want.Candidates))
					}
					sameAsNew(t, db, "at present", x, q)
				}
				return nil
			})
		})
	}
}

// TestManyQuestions asks for more than there is, and more than can be counted.
func TestManyQuestions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	db := openDB(t)
	x := newIndex(t, db, testConfig)
	write(t, db, func(tx *sqlite.Tx) error {
		return errors.Join(x.SetModel(tx, testModel),
			x.Put(tx, batch(r, 500, math.MaxInt64-600, testModel.Dim)...))
	})
	for _, depth := range []int{math.MinInt, -1, 0, 1, 499, 500, 501, 1 << 40, math.MaxInt} {
		q := Query{Text: "w0x w1x w2x", Vector: randomVector(r, testModel.Dim), Model: testModel.Name, Depth: depth}
		sameAsNew(t, db, fmt.Sprint(depth), x, q)
		got := ranked(ask(t, db, x, q), byText)
		if len(got) != min(len(got), max(1, depth)) || depth > 1 && len(got) < 300 {
			t.Errorf("depth %d gives %d", depth, len(got))
		}
	}
	// The ends of what an id can be.
	ends := []int64{math.MinInt64, -1, 0, math.MaxInt64}
	write(t, db, func(tx *sqlite.Tx) error {
		for _, id := range ends {
			d := batch(r, 1, id, testModel.Dim)[0]
			d.Text[0] = "farthest"
			if err := x.Put(tx, d); err != nil {
				return err
			}
		}
		return errors.Join(x.Seal(tx), x.Check(tx))
	})
	slices.Reverse(ends)
	for _, x := range []*Index{x, New(testConfig)} {
		got := ask(t, db, x, Query{Text: "farthest", Depth: 9}).Candidates
		var ids []int64
		for _, c := range got {
			ids = append(ids, c.ID)
		}
		if !slices.Equal(ids, ends) {
			t.Errorf("found %v, want %v", ids, ends)
		}
	}
	write(t, db, func(tx *sqlite.Tx) error {
		return errors.Join(x.Delete(tx, ends...), x.Check(tx))
	})
}

// TestManyCores: however many cores share the work on a question, the answer is the same.
func TestManyCores(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	const dim = 4
	db := openDB(t)
	x := newIndex(t, db, Config{Name: "ix", Weights: []float64{1}, K1: 0.9, B: 0.4})
	r := rand.New(rand.NewPCG(1, 9))
	write(t, db, func(tx *sqlite.Tx) error {
		if err := x.SetModel(tx, embed.Model{Name: "m", Dim: dim}); err != nil {
			return err
		}
		id := int64(0)
		for _, n := range []int{2 * distanceDocs, 4000, 3000, 100} {
			docs := make([]Doc, n)
			for i := range docs {
				id++
				docs[i] = Doc{ID: id, Text: []string{fmt.Sprintf("one two w%dx", r.IntN(50))}}
				if i%100 != 7 {
					docs[i].Vector = randomVector(r, dim)
				}
			}
			if err := x.Put(tx, docs...); err != nil {
				return err
			}
		}
		return x.Delete(tx, 5, 6, 7, 40_000)
	})
	read(t, db, x.Warm)
	for range 5 {
		q := Query{Text: fmt.Sprintf("one two w%dx", r.IntN(60)), Vector: randomVector(r, dim), Model: "m", Depth: 30}
		was := runtime.GOMAXPROCS(1)
		want := ask(t, db, x, q)
		runtime.GOMAXPROCS(4)
		sameAsNew(t, db, "many cores", x, q)
		got := ask(t, db, x, q)
		runtime.GOMAXPROCS(was)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("one core finds %+v\nfour find %+v", want, got)
		}
	}
}
