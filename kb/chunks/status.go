package chunks

import (
	"context"
	"encoding/json"
	"os"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb/index"
)

// Status describes a store.
type Status struct {
	There    bool  // whether the file exists
	Bytes    int64 // of the file, without those that SQLite keeps beside it
	Chunks   int
	State    int // number of keys
	Embedded int
	Model    string // of the embeddings; "": no embeddings
	Index    index.Stats
	// Import is the last import, which may be that of the first use; nil: not used yet.
	Import *Imported
}

// Status returns the counts and sizes of the store.
func (s *Store) Status(ctx context.Context) (out Status, err error) {
	err = s.reading(ctx, func(f *file, tx *sqlite.Tx) error {
		out.There = true
		if info, err := os.Stat(s.Path()); err == nil {
			out.Bytes = info.Size()
		}
		if err := tx.QueryRow(`SELECT count(*), count(nullif(model, '')), (SELECT count(*) FROM state) FROM chunks WHERE expires IS NULL OR expires > ?`, tx.Now.UnixMilli()).
			Scan(&out.Chunks, &out.Embedded, &out.State); err != nil {
			return err
		}
		var err error
		if out.Index, err = f.Index.Stats(tx); err != nil {
			return err
		}
		if out.Embedded > 0 {
			out.Model = out.Index.Model
		}
		var last string
		if err := tx.QueryRow(`SELECT value FROM meta WHERE key = ?`, metaImport).Scan(&last); err != nil {
			return err
		}
		out.Import = &Imported{}
		if err := json.Unmarshal([]byte(last), out.Import); err != nil {
			return sqlite.Fault(fault.Corrupt, f.Path(), "does not say what was imported last", err)
		}
		return nil
	})
	return out, err
}

// invariants hold in a file without damage.
var invariants = []sqlite.Invariant{
	{Breaks: `SELECT count(*) FROM tags t WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.n = t.n AND c.updated = t.updated)`, Say: "has %d tags of missing chunks"},
	{Breaks: `SELECT count(*) FROM chunks c WHERE tags <> '[]' AND NOT EXISTS (SELECT 1 FROM tags t WHERE t.n = c.n)`, Say: "does not find %d chunks by their tags"},
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
	return kind.Salvage(ctx, path, to, func(tx *sqlite.Tx, _ *sqlite.Salvaged) error {
		all, err := chunksWhere(tx, `tags <> '[]'`)
		for i := range all {
			if err == nil {
				err = insertTags(tx, &all[i])
			}
		}
		return err
	})
}
