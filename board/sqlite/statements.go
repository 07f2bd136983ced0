package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	library "modernc.org/sqlite"

	"blackboard/board/disk"
)

// connector opens connections to one file that keep their compiled statements. Compiling
// them again takes a fifth to a third of a small transaction.
type connector struct {
	path, dsn string
	// closing: DB.Close has the write lock. Only then may a connection remove the WAL.
	closing *atomic.Bool
	startup string // SQL that each new connection runs; "" for none
}

// Connect opens a connection. SQLite opens the file, its WAL and its -shm by name, one after the
// other. If the file was removed and made anew between, it would have the WAL of the old one
// with the -shm of the new one, and fill that with what is in no WAL of the new one.
func (k *connector) Connect(ctx context.Context) (driver.Conn, error) {
	unlock, err := disk.LockNames(ctx, filepath.Dir(k.path), false)
	if err != nil {
		return nil, err
	}
	defer unlock()
	c := &conn{file: disk.Hold(k.path), kept: map[string]statement{}, closing: k.closing}
	opened, err := k.Driver().Open(k.dsn)
	if err != nil {
		c.file.Release()
		return nil, err
	}
	c.libraryConn = opened.(libraryConn)
	if err = c.keepWAL(true); err == nil && k.startup != "" {
		_, err = c.libraryConn.ExecContext(ctx, k.startup, nil)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (k *connector) Driver() driver.Driver { return &library.Driver{} }

// libraryConn is what the library's connection can do and database/sql asks for.
type libraryConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
	library.FileControl
}

// conn is one connection. It keeps a statement under its text while no one uses it. A
// caller that needs a statement in use compiles another.
type conn struct {
	libraryConn
	file    *disk.Database
	kept    map[string]statement
	closing *atomic.Bool // see connector
}

// statement is a compiled statement. The library's cancelling takes a goroutine, longer than
// reading a row by key; so what was quick last time is only cancelled before.
type statement struct {
	driver.Stmt
	quick bool
}

const quick = time.Millisecond

// interruptDelay is how long after its start a statement runs for certain. An interrupt before that
// is lost: SQLite begins with a clean slate.
const interruptDelay = 50 * time.Millisecond

// run runs a statement, and notes whether it was quick. One that was not quick the last time is
// cancelled when its context ends, but not before interruptDelay.
func (s *statement) run(ctx context.Context, do func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	begin, until := time.Now(), context.WithoutCancel(ctx)
	if !s.quick && ctx.Done() != nil {
		ends, cancel := context.WithCancel(until)
		defer cancel()
		defer context.AfterFunc(ctx, func() { time.AfterFunc(interruptDelay-time.Since(begin), cancel) })()
		until = ends
	}
	err := do(until)
	s.quick = time.Since(begin) < quick
	if err != nil && ctx.Err() != nil && until.Err() != nil {
		return ctx.Err()
	}
	return err
}

// keepWAL sets whether closing the last connection of a file leaves its WAL. SQLite removes
// the WAL by name, and that name may belong to another file by then: to a board that was
// removed and created again. So only a connection that is closed under the write lock, which
// Remove and Rename take too, may remove it.
func (c *conn) keepWAL(keep bool) error {
	mode := 0
	if keep {
		mode = 1
	}
	_, err := c.FileControlPersistWAL("main", mode)
	return err
}

// maxKept is how many statements a connection keeps: more than all but lists of any length.
const maxKept = 128

// userVersion reads the version of a file's schema.
const userVersion = "PRAGMA user_version"

// keepable reports whether a statement is worth keeping. Other pragmas, transactions and
// schema changes are not; nor are long lists of values, which do not come again.
func keepable(query string) bool {
	const long = 4 << 10
	if len(query) > long {
		return false
	}
	query = strings.TrimLeft(query, " \t\r\n")
	verbs := []string{"SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "}
	return query == userVersion || slices.ContainsFunc(verbs, func(verb string) bool {
		return len(query) >= len(verb) && strings.EqualFold(query[:len(verb)], verb)
	})
}

func (c *conn) take(ctx context.Context, query string) (s statement, err error) {
	s, ok := c.kept[query]
	if ok {
		delete(c.kept, query)
		return s, nil
	}
	s.Stmt, err = c.PrepareContext(ctx, query)
	return s, err
}

// put takes back a statement that has succeeded.
func (c *conn) put(query string, s statement) error {
	if _, ok := c.kept[query]; ok {
		return s.Close()
	}
	if len(c.kept) >= maxKept {
		for other, s := range c.kept { // any: which one matters little, and maps give a random one
			delete(c.kept, other)
			if err := s.Close(); err != nil {
				return err
			}
			break
		}
	}
	c.kept[query] = s
	return nil
}

// unwatched is for statements that the connection, not database/sql, watches over.
type unwatched struct{ context.Context }

// Done returns nil: database/sql waits for no end.
func (unwatched) Done() <-chan struct{} { return nil }

// watched is the context that statements are run with.
func watched(ctx context.Context) context.Context {
	if u, ok := ctx.(unwatched); ok {
		return u.Context
	}
	return ctx
}

func (c *conn) ExecContext(ctx context.Context, query string,
	args []driver.NamedValue) (driver.Result, error) {
	ctx = watched(ctx)
	if !keepable(query) {
		return c.libraryConn.ExecContext(ctx, query, args)
	}
	return c.exec(ctx, query, args)
}

func (c *conn) exec(ctx context.Context, query string, args []driver.NamedValue) (
	res driver.Result, err error) {
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	err = s.run(ctx, func(ctx context.Context) (err error) {
		res, err = s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
		return err
	})
	s.quick = s.quick && query != beginWrite // which may wait the next time
	if err != nil {
		s.Close()
		return nil, err
	}
	return res, c.put(query, s)
}

func (c *conn) QueryContext(ctx context.Context, query string,
	args []driver.NamedValue) (driver.Rows, error) {
	ctx = watched(ctx)
	if !keepable(query) {
		return c.libraryConn.QueryContext(ctx, query, args)
	}
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	var rows driver.Rows
	err = s.run(ctx, func(ctx context.Context) (err error) {
		rows, err = s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
		return err
	})
	if err != nil {
		s.Close()
		return nil, err
	}
	return &rowsOf{Rows: rows, ctx: ctx, done: func(err error) error {
		if err != nil {
			s.Close()
			return err
		}
		return c.put(query, s)
	}}, nil
}

const beginWrite = "BEGIN IMMEDIATE"

// BeginTx begins a transaction with kept statements. The library compiles BEGIN and
// COMMIT each time, which takes as long as reading a row.
func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	begin := beginWrite
	if opts.ReadOnly {
		begin, ctx = "BEGIN", context.WithoutCancel(ctx) // it waits for nobody
	}
	_, err := c.exec(ctx, begin, nil)
	return tx{c}, err
}

type tx struct{ c *conn }

// Commit commits, or rolls back: database/sql would think a failed transaction ended.
func (t tx) Commit() error {
	_, err := t.c.exec(context.Background(), "COMMIT", nil)
	if err != nil {
		t.Rollback()
	}
	return err
}

func (t tx) Rollback() error {
	_, err := t.c.exec(context.Background(), "ROLLBACK", nil)
	return err
}

// Close closes the kept statements first, as open ones would keep connection and file open.
func (c *conn) Close() error {
	defer c.file.Release()
	for query, s := range c.kept {
		delete(c.kept, query)
		s.Close()
	}
	if c.closing.Load() {
		if err := c.keepWAL(false); err != nil {
			return errors.Join(err, c.libraryConn.Close())
		}
	}
	return c.libraryConn.Close()
}

// rowsOf are the rows of a statement that is kept afterwards.
type rowsOf struct {
	driver.Rows
	ctx    context.Context
	failed error
	done   func(error) error
}

func (r *rowsOf) Next(dest []driver.Value) error {
	err := r.ctx.Err()
	if err == nil {
		err = r.Rows.Next(dest)
	}
	if err != nil && err != io.EOF {
		r.failed = err
	}
	return err
}

func (r *rowsOf) Close() error {
	if r.done == nil {
		return nil
	}
	err := r.Rows.Close()
	if err == nil && r.failed != nil {
		r.done(r.failed)
	} else {
		err = r.done(err)
	}
	r.done = nil
	return err
}
