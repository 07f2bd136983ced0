package chunks

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"blackboard/board/disk"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

//go:embed migrations/0001_chunks.sql
var migration1 string

//go:embed migrations/0002_tags_by_time.sql
var migration2 string

//go:embed migrations/0003_folded_tags.sql
var migration3 string

var schema = sqlite.Schema{Name: "context store", ApplicationID: 0x62636831, Migrations: []string{migration1, migration2, migration3}}

const FileName = "board.sqlite3"

// DefaultDir is $AGENT_STORE_PATH, else .agent-memory-store in the working directory.
func DefaultDir(env func(string) string) string {
	if dir := env("AGENT_STORE_PATH"); dir != "" {
		return dir
	}
	return ".agent-memory-store"
}

type Options struct {
	Embedder embed.Embedder
	// Import imports agent-memory-store's files on the first use of the directory. Without it the
	// first use ends with the first write, and only the method Import imports them.
	Import bool
	Warm   bool
	Now    func() time.Time
}

// Store is the context of one project. It is safe for concurrent use, also by several processes.
type Store struct {
	*opened
	embedder embed.Embedder
}

// opened is what the stores returned by With share.
type opened struct {
	dir string
	opt Options
	now func() time.Time

	// holds a token for the fields below and for opening the file, as contexts need
	turn   chan struct{}
	open   *file
	closed bool

	embedding chan struct{}
}

type file struct{ *store.File }

// kind describes the file. Expired chunks stay in the index until their rows are deleted.
var kind = store.Kind{Name: "the store", Schema: schema, Index: indexConfig, Table: "chunks", Live: "1", Row: "chunk", Batch: 2000,
	Tables: []string{"meta", "chunks", "state", "deleted"},
	Docs: func(tx *sqlite.Tx, where string, args ...any) ([]store.Doc, error) {
		chunks, err := chunksWhere(tx, where, args...)
		docs := make([]store.Doc, len(chunks))
		for i := range chunks {
			docs[i] = store.Doc{Kept: index.Kept{Doc: document(&chunks[i], nil), Model: chunks[i].Model}, Meaning: embeddingText(&chunks[i])}
		}
		return docs, err
	}}

// Open opens the store of a directory. The file is created by the first write or import;
// until then the store is empty.
//
// With Options.Import the first use imports the files of agent-memory-store and returns
// the result. If they cannot be read, the error names the file, and nothing is written.
func Open(ctx context.Context, dir string, opt Options) (*Store, ImportResult, error) {
	res := newImportResult()
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, res, err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, res, invalid(dir+" is not a directory", "", otherStore)
	}
	s := &Store{&opened{dir: dir, opt: opt, now: opt.Now, turn: make(chan struct{}, 1),
		embedding: make(chan struct{}, 1)}, opt.Embedder}
	if s.now == nil {
		s.now = time.Now
	}
	if err := s.attach(ctx, false, &res); err != nil {
		return nil, res, err
	}
	return s, res, nil
}

// With returns the same store for searches by another model; nil: by words alone.
func (s *Store) With(e embed.Embedder) *Store { return &Store{s.opened, e} }

// Close closes the file. Later calls fail with an error that matches fs.ErrClosed.
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

func (s *Store) Path() string { return filepath.Join(s.dir, FileName) }

// file returns the store's file, or nil if it does not exist and create is false. If the file was
// removed while open, the store is empty again. If it was opened read-only or on a full disk, it is
// opened again once that has changed or another process has written to it.
func (s *Store) file(ctx context.Context, create bool) (*file, error) {
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
			s.open.SQLite().CloseUnused() // a caller may still read from it
			s.open = nil
		default:
			return s.open, nil
		}
	}
	res := newImportResult()
	err := s.attach(ctx, create, &res)
	return s.open, err
}

// reading runs fn on a snapshot of the store's file, or not at all without a file.
func (s *Store) reading(ctx context.Context, fn func(*file, *sqlite.Tx) error) error {
	f, err := s.file(ctx, false)
	if err != nil || f == nil {
		return err
	}
	return storeError(f.ReadIndex(ctx, func(tx *sqlite.Tx) error { return fn(f, tx) }))
}

func (s *Store) writing(ctx context.Context, fn func(*file, *sqlite.Tx) error) error {
	f, err := s.file(ctx, true)
	if err != nil {
		return err
	}
	return storeError(f.WriteIndex(ctx, func(tx *sqlite.Tx) error { return fn(f, tx) }))
}

// attach opens the file; the first use imports, or creates one if create is set.
func (s *Store) attach(ctx context.Context, create bool, res *ImportResult) (err error) {
	var db *sqlite.DB
	defer func() {
		if s.open == nil && db != nil {
			db.Close()
		}
		err = storeError(err)
	}()
	used := false
	switch db, err = sqlite.Open(ctx, s.Path(), schema, sqlite.ReadWrite); {
	case err == nil:
		err = db.Read(ctx, func(tx *sqlite.Tx) (err error) {
			used, err = isUsed(tx)
			return err
		})
	case errors.Is(err, fs.ErrNotExist):
		db, err = nil, nil
	}
	var src *source
	if err == nil && !used && s.opt.Import {
		src, err = readOriginals(ctx, s.dir)
	}
	// otherwise the file is missing, or another process is still in its first use
	if wanted := used || src != nil || create; err != nil || !wanted {
		return err
	}
	if db == nil {
		_, absent := os.Stat(s.dir)
		if db, err = sqlite.Open(ctx, s.Path(), schema, sqlite.Create); err != nil {
			return err
		}
		if absent != nil {
			s.hide()
		}
	}
	f := &file{kind.On(db)}
	if err = f.prepare(ctx, s, src, res); err == nil {
		s.open = f
	}
	return err
}

// hide has git ignore the directory, which is usually in a repository.
func (s *Store) hide() {
	path := filepath.Join(s.dir, ".gitignore")
	_ = disk.WriteUnsynced(path, []byte("*\n"), 0o600)
}

func isUsed(tx *sqlite.Tx) (bool, error) {
	return sqlite.One[bool](tx, `SELECT EXISTS (SELECT 1 FROM meta WHERE key = 'import')`)
}

// noteUse notes that the first use is complete: what there was to import is here.
func noteUse(tx *sqlite.Tx) error {
	_, err := tx.Exec(`INSERT OR REPLACE INTO meta VALUES ('import', '{}')`)
	return err
}

// firstUseWait is the longest wait for another process's first use, which may import a lot.
const firstUseWait = 10 * time.Minute

// prepare completes the first use, builds the index and deletes expired chunks.
func (f *file) prepare(ctx context.Context, s *Store, src *source, res *ImportResult) error {
	if err := f.Prepare(ctx, store.Options{Warm: s.opt.Warm, Now: s.now, Wait: firstUseWait, Ready: isUsed, Prepare: func(tx *sqlite.Tx) error {
		if src != nil {
			if err := f.importAll(ctx, tx, s, src, res); err != nil {
				return err
			}
		}
		return noteUse(tx)
	}}); err != nil {
		return err
	}
	return f.purge(ctx)
}
