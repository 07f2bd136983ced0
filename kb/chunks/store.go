package chunks

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

//go:embed migrations/0001_chunks.sql
var migration1 string

//go:embed migrations/0002_tags_by_time.sql
var migration2 string

var schema = sqlite.Schema{Name: "context store", ApplicationID: 0x62636831, Migrations: []string{migration1, migration2}}

// FileName is our own file in the directory of a store.
const FileName = "board.sqlite3"

// DefaultDir is the directory of the store that nobody has named: $AGENT_STORE_PATH, else
// .agent-memory-store in the working directory.
func DefaultDir(env func(string) string) string {
	if dir := env("AGENT_STORE_PATH"); dir != "" {
		return dir
	}
	return ".agent-memory-store"
}

// Options say how a store is opened.
type Options struct {
	// Embedder turns texts into vectors; nil: there is none, and questions are answered
	// by words alone.
	Embedder embed.Embedder
	// Import has the first use of the directory take over what agent-memory-store has
	// left there. Without it the first use is over when something is written, and only
	// Import takes that over.
	Import bool
	// Warm keeps what searches read in memory, for a process that lives.
	Warm bool
	// Now replaces the clock.
	Now func() time.Time
}

// Store is the context of one project. It is safe for concurrent use, by any number of
// processes.
type Store struct {
	dir string
	opt Options
	now func() time.Time

	// whoever holds it has what follows, and opens the file: others wait no longer than
	// their contexts let them
	turn   chan struct{}
	open   *file
	closed bool

	// whoever embeds holds it: what two embedded at the same time would be the same
	embedding chan struct{}
}

// file is our SQLite file with its index.
type file struct{ *store.File }

// kind is what the file holds. What has expired stays in the index until its row goes.
var kind = store.Kind{Name: "the store", Schema: schema, Index: indexConfig, Table: "chunks", Live: "1", Row: "chunk", Batch: 2000,
	Tables:     []string{"meta", "chunks", "state", "deleted"},
	Invariants: invariants,
	Docs: func(tx *sqlite.Tx, where string, args ...any) ([]store.Doc, error) {
		chunks, err := chunksWhere(tx, where, args...)
		docs := make([]store.Doc, len(chunks))
		for i := range chunks {
			docs[i] = store.Doc{Kept: index.Kept{Doc: document(&chunks[i], nil), Model: chunks[i].Model}, Meaning: embeddingText(&chunks[i])}
		}
		return docs, err
	}}

// Open opens the store of a directory. Nothing is made before something is written or
// imported; until then the store is empty.
//
// With Options.Import the first use takes over the files of agent-memory-store, and the
// result says what became of them. If they cannot be read, that is an error that names
// the file, and nothing is written.
func Open(ctx context.Context, dir string, opt Options) (*Store, ImportResult, error) {
	res := newImportResult()
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, res, err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, res, invalid(dir+" is not a directory", "", otherStore)
	}
	s := &Store{dir: dir, opt: opt, now: opt.Now, turn: make(chan struct{}, 1), embedding: make(chan struct{}, 1)}
	if s.now == nil {
		s.now = time.Now
	}
	if err := s.attach(ctx, false, &res); err != nil {
		return nil, res, err
	}
	return s, res, nil
}

// Close closes the file. What is called later fails with an error that matches
// fs.ErrClosed.
func (s *Store) Close() error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.closed = true
	return s.detach()
}

func (s *Store) detach() error {
	if s.open == nil {
		return nil
	}
	f := s.open
	s.open = nil
	return f.Close()
}

// Dir returns the store's directory, as a path from the root.
func (s *Store) Dir() string { return s.dir }

// Path returns our own file in it.
func (s *Store) Path() string { return filepath.Join(s.dir, FileName) }

// file returns the store's file, nil if there is none; make says whether it is made then.
// One that was removed while it was open is given up: the store is empty again. One that
// was opened when there was no space, or for reading only, is opened anew when that has
// changed, or somebody else has written to it.
func (s *Store) file(ctx context.Context, make bool) (*file, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.closed {
		return nil, fmt.Errorf("the store %s: %w", s.dir, fs.ErrClosed)
	}
	if s.open != nil {
		switch {
		case s.open.CheckFile() != nil:
			s.detach()
		case s.open.SQLite().Outdated(ctx):
			s.open.SQLite().CloseUnused() // who was given it just now still reads from it
			s.open = nil
		default:
			return s.open, nil
		}
	}
	res := newImportResult()
	err := s.attach(ctx, make, &res)
	return s.open, err
}

// reading runs fn on a snapshot of the store's file, and not at all if there is none.
func (s *Store) reading(ctx context.Context, fn func(*file, *sqlite.Tx) error) error {
	f, err := s.file(ctx, false)
	if err != nil || f == nil {
		return err
	}
	return storeError(f.ReadIndex(ctx, func(tx *sqlite.Tx) error { return fn(f, tx) }))
}

// glancing is reading for a row by its key, or a page of rows in the order of an index.
// It is not called off: to watch over it would take longer than the rows.
func (s *Store) glancing(ctx context.Context, fn func(*file, *sqlite.Tx) error) error {
	f, err := s.file(ctx, false)
	if err != nil || f == nil {
		return err
	}
	return storeError(f.ReadIndex(context.WithoutCancel(ctx), func(tx *sqlite.Tx) error { return fn(f, tx) }))
}

// writing runs fn as a transaction of the store's file, which is made if there is none.
func (s *Store) writing(ctx context.Context, fn func(*file, *sqlite.Tx) error) error {
	f, err := s.file(ctx, true)
	if err != nil {
		return err
	}
	return storeError(f.WriteIndex(ctx, func(tx *sqlite.Tx) error { return fn(f, tx) }))
}

// attach opens the file and brings it into order. A first use takes over what the other
// program has left; without that, and unless make says so, no file is made.
func (s *Store) attach(ctx context.Context, make bool, res *ImportResult) error {
	db, used, err := s.look(ctx)
	if err != nil {
		return storeError(err)
	}
	var src *source
	if !used && s.opt.Import {
		src, err = s.originals(ctx)
	}
	if src != nil {
		defer src.close()
	}
	// else there is nothing in it, if it is there at all: somebody has not come to the
	// end of its first use
	wanted := used || src != nil || make
	if err == nil && db == nil && wanted {
		_, absent := os.Stat(s.dir)
		if db, err = sqlite.Open(ctx, s.Path(), schema, sqlite.Create); err == nil && absent != nil {
			s.hide()
		}
	}
	if err == nil && db != nil && wanted {
		f := &file{kind.On(db)}
		if err = f.prepare(ctx, s, src, res); err == nil {
			s.open = f
			return nil
		}
	}
	if db != nil {
		db.Close()
	}
	return storeError(err)
}

// hide keeps the directory out of git: it is most often within a repository, and is no
// part of it. A store does without that where it cannot be done.
func (s *Store) hide() {
	path := filepath.Join(s.dir, ".gitignore")
	if os.WriteFile(path, []byte("*\n"), 0o600) != nil {
		os.Remove(path)
	}
}

// look opens the file if there is one, and says whether its first use is over.
func (s *Store) look(ctx context.Context) (db *sqlite.DB, used bool, err error) {
	db, err = sqlite.Open(ctx, s.Path(), schema, sqlite.ReadWrite)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	err = db.Read(ctx, func(tx *sqlite.Tx) (err error) {
		used, err = isUsed(tx)
		return err
	})
	if err != nil {
		db.Close()
		return nil, false, err
	}
	return db, used, nil
}

// metaImport is the key under which it says what was taken over last, and when. The first
// use puts it there, whatever it found, so without it the first use is not over.
const metaImport = "import"

func isUsed(tx *sqlite.Tx) (bool, error) {
	return sqlite.One[bool](tx, `SELECT EXISTS (SELECT 1 FROM meta WHERE key = ?)`, metaImport)
}

// firstUseWait is how long somebody waits for another's first use, which may have to take
// over a great deal.
const firstUseWait = 10 * time.Minute

// prepare brings the file into order: the first use is over, the index there, what has
// expired gone.
func (f *file) prepare(ctx context.Context, s *Store, src *source, res *ImportResult) error {
	if err := f.Prepare(ctx, store.Options{Warm: s.opt.Warm, Now: s.now, Wait: firstUseWait, Ready: isUsed, Prepare: func(tx *sqlite.Tx) error {
		if src != nil {
			if err := f.take(ctx, tx, s, src, res); err != nil {
				return err
			}
		}
		return noteImport(tx, res)
	}}); err != nil {
		return err
	}
	return f.purge(ctx)
}

// noteImport keeps what an import has done.
func noteImport(tx *sqlite.Tx, res *ImportResult) error {
	data, err := json.Marshal(Imported{At: tx.Now, ImportResult: *res})
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT OR REPLACE INTO meta VALUES (?, ?)`, metaImport, string(data))
	return err
}
