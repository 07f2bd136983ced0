package chunks

import (
	"context"

	"blackboard/board/sqlite"
)

type Status struct {
	Chunks, State int // chunks, and keys
	Embedded      int // of the chunks
}

func (s *Store) Status(ctx context.Context) (out Status, err error) {
	err = s.reading(ctx, func(_ *file, tx *sqlite.Tx) error {
		return tx.QueryRow(`SELECT count(*), count(nullif(model, '')), (SELECT count(*) FROM state)
			FROM chunks WHERE expires IS NULL OR expires > ?`, tx.Now.UnixMilli()).
			Scan(&out.Chunks, &out.Embedded, &out.State)
	})
	return out, err
}

// Check checks the file and compares its tables; nil also without a file.
func (s *Store) Check(ctx context.Context) error {
	f, err := s.file(ctx, false)
	if err != nil || f == nil {
		return err
	}
	return f.Sound(ctx)
}

// Salvage creates a file from a damaged store's readable part, and returns what was lost.
func Salvage(ctx context.Context, path, to string) (sqlite.Salvaged, error) {
	return kind.Salvage(ctx, path, to, func(*sqlite.Tx, *sqlite.Salvaged) error { return nil })
}
