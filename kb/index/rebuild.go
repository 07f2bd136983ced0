package index

import (
	"blackboard/board/sqlite"
	"blackboard/embed"
)

// Kept is a document that is indexed anew.
type Kept struct {
	Doc
	// Model is the name of the model whose embedding the document had, "" if it had none.
	// The embedding itself is found in the index.
	Model string
}

// Rebuild makes the index anew from what it is derived from, as part of the transaction.
// next gives the documents after an id, some at a time, in the order of their ids, and
// none at the end. An embedding that can still be read is kept: it costs more than all
// the rest to make. lost is called with the id of each document that had one and has none
// now.
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
			if k.Model != "" && docs[i].Vector == nil {
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

// salvaged are the vectors of an index whose other tables are of no use.
type salvaged struct {
	model embed.Model
	all   map[int64]embed.Vector
}

// salvage reads what vectors there are, before a Reset, nil if there are none that can be
// read: they cost more than all the rest to make.
func (x *Index) salvage(tx *sqlite.Tx) *salvaged {
	s := &salvaged{all: map[int64]embed.Vector{}}
	if err := tx.QueryRow(x.q(`SELECT model, dim FROM @_meta`)).Scan(&s.model.Name, &s.model.Dim); err != nil || s.model.Dim < 1 || s.model.Dim > maxDim {
		return nil
	}
	var doc int64
	var raw rawBytes
	_ = tx.Each([]any{&doc, &raw}, func() error {
		// one that is damaged takes no other with it
		if v, err := decodeVector(nil, raw, s.model.Dim); err == nil {
			s.all[doc] = v
		}
		return nil
	}, x.q(`SELECT doc, vector FROM @_vectors`))
	if len(s.all) == 0 { // whatever ended the reading, what was read is good
		return nil
	}
	return s
}
