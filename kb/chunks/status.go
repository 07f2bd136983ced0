package chunks

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb/index"
)

// Status is what there is in a store.
type Status struct {
	Dir      string      `json:"dir"`    // the store's directory
	Path     string      `json:"path"`   // of our file
	There    bool        `json:"there"`  // it has been made
	Bytes    int64       `json:"bytes"`  // of it, without what SQLite keeps beside it
	Chunks   int         `json:"chunks"` // how many there are
	State    int         `json:"state"`  // how many keys
	Embedded int         `json:"embedded"`
	Model    string      `json:"embedding_model"` // of the embeddings; "": there are none
	Index    index.Stats `json:"index"`
	// Import is the last import, that of the first use if there was no other; null: there
	// was no use yet.
	Import *Imported `json:"import"`
	// Originals are the files of agent-memory-store that are in the directory.
	Originals []string `json:"originals"`
}

// Status counts what there is.
func (s *Store) Status(ctx context.Context) (Status, error) {
	out := Status{Dir: s.dir, Path: s.Path(), Originals: []string{}}
	for _, name := range []string{storeFile, chunkFolder, stateFolder} {
		path := filepath.Join(s.dir, name)
		if _, err := os.Stat(path); err == nil {
			out.Originals = append(out.Originals, path)
		}
	}
	err := s.reading(ctx, func(f *file, tx *sqlite.Tx) error {
		out.There = true
		if info, err := os.Stat(out.Path); err == nil {
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

// invariants are what holds of the tables of a sound file.
var invariants = []sqlite.Invariant{
	{Breaks: `SELECT count(*) FROM tags t WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.n = t.n AND c.updated = t.updated)`, Say: "has %d tags of chunks that are not there"},
	{Breaks: `SELECT count(*) FROM chunks c WHERE tags <> '[]' AND NOT EXISTS (SELECT 1 FROM tags t WHERE t.n = c.n)`, Say: "does not find %d chunks by their tags"},
}

// Check runs the file's integrity check, and checks what its tables say of each other. It
// returns nil for a sound file, and where there is none.
func (s *Store) Check(ctx context.Context) error {
	f, err := s.file(ctx, false)
	if err != nil || f == nil {
		return err
	}
	return f.Sound(ctx)
}

// Salvage makes the file to of what can be read of a damaged store's file, with a search
// index of its own, and says what is lost. The damaged file stays as it is.
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
