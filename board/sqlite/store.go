package sqlite

import (
	"database/sql"
	"strings"
	"sync"

	"blackboard/board/store"
)

// This file has names of package store, for packages that only know files.

type (
	// Tx is a running transaction.
	Tx = store.Tx
	// Question is a query that is going to be asked.
	Question = store.Question
	// Invariant is something that holds of every sound file of a schema.
	Invariant = store.Invariant
)

var (
	AskFirst  = store.AskFirst
	Fault     = store.Fault
	IsNoRows  = store.IsNoRows
	Time      = store.Time
	MaybeTime = store.MaybeTime
	Millis    = store.Millis
)

// ForeignKeys is the invariant of every schema that names rows by foreign keys.
var ForeignKeys = Invariant{
	Breaks: `SELECT count(*) FROM pragma_foreign_key_check`,
	Say:    "has %d rows that name rows which are not there",
}

// All is store.All.
func All[T any](tx *Tx, dest func(*T) []any, query string, args ...any) ([]T, error) {
	return store.All(tx, dest, query, args...)
}

// Column is store.Column.
func Column[T any](tx *Tx, query string, args ...any) ([]T, error) {
	return store.Column[T](tx, query, args...)
}

// One is store.One.
func One[T any](tx *Tx, query string, args ...any) (T, error) {
	return store.One[T](tx, query, args...)
}

// JSON is store.JSON.
func JSON[ID any](into any, what string, id *ID) sql.Scanner { return store.JSON(into, what, id) }

// List is store.List.
func List[T any](l []T) string { return store.List(l) }

// engine is SQLite: the statements of the program are in its SQL.
type engine struct {
	tables *sync.Map // that were seen in a commit: they are made anew at most, never dropped
}

func (engine) Statement(query string, args []any) (string, []any) { return query, args }

func (e engine) HasTable(tx *Tx, name string) (there bool, err error) {
	if _, seen := e.tables.Load(name); seen {
		return true, nil
	}
	err = tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM sqlite_schema
		WHERE type = 'table' AND name = ?)`, name).Scan(&there)
	if there && !tx.Wrote() {
		e.tables.Store(name, true)
	}
	return there, err
}

func (engine) Remake(tx *Tx, tables []string, create string) error {
	_, err := tx.Exec(`DROP TABLE IF EXISTS ` + strings.Join(tables, `; DROP TABLE IF EXISTS `) +
		`;` + create)
	return err
}

func (engine) Bulk(_ *Tx, fn func() error) error { return fn() }

func (engine) Match(_ *Tx, words string) (store.Hits, error) {
	return store.Hits{
		From:  `entries_fts f JOIN entries e ON e.id = f.rowid`,
		Where: `f.entries_fts MATCH ?`,
		Args:  []any{words},
		Best:  `bm25(f.entries_fts), f.rowid DESC`,
	}, nil
}
