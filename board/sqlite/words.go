package sqlite

import (
	"context"
	"database/sql"
	"runtime"
	"sync"
	"time"

	"blackboard/board/store"
)

// Words is a full-text index in memory with the words of a board, for runs in another
// database. It is not safe for concurrent use.
type Words struct {
	conn *sql.Conn
	last int64
}

// NewWords returns an empty index. It is freed with the last reference to it.
func NewWords() (*Words, error) {
	ctx := context.Background()
	db, err := sql.Open("sqlite", "file::memory:")
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	_, err = conn.ExecContext(ctx, `CREATE VIRTUAL TABLE words USING fts5(
		content, evidence, source_doc, source_ref, tags,
		content = '', tokenize = 'porter unicode61 remove_diacritics 2'); BEGIN`)
	if err != nil {
		db.Close()
		return nil, err
	}
	w := &Words{conn: conn}
	runtime.AddCleanup(w, func(db *sql.DB) { conn.Close(); db.Close() }, db)
	return w, nil
}

func (w *Words) Last() int64 { return w.last }

// Add adds an entry: content, evidence, source document and ref, tags. Ids must rise.
func (w *Words) Add(id int64, text [5]string) error {
	_, err := w.conn.ExecContext(context.Background(),
		`INSERT INTO words (rowid, content, evidence, source_doc, source_ref, tags) VALUES (?, ?, ?, ?, ?, ?)`,
		id, text[0], text[1], text[2], text[3], text[4])
	if err == nil {
		w.last = id
	}
	return err
}

// Match is the entries that match an FTS5 query, best first by BM25, then newest first.
func (w *Words) Match(query string) ([]int64, error) {
	tx := store.NewTx(context.Background(), w.conn, engine{new(sync.Map)}, time.Time{})
	return Column[int64](tx,
		`SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words), rowid DESC`, query)
}
