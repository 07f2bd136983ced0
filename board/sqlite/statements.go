package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
	"sync/atomic"

	library "modernc.org/sqlite"
)

// connector opens connections to one file that keep their statements compiled: compiling them again is a fifth
// to a third of a small transaction.
type connector struct {
	path, dsn string
	// last is true while DB.Close has the writers' turn. Only then may a connection remove the WAL.
	last *atomic.Bool
}

// Connect opens a connection.
func (k *connector) Connect(context.Context) (driver.Conn, error) {
	c := &conn{kept: map[string]driver.Stmt{}, last: k.last}
	hold(c, k.path)
	opened, err := k.Driver().Open(k.dsn)
	if err != nil {
		release(c)
		return nil, err
	}
	c.libraryConn = opened.(libraryConn)
	if err := c.keepWAL(true); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Driver returns the library's driver.
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

// conn is one connection. A statement is kept under its text while nobody uses it: who needs one that is in use, compiles another.
type conn struct {
	libraryConn
	kept map[string]driver.Stmt
	last *atomic.Bool
}

// keepWAL says whether closing the last connection of a file leaves its WAL in place. SQLite removes it by its
// name, which may be that of another file by then: of a board that was removed and made again meanwhile. So only
// a connection that is closed in the writers' turn, which Remove and Rename need too, may do so.
func (c *conn) keepWAL(keep bool) error {
	mode := 0
	if keep {
		mode = 1
	}
	_, err := c.FileControlPersistWAL("main", mode)
	return err
}

// maxKept is how many statements a connection keeps: more than the program has, but for those with lists of any length in them.
const maxKept = 128

// keepable reports whether a statement is worth keeping: pragmas, transactions and changes of the schema are not, and a list of values makes long ones that do not come again.
func keepable(query string) bool {
	const long = 4 << 10
	if len(query) > long {
		return false
	}
	query = strings.TrimLeft(query, " \t\r\n")
	for _, verb := range []string{"SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "} {
		if len(query) >= len(verb) && strings.EqualFold(query[:len(verb)], verb) {
			return true
		}
	}
	return false
}

// take returns a compiled statement, which is the caller's until put gives it back.
func (c *conn) take(ctx context.Context, query string) (driver.Stmt, error) {
	if s, ok := c.kept[query]; ok {
		delete(c.kept, query)
		return s, nil
	}
	return c.PrepareContext(ctx, query)
}

// put gives a statement back that is done and went well.
func (c *conn) put(query string, s driver.Stmt) error {
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

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if !keepable(query) {
		return c.libraryConn.ExecContext(ctx, query, args)
	}
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	res, err := s.(driver.StmtExecContext).ExecContext(ctx, args)
	if err != nil {
		s.Close()
		return nil, err
	}
	return res, c.put(query, s)
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if !keepable(query) {
		return c.libraryConn.QueryContext(ctx, query, args)
	}
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		s.Close()
		return nil, err
	}
	return &rowsOf{Rows: rows, done: func(err error) error {
		if err != nil {
			s.Close()
			return err
		}
		return c.put(query, s)
	}}, nil
}

// Close closes what is kept first: a connection with statements left stays open in the library, and the file with it.
func (c *conn) Close() error {
	defer release(c)
	for query, s := range c.kept {
		delete(c.kept, query)
		s.Close()
	}
	if c.last.Load() {
		if err := c.keepWAL(false); err != nil {
			return errors.Join(err, c.libraryConn.Close())
		}
	}
	return c.libraryConn.Close()
}

// rowsOf are the rows of a statement that is kept afterwards.
type rowsOf struct {
	driver.Rows
	failed error
	done   func(error) error
}

func (r *rowsOf) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
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
