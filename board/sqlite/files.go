// This file keeps runs as SQLite files in a directory, a file for each run; files_watch.go notices
// that somebody has written to one.
package sqlite

import (
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/store"
)

var (
	//go:embed migrations/0001_board.sql
	migration0001 string
	//go:embed migrations/0002_words.sql
	migration0002 string
	//go:embed migrations/0003_no_words.sql
	migration0003 string
	//go:embed migrations/0004_expected.sql
	migration0004 string
	//go:embed migrations/0005_settlements.sql
	migration0005 string
	//go:embed migrations/0006_sources.sql
	migration0006 string
	//go:embed migrations/0007_policy.sql
	migration0007 string
	//go:embed migrations/0008_several_sources.sql
	migration0008 string
	//go:embed migrations/0009_addressee.sql
	migration0009 string
)

// RunSchema is the schema of a run's file.
var RunSchema = Schema{
	Name:          "board",
	ApplicationID: 0x42427264, // "BBrd"
	Migrations: []string{migration0001, migration0002, migration0003, migration0004,
		migration0005, migration0006, migration0007, migration0008, migration0009},
}

// readableSchema is the oldest readable without a migration: all added since is derived, a table
// that is empty if missing, or a column with a default.
const readableSchema = 1

// before0008 and before0009 give an older file that cannot be written to the columns that it lacks.
const before0009 = `CREATE TEMP VIEW signals AS SELECT *, '' AS addressee FROM main.signals;`

const before0008 = before0009 + `CREATE TEMP VIEW entries AS SELECT *, '[]' AS sources FROM main.entries;
	CREATE TEMP VIEW verifications AS SELECT *, '[]' AS parts FROM main.verifications`

const RunSuffix = ".sqlite3"

// RunDir is a directory with a file for each run.
type RunDir struct {
	Path string
	// IsRun reports whether a run can have a name. Files with other names are no runs.
	IsRun func(name string) bool
}

// RunPath returns the path of a run's file in the directory of boards.
func RunPath(dir, run string) string { return filepath.Join(dir, run+RunSuffix) }

func (dir RunDir) Name(run string) string { return RunPath(dir.Path, run) }

// List returns the path of the file that keeps what a list of all runs has read of them.
func (dir RunDir) List() string { return filepath.Join(dir.Path, ".runs.json") }

func (dir RunDir) Open(ctx context.Context, run string, create bool) (store.DB, error) {
	mode := ReadWrite
	if create {
		mode = Create
	}
	path := dir.Name(run)
	db, err := Open(ctx, path, RunSchema, mode)
	if errors.Is(err, fault.ReadOnly) {
		if old, oldErr := openOld(ctx, path); oldErr == nil {
			db, err = old, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return OnRun(db, path), nil
}

// openOld opens a file of an older schema that cannot be written to, so not migrated.
func openOld(ctx context.Context, path string) (*DB, error) {
	var db *DB
	err := error(nil)
	for version := len(RunSchema.Migrations) - 1; version >= readableSchema; version-- {
		old := RunSchema
		if old.Migrations = RunSchema.Migrations[:version]; version < 8 {
			old.Connect = before0008
		} else {
			old.Connect = before0009
		}
		if db, err = Open(ctx, path, old, ReadWrite); err == nil {
			break
		}
	}
	if err == nil && !db.ReadOnly() { // it can be written to by now
		db.Close()
		return nil, store.Fault(fault.ReadOnly, path, "is on read-only storage", nil)
	}
	return db, err
}

// Runs returns the names of the files that may be runs and have last changed at since or later, of
// all if that is zero, sorted. It opens none of them.
func (dir RunDir) Runs(_ context.Context, since time.Time) ([]string, error) {
	entries, err := os.ReadDir(dir.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, f := range entries {
		name, ok := strings.CutSuffix(f.Name(), RunSuffix)
		if !ok || !dir.IsRun(name) {
			continue
		}
		if !since.IsZero() {
			t := TimesOf(dir.Name(name))
			if time.Unix(0, max(t.At[0], t.At[1])).Before(since) {
				continue
			}
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func (dir RunDir) Has(_ context.Context, run string) (bool, error) {
	_, err := os.Stat(dir.Name(run))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Unfinished reports whether no one has written to the file for a minute.
func (dir RunDir) Unfinished(run string) bool {
	info, err := os.Stat(dir.Name(run))
	return err == nil && time.Since(info.ModTime()) >= time.Minute
}

func (dir RunDir) Size(run string) int64 {
	t := TimesOf(dir.Name(run))
	return t.Size[0] + t.Size[1]
}

// Pause returns PollInterval, the wait before Has is asked again: looking for a file is cheap.
func (RunDir) Pause() time.Duration { return PollInterval }

func (dir RunDir) Remove(ctx context.Context, run string, check func() error) error {
	os.Remove(dir.List()) // it has the run's goal and questions
	return Remove(ctx, dir.Name(run), check)
}

// RunFile is the open file of a run.
type RunFile struct {
	*DB
	path string
}

func OnRun(db *DB, path string) *RunFile { return &RunFile{db, path} }

// inFiles are the invariants of files only: other databases keep the full text elsewhere.
var inFiles = []store.Invariant{
	ForeignKeys,
	{
		Breaks: `SELECT count(*) FROM (SELECT id FROM entries EXCEPT SELECT id FROM entries_fts_docsize)`,
		Say:    "has %d entries that are not in its full-text index",
	},
}

// Check adds to SQLite's own check the invariants of files.
func (f *RunFile) Check(ctx context.Context) error {
	if err := f.DB.Check(ctx); err != nil {
		return err
	}
	return f.Read(ctx, func(tx *store.Tx) error { return tx.Hold(inFiles...) })
}
