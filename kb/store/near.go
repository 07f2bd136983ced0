package store

import (
	"context"
	"slices"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
)

const (
	// searchReads is about how many vectors a search reads from the file.
	searchReads   = 1000
	vectorsAtOnce = 256
)

// Nearby searches a file's index for many rows one after the other.
type Nearby struct {
	f    *File
	warm *index.Index // nil: the file's own is used
}

func (f *File) Nearby() *Nearby {
	x := &Nearby{f: f}
	if f.Index.IsWarm() {
		x.warm = f.Index
	}
	return x
}

// Search is the index's. At least left more searches follow, among that many rows.
func (x *Nearby) Search(tx *sqlite.Tx, q index.Query, left, among int) ([]index.Candidate, error) {
	ix := x.f.Index
	if x.warm != nil {
		ix = x.warm
	}
	res, err := ix.Search(tx, q)
	if err != nil {
		return nil, err
	}
	if x.warm == nil && int64(left)*int64(min(among, searchReads)) > res.Vectors {
		// All searches together would read more vectors than there are, so those are read once:
		// into an index of its own, that the memory may be free again when this is over.
		x.warm = index.New(x.f.kind.Index)
		if err := x.warm.Warm(tx); err != nil {
			return nil, err
		}
	}
	return res.Candidates, nil
}

// EachVector calls fn with the place of each of some rows and its embedding, nil if it has none.
func (f *File) EachVector(ctx context.Context, tx *sqlite.Tx, ns []int64,
	fn func(i int, v embed.Vector) error) error {
	at := 0
	for block := range slices.Chunk(ns, vectorsAtOnce) {
		vectors, err := f.Index.Vectors(tx, block...)
		if err != nil {
			return err
		}
		for _, n := range block {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(at, vectors[n]); err != nil {
				return err
			}
			at++
		}
	}
	return nil
}
