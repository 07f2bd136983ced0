package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"blackboard/board/fault"
)

// Each reads each row of a query into dest and then calls fn. It stops at the first
// error.
func (tx *Tx) Each(dest []any, fn func() error, query string, args ...any) error {
	rows, err := tx.Query(query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			var own *fault.Error
			if errors.As(err, &own) { // of JSON; the rest says what the caller does not know
				return own
			}
			return err
		}
		if err := fn(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// All returns the rows of a query, never nil. dest is called once and returns the
// destinations of the columns.
func All[T any](tx *Tx, dest func(*T) []any, query string, args ...any) ([]T, error) {
	all := []T{}
	var row T
	err := tx.Each(dest(&row), func() error {
		all = append(all, row)
		row = *new(T)
		return nil
	}, query, args...)
	return all, err
}

// Column returns the values of a query with one column, never nil.
func Column[T any](tx *Tx, query string, args ...any) ([]T, error) {
	return All(tx, func(v *T) []any { return []any{v} }, query, args...)
}

// One returns the value of a query for one row and one column. The error matches IsNoRows
// if there is no row.
func One[T any](tx *Tx, query string, args ...any) (v T, err error) {
	err = tx.QueryRow(query, args...).Scan(&v)
	return v, err
}

// scanner is a destination of a column.
type scanner func(any) error

// Scan implements sql.Scanner.
func (s scanner) Scan(v any) error { return s(v) }

// Time is the destination of a column of Unix milliseconds.
func Time(t *time.Time) sql.Scanner {
	return scanner(func(v any) error {
		ms, ok := v.(int64)
		if !ok {
			return fmt.Errorf("a time is a %T", v)
		}
		*t = time.UnixMilli(ms).UTC()
		return nil
	})
}

// MaybeTime is Time for a column that may be NULL, which becomes nil.
func MaybeTime(t **time.Time) sql.Scanner {
	return scanner(func(v any) error {
		if *t = nil; v == nil {
			return nil
		}
		*t = new(time.Time)
		return Time(*t).Scan(v)
	})
}

// Millis is the value of a column that MaybeTime reads.
func Millis(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMilli()
}

// JSON is the destination of a JSON column. "[]" makes a list of strings empty, and leaves anything
// else as it is. If the text is not JSON, the error matches fault.Corrupt and says that the file
// has what, which cannot be read. what may have a %s for *id, whose column must come first.
func JSON[ID any](into any, what string, id *ID) sql.Scanner {
	return scanner(func(v any) error {
		var text string
		switch v := v.(type) {
		case string:
			text = v
		case []byte:
			text = string(v)
		}
		if l, ok := into.(*[]string); text == "[]" { // as most lists are
			if ok {
				*l = []string{}
			}
			return nil
		}
		err := json.Unmarshal([]byte(text), into)
		if err == nil {
			return nil
		}
		detail := "has " + fmt.Sprintf(what, *id) + " cannot be read"
		return Fault(fault.Corrupt, "", detail, err)
	})
}

// List writes a list for a JSON column, or for json_each. nil is an empty list, not null.
func List[T any](l []T) string {
	if l == nil {
		l = []T{}
	}
	b, _ := json.Marshal(l) // strings and numbers always can be written
	return string(b)
}
