package index

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"blackboard/board/sqlite"
	"blackboard/embed"
)

// TestParts: of a document that has vectors for its parts the nearest one counts, wherever
// the document lies; otherwise the first stands for it.
func TestParts(t *testing.T) {
	db := openDB(t)
	x := newIndex(t, db, testConfig)
	r := rand.New(rand.NewPCG(4, 4))
	dim := testModel.Dim
	docs := make([]Doc, 200)
	for i := range docs {
		docs[i] = randomDoc(r, int64(i+1))
		docs[i].Vector = randomVector(r, dim)
	}
	const long = 70
	parts := embed.Vector(slices.Concat(randomVector(r, dim), randomVector(r, dim), randomVector(r, dim)))
	docs[long-1].Vector = parts
	write(t, db, func(tx *sqlite.Tx) error {
		return errors.Join(x.SetModel(tx, testModel), x.Put(tx, docs...))
	})
	part := func(i int) embed.Vector {
		v, _ := unit(parts[i*dim : (i+1)*dim])
		return v
	}
	look := func(where string) {
		t.Helper()
		read(t, db, func(tx *sqlite.Tx) error {
			for i := range 3 {
				q := Query{Vector: part(i), Model: testModel.Name, Depth: 5, KeepVectors: true}
				if i == 0 {
					q.Vector = parts
				}
				res, err := x.Search(tx, q)
				if err != nil {
					return err
				}
				at := slices.IndexFunc(res.Candidates, func(c Candidate) bool { return c.VectorRank == 1 })
				c := res.Candidates[at]
				if c.ID != long || c.Cosine < 0.999 || !slices.Equal(c.Vector, part(0)) {
					t.Errorf("%s, asked by vector %d: %d is nearest with %g and %d numbers", where, i, c.ID,
						c.Cosine, len(c.Vector))
				}
			}
			have, err := x.Vectors(tx, long, long+1)
			if err == nil && (len(have[long]) != 3*dim || len(have[long+1]) != dim) {
				t.Errorf("%s: vectors of %d and %d numbers", where, len(have[long]), len(have[long+1]))
			}
			if err != nil {
				return err
			}
			return x.Check(tx)
		})
	}
	look("in the tail")
	write(t, db, x.Seal)
	look("in a segment")
	read(t, db, x.Warm)
	look("in memory")
	if err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
		docs[0].Vector = parts[:dim+1]
		return x.Put(tx, docs[0])
	}); err == nil {
		t.Error("half a vector was taken")
	}
}

// TestRebuildParts: a document that should have several vectors and has one keeps it, and
// is to be embedded again.
func TestRebuildParts(t *testing.T) {
	db := openDB(t)
	x := newIndex(t, db, testConfig)
	r := rand.New(rand.NewPCG(5, 5))
	var kept []Kept
	for id := range int64(3) {
		d := randomDoc(r, id+1)
		d.Vector = randomVector(r, testModel.Dim)
		if id == 1 {
			d.Vector = append(d.Vector, randomVector(r, testModel.Dim)...)
		}
		kept = append(kept, Kept{Doc: d, Model: testModel.Name, InParts: id > 0})
	}
	var lost []int64
	write(t, db, func(tx *sqlite.Tx) error {
		if err := x.SetModel(tx, testModel); err != nil {
			return err
		}
		for i := range kept {
			if err := x.Put(tx, kept[i].Doc); err != nil {
				return err
			}
			kept[i].Vector = nil
		}
		return x.Rebuild(tx, func(after int64) ([]Kept, error) { return kept[after:], nil },
			func(id int64) error { lost = append(lost, id); return nil })
	})
	if !slices.Equal(lost, []int64{3}) {
		t.Errorf("to be embedded again: %v", lost)
	}
	read(t, db, func(tx *sqlite.Tx) error {
		have, err := x.Vectors(tx, 1, 2, 3)
		if len(have[1]) != testModel.Dim || len(have[2]) != 2*testModel.Dim || len(have[3]) != testModel.Dim {
			t.Errorf("after: %v", have)
		}
		return err
	})
}
