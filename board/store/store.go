// Package store is the interface between the domain and its databases: a transaction, [Tx],
// whose statements are in the part of SQL that all databases understand, and a [Place] where
// the databases of runs are. Packages board/sqlite and board/postgres implement it.
//
// Rules of that SQL: placeholders are ? or ?1; booleans are 0 or 1; times are Unix
// milliseconds; LIKE ignores the case of ASCII letters; text sorts by its bytes; instr,
// json_each and json_extract work as in SQLite; a statement asks for conflicting keys before
// it inserts. INDEXED BY is a hint. A run sees only its own rows.
package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Place is where the databases of runs are kept.
type Place interface {
	// Name is what messages call the database of a run: its path, or its server.
	Name(run string) string
	// Open opens the database of a run. The error matches fs.ErrNotExist if there is
	// none, unless the first write may create it.
	Open(ctx context.Context, run string, create bool) (DB, error)
	// Runs names the runs that were written to at a time or later, sorted. They may lack a
	// first event.
	Runs(ctx context.Context, since time.Time) ([]string, error)
	// Has reports whether there may be a run of this name. It is cheaper than Open.
	Has(ctx context.Context, run string) (bool, error)
	// Unfinished reports whether the creator of a run without events has given up.
	Unfinished(run string) bool
	// Size is the size of a run's database in bytes, 0 if not known.
	Size(run string) int64
	// Pause is how long to wait before Has is asked again.
	Pause() time.Duration
	// Remove deletes the database of a run. First it calls check, while no one else can
	// write, and stops at an error. The error matches fs.ErrNotExist if there is no such
	// database.
	Remove(ctx context.Context, run string, check func() error) error
}

// DB is the open database of one run. It is safe for concurrent use.
type DB interface {
	// Read runs fn on one consistent snapshot.
	Read(ctx context.Context, fn func(*Tx) error) error
	// Write runs fn and commits if fn returns nil; otherwise nothing of it is seen or
	// kept. One writer of a run runs at a time. A commit survives power loss. fn may run
	// again on a fresh transaction if the first was lost. It returns fault.Gone for a database
	// that was removed since it was opened.
	Write(ctx context.Context, fn func(*Tx) error) error
	// Watch calls changed at once, and whenever somebody may have changed the database,
	// until it returns an error or ctx ends.
	Watch(ctx context.Context, changed func() error) error
	// Check runs the database's own integrity checks. The error matches fault.Corrupt.
	Check(ctx context.Context) error
	// SetNow replaces the clock that stamps transactions.
	SetNow(now func() time.Time)
	// Close closes the database.
	Close() error
}

// ErrStop ends a watch from inside the function that Watch calls.
var ErrStop = errors.New("stop")

// Engine is what differs between databases within a transaction.
type Engine interface {
	// Statement translates a statement and its arguments for the database.
	Statement(query string, args []any) (string, []any)
	// HasTable reports whether there is a table that databases of older schemas lack.
	// Those are read as they are where they cannot be migrated.
	HasTable(tx *Tx, name string) (bool, error)
	// Match returns how to select the entries that match words, in the syntax of FTS5.
	Match(tx *Tx, words string) (Hits, error)
	// Remake drops derived tables and creates them again, empty; create is the SQL for that.
	Remake(tx *Tx, tables []string, create string) error
	// Bulk runs fn, which writes thousands of rows.
	Bulk(tx *Tx, fn func() error) error
}

// Hits is how a statement selects the entries that match words: they are e in From, and
// f.rowid is their id.
type Hits struct {
	From  string
	Where string // "": From has only those that match
	Args  []any  // of From and Where
	Best  string // what to order by: the best by BM25 first, the newest of equals first
}

// Conn is a transaction of database/sql, or a connection that is in one.
type Conn interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Tx is a running transaction. It has no Commit or Rollback: the function given to Read
// or Write decides by what it returns.
type Tx struct {
	ctx    context.Context
	conn   Conn
	engine Engine
	wrote  bool
	after  []func()
	// Now is the time of the transaction, UTC, in whole milliseconds. It does not change
	// within the transaction.
	Now time.Time
	// Seq is the number of the last event when the transaction began, if the engine knows
	// it; -1 otherwise.
	Seq int64
}

// LastSeq returns the number of the last event, 0 if there is none.
func (tx *Tx) LastSeq() (n int64, err error) {
	if tx.Seq >= 0 && !tx.Wrote() {
		return tx.Seq, nil
	}
	err = tx.QueryRow(`SELECT coalesce(max(seq), 0) FROM events`).Scan(&n)
	return n, err
}

// NewTx is for engines: it returns a transaction that runs on a connection.
func NewTx(ctx context.Context, conn Conn, engine Engine, now time.Time) *Tx {
	return &Tx{ctx: ctx, conn: conn, engine: engine, Now: now, Seq: -1}
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

// Insert runs an INSERT of one row into a table with the integer key n, and returns the key. SQLite
// knows it anyway; for RETURNING it would keep a copy of each page that the row changes.
func (tx *Tx) Insert(query string, args ...any) (n int64, err error) {
	if tx.IsFar() {
		tx.wrote = true
		return n, tx.QueryRow(query+` RETURNING n`, args...).Scan(&n)
	}
	res, err := tx.Exec(query, args...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// Wrote reports whether the transaction has run Exec, Changes or Insert. What it reads may then be
// its own writes, and may be rolled back.
func (tx *Tx) Wrote() bool { return tx.wrote }

// AfterCommit registers fn to be called after the commit; of a file, before the next writer has its
// turn.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// Committed is for engines: it calls the functions of AfterCommit.
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

// Remake creates derived tables again, empty, with the SQL in create.
func (tx *Tx) Remake(tables []string, create string) error {
	return tx.engine.Remake(tx, tables, create)
}

// Bulk runs fn, which writes thousands of rows. Derived tables may be behind until it
// returns.
func (tx *Tx) Bulk(fn func() error) error { return tx.engine.Bulk(tx, fn) }

// Match returns how to select the entries that match words, in the syntax of FTS5.
func (tx *Tx) Match(words string) (Hits, error) { return tx.engine.Match(tx, words) }

// Conditions returns Where as a list, nil if it is "".
func (h *Hits) Conditions() []string {
	if h.Where == "" {
		return nil
	}
	return []string{h.Where}
}
