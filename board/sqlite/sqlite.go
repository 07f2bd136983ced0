// Package sqlite opens the SQLite files of the program and runs transactions on them.
// It is the only importer of modernc.org/sqlite.
//
// What every file gets:
//
//   - WAL mode and synchronous=FULL: readers never wait, and a commit that returned survives power loss.
//   - Write transactions are IMMEDIATE and run one at a time under a blocking lock file (<path>-lock). SQLite's own busy
//     handler polls and is unfair: with many writers the unlucky one waits for seconds. A blocking lock queues them.
//   - PRAGMA user_version counts migrations; a file newer than the program is refused (fault.Newer).
//   - PRAGMA application_id tells our files from other people's.
//   - A file that was removed while it was open refuses writes (fault.Gone) instead of writing where nobody will look.
//   - Nothing but SQLite opens a database file, its -wal or its -shm: not to create it, to probe it or to copy it
//     (see OpenFile). Where SQLite would act on a name that may have changed hands, it acts in the writers' turn.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"blackboard/board/fault"
	"blackboard/board/store"
)

// LockTimeout is how long a writer waits for its turn before it gives up with fault.Busy.
const LockTimeout = 30 * time.Second

// Schema describes a kind of file: what marks it and how it came to be as it is.
type Schema struct {
	// Name is what the file is called in errors: "board", "knowledge base".
	Name string
	// ApplicationID is stored in the file's header (PRAGMA application_id).
	ApplicationID int32
	// Migrations[i] takes a file from version i to version i+1. They are never edited after a release.
	Migrations []string
}

// Mode says what Open may do with the file.
type Mode int

const (
	// ReadWrite opens an existing file.
	ReadWrite Mode = iota
	// Create opens the file, making it first if need be.
	Create
)

// DB is one open file. It is safe for concurrent use.
type DB struct {
	path     string
	schema   Schema
	sql      *sql.DB
	file     os.FileInfo   // identity of the file that was opened
	turn     chan struct{} // one writer of this process at a time queues for the lock file
	last     *atomic.Bool  // see connector
	readOnly bool
	full     error       // why nothing can be written, where that is for want of space
	asItWas  os.FileInfo // of a file that is read as if nobody could write to it; nil: another
	now      func() time.Time
}

// Open opens path and brings its schema up to date. With mode ReadWrite a missing file, or one that nothing was written to yet, is an error
// that matches fs.ErrNotExist.
// A file on read-only storage is opened for reading; writes to it then fail with fault.ReadOnly. So is one on a disk that has not even room for what readers share; writes then fail with
// fault.Full, see Full.
// Many processes may create and migrate one new file at the same time.
func Open(ctx context.Context, path string, schema Schema, mode Mode) (*DB, error) {
	// The file may be removed, and made anew, by others while it is being opened; then it is opened again.
	for try := 0; ; try++ {
		db, err := openOnce(ctx, path, schema, mode, false)
		switch refused := err; {
		case errors.Is(err, fault.ReadOnly):
			db, err = openOnce(ctx, path, schema, mode, true) // for reading at least
		case errors.Is(err, fault.Full):
			if db, err = openOnce(ctx, path, schema, mode, true); err != nil {
				return nil, refused
			}
			db.full = refused
		}
		again := errors.Is(err, fault.Gone) || mode == Create && errors.Is(err, fs.ErrNotExist)
		if !again || try == 4 || ctx.Err() != nil {
			return db, err
		}
	}
}

func openOnce(ctx context.Context, path string, schema Schema, mode Mode, readOnly bool) (*DB, error) {
	db := &DB{path: path, schema: schema, turn: make(chan struct{}, 1), last: new(atomic.Bool), now: time.Now, readOnly: readOnly}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && mode == Create {
		if err := db.create(ctx); err != nil {
			return nil, db.wrap(err)
		}
		info, err = os.Stat(path)
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, Fault(fault.Corrupt, path, "is not a regular file", nil)
	}
	if !writable(path) {
		db.readOnly = true
	}
	// What was there before the first look is what must be there after it: SQLite opens by name.
	db.file = info
	if err := db.connect(ctx); err != nil {
		return nil, db.wrap(err)
	}
	err = db.migrate(ctx, mode)
	if err == nil {
		err = db.StillThere()
	}
	if err != nil {
		err = db.wrap(err)
		db.sql.Close()
		return nil, err
	}
	return db, nil
}

// create makes an empty file that only its owner may read. In the writers' turn, so that of many that create it
// one does; under another name first, so that no descriptor of the live file is ever closed (see held).
func (db *DB) create(ctx context.Context) error {
	dir := filepath.Dir(db.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	unlock, err := db.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Lstat(db.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(db.path)+".new-*") // for its owner alone; `board doctor` knows the name
	if err != nil {
		return err
	}
	if err = f.Close(); err == nil {
		err = os.Rename(f.Name(), db.path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// writable reports whether SQLite could write to the file and make its -wal and -shm beside it.
func writable(path string) bool {
	if !mayWrite(path) {
		return false
	}
	lock, err := os.OpenFile(path+"-lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false
	}
	lock.Close()
	return true
}

func (db *DB) connect(ctx context.Context) error {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(10000)",
		"synchronous(FULL)",
		"foreign_keys(1)",
	}}
	q.Set("mode", "rw") // SQLite must not make a file that was removed since
	if db.readOnly {
		q.Set("mode", "ro")
		if db.complete() {
			// With no WAL beside it the file is complete by itself. Without this, SQLite insists on making a -shm.
			q.Set("immutable", "1")
			db.asItWas = db.file
		}
	}
	path := filepath.ToSlash(db.path)
	if !strings.HasPrefix(path, "/") && filepath.IsAbs(db.path) {
		path = "/" + path // file:///C:/…
	}
	dsn := (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}).String()
	if !filepath.IsAbs(db.path) {
		dsn = "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
	}
	conn := sql.OpenDB(&connector{path: db.path, dsn: dsn, last: db.last})
	// Each connection parses the schema once, so some are kept. There is no upper bound: watchers keep one each, and must not starve the rest.
	conn.SetMaxIdleConns(8)
	db.sql = conn
	return nil
}

// Path returns the path given to Open.
func (db *DB) Path() string { return db.path }

// ReadOnly reports whether the file could only be opened for reading.
func (db *DB) ReadOnly() bool { return db.readOnly }

// Full is why the file could only be opened for reading, where that is for want of space: an error that matches fault.Full. With space again it must be opened anew to be written to (Outdated).
func (db *DB) Full() error { return db.full }

// Now is the time that a transaction would have.
func (db *DB) Now() time.Time { return db.now().UTC().Truncate(time.Millisecond) }

// SetNow replaces the clock that stamps transactions.
func (db *DB) SetNow(now func() time.Time) { db.now = now }

// closeTimeout is how long Close waits for writers before it leaves the WAL to those who close the file later.
const closeTimeout = 50 * time.Millisecond

// Close closes the file. The last process to close it folds the WAL back into it, unless others are writing.
func (db *DB) Close() error {
	if !db.readOnly {
		if unlock, err := db.lockWithin(context.Background(), closeTimeout); err == nil {
			defer unlock()
			db.last.Store(true)
			defer db.last.Store(false)
		}
	}
	return db.wrap(db.sql.Close())
}

// Read runs fn on one consistent snapshot of the file.
func (db *DB) Read(ctx context.Context, fn func(*Tx) error) error {
	return db.run(ctx, &sql.TxOptions{ReadOnly: true}, fn)
}

// Write runs fn in an IMMEDIATE transaction and commits it if fn returns nil. Nothing of it is seen, or kept, otherwise.
// fn must not call Write on the same file.
func (db *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	return db.WriteWithin(ctx, LockTimeout, fn)
}

// WriteWithin is Write for who cannot wait long for others: after that time it is fault.Busy.
func (db *DB) WriteWithin(ctx context.Context, wait time.Duration, fn func(*Tx) error) error {
	switch {
	case db.full != nil:
		return db.full
	case db.readOnly:
		return Fault(fault.ReadOnly, db.path, "cannot be written to", nil)
	}
	unlock, err := db.lockWithin(ctx, wait)
	if err != nil {
		return db.wrap(err)
	}
	defer unlock()
	if err := db.StillThere(); err != nil {
		return err
	}
	return db.run(ctx, nil, fn)
}

// StillThere is fault.Gone if the file was removed, or replaced, since it was opened.
func (db *DB) StillThere() error { return stillThere(db.path, db.file) }

func stillThere(path string, is os.FileInfo) error {
	if now, err := os.Stat(path); err != nil || !os.SameFile(now, is) {
		return Fault(fault.Gone, path, "was removed by another process while it was open; nothing more was written to it", nil)
	}
	return nil
}

func (db *DB) run(ctx context.Context, opts *sql.TxOptions, fn func(*Tx) error) error {
	tx, err := db.sql.BeginTx(ctx, opts)
	if err != nil {
		return db.wrap(err)
	}
	defer tx.Rollback() // of an error, or of a panic that somebody survives; nothing once it is committed
	t := store.NewTx(ctx, tx, engine{}, db.Now())
	if err := fn(t); err != nil {
		return db.wrap(err)
	}
	if db.rewritten() { // somebody could write to it after all
		return Fault(fault.Busy, db.path, "was written to while it was read", nil, fault.Step{Text: "repeat the command"})
	}
	if err := tx.Commit(); err != nil {
		if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil { // called off before it was the last word
			return ctx.Err()
		}
		return db.wrap(err)
	}
	t.Committed()
	return nil
}

// lock takes this writer's turn: first among the goroutines of this process, then among processes.
// The lock file is never removed: a process that waits on a removed file would share its turn with one that made it anew.
func (db *DB) lock(ctx context.Context) (unlock func(), err error) {
	return db.lockWithin(ctx, LockTimeout)
}

func (db *DB) lockWithin(ctx context.Context, wait time.Duration) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	select {
	case db.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, db.lockErr(ctx)
	}
	type result struct {
		file *lockedfile.File
		err  error
	}
	done := make(chan result, 1)
	go func() { // a blocked flock cannot be called off, so it is waited for here and given back if it comes too late
		f, err := lockedfile.OpenFile(db.path+"-lock", os.O_RDWR|os.O_CREATE, 0o600)
		done <- result{f, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			<-db.turn
			return nil, r.err
		}
		return func() { r.file.Close(); <-db.turn }, nil
	case <-ctx.Done():
		go func() {
			if r := <-done; r.err == nil {
				r.file.Close()
			}
			<-db.turn
		}()
		return nil, db.lockErr(ctx)
	}
}

func (db *DB) lockErr(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return Fault(fault.Busy, db.path, "another writer did not finish in time; nothing was written", nil)
	}
	return ctx.Err()
}

// Conn reserves one connection, for what SQLite counts per connection (PRAGMA data_version).
func (db *DB) Conn(ctx context.Context) (*sql.Conn, error) {
	conn, err := db.sql.Conn(ctx)
	return conn, db.wrap(err)
}

// Checkpoint folds the WAL back into the file as far as readers allow, without waiting for them.
func (db *DB) Checkpoint(ctx context.Context) error {
	if db.readOnly {
		return nil
	}
	_, err := db.sql.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)")
	return db.wrap(err)
}

// Check runs SQLite's integrity check. It returns nil for a sound file, and an error that matches fault.Corrupt and says what is wrong otherwise.
func (db *DB) Check(ctx context.Context) error {
	return db.Read(ctx, func(tx *Tx) error {
		rows, err := tx.Query("PRAGMA integrity_check(10)")
		if err != nil {
			return err
		}
		defer rows.Close()
		var found []string
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				return err
			}
			if s != "ok" {
				found = append(found, s)
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		if len(found) > 0 {
			return Fault(fault.Corrupt, db.path, "fails its integrity check: "+strings.Join(found, "; "), nil)
		}
		return nil
	})
}
