// Package sqlite opens the SQLite files of the program and runs transactions on them.
// It is the only importer of modernc.org/sqlite.
//
// For every file:
//
//   - WAL mode and synchronous=FULL: readers never wait, and a commit that has returned
//     survives power loss.
//   - Write transactions are IMMEDIATE and run one at a time under a blocking lock file
//     (<path>-lock), which queues writers. SQLite's own busy handler polls and is unfair:
//     with many writers, some would wait for seconds.
//   - PRAGMA user_version counts migrations. A file newer than the program is refused
//     (fault.Newer).
//   - PRAGMA application_id marks the files of this program.
//   - A file that was removed while it was open refuses writes (fault.Gone).
//   - Only SQLite opens a database file, its -wal or its -shm: not even to create, probe or
//     copy it does anything else (see package disk). Where SQLite acts on a file by name, and
//     another file may have that name by now, it does so under the write lock. Whoever opens
//     a file shares a lock on its directory, and to rename or remove it takes that lock alone.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/store"
)

// LockTimeout is how long a writer waits for the write lock before it fails with fault.Busy.
const LockTimeout = 30 * time.Second

// Schema describes a kind of file: how it is marked, and its migrations.
type Schema struct {
	// Name is what the file is called in errors: "board", "knowledge base".
	Name string
	// ApplicationID is stored in the file's header (PRAGMA application_id).
	ApplicationID int32
	// Migrations[i] takes a file from version i to i+1. After a release none is edited.
	Migrations []string
	// Connect is run on each connection, such as to make up for what an older file lacks.
	Connect string
}

type Mode int

const (
	// ReadWrite opens an existing file.
	ReadWrite Mode = iota
	// Create opens the file, and creates it if it does not exist.
	Create
)

// DB is one open file. It is safe for concurrent use.
type DB struct {
	path      string
	schema    Schema
	sql       *sql.DB
	file      os.FileInfo   // identity of the file that was opened, with born
	born      int64         // see birth
	turn      chan struct{} // one writer of this process at a time queues for the lock file
	closing   *atomic.Bool  // see connector
	readOnly  bool
	full      error       // why nothing can be written, where that is for want of space
	immutable os.FileInfo // of a file that is read as if no one could write to it, else nil
	now       func() time.Time
	kept      *keptFile // nil: Close closes the file
	tables    *sync.Map // see engine
}

// Open opens path and brings its schema up to date. With mode ReadWrite, a file that does
// not exist, or that nothing was written to yet, is an error that matches fs.ErrNotExist.
//
// A file on read-only storage is opened for reading, and writes to it return fault.ReadOnly.
// So is a file on a disk that is too full even for what readers share, and writes to it
// return fault.Full (see Full). Many processes may create and migrate a new file at the same
// time.
func Open(ctx context.Context, path string, schema Schema, mode Mode) (*DB, error) {
	return openKept(ctx, path, schema, mode)
}

func openNew(ctx context.Context, path string, schema Schema, mode Mode) (*DB, error) {
	// Others may remove and recreate the file while it is opened; then Open starts again.
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

func openOnce(ctx context.Context, path string, schema Schema, mode Mode, readOnly bool) (*DB,
	error) {
	db := &DB{path: path, schema: schema, turn: make(chan struct{}, 1), closing: new(atomic.Bool),
		now: time.Now, readOnly: readOnly, tables: new(sync.Map)}
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
	// The identity is taken before SQLite opens the file by name. If another file has the
	// name afterwards, CheckFile says so.
	db.file, db.born = info, birth(path)
	db.connect()
	have := 0
	if info.Size() > 0 {
		have, err = db.readVersion(ctx)
	}
	if err == nil {
		err = db.migrate(ctx, mode, have)
	}
	if err == nil {
		err = db.CheckFile()
	}
	if err != nil {
		err = db.wrap(err)
		db.sql.Close()
		return nil, err
	}
	return db, nil
}

// create creates an empty, private file under the write lock, so once among processes; by another
// name first, so that no descriptor of the live file closes (see disk).
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
	if err := removeBeside(db.path); err != nil { // of a removal that came no further
		return err
	}
	f, err := disk.Temp(db.path, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return disk.Put(f.Name(), db.path)
}

// writable: SQLite could write to the file and make its -wal and -shm beside it.
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

// frugal is whether SaveMemory was called.
var frugal atomic.Bool

// SaveMemory has new connections keep 200 KiB of their file in memory, not SQLite's 2,000: for
// programs that stay open and read little. Long writes are slower.
func SaveMemory() { frugal.Store(true) }

func (db *DB) connect() {
	q := url.Values{"_pragma": {
		"busy_timeout(10000)",
		"synchronous(FULL)",
		"foreign_keys(1)",
	}}
	if frugal.Load() {
		q.Add("_pragma", "cache_size(-200)")
	}
	q.Set("mode", "rw") // SQLite must not make a file that was removed since
	if db.readOnly {
		q.Set("mode", "ro")
		if db.complete() {
			// Without a WAL the file is complete; without this setting, SQLite insists on a -shm.
			q.Set("immutable", "1")
			db.immutable = db.file
		}
	}
	conn := sql.OpenDB(&connector{path: db.path, dsn: fileURI(db.path, q), closing: db.closing,
		startup: db.schema.Connect})
	// Each connection parses the schema once, so some are kept. There is no upper limit:
	// watchers keep one each, and others need some too.
	conn.SetMaxIdleConns(8)
	db.sql = conn
}

func (db *DB) Path() string { return db.path }

func (db *DB) ReadOnly() bool { return db.readOnly }

// Full is the error, matching fault.Full, if lack of space is why the file could only be
// opened for reading. When there is space again, open it again to write (see Outdated).
func (db *DB) Full() error { return db.full }

// Now is the time that a transaction would get.
func (db *DB) Now() time.Time { return db.now().UTC().Truncate(time.Millisecond) }

// SetNow replaces the clock that stamps transactions.
func (db *DB) SetNow(now func() time.Time) { db.now = now }

// closeTimeout is how long Close waits for writers; then the WAL is left to who closes later.
const closeTimeout = 50 * time.Millisecond

// Close closes the file. The last to do so moves the WAL into it, unless others write.
func (db *DB) Close() error {
	if db.kept != nil {
		return db.kept.release()
	}
	return db.close()
}

func (db *DB) close() error {
	// of a file that has lost its name, nothing is removed by that name
	if !db.readOnly && db.CheckFile() == nil {
		if unlock, err := db.lockWithin(context.Background(), closeTimeout); err == nil {
			defer unlock()
			db.closing.Store(true)
			defer db.closing.Store(false)
		}
	}
	return db.wrap(db.sql.Close())
}

// Read runs fn on one consistent snapshot of the file.
func (db *DB) Read(ctx context.Context, fn func(*Tx) error) error {
	return db.run(ctx, driver.TxOptions{ReadOnly: true}, fn)
}

// Write runs fn in an IMMEDIATE transaction and commits if fn returns nil; otherwise
// nothing of it is seen or kept. fn must not call Write on the same file.
func (db *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	return db.WriteWithin(ctx, LockTimeout, fn)
}

// WriteWithin is Write with a shorter wait for other writers, then fault.Busy.
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
	if err := db.CheckFile(); err != nil {
		return err
	}
	if err := CheckLinks(db.path); err != nil {
		return err
	}
	return db.run(ctx, driver.TxOptions{}, fn)
}

// CheckFile returns fault.Gone if the file was removed or replaced since it was opened.
func (db *DB) CheckFile() error {
	err := checkFile(db.path, db.file)
	if err == nil && birth(db.path) != db.born {
		return goneFault(db.path)
	}
	return err
}

// CheckLinks refuses a file with several names: SQLite's WAL and locks go by name, so writers by
// two would lose commits. A symbolic link leads to the first, and is none.
func CheckLinks(path string) error {
	info, err := os.Stat(path)
	if err != nil || disk.Links(info) < 2 {
		return nil // a missing file is for others to report
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return Fault(fault.Conflict, path, fmt.Sprintf("has %d names (hard links), and writers "+
		"by different names lose each other's changes; nothing was written", disk.Links(info)),
		nil, fault.Step{Text: "stop the programs that use it, then give it a file of its own: " +
			"cp FILE FILE.copy && mv FILE.copy FILE"})
}

func checkFile(path string, is os.FileInfo) error {
	if now, err := os.Stat(path); err != nil || !os.SameFile(now, is) {
		return goneFault(path)
	}
	return nil
}

func goneFault(path string) error {
	return Fault(fault.Gone, path,
		"was removed by another process while it was open; nothing more was written to it", nil)
}

// run runs fn in a transaction on a connection of its own: database/sql's start goroutines for
// each, and each query, to wake which takes longer than to read a row.
func (db *DB) run(ctx context.Context, opts driver.TxOptions, fn func(*Tx) error) error {
	reserved, err := db.sql.Conn(ctx)
	if err != nil {
		return db.wrap(err)
	}
	defer reserved.Close()
	var tx driver.Tx
	if err := reserved.Raw(func(c any) (err error) {
		tx, err = c.(*conn).BeginTx(ctx, opts)
		return err
	}); err != nil {
		return db.wrap(err)
	}
	end := func(how func() error) error { return reserved.Raw(func(any) error { return how() }) }
	open := true
	defer func() {
		if open { // an error, or a panic that somebody survives
			end(tx.Rollback)
		}
	}()
	t := store.NewTx(unwatched{ctx}, reserved, engine{db.tables}, db.Now())
	if db.kept != nil {
		err = db.kept.check(t)
	}
	if err == nil {
		err = fn(t)
	}
	if err != nil {
		return db.wrap(err)
	}
	if db.rewritten() { // somebody could write to it after all
		return Fault(fault.Busy, db.path, "was written to while it was read", nil,
			fault.Step{Text: "repeat the command"})
	}
	if err := ctx.Err(); err != nil { // cancelled before the commit
		return err
	}
	open = false
	if err := end(tx.Commit); err != nil {
		return db.wrap(err)
	}
	t.Committed()
	return nil
}

// lock takes the write lock, among this process's goroutines, then among processes.
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
	release, err := disk.Lock(ctx, db.path+"-lock")
	if err != nil {
		<-db.turn
		if ctx.Err() != nil {
			err = db.lockErr(ctx)
		}
		return nil, err
	}
	return func() { release(); <-db.turn }, nil
}

func (db *DB) lockErr(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return Fault(fault.Busy, db.path,
			"another writer did not finish in time; nothing was written", nil)
	}
	return ctx.Err()
}

// Conn reserves a connection, for what SQLite keeps per connection (PRAGMA data_version).
func (db *DB) Conn(ctx context.Context) (*sql.Conn, error) {
	conn, err := db.sql.Conn(ctx)
	return conn, db.wrap(err)
}

// Checkpoint moves the WAL into the file as far as readers allow without a wait.
func (db *DB) Checkpoint(ctx context.Context) error {
	if db.readOnly {
		return nil
	}
	_, err := db.sql.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)")
	return db.wrap(err)
}

// Check runs SQLite's integrity check; fault.Corrupt says what is wrong with the file.
func (db *DB) Check(ctx context.Context) error {
	return db.Read(ctx, func(tx *Tx) error {
		found, err := Column[string](tx, "PRAGMA integrity_check(10)")
		if err != nil {
			return err
		}
		if len(found) != 1 || found[0] != "ok" {
			return Fault(fault.Corrupt, db.path, "fails its integrity check: "+strings.Join(found,
				"; "), nil)
		}
		return nil
	})
}
