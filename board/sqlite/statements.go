package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"strings"

	library "modernc.org/sqlite"
)

// driverName is the library's driver with statements kept compiled: compiling them again is a fifth to a third of a small transaction.
const driverName = "sqlite-kept"

func init() { sql.Register(driverName, keeper{&library.Driver{}}) }

type keeper struct{ driver.Driver }

func (k keeper) Open(dsn string) (driver.Conn, error) {
	c, err := k.Driver.Open(dsn)
	if err != nil {
		return nil, err
	}
	return &conn{libraryConn: c.(libraryConn), kept: map[string]driver.Stmt{}}, nil
}

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
}

// conn is one connection. A statement is kept under its text while nobody uses it: who needs one that is in use, compiles another.
type conn struct {
	libraryConn
	kept map[string]driver.Stmt
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
	for query, s := range c.kept {
		delete(c.kept, query)
		s.Close()
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
