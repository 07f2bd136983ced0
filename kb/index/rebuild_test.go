package index

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"blackboard/board/sqlite"
	"blackboard/embed"
)

// TestRebuild makes an index of three documents anew, whose vectors are all there, or not.
func TestRebuild(t *testing.T) {
	errStop := errors.New("stop")
	for _, c := range []struct {
		name    string
		harm    string // SQL that is done before
		model   string // of which the documents say that they were embedded
		failing string // the function that fails: next or lost
		kept    []int64
		lost    []int64
	}{
		{name: "whole", model: testModel.Name, kept: []int64{1, 3}},
		{name: "without any embedding", kept: nil},
		{name: "a vector gone", harm: `DELETE FROM ix_vectors WHERE doc = 3`, model: testModel.Name, kept: []int64{1}, lost: []int64{3}},
		{name: "a vector cut", harm: `UPDATE ix_vectors SET vector = x'00' WHERE doc = 1`, model: testModel.Name, kept: []int64{3}, lost: []int64{1}},
		{name: "all vectors gone", harm: `DELETE FROM ix_vectors`, model: testModel.Name, lost: []int64{1, 3}},
		{name: "what the index is of is gone", harm: `DELETE FROM ix_meta`, model: testModel.Name, lost: []int64{1, 3}},
		{name: "no such number of dimensions", harm: `UPDATE ix_meta SET dim = -1`, model: testModel.Name, lost: []int64{1, 3}},
		{name: "embedded by another model", model: "other", lost: []int64{1, 3}},
		{name: "no documents to be had", model: testModel.Name, failing: "next"},
		{name: "lost and not to be told", model: "other", failing: "lost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := openDB(t)
			x := newIndex(t, db, testConfig)
			r := rand.New(rand.NewPCG(7, 7))
			docs := []Doc{randomDoc(r, 1), randomDoc(r, 2), randomDoc(r, 3)}
			vectors := map[int64]embed.Vector{1: randomVector(r, testModel.Dim), 3: randomVector(r, testModel.Dim)}
			write(t, db, func(tx *sqlite.Tx) error {
				if err := x.SetModel(tx, testModel); err != nil {
					return err
				}
				for i := range docs {
					docs[i].Vector = vectors[docs[i].ID]
				}
				if err := x.Put(tx, docs...); err != nil || c.harm == "" {
					return err
				}
				_, err := tx.Exec(c.harm)
				return err
			})
			next := func(after int64) ([]Kept, error) {
				if c.failing == "next" {
					return nil, errStop
				}
				for _, d := range docs { // one at a time
					if d.ID > after {
						k := Kept{Doc: d}
						if k.Vector != nil {
							k.Model = c.model
						}
						k.Vector = nil
						return []Kept{k}, nil
					}
				}
				return nil, nil
			}
			var lost []int64
			write(t, db, func(tx *sqlite.Tx) error {
				x := New(testConfig)
				err := x.Rebuild(tx, next, func(id int64) error {
					if c.failing == "lost" {
						return errStop
					}
					lost = append(lost, id)
					return nil
				})
				if c.failing != "" {
					if !errors.Is(err, errStop) {
						t.Errorf("Rebuild() = %v", err)
					}
					return nil
				}
				if err != nil {
					return err
				}
				if err := x.Check(tx); err != nil {
					return err
				}
				ids, err := x.seen(tx)
				if err != nil {
					return err
				}
				if want := []int64{1, 2, 3}; !slices.Equal(ids, want) {
					t.Errorf("of the documents %v there are %v", want, ids)
				}
				got, err := x.Vectors(tx, 1, 2, 3)
				if err != nil {
					return err
				}
				for id := int64(1); id <= 3; id++ {
					if want := slices.Contains(c.kept, id); (got[id] != nil) != want {
						t.Errorf("document %d has a vector: %t, want %t", id, got[id] != nil, want)
					} else if want && !slices.Equal(got[id], vectors[id]) {
						t.Errorf("document %d has another vector than before", id)
					}
				}
				return nil
			})
			if !slices.Equal(lost, c.lost) {
				t.Errorf("lost %v, want %v", lost, c.lost)
			}
		})
	}
}
