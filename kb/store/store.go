package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"blackboard/board/fault"
	"blackboard/board/postgres"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
)

// Kind says what the files of one package hold. It has one table whose rows are indexed. The table
// has the columns n, by which the index knows a row, and model, the model of its embedding or "".
type Kind struct {
	Name       string // what messages call it: "the memory"
	Schema     sqlite.Schema
	Index      index.Config
	Table      string
	Live       string   // the SQL condition of the rows that are indexed
	Row        string   // what messages call a row: "item"
	Dim        bool     // there is a column dim beside model
	Batch      int      // how many rows are read at once when the index is rebuilt
	Tables     []string // those of the truth, in the order in which Salvage copies them
	Invariants []sqlite.Invariant
	// Docs reads rows for the index; where is what follows WHERE.
	Docs func(tx *sqlite.Tx, where string, args ...any) ([]Doc, error)
}

// Doc is a row as it is indexed, without its embedding.
type Doc struct {
	index.Kept
	Meaning string
}

// DB is the open database of a file, or what is one elsewhere.
type DB interface {
	// Path is what messages call it.
	Path() string
	Read(ctx context.Context, fn func(*sqlite.Tx) error) error
	Write(ctx context.Context, fn func(*sqlite.Tx) error) error
	WriteWithin(ctx context.Context, wait time.Duration, fn func(*sqlite.Tx) error) error
	ReadOnly() bool
	Full() error
	CheckFile() error
	Check(ctx context.Context) error
	Checkpoint(ctx context.Context) error
	Now() time.Time
	SetNow(now func() time.Time)
	Close() error
}

type File struct {
	DB
	Index *index.Index
	kind  *Kind
}

type Options struct {
	Warm bool
	Now  func() time.Time
	// Ready reports whether Prepare was done already. nil: there is nothing to prepare.
	Ready func(tx *sqlite.Tx) (bool, error)
	// Prepare does what the first use of a file does, in the transaction that makes the index.
	Prepare func(tx *sqlite.Tx) error
	// Wait is how long the preparation waits for other writers; 0 is sqlite.LockTimeout.
	Wait time.Duration

	mustExist bool // opening fails with fs.ErrNotExist if nothing was written yet
}

// Open opens a file and prepares it.
func (k *Kind) Open(ctx context.Context, path string, mode sqlite.Mode, opt Options) (
	*File, error) {
	db, err := k.open(ctx, path, mode)
	if err != nil {
		return nil, err
	}
	f := k.on(db)
	opt.mustExist = mode == sqlite.ReadWrite && IsShared(path)
	if err := f.Prepare(ctx, opt); err != nil {
		db.Close()
		return nil, err
	}
	return f, nil
}

// On returns a file that is open already. It is as it is: Prepare makes its index.
func (k *Kind) On(db *sqlite.DB) *File { return k.on(file{db}) }

func (k *Kind) on(db DB) *File {
	x := func() any { return index.New(k.Index) }
	if here, ok := db.(file); ok { // with what it has read, if the file is kept open
		return &File{DB: db, Index: here.Beside(k.Index.Name, x).(*index.Index), kind: k}
	}
	return &File{DB: db, Index: x().(*index.Index), kind: k}
}

// IsShared reports whether a path stands for a database (board.UseDatabase).
func IsShared(path string) bool { return postgres.At(path) != nil }

func (k *Kind) open(ctx context.Context, path string, mode sqlite.Mode) (DB, error) {
	if p := postgres.At(path); p != nil {
		return p.KB(), nil
	}
	db, err := sqlite.Open(ctx, path, k.Schema, mode)
	if err != nil {
		return nil, err
	}
	return file{db}, nil
}

// file is a database in a file.
type file struct{ *sqlite.DB }

// Read is DB.Read. A database elsewhere is asked for the state of the index on the way.
func (f *File) Read(ctx context.Context, fn func(*sqlite.Tx) error) error {
	return f.DB.Read(sqlite.AskFirst(ctx, f.Index.AskMeta()), fn)
}

// SQLite returns the file's database. It panics if that is elsewhere.
func (f *File) SQLite() *sqlite.DB { return f.DB.(file).DB }

// Check adds to SQLite's own check what holds of files alone.
func (f file) Check(ctx context.Context) error {
	if err := f.DB.Check(ctx); err != nil {
		return err
	}
	return f.Read(ctx, func(tx *sqlite.Tx) error { return tx.Hold(sqlite.ForeignKeys) })
}

// Prepare makes the index if there is none, or if another version of the program made
// it, and does what the first use of the file does.
func (f *File) Prepare(ctx context.Context, opt Options) error {
	if opt.Now != nil {
		f.SetNow(opt.Now)
	}
	if err := f.prepare(ctx, &opt); err != nil || !opt.Warm {
		return err
	}
	return f.ReadIndex(ctx, f.Index.Warm)
}

func (f *File) prepare(ctx context.Context, opt *Options) error {
	ready, state := true, index.Absent
	look := func(tx *sqlite.Tx) (err error) {
		if opt.Ready != nil {
			if ready, err = opt.Ready(tx); err != nil {
				return err
			}
		}
		state, err = f.Index.State(tx)
		return err
	}
	err := f.DB.Read(sqlite.AskFirst(ctx, f.Index.AskState()), look)
	if err != nil || ready && state == index.Ready {
		return err
	}
	if opt.mustExist && state == index.Absent {
		return fmt.Errorf("%s has nothing of %s: %w", f.Path(), f.kind.Name, fs.ErrNotExist)
	}
	if err := f.Full(); err != nil {
		return err
	}
	if f.ReadOnly() {
		return sqlite.Fault(fault.ReadOnly, f.Path(), "needs its search index rebuilt, but cannot be written to", nil)
	}
	return f.WriteWithin(ctx, cmp.Or(opt.Wait, sqlite.LockTimeout), func(tx *sqlite.Tx) error {
		if err := look(tx); err != nil {
			return err
		}
		if state != index.Ready {
			if err := f.ReindexIn(tx); err != nil {
				return err
			}
		}
		if ready {
			return nil
		}
		return opt.Prepare(tx)
	})
}

// Reindex makes the index anew from the rows. Embeddings are kept where they can be.
func (f *File) Reindex(ctx context.Context) error { return f.Write(ctx, f.ReindexIn) }

// ReindexIn is Reindex as part of a transaction.
func (f *File) ReindexIn(tx *sqlite.Tx) error {
	return f.Index.Rebuild(tx, func(after int64) ([]index.Kept, error) {
		docs, err := f.kind.Docs(tx, f.kind.Live+` AND n > ? ORDER BY n LIMIT ?`, after, f.kind.Batch)
		kept := make([]index.Kept, len(docs))
		for i := range docs {
			kept[i] = docs[i].Kept
			kept[i].InParts = inParts(docs[i].Meaning)
		}
		return kept, err
	}, func(n int64) error { return f.setModel(tx, embed.Model{}, `n = ?`, n) })
}

// setModel notes of which model the embeddings of rows are; the zero value is for none.
func (f *File) setModel(tx *sqlite.Tx, m embed.Model, where string, args ...any) error {
	set := `model = ?`
	values := []any{m.Name}
	if f.kind.Dim {
		set, values = set+`, dim = ?`, append(values, m.Dim)
	}
	_, err := tx.Exec(`UPDATE `+f.kind.Table+` SET `+set+` WHERE `+where, append(values, args...)...)
	return err
}

// ReindexIfCorrupt reports whether a damaged index was made anew: what failed can be tried again.
func (f *File) ReindexIfCorrupt(ctx context.Context, err error) bool {
	return errors.Is(err, index.ErrCorrupt) && !f.ReadOnly() && f.Reindex(ctx) == nil
}

// ReadIndex is Read for what searches: if the index is damaged, it is made anew and fn runs again.
func (f *File) ReadIndex(ctx context.Context, fn func(*sqlite.Tx) error) error {
	err := f.Read(ctx, fn)
	if f.ReindexIfCorrupt(ctx, err) {
		err = f.Read(ctx, fn)
	}
	return err
}

// WriteIndex is Write for what changes the index; as ReadIndex, it tries again.
func (f *File) WriteIndex(ctx context.Context, fn func(*sqlite.Tx) error) error {
	err := f.Write(ctx, fn)
	if f.ReindexIfCorrupt(ctx, err) {
		err = f.Write(ctx, fn)
	}
	return err
}

// Sound runs the file's integrity check and checks what the tables say of each other.
func (f *File) Sound(ctx context.Context) error {
	if err := f.DB.Check(ctx); err != nil {
		return err
	}
	return f.Read(ctx, func(tx *sqlite.Tx) error { return tx.Hold(f.kind.Invariants...) })
}

// CheckIndex checks the index by itself and against the rows.
func (f *File) CheckIndex(tx *sqlite.Tx) error {
	rows := f.kind.Table + ` WHERE ` + f.kind.Live
	return f.Index.CheckOf(tx, f.kind.Row, `SELECT n FROM `+rows+` ORDER BY n`)
}

// Reindex makes the index of a file anew that is not open.
func (k *Kind) Reindex(ctx context.Context, path string) error {
	db, err := sqlite.Open(ctx, path, k.Schema, sqlite.ReadWrite)
	if err != nil {
		return err
	}
	return errors.Join(k.On(db).Reindex(ctx), db.Close())
}

// Salvage makes the file to of what can be read of a damaged one, which stays as it is. mend makes
// the rows agree with each other again, and may add to what is lost; then the index is made.
func (k *Kind) Salvage(ctx context.Context, path, to string,
	mend func(*sqlite.Tx, *sqlite.Salvaged) error) (s sqlite.Salvaged, err error) {
	s, err = sqlite.Salvage(ctx, path, to, k.Schema, k.Tables...)
	if err != nil {
		return s, err
	}
	db, err := sqlite.Open(ctx, to, k.Schema, sqlite.ReadWrite)
	if err != nil {
		return s, err
	}
	return s, errors.Join(db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := mend(tx, &s); err != nil {
			return err
		}
		return k.On(db).ReindexIn(tx)
	}), db.Close())
}
