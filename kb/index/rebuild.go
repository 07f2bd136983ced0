package index

import (
	"blackboard/board/sqlite"
	"blackboard/embed"
)

// Kept is a document to be indexed again.
type Kept struct {
	Doc
	// Model is the name of the model of its embedding, which is in the index; "": none.
	Model string
	// InParts says that it should have several vectors. One is kept, but counts as lost.
	InParts bool
}

// Rebuild rebuilds the index from its source. next returns some documents after an id, ordered by
// id, none at the end. Readable embeddings are kept; lost is called for the others.
func (x *Index) Rebuild(tx *sqlite.Tx, next func(after int64) ([]Kept, error), lost func(id int64) error) error {
	old := x.salvage(tx)
	if err := x.Reset(tx); err != nil {
		return err
	}
	if old != nil {
		if err := x.SetModel(tx, old.model); err != nil {
			return err
		}
	}
	var after int64
	for {
		some, err := next(after)
		if err != nil || len(some) == 0 {
			return err
		}
		after = some[len(some)-1].ID
		docs := make([]Doc, len(some))
		for i, k := range some {
			docs[i] = k.Doc
			if old != nil && k.Model != "" && k.Model == old.model.Name {
				docs[i].Vector = old.all[k.ID]
			}
			v := docs[i].Vector
			if k.Model != "" && (v == nil || k.InParts && len(v) == old.model.Dim) {
				if err := lost(k.ID); err != nil {
					return err
				}
			}
		}
		if err := x.Put(tx, docs...); err != nil {
			return err
		}
	}
}

// salvaged are the vectors of an index whose other tables are unusable.
type salvaged struct {
	model embed.Model
	all   map[int64]embed.Vector
}

// salvage reads the readable vectors before a Reset; nil if there are none.
func (x *Index) salvage(tx *sqlite.Tx) *salvaged {
	s := &salvaged{all: map[int64]embed.Vector{}}
	if err := tx.QueryRow(x.q(`SELECT model, dim FROM @_meta`)).Scan(&s.model.Name, &s.model.Dim); err != nil || s.model.Dim < 1 || s.model.Dim > maxDim {
		return nil
	}
	var doc int64
	var raw rawBytes
	_ = tx.Each([]any{&doc, &raw}, func() error {
		// skip damaged vectors only
		if v, err := decodeVector(nil, raw, s.model.Dim); err == nil {
			s.all[doc] = v
		}
		return nil
	}, x.q(`SELECT doc, vector FROM @_vectors`))
	if len(s.all) == 0 { // even after an error, the vectors read so far are valid
		return nil
	}
	return s
}
