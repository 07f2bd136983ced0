package board

import (
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/board/store"
)

//go:embed migrations/0001_board.sql
var migration0001 string

//go:embed migrations/0002_words.sql
var migration0002 string

//go:embed migrations/0003_no_words.sql
var migration0003 string

//go:embed migrations/0004_expected.sql
var migration0004 string

//go:embed migrations/0005_settlements.sql
var migration0005 string

//go:embed migrations/0006_sources.sql
var migration0006 string

var schema = sqlite.Schema{
	Name:          "board",
	ApplicationID: 0x42427264, // "BBrd"
	Migrations: []string{migration0001, migration0002, migration0003, migration0004,
		migration0005, migration0006},
}

// readableSchema is the oldest schema that can be read without a migration: everything
// added since is derived, or a table that counts as empty if it is missing.
const readableSchema = 1

const fileSuffix = ".sqlite3"

// files is a directory with a file for each run.
type files string

// Path returns the path of a run's file in the directory of boards.
func Path(dir, run string) string { return filepath.Join(dir, run+fileSuffix) }

// Name returns the path of a run's file.
func (dir files) Name(run string) string { return Path(string(dir), run) }

// Open opens a run's file, for reading only if it cannot be written to.
func (dir files) Open(ctx context.Context, run string, create bool) (store.DB, error) {
	mode := sqlite.ReadWrite
	if create {
		mode = sqlite.Create
	}
	path := dir.Name(run)
	db, err := sqlite.Open(ctx, path, schema, mode)
	if errors.Is(err, fault.ReadOnly) {
		if old, oldErr := openOld(ctx, path); oldErr == nil {
			db, err = old, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return &file{db, path}, nil
}

// openOld opens a file of an older schema that cannot be migrated, since it cannot be
// written to.
func openOld(ctx context.Context, path string) (*sqlite.DB, error) {
	var db *sqlite.DB
	err := error(nil)
	for version := len(schema.Migrations) - 1; version >= readableSchema; version-- {
		old := schema
		old.Migrations = schema.Migrations[:version]
		if db, err = sqlite.Open(ctx, path, old, sqlite.ReadWrite); err == nil {
			break
		}
	}
	if err == nil && !db.ReadOnly() { // it can be written to by now
		db.Close()
		return nil, store.Fault(fault.ReadOnly, path, "is on read-only storage", nil)
	}
	return db, err
}

// Runs returns the names of the files that may be runs, without opening them.
func (dir files) Runs(_ context.Context, since time.Time) ([]string, error) {
	entries, err := os.ReadDir(string(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, f := range entries {
		name, ok := strings.CutSuffix(f.Name(), fileSuffix)
		if !ok || CheckRun(name) != nil {
			continue
		}
		if !since.IsZero() {
			if t := timesOf(dir.Name(name)); !t.at[0].After(since) && !t.at[1].After(since) {
				continue
			}
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// Has reports whether there is a file of the name.
func (dir files) Has(_ context.Context, run string) (bool, error) {
	_, err := os.Stat(dir.Name(run))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Unfinished reports whether no one has written to the file for a minute.
func (dir files) Unfinished(run string) bool {
	info, err := os.Stat(dir.Name(run))
	return err == nil && time.Since(info.ModTime()) >= time.Minute
}

// Size is the size of the file and its WAL, in bytes.
func (dir files) Size(run string) int64 {
	t := timesOf(dir.Name(run))
	return t.size[0] + t.size[1]
}

// Pause is short: looking for a file is cheap.
func (files) Pause() time.Duration { return PollInterval }

// Remove deletes a run's file.
func (dir files) Remove(ctx context.Context, run string, check func() error) error {
	return sqlite.Remove(ctx, dir.Name(run), check)
}

// file is the open file of a run.
type file struct {
	*sqlite.DB
	path string
}

// inFiles are the invariants of files only: other databases keep the full text elsewhere.
var inFiles = []store.Invariant{
	sqlite.ForeignKeys,
	{
		Breaks: `SELECT count(*) FROM (SELECT id FROM entries EXCEPT SELECT id FROM entries_fts_docsize)`,
		Say:    "has %d entries that are not in its full-text index",
	},
}

// Check adds to SQLite's own check the invariants of files.
func (f *file) Check(ctx context.Context) error {
	if err := f.DB.Check(ctx); err != nil {
		return err
	}
	return f.Read(ctx, func(tx *store.Tx) error { return tx.Hold(inFiles...) })
}

// PollInterval is how often a watcher polls a board that changes, where the system sends
// no notifications.
const PollInterval = 10 * time.Millisecond

const (
	// idleInterval is how often a watcher reads the times of the files once nothing has
	// changed for a while: a tenth of that time.
	idleInterval = 3 * PollInterval
	// settled is how long files must be unchanged before their times can be trusted to
	// show the next change: some file systems count whole seconds.
	settled = 2 * time.Second
	// lookInterval is how often a watcher reads the board even if the times have not
	// changed, and checks that its file is still there.
	lookInterval = time.Second
	// toldInterval is the same where the system sends notifications (sqlite.Changes).
	toldInterval = 5 * time.Second
)

// times are the times and sizes of a board's files. They show whether somebody has
// written.
type times struct {
	at   [2]time.Time
	size [2]int64
}

// timesOf reads the times. They are zero for a file that does not exist.
func timesOf(path string) (t times) {
	for i, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			t.at[i], t.size[i] = info.ModTime(), info.Size()
		}
	}
	return t
}

// quiet reports whether a later change would show in the times. Windows updates those of
// an open file only when it is closed.
func (t *times) quiet() bool {
	return runtime.GOOS != "windows" && time.Since(t.at[0]) > settled &&
		time.Since(t.at[1]) > settled
}

// Watch waits for a notification, or polls the times of the files; then it asks for the
// last event.
func (f *file) Watch(ctx context.Context, changed func() error) error {
	if f.ReadOnly() {
		return store.Fault(fault.ReadOnly, f.path,
			"cannot be watched: on read-only storage the changes of others are not seen", nil)
	}
	notices, stop := sqlite.Changes(f.path) // before the first look, so that nothing falls between
	defer stop()
	looked, look := time.Time{}, lookInterval
	if notices != nil {
		look = toldInterval
	}
	told, seen := true, int64(-1) // of the first look
	var before times
	for {
		now, wait := timesOf(f.path), idleInterval
		due := told || time.Since(looked) >= look
		if due {
			if err := f.CheckFile(); err != nil {
				return err
			}
			looked = time.Now()
		}
		if notices != nil {
			wait = look
		}
		if due || now != before || !now.quiet() {
			before = now
			// a write is committed and visible some time after the notification
			if !now.quiet() {
				wait = PollInterval
			}
			var last int64
			err := f.Read(ctx, func(tx *store.Tx) (err error) {
				last,
					err = lastSeq(tx)
				return err
			})
			if err == nil && last != seen {
				seen = last
				err = changed()
			}
			if err != nil && (ctx.Err() == nil || errors.Is(err, errStop)) {
				return err
			}
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-notices:
			timer.Stop()
			told = true
		case <-timer.C:
			told = false
		}
	}
}
