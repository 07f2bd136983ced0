package chunks

import (
	"context"

	"blackboard/board/sqlite"
)

// Status says how much a store has.
type Status struct {
	Chunks, State int // chunks, and keys
	Embedded      int // of the chunks
}

// Status counts what the store has.
func (s *Store) Status(ctx context.Context) (out Status, err error) {
	err = s.reading(ctx, func(_ *file, tx *sqlite.Tx) error {
		return tx.QueryRow(`SELECT count(*), count(nullif(model, '')), (SELECT count(*) FROM state)
			FROM chunks WHERE expires IS NULL OR expires > ?`, tx.Now.UnixMilli()).
			Scan(&out.Chunks, &out.Embedded, &out.State)
	})
	return out, err
}

// Check runs the file's integrity check and compares its tables. It returns nil if they
// are consistent, or if there is no file.
func (s *Store) Check(ctx context.Context) error {
	f, err := s.file(ctx, false)
	if err != nil || f == nil {
		return err
	}
	return f.Sound(ctx)
}

// Salvage creates the file to from the readable part of a damaged store, with a new
// search index, and returns what was lost. The damaged file is not changed.
func Salvage(ctx context.Context, path, to string) (sqlite.Salvaged, error) {
	return kind.Salvage(ctx, path, to, func(*sqlite.Tx, *sqlite.Salvaged) error { return nil })
}
