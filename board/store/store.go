// Package store is what the boards know of the databases that they are kept in: one transaction, [Tx], whose statements are in the part of
// SQL that all of them speak, and a [Place] where the databases of runs are. Packages board/sqlite and board/postgres are the databases.
//
// The SQL of the boards: placeholders are ? or ?1; truth in a column is 0 or 1; times are Unix milliseconds; LIKE takes letters of ASCII in
// either case for the same; text sorts by its bytes; instr, json_each and json_extract are as in SQLite; what counts of a conflict of keys is
// asked before. INDEXED BY is a hint. A run sees its own rows, whatever else the database holds.
package store

import (
	"context"
	"database/sql"
	"time"
)

// Place is where the databases of runs are kept.
type Place interface {
	// Name is what messages call the database of a run: its path, or the server that has it.
	Name(run string) string
	// Open opens the database of a run. One that is not there matches fs.ErrNotExist, unless the
	// first write may create it.
	Open(ctx context.Context, run string, create bool) (DB, error)
	// Runs names the runs that were written to since a time, sorted. They may lack their first
	// event.
	Runs(ctx context.Context, since time.Time) ([]string, error)
	// Has reports whether there may be a run of the name; it costs less than Open.
	Has(ctx context.Context, run string) (bool, error)
	// Unfinished reports whether whoever created a run without events gave up.
	Unfinished(run string) bool
	// Size is how many bytes the database of a run takes up, 0 if nobody knows.
	Size(run string) int64
	// Pause is how long to wait before Has is asked again.
	Pause() time.Duration
	// Remove deletes the database of a run, unless the check, which runs while nobody writes to
	// it, refuses. One that is not there matches fs.ErrNotExist.
	Remove(ctx context.Context, run string, check func() error) error
}

// DB is the open database of one run. It is safe for concurrent use.
type DB interface {
	// Read runs fn on one consistent snapshot.
	Read(ctx context.Context, fn func(*Tx) error) error
	// Write runs fn, one writer of the run at a time, and commits if fn returns nil. What was
	// committed survives the loss of power. Nothing of it is seen, or kept, otherwise. fn may run
	// again, on a fresh transaction, where the first was lost. A database that was removed since
	// it was opened is fault.Gone.
	Write(ctx context.Context, fn func(*Tx) error) error
	// Watch calls changed at once and whenever somebody may have changed the database since,
	// until it returns an error or ctx ends.
	Watch(ctx context.Context, changed func() error) error
	// Check verifies what the database says of itself. The error matches fault.Corrupt.
	Check(ctx context.Context) error
	// SetNow replaces the clock that stamps transactions.
	SetNow(now func() time.Time)
	// Close lets the database go.
	Close() error
}

// Engine is what differs between databases within a transaction.
type Engine interface {
	// Statement puts a statement and its arguments into the words of the database.
	Statement(query string, args []any) (string, []any)
	// HasTable reports whether there is a table that databases of older schemas lack. Those are
	// read as they are where they cannot be migrated.
	HasTable(tx *Tx, name string) (bool, error)
	// Match finds the entries that match words, in the syntax of FTS5.
	Match(tx *Tx, words string) (Hits, error)
	// Bulk runs fn, which writes thousands of rows.
	Bulk(tx *Tx, fn func() error) error
}

// Hits is how a statement has the entries that match words: they are e in FROM, and f.rowid is
// their id.
type Hits struct {
	From  string
	Where string // "": FROM has no others
	Args  []any  // of From and Where
	Best  string // what to order by: the best by BM25 first, the newest of equals first
}

// Conn is a transaction of database/sql, or a connection that is in one.
type Conn interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Tx is a running transaction. It has no Commit or Rollback: the function given to Read or Write decides by what it returns.
type Tx struct {
	ctx    context.Context
	conn   Conn
	engine Engine
	wrote  bool
	after  []func()
	// Now is the time of the transaction, UTC, in whole milliseconds: one transaction, one time.
	Now time.Time
}

// NewTx is for engines: it returns a transaction that runs on a connection.
func NewTx(ctx context.Context, conn Conn, engine Engine, now time.Time) *Tx {
	return &Tx{ctx: ctx, conn: conn, engine: engine, Now: now}
}

// Exec runs a statement.
func (tx *Tx) Exec(query string, args ...any) (sql.Result, error) {
	tx.wrote = true
	query, args = tx.engine.Statement(query, args)
	return tx.conn.ExecContext(tx.ctx, query, args...)
}

// Changes runs a statement and returns how many rows it changed.
func (tx *Tx) Changes(query string, args ...any) (int64, error) {
	res, err := tx.Exec(query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Wrote reports whether Exec was called: what the transaction sees may be its own, and may be undone.
func (tx *Tx) Wrote() bool { return tx.wrote }

// AfterCommit has fn called once the transaction is committed, while it is still this writer's turn.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// Committed is for engines: it calls what AfterCommit was given.
func (tx *Tx) Committed() {
	for _, fn := range tx.after {
		fn()
	}
}

// Query runs a statement that returns rows.
func (tx *Tx) Query(query string, args ...any) (*sql.Rows, error) {
	query, args = tx.engine.Statement(query, args)
	return tx.conn.QueryContext(tx.ctx, query, args...)
}

// QueryRow runs a statement that returns at most one row.
func (tx *Tx) QueryRow(query string, args ...any) *sql.Row {
	query, args = tx.engine.Statement(query, args)
	return tx.conn.QueryRowContext(tx.ctx, query, args...)
}

// HasTable reports whether there is a table that databases of older schemas lack.
func (tx *Tx) HasTable(name string) (bool, error) { return tx.engine.HasTable(tx, name) }

// Bulk runs fn, which writes thousands of rows: what is derived from them may be behind until it
// returns.
func (tx *Tx) Bulk(fn func() error) error { return tx.engine.Bulk(tx, fn) }

// Match finds the entries that match words, in the syntax of FTS5.
func (tx *Tx) Match(words string) (Hits, error) { return tx.engine.Match(tx, words) }

// Conditions are the conditions of WHERE.
func (h *Hits) Conditions() []string {
	if h.Where == "" {
		return nil
	}
	return []string{h.Where}
}
